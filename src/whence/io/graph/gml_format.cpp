// GML: keys with numbers, texts or lists in brackets.
#include <algorithm>
#include <map>

#include "whence/core/text.hpp"
#include "whence/io/graph/character_reference.hpp"
#include "whence/io/graph/graph_builder.hpp"
#include "whence/io/graph/text_cursor.hpp"

namespace whence {
namespace {

struct Item {
  std::string key, value;
  bool is_list = false;
  std::vector<Item> inside;
  std::size_t offset = 0;

  const Item* find(std::string_view name) const {
    for (const Item& item : inside)
      if (item.key == name) return &item;
    return nullptr;
  }
};

class GmlReader {
 public:
  GmlReader(std::string_view text, const std::string& file) : cursor_(text, file) {}

  NamedGraph read() {
    const std::vector<Item> top = items(0);
    const auto graph = std::find_if(top.begin(), top.end(), [](const Item& item) {
      return item.key == "graph" && item.is_list;
    });
    if (graph == top.end()) cursor_.fail(graph_syntax, "there is no 'graph [ ... ]'");
    const Item* directed = graph->find("directed");
    if (directed == nullptr || directed->value != "1")
      cursor_.fail("E-GRAPH-UNDIRECTED", "the graph is undirected", "say 'directed 1'",
                   graph->offset);
    for (const Item& item : graph->inside)
      if (item.key == "node") add_node(item);
    for (const Item& item : graph->inside)
      if (item.key == "edge") add_edge(item);
    return std::move(builder_).finish();
  }

 private:
  std::vector<Item> items(int depth) {
    if (depth > 50) cursor_.fail(graph_syntax, "lists are nested too deeply");
    std::vector<Item> list;
    for (;;) {
      skip_comments();
      if (cursor_.at_end()) {
        if (depth > 0) cursor_.fail(graph_syntax, "a list is never closed", "expected ']'");
        return list;
      }
      if (cursor_.peek() == ']') {
        if (depth == 0) cursor_.fail(graph_syntax, "']' closes nothing");
        cursor_.skip();
        return list;
      }
      list.push_back(item(depth));
    }
  }

  Item item(int depth) {
    Item item;
    item.offset = cursor_.at();
    item.key = word();
    skip_comments();
    if (cursor_.accept("[")) {
      item.is_list = true;
      item.inside = items(depth + 1);
    } else if (cursor_.peek() == '"') {
      item.value = quoted();
    } else {
      item.value = word();
    }
    return item;
  }

  std::string word() {
    const std::size_t begin = cursor_.at();
    while (!cursor_.at_end() && !TextCursor::is_blank(cursor_.peek()) &&
           std::string_view("[]\"#").find(cursor_.peek()) == std::string_view::npos)
      cursor_.skip();
    if (cursor_.at() == begin) cursor_.fail(graph_syntax, "expected a key or a value");
    return std::string(cursor_.between(begin, cursor_.at()));
  }

  std::string quoted() {
    const std::size_t begin = cursor_.at() + 1;
    const std::size_t length = cursor_.rest().substr(1).find('"');
    if (length == std::string_view::npos) cursor_.fail(graph_syntax, "this quote is never closed");
    cursor_.skip(length + 2);
    const auto text = without_references(cursor_.between(begin, begin + length));
    if (!text)
      cursor_.fail(graph_syntax, "an unknown character reference", "& itself is written &amp;",
                   begin);
    return *text;
  }

  void skip_comments() {
    cursor_.skip_blanks();
    while (cursor_.peek() == '#') {
      while (!cursor_.at_end() && cursor_.peek() != '\n') cursor_.skip();
      cursor_.skip_blanks();
    }
  }

  Where where(const Item& item) const {
    return [this, offset = item.offset] { return cursor_.place(offset); };
  }
  const std::string& value(const Item& item, std::string_view key) const {
    const Item* found = item.find(key);
    if (found == nullptr || found->is_list)
      cursor_.fail(graph_syntax, "'" + item.key + "' lacks '" + std::string(key) + "'", "",
                   item.offset);
    return found->value;
  }

  void add_node(const Item& node) {
    const std::string& id = value(node, "id");
    const Item* label = node.find("label");
    const std::size_t v = builder_.add(label == nullptr ? id : label->value, where(node));
    if (!numbers_.emplace(id, v).second)
      refuse_graph("E-GRAPH-NAME", where(node), "two nodes have the id " + in_quotes(id));
  }

  std::size_t end_of(const Item& edge, std::string_view key) const {
    const auto at = numbers_.find(value(edge, key));
    if (at == numbers_.end())
      refuse_graph("E-GRAPH-EDGE", where(edge), "there is no node " + in_quotes(value(edge, key)));
    return at->second;
  }

  void add_edge(const Item& item) {
    GraphBuilder::Edge edge;
    if (const Item* p = item.find("probability"))
      edge.probability = probability_of(p->value, where(*p));
    if (const Item* in = item.find("in_graph")) edge.in_graph = yes_no_of(in->value, where(*in));
    builder_.connect(end_of(item, "source"), end_of(item, "target"), edge, where(item));
  }

  TextCursor cursor_;
  GraphBuilder builder_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

NamedGraph parse_gml(std::string_view text, const std::string& file) {
  return GmlReader(text, file).read();
}

std::string write_gml(const NamedGraph& graph) {
  std::string out =
      "Creator \"whence\"\ngraph [\n  directed 1\n"
      "  comment \"every edge goes from the cause, source, to the effect, target\"\n";
  for (std::size_t v = 0; v < graph.names.size(); ++v)
    out += "  node [ id " + std::to_string(v) + " label \"" + with_references(graph.names[v]) +
           "\" ]\n";
  for_each_link(graph, [&](std::size_t i, std::size_t j) {
    out += "  edge [ source " + std::to_string(i) + " target " + std::to_string(j);
    if (!graph.probabilities.empty())
      out += " probability " + shortest(graph.probability(i, j)) + " in_graph " +
             std::to_string(int(graph.graph.edge(VariableId(i), VariableId(j))));
    out += " ]\n";
  });
  return out + "]\n";
}

}  // namespace whence
