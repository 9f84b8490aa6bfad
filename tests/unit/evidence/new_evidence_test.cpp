// Evidence that one process worked out and another one took over.
#include "whence/evidence/labels/new_evidence.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "whence/evidence/labels/joint_evidence.hpp"
#include "whence/evidence/labels/shift_evidence.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Two numbers and a level, in a baseline and two environments.
Dataset small_data() {
  Stream stream(33, Purpose::tests, {0, 0, 0});
  Dataset data;
  data.variables = {{"x", Variable::Kind::real, 0, 1, {}},
                    {"y", Variable::Kind::real, 0, 1, {}},
                    {"level", Variable::Kind::categorical, 3, 1, {}}};
  data.columns.resize(3);
  for (std::size_t r = 0; r < 300; ++r) {
    const double x = sample_normal(stream) + (r >= 200 ? 1 : 0);
    const double y = x * x + 0.5 * sample_normal(stream);
    data.columns[0].values.push_back(x);
    data.columns[1].values.push_back(y);
    data.columns[2].levels.push_back(y < 0.3 ? 0 : y < 1 ? 1 : 2);
  }
  data.environments = {{"base", 0, 100}, {"same", 100, 200}, {"moved", 200, 300}};
  return data;
}

/// What one process has.
struct Process {
  Dataset data = small_data();
  CodedColumns columns{data, 0};
  ShiftEvidence shift{columns, data, 0, 5};
  JointEvidence joint{columns, data, 0, 5, 100, 8};
  VariableSet x = VariableSet().with(0), y = VariableSet().with(1);

  /// Some evidence of every kind.
  std::vector<double> all() const {
    return {joint.joint(x | y), joint.conditional(2, x), shift.change(1, x, 1),
            shift.change(2, y, 0)};
  }
};

TEST(NewEvidence, IsLearntByAnotherProcess) {
  const Process one, other;
  std::string bytes;
  std::vector<double> found;
  {
    NewEvidence fresh;
    found = one.all();
    bytes = fresh.take();
  }
  ASSERT_TRUE(learn_evidence(bytes, other.joint, other.shift));
  EXPECT_EQ(other.joint.sets(), one.joint.sets());
  EXPECT_EQ(other.shift.fits(), one.shift.fits());
  NewEvidence fresh;
  EXPECT_EQ(other.all(), found);
  EXPECT_TRUE(fresh.take().empty()) << "nothing is worked out again";
}

TEST(NewEvidence, IsWhatIsLookedUp) {
  const Process process;
  NewEvidence other;
  NewEvidence::note_change(process.x, 1 * 2 + 1, 77.0F);
  NewEvidence::note_level(process.x, 2, -5.5);
  NewEvidence::note_conditionals(process.x, {-1.25, -2.5});
  ASSERT_TRUE(learn_evidence(other.take(), process.joint, process.shift));
  EXPECT_EQ(process.shift.change(1, process.x, 1), 77.0);
  EXPECT_EQ(process.joint.conditional(2, process.x), -5.5);
  EXPECT_EQ(process.joint.conditional(1, process.x), -2.5);
}

TEST(NewEvidence, IsNotedOnlyWhereAsked) {
  const Process process;
  process.all();
  NewEvidence fresh;
  EXPECT_TRUE(fresh.take().empty());
}

TEST(NewEvidence, DamagedBytesAreNoEvidence) {
  const Process process;
  std::string bytes;
  {
    NewEvidence fresh;
    process.all();
    bytes = fresh.take();
  }
  const Process other;
  EXPECT_TRUE(learn_evidence("", other.joint, other.shift));
  EXPECT_FALSE(learn_evidence(bytes.substr(0, bytes.size() - 1), other.joint, other.shift));
  EXPECT_FALSE(learn_evidence(bytes + '\0', other.joint, other.shift));
  EXPECT_FALSE(learn_evidence("\x09" + bytes, other.joint, other.shift));
  NewEvidence::note_change(process.x, 0, 0);  // noted by nobody
  NewEvidence strange;
  NewEvidence::note_change(process.x, 100, 0);
  EXPECT_FALSE(learn_evidence(strange.take(), other.joint, other.shift));
  NewEvidence::note_conditionals(process.x, {1, 2, 3});
  EXPECT_FALSE(learn_evidence(strange.take(), other.joint, other.shift));
}

}  // namespace
}  // namespace whence
