#include "whence/io/graph/bif.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/graph/text_cursor.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

// Of all tables of a file: 64 MiB, and a few times that while they are put in order.
constexpr std::size_t max_cells = 8'000'000, most_bytes = std::size_t(256) << 20;
constexpr const char* bif_syntax = "E-BIF-SYNTAX";

struct Word {
  std::string text;
  std::size_t offset = 0;
  bool mark = false;  // one of { } ( ) [ ] , ; |
};

class BifReader {
 public:
  BifReader(std::string_view text, const std::string& file) : cursor_(text, file) { advance(); }

  DiscreteNetwork read() {
    while (!now_.text.empty() || now_.mark) {
      const Word start = take();
      if (start.text == "network")
        read_network();
      else if (start.text == "variable")
        read_variable();
      else if (start.text == "probability")
        read_probability();
      else
        cursor_.fail(bif_syntax,
                     "expected network, variable or probability, found " + in_quotes(start.text),
                     "", start.offset);
    }
    return finish();
  }

 private:
  struct Family {
    std::size_t child = 0;
    std::vector<std::size_t> parents;  // in the order of the file
    std::vector<double> cells;         // [configuration of these][level], NaN where not given
    std::size_t offset = 0;
  };

  // ---- words ----

  void advance() {
    skip_comments();
    now_ = {"", cursor_.at(), false};
    if (cursor_.at_end()) return;
    const char c = cursor_.peek();
    if (is_mark(c)) {
      now_.text = c;
      now_.mark = true;
      cursor_.skip();
      return;
    }
    if (c == '"') {
      const std::size_t length = cursor_.rest().substr(1).find('"');
      if (length == std::string_view::npos) cursor_.fail(bif_syntax, "this quote is never closed");
      now_.text = cursor_.rest().substr(1, length);
      cursor_.skip(length + 2);
      if (now_.text.empty()) cursor_.fail(bif_syntax, "an empty name", "", now_.offset);
      return;
    }
    const std::size_t begin = cursor_.at();
    while (!cursor_.at_end() && !TextCursor::is_blank(cursor_.peek()) && !is_mark(cursor_.peek()) &&
           cursor_.peek() != '"')
      cursor_.skip();
    now_.text = cursor_.between(begin, cursor_.at());
  }
  void skip_comments() {
    for (;;) {
      cursor_.skip_blanks();
      if (cursor_.accept("//")) {
        while (!cursor_.at_end() && cursor_.peek() != '\n') cursor_.skip();
      } else if (cursor_.rest().substr(0, 2) == "/*") {
        const std::size_t end = cursor_.rest().find("*/");
        if (end == std::string_view::npos) cursor_.fail(bif_syntax, "this comment is never closed");
        cursor_.skip(end + 2);
      } else {
        return;
      }
    }
  }
  static bool is_mark(char c) {
    return std::string_view("{}()[],;|").find(c) != std::string_view::npos;
  }
  Word take() {
    if (now_.text.empty()) cursor_.fail(bif_syntax, "the file ends too early");
    Word word = now_;
    advance();
    return word;
  }
  bool accept(char c) {
    if (!now_.mark || now_.text[0] != c) return false;
    advance();
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      cursor_.fail(bif_syntax,
                   std::string("expected '") + c + "', found " +
                       (now_.text.empty() ? "the end" : in_quotes(now_.text)),
                   "", now_.offset);
  }
  Word take_name() {
    if (now_.mark)
      cursor_.fail(bif_syntax, "expected a name, found '" + now_.text + "'", "", now_.offset);
    return take();
  }
  void skip_property() {
    while (!accept(';')) take();
  }

  // ---- blocks ----

  void read_network() {
    if (!now_.mark) network_.name = take().text;
    expect('{');
    while (!accept('}')) take();
  }

