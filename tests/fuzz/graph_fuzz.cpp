// Any bytes as a graph, in the format that the first byte names; what is read can be written and
// read again.
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "whence/io/graph/graph_formats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  if (size == 0) return 0;
  const auto format = GraphFormat(std::uint8_t(data[0]) % 8);
  NamedGraph graph;
  if (!fuzz::succeeds([&] { graph = parse_graph({data + 1, size - 1}, format, "fuzz"); })) return 0;
  fuzz::require(graph.graph.variables() == graph.names.size());
  const std::string text = write_graph(graph, GraphFormat::json);
  fuzz::require(parse_graph(text, GraphFormat::json, "again") == graph);
  return 0;
}
