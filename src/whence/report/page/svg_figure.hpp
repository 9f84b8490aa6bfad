// Line charts as SVG: the median of every curve with its 25–75 % band. Scatter plots: its points.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "whence/core/report.hpp"

namespace whence {

/// A complete .svg file of a figure, 640 pixels wide: title, key, axes and curves. Equal input
/// gives equal bytes. Curves that the figure names and the list lacks are left out.
std::string svg_figure(const Figure& figure, std::span<const Curve> curves);

/// How a figure is drawn into a page that brings its own title, key and style sheet. Nothing in
/// it has an id, so one page can hold many. It carries what a script needs to read the curves:
/// data-x and data-y ("low high start end log") and a hidden crosshair.
struct PlotSize {
  int width = 640, height = 360;
};
std::string svg_plot(const Figure& figure, std::span<const Curve> curves, PlotSize size);

/// The look of a line over the points of a scatter plot.
inline constexpr std::size_t svg_fit_look = 6;

/// The line of the n-th curve of a figure as a small picture, for a key; its dot in a scatter plot.
std::string svg_key_line(std::size_t curve, bool scatter = false);

/// Style rules that both kinds of drawing need in the dark. Light colours are attributes, so that
/// converters without style sheets see them.
std::string_view svg_dark_rules();

}  // namespace whence