  void read_variable() {
    const Word name = take_name();
    Variable variable{name.text, Variable::Kind::categorical, 0};
    expect('{');
    while (!accept('}')) {
      const Word key = take_name();
      if (key.text == "property")
        skip_property();
      else if (key.text == "type")
        read_type(variable, key);
      else
        cursor_.fail(bif_syntax, "expected type or property, found " + in_quotes(key.text), "",
                     key.offset);
    }
    if (variable.levels < 1)
      cursor_.fail("E-BIF-NAME", "the variable " + in_quotes(name.text) + " has no levels", "",
                   name.offset);
    if (!numbers_.emplace(name.text, network_.variables.size()).second)
      cursor_.fail("E-BIF-NAME", "the variable " + in_quotes(name.text) + " is there twice", "",
                   name.offset);
    network_.variables.push_back(std::move(variable));
  }

  void read_type(Variable& variable, const Word& key) {
    if (take_name().text != "discrete")
      cursor_.fail(bif_syntax, "only discrete variables are read", "", key.offset);
    expect('[');
    const Word count = take_name();
    expect(']');
    expect('{');
    while (!accept('}')) {
      if (accept(',')) continue;
      const Word level = take_name();
      if (std::find(variable.level_names.begin(), variable.level_names.end(), level.text) !=
          variable.level_names.end())
        cursor_.fail("E-BIF-NAME", "the level " + in_quotes(level.text) + " is there twice", "",
                     level.offset);
      variable.level_names.push_back(level.text);
    }
    expect(';');
    variable.levels = int(variable.level_names.size());
    if (std::to_string(variable.levels) != count.text)
      cursor_.fail("E-BIF-NAME",
                   "the type promises " + printable(count.text) + " levels and lists " +
                       std::to_string(variable.levels),
                   "", count.offset);
  }

  std::size_t variable_of(const Word& name) const {
    const auto at = numbers_.find(name.text);
    if (at == numbers_.end())
      cursor_.fail("E-BIF-NAME", "there is no variable " + in_quotes(name.text), "", name.offset);
    return at->second;
  }

  void read_probability() {
    Family family;
    expect('(');
    family.offset = now_.offset;
    family.child = variable_of(take_name());
    if (accept('|')) {
      while (!accept(')')) {
        if (accept(',')) continue;
        const Word name = take_name();
        const std::size_t parent = variable_of(name);
        if (parent == family.child ||
            std::find(family.parents.begin(), family.parents.end(), parent) != family.parents.end())
          cursor_.fail("E-BIF-NAME", in_quotes(name.text) + " cannot be a parent here", "",
                       name.offset);
        family.parents.push_back(parent);
      }
    } else {
      expect(')');
    }
    std::size_t cells = levels(family.child);
    for (std::size_t p : family.parents) {
      cells *= levels(p);
      if (cells > max_cells) break;
    }
    if (cells > max_cells || (all_cells_ += cells) > max_cells)
      throw Error(ExitCode::resource, "E-LIMIT-TABLE", cursor_.place(family.offset),
                  "the tables have more than " + std::to_string(max_cells) + " cells");
    family.cells.assign(cells, std::nan(""));
    expect('{');
    while (!accept('}')) read_entry(family);
    for (const Family& other : families_)
      if (other.child == family.child)
        cursor_.fail(
            "E-BIF-TABLE",
            "the table of " + in_quotes(network_.variables[family.child].name) + " is there twice",
            "", family.offset);
    families_.push_back(std::move(family));
  }

  std::size_t levels(std::size_t v) const { return std::size_t(network_.variables[v].levels); }

  void read_entry(Family& family) {
    const std::size_t k = levels(family.child), rows = family.cells.size() / k;
    const std::size_t offset = now_.offset;
    if (accept('(')) {
      const std::size_t row = read_configuration(family);
      set_row(family, row, numbers(k, offset), offset);
      return;
    }
    const Word key = take_name();
    if (key.text == "property") return skip_property();
    if (key.text == "default") {
      default_row_[family.child] = numbers(k, offset);
    } else if (key.text == "table") {
      const auto values = numbers(family.cells.size(), offset);
      for (std::size_t row = 0; row < rows; ++row) {
        std::vector<double> p;
        for (std::size_t level = 0; level < k; ++level) p.push_back(values[level * rows + row]);
        set_row(family, row, p, offset);
      }
    } else {
      cursor_.fail(bif_syntax, "expected table, default, property or '('", "", key.offset);
    }
  }

