#include "whence/report/page/svg_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "whence/io/json/markup.hpp"
#include "whence/report/page/axis.hpp"
#include "whence/report/page/polyline.hpp"

namespace whence {
namespace {

// Okabe and Ito's colours, the pale ones darkened until they stand out from white by 3 : 1.
struct Look {
  std::string_view colour, dash;
};
constexpr std::array<Look, 8> looks = {{{"#0072b2", ""},
                                        {"#d55e00", "7 3"},
                                        {"#009e73", "2.5 2.5"},
                                        {"#c0649a", "10 3 2.5 3"},
                                        {"#b07800", "14 4"},
                                        {"#2f93cc", "5 2 2 2 2 2"},
                                        {"#4d5359", "4 5"},
                                        {"#882255", "12 2 4 2"}}};

constexpr std::string_view ink = "#1c2126", muted = "#59636e", grid = "#e3e5e8", line = "#8a939c";
constexpr std::size_t few = 16;  // a curve of so few points shows each of them

/// Where the parts of a drawing lie, in pixels.
struct Layout {
  double width = 640, height = 400;
  double left = 60, right = 16, top = 12, bottom = 50;
  double edge = 8;  // where texts begin
};

struct Plot {
  Figure figure;
  std::vector<const Curve*> curves;
  Axis x, y;
  std::vector<Tick> x_ticks, y_ticks;
  Layout layout;
};

// ---- words ----------------------------------------------------------------------------------

/// Width in pixels, an upper estimate: the font of the reader is not known here.
double text_width(std::string_view text, double size) {
  double em = 0;
  for (char32_t p : code_points(text)) {
    if (p >= 0x1100 && !(p >= 0x2000 && p < 0x2E80))
      em += 1.05;  // full-width scripts
    else if (p == 0x2009)
      em += 0.25;
    else if (p < 0x80 && std::string_view("iljtfrI.,:;|!'()[] ").find(char(p)) != std::string::npos)
      em += 0.36;
    else if (p < 0x80 && std::string_view("mwMW@%").find(char(p)) != std::string::npos)
      em += 0.92;
    else
      em += 0.62;
  }
  return em * size;
}

/// The text, cut to a width with an ellipsis; escaped.
std::string fitted(const std::string& text, double size, double width) {
  std::string kept = text;
  while (!kept.empty() && text_width(kept, size) > width) {
    // Long names lose their tail in big bites first.
    std::size_t keep = kept.size() > 400 ? 400 : kept.size() - 1;
    while (keep > 0 && (static_cast<unsigned char>(kept[keep]) & 0xC0) == 0x80) --keep;
    kept.resize(keep);
  }
  return escape_markup(kept) + (kept.size() < text.size() ? "…" : "");
}

const std::string& curve_name(const Curve& curve) {
  return curve.label.empty() ? curve.id : curve.label;
}

/// What a listener needs: the axes, and where each curve starts and ends.
std::string description(const Plot& plot) {
  if (plot.figure.scatter) {
    std::string out =
        fmt::format("Scatter plot of {} against {}.", plot.figure.y_label, plot.figure.x_label);
    for (const Curve* curve : plot.curves)
      out += fmt::format(" {}: {} points.", curve_name(*curve), curve->x.size());
    return out;
  }
  std::string out = fmt::format(
      "Line chart of {} against {}; lines are medians, bands reach from "
      "the 25 % to the 75 % quantile.",
      plot.figure.y_label, plot.figure.x_label);
  for (const Curve* curve : plot.curves) {
    const std::size_t n = std::min(curve->x.size(), curve->median.size());
    if (n == 0) continue;
    out += fmt::format(" {}: {} at {}, {} at {}.", curve_name(*curve),
                       human_number(curve->median[0]), human_number(curve->x[0], 6),
                       human_number(curve->median[n - 1]), human_number(curve->x[n - 1], 6));
  }
  return out;
}

std::string text_element(double x, double y, std::string_view anchor, double size,
                         std::string_view kind, const std::string& escaped) {
  return fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\" class=\"w-{}\" fill=\"{}\">{}"
      "</text>\n",
      coordinate(x), coordinate(y), anchor, coordinate(size), kind, kind == "ink" ? ink : muted,
      escaped);
}

std::string line_element(double x1, double y1, double x2, double y2, std::string_view kind,
                         std::string_view colour, std::string_view more = "") {
  return fmt::format(
      "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"w-{}\" stroke=\"{}\"{}/>\n",
      coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2), kind, colour, more);
}

