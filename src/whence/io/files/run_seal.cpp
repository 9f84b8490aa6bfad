#include "whence/io/files/run_seal.hpp"

#include <algorithm>
#include <set>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/file_name.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/io/json/stored_json.hpp"

namespace whence {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_bytes = std::size_t(1) << 32;
constexpr const char* own_sum = "sha256";

Json without_seal(Json run) {
  std::erase_if(run.members, [](const JsonMember& member) { return member.key == own_sum; });
  return run;
}

[[noreturn]] void refuse(const fs::path& file, const std::string& problem) {
  throw Error(ExitCode::checkpoint, "E-RUN", printable(file.string()), problem,
              "name the folder of a finished run; a damaged one has to be made again");
}

/// Only names that whence itself would give: nothing outside the folder is looked at.
bool is_safe(const std::string& name) {
  const auto parts = split(name, '/');
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return is_safe_file_name(part);
  });
}

FileCheck check_file(const fs::path& folder, const std::string& name, std::uint64_t bytes,
                     const std::string& sum) {
  const auto found = [&](FileCheck::State state, const std::string& problem) {
    return FileCheck{name, state, problem};
  };
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder / name, error);
  if (status.type() == fs::file_type::not_found) return found(FileCheck::State::missing, "is gone");
  if (!fs::is_regular_file(status))
    return found(FileCheck::State::unreadable, "is not a regular file");
  const std::uintmax_t size = fs::file_size(folder / name, error);
  if (!error && size != bytes)
    return found(FileCheck::State::changed,
                 "has " + std::to_string(size) + " bytes instead of " + std::to_string(bytes));
  try {
    const std::string content = read_text_file(folder / name, most_bytes);
    if (sha256_hex(content) != sum)
      return found(FileCheck::State::changed, "holds other bytes than were written");
  } catch (const Error& failure) {
    return found(FileCheck::State::unreadable, failure.what());
  }
  return found(FileCheck::State::good, "");
}

/// Files below the folder that the run does not know of; links are named, not followed.
std::vector<std::string> strangers_in(const fs::path& folder, const std::set<std::string>& known) {
  std::vector<std::string> out;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const std::string name = entry->path().lexically_relative(folder).string();
    if (!fs::is_directory(entry->symlink_status(ignored)) && !known.contains(name))
      out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Json read_run(const fs::path& file) {
  const std::string text = read_text_file(file, std::size_t(64) << 20);
  Json run;
  try {
    run = read_json(text, "run.json", {text.size() + 1});
  } catch (const Error&) {
    refuse(file, "this is damaged, or no run.json");
  }
  const Json* program = run.is(Json::Kind::object) ? run.find("program") : nullptr;
  if (!program || program->text != "whence") refuse(file, "this is no run.json of whence");
  return run;
}

FileCheck check_seal(const Json& run) {
  const Json* sum = run.find(own_sum);
  FileCheck check{"run.json"};
  if (!sum) {
    check.state = FileCheck::State::changed;
    check.problem = "has no checksum of its own: it was changed, or an older whence wrote it";
  } else if (sum->text != sha256_hex(without_seal(run).dump())) {
    check.state = FileCheck::State::changed;
    check.problem = "says other things than were written";
  }
  return check;
}

}  // namespace

std::string sealed_run(Json run) {
  run = without_seal(std::move(run));
  run.set(own_sum, sha256_hex(run.dump()));
  return run.dump(2) + "\n";
}

bool RunCheck::good() const {
  return std::all_of(files.begin(), files.end(),
                     [](const FileCheck& file) { return file.state == FileCheck::State::good; });
}

RunCheck check_run(const fs::path& folder) {
  const fs::path file = folder / "run.json";
  const Json run = read_run(file);
  const StoredJson reader([&](const std::string& problem) { refuse(file, problem); });
  RunCheck check;
  check.files.push_back(check_seal(run));
  std::set<std::string> known = {"run.json"};
  for (const Json& item : reader.list(run, "files")) {
    const std::string& name = reader.text(item, "name");
    if (!is_safe(name)) refuse(file, "it lists a file that is not below its folder");
    known.insert(name);
    check.files.push_back(
        check_file(folder, name, reader.count(item, "bytes"), reader.text(item, "sha256")));
  }
  check.strangers = strangers_in(folder, known);
  return check;
}

}  // namespace whence
