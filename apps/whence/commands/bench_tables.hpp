// whence bench tables: graphs from a list of tables of which only some things are known.
#pragma once

#include "apps/whence/commands/bench_real.hpp"

namespace whence {

void bench_tables(const RealBenchOptions& options, const Globals& globals);

}  // namespace whence
