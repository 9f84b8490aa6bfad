#include "bench/quality/table_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "bench/quality/altered_table.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/judge/summary.hpp"

namespace whence {
namespace {

constexpr double sure = 0.95;

/// What an answer says, by names: "a → b", "a — b" (something hidden), "environment: a" (changed).
struct Statements {
  std::map<std::string, double> arrows, hidden, changes;
  std::map<std::string, std::string> reversed;  // the same arrow the other way round
  std::vector<Remark> remarks;
};

std::string arrow(const std::string& cause, const std::string& effect) {
  return cause + " → " + effect;
}

Statements statements_of(const GraphResult& found) {
  Statements out;
  const auto& names = found.variables;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (i == j) continue;
      const std::string one = arrow(names[i], names[j]);
      out.arrows[one] = found.edges.at(i, j);
      out.reversed[one] = arrow(names[j], names[i]);
      if (found.hidden.variables > 0 && names[i] < names[j])
        out.hidden[names[i] + " — " + names[j]] = found.hidden.at(i, j);
    }
  for (const GraphEnvironment& e : found.environments)
    for (std::size_t v = 0; v < names.size() && !e.baseline; ++v)
      out.changes[e.name + ": " + names[v]] = e.changed[v];
  out.remarks = found.remarks;
  return out;
}

std::vector<std::string> sure_of(const std::map<std::string, double>& said) {
  std::vector<std::string> out;
  for (const auto& [what, p] : said)
    if (p > sure) out.push_back(what);
  return out;
}

/// One answer, beside that on the table as it is.
struct TableRun {
  std::size_t table = 0;
  Alteration as = Alteration::none;
  std::string model, problem;
  std::size_t rows = 0;
  double seconds = 0;
  Statements said;
  std::vector<PlantedCell> cells;
  std::vector<std::string> turned, made_sure;  // by a mistake
  std::size_t named = 0;                       // planted cells that a remark names
};

/// A mistake turned an arrow round: one of the answers is sure of it, and the other has it more
/// likely than not the other way round.
std::vector<std::string> turned_by(const Statements& before, const Statements& after) {
  const auto of = [](const Statements& said, const std::string& what) {
    const auto at = said.arrows.find(what);
    return at == said.arrows.end() ? 0 : at->second;
  };
  std::vector<std::string> out;
  for (const auto& [what, back] : before.reversed)
    if ((of(before, what) > sure && of(after, back) > 0.5) ||
        (of(after, back) > sure && of(before, what) > 0.5))
      out.push_back(what);
  return out;
}

/// Sure now, and not nearly so before.
std::vector<std::string> made_sure_by(const Statements& before, const Statements& after) {
  constexpr double nearly = 0.9;
  std::vector<std::string> out;
  const std::map<std::string, double> Statements::*kinds[] = {
      &Statements::arrows, &Statements::hidden, &Statements::changes};
  for (const auto kind : kinds)
    for (const std::string& what : sure_of(after.*kind)) {
      const auto at = (before.*kind).find(what);
      const double p = at == (before.*kind).end() ? 0 : at->second;
      if (p < nearly) out.push_back(fmt::format("{} ({:.2f} without)", what, p));
    }
  return out;
}

/// A remark names a cell by its column and the value that stands there.
std::size_t named_cells(const std::vector<PlantedCell>& cells, const std::vector<Remark>& remarks) {
  std::size_t named = 0;
  for (const PlantedCell& cell : cells)
    named += std::any_of(remarks.begin(), remarks.end(), [&](const Remark& r) {
      return r.code == RemarkCode::odd_cell && r.variables.at(0) == cell.column &&
             std::abs(r.numbers.at(1) - cell.value) <= 1e-9 * std::abs(cell.value);
    });
  return named;
}

class TableRuns {
 public:
  TableRuns(const TableBenchPlan& plan, const RunOptions& options)
      : plan_(plan), options_(options) {}

  std::vector<TableRun> all() {
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      run_table(t);
      if (options_.progress) options_.progress(double(t + 1) / double(plan_.tables.size()));
    }
    return std::move(runs_);
  }

