// What an engine noticed beside its answer: a code with values. report/remark_words.hpp makes the
// sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence {

enum class RemarkCode {
  // Why a model was chosen.
  model_as_asked,
  model_all_categorical,
  model_all_numbers,
  model_several_kinds,
  model_not_linear,      // variables: those for which a line is not enough; numbers: of how many
  model_looks_gaussian,  // a pair
  model_skewed,          // a pair; variables: the column, or none: what one leaves of the other
  model_heavy_tails,     // the same
  model_light_tails,     // the same
  model_curved,          // a pair
  model_drifts,          // lines are enough, but mechanisms drift from run to run
  // Of graphs.
  direction_open,        // variables: a, b; what would settle it
  maybe_confounded,      // variables: cause, effect; environments: where the cause changed
  maybe_selected,        // variables: cause, effect; numbers: the most that is stated
  turns_round,           // variables: cause, effect; environments: without it; numbers: the most
  not_followed,          // variables: cause, effect; numbers: the most that is stated
  derived_columns,       // variables: those that compute each other
  baseline_assumed,      // environments: the one with most rows
  hidden_pair,           // variables: a, b; numbers: probability
  drifting_mechanism,    // variables: one; numbers: drift in residual standard deviations
  drifting_environment,  // environments: one; numbers: the same
  lone_search,           // numbers: searches, nats to the second best
  one_graph_only,
  chains_disagree,  // variables: cause, effect; numbers: standard error
  cycle_broken,
  one_environment,
  few_rows,              // numbers: variables, rows
  weak_links_unseen,     // numbers: the correlation from which on a link would have shown
  copies,                // variables: a, b
  everything_changed,    // numbers: environments, of how many
  full_family,           // variables: one; numbers: causes
  outlying_row,          // environments: one; numbers: row, counted from 1
  search_stopped,        // numbers: seconds of the limit, or none: interrupted
  compared_with_labels,  // linked mechanisms changed together; numbers: or too few rows, the usual
  // Of pairs.
  leave_out_approximate,
  few_rows_not_counted,     // numbers: nats, deals
  few_rows_taken_off,       // numbers: nats
  sum_cut_short,            // numbers: share
  pair_confounded,          // variables: both; numbers: environments, of how many
  pair_maybe_confounded,    // variables: cause, effect
  pair_not_passed_on,       // variables: both
  rests_on_effect,          // variables: cause, effect
  shift_of_cause,           // variables: cause, effect
  one_environment_carries,  // numbers: belief without it
  contradiction,
  hidden_or_two_changes,  // variables: both
  link_open,
  rows_would_decide,  // numbers: rows needed, rows there are
  rows_say_little,    // numbers: rows, nats there are, nats needed
  shift_of_one,       // variables: both
  // Of rows that count for less than one.
  rows_copied,        // numbers: copies, rows
  rows_alike,         // variables: the column; numbers: correlation, rows, worth
  entities_again,     // numbers: entities, correlation, share
  environment_twice,  // environments: the copy, what it is a copy of
  carrying_row,       // environments: one; numbers: row, counted from 1
  // Of encoders.
  few_rows_for_angle,  // numbers: rows of the baseline, of the smallest environment, trusted
  latent_saturated,    // variables: the latent
  // Of cells: variables: the column; environments: one; numbers: row, counted from 1, value, and
  // the least and the most of the other values there, or what the row's other cells let expect.
  odd_cell,
};

/// As result.json spells it: "direction-open".
std::string_view name_of(RemarkCode code);

/// Advice says what would settle an open question; everything else is a warning.
bool is_advice(RemarkCode code);

struct Remark {
  RemarkCode code = RemarkCode::model_as_asked;
  std::vector<std::string> variables, environments;
  std::vector<double> numbers;

  bool operator==(const Remark&) const = default;
};

/// Whether there is one of this kind.
bool has(const std::vector<Remark>& remarks, RemarkCode code);

}  // namespace whence
