// Laws: statements that every implementation of a kind must satisfy. A law takes the implementation
// as its argument, and mistakes that it must notice are written down beside it: a law that no
// mistake can break tests nothing.
//
//   LAW(SamplerLaws, UniformIsUniform, uniform_is_uniform,       // Finding
//   uniform_is_uniform(const I&)
//       {{"stream", ...}},                                        // implementations: it must hold
//       {{"squared", ...}, {"only 4 bits", ...}});                // planted bugs: it must fail
//
// A new implementation is one more row in the first list.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace whence::laws {

/// What a law found: nothing, or the first thing that is wrong.
class Finding {
 public:
  bool holds() const { return what_.empty(); }
  const std::string& what() const { return what_; }

  void require(bool ok, const std::string& what) {
    if (!ok && holds()) what_ = what;
  }
  /// |measured - expected| <= tolerance; NaN is never near.
  void near(double measured, double expected, double tolerance, const std::string& what);
  void at_most(double measured, double limit, const std::string& what);
  /// A statistical test that did not reject.
  void likely(double p_value, const std::string& what, double limit = 1e-9);

 private:
  std::string what_;
};

template <class Implementation>
struct Named {
  std::string name;
  Implementation implementation;
};

/// A law together with what it is tried on, the types forgotten.
struct Entry {
  struct Case {
    std::string name;
    std::function<Finding()> check;
  };
  std::string kind, name;
  std::vector<Case> implementations, planted_bugs;
};

/// All laws of this program.
const std::vector<Entry>& all_laws();

/// Names of the laws that no planted bug can fail.
std::vector<std::string> laws_without_planted_bug(const std::vector<Entry>& laws);

/// Keeps the law, and makes two tests of it: it holds for every implementation, and it fails for
/// every planted bug.
bool add(Entry entry, const char* file, int line);

template <class Implementation>
bool add(std::string kind, std::string name, Finding (*law)(const Implementation&),
         std::type_identity_t<std::vector<Named<Implementation>>> implementations,
         std::type_identity_t<std::vector<Named<Implementation>>> planted_bugs, const char* file,
         int line) {
  const auto cases = [law](std::vector<Named<Implementation>>& rows) {
    std::vector<Entry::Case> result;
    for (auto& row : rows)
      result.push_back({row.name, [law, i = std::move(row.implementation)] { return law(i); }});
    return result;
  };
  return add({std::move(kind), std::move(name), cases(implementations), cases(planted_bugs)}, file,
             line);
}

}  // namespace whence::laws

#define LAW(kind, name, law, ...)                          \
  [[maybe_unused]] static const bool law_##kind##_##name = \
      ::whence::laws::add(#kind, #name, law, __VA_ARGS__, __FILE__, __LINE__)
