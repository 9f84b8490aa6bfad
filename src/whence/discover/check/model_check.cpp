#include "whence/discover/check/model_check.hpp"

#include "whence/backends/threads.hpp"
#include "whence/evidence/labels/drawn_rows.hpp"

namespace whence {

std::vector<LineCheck> model_check(const Dataset& data, std::size_t baseline, std::uint64_t seed,
                                   int threads) {
  constexpr std::size_t most_rows = 2000;
  std::vector<LineCheck> list(data.variables.size());
  if (data.variables.size() < 2) return list;
  const CodedColumns columns(data, baseline);
  const FeatureColumns codes = gather_rows(
      columns,
      draw_rows(data.environments[baseline], most_rows, Stream(seed, Purpose::search, {9, 0, 0})));
  parallel_for(list.size(), threads,
               [&](std::size_t v) { list[v] = check_line(columns, codes, v, seed); });
  return list;
}

}  // namespace whence
