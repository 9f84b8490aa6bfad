// What a user knows beforehand: edges that must or cannot be there, and what changed where.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace whence {

struct Dataset;

/// Edges that are known. [cause][effect].
struct EdgeKnowledge {
  enum class Word : unsigned char { open, forbidden, required };
  std::vector<Word> words;  // empty: all open

  Word of(std::size_t variables, std::size_t cause, std::size_t effect) const {
    return words.empty() ? Word::open : words[cause * variables + effect];
  }
  /// The same by the names of variables; a name that the data do not have is E-DATA-NAME.
  void forbid(const Dataset& data, std::string_view cause, std::string_view effect);
  void require(const Dataset& data, std::string_view cause, std::string_view effect);
};

/// What is known of one mechanism in one environment.
enum class KnownChange : unsigned char { unknown, unchanged, changed };

/// Says in `known`, [variable][environment], that in this environment the mechanisms of `targets`
/// changed and no others.
void set_targets(const Dataset& data, std::string_view environment,
                 std::span<const std::string_view> targets, std::vector<KnownChange>& known);

/// Throws E-KNOWLEDGE where sizes do not fit the data, where required edges close a cycle, and
/// where the baseline is said to have changed.
void require_fitting(const Dataset& data, const EdgeKnowledge& edges,
                     std::span<const KnownChange> known, const std::size_t* baseline = nullptr);

}  // namespace whence
