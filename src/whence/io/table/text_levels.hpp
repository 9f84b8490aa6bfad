// The distinct texts of a column, numbered as they appear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/files/data_place.hpp"

namespace whence {

/// A hash table whose hash depends on a secret of the process: texts cannot be chosen to collide.
/// Numbers follow the order of appearance, so the secret reaches no result.
class TextLevels {
 public:
  struct Found {
    std::int32_t level;
    bool is_new;
  };
  Found add(std::string_view text);

  std::size_t size() const { return texts_.size(); }
  const std::string& text(std::int32_t level) const { return texts_[std::size_t(level)]; }
  /// Where the text was first seen; set by the reader.
  std::vector<DataPlace> places;
  std::size_t bytes() const { return bytes_; }

 private:
  void grow();

  std::vector<std::string> texts_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::int32_t> slots_;  // -1: free
  std::size_t bytes_ = 0;
};

}  // namespace whence