  std::size_t read_configuration(const Family& family) {
    std::size_t row = 0;
    for (std::size_t p : family.parents) {
      while (accept(',')) {
      }
      const Word level = take_name();
      const auto& names = network_.variables[p].level_names;
      const auto at = std::find(names.begin(), names.end(), level.text);
      if (at == names.end())
        cursor_.fail(
            "E-BIF-NAME",
            in_quotes(level.text) + " is no level of " + in_quotes(network_.variables[p].name), "",
            level.offset);
      row = row * names.size() + std::size_t(at - names.begin());
    }
    expect(')');
    return row;
  }

  std::vector<double> numbers(std::size_t count, std::size_t offset) {
    std::vector<double> values;
    while (!accept(';')) {
      if (accept(',')) continue;
      const Word word = take_name();
      const ParsedField field = parse_field(word.text);
      const bool fits = field.kind == FieldKind::number || field.kind == FieldKind::underflow;
      if (!fits || field.value < 0)
        cursor_.fail("E-BIF-TABLE", in_quotes(word.text) + " is not a probability", "",
                     word.offset);
      values.push_back(field.value);
    }
    if (values.size() != count)
      cursor_.fail("E-BIF-TABLE",
                   std::to_string(values.size()) + " probabilities where " + std::to_string(count) +
                       " belong",
                   "", offset);
    return values;
  }

  void set_row(Family& family, std::size_t row, const std::vector<double>& p, std::size_t offset) {
    const std::size_t k = p.size();
    if (!std::isnan(family.cells[row * k]))
      cursor_.fail("E-BIF-TABLE", "these probabilities are there twice", "", offset);
    double sum = 0;
    for (double x : p) sum += x;
    if (!(std::fabs(sum - 1) <= 0.01))
      cursor_.fail("E-BIF-TABLE", "the probabilities sum to " + rounded(sum, 6),
                   "they must sum to 1", offset);
    rounded_rows_ += std::fabs(sum - 1) > 1e-9;
    for (std::size_t level = 0; level < k; ++level) family.cells[row * k + level] = p[level] / sum;
  }

  // ---- the whole ----

  DiscreteNetwork finish() {
    const std::size_t m = network_.variables.size();
    network_.graph = Graph(m);
    network_.tables.resize(m);
    for (Family& family : families_) {
      fill_default(family);
      for (std::size_t p : family.parents)
        network_.graph.set_edge(VariableId(p), VariableId(family.child));
      network_.tables[family.child] = reordered(family);
    }
    for (std::size_t v = 0; v < m; ++v)
      if (network_.tables[v].empty())
        throw Error(ExitCode::bad_data, "E-BIF-TABLE", cursor_.file(),
                    "there is no table for " + in_quotes(network_.variables[v].name));
    if (!network_.graph.is_acyclic())
      throw Error(ExitCode::bad_data, "E-GRAPH-CYCLE", cursor_.file(), "the graph has a cycle");
    if (rounded_rows_ > 0)
      network_.warnings.push_back(std::to_string(rounded_rows_) +
                                  " rows of tables do not sum to 1 exactly and were divided by "
                                  "their sum");
    return std::move(network_);
  }

  void fill_default(Family& family) {
    const std::size_t k = levels(family.child);
    const auto fallback = default_row_.find(family.child);
    for (std::size_t row = 0; row < family.cells.size() / k; ++row) {
      if (!std::isnan(family.cells[row * k])) continue;
      if (fallback == default_row_.end())
        cursor_.fail(
            "E-BIF-TABLE",
            "the table of " + in_quotes(network_.variables[family.child].name) + " is not complete",
            "", family.offset);
      set_row(family, row, fallback->second, family.offset);
    }
  }

