// What `direction` must not say: directions that a hidden cause explains as well, evidence counted
// twice, links that were overlooked.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

using Row = std::function<std::pair<double, double>(Stream&, std::size_t environment)>;

Dataset real_pair(std::size_t environments, std::size_t rows, std::uint32_t run, const Row& row) {
  Dataset data;
  data.variables = {{"X", Variable::Kind::real}, {"Y", Variable::Kind::real}};
  data.columns.resize(2);
  Stream stream(21, Purpose::tests, {run});
  for (std::size_t e = 0; e < environments; ++e) {
    data.environments.push_back({"e" + std::to_string(e), e * rows, (e + 1) * rows});
    for (std::size_t r = 0; r < rows; ++r) {
      const auto [x, y] = row(stream, e);
      data.columns[0].values.push_back(x);
      data.columns[1].values.push_back(y);
    }
  }
  return data;
}

DirectionOptions quick() {
  DirectionOptions options;
  options.baseline = 0;
  options.sensitivity = false;
  return options;
}

double noise(Stream& s, bool heavy) {
  const double z = sample_normal(s);
  return heavy ? z * std::abs(z) : z;
}

TEST(DirectionHonesty, AStaticHiddenCauseIsNoDirection) {
  int decided = 0, named = 0;
  for (std::uint32_t run = 0; run < 12; ++run) {
    const bool heavy = run % 2, of_y = run % 4 > 1;
    const auto data = real_pair(4, 300, run, [&](Stream& s, std::size_t e) {
      const double h = noise(s, heavy), a = noise(s, heavy), b = noise(s, heavy);
      const double own = e == 0 ? 0 : 1.2 * double(e) - 2, wide = 1 + 0.4 * double(e);
      return of_y ? std::pair(h + a, h + own + wide * b) : std::pair(h + own + wide * a, h + b);
    });
    const DirectionResult found = find_direction(data, quick());
    decided += found.verdict.kind == Verdict::Kind::direction;
    named += found.verdict.confounded;
  }
  EXPECT_EQ(decided, 0);
  EXPECT_GE(named, 10);
}

TEST(DirectionHonesty, ATransmittedChangeIsADirection) {
  for (std::uint32_t run = 0; run < 8; ++run) {
    const bool heavy = run % 2;
    const auto data = real_pair(4, 300, 100 + run, [&](Stream& s, std::size_t e) {
      const double x = noise(s, heavy) * (1 + 0.3 * double(e)) + 1.2 * double(e);
      return std::pair(x, x + noise(s, heavy));
    });
    const DirectionResult found = find_direction(data, quick());
    ASSERT_EQ(found.verdict.kind, Verdict::Kind::direction) << run;
    EXPECT_EQ(found.verdict.from, 0);
    EXPECT_NEAR(found.belief[0] + found.belief[1] + found.belief[2] + found.hidden, 1, 1e-12);
  }
}

TEST(DirectionHonesty, WithoutABaselineEvidenceCountsOnce) {
  const auto data = real_pair(2, 150, 5, [](Stream& s, std::size_t e) {
    const double x = sample_normal(s) + 0.8 * double(e);
    return std::pair(x, std::tanh(2 * x) + 0.5 * sample_normal(s));
  });
  DirectionOptions named, none;
  named.sensitivity = none.sensitivity = false;
  named.model = none.model = DirectionModel::labels;
  named.baseline = 0;
  EXPECT_NEAR(find_direction(data, none).belief[0], find_direction(data, named).belief[0], 1e-6);
}

TEST(DirectionHonesty, WithoutALinkTheVariableThatChangedIsNamed) {
  for (const bool first : {true, false}) {
    const auto data = real_pair(4, 400, 6, [&](Stream& s, std::size_t e) {
      const double moved = sample_normal(s) + double(e), still = sample_normal(s);
      return first ? std::pair(moved, still) : std::pair(still, moved);
    });
    DirectionOptions options = quick();
    for (const DirectionModel model : {DirectionModel::gaussian, DirectionModel::labels}) {
      options.model = model;
      const EnvironmentFinding e = find_direction(data, options).environments[3];
      EXPECT_GT(e.changed[first ? 0 : 1], 0.9);
      EXPECT_LT(e.changed[first ? 1 : 0], 0.5);
      EXPECT_GT(e.kind[std::size_t(first ? Change::cause : Change::mechanism)], 0.5);
    }
  }
}

TEST(DirectionHonesty, AKnownDirectionIsExcluded) {
  const auto data = real_pair(4, 300, 7, [](Stream& s, std::size_t e) {
    const double x = sample_normal(s) + double(e);
    return std::pair(x, x + sample_normal(s));
  });
  DirectionOptions options = quick();
  options.knowledge.forbid(data, "X", "Y");
  const DirectionResult found = find_direction(data, options);
  EXPECT_EQ(found.belief[0], 0);
  EXPECT_NEAR(found.belief[1] + found.belief[2] + found.hidden, 1, 1e-12);
  Dataset turned = data;  // knowledge goes with names, whatever the order of the columns
  std::swap(turned.variables[0], turned.variables[1]);
  std::swap(turned.columns[0], turned.columns[1]);
  options.knowledge = {};
  options.knowledge.forbid(turned, "X", "Y");
  EXPECT_EQ(find_direction(turned, options).belief[1], 0);
}

