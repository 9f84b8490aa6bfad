// The only file that names MPI. WHENCE_HAS_MPI says whether the build found it.
#include "whence/backends/ranks.hpp"

#include <algorithm>
#include <cstdlib>

#include "whence/core/error.hpp"

#ifdef WHENCE_HAS_MPI
#include <mpi.h>
#endif

namespace whence {

namespace {

/// Number of processes that the launcher started, from the variables of Open MPI, MPICH and SLURM.
int launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* text = std::getenv(name)) return std::max(1, std::atoi(text));
  const char* tasks = std::getenv("SLURM_NTASKS");
  const bool by_srun = std::getenv("SLURM_STEP_ID") != nullptr && std::getenv("PMIX_RANK");
  return tasks != nullptr && by_srun ? std::max(1, std::atoi(tasks)) : 1;
}

int own = 0, all = 1;

}  // namespace

int rank() { return own; }
int rank_count() { return all; }

#ifdef WHENCE_HAS_MPI

static bool joined = false;

void join_ranks() {
  if (launched() < 2 || joined) return;
  int given = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  joined = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
}

void leave_ranks() {
  if (joined) MPI_Finalize();
  joined = false;
}

void end_all_ranks(int exit_code) {
  if (joined) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

std::string ranks_in_words() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, std::size_t(length));
  return version.substr(0, version.find_first_of(",\n"));
}

std::vector<std::string> gather_from_ranks(const std::string& mine) {
  if (!joined || all == 1) return {mine};
  // In pieces: MPI counts in int.
  constexpr std::size_t piece = std::size_t(1) << 30;
  std::vector<unsigned long long> sizes(std::size_t(all), 0);
  const unsigned long long size = mine.size();
  MPI_Allgather(&size, 1, MPI_UNSIGNED_LONG_LONG, sizes.data(), 1, MPI_UNSIGNED_LONG_LONG,
                MPI_COMM_WORLD);
  std::vector<std::string> gathered;
  for (int from = 0; from < all; ++from) {
    std::string bytes = from == own ? mine : std::string(sizes[std::size_t(from)], '\0');
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      MPI_Bcast(bytes.data() + at, int(std::min(piece, bytes.size() - at)), MPI_BYTE, from,
                MPI_COMM_WORLD);
    gathered.push_back(std::move(bytes));
  }
  return gathered;
}

#else

void join_ranks() {
  if (launched() > 1)
    throw Error(ExitCode::distributed, "E-RANKS", "",
                "several processes were started together, and this whence was built without MPI",
                "build it where libopenmpi-dev (or libmpich-dev) is installed, or start one");
}

void leave_ranks() {}
void end_all_ranks(int) {}
std::string ranks_in_words() { return "built without MPI"; }
std::vector<std::string> gather_from_ranks(const std::string& mine) { return {mine}; }

#endif

void require_same_on_ranks(const std::vector<SharedFact>& facts) {
  if (all == 1) return;
  std::string mine;
  for (const SharedFact& fact : facts) {
    mine += ByteWriter().put(fact.value.size()).take() + fact.value;
  }
  const std::vector<std::string> given = gather_from_ranks(mine);
  for (std::size_t r = 1; r < given.size(); ++r) {
    if (given[r] == given[0]) continue;
    std::string what = "what was asked for";
    std::size_t at = 0;
    for (const SharedFact& fact : facts) {
      const std::size_t length = sizeof(std::size_t) + fact.value.size();
      if (given[0].compare(at, length, given[r], at, length) != 0) {
        what = fact.name;
        break;
      }
      at += length;
    }
    throw Error(ExitCode::distributed, "E-RANKS-DIFFER", "rank " + std::to_string(r),
                "its " + what + " is not that of rank 0",
                "start all ranks with the same options on the same files");
  }
}

}  // namespace whence
