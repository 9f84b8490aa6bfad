#include "whence/worlds/random_graph.hpp"

#include <charconv>
#include <numeric>
#include <string>
#include <utility>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {

namespace {

constexpr std::size_t largest_graph = 1000;

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ExitCode::bad_config, "E-GRAPH-SYNTAX", "graph", problem,
              "write er:VARIABLES:EDGES, sf:VARIABLES:LINKS or a preset such as chain8");
}

std::size_t count_of(const std::string& text, std::size_t least, std::size_t most) {
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || stop != end || value < least || value > most)
    refuse("'" + excerpt(text, 20) + "' is not a whole number from " + std::to_string(least) +
           " to " + std::to_string(most));
  return value;
}

/// One of the first `n` members that is not yet chosen, with probability proportional to 1 + count.
std::size_t draw_popular(const std::vector<std::size_t>& counts, const std::vector<bool>& chosen,
                         std::size_t n, Stream& stream) {
  std::size_t total = 0;
  for (std::size_t v = 0; v < n; ++v) total += chosen[v] ? 0 : counts[v] + 1;
  auto rest = std::size_t(sample_index(stream, int(total)));
  for (std::size_t v = 0;; ++v) {
    const std::size_t weight = chosen[v] ? 0 : counts[v] + 1;
    if (rest < weight) return v;
    rest -= weight;
  }
}

}  // namespace

std::vector<std::size_t> random_order(std::size_t n, Stream& stream) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t(0));
  for (std::size_t i = n; i > 1; --i)
    std::swap(order[i - 1], order[std::size_t(sample_index(stream, int(i)))]);
  return order;
}

Graph draw_uniform_graph(std::size_t variables, double edges, Stream stream) {
  const auto order = random_order(variables, stream);
  const double p = edges / (double(variables) * double(variables - 1) / 2);
  Graph graph(variables);
  for (std::size_t i = 0; i < variables; ++i)
    for (std::size_t j = i + 1; j < variables; ++j)
      graph.set_edge(VariableId(order[i]), VariableId(order[j]), stream.uniform() < p);
  return graph;
}

Graph draw_scale_free_graph(std::size_t variables, std::size_t links, Stream stream) {
  const auto number = random_order(variables, stream);
  std::vector<std::size_t> causes(variables, 0);
  Graph graph(variables);
  for (std::size_t newcomer = 1; newcomer < variables; ++newcomer) {
    std::vector<bool> chosen(variables, false);
    for (std::size_t k = 0; k < std::min(links, newcomer); ++k)
      chosen[draw_popular(causes, chosen, newcomer, stream)] = true;
    for (std::size_t old = 0; old < newcomer; ++old) {
      if (!chosen[old]) continue;
      ++causes[old];
      graph.set_edge(VariableId(number[newcomer]), VariableId(number[old]));
    }
  }
  return graph;
}

Graph draw_named_graph(std::string_view text, Stream stream) {
  const auto parts = split(text, ':');
  if (parts[0] != "er" && parts[0] != "sf") return read_graph(text);
  if (parts.size() != 3) refuse("'" + excerpt(text, 30) + "' should have three parts");
  const std::size_t variables = count_of(parts[1], 2, largest_graph);
  if (parts[0] == "sf")
    return draw_scale_free_graph(variables, count_of(parts[2], 1, variables - 1), stream);
  return draw_uniform_graph(variables,
                            double(count_of(parts[2], 0, variables * (variables - 1) / 2)), stream);
}

}  // namespace whence
