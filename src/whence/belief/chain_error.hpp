// How good a probability is that several chains have estimated, by how much they agree.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace whence {

/// Chains go on until every probability is good to this, or for a limited time.
inline constexpr double good_chain_error = 0.02;

/// Standard errors of the mean over chains; `of_chain[c]` holds what chain c estimated. One chain
/// has nothing to be compared with: an empty list.
inline std::vector<double> chain_errors(std::span<const std::vector<double>* const> of_chain) {
  if (of_chain.size() < 2) return {};
  const auto chains = double(of_chain.size());
  std::vector<double> errors(of_chain[0]->size());
  for (std::size_t k = 0; k < errors.size(); ++k) {
    double mean = 0, squares = 0;
    for (const auto* one : of_chain) mean += (*one)[k] / chains;
    for (const auto* one : of_chain) squares += ((*one)[k] - mean) * ((*one)[k] - mean);
    errors[k] = std::sqrt(squares / (chains * (chains - 1)));
  }
  return errors;
}

}  // namespace whence