 private:
  void run_table(std::size_t t) {
    const ListedTable& listed = plan_.tables[t];
    RawTable raw;
    try {
      ReadOptions whole = plan_.reading;
      whole.leave_out = true;
      raw = read_raw_table(listed.file, whole);
    } catch (const Error& error) {
      TableRun& run = runs_.emplace_back();
      run.table = t;
      run.problem = error.what();
      return;
    }
    const TableRun as_it_is = run_one(t, raw, Alteration::none, 0);
    runs_.push_back(as_it_is);
    if (!plan_.controls || !as_it_is.problem.empty()) return;
    for (const Alteration as : all_alterations) {
      const auto& wanted = listed.controls;
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name_of(as)) == wanted.end())
        continue;
      for (std::uint32_t k = 0; k < plan_.draws; ++k) {
        TableRun run = run_one(t, raw, as, k);
        if (as != Alteration::shuffled && run.problem.empty()) {
          run.turned = turned_by(as_it_is.said, run.said);
          run.made_sure = made_sure_by(as_it_is.said, run.said);
        }
        runs_.push_back(std::move(run));
      }
    }
  }

  TableRun run_one(std::size_t t, const RawTable& raw, Alteration as, std::uint32_t number) {
    const ListedTable& listed = plan_.tables[t];
    TableRun run;
    run.table = t;
    run.as = as;
    try {
      // Which columns hold numbers is decided by the unaltered table.
      AlteredTable made = altered(raw, as, listed.environment, numbers_, options_.seed,
                                  std::uint32_t(100 * t) + number);
      const LoadedData loaded = read(listed, made.table);
      if (as == Alteration::none) remember_numbers(loaded.data);
      GraphOptions how;
      how.seed = options_.seed;
      how.baseline = loaded.baseline;
      how.maybe_selected = !listed.assigned;
      if (loaded.entity.size() == loaded.data.rows()) how.entity = loaded.entity;
      const auto start = std::chrono::steady_clock::now();
      const GraphResult found = find_graph(loaded.data, how, {.threads = options_.threads});
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      run.rows = loaded.data.rows();
      run.model = std::string(name_of(found.model));
      run.seconds = taken.count();
      run.said = statements_of(found);
      run.cells = std::move(made.cells);
      run.named = named_cells(run.cells, found.remarks);
    } catch (const Error& error) {
      run.problem = error.what();
    }
    return run;
  }

  LoadedData read(const ListedTable& listed, std::shared_ptr<const MemoryTable> table) const {
    ReadOptions reading = plan_.reading;
    reading.columns = listed.columns;
    reading.exclude = listed.exclude;
    NamedFile file{listed.file};
    file.table = std::move(table);
    return read_long_table(file, listed.environment, reading,
                           listed.baseline.empty() ? std::nullopt : std::optional(listed.baseline));
  }

  /// Columns in which a mistake is one of measuring, not of coding.
  void remember_numbers(const Dataset& data) {
    constexpr std::size_t fewest_values = 20;
    numbers_.clear();
    for (std::size_t v = 0; v < data.variables.size(); ++v)
      if (data.variables[v].kind == Variable::Kind::real && data.variables[v].dimension == 1 &&
          std::set<double>(data.columns[v].values.begin(), data.columns[v].values.end()).size() >=
              fewest_values)
        numbers_.push_back(data.variables[v].name);
  }

  const TableBenchPlan& plan_;
  const RunOptions& options_;
  std::vector<std::string> numbers_;
  std::vector<TableRun> runs_;
};

// ---- the report --------------------------------------------------------------------------------

enum class Verdict { right, wrong, unknown };

Verdict judge(const ListedTable& table, const std::string& what) {
  const std::string separator = " → ";
  const std::size_t at = what.find(separator);
  const std::string cause = what.substr(0, at), effect = what.substr(at + separator.size());
  const auto any = [](const std::vector<ArrowPattern>& list, const std::string& a,
                      const std::string& b) {
    return std::any_of(list.begin(), list.end(),
                       [&](const ArrowPattern& p) { return p.fits(a, b); });
  };
  if (any(table.right, cause, effect)) return Verdict::right;
  if (any(table.impossible, cause, effect) || any(table.right, effect, cause))
    return Verdict::wrong;
  return Verdict::unknown;
}

