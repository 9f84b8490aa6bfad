// What an experiment found: curves, tables, figures and claims. Plain values; io/ writes them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/control.hpp"

namespace whence {

/// A quantity along x, summarised over runs: the median and the quartiles.
struct Curve {
  std::string id;     // "belief/N=10": stable, used in result.json and for file names
  std::string label;  // for people
  std::vector<double> x, median, q25, q75;
};

/// Curves drawn together.
struct Figure {
  std::string id, title, x_label, y_label;
  std::vector<std::string> curves;  // ids, in drawing order
  std::string caption;              // what the paper's figure shows, and what to look for here
  bool log_x = false, log_y = false;
  double y_min = 0, y_max = 0;  // equal: chosen from the data
  bool scatter = false;         // points (x, median), not lines
  std::string fit = {};         // of a scatter plot: the curve that is a line over the points
};

/// Rows of text for people and machines alike.
struct Table {
  std::string id, title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Whose statement a claim is. Authors are held to what they said, and to nothing else.
enum class ClaimKind {
  paper,      // the paper says so, and it is measured the way the paper says
  released,   // the same, done as the code does that its authors released
  corrected,  // the same, with the method corrected here
  control,    // not claimed by the authors: what would hold if the answer came from the cause alone
  aim,        // a figure that Whence sets itself
};

inline constexpr std::array all_claim_kinds = {ClaimKind::paper, ClaimKind::released,
                                               ClaimKind::corrected, ClaimKind::control,
                                               ClaimKind::aim};

/// As result.json spells it.
constexpr std::string_view name_of(ClaimKind kind) {
  constexpr std::string_view names[] = {"paper", "released", "corrected", "control", "aim"};
  return names[std::size_t(kind)];
}

/// A statement, and what was measured here.
struct Claim {
  std::string id;
  std::string paper;     // the statement, in our words
  std::string measured;  // what this run shows, with numbers
  bool holds = false;
  std::string why;  // when it does not hold, or needs a remark
  ClaimKind kind = ClaimKind::aim;
};

/// A named number, with the unit or meaning in its id.
struct Number {
  std::string id;
  double value = 0;
};

struct Report {
  std::string experiment, title, summary;  // summary: the answer in words
  std::string profile, scale;
  unsigned long long seed = 0;
  std::string settings_json;  // the complete settings of the run, as one JSON object
  std::vector<Curve> curves;
  std::vector<Figure> figures;
  std::vector<Table> tables;
  std::vector<Claim> claims;
  std::vector<Number> numbers;
  std::vector<std::string> assumptions, warnings;
  std::size_t failed_runs = 0;  // left out of everything above; a table says which
};

}  // namespace whence
