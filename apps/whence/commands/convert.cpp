#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/whence/commands.hpp"
#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/data_options.hpp"
#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/single_file.hpp"
#include "whence/io/graph/bif.hpp"
#include "whence/judge/graph_truth.hpp"

namespace whence {
namespace {

constexpr const char* format_names =
    "FORMAT:json|dot|gml|graphml|edges|adjacency|npy|bif|dcdi|enco|folder|table";

struct ConvertCommand {
  std::string in, out, from, to, index = "1", environment, baseline;
  bool probabilities = false, transposed_in = false, transposed_out = false, force = false;
};

/// A graph format, or how data are kept.
struct Format {
  std::optional<GraphFormat> graph;
  std::string data;  // "dcdi", "enco", "folder" or "table"
};

[[noreturn]] void refuse_format(const std::string& place, const std::string& problem,
                                const std::string& hint) {
  throw Error(ExitCode::usage, "E-USAGE-FORMAT", place, problem, hint);
}

Format named_format(const std::string& name) {
  if (const auto graph = graph_format_of(std::string_view(name))) return {graph, ""};
  return {std::nullopt, name};
}

Format input_format(const ConvertCommand& c) {
  if (!c.from.empty()) return named_format(c.from);
  const std::filesystem::path path(c.in);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    const bool dcdi = std::filesystem::exists(path / ("data_interv" + c.index + ".npy"), ignored);
    return {std::nullopt, dcdi ? "dcdi" : "folder"};
  }
  if (path.extension() == ".npz") return {std::nullopt, "enco"};
  if (!c.environment.empty()) return {std::nullopt, "table"};
  if (const auto graph = graph_format_of(path)) return {graph, ""};
  refuse_format(printable(c.in), "the name does not say which format this is", "--from FORMAT");
}

Format output_format(const ConvertCommand& c, bool data) {
  if (!c.to.empty()) return named_format(c.to);
  const std::filesystem::path path(c.out);
  if (path.extension() == ".npz") return {std::nullopt, "enco"};
  if (data && path.extension() == ".csv") return {std::nullopt, "table"};
  if (const auto graph = graph_format_of(path)) return {graph, ""};
  refuse_format(printable(c.out), "the name does not say which format is wanted", "--to FORMAT");
}

GraphData read_data(const ConvertCommand& c, const std::string& format) {
  if (format == "dcdi") return read_dcdi(c.in, count_of("--index", c.index, 0, 1'000'000));
  if (format == "enco") return read_enco(c.in);
  if (format == "folder") return read_simulation(c.in);
  if (c.environment.empty())
    refuse_format("--environment", "which column tells the environments of the table apart?",
                  "--environment COLUMN");
  GraphData data;
  const auto baseline = c.baseline.empty() ? std::nullopt : std::optional(c.baseline);
  data.loaded = read_long_table(c.in, c.environment, {}, baseline);
  data.targets.resize(data.loaded.data.environments.size());
  return data;
}

std::string graph_text(const NamedGraph& graph, GraphFormat format, const ConvertCommand& c) {
  if (format != GraphFormat::json && !names_are_printable(graph))
    print_warning(
        "some names hold control characters, which are written as \\xNN: only JSON keeps them");
  NamedGraph turned = graph;
  const std::size_t m = graph.names.size();
  for (std::size_t i = 0; c.transposed_out && i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      turned.graph.set_edge(VariableId(j), VariableId(i),
                            graph.graph.edge(VariableId(i), VariableId(j)));
      if (!graph.probabilities.empty())
        turned.probabilities[j * m + i] = graph.probabilities[i * m + j];
    }
  return write_graph(turned, format,
                     c.probabilities ? MatrixContent::probabilities : MatrixContent::graph);
}

void check_matrix_options(const ConvertCommand& c, const Format& from, const Format& to) {
  const auto is_matrix = [](const Format& f) {
    return f.graph == GraphFormat::npy || f.graph == GraphFormat::adjacency;
  };
  if (c.transposed_in && !is_matrix(from))
    refuse_format("--from-transposed", "only matrices can be read the other way round",
                  "leave it out");
  if ((c.transposed_out || c.probabilities) && !is_matrix(to))
    refuse_format(c.probabilities ? "--probabilities" : "--to-transposed",
                  "only matrices need this", "leave it out");
}

void keep_input(const ConvertCommand& c) {
  refuse_to_overwrite({c.in}, c.out, "choose another name for OUT");
}

/// One file, or a folder of them.
void write(const ConvertCommand& c, std::string content) {
  if (c.out == "-") return print(content);
  keep_input(c);
  write_single_file(c.out, content, c.force);
}
void write(const ConvertCommand& c, std::vector<OutputFile> files) {
  keep_input(c);
  OutputDirectory directory(c.out);
  RunRecord record({"whence", "convert", printable(c.in), printable(c.out)}, 1);
  publish(directory, std::move(files), record);
}

void convert_data(const ConvertCommand& c, const Format& from, const Format& to,
                  const Globals& globals) {
  const GraphData data = read_data(c, from.data);
  if (!globals.quiet)
    for (const std::string& warning : data.loaded.warnings) print_warning(warning);
  if (to.graph) {
    if (!data.truth)
      refuse_format(printable(c.in), "these data come without a graph",
                    "convert them to a data format");
    return write(c, graph_text(*data.truth, *to.graph, c));
  }
  if (to.data == "dcdi")
    return write(c, write_dcdi(data, count_of("--index", c.index, 0, 1'000'000)));
  if (to.data == "enco") return write(c, write_enco(data));
  if (to.data == "table") return write(c, write_long_table(data.loaded.data));
  write(c, simulation_files(data, known_truth_json(data)));
}

void convert_graph(const ConvertCommand& c, const Format& from, const Format& to) {
  if (!to.graph)
    refuse_format(printable(c.out), "a graph cannot become data",
                  "whence simulate graph --graph FILE; if IN is a table of data, --from table "
                  "--environment COLUMN");
  if (from.graph == GraphFormat::bif && to.graph == GraphFormat::bif)
    return write(c, write_bif(read_bif(c.in)));
  std::optional<GraphFormat> given;
  if (!c.from.empty()) given = from.graph;
  write(c, graph_text(read_graph_file(c.in, given, c.transposed_in), *to.graph, c));
}

void run(const ConvertCommand& c, const Globals& globals) {
  const Format from = input_format(c), to = output_format(c, !from.graph);
  check_matrix_options(c, from, to);
  from.graph ? convert_graph(c, from, to) : convert_data(c, from, to, globals);
  if (!globals.quiet && to.graph == GraphFormat::npy)
    print_note(c.transposed_out
                   ? "the column causes the row; the file does not say so, nor the names"
                   : "the row causes the column; the file does not say so, nor the names");
  if (!globals.quiet && (to.data == "dcdi" || to.data == "enco"))
    print_note("the format has no names: variables are X0, X1, ... when it is read, in this order");
}

}  // namespace

