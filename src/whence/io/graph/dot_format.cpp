// Graphviz DOT: directed graphs, read by the grammar of its language.
#include <set>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/graph/graph_builder.hpp"
#include "whence/io/graph/text_cursor.hpp"

namespace whence {
namespace {

struct Token {
  enum class Kind { id, arrow, line, mark, end };
  Kind kind = Kind::end;
  std::string text;
  std::size_t offset = 0;
  bool quoted = false;
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file) : cursor_(text, file) { advance(); }
  const Token& now() const { return now_; }
  const TextCursor& cursor() const { return cursor_; }

  void advance() {
    skip_comments();
    now_ = {Token::Kind::end, "", cursor_.at(), false};
    if (cursor_.at_end()) return;
    const char c = cursor_.peek();
    if (cursor_.accept("->"))
      now_.kind = Token::Kind::arrow;
    else if (cursor_.accept("--"))
      now_.kind = Token::Kind::line;
    else if (c == '"')
      read_quoted();
    else if (c == '<')
      read_markup();
    else if (is_letter(c) || is_digit(c) || c == '.' || c == '-')
      read_word();
    else if (std::string_view("{}[];,=:").find(c) != std::string_view::npos) {
      now_.kind = Token::Kind::mark;
      now_.text = c;
      cursor_.skip();
    } else {
      cursor_.fail(graph_syntax,
                   std::string("'") + printable(std::string(1, c)) + "' does not belong here",
                   "names with such characters are quoted");
    }
  }

 private:
  void skip_comments() {
    for (;;) {
      const bool line_start = cursor_.at() == 0 || last_was_newline_;
      last_was_newline_ = false;
      while (TextCursor::is_blank(cursor_.peek()) && !cursor_.at_end()) {
        last_was_newline_ = cursor_.peek() == '\n';
        cursor_.skip();
      }
      const bool begin = line_start || last_was_newline_;
      if (cursor_.accept("//") || (begin && cursor_.peek() == '#')) {
        while (!cursor_.at_end() && cursor_.peek() != '\n') cursor_.skip();
      } else if (cursor_.rest().substr(0, 2) == "/*") {
        const std::size_t start = cursor_.at();
        const std::size_t end = cursor_.rest().find("*/");
        if (end == std::string_view::npos)
          cursor_.fail(graph_syntax, "this comment is never closed", "", start);
        cursor_.skip(end + 2);
      } else {
        return;
      }
    }
  }

  void read_word() {
    const std::size_t begin = cursor_.at();
    cursor_.skip();
    while (is_letter(cursor_.peek()) || is_digit(cursor_.peek()) || cursor_.peek() == '.')
      cursor_.skip();
    now_.kind = Token::Kind::id;
    now_.text = cursor_.between(begin, cursor_.at());
  }

  /// "..." + "..."; inside, \" is a quote, \\ a backslash, and a backslash at the end of a line
  /// joins it with the next.
  void read_quoted() {
    now_.kind = Token::Kind::id;
    now_.quoted = true;
    do {
      if (!cursor_.accept("\"")) cursor_.fail(graph_syntax, "'+' joins quoted texts");
      while (!cursor_.accept("\"")) {
        if (cursor_.at_end())
          cursor_.fail(graph_syntax, "this quote is never closed", "", now_.offset);
        if (cursor_.accept("\\\""))
          now_.text += '"';
        else if (cursor_.accept("\\\\"))
          now_.text += '\\';
        else if (cursor_.accept("\\\n") || cursor_.accept("\\\r\n"))
          continue;
        else {
          now_.text += cursor_.peek();
          cursor_.skip();
        }
      }
      cursor_.skip_blanks();
    } while (cursor_.accept("+") && (cursor_.skip_blanks(), true));
  }

  /// <...>: labels with markup. They mean nothing here.
  void read_markup() {
    now_.kind = Token::Kind::id;
    now_.quoted = true;
    const std::size_t begin = cursor_.at();
    int open = 0;
    do {
      if (cursor_.at_end()) cursor_.fail(graph_syntax, "this '<' is never closed", "", begin);
      open += cursor_.peek() == '<' ? 1 : cursor_.peek() == '>' ? -1 : 0;
      cursor_.skip();
    } while (open > 0);
    now_.text = cursor_.between(begin, cursor_.at());
  }

  TextCursor cursor_;
  Token now_;
  bool last_was_newline_ = true;
};

class DotReader {
 public:
  DotReader(std::string_view text, const std::string& file) : lexer_(text, file) {}

  NamedGraph read() {
    accept_word("strict");
    if (accept_word("graph"))
      lexer_.cursor().fail("E-GRAPH-UNDIRECTED", "the graph is undirected",
                           "write 'digraph' and '->'", 0);
    if (!accept_word("digraph")) fail("expected 'digraph'");
    if (is_id()) lexer_.advance();
    statements(0);
    if (lexer_.now().kind != Token::Kind::end) fail("nothing may follow the graph");
    return std::move(builder_).finish();
  }

 private:
  using Nodes = std::set<std::size_t>;
  struct Attributes {
    GraphBuilder::Edge edge;
  };

