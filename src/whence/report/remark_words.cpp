#include "whence/report/remark_words.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "whence/core/text.hpp"

namespace whence {
namespace {

using Remarks = std::span<const Remark>;

std::string variable(const Remark& remark, std::size_t k) {
  return excerpt(remark.variables.at(k));
}
std::string environment(const Remark& remark) { return excerpt(remark.environments.at(0)); }

std::string arrow(const Remark& r) { return variable(r, 0) + " -> " + variable(r, 1); }
std::string both(const Remark& r) { return variable(r, 0) + " and " + variable(r, 1); }

/// The first so many, and how many more there are.
std::string some_of(Remarks remarks, const std::function<std::string(const Remark&)>& words,
                    std::size_t most = 5) {
  std::vector<std::string> list;
  for (const Remark& remark : remarks.first(std::min(most, remarks.size())))
    list.push_back(words(remark));
  std::string out = joined(list);
  return remarks.size() > most ? out + fmt::format(" and {} more", remarks.size() - most) : out;
}

std::string with_number(const std::string& name, const Remark& remark) {
  return fmt::format("{} ({:.2g})", name, remark.numbers.at(0));
}

// ---- graphs ----

std::string direction_open(Remarks all) {
  if (all.size() == 1)
    return fmt::format(
        "{} are linked, but which is the cause stays open: an environment in which exactly one of "
        "the two changes would settle it.",
        both(all[0]));
  return fmt::format(
      "{} pairs are linked, but which is the cause stays open ({}): for each, an environment in "
      "which exactly one of the two changes would settle it.",
      all.size(), some_of(all, [](const Remark& r) { return both(r); }));
}

std::string maybe_confounded(Remarks all) {
  if (all.size() > 1)
    return fmt::format(
        "{} edges may be the work of hidden common causes ({}): wherever the cause changed, the "
        "mechanism of the effect seems to have changed too; environments in which the cause alone "
        "is set from outside would tell",
        all.size(), some_of(all, arrow));
  const auto& where = all[0].environments;
  return fmt::format(
      "{} may be the work of a hidden common cause: wherever {} changed ({}), the mechanism of {} "
      "seems to have changed too; an environment in which {} alone is set from outside would tell",
      arrow(all[0]), variable(all[0], 0),
      where.size() == 1 ? environment(all[0]) : fmt::format("{} environments", where.size()),
      variable(all[0], 1), variable(all[0], 0));
}

std::string maybe_selected(Remarks all) {
  return fmt::format(
      "{} {} at {} at most: groups that were formed by what their rows hold would differ in the "
      "same way, whichever end is the cause. If the groups were assigned (treatments, sites, runs "
      "of a machine), --assigned says so; if not, a group in which the effect alone differs would "
      "settle it.",
      all.size() == 1 ? arrow(all[0])
                      : fmt::format("{} arrows ({})", all.size(), some_of(all, arrow)),
      all.size() == 1 ? "stays" : "stay", in_percent(all[0].numbers.at(0)));
}

std::string turns_round(Remarks all) {
  return fmt::format(
      "{} at {} at most: without one environment ({}) {} would point the other way or not be "
      "there. A second environment of its kind would settle it.",
      all.size() == 1 ? arrow(all[0]) + " stays"
                      : fmt::format("{} arrows ({}) stay", all.size(), some_of(all, arrow)),
      in_percent(all[0].numbers.at(0)), some_of(all, environment), all.size() == 1 ? "it" : "they");
}

std::string not_followed(Remarks all) {
  return fmt::format(
      "{} at {} at most: something hidden behind both ends would explain what was seen as well. An "
      "environment that changes {} and that the effect is seen to follow would settle it.",
      all.size() == 1 ? arrow(all[0]) + " stays"
                      : fmt::format("{} arrows ({}) stay", all.size(), some_of(all, arrow)),
      in_percent(all[0].numbers.at(0)),
      all.size() == 1 ? "only " + variable(all[0], 0) : "only the cause");
}

std::string derived_columns(Remarks all) {
  return fmt::format(
      "{} by arithmetic: {}. What one column of such a group does to another is no finding, and no "
      "arrow is stated between them; leave one out",
      all.size() == 1 ? "columns follow from each other"
                      : "groups of columns follow from each other",
      some_of(all, [](const Remark& r) { return joined(r.variables); }));
}

std::string full_family(Remarks all) {
  return fmt::format(
      "{} {} {:.0f} causes, the most that this model takes: there may be more, and what they do "
      "may pass for changes of the mechanism",
      some_of(all, [](const Remark& r) { return variable(r, 0); }),
      all.size() == 1 ? "has" : "have", all[0].numbers.at(0));
}

/// One row or many, each by its environment and number.
std::string rows_in_words(Remarks all) {
  return some_of(all, [](const Remark& r) {
    return fmt::format("{} row {:.0f}", environment(r), r.numbers.at(0));
  });
}

std::string carrying_rows(Remarks all) {
  const bool one = all.size() == 1;
  return fmt::format(
      "the direction hangs on {} ({}): without {} it is another or open, and is not "
      "stated as sure; check {}",
      one ? "one row" : fmt::format("{} rows", all.size()), rows_in_words(all), one ? "it" : "them",
      one ? "it" : "them");
}

std::string environments_twice(Remarks all) {
  return fmt::format("{} ({}): the same rows count once",
                     all.size() == 1 ? "one environment was given twice"
                                     : fmt::format("{} environments repeat others", all.size()),
                     some_of(all, [](const Remark& r) {
                       return fmt::format("{} is {} again", excerpt(r.environments.at(0)),
                                          excerpt(r.environments.at(1)));
                     }));
}

std::string outlying_rows(Remarks all) {
  const bool one = all.size() == 1;
  return fmt::format(
      "part of the answer hangs on {} that {} far out ({}): it is different without them, and is "
      "not stated as sure",
      one ? "one row" : fmt::format("{} rows", all.size()), one ? "lies" : "lie",
      rows_in_words(all));
}

std::string odd_cells(Remarks all) {
  const bool one = all.size() == 1;
  return fmt::format(
      "{} like {}, and {} count: {}; mend {}, or leave the value out; if {} right, --odd-rows keep",
      one ? "one cell looks" : fmt::format("{} cells look", all.size()),
      one ? "a typing mistake" : "typing mistakes", one ? "its row does not" : "their rows do not",
      some_of(all,
              [](const Remark& r) {
                const std::string cell =
                    fmt::format("{} = {} in row {:.0f} of {}", variable(r, 0),
                                rounded(r.numbers.at(1), 6), r.numbers.at(0), environment(r));
                if (r.numbers.size() < 4) return cell + " (it does not fit the rest of its row)";
                return cell + fmt::format(" (the others there: {} to {})", rounded(r.numbers[2], 4),
                                          rounded(r.numbers[3], 4));
              }),
      one ? "it" : "them", one ? "it is" : "they are");
}

std::string search_stopped(const Remark& r) {
  return fmt::format("the search was stopped ({}): a better graph may exist",
                     r.numbers.empty()
                         ? std::string("interrupted")
                         : fmt::format("after the time limit of {} s", shortest(r.numbers[0])));
}

std::string graph_remark(Remarks all) {
  const Remark& r = all[0];
  const auto number = [&](std::size_t k) { return r.numbers.at(k); };
  switch (r.code) {
    case RemarkCode::direction_open: return direction_open(all);
    case RemarkCode::maybe_confounded: return maybe_confounded(all);
    case RemarkCode::maybe_selected: return maybe_selected(all);
    case RemarkCode::turns_round: return turns_round(all);
    case RemarkCode::not_followed: return not_followed(all);
    case RemarkCode::derived_columns: return derived_columns(all);
    case RemarkCode::baseline_assumed:
      return fmt::format(
          "no baseline was named: {} has most rows, and the others are compared with it",
          environment(r));
    case RemarkCode::hidden_pair:
      return "dependent through something hidden, neither causing the other: " +
             some_of(
                 all,
                 [](const Remark& one) {
                   return fmt::format("{} ({})", both(one), in_percent(one.numbers.at(0)));
                 },
                 10);
    case RemarkCode::drifting_mechanism:
      return "these mechanisms drift from run to run, by so many standard deviations of their "
             "noise: " +
             some_of(all, [](const Remark& one) { return with_number(variable(one, 0), one); });
    case RemarkCode::drifting_environment:
      return fmt::format(
          "in {} every mechanism drifted a little, by so many standard deviations of its noise: {}",
          all.size() == 1 ? "one environment" : fmt::format("{} environments", all.size()),
          some_of(all, [](const Remark& one) { return with_number(environment(one), one); }));
    case RemarkCode::lone_search:
      return fmt::format(
          "only one of {:.0f} searches reached the best graph found (the others ended {:.1f} nats "
          "or more below): a better one may exist; more searches (--restarts) would tell",
          number(0), number(1));
    case RemarkCode::one_graph_only:
      return "the search was stopped before it could weigh whole graphs: each probability compares "
             "the best graph so far with the graphs that differ from it in that edge, and is no "
             "posterior";
    case RemarkCode::chains_disagree:
      return fmt::format(
          "probabilities have a standard error of up to {:.2f} from the length of the chains, "
          "which differ most about {}: longer chains (--sweeps) would settle it",
          number(0), arrow(r));
    case RemarkCode::cycle_broken:
      return "the edges more probable than not close a cycle: the weakest of them is left out of "
             "\"graph\"";
    case RemarkCode::one_environment:
      return "there is only one environment: nothing can have changed, so no direction is "
             "supported by a shift";
    case RemarkCode::few_rows:
      return fmt::format(
          "there are more variables ({:.0f}) than rows ({:.0f}): few edges can be seen", number(0),
          number(1));
    case RemarkCode::weak_links_unseen:
      return fmt::format(
          "few rows: a link weaker than a correlation of {:.2f}, given the other columns, would "
          "hardly have shown; that two columns are not joined here does not mean that they are not "
          "linked",
          number(0));
    case RemarkCode::copies:
      return fmt::format(
          "{} are copies of each other: which of them causes what cannot be told; leave one out",
          some_of(all, both));
    case RemarkCode::everything_changed:
      return fmt::format(
          "in {:.0f} of {:.0f} environments everything seems to have changed: they say nothing "
          "about directions",
          number(0), number(1));
    case RemarkCode::full_family: return full_family(all);
    case RemarkCode::outlying_row: return outlying_rows(all);
    case RemarkCode::carrying_row: return carrying_rows(all);
    case RemarkCode::odd_cell: return odd_cells(all);
    case RemarkCode::environment_twice: return environments_twice(all);
    case RemarkCode::search_stopped: return search_stopped(r);
    case RemarkCode::compared_with_labels:
      if (!r.numbers.empty())
        return fmt::format(
            "with fewer than {:.0f} rows of the baseline curves and hidden causes may not show: "
            "the answer was compared with the one that labels give, and where they differ, theirs "
            "stands, at 90 % at most",
            number(0));
      return "linked mechanisms changed together: the answer was compared with the one that labels "
             "give, and what they do not confirm is not stated as sure";
    default: return {};
  }
}

// ---- pairs and encoders ----

std::string rows_say_little(const Remark& r) {
  const double rows = r.numbers.at(0), have = r.numbers.at(1), needed = r.numbers.at(2);
  return fmt::format(
      "These {:.0f} shifted rows say next to nothing about the direction ({:.2f} of about {:.1f} "
      "nats). They would decide it under a shift of one mechanism worth {:.2g} nats a row; a tenth "
      "of that takes {:.0f} rows.",
      rows, have, needed, needed / rows, 10 * rows);
}

std::string pair_remark(const Remark& r) {
  const auto number = [&](std::size_t k) { return r.numbers.at(k); };
  switch (r.code) {
    case RemarkCode::leave_out_approximate:
      return "many environments: the range over leaving one out is approximate (contributions are "
             "subtracted instead of starting again)";
    case RemarkCode::few_rows_not_counted:
      return fmt::format(
          "few rows for tables of this size: the same rows, dealt out to the environments at "
          "random, prefer a direction by as much ({:.1f} nats; {:.0f} deals); this evidence was "
          "not counted",
          number(0), number(1));
    case RemarkCode::few_rows_taken_off:
      return fmt::format(
          "few rows for tables of this size: the same rows, dealt out to the environments at "
          "random, prefer a direction too: {:.1f} nats were taken off",
          number(0));
    case RemarkCode::sum_cut_short:
      if (number(0) > 0.5)
        return "there are more ways in which these environments may have changed than could be "
               "summed: the belief is a rough one; fewer or larger environments would make it "
               "safer";
      return fmt::format("the sum over what changed was cut short: {} of it was left out",
                         in_percent(number(0)));
    case RemarkCode::pair_confounded:
      return fmt::format(
          "the pair looks confounded: the mechanisms of {} seem to move together, in {:.0f} of "
          "{:.0f} shifted environments. A hidden common cause that shifts looks like this; so do "
          "two changes at once",
          both(r), number(0), number(1));
    case RemarkCode::pair_maybe_confounded:
      return fmt::format(
          "the pair may be confounded: {1} changed where {0} did not, and they depend on each "
          "other. "
          "That is so where {0} causes {1}, and as well where a hidden common cause moves both",
          variable(r, 0), variable(r, 1));
    case RemarkCode::pair_not_passed_on:
      return fmt::format(
          "the pair looks confounded: neither of {} passes its changes on to the other, and yet "
          "they depend on each other",
          both(r));
    case RemarkCode::rests_on_effect:
      return fmt::format(
          "It rests on changes of {1} that did not reach {0}. Where something hidden moves both "
          "and its hold on {1} changes, that looks the same; an environment in which the "
          "distribution of {0} itself changes would exclude it.",
          variable(r, 0), variable(r, 1));
    case RemarkCode::shift_of_cause:
      return fmt::format(
          "What would settle it: an environment in which {0}'s own distribution changes. If it "
          "causes {1}, {1} follows it; if something hidden moves both, it does not. Where a hidden "
          "common cause is impossible, give hidden the weight 0 in the prior.",
          variable(r, 0), variable(r, 1));
    case RemarkCode::rows_copied:
      return fmt::format(
          "{:.0f} of {:.0f} rows ({} %) {} another row of {} environment exactly: each counts once",
          number(0), number(1), rounded(100 * number(0) / number(1), 2),
          number(0) == 1 ? "repeats" : "repeat", number(0) == 1 ? "its" : "their");
    case RemarkCode::rows_alike:
      return fmt::format(
          "rows that follow each other are alike ({}: correlation {:.2f}), as measurements over "
          "time are: {:.0f} rows count as about {:.0f} independent ones",
          variable(r, 0), number(0), number(1), number(2));
    case RemarkCode::entities_again:
      return fmt::format(
          "the same {:.0f} entities seem to appear again in several environments (correlation "
          "{:.2f} between their rows): a row counts as {:.2f} of an independent one",
          number(0), number(1), number(2));
    case RemarkCode::one_environment_carries:
      return fmt::format(
          "One environment carries the answer: without it the belief falls to {}. A second shift "
          "of its kind would make it safe.",
          in_percent(number(0)));
    case RemarkCode::contradiction:
      return "Look at the environments with opposite log-odds: a hidden common cause, a "
             "mislabelled file or a wrong type of column are the usual reasons.";
    case RemarkCode::hidden_or_two_changes:
      return fmt::format(
          "A hidden common cause of {} that shifts looks like this. More rows of these "
          "environments cannot tell it from two changes at once.",
          both(r));
    case RemarkCode::link_open:
      return "Whether the two are linked at all, or the environments agree, is open: more rows of "
             "the same environments would tell.";
    case RemarkCode::rows_would_decide:
      return fmt::format(
          "If more rows of the same kind spoke as these do, about {:.0f} shifted rows in all would "
          "decide it (now {:.0f}).",
          number(0), number(1));
    case RemarkCode::rows_say_little: return rows_say_little(r);
    case RemarkCode::shift_of_one:
      return fmt::format(
          "What would settle it: an environment in which only {}'s own distribution changes, or "
          "only {}'s, the other's mechanism being left alone.",
          variable(r, 0), variable(r, 1));
    case RemarkCode::few_rows_for_angle:
      return fmt::format(
          "few rows ({:.0f} in the baseline, {:.0f} in the smallest environment): the range of the "
          "angle can be too narrow below {:.0f} and {:.0f}",
          number(0), number(1), number(2), number(3));
    case RemarkCode::latent_saturated:
      return fmt::format(
          "{} tells its environments apart almost perfectly, so nothing could have shown that they "
          "changed more than one latent",
          variable(r, 0));
    default: return {};
  }
}

/// The sentences of one kind of remark after the other.
std::vector<std::string> sentences(const std::vector<Remark>& remarks, bool advice) {
  std::vector<RemarkCode> kinds;
  for (const Remark& remark : remarks)
    if (is_advice(remark.code) == advice &&
        std::find(kinds.begin(), kinds.end(), remark.code) == kinds.end())
      kinds.push_back(remark.code);
  std::vector<std::string> out;
  for (const RemarkCode kind : kinds) {
    std::vector<Remark> same;
    std::copy_if(remarks.begin(), remarks.end(), std::back_inserter(same),
                 [&](const Remark& remark) { return remark.code == kind; });
    out.push_back(in_words(same));
  }
  return out;
}

}  // namespace

std::string in_words(std::span<const Remark> remarks) {
  const std::string words = graph_remark(remarks);
  if (!words.empty()) return words;
  std::string out;
  for (const Remark& remark : remarks) out += (out.empty() ? "" : "; ") + pair_remark(remark);
  return out;
}

std::string reason_in_words(const Remark& reason) {
  const std::string what = reason.variables.empty() ? "what one column leaves of the other"
                                                    : "'" + excerpt(reason.variables[0]) + "'";
  switch (reason.code) {
    case RemarkCode::model_as_asked: return "as asked";
    case RemarkCode::model_all_categorical: return "all columns are categorical";
    case RemarkCode::model_all_numbers: return "all columns are numbers";
    case RemarkCode::model_several_kinds: return "columns of several kinds";
    case RemarkCode::model_not_linear: {
      constexpr std::size_t most = 5;
      std::vector<std::string> names;
      for (std::size_t v = 0; v < std::min(most, reason.variables.size()); ++v)
        names.push_back(excerpt(reason.variables[v]));
      return fmt::format("a line is not enough for {} of {:.0f} columns: {}{}",
                         reason.variables.size(), reason.numbers.at(0), joined(names),
                         reason.variables.size() > most ? ", ..." : "");
    }
    case RemarkCode::model_looks_gaussian:
      return "both columns look linear and Gaussian within environments";
    case RemarkCode::model_skewed: return what + " is skewed";
    case RemarkCode::model_heavy_tails: return what + " has heavy tails";
    case RemarkCode::model_light_tails: return what + " has light tails or two humps";
    case RemarkCode::model_curved: return "the relation between the columns is curved";
    case RemarkCode::model_drifts:
      return "a line is enough for each column, but changes show everywhere: hidden causes, or "
             "drift from one environment to the next";
    default: return {};
  }
}

std::vector<std::string> warnings_in_words(const std::vector<Remark>& remarks) {
  return sentences(remarks, false);
}

std::vector<std::string> advice_in_words(const std::vector<Remark>& remarks) {
  return sentences(remarks, true);
}

std::vector<std::string> all_warnings(std::vector<std::string> of_reading,
                                      const std::vector<Remark>& remarks) {
  for (std::string& warning : warnings_in_words(remarks)) of_reading.push_back(std::move(warning));
  return of_reading;
}

Json remark_json(const Remark& remark) {
  return Json::object({{"code", name_of(remark.code)},
                       {"variables", Json::list(remark.variables)},
                       {"environments", Json::list(remark.environments)},
                       {"numbers", Json::list(remark.numbers)}});
}

}  // namespace whence
