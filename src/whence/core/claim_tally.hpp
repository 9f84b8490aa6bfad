// How many claims hold, counted by whose they are.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "whence/core/report.hpp"

namespace whence {

struct Tally {
  std::size_t holds = 0, all = 0;
};

class ClaimTally {
 public:
  explicit ClaimTally(std::span<const Report> reports);
  explicit ClaimTally(const Report& report) : ClaimTally(std::span(&report, 1)) {}

  const Tally& of(ClaimKind kind) const { return counts_[std::size_t(kind)]; }
  std::size_t all() const;
  bool quick() const { return quick_; }

  /// "2 of 3 claims of the paper hold; controls 1 of 4": the paper's claims first and apart. Of a
  /// quick look, that it judges none.
  std::string in_words() const;

 private:
  bool quick_ = false;
  std::array<Tally, all_claim_kinds.size()> counts_;
};

/// A run of scale "smoke": too few runs to judge a claim by.
bool is_quick_look(const Report& report);

/// What stands before such a statement: "The paper says".
std::string_view said_by(ClaimKind kind);

/// What a list of them is called: "The paper’s claims".
std::string_view heading_of(ClaimKind kind);

}  // namespace whence
