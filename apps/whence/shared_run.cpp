#include "apps/whence/shared_run.hpp"

#include <charconv>

#include <fmt/format.h>

#include "whence/backends/ranks.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/version.hpp"

namespace whence {

namespace {

struct Shard {
  std::size_t number = 1, of = 1;
};

/// "2/8": the second of eight.
Shard shard_of(const SharedOptions& options) {
  if (options.shard.empty()) return {};
  const auto refuse = [&] {
    throw Error(ExitCode::usage, "E-USAGE-SHARD", "--shard",
                "'" + excerpt(options.shard) + "' is not I/N with I from 1 to N",
                "--shard 2/8 is the second of eight");
  };
  Shard shard;
  const char *begin = options.shard.data(), *end = begin + options.shard.size();
  const auto first = std::from_chars(begin, end, shard.number);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/') refuse();
  const auto second = std::from_chars(first.ptr + 1, end, shard.of);
  if (second.ec != std::errc{} || second.ptr != end) refuse();
  if (shard.number < 1 || shard.number > shard.of || shard.of > 1'000'000) refuse();
  if (options.checkpoint.empty())
    throw Error(ExitCode::usage, "E-USAGE-SHARD", "--shard", "a shard needs a file to go to",
                "--checkpoint FILE; whence merge joins the files of all shards");
  return shard;
}

}  // namespace

bool is_shared(const SharedOptions& options) {
  return rank_count() > 1 || !options.checkpoint.empty() || !options.shard.empty();
}

SharedRun::SharedRun(const SharedOptions& options, std::vector<SharedFact> facts,
                     const std::atomic<bool>* stop)
    : stop_(stop), shard_(options.shard) {
  const Shard shard = shard_of(options);
  if (!is_shared(options)) return;
  require_same_on_ranks(facts);
  SharedUnits::Options how;
  how.shard = shard.number - 1;
  how.shards = shard.of;
  if (rank_count() > 1) {
    how.stop = stop;
    how.agreed_stop = &agreed_;
  }
  how.units_stop = this->stop();
  if (!options.checkpoint.empty()) {
    // Rank 0 alone touches the file; the others get what it holds.
    std::string text;
    if (rank() == 0) {
      file_ = std::make_unique<CheckpointFile>(options.checkpoint, facts);
      how.save = [this](const KeptUnits& units) { file_->save(units); };
      text = checkpoint_text({{}, file_->units()});
    }
    how.kept = read_checkpoint(gather_from_ranks(text)[0], options.checkpoint).units;
  }
  units_ = std::make_unique<SharedUnits>(std::move(how));
}

const std::atomic<bool>* SharedRun::stop() const { return rank_count() > 1 ? &agreed_ : stop_; }

std::string SharedRun::part_in_words() const {
  return fmt::format(
      "shard {}: {} parts are done and kept, {} are left to others; whence merge "
      "joins the files of all shards\n",
      shard_, units_->kept().size(), units_->left_to_others());
}

std::vector<SharedFact> facts_of(const std::vector<std::string>& command) {
  return {{"version", std::string(version()) + " " + std::string(revision())},
          {"command", joined(command, " ")}};
}

SharedFact fact_of(const Dataset& data) {
  Sha256 digest;
  const auto add = [&](const auto* values, std::size_t count) {
    digest.update({reinterpret_cast<const char*>(values), count * sizeof(*values)});
  };
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    digest.update(data.variables[v].name);
    for (const std::string& level : data.variables[v].level_names) digest.update(level);
    add(data.columns[v].values.data(), data.columns[v].values.size());
    add(data.columns[v].levels.data(), data.columns[v].levels.size());
  }
  for (const Environment& environment : data.environments) {
    digest.update(environment.name);
    add(&environment.begin, 1);
    add(&environment.end, 1);
  }
  return {"data", digest.hex()};
}

}  // namespace whence