// ---- ranges ---------------------------------------------------------------------------------

bool has_band(const Curve& curve) {
  return curve.q25.size() == curve.x.size() && curve.q75.size() == curve.x.size();
}

Extent extent_of(const std::vector<const Curve*>& curves, bool positive,
                 std::initializer_list<std::vector<double> Curve::*> members) {
  Extent out;
  for (const Curve* curve : curves)
    for (auto member : members)
      for (double value : curve->*member)
        if (!positive || value >= 1e-300) out.include(value);
  return out;
}

Axis x_axis(const Plot& plot) {
  bool points = plot.figure.scatter, whole = true;
  for (const Curve* curve : plot.curves) {
    points = points || curve->x.size() <= few;
    for (double x : curve->x) whole = whole && x == std::floor(x);
  }
  Axis axis = fit_axis(extent_of(plot.curves, plot.figure.log_x, {&Curve::x}), plot.figure.log_x,
                       points ? 0.03 : 0);
  axis.whole = whole;
  return axis;
}

bool range_given(const Figure& figure) {
  return can_be_drawn(figure.y_min, figure.y_max, figure.log_y);
}

Axis y_axis(const Plot& plot) {
  const Figure& f = plot.figure;
  if (range_given(f)) return {f.y_min, f.y_max, f.log_y};
  const auto all = {&Curve::median, &Curve::q25, &Curve::q75};
  return fit_axis(extent_of(plot.curves, f.log_y, all), f.log_y, 0.04);
}

/// As many ticks as fit side by side.
void choose_x_ticks(Plot& plot, double width) {
  const Axis unrounded = plot.x;
  for (int wanted = std::max(2, int(width / 100)); wanted >= 2; --wanted) {
    plot.x = round_off(unrounded, wanted);
    plot.x_ticks = ticks(plot.x, wanted);
    plot.x.start = 0, plot.x.end = width;
    double free_from = -1e9;
    bool fits = true;
    for (const Tick& tick : plot.x_ticks) {
      if (tick.label.empty()) continue;
      const double half = text_width(tick.label, 12) / 2, at = plot.x.pixel(tick.value);
      fits = fits && at - half >= free_from;
      free_from = at + half + 8;
    }
    if (fits) return;
  }
}

/// Axes and ticks first, then the margins that their labels need, then the pixels.
Plot plan(const Figure& figure, std::span<const Curve> curves, Layout layout) {
  Plot plot;
  plot.figure = figure;
  for (const std::string& id : figure.curves)
    for (const Curve& curve : curves)
      if (curve.id == id) {
        plot.curves.push_back(&curve);
        break;
      }
  plot.x = x_axis(plot);
  plot.y = y_axis(plot);
  plot.y_ticks = ticks(plot.y, int((layout.height - layout.top - layout.bottom) / 52));
  double widest = 0;
  for (const Tick& tick : plot.y_ticks) widest = std::max(widest, text_width(tick.label, 12));
  layout.left = std::min(widest + layout.edge + 8, layout.width / 2);
  choose_x_ticks(plot, layout.width - layout.left - layout.right);
  if (!plot.x_ticks.empty())  // the last label may hang over the end of the axis
    layout.right = std::max(layout.right, text_width(plot.x_ticks.back().label, 12) / 2 + 4);
  plot.layout = layout;
  plot.x.start = layout.left, plot.x.end = layout.width - layout.right;
  plot.y.start = layout.height - layout.bottom, plot.y.end = layout.top;
  return plot;
}

// ---- frame ----------------------------------------------------------------------------------

/// One half on an axis that was declared as one of probabilities; otherwise zero, where the axis
/// passes through it.
std::string reference_line(const Plot& plot) {
  const Axis& y = plot.y;
  if (y.logarithmic) return {};
  const bool probability = range_given(plot.figure) && y.low >= -0.05 && y.high <= 1.05;
  const double level = probability && y.low <= 0.5 ? 0.5 : 0;
  if (y.low > level || y.high < level || (level == 0 && y.low == 0)) return {};
  return line_element(plot.x.start, y.pixel(level), plot.x.end, y.pixel(level), "ref", line,
                      " stroke-dasharray=\"1.5 3\" stroke-width=\"1.2\"");
}

