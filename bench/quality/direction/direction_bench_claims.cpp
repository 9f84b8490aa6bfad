#include "bench/quality/direction/direction_bench_claims.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "bench/quality/direction/direction_bench_rates.hpp"
#include "whence/judge/summary.hpp"

namespace whence::direction_bench {

namespace {

void claim(Report& report, std::string id, std::string what, std::string measured, bool holds,
           std::string why = {}) {
  report.claims.push_back(
      {"bench/" + std::move(id), std::move(what), std::move(measured), holds, std::move(why)});
}

}  // namespace

void claim_episodes(Report& report, const std::vector<EpisodesNeeded>& needed) {
  for (const EpisodesNeeded& n : needed) {
    const bool row = n.situation == Situation::row, reported = row && !n.sparse;
    const double limit = row ? 5 : 2;
    claim(report,
          fmt::format("episodes/{}/{}", name_of(n.situation), n.sparse ? "sparse" : "dense"),
          fmt::format("N=10, exact modules, 20-sample episodes, {} shift, {}: P of .99 {}",
                      name_of(n.situation), n.sparse ? "sparse" : "dense",
                      reported ? "beside the best that is possible"
                               : fmt::format("within a median of {:.0f}", limit)),
          fmt::format(
              "median {} (told what shifts: {}); reached in {:.1f} % of {}, wrong in {:.1f} %",
              show(n.median), show(n.optimal), 100 * n.reached, n.runs, 100 * n.wrong),
          reported || n.median <= limit,
          reported ? "reported, not required: rows that 20 samples hardly touch" : "");
  }
}

void claim_prior(Report& report, const Reliability& prior) {
  claim(report, "prior",
        "Data from the stated prior: stated minus observed within .03 in bins of 2000",
        fmt::format("at most {:.4f}; Brier score {:.4f}, expected calibration error {:.4f}",
                    prior.worst(2000, true), prior.brier(), prior.expected_error()),
        prior.worst(2000, true) <= 0.03);
}

void claim_discrete(Report& report, const std::vector<Group>& cells, const Reliability& shifts) {
  const auto single = pooled(cells, [](const Group& c) {
    return small_tables(c) && c.training >= 1000 && identifiable(c.situation);
  });
  const Rates rates = rates_of(single);
  claim(report, "single-right",
        "One mechanism shifts, 1000 training rows or more, N = 2, 10: right in 99 % where decided",
        fmt::format("right in {:.2f} % of {:.0f} decided ({:.1f} % of {})", 100 * rates.right,
                    rates.decided * double(rates.cases), 100 * rates.decided, rates.cases),
        rates.right >= 0.99);
  claim(report, "single-calibrated", "There no bin of 200 cases promises more than it keeps by .03",
        fmt::format("stated minus observed is at most {:+.4f}", shifts.worst(200, false)),
        shifts.worst(200, false) <= 0.03);
  double none = 0, both = 0;
  std::string none_where, both_where;
  for (const std::string family : {"N=2", "N=10", "N=100"})
    for (std::size_t training : {100, 1000, 10000})
      for (bool sparse : {false, true}) {
        const auto rate_of = [&](Situation situation) {
          return rates_of(pooled(cells,
                                 [&](const Group& c) {
                                   return c.family == family && c.training == training &&
                                          c.sparse == sparse && c.situation == situation;
                                 }))
              .decided;
        };
        const std::string where =
            fmt::format("{}, {}, {} training rows", family, sparse ? "sparse" : "dense", training);
        if (const double r = rate_of(Situation::none); r >= none) none = r, none_where = where;
        if (const double r = rate_of(Situation::both); r >= both) both = r, both_where = where;
      }
  claim(report, "none", "No shift: a direction decided in at most 1 %",
        fmt::format("at most {:.2f} % ({})", 100 * none, none_where), none <= 0.01);
  claim(report, "both", "Both mechanisms changed: a direction decided in at most 4 %",
        fmt::format("at most {:.2f} % ({})", 100 * both, both_where), both <= 0.04);
}

void claim_controls(Report& report, const std::vector<Group>& cells) {
  for (const char* kind : {"over all rows", "within environments"}) {
    double worst = 0;
    std::string where;
    for (const Group& cell : cells)
      if (cell.words[0] == kind && rates_of(cell.outcomes).decided >= worst) {
        worst = rates_of(cell.outcomes).decided;
        where = cell.family;
      }
    claim(report, fmt::format("shuffled/{}", kind),
          fmt::format("Columns shuffled {}: a direction decided in at most 1 %", kind),
          fmt::format("at most {:.2f} % ({})", 100 * worst, where), worst <= 0.01);
  }
}

void claim_real(Report& report, const std::vector<Group>& cells) {
  for (const std::string& family : families_of(cells))
    for (const std::string size : {"20 x 400", "6 x 200"}) {
      const bool many = size == "20 x 400";
      const auto of = [&](const Choice& wanted) {
        return rates_of(pooled(cells, [&](const Group& c) {
          return c.family == family && c.words.back() == size && wanted(c);
        }));
      };
      const Rates single = of([](const Group& c) { return identifiable(c.situation); });
      const Rates none = of([](const Group& c) { return c.situation == Situation::none; });
      claim(report, fmt::format("real/{}/{}", family, size),
            many ? fmt::format("{}, {}: right in 98 % where decided, decided in 95 %; no shift: "
                               "decided in at most 5 %",
                               family, size)
                 : fmt::format("{}, {}: right in 95 % where decided", family, size),
            fmt::format("right in {:.1f} %, decided in {:.1f} %; no shift: {:.1f} %",
                        100 * single.right, 100 * single.decided, 100 * none.decided),
            many ? single.right >= 0.98 && single.decided >= 0.95 && none.decided <= 0.05
                 : single.right >= 0.95);
    }
}

}  // namespace whence::direction_bench
