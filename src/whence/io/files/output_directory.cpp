#include "whence/io/files/output_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <set>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "whence/core/text.hpp"
#include "whence/io/files/durable_file.hpp"
#include "whence/io/files/file_name.hpp"
#include "whence/io/files/system_error.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/json/json_reader.hpp"

namespace whence {
namespace {

namespace fs = std::filesystem;

std::string stage_prefix(const fs::path& directory) {
  return "." + directory.filename().string() + ".whence-new.";
}

[[noreturn]] void refuse(const char* id, const fs::path& path, const std::string& problem,
                         const std::string& hint) {
  throw Error(ExitCode::io, id, printable(path.string()), problem, hint);
}

/// DIR without dots or a trailing slash, its parents as they really are.
fs::path resolved(const fs::path& given) {
  if (given.empty()) refuse("E-OUT-NAME", given, "the output directory has no name", "-o DIR");
  std::error_code error;
  const fs::path current = fs::current_path(error);
  if (error) fail_io("find the current directory", given, error.value());
  fs::path path = (given.is_absolute() ? given : current / given).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (!path.has_filename())
    refuse("E-OUT-NAME", given, "this cannot be replaced by results", "name a folder inside it");
  const fs::path parent = fs::weakly_canonical(path.parent_path(), error);
  if (error) fail_io("find", path.parent_path(), error.value());
  path = parent / path.filename();
  const fs::path here = fs::weakly_canonical(current, error);
  if (!error &&
      std::mismatch(path.begin(), path.end(), here.begin(), here.end()).first == path.end())
    refuse("E-OUT-NAME", given, "this is, or holds, the current directory",
           "name a folder inside it: -o " + printable((given / "results").string()));
  return path;
}

/// Makes the folders between `root` and the file that are not in `folders` yet, and adds them.
void make_folders(const fs::path& root, const fs::path& name, std::set<fs::path>& folders) {
  fs::path folder = root;
  for (const fs::path& part : name.parent_path()) {
    folder /= part;
    if (folders.count(folder) > 0) continue;
    if (::mkdir(folder.c_str(), 0777) != 0) fail_io("create the folder", folder);
    folders.insert(folder);
  }
}

void check_name(const std::string& name) {
  for (const std::string& part : split(name, '/'))
    if (!is_safe_file_name(part)) throw std::logic_error("unsafe output name '" + name + "'");
}

/// Names that an earlier run wrote into the directory; nothing when it holds no such run.
std::optional<std::set<std::string>> files_of_earlier_run(const fs::path& directory) {
  try {
    const fs::path manifest = directory / "run.json";
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(manifest, error))) return {};
    const JsonLimits limits{std::size_t(16) << 20, 64};
    const Json run = read_json(read_text_file(manifest, limits.bytes), "run.json", limits);
    const Json* program = run.find("program");
    const Json* files = run.find("files");
    if (!program || program->text != "whence" || !files) return {};
    std::set<std::string> names = {"run.json"};
    for (const Json& file : files->items)
      if (const Json* name = file.find("name")) names.insert(name->text);
    return names;
  } catch (const Error&) {
    return {};
  }
}

/// Whether one of these files lies below the folder.
bool holds_any(const std::set<std::string>& files, const std::string& folder) {
  const auto first = files.lower_bound(folder + "/");
  return first != files.end() && first->compare(0, folder.size() + 1, folder + "/") == 0;
}

/// Removes a tree without following links; a leftover that cannot be removed does no harm.
void remove_quietly(const fs::path& tree) {
  std::error_code ignored;
  fs::remove_all(tree, ignored);
}