std::string frame(const Plot& plot) {
  const double x0 = plot.x.start, x1 = plot.x.end, y0 = plot.y.start;
  std::string out;
  for (const Tick& tick : plot.y_ticks) {
    const double at = plot.y.pixel(tick.value);
    if (tick.label.empty()) {
      out += line_element(x0 - 3, at, x0, at, "axis", line);
      continue;
    }
    out += line_element(x0, at, x1, at, "grid", grid);
    out += text_element(x0 - 8, at + 4, "end", 12, "muted", tick.label);
  }
  for (const Tick& tick : plot.x_ticks) {
    const double at = plot.x.pixel(tick.value);
    out += line_element(at, y0, at, y0 + (tick.label.empty() ? 3 : 5), "axis", line);
    if (!tick.label.empty()) out += text_element(at, y0 + 19, "middle", 12, "muted", tick.label);
  }
  out += line_element(x0, y0, x1, y0, "axis", line);
  out += text_element((x0 + x1) / 2, y0 + 40, "middle", 12.5, "ink",
                      fitted(plot.figure.x_label, 12.5, plot.layout.width - 16));
  out += text_element(plot.layout.edge, plot.y.end - 14, "start", 12.5, "ink",
                      fitted(plot.figure.y_label, 12.5, plot.layout.width - 16));
  return out + reference_line(plot);
}

// ---- curves ---------------------------------------------------------------------------------

std::vector<Point> pixels(const Plot& plot, const Curve& curve, const std::vector<double>& values) {
  std::vector<Point> out;
  const std::size_t n = std::min(curve.x.size(), values.size());
  for (std::size_t i = 0; i < n; ++i)
    out.push_back({plot.x.pixel(curve.x[i]), plot.y.pixel(values[i])});
  return out;
}

/// There and back: upper edge forwards, lower edge backwards. A single point gives a bar.
std::string band_path(const Plot& plot, const Curve& curve) {
  auto upper = pixels(plot, curve, curve.q75), lower = pixels(plot, curve, curve.q25);
  for (std::size_t i = 0; i < upper.size(); ++i)  // a gap in one edge is a gap in the band
    if (std::isnan(upper[i].y) || std::isnan(lower[i].y)) upper[i].y = lower[i].y = NAN;
  const auto tops = stretches(upper), bottoms = stretches(lower);
  std::string fill, bars;
  for (std::size_t i = 0; i < tops.size(); ++i) {
    auto top = simplify(tops[i]), bottom = simplify(bottoms[i]);
    std::reverse(bottom.begin(), bottom.end());
    (tops[i].size() == 1 ? bars : fill) +=
        path_data(top) + path_data(bottom, true) + (tops[i].size() == 1 ? "" : "z");
  }
  std::string out;
  if (!fill.empty())
    out += fmt::format("<path d=\"{}\" fill=\"currentColor\" fill-opacity=\".17\"/>\n", fill);
  if (!bars.empty())
    out += fmt::format(
        "<path d=\"{}\" stroke=\"currentColor\" stroke-opacity=\".4\" stroke-width=\"4\"/>\n",
        bars);
  return out;
}

/// Colours come round after the eighth curve, but with another dash each time.
std::string dash_attribute(std::size_t i) {
  const std::string_view dash = looks[(i + i / looks.size()) % looks.size()].dash;
  return dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash);
}

std::string median_path(const Plot& plot, const Curve& curve, std::size_t index) {
  const auto points = pixels(plot, curve, curve.median);
  std::string path, dots;
  for (const auto& stretch : stretches(points)) {
    path += path_data(simplify(stretch));
    if (stretch.size() > 1 && points.size() > few) continue;
    for (Point p : stretch)
      dots += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"currentColor\"/>\n",
                          coordinate(p.x), coordinate(p.y));
  }
  if (path.empty()) return {};
  const bool solid = plot.figure.scatter;
  return fmt::format(
             "<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" "
             "stroke-linejoin=\"round\"{}/>\n",
             path, solid ? "" : dash_attribute(index)) +
         (solid ? "" : dots);
}