void add_convert(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand("convert", "graphs and data between file formats");
  app->group("Your data");
  const auto command = std::make_shared<ConvertCommand>();
  app->add_option("IN", command->in, "a file, or a folder of data")->required()->type_name("IN");
  app->add_option("OUT", command->out, "a file, a folder, or - for stdout")
      ->required()
      ->type_name("OUT");
  add_value(*app, "--from", command->from, format_names, "the format of IN")
      ->default_str("by its name");
  add_value(*app, "--to", command->to, format_names, "the format of OUT")
      ->default_str("by its name");
  add_value(*app, "--index", command->index, "N", "which data set of a DCDI folder");
  add_value(*app, "--environment", command->environment, "COLUMN",
            "the column that tells the environments of one table apart");
  add_value(*app, "--baseline", command->baseline, "NAME", "the baseline among them");
  app->add_flag("--probabilities", command->probabilities,
                "matrices hold the probabilities of edges, not the graph");
  app->add_flag("--from-transposed", command->transposed_in,
                "in the matrix that is read, the column causes the row");
  app->add_flag("--to-transposed", command->transposed_out, "the same for the one written");
  app->add_flag("--force", command->force, "replace OUT if it is a file that exists");
  app->footer(
      "Graphs: json, dot, gml, graphml, edges and adjacency (CSV), npy, bif. Data: dcdi and "
      "folder\n"
      "(folders), enco (.npz), table (CSV). Edges go from the cause to the effect; in matrices the "
      "row\ncauses the column. docs/formats.md has the details.\n"
      "Examples:\n"
      "  whence convert found/result.json graph.dot\n"
      "  whence convert data.npz table.csv --to table");
  app->callback([command, &globals] { run(*command, globals); });
}

}  // namespace whence
