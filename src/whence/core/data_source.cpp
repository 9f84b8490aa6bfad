#include "whence/core/data_source.hpp"

#include <algorithm>
#include <utility>

#include "whence/core/error.hpp"

namespace whence {
namespace {

bool same_outline(const Dataset& a, const Dataset& b) {
  const auto same_variable = [](const Variable& x, const Variable& y) {
    return x.name == y.name && x.kind == y.kind && x.levels == y.levels &&
           x.dimension == y.dimension;
  };
  const auto same_environment = [](const Environment& x, const Environment& y) {
    return x.name == y.name && x.begin == y.begin && x.end == y.end;
  };
  return std::equal(a.variables.begin(), a.variables.end(), b.variables.begin(), b.variables.end(),
                    same_variable) &&
         std::equal(a.environments.begin(), a.environments.end(), b.environments.begin(),
                    b.environments.end(), same_environment);
}

}  // namespace

const Dataset& DataSource::whole() {
  if (!taken_) return *given_;
  Dataset again = read_();
  if (!same_outline(again, *lent_))
    throw Error(ExitCode::bad_data, "E-DATA-CHANGED", "", "the data changed during the search",
                "change them afterwards, or give a copy");
  lent_->columns = std::move(again.columns);
  taken_ = false;
  return *given_;
}

Dataset DataSource::take() {
  whole();
  if (lent_ == nullptr) return *given_;
  taken_ = true;
  Dataset rows{lent_->variables, std::move(lent_->columns), lent_->environments};
  lent_->columns.clear();
  return rows;
}

}  // namespace whence
