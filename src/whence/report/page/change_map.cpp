#include "whence/report/page/change_map.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "whence/io/json/markup.hpp"

namespace whence {

std::string short_name(const std::string& name, std::size_t most) {
  const auto points = code_points(name);
  if (points.size() <= most) return name;
  std::size_t bytes = 0;
  for (std::size_t k = 0; k + 1 < most && bytes < name.size(); ++k) do
      ++bytes;
    while (bytes < name.size() && (static_cast<unsigned char>(name[bytes]) & 0xC0) == 0x80);
  return name.substr(0, bytes) + "…";
}

std::string map_percent(double p) {
  if (p > 0.999) return "> 99.9 %";
  if (p < 0.001) return "< 0.1 %";
  return fmt::format("{:.1f} %", 100 * p);
}

namespace {

/// Where the parts of the map stand: cells as large as a page has room for, margins as wide as the
/// longest names.
struct MapFrame {
  double cell, row, left, top, right, bottom;
  bool upright;  // names across stand upright, where cells are small
  bool numbers;  // cells show their probability

  explicit MapFrame(const GraphView& view) {
    constexpr double page = 1060, apart = 26, widest_cell = 34, smallest_cell = 9;
    std::size_t across = std::string_view("everything").size(), down = 0;
    for (const std::string& name : view.variables) across = std::max(across, letters(name, 16));
    for (const auto& e : view.environments) down = std::max(down, letters(e.name, 20));
    left = 14 + 6.6 * double(down);
    const double columns = double(view.variables.size() + 2);
    cell = std::clamp(std::floor((page - left - apart) / columns), smallest_cell, widest_cell);
    upright = cell < 14;
    numbers = cell >= 24;
    row = std::clamp(cell, 14.0, 24.0);
    const double name = (upright ? 5.6 : 6.6) * double(across);
    top = 12 + (upright ? name : 0.82 * name);
    right = upright ? 8 : 8 + 0.57 * name;
    // Far from the names above, they are needed below as well.
    bottom = view.environments.size() > 30 ? top : 8;
  }

 private:
  static std::size_t letters(const std::string& name, std::size_t most) {
    std::size_t count = 0;
    for (const char32_t c : code_points(short_name(name, most))) count += c < 0x1100 ? 1 : 2;
    return count;
  }
};

std::string heat_cell(const GraphView& view, std::size_t e, std::size_t column, double p, double x,
                      double y, const MapFrame& frame) {
  if (p < 0.005) return {};
  const std::size_t m = view.variables.size();
  const std::string what = column < m    ? view.variables[column] + " changed"
                           : column == m ? std::string("everything changed")
                                         : std::string("nothing changed");
  std::string out = fmt::format(
      "<rect class=\"g-heat\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "fill-opacity=\"{:.3f}\"><title>{}: {}, {}</title></rect>\n",
      x + 1, y + 1, frame.cell - 2, frame.row - 2, p, escape_markup(view.environments[e].name),
      escape_markup(what), escape_markup(map_percent(p)));
  if (frame.numbers)
    out += fmt::format(
        "<text class=\"g-cell{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.0f}</text>\n",
        p > 0.55 ? " on" : "", x + frame.cell / 2, y + frame.row / 2 + 3.8, 100 * p);
  return out;
}

/// The names of the columns, above the map or below it.
std::string column_names(const GraphView& view, const MapFrame& frame, double y, bool above,
                         const auto& x_of) {
  const std::size_t m = view.variables.size();
  std::string out;
  for (std::size_t c = 0; c < m + 2; ++c)
    out += fmt::format(
        "<text class=\"g-name{}\" transform=\"translate({:.1f} {:.0f}) rotate({})\"{}>{}</text>\n",
        frame.upright ? " small" : "", x_of(c) + frame.cell * 0.7, y, frame.upright ? -90 : -55,
        above ? "" : " text-anchor=\"end\"",
        c < m    ? escape_markup(short_name(view.variables[c]))
        : c == m ? std::string("everything")
                 : std::string("nothing"));
  return out;
}

/// What the colours mean: a step for every tenth.
std::string colour_scale(double left, double y) {
  constexpr double width = 20, height = 12;
  std::string out;
  for (int tenth = 0; tenth <= 10; ++tenth)
    out += fmt::format(
        "<rect class=\"g-heat g-step\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" fill-opacity=\"{:.1f}\"/>\n",
        left + width * tenth, y, width, height, 0.1 * tenth);
  const auto label = [&](int tenth, const char* words, const char* anchor) {
    out += fmt::format(
        "<text class=\"g-name\" x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\">{}</text>\n",
        left + width * (tenth + 0.5), y + height + 14, anchor, words);
  };
  label(0, "0 %", "middle");
  label(5, "50 %", "middle");
  label(10, "100 %", "middle");
  out += fmt::format(
      "<text class=\"g-name\" x=\"{:.0f}\" y=\"{:.0f}\">probability that the mechanism "
      "changed</text>\n",
      left + width * 11 + 10, y + height - 2);
  return out;
}

}  // namespace

std::string change_map(const GraphView& view) {
  const std::size_t m = view.variables.size();
  const MapFrame frame(view);
  constexpr double scale_height = 44;
  const double size = frame.cell, end = frame.top + frame.row * double(view.environments.size());
  const auto x_of = [&](std::size_t c) {
    return frame.left + size * double(c) + (c >= m ? 12 : 0);
  };
  std::string out = fmt::format(
      "<svg class=\"g-map\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"Environments down, variables across: the darker a cell, the more "
      "probable it is that the mechanism of the variable changed. The table below says the "
      "same.\">\n",
      std::max(x_of(m + 2) + frame.right, frame.left + 500), end + frame.bottom + scale_height);
  out += column_names(view, frame, frame.top - 6, true, x_of);
  if (frame.bottom >= frame.top) out += column_names(view, frame, end + 8, false, x_of);
  constexpr std::size_t apart = 5;  // lines down, for the eye to follow
  for (std::size_t c = apart; m > 2 * apart && c < m; c += apart)
    out += fmt::format("<path class=\"g-row\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x_of(c), frame.top,
                       end);
  for (std::size_t e = 0; e < view.environments.size(); ++e) {
    const GraphView::Environment& one = view.environments[e];
    const double y = frame.top + frame.row * double(e);
    out += fmt::format(
        "<text class=\"g-name\" x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>"
        "<path class=\"g-row\" d=\"M{:.0f} {:.1f}H{:.0f}\"/>\n",
        frame.left - 8, y + frame.row * 0.72, escape_markup(short_name(one.name, 20)), frame.left,
        y + frame.row, x_of(m + 1) + size);
    for (std::size_t c = 0; c < m && c < one.changed.size(); ++c)
      out += heat_cell(view, e, c, one.changed[c], x_of(c), y, frame);
    if (one.baseline) continue;
    out += heat_cell(view, e, m, one.all_changed, x_of(m), y, frame);
    out += heat_cell(view, e, m + 1, one.none_changed, x_of(m + 1), y, frame);
  }
  return out + colour_scale(frame.left, end + frame.bottom + 12) + "</svg>\n";
}

}  // namespace whence
