#include "laws/law.hpp"

#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace whence::laws {

void Finding::near(double measured, double expected, double tolerance, const std::string& what) {
  if (std::abs(measured - expected) <= tolerance || !holds()) return;
  what_ = fmt::format("{}: {} instead of {}, tolerance {}", what, measured, expected, tolerance);
}

void Finding::at_most(double measured, double limit, const std::string& what) {
  if (measured <= limit || !holds()) return;
  what_ = fmt::format("{}: {} exceeds {}", what, measured, limit);
}

void Finding::likely(double p_value, const std::string& what, double limit) {
  if (p_value >= limit || !holds()) return;
  what_ = fmt::format("{}: p-value {}", what, p_value);
}

namespace {

std::vector<Entry>& registry() {
  static std::vector<Entry> laws;
  return laws;
}

class HoldsTest : public testing::Test {
 public:
  explicit HoldsTest(const Entry& law) : law_(law) {}
  void TestBody() override {
    ASSERT_FALSE(law_.implementations.empty());
    for (const Entry::Case& row : law_.implementations) {
      const Finding finding = row.check();
      EXPECT_TRUE(finding.holds()) << row.name << ": " << finding.what();
    }
  }

 private:
  Entry law_;
};

class NoticesTest : public testing::Test {
 public:
  explicit NoticesTest(const Entry& law) : law_(law) {}
  void TestBody() override {
    for (const Entry::Case& bug : law_.planted_bugs)
      EXPECT_FALSE(bug.check().holds()) << "not noticed: " << bug.name;
  }

 private:
  Entry law_;
};

}  // namespace

const std::vector<Entry>& all_laws() { return registry(); }

std::vector<std::string> laws_without_planted_bug(const std::vector<Entry>& laws) {
  std::vector<std::string> names;
  for (const Entry& law : laws)
    if (law.planted_bugs.empty()) names.push_back(law.kind + "." + law.name);
  return names;
}

bool add(Entry entry, const char* file, int line) {
  const auto test = [&](const std::string& name, auto make) {
    testing::RegisterTest(entry.kind.c_str(), name.c_str(), nullptr, nullptr, file, line, make);
  };
  test(entry.name, [entry]() -> testing::Test* { return new HoldsTest(entry); });
  test(entry.name + "NoticesPlantedBugs",
       [entry]() -> testing::Test* { return new NoticesTest(entry); });
  registry().push_back(std::move(entry));
  return true;
}

}  // namespace whence::laws
