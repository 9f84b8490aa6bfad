// GraphML: enough of XML to read it safely. No document types, hence no user-defined entities.
#include <map>

#include "whence/core/text.hpp"
#include "whence/io/graph/character_reference.hpp"
#include "whence/io/graph/graph_builder.hpp"
#include "whence/io/graph/text_cursor.hpp"
#include "whence/io/json/markup.hpp"

namespace whence {
namespace {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::size_t offset = 0;
};

/// Hands out start tags, end tags and the text before them.
class XmlReader {
 public:
  enum class Event { start, end, finished };
  XmlReader(std::string_view text, const std::string& file) : cursor_(text, file) {}

  Event next() {
    text_.clear();
    if (close_next_) {  // <x/> is <x></x>
      close_next_ = false;
      return close(open_.back());
    }
    for (;;) {
      read_text();
      if (cursor_.at_end()) {
        if (!open_.empty())
          cursor_.fail(graph_syntax, "<" + printable(open_.back()) + "> is never closed");
        return Event::finished;
      }
      if (cursor_.accept("<!--"))
        skip_past("-->");
      else if (cursor_.accept("<?"))
        skip_past("?>");
      else if (cursor_.accept("<![CDATA["))
        read_cdata();
      else if (cursor_.rest().substr(0, 2) == "<!")
        cursor_.fail(graph_syntax, "document types are not read", "remove the <!DOCTYPE ...>");
      else if (cursor_.accept("</"))
        return end_tag();
      else
        return start_tag();
    }
  }

  const Element& element() const { return element_; }
  const std::string& text() const { return text_; }
  const TextCursor& cursor() const { return cursor_; }

 private:
  void read_text() {
    const std::size_t length = std::min(cursor_.rest().find('<'), cursor_.rest().size());
    const auto text = without_references(cursor_.rest().substr(0, length));
    if (!text)
      cursor_.fail(graph_syntax, "an unknown character reference", "& itself is written &amp;");
    text_ += *text;
    cursor_.skip(length);
  }
  void skip_past(std::string_view end) {
    const std::size_t at = cursor_.rest().find(end);
    if (at == std::string_view::npos) cursor_.fail(graph_syntax, "this is never closed");
    cursor_.skip(at + end.size());
  }
  void read_cdata() {
    const std::size_t begin = cursor_.at();
    skip_past("]]>");
    text_ += cursor_.between(begin, cursor_.at() - 3);
  }

  std::string name() {
    const std::size_t begin = cursor_.at();
    while (!cursor_.at_end() && !TextCursor::is_blank(cursor_.peek()) &&
           std::string_view("=/><\"'").find(cursor_.peek()) == std::string_view::npos)
      cursor_.skip();
    if (cursor_.at() == begin) cursor_.fail(graph_syntax, "expected a name");
    return std::string(cursor_.between(begin, cursor_.at()));
  }

  Event start_tag() {
    element_ = {};
    element_.offset = cursor_.at();
    cursor_.skip();
    element_.name = name();
    if (open_.size() > 100) cursor_.fail(graph_syntax, "elements are nested too deeply");
    open_.push_back(element_.name);
    for (;;) {
      cursor_.skip_blanks();
      if (cursor_.accept("/>")) {
        close_next_ = true;
        return Event::start;
      }
      if (cursor_.accept(">")) return Event::start;
      attribute();
    }
  }

  void attribute() {
    const std::string key = name();
    cursor_.skip_blanks();
    if (!cursor_.accept("=")) cursor_.fail(graph_syntax, "expected '='");
    cursor_.skip_blanks();
    const char quote = cursor_.peek();
    if (quote != '"' && quote != '\'') cursor_.fail(graph_syntax, "expected a quoted value");
    const std::size_t length = cursor_.rest().substr(1).find(quote);
    if (length == std::string_view::npos) cursor_.fail(graph_syntax, "this quote is never closed");
    const auto value = without_references(cursor_.rest().substr(1, length));
    if (!value) cursor_.fail(graph_syntax, "an unknown character reference");
    if (!element_.attributes.emplace(key, *value).second)
      cursor_.fail(graph_syntax, "the attribute " + in_quotes(key) + " is given twice");
    cursor_.skip(length + 2);
  }

  Event end_tag() {
    const std::string closed = name();
    cursor_.skip_blanks();
    if (!cursor_.accept(">")) cursor_.fail(graph_syntax, "expected '>'");
    if (open_.empty() || open_.back() != closed)
      cursor_.fail(graph_syntax,
                   "</" + printable(closed) + "> closes " +
                       (open_.empty() ? "nothing" : "<" + printable(open_.back()) + ">"));
    return close(closed);
  }
  Event close(std::string closed) {
    element_ = {};
    element_.name = std::move(closed);
    open_.pop_back();
    return Event::end;
  }

  TextCursor cursor_;
  Element element_;
  std::string text_;
  std::vector<std::string> open_;
  bool close_next_ = false;
};

class GraphmlReader {
 public:
  GraphmlReader(std::string_view text, const std::string& file) : xml_(text, file) {}

