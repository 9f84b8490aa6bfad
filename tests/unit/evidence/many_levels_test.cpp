#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/evidence/labels/label_evidence.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Two categorical columns over two environments; Y copies X half of the time, and the second
/// environment prefers high levels of X.
Dataset tables(int levels, std::size_t rows, std::uint64_t seed) {
  Dataset data;
  data.variables = {{"X", Variable::Kind::categorical, levels, 1, {}},
                    {"Y", Variable::Kind::categorical, levels, 1, {}}};
  data.columns.resize(2);
  Stream stream(seed, Purpose::sample, {0, 0, 0});
  for (std::size_t e = 0; e < 2; ++e) {
    for (std::size_t i = 0; i < rows; ++i) {
      const double u = stream.uniform(), v = stream.uniform(), w = stream.uniform();
      const int x = int((e == 0 ? u : std::sqrt(u)) * levels);
      data.columns[0].levels.push_back(x);
      data.columns[1].levels.push_back(v < 0.5 ? x : int(w * levels));
    }
    data.environments.push_back({"e" + std::to_string(e), e * rows, (e + 1) * rows});
  }
  return data;
}

TEST(ManyLevels, IsTheSameByCoefficientsAndByRows) {
  // 4 + 4 + 16 coefficients, 60 rows: by coefficients. Memory for less asks for the other way.
  const Dataset data = tables(4, 30, 1);
  const std::vector<std::size_t> reference = {0};
  const LabelEvidence usual = label_evidence(data, 1, reference);
  const LabelEvidence other = label_evidence(data, 1, reference, 60 * 24 * 8 * 3);
  EXPECT_NEAR(usual.u, other.u, 1e-6);
  EXPECT_NEAR(usual.v, other.v, 1e-6);
  EXPECT_NEAR(usual.both, other.both, 1e-6);
  EXPECT_NEAR(usual.apart, other.apart, 1e-6);
  EXPECT_NE(usual.both, other.both);  // it is another way
}

TEST(ManyLevels, ManyLevelsInFewRowsAreCheap) {
  // 80 + 80 + 6400 coefficients would be 340 MB and hours.
  const Dataset data = tables(80, 30, 2);
  const LabelEvidence found = label_evidence(data, 1, std::vector<std::size_t>{0}, 8 << 20);
  EXPECT_TRUE(std::isfinite(found.both));
  EXPECT_TRUE(std::isfinite(found.apart));
}

TEST(ManyLevels, RefusesWhatTakesHours) {
  const Dataset data = tables(1000, 1500, 3);
  try {
    label_evidence(data, 1, std::vector<std::size_t>{0});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resource);
    EXPECT_EQ(error.id(), "E-LIMIT-LEVELS");
  }
}

}  // namespace
}  // namespace whence
