// Graphs as CSV: a list of edges, or a matrix with the causes down and the effects across.
#include <algorithm>
#include <array>

#include "whence/core/text.hpp"
#include "whence/io/graph/graph_builder.hpp"
#include "whence/io/table/formats/csv_scanner.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

struct Row {
  std::vector<std::string> cells;
  std::uint64_t line = 0;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_formula_start(char c) {
  return std::string_view("=+-@\t\r").find(c) != std::string_view::npos;
}

/// A name that a spreadsheet would run as a formula stands behind an apostrophe, which belongs to
/// the file, not to the name; so does one that begins with such apostrophes itself.
bool needs_apostrophe(std::string_view name) {
  const std::size_t at = name.find_first_not_of('\'');
  return at != std::string_view::npos && is_formula_start(name[at]) &&
         (at > 0 || parse_field(name).kind != FieldKind::number);
}

std::string cell_of(std::string_view name) {
  const std::string text = (needs_apostrophe(name) ? "'" : "") + std::string(name);
  const bool blank_end = text.empty() || is_blank(text.front()) || is_blank(text.back());
  if (!blank_end && text.find_first_of(",;|\t\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string name_of_cell(const std::string& cell) {
  return !cell.empty() && cell[0] == '\'' && needs_apostrophe(std::string_view(cell).substr(1))
             ? cell.substr(1)
             : cell;
}

std::vector<Row> rows_of(std::string_view text, const std::string& file) {
  MemorySource source(file, text);
  CsvScanner scanner(source, {});
  refuse_other_formats(scanner.prefix(), file);
  scanner.set_delimiter(guess_delimiter(scanner.prefix(), scanner.prefix_is_all(), '.'));
  std::vector<Row> rows;
  std::string scratch;
  for (CsvBatch batch = scanner.next(); !batch.records.empty(); batch = scanner.next()) {
    std::size_t f = 0;
    for (const CsvRecord& record : batch.records) {
      Row& row = rows.emplace_back();
      row.line = record.line;
      for (std::size_t k = 0; k <= record.delimiters; ++k, ++f) {
        const std::string_view cell = field_text(batch, batch.fields[f], scratch);
        row.cells.emplace_back(batch.fields[f].quoted ? cell : trimmed(cell));
      }
    }
  }
  if (rows.empty())
    refuse_graph(
        "E-GRAPH-FORMAT", [&] { return file; }, "the file is empty");
  return rows;
}

Where at(const std::string& file, const Row& row) {
  return [&file, line = row.line] { return file + ":" + std::to_string(line); };
}

constexpr std::array<std::array<std::string_view, 2>, 4> edge_headers = {
    {{"cause", "effect"}, {"from", "to"}, {"source", "target"}, {"parent", "child"}}};

bool is_edge_list(const Row& header) {
  return header.cells.size() >= 2 &&
         std::any_of(edge_headers.begin(), edge_headers.end(), [&](const auto& pair) {
           return header.cells[0] == pair[0] && header.cells[1] == pair[1];
         });
}

NamedGraph edge_list(const std::vector<Row>& rows, const std::string& file) {
  const Row& header = rows[0];
  if (!is_edge_list(header))
    refuse_graph("E-GRAPH-FORMAT", at(file, header), "this is not the header of a list of edges",
                 "cause,effect and perhaps probability,in_graph");
  const auto column = [&](std::string_view name) {
    return std::size_t(std::find(header.cells.begin() + 2, header.cells.end(), name) -
                       header.cells.begin());
  };
  const std::size_t probability = column("probability"), in_graph = column("in_graph");
  GraphBuilder builder;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const Row& row = rows[r];
    const Where where = at(file, row);
    if (row.cells.size() != header.cells.size())
      refuse_graph("E-GRAPH-FORMAT", where,
                   "the row has " + std::to_string(row.cells.size()) + " fields, the header " +
                       std::to_string(header.cells.size()));
    const std::size_t cause = builder.add(name_of_cell(row.cells[0]), where, true);
    if (row.cells[1].empty()) continue;  // a variable by itself
    const std::size_t effect = builder.add(name_of_cell(row.cells[1]), where, true);
    GraphBuilder::Edge edge;
    if (probability < row.cells.size())
      edge.probability = probability_of(row.cells[probability], where);
    if (in_graph < row.cells.size()) edge.in_graph = yes_no_of(row.cells[in_graph], where);
    builder.connect(cause, effect, edge, where);
  }
  return std::move(builder).finish();
}

bool all_numbers(const Row& row) {
  return std::all_of(row.cells.begin(), row.cells.end(), [](const std::string& cell) {
    return parse_field(cell).kind == FieldKind::number;
  });
}

/// Names across the top and down the side, a corner cell where they meet; or numbers only.
NamedGraph adjacency(const std::vector<Row>& rows, const std::string& file) {
  const bool bare = all_numbers(rows[0]);
  const std::size_t first = bare ? 0 : 1, m = rows[0].cells.size() - first;
  GraphBuilder builder;
  for (std::size_t v = 0; v < m; ++v)
    builder.add(bare ? "X" + std::to_string(v) : name_of_cell(rows[0].cells[v + 1]),
                at(file, rows[0]));
  if (rows.size() != m + first)
    refuse_graph("E-GRAPH-MATRIX", at(file, rows.back()),
                 std::to_string(m) + " columns and " + std::to_string(rows.size() - first) +
                     " rows: the matrix is not square");
  bool plain = true;
  std::vector<double> values(m * m, 0.0);
  std::vector<const Row*> row_of(m, nullptr);
  for (std::size_t r = first; r < rows.size(); ++r) {
    const Where where = at(file, rows[r]);
    if (rows[r].cells.size() != m + first)
      refuse_graph("E-GRAPH-MATRIX", where,
                   "the row has " + std::to_string(rows[r].cells.size() - first) + " values, not " +
                       std::to_string(m));
    const auto cause = bare ? std::optional(r) : builder.find(name_of_cell(rows[r].cells[0]));
    if (!cause || row_of[*cause] != nullptr)
      refuse_graph("E-GRAPH-NAME", where,
                   "the row " + in_quotes(rows[r].cells[0]) +
                       (cause ? " is there twice" : " has no column of that name"));
    row_of[*cause] = &rows[r];
    for (std::size_t effect = 0; effect < m; ++effect) {
      const double value = probability_of(rows[r].cells[effect + first], where);
      plain = plain && (value == 0 || value == 1);
      values[*cause * m + effect] = value;
    }
  }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      if (values[i * m + j] == 0) continue;
      GraphBuilder::Edge edge;
      if (!plain) edge.probability = values[i * m + j];
      builder.connect(i, j, edge, at(file, *row_of[i]));
    }
  return std::move(builder).finish();
}

}  // namespace

