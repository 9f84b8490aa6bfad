// Values that cannot be used, collected over a whole file so that one message can show several.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/table/raw_table.hpp"

namespace whence {

class ValueIssues {
 public:
  enum class Kind { infinite, not_a_number, suspected, missing };  // suspected: NA, but not in --na

  bool wants_place(Kind kind) const { return of(kind).places.size() < shown; }
  /// `place` is kept for the first few only; `text` and `column` for the first.
  void add(Kind kind, std::string place, std::string_view text, std::string_view column);
  void count(Kind kind) { ++of(kind).count; }

  /// Throws the most important issue that `policy` does not allow. Dropping allows NaN and what is
  /// missing, never infinities and never texts that only look like a missing value.
  void raise(MissingPolicy policy) const;

 private:
  static constexpr std::size_t shown = 5;
  struct Issue {
    std::size_t count = 0;
    std::vector<std::string> places;
    std::string text, column;
  };
  Issue& of(Kind kind) { return issues_[std::size_t(kind)]; }
  const Issue& of(Kind kind) const { return issues_[std::size_t(kind)]; }
  void raise_not_finite(MissingPolicy policy) const;
  void raise_missing(MissingPolicy policy) const;

  std::array<Issue, 4> issues_;
};

/// NA, NULL, ? and the like, which are hardly ever names of categories.
bool means_missing(std::string_view text);

/// NA, N/A, NULL, None, ?, - and the like: what people write for "missing".
bool looks_missing(std::string_view text);

}  // namespace whence
