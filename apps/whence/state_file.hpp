// The file in which whence direction keeps the data of earlier runs.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "whence/io/files/directory_lock.hpp"
#include "whence/io/files/single_file.hpp"
#include "whence/io/table/data_reader.hpp"
#include "whence/io/table/kept_files.hpp"

namespace whence {

/// One process at a time: a lock beside the file is held from reading to writing, and a second
/// process is refused with E-LOCK. The state before the last one is kept as FILE.previous; where
/// FILE is damaged, that one is continued, and `fallback` says so.
class StateFile {
 public:
  StateFile(const std::filesystem::path& path, std::size_t max_bytes);

  /// The data of earlier runs; nothing where the file is not there yet.
  const std::optional<KeptFiles>& earlier() const { return earlier_; }
  /// Why the state before the last one is continued; empty where all is well.
  const std::string& fallback() const { return fallback_; }

  /// Errors, of a full disk among them, come here; `commit` then only renames.
  void prepare(const KeptFiles& kept);
  void commit();

 private:
  std::filesystem::path path_, previous_;
  std::unique_ptr<DirectoryLock> lock_;
  std::optional<KeptFiles> earlier_;
  std::string text_;  // of the file, where it is good
  std::string fallback_;
  std::unique_ptr<StagedFile> staged_;
};

/// New files with their bytes, read once.
std::vector<NamedFile> read_whole(std::vector<NamedFile> files, std::size_t max_bytes);

/// Files as a state keeps them, and back.
std::vector<KeptFile> kept(const std::vector<NamedFile>& files);
std::vector<NamedFile> named(const std::vector<KeptFile>& files);

/// A file that the state has already, with the same name and the same bytes, would count twice:
/// E-STATE.
void refuse_repeats(const std::vector<KeptFile>& earlier, const std::vector<NamedFile>& files,
                    const std::string& state);

}  // namespace whence