  /// { ... }: every node named inside.
  Nodes statements(int depth) {
    if (depth > 100) fail("subgraphs are nested too deeply");
    expect('{');
    Nodes inside;
    while (!accept('}')) {
      if (accept(';') || accept(',')) continue;
      const Nodes named = statement(depth);
      inside.insert(named.begin(), named.end());
    }
    return inside;
  }

  Nodes statement(int depth) {
    if (accept_word("node") || accept_word("edge") || accept_word("graph")) {
      attributes();
      return {};
    }
    std::vector<Nodes> chain;
    const std::size_t offset = lexer_.now().offset;
    Nodes first = operand(depth);
    if (assigned_) {
      assigned_ = false;
      return {};
    }
    chain.push_back(std::move(first));
    while (lexer_.now().kind == Token::Kind::arrow || lexer_.now().kind == Token::Kind::line) {
      if (lexer_.now().kind == Token::Kind::line)
        lexer_.cursor().fail("E-GRAPH-UNDIRECTED", "an edge without direction", "write '->'",
                             lexer_.now().offset);
      lexer_.advance();
      chain.push_back(operand(depth));
    }
    const Attributes found = attributes();
    Nodes all = chain[0];
    for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
      require_few(chain[k].size() * chain[k + 1].size(), offset);
      for (std::size_t cause : chain[k])
        for (std::size_t effect : chain[k + 1]) {
          builder_.connect(cause, effect, found.edge, where(offset));
          all.insert(effect);
        }
    }
    return all;
  }

  /// {a b c} -> {d e f} stands for nine edges: a short text must not ask for millions.
  void require_few(std::size_t edges, std::size_t offset) {
    if (edges > 1) from_sets_ += edges;
    if (from_sets_ > most_from_sets)
      throw Error(
          ExitCode::resource, "E-LIMIT-GRAPH", lexer_.cursor().place(offset),
          "sets of variables stand for more than " + std::to_string(most_from_sets) + " edges",
          "list the edges, or give a matrix");
  }

  /// A node, with a port perhaps, or a subgraph; or "name = value", which means nothing here.
  Nodes operand(int depth) {
    if (accept_word("subgraph")) {
      if (is_id()) lexer_.advance();
      return statements(depth + 1);
    }
    if (is_mark('{')) return statements(depth + 1);
    const Token name = take_id();
    if (accept('=')) {
      take_id();
      assigned_ = true;
      return {};
    }
    for (int part = 0; part < 2 && accept(':'); ++part) take_id();
    return {builder_.add(name.text, where(name.offset), true)};
  }

  Attributes attributes() {
    Attributes found;
    while (accept('[')) {
      while (!accept(']')) {
        if (accept(';') || accept(',')) continue;
        const Token key = take_id();
        if (!accept('=')) continue;
        const Token value = take_id();
        if (key.text == "probability")
          found.edge.probability = probability_of(value.text, where(value.offset));
        if (key.text == "in_graph")
          found.edge.in_graph = yes_no_of(value.text, where(value.offset));
      }
    }
    return found;
  }

  Where where(std::size_t offset) const {
    return [this, offset] { return lexer_.cursor().place(offset); };
  }
  bool is_id() const { return lexer_.now().kind == Token::Kind::id; }
  bool is_mark(char c) const {
    return lexer_.now().kind == Token::Kind::mark && lexer_.now().text[0] == c;
  }
  bool accept(char c) {
    if (!is_mark(c)) return false;
    lexer_.advance();
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'");
  }
  /// Keywords are the same in any case, and none in quotes.
  bool accept_word(std::string_view word) {
    if (!is_id() || lexer_.now().quoted || lexer_.now().text.size() != word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
      if ((lexer_.now().text[i] | 0x20) != word[i]) return false;
    lexer_.advance();
    return true;
  }
  Token take_id() {
    if (!is_id()) fail("expected a name");
    Token token = lexer_.now();
    lexer_.advance();
    return token;
  }
  [[noreturn]] void fail(const std::string& problem) const {
    const Token& now = lexer_.now();
    lexer_.cursor().fail(
        graph_syntax,
        problem + (now.kind == Token::Kind::end ? std::string(", found the end")
                                                : ", found " + in_quotes(now.text)),
        "", now.offset);
  }

  static constexpr std::size_t most_from_sets = 100'000;
  Lexer lexer_;
  GraphBuilder builder_;
  std::size_t from_sets_ = 0;
  bool assigned_ = false;
};

std::string dot_text(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

NamedGraph parse_dot(std::string_view text, const std::string& file) {
  return DotReader(text, file).read();
}

std::string write_dot(const NamedGraph& graph) {
  std::string out = "// every arrow goes from the cause to the effect\ndigraph {\n";
  for (const std::string& name : graph.names) out += "  " + dot_text(name) + ";\n";
  for_each_link(graph, [&](std::size_t i, std::size_t j) {
    out += "  " + dot_text(graph.names[i]) + " -> " + dot_text(graph.names[j]);
    if (!graph.probabilities.empty()) {
      const bool in = graph.graph.edge(VariableId(i), VariableId(j));
      out += fmt::format(" [probability={}, in_graph={}{}]",
                         dot_text(shortest(graph.probability(i, j))), int(in),
                         in ? "" : ", style=dashed, constraint=false");
    }
    out += ";\n";
  });
  return out + "}\n";
}

}  // namespace whence
