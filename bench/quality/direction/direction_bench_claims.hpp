// The figures that whence bench direction must reach, as claims of its report.
#pragma once

#include <vector>

#include "bench/quality/direction/direction_bench_cases.hpp"
#include "bench/quality/direction/direction_episodes.hpp"
#include "whence/core/report.hpp"
#include "whence/judge/reliability.hpp"

namespace whence::direction_bench {

void claim_episodes(Report& report, const std::vector<EpisodesNeeded>& needed);
void claim_prior(Report& report, const Reliability& prior);
void claim_discrete(Report& report, const std::vector<Group>& cells, const Reliability& shifts);
void claim_controls(Report& report, const std::vector<Group>& cells);
void claim_real(Report& report, const std::vector<Group>& cells);

}  // namespace whence::direction_bench
