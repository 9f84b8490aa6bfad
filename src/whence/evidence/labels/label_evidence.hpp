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
/// `max_memory` or hours: many levels or coordinates in many different rows. `share`: what a row of
/// each environment is worth; empty: 1.
LabelEvidence label_evidence(const Dataset& data, std::size_t environment,
                             std::span<const std::size_t> reference,
                             std::size_t max_memory = std::size_t(4) << 30,
                             std::span<const double> share = {});

/// log-evidence that the law of one variable differs between these groups of rows, of a data set
/// with any number of variables.
double law_evidence(const Dataset& data, VariableId variable, std::size_t environment,
                    std::span<const std::size_t> reference, std::span<const double> share = {});

/// log-evidence that one of the two laws, of u or of v, differs between the same groups of rows.
double marginal_difference(const Dataset& data, std::size_t environment,
                           std::span<const std::size_t> reference,
                           std::span<const double> share = {});

}  // namespace whence
