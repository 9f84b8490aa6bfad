#include "whence/report/page/graph_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace whence {
namespace {

constexpr double node_height = 30, margin = 12, bend_width = 6;

/// The places of one layer, from left to right. Numbers from the nodes' on are bends.
using Layer = std::vector<std::size_t>;

/// What stands in the layers: nodes, and a bend for every layer that an edge passes.
struct Layered {
  std::vector<Layer> layers;
  std::vector<std::size_t> layer_of;           // [place]
  std::vector<std::vector<std::size_t>> up;    // [place]: neighbours in the layer above
  std::vector<std::vector<std::size_t>> down;  // and below
  std::vector<double> width;                   // [place]
  struct Route {
    std::size_t from, to;
    std::vector<std::size_t> bends;
  };
  std::vector<Route> routes;
};

bool edge(const Graph& graph, std::size_t i, std::size_t j) {
  return graph.edge(VariableId(i), VariableId(j));
}

std::vector<bool> has_edges(const Graph& graph) {
  std::vector<bool> any(graph.variables(), false);
  for (std::size_t i = 0; i < any.size(); ++i)
    for (std::size_t j = 0; j < any.size(); ++j)
      if (edge(graph, i, j)) any[i] = any[j] = true;
  return any;
}

std::size_t widest_layer(std::size_t nodes) {
  return std::max<std::size_t>(4, std::size_t(std::ceil(1.3 * std::sqrt(double(nodes)))));
}

/// Every node below all its causes, and no layer with too many nodes. Nodes with long chains of
/// effects go first, so that the picture does not grow taller than it must.
std::vector<std::size_t> choose_layers(const Graph& graph, const std::vector<bool>& drawn) {
  const std::size_t m = graph.variables();
  std::vector<std::size_t> depth(m, 0);  // of the longest chain of effects
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j)
        if (edge(graph, i, j) && depth[i] <= depth[j]) depth[i] = depth[j] + 1, grown = true;
  }
  const std::size_t most = widest_layer(m), unset = m + 1;
  std::vector<std::size_t> layer(m, unset);
  std::vector<std::size_t> count;
  for (std::size_t placed = 0, wanted = std::size_t(std::count(drawn.begin(), drawn.end(), true));
       placed < wanted; ++placed) {
    std::size_t best = m, lowest = 0;
    for (std::size_t v = 0; v < m; ++v) {
      if (!drawn[v] || layer[v] != unset) continue;
      std::size_t below = 0;
      bool ready = true;
      for (std::size_t p = 0; p < m; ++p)
        if (edge(graph, p, v)) {
          ready = ready && layer[p] != unset;
          below = std::max(below, layer[p] == unset ? 0 : layer[p] + 1);
        }
      if (ready && (best == m || depth[v] > depth[best])) best = v, lowest = below;
    }
    while (lowest < count.size() && count[lowest] >= most) ++lowest;
    if (count.size() <= lowest) count.resize(lowest + 1, 0);
    ++count[lowest];
    layer[best] = lowest;
  }
  return layer;
}

/// Nodes move between their causes and their effects to where their lines are shortest in all.
void shorten_lines(const Graph& graph, std::vector<std::size_t>& layer,
                   const std::vector<bool>& drawn) {
  constexpr int passes = 10;
  const std::size_t m = graph.variables();
  bool moved = true;
  for (int pass = 0; pass < passes && moved; ++pass) {
    moved = false;
    for (std::size_t v = 0; v < m; ++v) {
      if (!drawn[v]) continue;
      std::size_t causes = 0, effects = 0, highest = 0, lowest = m;
      for (std::size_t w = 0; w < m; ++w) {
        if (edge(graph, w, v)) ++causes, highest = std::max(highest, layer[w] + 1);
        if (edge(graph, v, w)) ++effects, lowest = std::min(lowest, layer[w] - 1);
      }
      const std::size_t best = effects > causes ? lowest : effects < causes ? highest : layer[v];
      moved = moved || best != layer[v];
      layer[v] = best;
    }
  }
}

