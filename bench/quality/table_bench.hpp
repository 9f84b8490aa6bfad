// How find_graph does on tables of which only some things are known: what cannot be, and what is
// right; beside it what it says of the same tables with shuffled labels and with typing mistakes.
#pragma once

#include <vector>

#include "bench/quality/real_bench.hpp"
#include "bench/quality/table_list.hpp"
#include "whence/io/table/data_reader.hpp"

namespace whence {

struct TableBenchPlan {
  std::vector<ListedTable> tables;
  ReadOptions reading;      // as the commands read tables
  std::uint32_t draws = 1;  // how often each mistake is made, and labels are shuffled
  bool controls = true;
};

/// Tables that cannot be read or searched are listed, and count as nothing stated.
RealBenchmark bench_tables(const TableBenchPlan& plan, const RunOptions& options);

}  // namespace whence