std::string_view word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::right: return "right";
    case Verdict::wrong: return "wrong";
    case Verdict::unknown: return "not known";
  }
  return "?";
}

/// Counts of some runs.
struct Tally {
  std::size_t runs = 0, right = 0, wrong = 0, unknown = 0, hidden = 0, changes = 0;
  std::size_t turned = 0, made_sure = 0, cells = 0, named = 0;

  void add(const TableRun& run, const ListedTable& table) {
    if (!run.problem.empty()) return;
    ++runs;
    for (const std::string& what : sure_of(run.said.arrows)) {
      const Verdict verdict = judge(table, what);
      ++(verdict == Verdict::right ? right : verdict == Verdict::wrong ? wrong : unknown);
    }
    hidden += sure_of(run.said.hidden).size();
    changes += sure_of(run.said.changes).size();
    turned += run.turned.size();
    made_sure += run.made_sure.size();
    cells += run.cells.size();
    named += run.named;
  }
  std::size_t arrows() const { return right + wrong + unknown; }
};

/// The table as it is, its labels shuffled, and all of its mistakes.
struct Tallies {
  Tally recorded, shuffled, mistaken;
  void add(const TableRun& run, const ListedTable& table) {
    (run.as == Alteration::none       ? recorded
     : run.as == Alteration::shuffled ? shuffled
                                      : mistaken)
        .add(run, table);
  }
};

std::vector<std::string> row_of(const std::string& name, const std::string& rows,
                                const std::string& model, const Tallies& all) {
  const Tally &as_it_is = all.recorded, &none = all.shuffled, &typed = all.mistaken;
  const auto of_shuffled = [&](std::size_t n) { return none.runs ? std::to_string(n) : ""; };
  const auto of_typed = [&](std::string text) { return typed.runs ? std::move(text) : ""; };
  return {name,
          rows,
          model,
          fmt::format("{} / {} / {}", as_it_is.right, as_it_is.wrong, as_it_is.unknown),
          std::to_string(as_it_is.hidden),
          std::to_string(as_it_is.changes),
          of_shuffled(none.arrows()),
          of_shuffled(none.hidden),
          of_shuffled(none.changes),
          of_typed(std::to_string(typed.turned)),
          of_typed(std::to_string(typed.made_sure)),
          of_typed(fmt::format("{} of {}", typed.named, typed.cells))};
}

Table tables_table(const std::vector<TableRun>& runs, const std::vector<ListedTable>& tables) {
  Table out{"tables",
            "Each table: what was stated above .95, with shuffled labels, and with mistakes",
            {"table", "rows", "model", "arrows: right / wrong / not known", "hidden links",
             "changes", "shuffled: arrows", "hidden links ", "changes ", "mistakes: turned round",
             "made sure", "cells named"},
            {}};
  Tallies total;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    Tallies own;
    const TableRun* first = nullptr;
    for (const TableRun& run : runs) {
      if (run.table != t) continue;
      if (first == nullptr) first = &run;
      own.add(run, tables[t]);
      total.add(run, tables[t]);
    }
    out.rows.push_back(row_of(tables[t].name, std::to_string(first->rows), first->model, own));
  }
  out.rows.push_back(row_of("together", "", "", total));
  return out;
}

Table stated_table(const std::vector<TableRun>& runs, const std::vector<ListedTable>& tables) {
  Table out{"stated", "What was stated above .95", {"table", "as", "what", "which", "is"}, {}};
  for (const TableRun& run : runs) {
    if (run.as != Alteration::none && run.as != Alteration::shuffled) continue;
    const auto tell = [&](const char* what, const std::string& which, std::string_view is) {
      out.rows.push_back({tables[run.table].name, std::string(name_of(run.as)), what, which,
                          run.as == Alteration::shuffled ? "wrong" : std::string(is)});
    };
    for (const std::string& which : sure_of(run.said.arrows))
      tell("arrow", which, word_of(judge(tables[run.table], which)));
    for (const std::string& which : sure_of(run.said.hidden)) tell("hidden link", which, "");
    for (const std::string& which : sure_of(run.said.changes)) tell("change", which, "");
  }
  return out;
}

