// What may have changed in an environment, and how likely that is before looking.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence {

/// What changed, in a structure with a cause and an effect (without a link: two variables).
enum class Change {
  nothing,
  cause,      // the cause's marginal
  mechanism,  // the effect's mechanism, all of it, still listening to the cause
  hard,       // the effect's mechanism, replaced by a marginal
  row,        // the effect's mechanism at one level of the cause
  both,       // everything
};
inline constexpr std::size_t change_kinds = 6;

constexpr std::string_view name_of(Change change) {
  constexpr std::array<std::string_view, change_kinds> names = {"nothing", "cause", "mechanism",
                                                                "effect",  "row",   "both"};
  return names[std::size_t(change)];
}

enum class Structure { forward, backward, no_link };  // X -> Y, Y -> X, neither
inline constexpr std::size_t structures = 3;

using ChangeProbabilities = std::array<double, change_kinds>;

/// A way of life of the environments: how often each change happens in it.
struct ChangeRegime {
  double weight = 1;
  ChangeProbabilities change{};
  bool operator==(const ChangeRegime&) const = default;
};

/// The documented weights. "Everything changed" and "nothing" are real possibilities, so that a
/// direction is only found when one mechanism changed and the other did not. How common changes are
/// is not known beforehand and is shared by all environments: a regime in which single mechanisms
/// change competes with a quiet one and a turbulent one, so that many environments without a usable
/// shift add up to nothing.
struct ChangePrior {
  std::array<double, structures> structure = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  ChangeProbabilities change = {0.10, 0.15, 0.15, 0.15, 0.15, 0.30};
  /// Weight of a fourth possibility: something hidden moves both variables, and neither causes the
  /// other. The structures share the rest. 0: nothing hidden is possible.
  double hidden = 0.25;
  double quiet = 0.2;      // weight of the regime in which 95 % of the environments are unchanged
  double turbulent = 0.2;  // weight of the regime in which 95 % change altogether, and none in
                           // part: a hidden common cause looks like that

  /// The three regimes for one structure: without a link both variables change alike.
  std::array<ChangeRegime, 3> regimes(Structure structure) const;
};

/// A weight of a prior, by its name.
struct PriorWeight {
  std::string name;
  double* value;
};

/// Groups that sum to one; quiet and turbulent leave the rest to the ordinary regime.
std::vector<std::vector<PriorWeight>> weight_groups(ChangePrior& prior);

}  // namespace whence
