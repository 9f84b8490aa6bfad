#include "bench/quality/graph_figure_rows.hpp"

#include <fmt/format.h>

namespace whence {

namespace {

class FigureRows {
 public:
  explicit FigureRows(bool smoke) : smoke_(smoke) {}

  std::vector<GraphBenchRow> all() {
    add_kinds();
    add_protocol();
    for (GraphMechanism kind : {GraphMechanism::linear, GraphMechanism::network}) {
      add_hidden(kind);
      add_drift(kind);
      add_damage(kind);
    }
    return std::move(rows_);
  }

 private:
  /// Ten variables, a baseline of 2000 rows and ten environments of 500.
  GraphBenchRow& add(GraphMechanism kind, const std::string& suffix, const std::string& title,
                     GraphFigure figure, std::size_t sets) {
    const std::string name(name_of(kind));
    GraphBenchRow row{name + suffix, title.empty() ? name + ", hard" : name + ", " + title,
                      smoke_ ? "er:4:2" : "er:10:15"};
    row.world.mechanism = kind;
    row.world.environments = smoke_ ? 4 : 10;
    row.world.rows = smoke_ ? 60 : 500;
    row.world.baseline_rows = smoke_ ? 120 : 2000;
    row.figure = figure;
    row.sets = smoke_ ? 1 : sets;
    rows_.push_back(std::move(row));
    return rows_.back();
  }

  void add_kinds() {
    for (GraphMechanism kind :
         {GraphMechanism::linear, GraphMechanism::network, GraphMechanism::square,
          GraphMechanism::sine, GraphMechanism::multiplicative, GraphMechanism::heteroscedastic,
          GraphMechanism::count, GraphMechanism::mixed}) {
      const bool mixed = kind == GraphMechanism::mixed;
      add(kind, "", "", mixed ? GraphFigure::mixed_accuracy : GraphFigure::accuracy, 30);
      add(kind, "-none", "nothing changes", GraphFigure::quiet, 10).world.shift = GraphShift::none;
      add(kind, "-all", "every mechanism redrawn", GraphFigure::all_changed, 10).world.shift =
          GraphShift::all_soft;
      add(kind, "-shuffled", "columns shuffled over all rows", GraphFigure::quiet, 10).shuffle =
          Shuffle::all_rows;
    }
  }

  void add_protocol() {
    GraphBenchRow& row = add(GraphMechanism::dense_network, "", "", GraphFigure::protocol, 30);
    row.name = "bacadi-nonlinear";
    row.title = "BaCaDI's nonlinear protocol, hard";
    if (smoke_) return;
    row.graph = "er:20:40";
    row.world.environments = 20;
    row.world.rows = 10;
    row.world.baseline_rows = 100;
  }

  void add_hidden(GraphMechanism kind) {
    for (std::size_t hidden : {1, 2})
      add(kind, fmt::format("-hidden-{}", hidden),
          fmt::format("{} hidden common cause{}", hidden, hidden == 1 ? "" : "s"),
          GraphFigure::hidden, 20)
          .world.hidden = hidden;
  }

  void add_drift(GraphMechanism kind) {
    for (int percent : {10, 20, 30})
      for (bool target : {true, false}) {
        GraphBenchRow& row = add(kind, fmt::format("-drift-{}{}", percent, target ? "" : "-none"),
                                 fmt::format("drift of {:.1f} noise deviations{}", percent / 100.0,
                                             target ? "" : ", no target"),
                                 target ? GraphFigure::drift : GraphFigure::drift_only, 10);
        row.world.drift = percent / 100.0;
        if (!target) row.world.shift = GraphShift::none;
      }
  }

  void add_damage(GraphMechanism kind) {
    add(kind, "-typo", "one cell mistyped", GraphFigure::damage, 20).world.typos = 1;
    add(kind, "-noise-rows", "1 % of the rows are noise", GraphFigure::damage, 20)
        .world.noise_rows = 0.01;
  }

  bool smoke_;
  std::vector<GraphBenchRow> rows_;
};

}  // namespace

std::vector<GraphBenchRow> graph_figure_rows(bool smoke) { return FigureRows(smoke).all(); }

}  // namespace whence