TEST(DirectionHonesty, ARequiredDirectionIsCertainAndSaysWhatChanged) {
  const auto data = real_pair(4, 300, 7, [](Stream& s, std::size_t e) {
    const double x = sample_normal(s);
    return std::pair(x, (1 + 0.8 * double(e)) * x + sample_normal(s));
  });
  DirectionOptions options = quick();
  options.knowledge.require(data, "Y", "X");
  const DirectionResult found = find_direction(data, options);
  EXPECT_EQ(found.belief[1], 1);
  EXPECT_EQ(found.hidden, 0);
  EXPECT_GT(found.environments[3].changed[1], 0.9);
  options.knowledge.words.assign(4, EdgeKnowledge::Word::required);
  EXPECT_THROW(find_direction(data, options), Error);
}

TEST(DirectionHonesty, NotLinkedMustBeEarned) {
  const Row apart = [](Stream& s, std::size_t e) {
    return std::pair(sample_normal(s) + double(e), sample_normal(s));
  };
  EXPECT_EQ(find_direction(real_pair(4, 400, 8, apart), quick()).verdict.kind,
            Verdict::Kind::no_link);
  const DirectionResult few = find_direction(real_pair(2, 12, 8, apart), quick());
  EXPECT_LE(few.belief[2], decided_belief);
  const Row parabola = [](Stream& s, std::size_t e) {
    const double x = sample_normal(s) + 0.2 * double(e);
    return std::pair(x, 0.3 * (x - 0.3) * (x - 0.3) + sample_normal(s));
  };
  EXPECT_LT(find_direction(real_pair(4, 400, 9, parabola), quick()).belief[2], 0.05);
}

TEST(DirectionHonesty, RowsOverTimeCountForLess) {
  double x = 0, y = 0;
  const auto data = real_pair(4, 400, 10, [&](Stream& s, std::size_t) {
    x = 0.9 * x + sample_normal(s);
    y = 0.9 * y + 0.5 * x + sample_normal(s);
    return std::pair(x, y);
  });
  const DirectionResult found = find_direction(data, quick());
  EXPECT_LT(found.environments[1].effective_rows, 100);
  ASSERT_FALSE(found.remarks.empty());
  EXPECT_EQ(found.remarks[0].code, RemarkCode::rows_alike);
  EXPECT_NE(found.verdict.kind, Verdict::Kind::direction);
}

TEST(DirectionHonesty, EntitiesAreOfEveryRowOrOfNone) {
  const auto data = real_pair(2, 20, 11, [](Stream& s, std::size_t) {
    return std::pair(sample_normal(s), sample_normal(s));
  });
  DirectionOptions options = quick();
  options.entity.assign(39, 0);
  EXPECT_THROW(find_direction(data, options), Error);
}

TEST(DirectionHonesty, CopiesCountOnce) {
  const Row row = [](Stream& s, std::size_t e) {
    const double x = sample_normal(s) + 0.8 * double(e);
    return std::pair(x, x + sample_normal(s));
  };
  const Dataset once = real_pair(3, 60, 12, row);
  Dataset thrice;
  thrice.variables = once.variables;
  thrice.columns.resize(2);
  for (const Environment& e : once.environments) {
    const std::size_t begin = thrice.columns[0].values.size();
    for (int copy = 0; copy < 3; ++copy)
      for (std::size_t v = 0; v < 2; ++v)
        thrice.columns[v].values.insert(thrice.columns[v].values.end(),
                                        once.columns[v].values.begin() + std::ptrdiff_t(e.begin),
                                        once.columns[v].values.begin() + std::ptrdiff_t(e.end));
    thrice.environments.push_back({e.name, begin, thrice.columns[0].values.size()});
  }
  for (const DirectionModel model : {DirectionModel::gaussian, DirectionModel::labels}) {
    DirectionOptions options = quick();
    options.model = model;
    const DirectionResult single = find_direction(once, options);
    const DirectionResult copied = find_direction(thrice, options);
    EXPECT_NEAR(copied.environments[1].effective_rows, 60, 1e-9);
    for (std::size_t s = 0; s < structures; ++s)
      EXPECT_NEAR(copied.belief[s], single.belief[s], 0.02) << name_of(model);
    options.effective = false;  // the control: counted as they stand they say something else
    EXPECT_GT(std::abs(find_direction(thrice, options).shift_log_odds - single.shift_log_odds), 1);
  }
}

}  // namespace
}  // namespace whence