/// Swaps two folders; where the file system cannot, moves one out and the other in.
bool swap_folders(const fs::path& stage, const fs::path& target) {
  if (::renameat2(AT_FDCWD, stage.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  const fs::path aside = stage.string() + ".old";
  if (::rename(target.c_str(), aside.c_str()) != 0) return false;
  if (::rename(stage.c_str(), target.c_str()) != 0) {
    const int error = errno;
    ::rename(aside.c_str(), target.c_str());
    errno = error;
    return false;
  }
  return ::rename(aside.c_str(), stage.c_str()) == 0;
}

/// The folder that new files go to; removed with all it holds unless they were published.
class Stage {
 public:
  explicit Stage(const fs::path& directory)
      : path_((directory.parent_path() / (stage_prefix(directory) + "XXXXXX")).string()) {
    if (!::mkdtemp(path_.data())) fail_io("create a folder", path_);
  }
  ~Stage() { remove_quietly(path_); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  fs::path path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

OutputDirectory::OutputDirectory(const fs::path& directory) : path_(resolved(directory)) {
  try {
    make_parents();
    lock_.emplace(path_);
    inspect();
    remove_leftovers();
  } catch (...) {
    lock_.reset();
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) ::rmdir(folder->c_str());
    throw;
  }
}

OutputDirectory::~OutputDirectory() {
  lock_.reset();
  if (published_) return;
  // Nothing was written: leave no empty folders behind either.
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) ::rmdir(folder->c_str());
}

void OutputDirectory::make_parents() {
  fs::path folder;
  for (const fs::path& part : path_.parent_path()) {
    folder /= part;
    if (::mkdir(folder.c_str(), 0777) == 0) {
      made_.push_back(folder);
      continue;
    }
    const int error = errno;
    std::error_code unreadable;
    if (error != EEXIST && fs::is_directory(folder, unreadable)) continue;  // "/", or read-only
    if (error != EEXIST) fail_io("create the folder", folder, error);
    if (!fs::is_directory(folder, unreadable))
      refuse("E-OUT-KIND", folder, "this is not a folder",
             "remove it, or choose another place with -o");
  }
}

/// DIR is absent, empty, or holds an earlier run; whatever else is in it will be kept.
void OutputDirectory::inspect() {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path_, error);
  exists_ = fs::exists(status);
  if (!exists_) {
    if (::access(path_.parent_path().c_str(), W_OK | X_OK) != 0)
      fail_io("write into", path_.parent_path());
    return;
  }
  if (fs::is_symlink(status))
    refuse("E-OUT-KIND", path_, "this is a symbolic link", "name the folder it points to");
  if (!fs::is_directory(status))
    refuse("E-OUT-KIND", path_, "this is not a folder", "choose another place with -o");
  if (::access(path_.c_str(), W_OK | X_OK | R_OK) != 0) fail_io("write into", path_);

  const auto ours = files_of_earlier_run(path_);
  fs::recursive_directory_iterator entry(path_, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (!ours)
      refuse("E-OUT-FOREIGN", path_, "this folder has files that are not results of whence",
             "choose an empty or new folder with -o");
    const std::string name = entry->path().lexically_relative(path_).string();
    const fs::file_status kind = entry->symlink_status(error);
    if (error) fail_io("look at", entry->path(), error.value());
    if (fs::is_directory(kind)) {
      struct stat rights {};
      if (::lstat(entry->path().c_str(), &rights) != 0) fail_io("look at", entry->path());
      folders_.push_back({name, mode_t(rights.st_mode & 07777), rights.st_uid, rights.st_gid,
                          !holds_any(*ours, name)});
    } else if (ours->count(name) == 0) {
      foreign_.push_back(name);
    } else if (!fs::is_regular_file(kind)) {
      refuse("E-OUT-KIND", entry->path(), "a result stood here, and now it is not a regular file",
             "remove it");
    }
  }
  if (error) fail_io("read", path_, error.value());
}

/// Hidden folders of runs that were killed. The lock is held, so no other run uses them.
void OutputDirectory::remove_leftovers() const {
  const std::string prefix = stage_prefix(path_);
  std::error_code error;
  fs::directory_iterator entry(path_.parent_path(), error), end;
  std::vector<fs::path> leftovers;
  for (; !error && entry != end; entry.increment(error)) {
    struct stat status {};
    const bool ours = entry->path().filename().string().compare(0, prefix.size(), prefix) == 0 &&
                      ::lstat(entry->path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      status.st_uid == ::geteuid();
    if (ours) leftovers.push_back(entry->path());
  }
  for (const fs::path& leftover : leftovers) remove_quietly(leftover);
}

/// Files of other people get a second name in the new folder: not one byte of them moves.
void OutputDirectory::carry_over(const fs::path& stage) const {
  for (const std::string& name : foreign_) {
    const fs::path from = path_ / name, to = stage / name;
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    if (error) fail_io("create the folder", to.parent_path(), error.value());
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0) == 0) continue;
    if (errno == EEXIST)
      refuse("E-OUT-FOREIGN", from, "a result of this run would replace this file", "move it away");
    fail_io("carry over", from);
  }
}

/// Folders of other people stay, empty ones too.
void OutputDirectory::carry_folders(const fs::path& stage) const {
  for (const Folder& folder : folders_)
    if (folder.foreign && ::mkdir((stage / folder.name).c_str(), 0700) != 0 && errno != EEXIST)
      fail_io("carry over", path_ / folder.name);
}

/// Folders get back the permissions that they had. Inner ones first: what is closed now
/// could not be entered any more.
void OutputDirectory::restore_rights(const fs::path& stage) const {
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
    const fs::path place = stage / folder->name;
    struct stat now {};
    if (::lstat(place.c_str(), &now) != 0) continue;  // one of ours that is no longer needed
    const bool same_owner = now.st_uid == folder->owner && now.st_gid == folder->group;
    if (!same_owner && ::lchown(place.c_str(), folder->owner, folder->group) != 0)
      refuse("E-OUT-FOREIGN", path_ / folder->name, "this folder belongs to somebody else",
             "move it away, or choose another place with -o");
    sync_folder(place);
    if (::chmod(place.c_str(), folder->mode) != 0) fail_io("set the mode of", place);
  }
}

void OutputDirectory::publish(std::span<const OutputFile> files) {
  Stage stage(path_);
  std::set<fs::path> folders;
  for (const OutputFile& file : files) {
    check_name(file.name);
    make_folders(stage.path(), file.name, folders);
    write_new_file(stage.path() / file.name, file.content);
  }
  carry_folders(stage.path());
  carry_over(stage.path());
  for (const fs::path& folder : folders) sync_folder(folder);
  restore_rights(stage.path());
  exchange(stage.path());
  published_ = true;
}

/// The one moment at which the new results replace the old ones.
void OutputDirectory::exchange(const fs::path& stage) {
  struct stat old {};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool keep_mode = exists_ && ::stat(path_.c_str(), &old) == 0;
  if (::chmod(stage.c_str(), keep_mode ? old.st_mode & 07777 : 0777 & ~mask) != 0)
    fail_io("set the mode of", stage);
  sync_folder(stage);
  const bool done = exists_ ? swap_folders(stage, path_)
                            : ::renameat2(AT_FDCWD, stage.c_str(), AT_FDCWD, path_.c_str(),
                                          RENAME_NOREPLACE) == 0 ||
                                  ((errno == EINVAL || errno == ENOSYS) &&
                                   ::rename(stage.c_str(), path_.c_str()) == 0);
  if (!done && (errno == EBUSY || errno == EXDEV))
    refuse("E-OUT-NAME", path_, "this folder cannot be replaced: something is mounted on it",
           "name a folder inside it");
  if (!done) fail_io("put the results into", path_);
  sync_folder(path_.parent_path());
}

}  // namespace whence