std::string cells_in_words(const std::vector<PlantedCell>& cells) {
  constexpr std::size_t most = 3;
  std::vector<std::string> words;
  for (const PlantedCell& cell : cells)
    if (words.size() < most) words.push_back(cell.column + " = " + rounded(cell.value, 6));
  return joined(words) + (cells.size() > most ? ", ..." : "");
}

Table mistakes_table(const std::vector<TableRun>& runs, const std::vector<ListedTable>& tables) {
  Table out{"mistakes",
            "What each mistake did",
            {"table", "mistake", "cells", "named", "turned round", "made sure"},
            {}};
  for (const TableRun& run : runs)
    if (run.as != Alteration::none && run.as != Alteration::shuffled && run.problem.empty())
      out.rows.push_back({tables[run.table].name, std::string(name_of(run.as)),
                          cells_in_words(run.cells), std::to_string(run.named), joined(run.turned),
                          joined(run.made_sure)});
  return out;
}

std::vector<Claim> claims_of(const std::vector<TableRun>& runs,
                             const std::vector<ListedTable>& tables) {
  Tallies all;
  for (const TableRun& run : runs) all.add(run, tables[run.table]);
  std::vector<Claim> claims;
  const auto none = [&](const char* id, const char* text, std::size_t n) {
    claims.push_back({id, text, std::to_string(n), n == 0, ""});
  };
  none("wrong-arrows", "no arrow above .95 that cannot be", all.recorded.wrong);
  if (all.shuffled.runs > 0) {
    none("shuffled-arrows", "labels shuffled: no arrow above .95", all.shuffled.arrows());
    none("shuffled-changes", "labels shuffled: no change above .95", all.shuffled.changes);
  }
  if (all.mistaken.runs > 0) {
    none("turned-round", "typing mistakes: no arrow turned round", all.mistaken.turned);
    none("made-sure", "typing mistakes: nothing becomes sure", all.mistaken.made_sure);
  }
  return claims;
}

Report make_report(const std::vector<TableRun>& runs, const std::vector<ListedTable>& tables) {
  Report report;
  report.title = "Tables of people";
  report.experiment = "bench-tables";
  report.tables = {tables_table(runs, tables), stated_table(runs, tables),
                   mistakes_table(runs, tables)};
  report.claims = claims_of(runs, tables);
  for (const TableRun& run : runs)
    if (!run.problem.empty())
      report.warnings.push_back(
          fmt::format("{}, {}: {}", tables[run.table].name, name_of(run.as), run.problem));
  report.assumptions = {
      "Wrong: an arrow that the list calls impossible, or the reverse of one that it calls right.",
      "Shuffled labels: environments dealt out to the rows at random, so that nothing changes.",
      "Turned round by a mistake: one answer is above .95, the other prefers the reverse. Made "
      "sure: above .95 with the mistake, below .9 without."};
  return report;
}

Report make_speed_report(const std::vector<TableRun>& runs,
                         const std::vector<ListedTable>& tables) {
  Report report;
  report.title = "Time on tables";
  report.experiment = "bench-tables-speed";
  Table table{"seconds", "Seconds of each answer", {"table", "as", "seconds"}, {}};
  for (const TableRun& run : runs)
    table.rows.push_back(
        {tables[run.table].name, std::string(name_of(run.as)), show(run.seconds, 3)});
  report.tables = {std::move(table)};
  return report;
}

}  // namespace

RealBenchmark bench_tables(const TableBenchPlan& plan, const RunOptions& options) {
  const std::vector<TableRun> runs = TableRuns(plan, options).all();
  return sealed({make_report(runs, plan.tables), make_speed_report(runs, plan.tables)},
                options.seed);
}

}  // namespace whence
