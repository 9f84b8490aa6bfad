#include "whence/report/graph_view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/core/graph.hpp"
#include "whence/io/json/markup.hpp"
#include "whence/report/graph_layout.hpp"

namespace whence {
namespace {

constexpr double decided = 0.95;         // edges below it are drawn dashed
constexpr double shown_threshold = 0.5;  // of the slider, to begin with
constexpr std::size_t many_edges = 80;   // lines are thinner and lighter from here on

// ---- the drawing ----

/// At most so many characters of a name; the whole is in its title.
std::string short_name(const std::string& name, std::size_t most = 16) {
  const auto points = code_points(name);
  if (points.size() <= most) return name;
  std::size_t bytes = 0;
  for (std::size_t k = 0; k + 1 < most && bytes < name.size(); ++k) do
      ++bytes;
    while (bytes < name.size() && (static_cast<unsigned char>(name[bytes]) & 0xC0) == 0x80);
  return name.substr(0, bytes) + "…";
}

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

std::string percent(double p) {
  if (p > 0.999) return "> 99.9 %";
  if (p < 0.001) return "< 0.1 %";
  return fmt::format("{:.1f} %", 100 * p);
}

std::string edge_words(const GraphView& view, const GraphView::Edge& e) {
  return view.variables[e.from] + " → " + view.variables[e.to] + ", " + percent(e.probability);
}

std::string edge_element(const GraphView& view, std::size_t index, const std::string& path) {
  const GraphView::Edge& e = view.edges[index];
  const char* kind = e.open ? "open" : e.probability >= decided ? "sure" : "unsure";
  const std::string words = escape_markup(edge_words(view, e));
  return fmt::format(
      "<g class=\"g-edge {}{}\" data-edge=\"{}\"><title>{}</title>"
      "<path class=\"g-hit\" d=\"{}\"/><path class=\"g-line\" d=\"{}\" stroke-width=\"{:.2f}\" "
      "marker-end=\"url(#g-{})\"/></g>\n",
      kind, e.probability >= shown_threshold ? "" : " g-below", index, words, path, path,
      0.8 + 1.4 * e.probability, kind);
}

std::string markers() {
  std::string out = "<defs>\n";
  for (const char* kind : {"sure", "unsure", "open"})
    out += fmt::format(
        "<marker id=\"g-{0}\" class=\"g-tip {0}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" "
        "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
        "<path d=\"M1 1L9 5L1 9z\"/></marker>\n",
        kind);
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

enum class Place { page, file };

/// A file says by itself what it shows and how it looks.
std::string file_head(const GraphView& view) {
  return fmt::format(
      "<title>The graph</title>\n<desc>{} variables, arrows from causes to effects; solid: at "
      "least "
      "95 % probable</desc>\n<style>:root{{--ink:#1c2126;--paper:#fff;--muted:#59636e;"
      "--link:#00598c;--bad:#a03c00;--rule:#e2e3df;--raised:#fff;--sans:sans-serif}}{}</style>\n",
      view.variables.size(), graph_style());
}

/// Edges under nodes, the likely ones on top.
std::string drawing(const GraphView& view, Place place) {
  std::vector<double> widths;
  for (const std::string& name : view.variables) widths.push_back(name_width(name));
  const Graph graph = drawn_graph(view);
  const std::size_t lines = graph.edge_count();
  const GraphLayout layout = lay_out(graph, widths, lines > many_edges ? 110 : 84);
  std::string out = fmt::format(
      "<svg {} class=\"g-plot{}\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\">\n",
      place == Place::file
          ? "xmlns=\"http://www.w3.org/2000/svg\" role=\"img\""
          : "role=\"group\" aria-label=\"The graph, arrows from causes to effects\"",
      lines > many_edges ? " many" : "", std::ceil(layout.width), std::ceil(layout.height),
      std::ceil(layout.width), std::ceil(layout.height));
  if (place == Place::file) out += file_head(view);
  out += markers();
  for (std::size_t k = view.edges.size(); k-- > 0;) {
    const GraphView::Edge& e = view.edges[k];
    const auto routed = std::find_if(
        layout.edges.begin(), layout.edges.end(),
        [&](const LayoutEdge& line) { return line.from == e.from && line.to == e.to; });
    out += edge_element(view, k,
                        routed != layout.edges.end() ? routed_path(*routed, layout)
                                                     : bowed_path(e, layout, widths));
  }
  for (std::size_t v = 0; v < view.variables.size(); ++v)
    out += node_element(view.variables[v], v, layout.nodes[v], widths[v]);
  return out + "</svg>\n";
}

std::string legend() {
  std::string out = "<ul class=\"g-legend\">\n";
  for (const auto& [kind, words] : {std::pair{"sure", "at least 95 % probable"},
                                    {"unsure", "less probable"},
                                    {"open", "these shifts cannot tell the direction"}})
    out += fmt::format(
        "<li><svg class=\"g-sample\" viewBox=\"0 0 44 10\" width=\"44\" height=\"10\" "
        "aria-hidden=\"true\"><g class=\"g-edge {0}\"><path class=\"g-line\" d=\"M1 5L41 5\" "
        "stroke-width=\"2\" marker-end=\"url(#g-{0})\"/></g></svg>{1}</li>\n",
        kind, words);
  return out + "</ul>\n";
}

std::string graph_section(const GraphView& view) {
  const auto shown = std::count_if(view.edges.begin(), view.edges.end(),
                                   [](const auto& e) { return e.probability >= shown_threshold; });
  return fmt::format(
             "<section id=\"graph\" aria-labelledby=\"graph-title\">\n"
             "<h2 id=\"graph-title\">The graph</h2>\n"
             "<p class=\"g-count\">{} of {} possible edges are at least 50 % probable.</p>\n"
             "<div class=\"g-tools\"></div>\n"
             "<div class=\"scroll g-frame\" tabindex=\"0\" role=\"region\" "
             "aria-label=\"The graph\">\n",
             shown, view.variables.size() * (view.variables.size() - 1)) +
         drawing(view, Place::page) + "</div>\n" + legend() +
         "<div class=\"g-detail\" aria-live=\"polite\"></div>\n</section>\n";
}

// ---- what changed where ----

/// Where the parts of the map stand: cells as large as a page has room for, margins as wide as the
/// longest names.
struct MapFrame {
  double cell, row, left, top, right, bottom;
  bool upright;  // names across stand upright, where cells are small

  explicit MapFrame(const GraphView& view) {
    constexpr double page = 1060, apart = 26, widest_cell = 20, smallest_cell = 9;
    std::size_t across = std::string_view("everything").size(), down = 0;
    for (const std::string& name : view.variables) across = std::max(across, letters(name, 16));
    for (const auto& e : view.environments) down = std::max(down, letters(e.name, 20));
    left = 14 + 6.6 * double(down);
    const double columns = double(view.variables.size() + 2);
    cell = std::clamp(std::floor((page - left - apart) / columns), smallest_cell, widest_cell);
    upright = cell < 14;
    row = std::max(cell, 14.0);
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
  return fmt::format(
      "<rect class=\"g-heat\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "fill-opacity=\"{:.3f}\"><title>{}: {}, {}</title></rect>\n",
      x + 1, y + 1, frame.cell - 2, frame.row - 2, p, escape_markup(view.environments[e].name),
      escape_markup(what), escape_markup(percent(p)));
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

std::string heat_map(const GraphView& view) {
  const std::size_t m = view.variables.size();
  const MapFrame frame(view);
  const double size = frame.cell, end = frame.top + frame.row * double(view.environments.size());
  const auto x_of = [&](std::size_t c) {
    return frame.left + size * double(c) + (c >= m ? 12 : 0);
  };
  std::string out = fmt::format(
      "<svg class=\"g-map\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"Environments down, variables across: the darker a cell, the more "
      "probable it is that the mechanism of the variable changed. The table below says the "
      "same.\">\n",
      x_of(m + 2) + frame.right, end + frame.bottom);
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
  return out + "</svg>\n";
}

std::string changes_section(const GraphView& view) {
  if (view.environments.empty()) return {};
  return "<section id=\"changes\" aria-labelledby=\"changes-title\">\n"
         "<h2 id=\"changes-title\">What changed where</h2>\n"
         "<p>The stronger the colour of a cell, the more probable it is that the mechanism of that "
         "variable "
         "changed in that environment.</p>\n"
         "<div class=\"scroll g-frame\" tabindex=\"0\" role=\"region\" aria-label=\"What changed "
         "where\">\n" +
         heat_map(view) + "</div>\n</section>\n";
}

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

}  // namespace

std::string graph_sections(const GraphView& view) {
  return graph_section(view) + changes_section(view) + advice_section(view);
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
        "{}{{\"from\":{},\"to\":{},\"p\":{:.5g},\"adjacent\":{:.5g},\"open\":{},"
        "\"low\":{:.5g},\"high\":{:.5g},\"support\":{}}}",
        edges.empty() ? "" : ",", e.from, e.to, e.probability, e.adjacent, e.open ? 1 : 0,
        e.leave_one_out[0], e.leave_one_out[1], json_list(e.support));
  return fmt::format("{{\"variables\":[{}],\"environments\":[{}],\"edges\":[{}]}}", names,
                     environments, edges);
}

std::string_view graph_style() {
  return R"css(
.g-frame { margin-top: 1rem; padding: .5rem 0; }
.g-plot, .g-map { display: block; margin: 0 auto; font-family: var(--sans); }
.g-plot { max-width: none; }
.g-plot.fit { max-width: 100%; height: auto; }
.g-node rect { fill: var(--raised); stroke: var(--muted); stroke-width: 1.2; }
.g-node text { fill: var(--ink); font-size: 12.5px; }
.g-line { fill: none; stroke: var(--ink); }
.many .g-line { opacity: .5; stroke-width: 1; }
.many .g-edge:hover .g-line, .many .chosen .g-line { opacity: 1; }
.g-hit { fill: none; stroke: transparent; stroke-width: 12; cursor: pointer; pointer-events: stroke; }
.g-tip path { fill: var(--ink); }
.unsure .g-line { stroke: var(--muted); stroke-dasharray: 6 4; }
.g-tip.unsure path { fill: var(--muted); }
.open .g-line { stroke: var(--bad); stroke-dasharray: 2 4; stroke-linecap: round; }
.g-tip.open path { fill: var(--paper); stroke: var(--bad); stroke-width: 1.5; }
.g-below { display: none; }
.g-edge:hover .g-line, .g-edge:focus-visible .g-line, .g-edge.chosen .g-line {
  stroke: var(--link); stroke-width: 3.4;
}
.g-edge:focus-visible { outline: none; }
.g-faint { opacity: .1; }
.g-lit .g-line { opacity: 1; stroke: var(--link); }
.g-legend { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem 1.75rem; margin-top: .75rem;
  font-size: .875rem; color: var(--muted); }
.g-legend li { display: flex; align-items: center; gap: .6rem; }
.g-count { margin-top: .5rem; color: var(--muted); }
.g-tools { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; margin-top: 1rem; }
.g-tools label { display: flex; align-items: center; gap: .75rem; flex: 1 1 18rem; max-width: 34rem; }
.g-tools input { flex: 1; accent-color: var(--link); min-height: 2rem; min-width: 6rem; }
.g-tools output { min-width: 3.5rem; font-variant-numeric: tabular-nums; }
.g-detail:not(:empty) { margin-top: 1.25rem; padding: 1rem 1.25rem; border: 1px solid var(--rule);
  border-radius: 6px; background: var(--raised); max-width: 34rem;
  /* in sight while the drawing is, however tall that is */
  position: sticky; bottom: .75rem; max-height: 42vh; overflow: auto; }
.g-detail table { width: 100%; }
.g-close { float: right; margin: -.25rem -.5rem .5rem 1rem; font-size: .875rem; }
.g-detail th { white-space: nowrap; max-width: 40vw; overflow: hidden; text-overflow: ellipsis; }
.g-detail h3 { margin-bottom: .4rem; }
.g-detail p + table { margin-top: .75rem; }
.g-bar { display: block; height: .6rem; background: var(--link); border-radius: 2px; min-width: 1px; }
.g-bar.against { background: var(--bad); }
.g-detail td.bar { width: 45%; vertical-align: middle; }
.g-heat { fill: var(--link); }
.g-name { fill: var(--ink); font-size: 11.5px; }
.g-name.small { font-size: 9px; }
.g-row { stroke: var(--rule); fill: none; }
.g-advice { padding-left: 1.1rem; max-width: 46rem; margin-top: 1rem; }
.g-advice li + li { margin-top: .4rem; }
.g-node.found rect { stroke: var(--link); stroke-width: 3; }
.g-tools label.g-find { flex: 0 1 16rem; }
.g-tools input[type=search] { font: inherit; color: inherit; background: var(--raised);
  border: 1px solid var(--rule); border-radius: 6px; padding: .2rem .6rem; }
@media print { .g-tools, .g-close { display: none; } .g-detail:not(:empty) { position: static; } .g-plot { max-width: 100%; height: auto; } }
)css";
}

std::string_view graph_script() {
  return R"js(
(() => {
  'use strict';
  const island = document.getElementById('whence-data');
  const section = document.getElementById('graph');
  if (!island || !section) return;
  const data = JSON.parse(island.textContent).graph;
  if (!data) return;
  const plot = section.querySelector('.g-plot');
  const detail = section.querySelector('.g-detail');
  const count = section.querySelector('.g-count');
  const tools = section.querySelector('.g-tools');
  const edges = [...plot.querySelectorAll('.g-edge')];
  const nodes = [...plot.querySelectorAll('.g-node')];
  const of = (element) => data.edges[Number(element.dataset.edge)];
  const percent = (p) =>
    p > 0.999 ? '> 99.9 %' : p < 0.001 ? '< 0.1 %' : (100 * p).toFixed(1) + ' %';
  const add = (parent, tag, text, name) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (name) element.className = name;
    parent.append(element);
    return element;
  };

  // The threshold: which edges are shown.
  const label = add(tools, 'label');
  add(label, 'span', 'Show edges from');
  const slider = add(label, 'input');
  Object.assign(slider, { type: 'range', min: 5, max: 99, step: 1, value: 50 });
  const shown = add(label, 'output');
  const threshold = () => {
    const least = Number(slider.value) / 100;
    let number = 0;
    for (const element of edges) {
      const on = of(element).p >= least;
      element.classList.toggle('g-below', !on);
      if (on) element.setAttribute('tabindex', 0);
      else element.removeAttribute('tabindex');
      number += on;
    }
    shown.textContent = slider.value + ' %';
    const all = data.variables.length * (data.variables.length - 1);
    count.textContent = `${number} of ${all} possible edges are at least ${slider.value} % probable.`;
  };
  slider.addEventListener('input', threshold);
  slider.setAttribute('aria-label', 'Show edges from this probability');

  // The whole drawing, or every name readable.
  const fit = add(tools, 'button', 'Whole graph');
  fit.type = 'button';
  fit.setAttribute('aria-pressed', 'false');
  fit.addEventListener('click', () => {
    const on = plot.classList.toggle('fit');
    fit.setAttribute('aria-pressed', on);
  });

  // Among many variables: where is this one?
  if (nodes.length > 12) {
    const search = add(tools, 'label', undefined, 'g-find');
    add(search, 'span', 'Find');
    const wanted = add(search, 'input');
    Object.assign(wanted, { type: 'search', spellcheck: false, autocomplete: 'off' });
    wanted.setAttribute('aria-label', 'Find a variable in the graph');
    const list = add(search, 'datalist');
    list.id = 'g-names';
    for (const name of data.variables) add(list, 'option').value = name;
    wanted.setAttribute('list', list.id);
    wanted.addEventListener('input', () => {
      const text = wanted.value.trim().toLowerCase();
      const is = (test) => data.variables.findIndex((name) => text && test(name.toLowerCase()));
      const exact = is((name) => name === text);
      const found = exact >= 0 ? exact : is((name) => name.startsWith(text));
      for (const node of nodes)
        node.classList.toggle('found', Number(node.dataset.node) === found);
      const shown = plot.querySelector('.g-node.found');
      if (shown) shown.scrollIntoView({ block: 'nearest', inline: 'center' });
    });
  }

  // One edge: which environments support it.
  const close = () => {
    detail.replaceChildren();
    for (const element of edges) element.classList.remove('chosen');
  };
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') close(); });
  const describe = (edge) => {
    detail.replaceChildren();
    const button = add(detail, 'button', 'Close', 'g-close');
    button.type = 'button';
    button.addEventListener('click', close);
    const name = (v) => data.variables[v];
    add(detail, 'h3', `${name(edge.from)} → ${name(edge.to)}`);
    add(detail, 'p', `Probability ${percent(edge.p)}; joined in either direction ` +
      `${percent(edge.adjacent)}.` + (edge.open ? ' These shifts cannot tell the direction.' : ''));
    const rows = edge.support.map((value, e) => [data.environments[e], value])
      .filter(([, value]) => value !== null && Math.abs(value) >= 0.05)
      .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    if (rows.length === 0) {
      add(detail, 'p', edge.support.length > 0
        ? 'No environment speaks for or against this direction.'
        : edge.adjacent > 0.5 ? 'Who supports this edge was not worked out.'
        : 'Who supports an edge is worked out where the two are more likely joined than not.');
      return;
    }
    add(detail, 'p', 'With any one environment left out the edge would have ' +
      (percent(edge.low) === percent(edge.high) ? percent(edge.low)
        : `${percent(edge.low)} to ${percent(edge.high)}`) +
      '. What each environment adds to this direction, in nats:');
    const table = add(detail, 'table'), body = add(table, 'tbody');
    const most = Math.abs(rows[0][1]);
    for (const [environment, value] of rows.slice(0, 12)) {
      const row = add(body, 'tr');
      add(row, 'th', environment).scope = 'row';
      add(row, 'td', (value < 0 ? '−' : '+') + Math.abs(value).toFixed(2), 'num');
      const bar = add(add(row, 'td', undefined, 'bar'), 'span', undefined,
        value < 0 ? 'g-bar against' : 'g-bar');
      bar.style.width = `${(100 * Math.abs(value)) / most}%`;
    }
    if (rows.length > 12) add(detail, 'p', `and ${rows.length - 12} more`);
  };
  const choose = (element) => {
    for (const other of edges) other.classList.toggle('chosen', other === element);
    describe(of(element));
  };
  for (const element of edges) {
    const edge = of(element);
    element.setAttribute('role', 'button');
    element.setAttribute('aria-label', `${data.variables[edge.from]} causes ` +
      `${data.variables[edge.to]}, ${percent(edge.p)}: who supports it?`);
    element.addEventListener('click', () => choose(element));
    element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      choose(element);
    });
  }

  // A variable under the pointer: only its own edges.
  for (const node of nodes) {
    const v = Number(node.dataset.node);
    const light = (on) => {
      for (const element of edges) {
        const edge = of(element);
        const own = edge.from === v || edge.to === v;
        element.classList.toggle('g-faint', on && !own);
        element.classList.toggle('g-lit', on && own);
      }
    };
    node.addEventListener('pointerenter', () => light(true));
    node.addEventListener('pointerleave', () => light(false));
  }
  threshold();
})();
)js";
}

}  // namespace whence
