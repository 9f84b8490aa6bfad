// Parts of a search as units of work: alone on threads, or shared with other processes and kept.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "whence/belief/graph_belief.hpp"
#include "whence/core/shared_work.hpp"
#include "whence/discover/graph/graph_search_plan.hpp"

namespace whence {

/// A graph with its regime and score as bytes, for a table of the same families.
void put_draw(ByteWriter& bytes, const FamilyTable& table, const GraphDraw& draw);
GraphDraw get_draw(ByteReader& bytes, const FamilyTable& table);

/// Calls job(i) for each unit, on whatever process, and hands its bytes to take(i, bytes), in order
/// and on every process. Only where options.control.work is there.
struct SharedUnit {
  std::function<void(std::size_t, ByteWriter&)> job;
  std::function<void(std::size_t, ByteReader&)> take;
};
void share_units(const FamilyTable& table, const GraphTask& options, const std::string& stage,
                 std::size_t units, const SharedUnit& unit, const Progress& progress = {});

/// found[i] = search(i) for each, on threads or shared.
void share_searches(const FamilyTable& table, const GraphTask& options, const std::string& stage,
                    std::span<GraphDraw> found, const std::function<GraphDraw(std::size_t)>& search,
                    const Progress& progress = {});

}  // namespace whence
