#include "whence/io/files/checkpoint_file.hpp"

#include <system_error>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/files/single_file.hpp"
#include "whence/io/files/text_file.hpp"

namespace whence {

namespace {

// "whence checkpoint 1", the digest of all that follows, then the contents.
constexpr std::string_view kind = "whence checkpoint ";
constexpr std::string_view version = "1";
constexpr std::size_t digest_length = 64;

[[noreturn]] void refuse(const std::string& id, const std::string& file, const std::string& problem,
                         const std::string& hint) {
  throw Error(ExitCode::checkpoint, id, file, problem, hint);
}

}  // namespace

std::string checkpoint_text(const Checkpoint& checkpoint) {
  ByteWriter bytes;
  bytes.put(checkpoint.facts.size());
  for (const SharedFact& fact : checkpoint.facts) bytes.put_text(fact.name).put_text(fact.value);
  bytes.put(checkpoint.units.size());
  for (const auto& [unit, result] : checkpoint.units)
    bytes.put_text(unit.first).put(unit.second).put_text(result);
  const std::string contents = bytes.take();
  return std::string(kind) + std::string(version) + "\n" + sha256_hex(contents) + "\n" + contents;
}

Checkpoint read_checkpoint(const std::string& text, const std::string& file) {
  const std::string again = "give another file, or delete it and start again";
  const std::size_t line = text.find('\n');
  if (!text.starts_with(kind) || line == std::string::npos)
    refuse("E-CHECKPOINT-FOREIGN", file, "this is no checkpoint of whence", again);
  if (text.substr(kind.size(), line - kind.size()) != version)
    refuse("E-CHECKPOINT-VERSION", file, "this checkpoint is of another version of whence", again);
  const std::string digest = text.substr(line + 1, digest_length);
  const std::size_t start = line + 1 + digest_length + 1;
  if (text.size() < start || text[start - 1] != '\n' ||
      sha256_hex(std::string_view(text).substr(start)) != digest)
    refuse("E-CHECKPOINT-DAMAGED", file, "the checkpoint is damaged", again);
  ByteReader bytes(std::string_view(text).substr(start));
  Checkpoint result;
  for (auto left = bytes.get<std::size_t>(); left > 0 && !bytes.failed(); --left) {
    SharedFact fact{bytes.get_text(), {}};
    fact.value = bytes.get_text();
    result.facts.push_back(std::move(fact));
  }
  for (auto left = bytes.get<std::size_t>(); left > 0 && !bytes.failed(); --left) {
    std::string stage = bytes.get_text();
    const auto number = bytes.get<std::uint64_t>();
    result.units[{std::move(stage), number}] = bytes.get_text();
  }
  if (!bytes.whole()) refuse("E-CHECKPOINT-DAMAGED", file, "the checkpoint is damaged", again);
  return result;
}

void require_same_run(const Checkpoint& checkpoint, const std::vector<SharedFact>& facts,
                      const std::string& file) {
  std::string differs;
  for (std::size_t k = 0; k < facts.size() && differs.empty(); ++k)
    if (k >= checkpoint.facts.size() || checkpoint.facts[k].name != facts[k].name ||
        checkpoint.facts[k].value != facts[k].value)
      differs = facts[k].name;
  if (differs.empty() && checkpoint.facts.size() != facts.size()) differs = "command";
  if (differs.empty()) return;
  refuse("E-CHECKPOINT-FOREIGN", file,
         "the checkpoint is of another run: its " + differs + " is not that of this one",
         "give each run a checkpoint of its own, or delete this one to start again");
}

CheckpointFile::CheckpointFile(std::filesystem::path path, std::vector<SharedFact> facts)
    : path_(std::move(path)),
      facts_(std::move(facts)),
      lock_(std::make_unique<DirectoryLock>(path_)) {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) {
    save({});  // a folder that cannot be written to shows before the work begins
    return;
  }
  const std::string file = printable(path_.string());
  Checkpoint kept = read_checkpoint(read_text_file(path_, largest_checkpoint), file);
  require_same_run(kept, facts_, file);
  found_ = std::move(kept.units);
}

void CheckpointFile::save(const KeptUnits& units) const {
  write_single_file(path_, checkpoint_text({facts_, units}), true);
}

}  // namespace whence