Layered build(const Graph& graph, std::span<const double> widths, const std::vector<bool>& drawn) {
  const std::size_t m = graph.variables();
  std::vector<std::size_t> layer = choose_layers(graph, drawn);
  shorten_lines(graph, layer, drawn);
  Layered out;
  out.layer_of = layer;
  out.width.assign(widths.begin(), widths.end());
  out.up.resize(m);
  out.down.resize(m);
  for (std::size_t v = 0; v < m; ++v) {
    if (!drawn[v]) continue;
    if (out.layers.size() <= layer[v]) out.layers.resize(layer[v] + 1);
    out.layers[layer[v]].push_back(v);
  }
  const auto join = [&](std::size_t above, std::size_t below) {
    out.down[above].push_back(below);
    out.up[below].push_back(above);
  };
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      if (!edge(graph, i, j)) continue;
      Layered::Route route{i, j, {}};
      std::size_t last = i;
      for (std::size_t l = layer[i] + 1; l < layer[j]; ++l) {
        const std::size_t bend = out.width.size();
        out.width.push_back(bend_width);
        out.layer_of.push_back(l);
        out.up.emplace_back();
        out.down.emplace_back();
        out.layers[l].push_back(bend);
        join(last, bend);
        route.bends.push_back(bend);
        last = bend;
      }
      join(last, j);
      out.routes.push_back(std::move(route));
    }
  return out;
}

// ---- order inside layers: few crossings ----

std::vector<std::size_t> positions(const Layered& g) {
  std::vector<std::size_t> at(g.width.size(), 0);
  for (const Layer& layer : g.layers)
    for (std::size_t k = 0; k < layer.size(); ++k) at[layer[k]] = k;
  return at;
}

std::size_t crossings(const Layered& g) {
  const auto at = positions(g);
  std::size_t count = 0;
  for (const Layer& layer : g.layers) {
    std::vector<std::size_t> ends;  // below, in the order of the upper ends
    for (std::size_t place : layer) {
      std::vector<std::size_t> own;
      for (std::size_t below : g.down[place]) own.push_back(at[below]);
      std::sort(own.begin(), own.end());
      for (std::size_t end : own) {
        count += std::size_t(std::count_if(ends.begin(), ends.end(),
                                           [&](std::size_t other) { return other > end; }));
      }
      ends.insert(ends.end(), own.begin(), own.end());
    }
  }
  return count;
}

/// Sorts a layer by the mean position of the neighbours in one direction.
void sort_layer(Layer& layer, const std::vector<std::vector<std::size_t>>& next,
                std::vector<std::size_t>& at) {
  std::vector<std::pair<double, std::size_t>> keys;
  for (std::size_t k = 0; k < layer.size(); ++k) {
    double sum = 0;
    for (std::size_t other : next[layer[k]]) sum += double(at[other]);
    const std::size_t n = next[layer[k]].size();
    keys.emplace_back(n == 0 ? double(k) : sum / double(n), layer[k]);
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < layer.size(); ++k) {
    layer[k] = keys[k].second;
    at[layer[k]] = k;
  }
}

void reduce_crossings(Layered& g) {
  constexpr int sweeps = 24;
  std::vector<Layer> best = g.layers;
  std::size_t fewest = crossings(g);
  for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
    auto at = positions(g);
    if (sweep % 2 == 0)
      for (std::size_t l = 1; l < g.layers.size(); ++l) sort_layer(g.layers[l], g.up, at);
    else
      for (std::size_t l = g.layers.size() - 1; l-- > 0;) sort_layer(g.layers[l], g.down, at);
    const std::size_t now = crossings(g);
    if (now < fewest) fewest = now, best = g.layers;
  }
  g.layers = std::move(best);
}

// ---- coordinates ----

/// What a layer would like: places, and how much each of them matters.
struct Wish {
  std::vector<double> place, weight;
};

