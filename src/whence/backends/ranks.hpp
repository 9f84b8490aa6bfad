// The processes that mpirun (or srun) started together. Without them, and in a build without MPI,
// there is one rank.
#pragma once

#include <string>
#include <vector>

#include "whence/core/shared_work.hpp"

namespace whence {

/// Joins the others if a launcher started this process with some; once, before anything else here.
/// Error E-RANKS where there are several and this build knows no MPI.
void join_ranks();
/// Leaves them: all ranks must come here, or `end_all_ranks` be called by one.
void leave_ranks();
/// Ends every process of the job with that exit code; with one rank it does nothing.
void end_all_ranks(int exit_code);

int rank();        // of this process, from 0
int rank_count();  // 1 where nothing was joined

/// "Open MPI 4.1.4", or why there is none.
std::string ranks_in_words();

/// What each rank gave, in the order of ranks, on every rank. All must call it.
std::vector<std::string> gather_from_ranks(const std::string& mine);

/// All ranks must have been given the same: Error E-RANKS-DIFFER on each, which names the first
/// rank that differs from rank 0 and in what.
void require_same_on_ranks(const std::vector<SharedFact>& facts);

}  // namespace whence
