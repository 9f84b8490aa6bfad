#include "bench/quality/direction/direction_speed.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "bench/quality/direction/direction_cases.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/io/table/formats/csv_reader.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

struct Took {
  double wall = 0, processor = 0;  // seconds
};

template <class Work>
Took timed(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t clock = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          double(std::clock() - clock) / CLOCKS_PER_SEC};
}

/// A thousand environments of a thousand rows, with everything that the command computes.
void add_search(Table& table, Situation situation, bool small, const RunOptions& options) {
  const std::size_t environments = small ? 100 : 1000, rows = small ? 100 : 1000;
  const DiscreteDesign design{situation, 10, false, rows, rows, environments - 1};
  const Dataset data = draw_discrete(design, {options.seed + 4, std::uint32_t(situation)});
  DirectionOptions how;
  how.baseline = 0;
  const Took took = timed([&] { find_direction(data, how, {.threads = options.threads}); });
  table.rows.push_back({fmt::format("N=10, {} shift", name_of(situation)),
                        fmt::format("{} x {} rows", environments, rows),
                        fmt::format("{:.3f} s", took.wall), fmt::format("{:.3f} s", took.processor),
                        small ? "" : "0.2 s"});
}

/// One row of a table that is read: an environment, then two numbers or two levels.
std::string csv_row(Stream& stream, bool real, std::size_t environment) {
  if (real) return fmt::format("site{},{},{}\n", environment, stream.uniform(), stream.uniform());
  return fmt::format("site{},{},{}\n", environment, sample_index(stream, 10),
                     sample_index(stream, 10));
}

void add_reading(Table& table, bool real, bool small, const RunOptions& options) {
  const std::size_t rows = small ? 10'000 : 1'000'000;
  Stream stream(options.seed, Purpose::sample, {4, std::uint32_t(real), 0});
  std::string text = "site,x,y\n";
  for (std::size_t r = 0; r < rows; ++r) text += csv_row(stream, real, r / 1000);
  const Took took = timed([&] {
    MemorySource source("memory", text);
    read_csv(source, {});
  });
  const double megabytes = double(text.size()) / 1e6;
  table.rows.push_back({fmt::format("CSV read, {}", real ? "real numbers" : "levels"),
                        fmt::format("{} rows, {:.1f} MB", rows, megabytes),
                        fmt::format("{:.3f} s", took.wall),
                        fmt::format("{:.0f} MB/s", megabytes / std::max(took.processor, 1e-9)),
                        small ? "" : "200 MB/s"});
}

}  // namespace

Table direction_speed(const std::string& scale, const RunOptions& options) {
  const bool small = scale == "smoke";
  Table table{
      "speed",
      fmt::format("Speed on {} threads of this machine; files are read by one", options.threads),
      {"what", "how much", "took", "of the processor", "to reach"},
      {}};
  for (const Situation situation :
       {Situation::cause, Situation::mechanism, Situation::row, Situation::none})
    add_search(table, situation, small, options);
  for (const bool real : {false, true}) add_reading(table, real, small, options);
  return table;
}

}  // namespace whence
