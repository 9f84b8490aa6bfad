// Where the bytes of a data file come from. Every byte read in order is counted and hashed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "whence/io/files/file_descriptor.hpp"
#include "whence/io/files/sha256.hpp"

namespace whence {

class ByteSource {
 public:
  explicit ByteSource(std::string label) : label_(std::move(label)) {}
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// What error messages call it.
  const std::string& label() const { return label_; }

  /// The next bytes in order; less than `count` only at the end.
  std::size_t read(char* to, std::size_t count);
  /// Reads what is left, for the hash only.
  void skip_rest();
  std::uint64_t bytes_read() const { return bytes_read_; }
  std::string sha256() const { return hash_.hex(); }

  /// Exactly these bytes; an error where the source ends before. Neither counted nor hashed.
  void read_at(std::uint64_t offset, char* to, std::size_t count);

  /// Unknown for a stream.
  virtual std::optional<std::uint64_t> size() const = 0;
  /// Throws E-IO-CHANGED when the file is not what it was when it was opened.
  void check_unchanged() const;

 protected:
  /// Some bytes, 0 only at the end.
  virtual std::size_t fill(char* to, std::size_t count) = 0;
  virtual std::size_t fill_at(std::uint64_t offset, char* to, std::size_t count) = 0;
  virtual bool changed() const { return false; }

 private:
  std::string label_;
  std::uint64_t bytes_read_ = 0;
  Sha256 hash_;
};

/// Bytes that the caller owns.
class MemorySource : public ByteSource {
 public:
  MemorySource(std::string label, std::string_view bytes)
      : ByteSource(std::move(label)), bytes_(bytes) {}
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }

 protected:
  std::size_t fill(char* to, std::size_t count) override;
  std::size_t fill_at(std::uint64_t offset, char* to, std::size_t count) override;

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// A regular file. Folders and devices are refused; pipes too, unless `allow_stream` is set, since
/// opening one may never return.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path, bool allow_stream = false);
  std::optional<std::uint64_t> size() const override { return size_; }

 protected:
  std::size_t fill(char* to, std::size_t count) override;
  std::size_t fill_at(std::uint64_t offset, char* to, std::size_t count) override;
  bool changed() const override;

 private:
  FileDescriptor file_;
  std::optional<std::uint64_t> size_;
  std::int64_t modified_seconds_ = 0, modified_nanoseconds_ = 0;
};

}  // namespace whence
