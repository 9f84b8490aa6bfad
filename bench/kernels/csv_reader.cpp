// Reading CSV, from memory: values, hash and all checks included. Bytes per second on one core.
#include "whence/io/table/formats/csv_reader.hpp"

#include <cstdio>
#include <random>
#include <string>

#include <benchmark/benchmark.h>

namespace {

constexpr std::size_t bytes = std::size_t(50) << 20;

template <class Row>
std::string table(Row row) {
  std::mt19937_64 random(1);
  std::string text = "x,y\n";
  char line[128];
  while (text.size() < bytes) {
    row(random, line);
    text += line;
  }
  return text;
}

/// As printed by most programs, and in full.
std::string reals(int digits) {
  return table([&](auto& random, char(&line)[128]) {
    std::normal_distribution<> normal;
    const double x = normal(random), y = normal(random);
    std::snprintf(line, sizeof line, "%.*g,%.*g\n", digits, x, digits, y);
  });
}

std::string codes() {
  return table([](auto& random, char(&line)[128]) {
    std::snprintf(line, sizeof line, "%d,%d\n", int(random() % 10), int(random() % 10));
  });
}

std::string names(const char* format) {
  return table([&](auto& random, char(&line)[128]) {
    constexpr const char* words[] = {"low", "medium", "high", "very high"};
    std::snprintf(line, sizeof line, format, words[random() % 4], words[random() % 4]);
  });
}

void read(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    whence::MemorySource source("bench.csv", text);
    benchmark::DoNotOptimize(whence::read_csv(source, {}));
  }
  state.SetBytesProcessed(std::int64_t(state.iterations()) * std::int64_t(text.size()));
}

void ReadCsvReals17(benchmark::State& state) { read(state, reals(17)); }
void ReadCsvReals6(benchmark::State& state) { read(state, reals(6)); }
void ReadCsvCodes(benchmark::State& state) { read(state, codes()); }
void ReadCsvNames(benchmark::State& state) { read(state, names("%s,%s\n")); }
void ReadCsvQuotedNames(benchmark::State& state) { read(state, names("\"%s\",\"%s\"\r\n")); }

BENCHMARK(ReadCsvReals17)->Unit(benchmark::kMillisecond);
BENCHMARK(ReadCsvReals6)->Unit(benchmark::kMillisecond);
BENCHMARK(ReadCsvCodes)->Unit(benchmark::kMillisecond);
BENCHMARK(ReadCsvNames)->Unit(benchmark::kMillisecond);
BENCHMARK(ReadCsvQuotedNames)->Unit(benchmark::kMillisecond);

}  // namespace
