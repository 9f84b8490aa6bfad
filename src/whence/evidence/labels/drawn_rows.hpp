// A sample of an environment's rows: evidence that is bounded needs no more.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/evidence/labels/coded_columns.hpp"
#include "whence/evidence/labels/feature_kernel.hpp"
#include "whence/math/random.hpp"

namespace whence {

/// Up to `most` rows of an environment, drawn without replacement.
std::vector<std::size_t> draw_rows(const Environment& environment, std::size_t most, Stream stream);

/// All coordinates of these rows.
FeatureColumns gather_rows(const CodedColumns& columns, const std::vector<std::size_t>& rows);

}  // namespace whence
