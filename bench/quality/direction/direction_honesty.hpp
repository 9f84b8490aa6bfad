// What whence direction must not say: directions beside a hidden cause that stays as it is, and
// "not linked" of columns that are.
#pragma once

#include <cstddef>

#include "whence/core/report.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {

/// What was said of some data sets of one kind.
struct HonestyRow {
  std::string data;
  std::size_t cases = 0;
  std::size_t directions = 0, wrong = 0;  // stated above .95; of them not true
  std::size_t not_linked = 0;             // stated above .95
  std::size_t confounded = 0;             // something hidden named as possible
};

/// The same data sets judged with something hidden among the possibilities, and without.
std::vector<HonestyRow> direction_honesty(std::size_t cases, bool hidden,
                                          const RunOptions& options);

Table honesty_table(const std::vector<HonestyRow>& with, const std::vector<HonestyRow>& without);

}  // namespace whence
