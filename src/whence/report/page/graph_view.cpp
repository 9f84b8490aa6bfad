#include "whence/report/page/graph_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "whence/core/graph.hpp"
#include "whence/io/json/markup.hpp"
#include "whence/report/page/change_map.hpp"
#include "whence/report/page/graph_layout.hpp"

namespace whence {
namespace {

constexpr double shown_threshold = 0.5;  // of the slider, to begin with
constexpr double least_shown = 0.05;     // where it ends
constexpr std::size_t many_edges = 80;   // lines are thinner and lighter from here on
constexpr std::size_t most_labels = 15;  // so many lines have room for their effect

// ---- the drawing ----

double name_width(const std::string& name) {
  double width = 22;
  for (const char32_t c : code_points(short_name(name))) width += c < 0x1100 ? 7.4 : 14;
  return std::max(width, 40.0);
}

Graph drawn_graph(const GraphView& view) {
  Graph graph(view.variables.size());
  for (const GraphView::Edge& e : view.edges)
    if (e.in_graph) graph.set_edge(VariableId(e.from), VariableId(e.to));
  return graph;
}

std::string at(LayoutPoint p) { return fmt::format("{:.1f} {:.1f}", p.x, p.y); }

constexpr double half_height = 15;

/// Down through the layers, every piece leaving and arriving upright.
std::string routed_path(const LayoutEdge& edge, const GraphLayout& layout) {
  LayoutPoint here = layout.nodes[edge.from];
  here.y += half_height;
  std::string path = "M" + at(here);
  std::vector<LayoutPoint> stops = edge.bends;
  stops.push_back(layout.nodes[edge.to]);
  stops.back().y -= half_height + 1;
  for (const LayoutPoint& next : stops) {
    const double middle = (next.y - here.y) * 0.45;
    path += fmt::format(" C{} {} {}", at({here.x, here.y + middle}), at({next.x, next.y - middle}),
                        at(next));
    here = next;
  }
  return path;
}

/// Where the line from a box's middle towards a point leaves the box.
LayoutPoint border(LayoutPoint box, double width, LayoutPoint towards) {
  const double dx = towards.x - box.x, dy = towards.y - box.y;
  const double scale = std::max(std::fabs(dx) / (width / 2 + 2), std::fabs(dy) / (half_height + 2));
  return scale == 0 ? box : LayoutPoint{box.x + dx / scale, box.y + dy / scale};
}

/// An edge that the layers know nothing of: a bow beside whatever else joins the two.
std::string bowed_path(const GraphView::Edge& edge, const GraphLayout& layout,
                       const std::vector<double>& widths) {
  const LayoutPoint a = layout.nodes[edge.from], b = layout.nodes[edge.to];
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::max(1.0, std::hypot(dx, dy));
  const double bow = 18 + 0.12 * length;
  const LayoutPoint middle{(a.x + b.x) / 2 - bow * dy / length,
                           (a.y + b.y) / 2 + bow * dx / length};
  return "M" + at(border(a, widths[edge.from], middle)) + " Q" + at(middle) + " " +
         at(border(b, widths[edge.to], middle));
}

std::string edge_words(const GraphView& view, const GraphView::Edge& e) {
  const char* sign = e.look == EdgeLook::open ? " – " : e.look == EdgeLook::hidden ? " ↔ " : " → ";
  return view.variables[e.from] + sign + view.variables[e.to] + ", " + map_percent(e.shown_by()) +
         (e.effect.empty() ? "" : "; " + e.effect);
}

/// Which ends have an arrowhead.
std::string heads(EdgeLook look) {
  if (look == EdgeLook::open) return {};
  const std::string end = fmt::format(" marker-end=\"url(#g-{})\"", name_of(look));
  return look == EdgeLook::hidden ? fmt::format(" marker-start=\"url(#g-{})\"", name_of(look)) + end
                                  : end;
}

/// The sign and size of an effect, on the middle of its line: "+14.2".
std::string effect_label(const GraphView::Edge& e, LayoutPoint middle) {
  const std::size_t end = e.effect.find(" ±");
  if (end == std::string::npos || e.look == EdgeLook::open) return {};
  const std::string words = e.effect.substr(0, end);
  const double width = 6.4 * double(words.size()) + 4;
  return fmt::format(
      "<rect class=\"g-ground\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"13\"/>"
      "<text class=\"g-label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
      middle.x - width / 2, middle.y - 6.5, width, middle.x, middle.y + 4, escape_markup(words));
}

LayoutPoint middle_of(const GraphView::Edge& e, const LayoutEdge* routed,
                      const GraphLayout& layout) {
  if (routed && !routed->bends.empty()) return routed->bends[routed->bends.size() / 2];
  const LayoutPoint a = layout.nodes[e.from], b = layout.nodes[e.to];
  return {(a.x + b.x) / 2, (a.y + b.y) / 2};
}

std::string edge_element(const GraphView& view, std::size_t index, const std::string& path,
                         const std::string& label) {
  const GraphView::Edge& e = view.edges[index];
  const std::string words = escape_markup(edge_words(view, e));
  return fmt::format(
      "<g class=\"g-edge {}{}\" data-edge=\"{}\"><title>{}</title>"
      "<path class=\"g-hit\" d=\"{}\"/><path class=\"g-line\" d=\"{}\" stroke-width=\"{:.2f}\"{}/>"
      "{}</g>\n",
      name_of(e.look), e.shown_by() >= shown_threshold ? "" : " g-below", index, words, path, path,
      0.8 + 1.4 * e.shown_by(), heads(e.look), label);
}

std::string markers() {
  std::string out = "<defs>\n";
  for (const EdgeLook look : {EdgeLook::sure, EdgeLook::unsupported, EdgeLook::shifts_only,
                              EdgeLook::unsure, EdgeLook::hidden})
    out += fmt::format(
        "<marker id=\"g-{0}\" class=\"g-tip {0}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" "
        "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
        "orient=\"auto-start-reverse\"><path d=\"M1 1L9 5L1 9z\"/></marker>\n",
        name_of(look));
  return out + "</defs>\n";
}

std::string node_element(const std::string& name, std::size_t index, LayoutPoint p, double width) {
  return fmt::format(
      "<g class=\"g-node\" data-node=\"{}\"><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" "
      "width=\"{:.1f}\" height=\"{:.0f}\" rx=\"7\"/><text x=\"{:.1f}\" y=\"{:.1f}\" "
      "text-anchor=\"middle\">{}</text></g>\n",
      index, escape_markup(name), p.x - width / 2, p.y - half_height, width, 2 * half_height, p.x,
      p.y + 4.3, escape_markup(short_name(name)));
}

// ---- the legend ----

constexpr std::array<std::string_view, edge_looks> look_words = {
    "at least 95 % probable",
    "as probable, but no shift supports the direction",
    "seen in how environments differ only",
    "less probable",
    "linked, direction undecided",
    "linked through something hidden"};

/// Looks that occur, in their order.
std::vector<EdgeLook> looks_of(const GraphView& view) {
  std::vector<EdgeLook> list;
  for (std::size_t k = 0; k < edge_looks; ++k) {
    const auto is = [&](const GraphView::Edge& e) {
      return e.look == EdgeLook(k) && e.shown_by() >= least_shown;
    };
    if (k == 0 || std::any_of(view.edges.begin(), view.edges.end(), is))
      list.push_back(EdgeLook(k));
  }
  return list;
}

std::string sample_line(EdgeLook look) {
  return fmt::format(
      "<g class=\"g-edge {0}\"><path class=\"g-line\" d=\"M3 5L41 5\" stroke-width=\"2\"{1}/></g>",
      name_of(look), heads(look));
}

std::string legend(const GraphView& view) {
  std::string out = "<ul class=\"g-legend\">\n";
  for (const EdgeLook look : looks_of(view))
    out += fmt::format(
        "<li><svg class=\"g-sample\" viewBox=\"0 0 44 10\" width=\"44\" height=\"10\" "
        "aria-hidden=\"true\">{}</svg>{}</li>\n",
        sample_line(look), look_words[std::size_t(look)]);
  return out + "</ul>\n";
}

constexpr double legend_line = 20, legend_width = 360;

/// The same below a drawing that is a file of its own.
std::string drawn_legend(const GraphView& view, double top) {
  std::string out;
  double y = top;
  for (const EdgeLook look : looks_of(view)) {
    out += fmt::format(
        "<g transform=\"translate(12 {:.0f})\">{}<text class=\"g-name\" x=\"54\" "
        "y=\"9\">{}</text></g>\n",
        y, sample_line(look), look_words[std::size_t(look)]);
    y += legend_line;
  }
  return out;
}

// ---- the drawing, put together ----

enum class Place { page, file };

/// The rules of a drawing without variables, which converters of pictures do not know.
std::string plain_style() {
  constexpr std::pair<std::string_view, std::string_view> colours[] = {
      {"var(--ink)", "#1c2126"},  {"var(--paper)", "#fff"},     {"var(--muted)", "#59636e"},
      {"var(--link)", "#00598c"}, {"var(--bad)", "#a03c00"},    {"var(--rule)", "#e2e3df"},
      {"var(--raised)", "#fff"},  {"var(--sans)", "sans-serif"}};
  std::string style(graph_style());
  for (const auto& [name, value] : colours)
    for (std::size_t at = style.find(name); at != style.npos; at = style.find(name, at))
      style.replace(at, name.size(), value);
  return style;
}

/// A file says by itself what it shows and how it looks.
std::string file_head(const GraphView& view) {
  return fmt::format(
      "<title>The graph</title>\n<desc>{} variables, arrows from causes to effects</desc>\n"
      "<style>{}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      view.variables.size(), plain_style());
}

std::string svg_head(const GraphView& view, Place place, double width, double height, bool many) {
  return fmt::format(
             "<svg {} class=\"g-plot{}\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
             "height=\"{:.0f}\">\n",
             place == Place::file
                 ? "xmlns=\"http://www.w3.org/2000/svg\" role=\"img\""
                 : "role=\"group\" aria-label=\"The graph, arrows from causes to effects\"",
             many ? " many" : "", width, height, width, height) +
         (place == Place::file ? file_head(view) : "") + markers();
}

/// Edges under nodes, the likely ones on top.
std::string drawing(const GraphView& view, Place place) {
  std::vector<double> widths;
  for (const std::string& name : view.variables) widths.push_back(name_width(name));
  const Graph graph = drawn_graph(view);
  const std::size_t lines = graph.edge_count();
  const GraphLayout layout = lay_out(graph, widths, lines > many_edges ? 110 : 84);
  double width = std::ceil(layout.width), height = std::ceil(layout.height);
  if (place == Place::file) {
    width = std::max(width, legend_width);
    height += legend_line * double(looks_of(view).size()) + 20;
  }
  std::string out = svg_head(view, place, width, height, lines > many_edges);
  for (std::size_t k = view.edges.size(); k-- > 0;) {
    const GraphView::Edge& e = view.edges[k];
    const auto routed = std::find_if(
        layout.edges.begin(), layout.edges.end(),
        [&](const LayoutEdge& line) { return line.from == e.from && line.to == e.to; });
    const LayoutEdge* line = routed != layout.edges.end() ? &*routed : nullptr;
    out += edge_element(view, k, line ? routed_path(*line, layout) : bowed_path(e, layout, widths),
                        lines <= most_labels ? effect_label(e, middle_of(e, line, layout)) : "");
  }
  for (std::size_t v = 0; v < view.variables.size(); ++v)
    out += node_element(view.variables[v], v, layout.nodes[v], widths[v]);
  if (place == Place::file) out += drawn_legend(view, layout.height + 10);
  return out + "</svg>\n";
}

// ---- the rest of the page ----

std::string advice_section(const GraphView& view) {
  std::string out =
      "<section id=\"advice\" aria-labelledby=\"advice-title\">\n"
      "<h2 id=\"advice-title\">What would settle the rest</h2>\n";
  if (view.advice.empty()) return out + "<p>Nothing is left open.</p>\n</section>\n";
  out += "<ul class=\"g-advice\">\n";
  for (const std::string& one : view.advice)
    out += fmt::format("<li>{}</li>\n", escape_markup(one));
  return out + "</ul>\n</section>\n";
}

std::string json_list(const std::vector<double>& values) {
  std::string out = "[";
  for (double v : values)
    out += (out.size() > 1 ? "," : "") + (std::isfinite(v) ? fmt::format("{:.5g}", v) : "null");
  return out + "]";
}

std::string changes_section(const GraphView& view) {
  if (view.environments.empty()) return {};
  return "<section id=\"changes\" aria-labelledby=\"changes-title\">\n"
         "<h2 id=\"changes-title\">What changed where</h2>\n"
         "<p>Environments down, variables across; cells show percent.</p>\n"
         "<div class=\"scroll g-frame\" tabindex=\"0\" role=\"region\" aria-label=\"What changed "
         "where\">\n" +
         change_map(view) + "</div>\n</section>\n";
}

}  // namespace

std::string_view name_of(EdgeLook look) {
  constexpr std::array<std::string_view, edge_looks> names = {
      "sure", "unsupported", "shifts-only", "unsure", "open", "hidden"};
  return names[std::size_t(look)];
}

std::string graph_section(const GraphView& view) {
  const auto shown = std::count_if(view.edges.begin(), view.edges.end(),
                                   [](const auto& e) { return e.shown_by() >= shown_threshold; });
  return fmt::format(
             "<section id=\"graph\" aria-labelledby=\"graph-title\">\n"
             "<h2 id=\"graph-title\">The graph</h2>\n"
             "<p class=\"g-count\">{} at least 50 % probable.</p>\n"
             "{}<div class=\"g-tools\"></div>\n"
             "<div class=\"scroll g-frame\" tabindex=\"0\" role=\"region\" "
             "aria-label=\"The graph\">\n",
             shown == 1 ? "1 link is" : fmt::format("{} links are", shown),
             view.assumption.empty()
                 ? ""
                 : "<p class=\"g-assumption\">" + escape_markup(view.assumption) + "</p>\n") +
         drawing(view, Place::page) + "</div>\n" + legend(view) +
         "<div class=\"g-detail\" aria-live=\"polite\"></div>\n</section>\n";
}

std::string changes_sections(const GraphView& view) {
  return changes_section(view) + advice_section(view);
}

std::string graph_svg(const GraphView& view) { return drawing(view, Place::file); }

std::string graph_island(const GraphView& view) {
  std::string names, environments, edges;
  for (const std::string& name : view.variables)
    names += (names.empty() ? "" : ",") + json_string(name);
  for (const GraphView::Environment& e : view.environments)
    environments += (environments.empty() ? "" : ",") + json_string(e.name);
  for (const GraphView::Edge& e : view.edges)
    edges += fmt::format(
        "{}{{\"from\":{},\"to\":{},\"p\":{:.5g},\"adjacent\":{:.5g},\"look\":\"{}\","
        "\"low\":{:.5g},\"high\":{:.5g},\"effect\":{},\"doubt\":{},\"support\":{}}}",
        edges.empty() ? "" : ",", e.from, e.to, e.probability, e.adjacent, name_of(e.look),
        e.leave_one_out[0], e.leave_one_out[1], json_string(e.effect), json_string(e.doubt),
        json_list(e.support));
  return fmt::format(
      "{{\"variables\":[{}],\"environments\":[{}],\"edges\":[{}],\"assumption\":{}}}", names,
      environments, edges, json_string(view.assumption));
}

}  // namespace whence
