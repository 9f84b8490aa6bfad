// Settings of an experiment: its description (experiments/NAME.json), a profile, a scale and the
// user's own configuration laid over each other, in that order, and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "whence/math/optimizer.hpp"

namespace whence {

/// What the user brings: a JSON object of overrides. It may also have "seed" (0 to 2^64-1) and
/// "name" (of the run; it becomes a folder name, so letters, digits, '.', '_' and '-' only).
struct UserConfig {
  std::string text;                                   // empty: none
  std::string file;                                   // its name in error messages
  std::uint64_t max_memory = std::uint64_t(4) << 30;  // bytes the tables of a run may need
};

/// The description is the schema: a key that it does not have is an error, and so is a value of
/// another type or outside the range that settings.cpp gives for that key.
class Settings {
 public:
  /// `profile`: "paper" or "released-code"; `scale`: "smoke" or "full".
  static Settings of(std::string_view experiment, std::string_view profile, std::string_view scale,
                     const UserConfig& config = {});
  /// The same from the text of a description.
  static Settings from(std::string_view description, std::string_view profile,
                       std::string_view scale, const UserConfig& config = {});

  /// A dot leads into nested objects: "adaptation.learning_rate".
  int integer(std::string_view key) const;
  double number(std::string_view key) const;
  bool flag(std::string_view key) const;
  std::string text(std::string_view key) const;
  std::vector<int> integers(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  /// {"optimizer": "rmsprop", "learning_rate": 0.1, ...}
  OptimizerSpec optimizer(std::string_view key) const;
  bool has(std::string_view key) const;

  std::string_view experiment() const;
  std::string_view profile() const;
  std::string_view scale() const;
  std::string title() const;
  std::string paper_figure() const;
  std::string paper_claim() const;  // what the paper says of this figure
  /// Whether the user's configuration changed any setting: then nothing is expected of the curves.
  bool changed_by_user() const;
  std::optional<std::uint64_t> seed() const;  // of the user's configuration
  std::string run_name() const;               // of the user's configuration, or empty
  /// The whole settings object, keys sorted, as JSON text on one line.
  std::string json() const;

  /// Numbers that the description expects of the run's curves: the median of `curve` at `x` lies
  /// within [low, high].
  struct Expectation {
    std::string curve;
    double x, low, high;
  };
  struct ExpectedCurve {
    std::string id, paper;  // of the claim
    std::vector<Expectation> at;
  };
  /// Those that are meant for this profile and scale.
  std::vector<ExpectedCurve> expectations() const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// The description of that name as it is in experiments/; an Error with the nearest names
/// otherwise.
std::string_view description_of(std::string_view experiment);

}  // namespace whence
