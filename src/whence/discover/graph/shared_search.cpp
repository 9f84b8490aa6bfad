#include "whence/discover/graph/shared_search.hpp"

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"

namespace whence {

void put_draw(ByteWriter& bytes, const FamilyTable& table, const GraphDraw& draw) {
  const EnvironmentRegime regime = table.regime(draw.regime);
  bytes.put(draw.score).put(regime.quiet).put_list(regime.states);
  for (std::size_t v = 0; v < draw.dag.variables(); ++v)
    bytes.put_list(draw.dag.parents(v).members());
}

GraphDraw get_draw(ByteReader& bytes, const FamilyTable& table) {
  GraphDraw draw{Dag(table.variables()), 0, bytes.get<double>()};
  EnvironmentRegime regime;
  regime.quiet = bytes.get<bool>();
  regime.states = bytes.get_list<EnvironmentState>();
  draw.regime = table.number_of(regime);
  for (std::size_t v = 0; v < table.variables(); ++v) {
    VariableSet parents;
    for (std::size_t u : bytes.get_list<std::size_t>())
      if (u < table.variables()) parents.insert(u);
    draw.dag.set_parents(v, parents);
  }
  draw.dag.update();
  return draw;
}

void share_units(const FamilyTable& table, const GraphTask& options, const std::string& stage,
                 std::size_t units, const SharedUnit& unit, const Progress& progress) {
  const auto job = [&](std::size_t i) {
    const FamilyTable::Notes notes;
    ByteWriter bytes;
    unit.job(i, bytes);
    return bytes.put_list(notes.families()).take();
  };
  const std::vector<std::string> results = options.control.work->results(
      options.part + stage, units, options.control.threads, job, progress);
  for (std::size_t i = 0; i < units; ++i) {
    ByteReader bytes(results[i]);
    unit.take(i, bytes);
    table.count_as_scored(bytes.get_list<std::uint64_t>());
    if (!bytes.whole())
      throw Error(ExitCode::checkpoint, "E-CHECKPOINT-DAMAGED", stage,
                  "a kept part of the search does not hold what it should",
                  "delete the checkpoint and start again");
  }
}

void share_searches(const FamilyTable& table, const GraphTask& options, const std::string& stage,
                    std::span<GraphDraw> found, const std::function<GraphDraw(std::size_t)>& search,
                    const Progress& progress) {
  if (options.control.work == nullptr) {
    parallel_for(
        found.size(), options.control.threads, [&](std::size_t i) { found[i] = search(i); },
        progress);
    return;
  }
  const SharedUnit unit{
      [&](std::size_t i, ByteWriter& bytes) { put_draw(bytes, table, search(i)); },
      [&](std::size_t i, ByteReader& bytes) { found[i] = get_draw(bytes, table); }};
  share_units(table, options, stage, found.size(), unit, progress);
}

}  // namespace whence
