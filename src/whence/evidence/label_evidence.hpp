// Evidence from environment labels: how much better one can guess which environment a row comes
// from when one sees u, v, or both.
//
// log P(labels | u) / P(labels) is the evidence that the law of u differs between the environments.
// No density of u is modelled, so the family of u leaks nothing: when labels are independent of the
// data there is no signal, whatever the data look like. Columns enter by their ranks, so outliers
// and units do not matter either. Evidences are Bayesian (Laplace's approximation of a logistic
// model with a smoothness prior): under "no difference" a gain of D nats has probability at most
// e^-D.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// log-evidence that the law of u, of v and of (u, v) differs between the two groups of rows.
/// `apart`: that the laws of u and of v differ, each by itself: their weights multiply. (That is
/// not u + v: where the two go together, one change shows in both.)
struct LabelEvidence {
  double u = 0, v = 0, both = 0, apart = 0;
};

/// Rows of `data` (two variables, of any kinds) in environment `e` against those of `reference`
/// environments together. Refuses, with an Error of code resource, what would need more memory than
/// `max_memory` or hours: many levels or coordinates in many different rows.
LabelEvidence label_evidence(const Dataset& data, std::size_t environment,
                             std::span<const std::size_t> reference,
                             std::size_t max_memory = std::size_t(4) << 30);

/// log-evidence that the two variables depend on each other within environments: coarse tables of
/// within-environment ranks, dependent against independent; one table for all environments, or one
/// for each, of which any may have been cut. The same for (u, v) and (v, u).
double dependence_evidence(const Dataset& data);

}  // namespace whence
