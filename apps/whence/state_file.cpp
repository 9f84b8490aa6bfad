#include "apps/whence/state_file.hpp"

#include <system_error>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/byte_source.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/table/formats/npy_reader.hpp"

namespace whence {
namespace {

namespace fs = std::filesystem;

/// Where the file is: one state has one lock, whatever it is called.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const fs::path folder = fs::canonical(parent, error);
  if (error)
    throw Error(ExitCode::io, "E-IO-SYSTEM", printable(path.string()),
                "cannot find its folder: " + error.message(), "make the folder first");
  const fs::path file = folder / path.filename();
  const fs::path target = fs::canonical(file, error);
  return error ? file : target;
}

std::string whole_file(const fs::path& path, std::size_t max_bytes) {
  FileSource source(path);
  const std::uint64_t size = source.size().value_or(0);
  if (size > max_bytes)
    throw Error(ExitCode::resource, "E-LIMIT-MEMORY", source.label(),
                "the file has " + byte_count(size) + ", more than --max-memory allows",
                "a larger --max-memory");
  std::string content(std::size_t(size), '\0');
  content.resize(source.read(content.data(), content.size()));
  source.check_unchanged();
  return content;
}

std::string names_of(const KeptFiles& kept) {
  std::string names;
  for (const KeptFile& file : kept.files)
    names += (names.empty() ? "" : ", ") + excerpt(fs::path(file.path).filename().string(), 60);
  return names;
}

}  // namespace

StateFile::StateFile(const fs::path& path, std::size_t max_bytes)
    : path_(resolved(path)),
      previous_(path_.string() + ".previous"),
      lock_(std::make_unique<DirectoryLock>(path_)) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path_, error))) return;
  const std::string file = printable(path.string());
  std::string text = read_text_file(path_, max_bytes);
  try {
    earlier_ = read_kept_files(text, file);
    text_ = std::move(text);
  } catch (const Error& damage) {
    if (damage.id() != "E-STATE-DAMAGED" || !fs::exists(previous_, error)) throw;
    try {
      earlier_ = read_kept_files(read_text_file(previous_, max_bytes), file);
    } catch (const Error&) {
      throw damage;
    }
    fallback_ = file + ": " + damage.what() + "; the state before it is continued, which has " +
                names_of(*earlier_) + ": give again what came after";
  }
}

void StateFile::prepare(const KeptFiles& kept) {
  staged_ = std::make_unique<StagedFile>(path_, kept_files_text(kept), true);
  if (!text_.empty()) write_single_file(previous_, text_, true);
}

void StateFile::commit() { staged_->commit(); }

std::vector<NamedFile> read_whole(std::vector<NamedFile> files, std::size_t max_bytes) {
  for (NamedFile& file : files)
    file.content = std::make_shared<const std::string>(whole_file(file.path, max_bytes));
  return files;
}

std::vector<KeptFile> kept(const std::vector<NamedFile>& files) {
  std::vector<KeptFile> out;
  for (const NamedFile& file : files)
    out.push_back({file.path.string(), file.baseline, file.content});
  return out;
}

std::vector<NamedFile> named(const std::vector<KeptFile>& files) {
  std::vector<NamedFile> out;
  for (const KeptFile& file : files) out.push_back({file.path, {}, file.baseline, file.content});
  return out;
}

void refuse_repeats(const std::vector<KeptFile>& earlier, const std::vector<NamedFile>& files,
                    const std::string& state) {
  for (const NamedFile& file : files)
    for (const KeptFile& known : earlier)
      if (fs::path(known.path).filename() == file.path.filename() &&
          *known.content == *file.content)
        throw Error(
            ExitCode::checkpoint, "E-STATE", state,
            "the state already has the environment '" + printable(file.path.stem().string()) + "'",
            "each environment is given once");
}

}  // namespace whence
