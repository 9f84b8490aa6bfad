// The style sheet and the script of a graph on the page.
#include "whence/report/page/graph_view.hpp"

namespace whence {

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
.unsupported .g-line { stroke: var(--ink); stroke-dasharray: 11 4; }
.g-tip.unsupported path { fill: var(--paper); stroke: var(--ink); stroke-width: 1.5; }
.shifts-only .g-line { stroke: var(--link); stroke-dasharray: 9 3 2 3; }
.g-tip.shifts-only path { fill: var(--link); }
.open .g-line { stroke: var(--bad); stroke-dasharray: 2 4; stroke-linecap: round; }
.hidden .g-line { stroke: #8b3a8f; stroke-dasharray: 5 3; }
.g-tip.hidden path { fill: #8b3a8f; }
@media screen and (prefers-color-scheme: dark) {
  .hidden .g-line { stroke: #d9a0dc; }
  .g-tip.hidden path { fill: #d9a0dc; }
}
.g-below { display: none; }
.g-label { font-size: 11px; fill: var(--link); font-variant-numeric: tabular-nums; pointer-events: none; }
.g-ground { fill: var(--paper); pointer-events: none; }
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
.g-step { stroke: var(--rule); }
.g-cell { fill: var(--ink); font-size: 10.5px; font-variant-numeric: tabular-nums; pointer-events: none; }
.g-cell.on { fill: var(--paper); }
.g-assumption { margin-top: .25rem; max-width: 46rem; }
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
  add(label, 'span', 'Show links from');
  const slider = add(label, 'input');
  Object.assign(slider, { type: 'range', min: 5, max: 99, step: 1, value: 50 });
  const shown = add(label, 'output');
  const threshold = () => {
    const least = Number(slider.value) / 100;
    let number = 0;
    for (const element of edges) {
      const edge = of(element);
      const on = (edge.look === 'open' ? edge.adjacent : edge.p) >= least;
      element.classList.toggle('g-below', !on);
      if (on) element.setAttribute('tabindex', 0);
      else element.removeAttribute('tabindex');
      number += on;
    }
    shown.textContent = slider.value + ' %';
    count.textContent = `${number} ${number === 1 ? 'link is' : 'links are'} at least ` +
      `${slider.value} % probable.`;
  };
  slider.addEventListener('input', threshold);
  slider.setAttribute('aria-label', 'Show links from this probability');

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
    const sign = { open: '–', hidden: '↔' }[edge.look] || '→';
    add(detail, 'h3', `${name(edge.from)} ${sign} ${name(edge.to)}`);
    if (edge.look === 'hidden') {
      add(detail, 'p', `Dependent through something hidden, neither causing the other: ` +
        `probability ${percent(edge.p)}.`);
      return;
    }
    if (edge.effect) add(detail, 'p', `Effect: ${edge.effect}.`);
    add(detail, 'p', `Probability ${percent(edge.p)}; linked in either direction ` +
      `${percent(edge.adjacent)}.` +
      (edge.look === 'open' ? ' These shifts cannot tell the direction.' : '') +
      (edge.look === 'unsupported' ? ' No shift supports the direction.' : '') +
      (edge.look === 'shifts-only' ? ' It shows in how environments differ, not within them.' : ''));
    if (edge.doubt) add(detail, 'p', edge.doubt);
    if (data.assumption) add(detail, 'p', data.assumption, 'g-count');
    const rows = edge.support.map((value, e) => [data.environments[e], value])
      .filter(([, value]) => value !== null && Math.abs(value) >= 0.05)
      .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    if (rows.length === 0) {
      add(detail, 'p', edge.support.length > 0
        ? 'No environment speaks for or against this direction.'
        : edge.adjacent > 0.5 ? 'Which environments support this edge was not worked out.'
        : 'Which environments support an edge is worked out for links that are likely.');
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
    const verb = { open: 'and', hidden: 'is linked through something hidden to' }[edge.look] || 'causes';
    element.setAttribute('aria-label', `${data.variables[edge.from]} ${verb} ` +
      `${data.variables[edge.to]}, ${percent(edge.look === 'open' ? edge.adjacent : edge.p)}: details`);
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
