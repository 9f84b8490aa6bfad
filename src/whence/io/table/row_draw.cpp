#include "whence/io/table/row_draw.hpp"

#include <algorithm>
#include <optional>

#include "whence/math/philox.hpp"

namespace whence {

std::size_t rows_of_each(std::span<const std::size_t> rows, std::size_t most) {
  std::vector<std::size_t> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end());
  std::size_t left = most, others = sorted.size();
  for (const std::size_t size : sorted) {
    if (size > left / others)
      return left / others;  // this one and all larger ones share what is left
    left -= size;
    --others;
  }
  return every_row;
}

namespace {

// Streams of simulated samples count their episodes from 0, so that this one is free.
constexpr std::uint32_t episode_of_draws = 0xFFFFFFFF;

}  // namespace

void RowDraw::add(std::span<const std::int32_t> environments) {
  const std::uint64_t key = philox_key(seed_, Purpose::sample);
  for (const std::int32_t environment : environments) {
    const std::size_t at = std::size_t(environment + 1);
    if (at >= seen_.size()) seen_.resize(at + 1, 0);
    const std::uint64_t number = seen_[at]++;
    const PhiloxBlock block =
        philox({std::uint32_t(number >> 32), episode_of_draws, 0, std::uint32_t(number)}, key);
    held_.push_back({std::uint64_t(block[0]) << 32 | block[1], added_++, environment});
  }
}

void RowDraw::add(std::size_t rows) {
  const std::vector<std::int32_t> same(std::min<std::size_t>(rows, 4096), 0);
  for (std::size_t begin = 0; begin < rows; begin += same.size())
    add(std::span(same).first(std::min(same.size(), rows - begin)));
}

std::vector<std::size_t> RowDraw::shrink() { return shrink_to(rows_of_each(seen_, most_)); }

std::vector<std::size_t> RowDraw::shrink_to(std::size_t of_each) {
  std::vector<std::vector<std::uint64_t>> ranks(seen_.size());
  for (const Held& row : held_) ranks[std::size_t(row.environment + 1)].push_back(row.rank);
  std::vector<std::optional<std::uint64_t>> limit(seen_.size());  // the first that is not drawn
  for (std::size_t e = 0; e < ranks.size(); ++e) {
    if (ranks[e].size() <= of_each) continue;
    const auto at = ranks[e].begin() + std::ptrdiff_t(of_each);
    std::nth_element(ranks[e].begin(), at, ranks[e].end());
    limit[e] = *at;
  }
  std::vector<std::size_t> stay;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const auto& own = limit[std::size_t(held_[i].environment + 1)];
    if (!own || held_[i].rank < *own) stay.push_back(i);
  }
  keep_places(held_, stay);
  return stay;
}

std::vector<std::size_t> RowDraw::rows() const {
  std::vector<std::size_t> rows;
  for (const Held& row : held_) rows.push_back(row.row);
  return rows;
}

std::vector<bool> RowDraw::mask() const {
  std::vector<bool> mask(added_, false);
  for (const Held& row : held_) mask[row.row] = true;
  return mask;
}

RowDraw drawn_rows(std::size_t rows, std::size_t most, std::uint64_t seed,
                   const std::function<std::int32_t(std::size_t)>& environment_of) {
  constexpr std::size_t batch = 65536;
  RowDraw draw(most, seed);
  std::vector<std::int32_t> environments;
  for (std::size_t begin = 0; begin < rows; begin += batch) {
    environments.assign(std::min(batch, rows - begin), 0);
    if (environment_of)
      for (std::size_t i = 0; i < environments.size(); ++i)
        environments[i] = environment_of(begin + i);
    draw.add(environments);
    if (draw.is_full()) draw.shrink();
  }
  draw.shrink();
  return draw;
}

}  // namespace whence
