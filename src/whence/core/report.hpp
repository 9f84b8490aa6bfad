// What an experiment found: curves, tables, figures and claims. Plain values; io/ writes them.
#pragma once

#include <functional>
#include <string>
#include <vector>

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
};

/// Rows of text for people and machines alike.
struct Table {
  std::string id, title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Something the paper says, and what was measured here.
struct Claim {
  std::string id;
  std::string paper;     // the claim, in our words
  std::string measured;  // what this run shows, with numbers
  bool holds = false;
  std::string why;  // when it does not hold, or needs a remark
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

/// Called with the share of work done, 0 to 1, from any thread but never from two at once.
using Progress = std::function<void(double)>;

}  // namespace whence