/// Small and see-through: a thousand of them still show where they are dense.
std::string point_marks(const Plot& plot, const Curve& curve) {
  std::string path;
  for (Point p : pixels(plot, curve, curve.median))
    if (std::isfinite(p.x) && std::isfinite(p.y))
      path += fmt::format("M{} {}h0", coordinate(p.x), coordinate(p.y));
  return fmt::format(
      "<path d=\"{}\" stroke=\"currentColor\" stroke-width=\"3.5\" stroke-linecap=\"round\" "
      "stroke-opacity=\".5\" fill=\"none\"/>\n",
      path);
}

/// Points, or a line with its band.
bool is_line(const Plot& plot, std::size_t i) {
  return !plot.figure.scatter || plot.curves[i]->id == plot.figure.fit;
}

/// A line over points is grey: colours tell points apart.
std::size_t look_of(const Plot& plot, std::size_t i) {
  return plot.figure.scatter && is_line(plot, i) ? svg_fit_look : i;
}

std::string curve_group(std::size_t i, const std::string& content) {
  return fmt::format("<g class=\"w-c{}\" color=\"{}\" data-curve=\"{}\">\n{}</g>\n",
                     i % looks.size(), looks[i % looks.size()].colour, i, content);
}

/// All bands lie below all lines. The inner svg cuts off what leaves the plot.
std::string curves_element(const Plot& plot) {
  const double overhang = 4;  // a line along the edge keeps its width
  const double x = plot.x.start - overhang, y = plot.y.end - overhang;
  const double w = plot.x.end - plot.x.start + 2 * overhang;
  const double h = plot.y.start - plot.y.end + 2 * overhang;
  std::string out = fmt::format(
      "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\" "
      "overflow=\"hidden\">\n",
      coordinate(x), coordinate(y), coordinate(w), coordinate(h));
  for (std::size_t i = 0; i < plot.curves.size(); ++i)
    if (has_band(*plot.curves[i]) && is_line(plot, i))
      out += curve_group(look_of(plot, i), band_path(plot, *plot.curves[i]));
  for (const bool lines : {false, true})  // points below lines
    for (std::size_t i = 0; i < plot.curves.size(); ++i)
      if (is_line(plot, i) == lines)
        out += curve_group(look_of(plot, i), lines ? median_path(plot, *plot.curves[i], i)
                                                   : point_marks(plot, *plot.curves[i]));
  return out + "</svg>\n";
}

std::string no_data(const Plot& plot) {
  for (const Curve* curve : plot.curves)
    for (const auto& stretch : stretches(pixels(plot, *curve, curve->median)))
      if (!stretch.empty()) return {};
  return text_element((plot.x.start + plot.x.end) / 2, (plot.y.start + plot.y.end) / 2, "middle",
                      13, "muted", "no data");
}

// ---- key ------------------------------------------------------------------------------------

std::string key_sample(std::size_t i, double x, double y, bool scatter) {
  if (scatter)
    return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"currentColor\"/>\n",
                       coordinate(x + 15), coordinate(y));
  return fmt::format(
      "<rect x=\"{0}\" y=\"{1}\" width=\"30\" height=\"10\" fill=\"currentColor\" "
      "fill-opacity=\".17\"/><path d=\"M{0} {2}h30\" stroke=\"currentColor\" "
      "stroke-width=\"2\" fill=\"none\"{3}/>\n",
      coordinate(x), coordinate(y - 5), coordinate(y), dash_attribute(i));
}

struct KeyEntry {
  double x = 0;
  int row = 0;
};

/// Entries side by side, in as many rows as they need, above the plot where no data can be.
std::vector<KeyEntry> place_key(const std::vector<const Curve*>& curves, double width) {
  std::vector<KeyEntry> out;
  double x = 8;
  int row = 0;
  for (const Curve* curve : curves) {
    const double needed = std::min(38 + text_width(curve_name(*curve), 12.5) + 20, width - 16);
    if (x > 8 && x + needed > width) x = 8, ++row;
    out.push_back({x, row});
    x += needed;
  }
  return out;
}

std::string key(const Plot& plot, const std::vector<KeyEntry>& places, double top) {
  std::string out;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double x = places[i].x, y = top + 20 * places[i].row;
    out += curve_group(look_of(plot, i), key_sample(i, x, y, !is_line(plot, i)));
    out += text_element(x + 38, y + 4, "start", 12.5, "ink",
                        fitted(curve_name(*plot.curves[i]), 12.5, plot.layout.width - x - 54));
  }
  return out;
}

// ---- a drawing ------------------------------------------------------------------------------

