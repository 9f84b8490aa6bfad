// A linear answer weighed against the one from labels, where it shows signs of what its model
// leaves out: hidden causes, and mechanisms that drift from run to run.
#pragma once

#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// Whether an effect's mechanism changed wherever its cause's did (`maybe_confounded`), many
/// changed at once, or one in every second environment, in data that have rows enough for labels.
bool calls_for_second_opinion(const GraphResult& linear, const Dataset& data);

/// Whether labels find that environments or mechanisms drift: then their answer stands, if lines
/// find small changes, too.
bool finds_drift(const GraphResult& labels);

/// Whether lines find small changes in a quarter of the environments: what drifts moves a little in
/// every run. Several mechanisms set anew at a time are no drift, although labels, which see less
/// of such changes, may take them for it. Needs the rows.
bool small_changes_abound(const GraphResult& linear, const Dataset& data);

/// Whether labels deny more than a third of the edges: then hidden causes or drift are everywhere,
/// and the answer by labels stands. Where mechanisms may drift they deny what they do not confirm;
/// elsewhere, what they have reversed or as a hidden link while lines have a sign of
/// something hidden there, too: links that labels do not see are not denied, they count fewer rows.
bool denies_much(const GraphResult& labels, const GraphResult& linear, bool drifting);

/// What labels do not confirm is no longer stated as sure; what they find hidden is said. Moves of
/// a mechanism that labels do not see are drift, unless its noise changed; with drift, links of
/// which labels know nothing are as likely none. Needs the rows.
void temper(GraphResult& linear, const GraphResult& labels, const Dataset& data);

/// With fewer rows of the baseline the model check overlooks most curves, and what is hidden hardly
/// shows: lines were chosen by default, not because they fit.
inline constexpr std::size_t rows_that_check = 500;

/// Whether there are fewer, but at least two other environments have enough rows for labels.
bool lines_are_unchecked(const GraphResult& linear, std::size_t variables);

/// Merges two answers if it is unknown which model is right. Where both agree, lines are taken;
/// where they differ, labels, but not as sure; where labels leave open how two variables are
/// linked, lines, but not as sure.
void join(GraphResult& linear, const GraphResult& labels);

/// Lists the edges again after their probabilities changed, with what is known of each.
void list_findings_again(GraphResult& result);

}  // namespace whence
