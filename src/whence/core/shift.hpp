// The kinds of shift, by the names used everywhere in the project.
#pragma once

#include <array>
#include <string_view>

#include "whence/core/ids.hpp"

namespace whence {

enum class ShiftKind {
  none,       // nothing changes
  cause,      // P(x) redrawn
  effect,     // P(y|x) replaced by one marginal: a hard intervention
  mechanism,  // all rows of P(y|x) redrawn
  row,        // one row of P(y|x) redrawn
  both,       // cause and mechanism
};

inline constexpr std::array all_shift_kinds = {ShiftKind::cause,     ShiftKind::effect,
                                               ShiftKind::mechanism, ShiftKind::row,
                                               ShiftKind::both,      ShiftKind::none};

constexpr std::string_view name_of(ShiftKind kind) {
  switch (kind) {
    case ShiftKind::none: return "none";
    case ShiftKind::cause: return "cause";
    case ShiftKind::effect: return "effect";
    case ShiftKind::mechanism: return "mechanism";
    case ShiftKind::row: return "row";
    case ShiftKind::both: return "both";
  }
  return "?";
}

/// What changes, as seen from one edge cause -> effect of the world.
struct Shift {
  ShiftKind kind = ShiftKind::none;
  VariableId cause{0};
  VariableId effect{1};
};

}  // namespace whence
