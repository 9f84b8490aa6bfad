#include "whence/backends/shared_units.hpp"

#include <algorithm>
#include <span>

#include "whence/backends/ranks.hpp"
#include "whence/backends/threads.hpp"

namespace whence {

bool SharedUnits::do_round(const std::string& stage, std::span<const std::size_t> mine, int threads,
                           const Job& job) {
  std::vector<std::string> done(mine.size());
  parallel_for(mine.size(), threads, [&](std::size_t k) { done[k] = job(mine[k]); });
  const auto set = [](const std::atomic<bool>* flag) { return flag != nullptr && flag->load(); };
  const bool whole = !set(options_.units_stop);  // as the jobs saw it, not as it is agreed now
  std::string message = ByteWriter().put(set(options_.stop)).put(mine.size()).take();
  for (std::size_t k = 0; k < mine.size(); ++k)
    message += ByteWriter().put(mine[k]).put(done[k].size()).take() + done[k];
  for (const std::string& given : gather_from_ranks(message)) {
    std::string_view rest = given;
    const auto take = [&](std::size_t bytes) {
      const std::string_view front = rest.substr(0, bytes);
      rest.remove_prefix(bytes);
      return front;
    };
    if (value_of_bytes<bool>(take(sizeof(bool))) && options_.agreed_stop != nullptr)
      options_.agreed_stop->store(true);
    const auto count = value_of_bytes<std::size_t>(take(sizeof(std::size_t)));
    for (std::size_t k = 0; k < count; ++k) {
      const auto unit = value_of_bytes<std::size_t>(take(sizeof(std::size_t)));
      const auto size = value_of_bytes<std::size_t>(take(sizeof(std::size_t)));
      options_.kept[{stage, unit}] = take(size);
    }
  }
  return whole;
}

std::vector<std::string> SharedUnits::results(std::string_view name, std::size_t units, int threads,
                                              const Job& job, const Progress& progress) {
  const std::string stage(name);
  std::vector<std::size_t> missing;
  for (std::size_t u = 0; u < units; ++u) {
    if (options_.kept.contains({stage, u})) continue;
    if (u % options_.shards == options_.shard)
      missing.push_back(u);
    else
      ++left_to_others_;
  }
  const std::size_t each = std::size_t(std::max(1, threads));
  const std::size_t round = each * std::size_t(rank_count());
  for (std::size_t at = 0; at < missing.size(); at += round) {
    const std::size_t first = std::min(missing.size(), at + each * std::size_t(rank()));
    const std::size_t last = std::min(missing.size(), first + each);
    const bool whole =
        do_round(stage, std::span(missing).subspan(first, last - first), threads, job);
    if (whole && options_.save && rank() == 0) options_.save(options_.kept);
    if (progress) progress(double(std::min(missing.size(), at + round)) / double(missing.size()));
  }
  std::vector<std::string> found(units);
  for (std::size_t u = 0; u < units; ++u)
    if (const auto at = options_.kept.find({stage, u}); at != options_.kept.end())
      found[u] = at->second;
  return found;
}

}  // namespace whence
