// whence._core: runs the commands of Whence inside Python, on tables that Python holds.
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "apps/whence/host.hpp"
#include "python/src/worker.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/single_file.hpp"
#include "whence/paper/experiment.hpp"
#include "whence/version.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace whence::python {
namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A table whose arrays stay Python's; they are not copied here.
class PythonTable {
 public:
  explicit PythonTable(std::size_t rows) : table_(std::make_shared<MemoryTable>()) {
    table_->rows = rows;
  }

  void add_numbers(std::string name, Numbers values) {
    require_rows(name, values.shape(0));
    MemoryColumn column{std::move(name), values.data()};
    column.stride = std::ptrdiff_t(values.stride(0)) * std::ptrdiff_t(sizeof(double));
    table_->columns.push_back(std::move(column));
    numbers_.push_back(std::move(values));
  }
  void add_texts(std::string name, Codes codes, std::vector<std::string> texts) {
    require_rows(name, codes.shape(0));
    for (std::size_t row = 0; row < table_->rows; ++row)
      if (codes(row) < -1 || codes(row) >= std::int64_t(texts.size()))
        throw nb::value_error("a code has no text");
    MemoryColumn column{std::move(name)};
    column.codes = codes.data();
    column.texts = std::move(texts);
    table_->columns.push_back(std::move(column));
    codes_.push_back(std::move(codes));
  }
  const std::shared_ptr<MemoryTable>& table() const { return table_; }

 private:
  void require_rows(const std::string& name, std::size_t rows) const {
    if (rows != table_->rows) throw nb::value_error((name + ": wrong number of rows").c_str());
  }
  std::shared_ptr<MemoryTable> table_;
  std::vector<Numbers> numbers_;
  std::vector<Codes> codes_;
};

/// What a command found, or will find, for Python.
class Found {
 public:
  Found(std::shared_ptr<Host> host, Outcome outcome)
      : host_(std::move(host)), outcome_(std::move(outcome)) {
    if (is_there()) host_->tables.clear();
  }

  bool interrupted() const { return outcome_.interrupted; }
  bool is_there() const { return outcome_.job == nullptr; }
  void wait() {
    if (is_there()) return;
    const std::shared_ptr<Job> job = outcome_.job;  // another thread may end its wait meanwhile
    wait_for(*job);
    outcome_.job.reset();
    host_->tables.clear();
  }
  const Answer& answer() const {
    if (!is_there()) throw nb::value_error("there is no answer yet");
    return host_->answer;
  }
  double seconds() const { return outcome_.seconds; }
  double engine_seconds() const { return host_->engine_seconds; }

 private:
  std::shared_ptr<Host> host_;
  Outcome outcome_;
};

using Files = std::vector<std::pair<std::string, nb::bytes>>;

std::shared_ptr<Found> run(const std::vector<std::string>& arguments,
                           nb::typed<nb::dict, std::string, PythonTable> tables,
                           const std::map<std::string, std::string>& texts, nb::object tick,
                           bool answers_early, double patience) {
  const auto host = std::make_shared<Host>();
  for (const auto& [name, table] : tables)
    host->tables.emplace(nb::cast<std::string>(name), nb::cast<PythonTable&>(table).table());
  host->texts = texts;
  return std::make_shared<Found>(
      host, run_and_watch(host, arguments, tables, tick, answers_early, patience));
}

Files files_of(const Found& found) {
  std::vector<OutputFile> made;
  guarded([&] {
    nb::gil_scoped_release unlocked;
    if (found.answer().files) made = found.answer().files();
  });
  Files files;
  for (const OutputFile& file : made)
    files.emplace_back(file.name, nb::bytes(file.content.data(), file.content.size()));
  return files;
}

void publish_files(const std::string& folder, const Files& files,
                   const std::vector<std::string>& command, int threads, double seconds) {
  std::vector<OutputFile> all;
  for (const auto& [name, content] : files)
    all.push_back({name, std::string(content.c_str(), content.size())});
  guarded([&] {
    nb::gil_scoped_release unlocked;
    OutputDirectory directory(folder);
    RunRecord record(command, threads > 0 ? threads : available_threads());
    if (command.size() > 1) record.timed(command[1], seconds);
    publish(directory, std::move(all), record);
  });
}

void save_csv(const PythonTable& table, const std::string& path) {
  guarded([&] {
    nb::gil_scoped_release unlocked;
    std::string text;
    write_csv(*table.table(), [&](std::string_view piece) { text += piece; });
    write_single_file(path, text, true);
  });
}

nb::bytes graph_text(const std::string& json, const std::string& format) {
  std::string text;
  guarded([&] {
    const auto known = graph_format_of(std::string_view(format));
    if (!known)
      throw Error(ExitCode::usage, "E-USAGE-CHOICE", "format", "there is no such format",
                  "json, dot, gml, graphml, edges, adjacency");
    text = write_graph(parse_graph(json, GraphFormat::json, "graph"), *known);
  });
  return nb::bytes(text.data(), text.size());
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.emplace_back(experiment.name);
  return names;
}

}  // namespace
}  // namespace whence::python

NB_MODULE(_core, m) {
  using namespace whence;
  using namespace whence::python;
  m.doc() = "The engine of Whence. Use the functions of the package instead.";

  nb::class_<PythonTable>(m, "Table", "Columns that count as a CSV file.")
      .def(nb::init<std::size_t>(), "rows"_a)
      .def("add_numbers", &PythonTable::add_numbers, "name"_a, nb::arg("values").noconvert())
      .def("add_texts", &PythonTable::add_texts, "name"_a, nb::arg("codes").noconvert(), "texts"_a);

  nb::class_<Found>(m, "Found", "What a command found.")
      .def_prop_ro("json", [](const Found& f) { return f.answer().json; })
      .def_prop_ro("screen", [](const Found& f) { return f.answer().screen; })
      .def_prop_ro("notes", [](const Found& f) { return f.answer().notes; })
      .def_prop_ro("warnings", [](const Found& f) { return f.answer().warnings; })
      .def_prop_ro("command", [](const Found& f) { return f.answer().command; })
      .def_prop_ro("interrupted", &Found::interrupted)
      .def_prop_ro("is_there", &Found::is_there, "Whether the answer is.")
      .def_prop_ro("seconds", &Found::seconds)
      .def_prop_ro("engine_seconds", &Found::engine_seconds)
      .def("wait", &Found::wait, "Until the answer is there.")
      .def("files", &files_of, "All files of the report, result.json first.");

  nb::set_leak_warnings(
      false);  // a job that was left alone keeps its tables until the process ends
  leave_without_jobs();
  m.def("run", &run, "arguments"_a, "tables"_a, "texts"_a, "tick"_a.none(), "answers_early"_a,
        "patience"_a);
  m.def("publish", &publish_files, "folder"_a, "files"_a, "command"_a, "threads"_a, "seconds"_a);
  m.def("save_csv", &save_csv, "table"_a, "path"_a);
  m.def("graph_text", &graph_text, "json"_a, "format"_a);
  m.def("need_labels", &need_labels, "texts"_a);
  m.def(
      "list_name", [](const std::string& name) { return list_name(name); }, "name"_a);
  m.def(
      "shell_words", [](const std::vector<std::string>& words) { return shell_words(words); },
      "words"_a);
  m.def(
      "shortest", [](double value) { return shortest(value); }, "value"_a);
  m.def("experiments", &experiment_names);
  m.def("version", [] { return std::string(version()); });
  m.def("revision", [] { return std::string(revision()); });
}