  NamedGraph read() {
    for (auto event = xml_.next(); event != XmlReader::Event::finished; event = xml_.next())
      event == XmlReader::Event::start ? start(xml_.element()) : end(xml_.element().name);
    if (!graph_seen_) xml_.cursor().fail(graph_syntax, "there is no <graph>");
    for (const Node& node : nodes_) {
      const std::size_t v = builder_.add(node.name.empty() ? node.id : node.name, node.where);
      if (!numbers_.emplace(node.id, v).second)
        refuse_graph("E-GRAPH-NAME", node.where, "two nodes have the id " + in_quotes(node.id));
    }
    for (const Link& link : links_)
      builder_.connect(number_of(link.source, link), number_of(link.target, link), link.edge,
                       link.where);
    return std::move(builder_).finish();
  }

 private:
  struct Node {
    std::string id, name;
    Where where;
  };
  struct Link {
    std::string source, target;
    GraphBuilder::Edge edge;
    Where where;
  };

  std::string attribute(const Element& e, const char* key) const {
    const auto at = e.attributes.find(key);
    if (at == e.attributes.end())
      xml_.cursor().fail(graph_syntax, "<" + printable(e.name) + "> lacks '" + key + "'", "",
                         e.offset);
    return at->second;
  }
  static std::string optional(const Element& e, const char* key) {
    const auto at = e.attributes.find(key);
    return at == e.attributes.end() ? std::string() : at->second;
  }

  void start(const Element& e) {
    const Where where = [this, offset = e.offset] { return xml_.cursor().place(offset); };
    if (e.name == "key") {
      keys_[attribute(e, "id")] = optional(e, "attr.name");
    } else if (e.name == "graph") {
      graph_seen_ = true;
      directed_ = attribute(e, "edgedefault") == "directed";
    } else if (e.name == "node") {
      nodes_.push_back({attribute(e, "id"), "", where});
      in_node_ = true;
    } else if (e.name == "edge") {
      const std::string said = optional(e, "directed");
      if (said.empty() ? !directed_ : said != "true")
        refuse_graph("E-GRAPH-UNDIRECTED", where, "an edge without direction",
                     "say edgedefault=\"directed\"");
      links_.push_back({attribute(e, "source"), attribute(e, "target"), {}, where});
      in_edge_ = true;
    } else if (e.name == "hyperedge") {
      refuse_graph(graph_syntax, where, "edges between more than two nodes are not read");
    } else if (e.name == "data") {
      key_ = keys_[attribute(e, "key")];
    }
  }

  void end(const std::string& name) {
    const Where where = [this, at = xml_.cursor().at()] { return xml_.cursor().place(at); };
    if (name == "node") in_node_ = false;
    if (name == "edge") in_edge_ = false;
    if (name != "data") return;
    if (in_node_ && (key_ == "name" || (key_ == "label" && nodes_.back().name.empty())))
      nodes_.back().name = xml_.text();
    if (in_edge_ && key_ == "probability")
      links_.back().edge.probability = probability_of(xml_.text(), where);
    if (in_edge_ && key_ == "in_graph") links_.back().edge.in_graph = yes_no_of(xml_.text(), where);
  }

  std::size_t number_of(const std::string& id, const Link& link) const {
    const auto at = numbers_.find(id);
    if (at == numbers_.end())
      refuse_graph("E-GRAPH-EDGE", link.where, "there is no node " + in_quotes(id));
    return at->second;
  }

  XmlReader xml_;
  GraphBuilder builder_;
  std::map<std::string, std::string> keys_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::string key_;
  bool graph_seen_ = false, directed_ = false, in_node_ = false, in_edge_ = false;
};

/// XML 1.0 has no way to write most control characters.
void require_writable(const std::string& name) {
  for (const char32_t c : code_points(name))
    if ((c < 0x20 && c != U'\t' && c != U'\n' && c != U'\r') || c == 0xFFFE || c == 0xFFFF)
      refuse_graph(
          "E-GRAPH-NAME", [] { return std::string(); },
          "GraphML cannot hold the name " + in_quotes(name), "choose another format");
}

}  // namespace

NamedGraph parse_graphml(std::string_view text, const std::string& file) {
  return GraphmlReader(text, file).read();
}

std::string write_graphml(const NamedGraph& graph) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "  <!-- every edge goes from the cause, source, to the effect, target -->\n"
      "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
      "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
      "  <key id=\"probability\" for=\"edge\" attr.name=\"probability\" attr.type=\"double\"/>\n"
      "  <key id=\"in_graph\" for=\"edge\" attr.name=\"in_graph\" attr.type=\"boolean\"/>\n"
      "  <graph edgedefault=\"directed\">\n";
  for (std::size_t v = 0; v < graph.names.size(); ++v) {
    require_writable(graph.names[v]);
    const std::string name = with_references(graph.names[v]);
    out += "    <node id=\"n" + std::to_string(v) + "\"><data key=\"name\">" + name +
           "</data><data key=\"label\">" + name + "</data></node>\n";  // programs show either
  }
  for_each_link(graph, [&](std::size_t i, std::size_t j) {
    out += "    <edge source=\"n" + std::to_string(i) + "\" target=\"n" + std::to_string(j) + "\"";
    if (graph.probabilities.empty()) {
      out += "/>\n";
      return;
    }
    const bool in = graph.graph.edge(VariableId(i), VariableId(j));
    out += "><data key=\"probability\">" + shortest(graph.probability(i, j)) +
           "</data><data key=\"in_graph\">" + (in ? "true" : "false") + "</data></edge>\n";
  });
  return out + "  </graph>\n</graphml>\n";
}

}  // namespace whence