/// The nearest places to the wanted ones, in weighted squares, that keep the order and the
/// distances: pools of neighbours that would overlap share their mean.
std::vector<double> without_overlap(const Wish& wish, const std::vector<double>& offset) {
  struct Pool {
    double sum, weight;
    std::size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<Pool> pools;
  for (std::size_t k = 0; k < offset.size(); ++k) {
    pools.push_back({wish.weight[k] * (wish.place[k] - offset[k]), wish.weight[k], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      Pool& left = pools[pools.size() - 2];
      left = {left.sum + pools.back().sum, left.weight + pools.back().weight,
              left.count + pools.back().count};
      pools.pop_back();
    }
  }
  std::vector<double> x;
  for (const Pool& pool : pools)
    for (std::size_t k = 0; k < pool.count; ++k) x.push_back(pool.mean() + offset[x.size()]);
  return x;
}

bool is_bend(const Layered& g, std::size_t place) { return g.width[place] == bend_width; }

/// Lines may run close beside each other, nodes not.
std::vector<double> offsets(const Layered& g, const Layer& layer, double gap) {
  std::vector<double> offset(layer.size(), 0);
  for (std::size_t k = 1; k < layer.size(); ++k) {
    const bool lines = is_bend(g, layer[k - 1]) && is_bend(g, layer[k]);
    offset[k] =
        offset[k - 1] + (g.width[layer[k - 1]] + g.width[layer[k]]) / 2 + (lines ? gap / 4 : gap);
  }
  return offset;
}

/// The mean of the neighbours; long lines count most, so that they run straight.
Wish wish_of(const Layered& g, const Layer& layer, const std::vector<double>& x) {
  constexpr double straight = 8, touching = 2;
  Wish wish;
  for (std::size_t place : layer) {
    double sum = 0, weight = 0;
    for (const auto* side : {&g.up[place], &g.down[place]})
      for (std::size_t other : *side) {
        const int bends = int(is_bend(g, place)) + int(is_bend(g, other));
        const double w = bends == 2 ? straight : bends == 1 ? touching : 1;
        sum += w * x[other];
        weight += w;
      }
    wish.place.push_back(weight == 0 ? x[place] : sum / weight);
    wish.weight.push_back(std::max(weight, 0.1));
  }
  return wish;
}

std::vector<double> choose_x(const Layered& g, double gap) {
  std::vector<double> x(g.width.size(), 0);
  for (const Layer& layer : g.layers) {
    const auto offset = offsets(g, layer, gap);
    for (std::size_t k = 0; k < layer.size(); ++k) x[layer[k]] = offset[k] - offset.back() / 2;
  }
  constexpr int sweeps = 40;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t step = 0; step < g.layers.size(); ++step) {
      const Layer& layer = g.layers[sweep % 2 == 0 ? step : g.layers.size() - 1 - step];
      const auto found = without_overlap(wish_of(g, layer, x), offsets(g, layer, gap));
      for (std::size_t k = 0; k < layer.size(); ++k) x[layer[k]] = found[k];
    }
  return x;
}

/// Rows of nodes without edges, under the drawing.
void place_single(const std::vector<bool>& drawn, std::span<const double> widths,
                  double layer_distance, double gap, double least_width, GraphLayout& out) {
  double x = margin,
         y = out.height == 0 ? margin + node_height / 2 : out.height + layer_distance / 2;
  bool any = false;
  for (std::size_t v = 0; v < drawn.size(); ++v) {
    if (drawn[v]) continue;
    if (any && x + widths[v] > least_width) x = margin, y += node_height + gap;
    out.nodes[v] = {x + widths[v] / 2, y};
    x += widths[v] + gap;
    out.width = std::max(out.width, x - gap + margin);
    any = true;
  }
  if (any) out.height = y + node_height / 2 + margin;
}

}  // namespace

GraphLayout lay_out(const Graph& graph, std::span<const double> widths, double layer_distance,
                    double gap) {
  const std::size_t m = graph.variables();
  const auto drawn = has_edges(graph);
  GraphLayout out;
  out.nodes.resize(m);
  if (graph.edge_count() > 0) {
    Layered g = build(graph, widths, drawn);
    reduce_crossings(g);
    const auto x = choose_x(g, gap);
    double left = INFINITY, right = -INFINITY;
    for (const Layer& layer : g.layers)
      for (std::size_t place : layer) {
        left = std::min(left, x[place] - g.width[place] / 2);
        right = std::max(right, x[place] + g.width[place] / 2);
      }
    const auto point = [&](std::size_t place) {
      return LayoutPoint{x[place] - left + margin,
                         margin + node_height / 2 + layer_distance * double(g.layer_of[place])};
    };
    for (std::size_t v = 0; v < m; ++v)
      if (drawn[v]) out.nodes[v] = point(v);
    for (const Layered::Route& route : g.routes) {
      LayoutEdge line{route.from, route.to, {}};
      for (std::size_t bend : route.bends) line.bends.push_back(point(bend));
      out.edges.push_back(std::move(line));
    }
    out.width = right - left + 2 * margin;
    out.height = 2 * margin + node_height + layer_distance * double(g.layers.size() - 1);
  }
  const double usual = 720;
  place_single(drawn, widths, layer_distance, gap, std::max(out.width, usual) - margin, out);
  return out;
}

}  // namespace whence