  /// Parents in the order of the variables instead of the file's.
  std::vector<double> reordered(const Family& family) const {
    const std::size_t k = levels(family.child), n = family.parents.size();
    std::vector<std::size_t> sorted = family.parents;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> cells(family.cells.size());
    std::vector<std::size_t> level(network_.variables.size(), 0);
    for (std::size_t row = 0; row < cells.size() / k; ++row) {
      std::size_t rest = row, target = 0;
      for (std::size_t p = n; p-- > 0; rest /= levels(family.parents[p]))
        level[family.parents[p]] = rest % levels(family.parents[p]);
      for (std::size_t p : sorted) target = target * levels(p) + level[p];
      std::copy_n(&family.cells[row * k], k, &cells[target * k]);
    }
    return cells;
  }

  TextCursor cursor_;
  Word now_;
  DiscreteNetwork network_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<Family> families_;
  std::size_t all_cells_ = 0;
  std::map<std::size_t, std::vector<double>> default_row_;
  std::size_t rounded_rows_ = 0;
};

// ---- writing ----

std::string bif_name(const std::string& name) {
  const bool plain = name.find_first_of(" \t\r\n{}()[],;|\"") == std::string::npos &&
                     name.substr(0, 2) != "//" && name.substr(0, 2) != "/*";
  if (plain) return name;
  if (name.find('"') != std::string::npos)
    throw Error(ExitCode::bad_data, "E-GRAPH-NAME", "",
                "a BIF file cannot hold the name " + in_quotes(name), "names without quotes");
  return "\"" + name + "\"";
}

std::string row_text(const std::vector<double>& table, std::size_t row, std::size_t k) {
  std::string text;
  for (std::size_t level = 0; level < k; ++level)
    text += (level > 0 ? ", " : "") + shortest(table[row * k + level]);
  return text + ";\n";
}

std::string probability_block(const DiscreteNetwork& network, const Family& family) {
  const auto& variables = network.variables;
  const Variable& child = variables[family.child.value];
  const auto& table = network.tables[family.child.value];
  const auto k = std::size_t(child.levels);
  std::string out = "probability ( " + bif_name(child.name);
  if (family.parents.empty()) return out + " ) {\n  table " + row_text(table, 0, k) + "}\n";
  for (std::size_t p = 0; p < family.parents.size(); ++p)
    out += (p == 0 ? " | " : ", ") + bif_name(variables[family.parents[p].value].name);
  out += " ) {\n";
  for (std::size_t row = 0; row < table.size() / k; ++row) {
    std::size_t rest = row;
    std::string configuration;
    for (std::size_t p = family.parents.size(); p-- > 0;) {
      const Variable& parent = variables[family.parents[p].value];
      const auto n = std::size_t(parent.levels);
      configuration = bif_name(parent.level_names[rest % n]) + (configuration.empty() ? "" : ", ") +
                      configuration;
      rest /= n;
    }
    out += "  (" + configuration + ") " + row_text(table, row, k);
  }
  return out + "}\n";
}

}  // namespace

DiscreteNetwork parse_bif(std::string_view text, const std::string& file) {
  return BifReader(text, file).read();
}

DiscreteNetwork read_bif(const std::filesystem::path& path) {
  return parse_bif(read_text_file(path, most_bytes), printable(path.string()));
}

std::string write_bif(const DiscreteNetwork& network) {
  std::string out = "// probability ( effect | causes )\nnetwork " +
                    bif_name(network.name.empty() ? "unknown" : network.name) + " {\n}\n";
  for (const Variable& v : network.variables) {
    out += "variable " + bif_name(v.name) + " {\n  type discrete [ " + std::to_string(v.levels) +
           " ] { ";
    for (std::size_t k = 0; k < v.level_names.size(); ++k)
      out += (k > 0 ? ", " : "") + bif_name(v.level_names[k]);
    out += " };\n}\n";
  }
  for (const Family& family : network.graph.families()) out += probability_block(network, family);
  return out;
}

}  // namespace whence
