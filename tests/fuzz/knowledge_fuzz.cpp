// Any bytes as what a user knows: groups of variables, an edge, what was intervened on.
#include "apps/whence/graph_knowledge.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  if (size == 0) return 0;
  const std::string_view text(data + 1, size - 1);
  const std::vector<std::string> names = {"a", "b", "a->b", "x y", "\"q\""};
  std::vector<Environment> environments(3);
  environments[0].name = "base", environments[1].name = "week:1", environments[2].name = "s";
  fuzz::succeeds(
      [&] {
        EdgeKnowledge knowledge;
        if (data[0] % 3 == 0) add_tiers(text, "tiers.txt", names, knowledge);
        if (data[0] % 3 == 1) {
          const auto [from, to] = parse_edge(text, names, "--forbid");
          fuzz::require(from < names.size() && to < names.size() && from != to);
        }
        if (data[0] % 3 == 2) {
          std::vector<KnownChange> known;
          add_targets(text, names, environments, known);
          fuzz::require(known.empty() || known.size() == names.size() * environments.size());
        }
      },
      ExitCode::bad_config);
  return 0;
}