NamedGraph parse_edge_list(std::string_view text, const std::string& file) {
  return edge_list(rows_of(text, file), file);
}

NamedGraph parse_adjacency(std::string_view text, const std::string& file) {
  return adjacency(rows_of(text, file), file);
}

NamedGraph parse_graph_csv(std::string_view text, const std::string& file) {
  const std::vector<Row> rows = rows_of(text, file);
  return is_edge_list(rows[0]) ? edge_list(rows, file) : adjacency(rows, file);
}

std::string write_edge_list(const NamedGraph& graph) {
  const bool probable = !graph.probabilities.empty();
  std::string out = probable ? "cause,effect,probability,in_graph\n" : "cause,effect\n";
  for (const std::string& name : graph.names)  // all of them first, in their order
    out += cell_of(name) + (probable ? ",,,\n" : ",\n");
  for_each_link(graph, [&](std::size_t i, std::size_t j) {
    out += cell_of(graph.names[i]) + "," + cell_of(graph.names[j]);
    if (probable)
      out += "," + shortest(graph.probability(i, j)) + "," +
             std::to_string(int(graph.graph.edge(VariableId(i), VariableId(j))));
    out += "\n";
  });
  return out;
}

std::string write_adjacency(const NamedGraph& graph, MatrixContent content) {
  const bool probable = content == MatrixContent::probabilities && !graph.probabilities.empty();
  std::string out = "cause (down) of effect (across)";
  for (const std::string& name : graph.names) out += "," + cell_of(name);
  out += "\n";
  for (std::size_t i = 0; i < graph.names.size(); ++i) {
    out += cell_of(graph.names[i]);
    for (std::size_t j = 0; j < graph.names.size(); ++j)
      out += "," + (probable ? shortest(graph.probability(i, j))
                             : std::to_string(int(graph.graph.edge(VariableId(i), VariableId(j)))));
    out += "\n";
  }
  return out;
}

}  // namespace whence
