#include "whence/core/remark.hpp"

#include <algorithm>

namespace whence {

std::string_view name_of(RemarkCode code) {
  switch (code) {
    case RemarkCode::model_as_asked: return "as-asked";
    case RemarkCode::model_all_categorical: return "all-categorical";
    case RemarkCode::model_all_numbers: return "all-numbers";
    case RemarkCode::model_several_kinds: return "several-kinds";
    case RemarkCode::model_not_linear: return "not-linear";
    case RemarkCode::model_looks_gaussian: return "looks-gaussian";
    case RemarkCode::model_skewed: return "skewed";
    case RemarkCode::model_heavy_tails: return "heavy-tails";
    case RemarkCode::model_light_tails: return "light-tails";
    case RemarkCode::model_curved: return "curved";
    case RemarkCode::model_drifts: return "drifts";
    case RemarkCode::direction_open: return "direction-open";
    case RemarkCode::maybe_confounded: return "maybe-confounded";
    case RemarkCode::maybe_selected: return "maybe-selected";
    case RemarkCode::turns_round: return "turns-round";
    case RemarkCode::not_followed: return "not-followed";
    case RemarkCode::derived_columns: return "derived-columns";
    case RemarkCode::baseline_assumed: return "baseline-assumed";
    case RemarkCode::hidden_pair: return "hidden-pair";
    case RemarkCode::drifting_mechanism: return "drifting-mechanism";
    case RemarkCode::drifting_environment: return "drifting-environment";
    case RemarkCode::lone_search: return "lone-search";
    case RemarkCode::one_graph_only: return "one-graph-only";
    case RemarkCode::chains_disagree: return "chains-disagree";
    case RemarkCode::cycle_broken: return "cycle-broken";
    case RemarkCode::one_environment: return "one-environment";
    case RemarkCode::few_rows: return "few-rows";
    case RemarkCode::weak_links_unseen: return "weak-links-unseen";
    case RemarkCode::copies: return "copies";
    case RemarkCode::everything_changed: return "everything-changed";
    case RemarkCode::full_family: return "full-family";
    case RemarkCode::outlying_row: return "outlying-row";
    case RemarkCode::search_stopped: return "search-stopped";
    case RemarkCode::compared_with_labels: return "compared-with-labels";
    case RemarkCode::leave_out_approximate: return "leave-out-approximate";
    case RemarkCode::few_rows_not_counted: return "few-rows-not-counted";
    case RemarkCode::few_rows_taken_off: return "few-rows-taken-off";
    case RemarkCode::sum_cut_short: return "sum-cut-short";
    case RemarkCode::pair_confounded: return "pair-confounded";
    case RemarkCode::pair_maybe_confounded: return "pair-maybe-confounded";
    case RemarkCode::pair_not_passed_on: return "pair-not-passed-on";
    case RemarkCode::rests_on_effect: return "rests-on-effect";
    case RemarkCode::shift_of_cause: return "shift-of-cause";
    case RemarkCode::rows_copied: return "rows-copied";
    case RemarkCode::rows_alike: return "rows-alike";
    case RemarkCode::entities_again: return "entities-again";
    case RemarkCode::environment_twice: return "environment-twice";
    case RemarkCode::carrying_row: return "carrying-row";
    case RemarkCode::odd_cell: return "odd-cell";
    case RemarkCode::one_environment_carries: return "one-environment-carries";
    case RemarkCode::contradiction: return "contradiction";
    case RemarkCode::hidden_or_two_changes: return "hidden-or-two-changes";
    case RemarkCode::link_open: return "link-open";
    case RemarkCode::rows_would_decide: return "rows-would-decide";
    case RemarkCode::rows_say_little: return "rows-say-little";
    case RemarkCode::shift_of_one: return "shift-of-one";
    case RemarkCode::few_rows_for_angle: return "few-rows-for-angle";
    case RemarkCode::latent_saturated: return "latent-saturated";
  }
  return "?";
}

bool is_advice(RemarkCode code) {
  switch (code) {
    case RemarkCode::direction_open:
    case RemarkCode::maybe_selected:
    case RemarkCode::turns_round:
    case RemarkCode::not_followed:
    case RemarkCode::one_environment_carries:
    case RemarkCode::rests_on_effect:
    case RemarkCode::shift_of_cause:
    case RemarkCode::contradiction:
    case RemarkCode::hidden_or_two_changes:
    case RemarkCode::link_open:
    case RemarkCode::rows_would_decide:
    case RemarkCode::rows_say_little:
    case RemarkCode::shift_of_one: return true;
    default: return false;
  }
}

bool has(const std::vector<Remark>& remarks, RemarkCode code) {
  return std::any_of(remarks.begin(), remarks.end(),
                     [&](const Remark& remark) { return remark.code == code; });
}

}  // namespace whence