constexpr std::string_view fonts =
    "system-ui,-apple-system,&#39;Segoe UI&#39;,Roboto,&#39;Helvetica Neue&#39;,Arial,"
    "&#39;Liberation Sans&#39;,&#39;DejaVu Sans&#39;,sans-serif";

std::string numbers_of(const Axis& axis) {
  return fmt::format("{} {} {} {} {}", axis.low, axis.high, coordinate(axis.start),
                     coordinate(axis.end), axis.logarithmic ? 1 : 0);
}

/// Hidden until a script moves it: a line and a dot per curve.
std::string crosshair(const Plot& plot) {
  std::string dots;
  for (std::size_t i = 0; i < plot.curves.size(); ++i)
    dots += curve_group(i,
                        "<circle r=\"4\" class=\"w-dot\" fill=\"currentColor\" "
                        "stroke=\"#fff\" stroke-width=\"1.5\"/>\n");
  return "<g class=\"w-cross\" visibility=\"hidden\">\n" +
         line_element(0, plot.y.start, 0, plot.y.end, "hair", muted) + dots + "</g>\n";
}

}  // namespace

std::string svg_figure(const Figure& figure, std::span<const Curve> curves) {
  Layout layout;
  Plot plot = plan(figure, curves, layout);
  const auto places = place_key(plot.curves, layout.width);
  const double title_height = figure.title.empty() ? 6 : 34;
  const double key_height = places.empty() ? 0 : 20.0 * (places.back().row + 1) + 6;
  layout.top = title_height + key_height + 32;
  layout.height = layout.top + 280 + layout.bottom;
  plot = plan(figure, curves, layout);

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" font-family=\"{2}\">\n",
      coordinate(layout.width), coordinate(layout.height), fonts);
  out += "<title>" + escape_markup(figure.title) + "</title>\n";
  out += "<desc>" + escape_markup(description(plot)) + "</desc>\n";
  out += fmt::format("<style>@media (prefers-color-scheme:dark){{{}}}</style>\n", svg_dark_rules());
  out += fmt::format("<rect width=\"{}\" height=\"{}\" class=\"w-paper\" fill=\"#fff\"/>\n",
                     coordinate(layout.width), coordinate(layout.height));
  if (!figure.title.empty())
    out += "<g font-weight=\"600\">\n" +
           text_element(8, 24, "start", 15, "ink", fitted(figure.title, 16, layout.width - 16)) +
           "</g>\n";
  out += key(plot, places, title_height + 12);
  return out + frame(plot) + curves_element(plot) + no_data(plot) + "</svg>\n";
}

std::string svg_plot(const Figure& figure, std::span<const Curve> curves, PlotSize size) {
  Layout layout;
  layout.width = size.width, layout.height = size.height;
  layout.top = 30, layout.edge = 0;
  const Plot plot = plan(figure, curves, layout);
  std::string out = fmt::format(
      "<svg class=\"w-plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" "
      "data-x=\"{}\" data-y=\"{}\">\n",
      size.width, size.height, escape_markup(figure.title + ". " + description(plot)),
      numbers_of(plot.x), numbers_of(plot.y));
  return out + frame(plot) + curves_element(plot) + no_data(plot) +
         (figure.scatter ? "" : crosshair(plot)) + "</svg>\n";
}

std::string svg_key_line(std::size_t curve, bool scatter) {
  return "<svg class=\"w-key\" viewBox=\"0 0 30 10\" width=\"30\" height=\"10\" "
         "aria-hidden=\"true\">" +
         curve_group(curve, key_sample(curve, 0, 5, scatter)) + "</svg>";
}

std::string_view svg_dark_rules() {
  return ".w-paper{fill:#15181b}.w-ink{fill:#e6e8ea}.w-muted{fill:#a3adb7}"
         ".w-grid{stroke:#2c3238}.w-axis,.w-ref{stroke:#78828c}.w-hair{stroke:#a3adb7}"
         ".w-dot{stroke:#15181b}.w-c0{color:#56b4e9}.w-c1{color:#f28b4b}.w-c2{color:#35c79a}"
         ".w-c3{color:#e5a0c8}.w-c4{color:#e6b23c}.w-c5{color:#a3d4f7}.w-c6{color:#c8cdd2}"
         ".w-c7{color:#b9a7f5}";
}

}  // namespace whence
