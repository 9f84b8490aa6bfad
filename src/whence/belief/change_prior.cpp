#include "whence/belief/change_prior.hpp"

namespace whence {

namespace {

double& at(ChangeProbabilities& p, Change change) { return p[std::size_t(change)]; }

/// The same proportions of single changes beside other shares of nothing and of everything.
ChangeProbabilities with_extremes(ChangeProbabilities p, double nothing, double both) {
  const double single = 1 - at(p, Change::nothing) - at(p, Change::both);
  for (double& w : p) w *= (1 - nothing - both) / single;
  at(p, Change::nothing) = nothing;
  at(p, Change::both) = both;
  return p;
}

/// Without a link there are only two variables, each changed or not.
ChangeProbabilities without_link(ChangeProbabilities p) {
  const double one =
      (at(p, Change::cause) + at(p, Change::mechanism) + at(p, Change::hard) + at(p, Change::row)) /
      2;
  at(p, Change::cause) = at(p, Change::mechanism) = one;
  at(p, Change::hard) = at(p, Change::row) = 0;
  return p;
}

}  // namespace

std::array<ChangeRegime, 3> ChangePrior::regimes(Structure structure_kind) const {
  const ChangeProbabilities told =
      structure_kind == Structure::no_link ? without_link(change) : change;
  constexpr double nearly_all = 0.95, hardly = 0.01;
  return {{{1 - quiet - turbulent, told},
           {quiet, with_extremes(told, nearly_all, hardly)},
           {turbulent, with_extremes(told, 1 - nearly_all, nearly_all)}}};
}

std::vector<std::vector<PriorWeight>> weight_groups(ChangePrior& prior) {
  std::vector<PriorWeight> changes;
  for (std::size_t k = 0; k < change_kinds; ++k)
    changes.push_back({std::string(name_of(Change(k))), &prior.change[k]});
  return {{{"forward", &prior.structure[0]},
           {"backward", &prior.structure[1]},
           {"no_link", &prior.structure[2]}},
          changes};
}

}  // namespace whence
