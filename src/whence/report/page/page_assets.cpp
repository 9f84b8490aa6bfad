#include "whence/report/page/page_assets.hpp"

#include "whence/report/page/svg_figure.hpp"

namespace whence {
namespace {

// Text colours reach 4.5 : 1 on their grounds, in the light and in the dark.
constexpr std::string_view style = R"css(
:root {
  color-scheme: light dark;
  --paper: #fdfdfb; --raised: #fff; --ink: #1c2126; --muted: #59636e; --rule: #e2e3df;
  --link: #00598c; --good: #0b6b4f; --good-ground: #e6f3ed; --bad: #a03c00; --bad-ground: #fcede2;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial,
    "Liberation Sans", "DejaVu Sans", sans-serif;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", "Book Antiqua",
    Georgia, "DejaVu Serif", serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1.5rem; }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 var(--sans); overflow-wrap: anywhere;
}
.wrap { max-width: 72rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:focus-visible, button:focus-visible, summary:focus-visible, input:focus-visible,
.scroll:focus-visible, main:focus-visible {
  outline: 3px solid var(--link); outline-offset: 3px; border-radius: 3px;
}
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--raised); padding: .5rem 1rem; z-index: 1; }
h1, h2, h3, p, dl, dd, ul, ol, figure, table, pre { margin: 0; padding: 0; }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance; }
h1 { font-size: clamp(1.75rem, 1.2rem + 2.6vw, 2.875rem); letter-spacing: -.012em; }
h2 { font-size: clamp(1.5rem, 1.2rem + 1.2vw, 2rem); }
h3 { font-size: 1rem; font-weight: 650; margin-bottom: .75rem; }
.eyebrow { color: var(--muted); font-size: .875rem; margin-bottom: .4rem; }
.eyebrow span + span::before { content: "·"; margin: 0 .5em; }

.top { padding: clamp(2.5rem, 7vw, 5rem) 0 clamp(1.5rem, 4vw, 2.5rem); }
.top .eyebrow { margin-bottom: .75rem; }
.lead, .summary {
  font: 1.25rem/1.5 var(--serif); max-width: 40rem; margin-top: 1rem; text-wrap: pretty;
}
.summary { font-size: 1.125rem; }
.tally { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; margin-top: 1.5rem; }

.verdict {
  display: inline-flex; align-items: center; gap: .4em; white-space: nowrap;
  font-size: .9375rem; font-weight: 600; color: var(--bad);
}
.verdict.holds { color: var(--good); }
.verdict.quick { color: var(--muted); }
.icon { width: 1.15em; height: 1.15em; flex: none; }

.contents { border-top: 1px solid var(--rule); padding: 1.25rem 0; }
.contents ol { list-style: none; display: grid; gap: .9rem 2rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.contents a { display: inline-block; }
.contents small { display: block; color: var(--muted); font-size: .875rem; }

main > section { border-top: 1px solid var(--rule); padding: clamp(2rem, 5vw, 3.5rem) 0; }
.part { margin-top: 2.5rem; }
.prose { max-width: 42rem; }

/* tables */
.scroll {
  overflow-x: auto;
  /* a shade at the side where more is to be seen */
  background: linear-gradient(to right, var(--paper) 1rem, transparent) left / 3rem 100% local,
    linear-gradient(to left, var(--paper) 1rem, transparent) right / 3rem 100% local,
    linear-gradient(to right, var(--rule), transparent) left / 1rem 100%,
    linear-gradient(to left, var(--rule), transparent) right / 1rem 100%;
  background-repeat: no-repeat;
}
.scroll + .scroll { margin-top: 2rem; }
table { border-collapse: collapse; font-size: .9375rem; line-height: 1.45; }
th, td { text-align: left; vertical-align: top; padding: .5rem 1.25rem .5rem 0; }
th:last-child, td:last-child { padding-right: 0; }
thead th {
  font-size: .8125rem; font-weight: 600; color: var(--muted); vertical-align: bottom;
  border-bottom: 1px solid var(--muted);
}
tbody th { font-weight: 400; }
tbody tr + tr > * { border-top: 1px solid var(--rule); }
.data td, .data th { overflow-wrap: normal; min-width: 4.5rem; max-width: 24rem; }
.data thead th { max-width: 9rem; white-space: normal; text-wrap: balance; }
.data td.long, .data th.long { overflow-wrap: anywhere; min-width: 12rem; }
.num { text-align: right; font-variant-numeric: tabular-nums lining-nums; white-space: nowrap; }
td.yes, td.no { font-weight: 600; }
td.yes { color: var(--good); }
td.no { color: var(--bad); }
td.yes::before { content: "✓\00a0"; }
td.no::before { content: "✕\00a0"; }

/* all claims */
.all-claims { width: 100%; margin-top: 1.5rem; }
.all-claims td:nth-child(2) { width: 31%; font-family: var(--serif); font-size: 1rem; }
.all-claims td:nth-child(4) { width: 21%; }
.filter { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1.5rem; }
button {
  font: inherit; color: inherit; background: none; border: 1px solid var(--rule);
  border-radius: 999px; padding: .3rem .9rem; cursor: pointer; min-height: 2.25rem;
}
button:hover { border-color: var(--muted); }
.filter button { font-size: .9375rem; }
.filter button[aria-pressed="true"] {
  background: var(--ink); color: var(--paper); border-color: var(--ink);
}

/* figure beside claims */
.pair {
  display: grid; grid-template-columns: minmax(0, 1fr); margin-top: 2rem;
  gap: 2.5rem clamp(2rem, 4vw, 3.5rem);
}
.both .claims { max-width: 42rem; }
.claims-only { display: grid; gap: 1.5rem 3rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
.claims-only h3 { grid-column: 1 / -1; margin: 0; }
.figures { display: grid; gap: 3rem; min-width: 0; align-content: start; }
.figures.many { gap: 2rem 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
.figures.many .wide { display: none; }
.figures.many .narrow { display: block; }
.figures.many .key tbody { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.figures.many .key tbody tr > * { border: 0; }
.figures.many figcaption { margin-top: .25rem; }
main > .warnings { margin: 0 0 2.5rem; }
figcaption { font-size: .9375rem; color: var(--muted); max-width: 42rem; margin-top: 1rem; }
.plot svg {
  display: block; width: 100%; height: auto; touch-action: pan-y; font-family: var(--sans);
}
.plot .narrow { display: none; }
.w-cross { pointer-events: none; }
.off { opacity: .08; }
.key { width: 100%; font-size: .875rem; margin-top: .25rem; }
.key th, .key td { padding: .3rem 1rem .3rem 0; vertical-align: middle; }
.key th:last-child, .key td:last-child { padding-right: 0; }
.key thead th { border-bottom: 0; font-weight: 400; padding-bottom: .1rem; }
.key thead .at { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.key .name { display: flex; align-items: center; gap: .65rem; text-align: left; }
.key .name span { min-width: 0; }
.w-key { flex: none; }
.key button {
  border: 0; border-radius: 4px; padding: .1rem .3rem; margin: -.1rem -.3rem; min-height: 1.75rem;
}
.key button:hover span { text-decoration: underline; text-underline-offset: .18em; }
.key button[aria-pressed="false"] { color: var(--muted); text-decoration: line-through; }
.key button[aria-pressed="false"] .w-key { opacity: .25; }
.reader { display: block; appearance: none; width: 100%; height: 1.5rem; margin: 0; cursor: pointer;
  background: linear-gradient(var(--rule), var(--rule)) center / 100% 2px no-repeat; }
.reader::-webkit-slider-thumb { appearance: none; width: 14px; height: 14px; border-radius: 50%;
  background: var(--muted); border: 2px solid var(--paper); }
.reader::-moz-range-thumb { width: 10px; height: 10px; border-radius: 50%;
  background: var(--muted); border: 2px solid var(--paper); }
.reader:hover::-webkit-slider-thumb,
.reader:focus::-webkit-slider-thumb { background: var(--link); }

.claim + .claim { border-top: 1px solid var(--rule); margin-top: 1.25rem; padding-top: 1.25rem; }
.id { color: var(--muted); font-size: .75rem; }
.all-claims .id, .claim .id, td .whose { display: block; }
.whose { color: var(--muted); font: .8125rem var(--sans); }
.claims-only .claim:nth-child(n) {
  border-top: 1px solid var(--rule); padding-top: 1rem; margin: 0;
}
.claim dl { margin-top: .4rem; }
.claim dt { font-size: .8125rem; color: var(--muted); margin-top: .6rem; }
.claim dd { font-size: .9375rem; line-height: 1.5; }
.claim dd.paper { font: 1rem/1.5 var(--serif); }

.numbers { display: grid; gap: .1rem 2.5rem; font-size: .9375rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); }
.numbers div {
  display: flex; justify-content: space-between; gap: 1.5rem; padding: .3rem 0;
  border-bottom: 1px solid var(--rule);
}
.numbers dt { color: var(--muted); min-width: 0; }
.numbers dd { font-variant-numeric: tabular-nums; white-space: nowrap; }

.notes { display: grid; gap: 2rem 3rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }
.notes ul, .warnings ul { padding-left: 1.1rem; max-width: 42rem; }
.notes li + li, .warnings li + li { margin-top: .4rem; }
.top .warnings { margin-top: 1.5rem; }
.warnings {
  max-width: 46rem; background: var(--bad-ground); padding: 1rem 1.25rem; border-radius: 6px;
}
.warnings h3 { display: flex; align-items: center; gap: .5rem; color: var(--bad); }
details { border-top: 1px solid var(--rule); }
.numbers + details { margin-top: 2rem; }
summary { cursor: pointer; padding: .7rem 0; font-weight: 600; font-size: .9375rem; }
details > :last-child { margin-bottom: 1.25rem; }
pre, code { font-family: var(--mono); font-size: .8125rem; }
pre { overflow-x: auto; line-height: 1.5; padding: 1rem 1.25rem; border-radius: 6px;
  background: var(--raised); border: 1px solid var(--rule); overflow-wrap: normal; }
pre.command { white-space: pre-wrap; overflow-wrap: anywhere; margin-top: 1rem; max-width: 60rem; }

.colophon { border-top: 1px solid var(--rule); padding: 2.5rem 0 4rem; }
.colophon h2 { font-size: 1.375rem; }
.colophon p { max-width: 42rem; margin-top: .75rem; }
.colophon .eyebrow { margin-top: 1.5rem; }

@media (min-width: 62rem) {
  .pair.both { grid-template-columns: minmax(0, 1.75fr) minmax(17rem, 1fr); }
}
@media (max-width: 38rem) {
  .plot .wide { display: none; }
  .plot .narrow { display: block; }
  /* the overview of claims becomes a list of cards */
  .all-claims, .all-claims tbody, .all-claims tr, .all-claims td { display: block; }
  .all-claims thead { position: absolute; left: -99rem; }
  .all-claims td, .all-claims td:nth-child(n) { padding: .15rem 0; border: 0; width: auto; }
  .all-claims tr { padding: .9rem 0; border-top: 1px solid var(--rule); }
  .all-claims tbody tr + tr > * { border: 0; }
  .key, .key thead, .key tbody { display: block; }
  .key tr { display: grid; grid-template-columns: auto 1fr; }
  .key tr > :first-child { grid-column: 1 / -1; }
  .key .quartiles { white-space: normal; }
  .key tr > :nth-child(2) { text-align: left; padding-left: calc(30px + .65rem); }
  .key tbody tr { padding: .3rem 0; border-top: 1px solid var(--rule); }
  .key tbody tr > * { border: 0; padding-top: .05rem; padding-bottom: .05rem; }
}
.all-claims tr[hidden] { display: none; }
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --raised: #1c2024; --ink: #e6e8ea; --muted: #a3adb7; --rule: #2f353b;
    --link: #7cc4f2; --good: #62cfa6; --good-ground: #16291f; --bad: #ffa877; --bad-ground: #2c2019;
  }
}
@media print {
  :root { --paper: #fff; }
  body { font-size: 10pt; }
  .wrap { max-width: none; padding: 0; }
  .contents, .filter, .reader, .skip { display: none; }
  .scroll { overflow: visible; }
  .w-cross { display: none; }
  .both .wide { display: none; }
  .both .narrow { display: block; }
  .pair.both { grid-template-columns: minmax(0, 1.3fr) minmax(0, 1fr); gap: 2rem; }
  figure, .claim, tr, .warnings { break-inside: avoid; }
  h2, h3, .summary { break-after: avoid; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
)css";

constexpr std::string_view script = R"js(
(() => {
  'use strict';
  const island = document.getElementById('whence-data');
  if (!island) return;
  const data = JSON.parse(island.textContent);

  // The same rules as the numbers that the page came with.
  const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  const trim = (s) => (s.includes('.') ? s.replace(/\.?0+$/, '') : s);
  const number = (value, digits) => {
    if (!Number.isFinite(value)) return '–';
    if (value === 0) return '0';
    const size = Math.abs(value), sign = value < 0 ? '−' : '';
    if (Number.isInteger(size) && size < 1e15) return sign + size;
    if (size >= 1e-4 && size < 1e6) {
      const leading = Math.floor(Math.log10(size));
      return sign + trim(size.toFixed(Math.min(6, Math.max(0, digits - 1 - leading))));
    }
    const [mantissa, power] = size.toExponential(digits - 1).split('e');
    const exponent = [...power].map((c) => (c === '-' ? '⁻' : raised[c] || '')).join('');
    return sign + trim(mantissa) + ' × 10' + exponent;
  };

  const nearest = (list, x, distance) => {
    let best = 0;
    for (let i = 1; i < list.length; ++i)
      if (distance(list[i], x) < distance(list[best], x)) best = i;
    return best;
  };

  const axis = (text) => {
    const [low, high, start, end, log] = text.split(' ').map(Number);
    const scale = log ? Math.log10 : (v) => v;
    const from = scale(low), to = scale(high);
    return {
      log, start, end,
      pixel: (v) => start + ((scale(v) - from) / (to - from)) * (end - start),
      inside: (p) => p >= Math.min(start, end) - 4 && p <= Math.max(start, end) + 4,
    };
  };

  const button = (pressed, onPress) => {
    const element = document.createElement('button');
    element.type = 'button';
    element.setAttribute('aria-pressed', pressed);
    element.addEventListener('click', () => onPress(element));
    return element;
  };

  function setUpFigure(box) {
    const figure = data.figures[Number(box.dataset.figure)];
    const plots = [...box.querySelectorAll('.w-plot')].map((svg) => ({
      svg, x: axis(svg.dataset.x), y: axis(svg.dataset.y), cross: svg.querySelector('.w-cross'),
    }));
    const rows = [...box.querySelectorAll('.key tbody tr')];
    const curves = figure.curves.map((curve) => ({ ...curve, x: data.x[curve.x] }));
    const places = [...new Set(curves.flatMap((curve) => curve.x))]
      .filter((x) => x !== null && (!plots[0].x.log || x > 0)).sort((a, b) => a - b);

    // Curves on and off: the name of each becomes a button.
    rows.forEach((row, i) => {
      const name = row.querySelector('.name');
      const toggle = button(true, (self) => {
        const on = self.getAttribute('aria-pressed') !== 'true';
        self.setAttribute('aria-pressed', on);
        for (const part of box.querySelectorAll(`.w-plot [data-curve="${i}"]`))
          part.classList.toggle('off', !on);
      });
      toggle.className = 'name';
      name.replaceWith(toggle);
      toggle.append(...name.childNodes);
    });
    if (places.length < 2) return;

    // One place on the x axis: a line through the plot, and the values there in the key.
    const reader = document.createElement('input');
    const distance = (a, b) => Math.abs(a - b);
    function read(index) {
      const x = places[index];
      reader.value = index;
      const words = `${figure.x_label} = ${number(x, 6)}`;
      reader.setAttribute('aria-valuetext', words);
      box.querySelector('.key .at').textContent = words;
      for (const { cross } of plots) cross.setAttribute('visibility', 'visible');
      curves.forEach((curve, i) => {
        const at = nearest(curve.x, x, distance);
        const value = (list) => (list && list[at] !== null ? list[at] : NaN);
        const median = value(curve.median), q25 = value(curve.q25), q75 = value(curve.q75);
        rows[i].querySelector('.median').textContent = number(median, 4);
        rows[i].querySelector('.quartiles').textContent =
          Number.isNaN(q25) || Number.isNaN(q75) ? '–' : `${number(q25, 4)} to ${number(q75, 4)}`;
        for (const plot of plots) {
          const dot = plot.cross.querySelector(`[data-curve="${i}"] circle`);
          const px = plot.x.pixel(curve.x[at]), py = plot.y.pixel(median);
          const shown = Number.isFinite(px) && Number.isFinite(py) && plot.y.inside(py);
          dot.setAttribute('visibility', shown ? 'inherit' : 'hidden');
          if (shown) { dot.setAttribute('cx', px); dot.setAttribute('cy', py); }
        }
      });
      for (const plot of plots) {
        const hair = plot.cross.querySelector('line');
        hair.setAttribute('x1', plot.x.pixel(x));
        hair.setAttribute('x2', plot.x.pixel(x));
      }
    }
    Object.assign(reader, { type: 'range', min: 0, max: places.length - 1, step: 1 });
    reader.value = places.length - 1;
    reader.className = 'reader';
    reader.setAttribute('aria-label', `Read the curves along ${figure.x_label}`);
    reader.addEventListener('input', () => read(Number(reader.value)));
    box.querySelector('.plot').after(reader);
    // The slider lies under the axis; half a thumb hangs over at both ends.
    const align = () => {
      const plot = plots.find(({ svg }) => svg.getBoundingClientRect().width > 0);
      if (!plot) return;
      const share = (px) => (100 * px) / plot.svg.viewBox.baseVal.width;
      reader.style.marginLeft = `calc(${share(plot.x.start)}% - 7px)`;
      reader.style.width = `calc(${share(plot.x.end - plot.x.start)}% + 14px)`;
    };
    align();
    addEventListener('resize', align);
    for (const plot of plots) {
      const follow = (event) => {
        const frame = plot.svg.getBoundingClientRect();
        const px = ((event.clientX - frame.left) / frame.width) * plot.svg.viewBox.baseVal.width;
        read(nearest(places, px, (x, p) => Math.abs(plot.x.pixel(x) - p)));
      };
      plot.svg.addEventListener('pointermove', follow);
      plot.svg.addEventListener('pointerdown', follow);
    }
  }
  document.querySelectorAll('[data-figure]').forEach(setUpFigure);

  // Claims: all of them, or one kind.
  const table = document.querySelector('.all-claims');
  const rows = table ? [...table.querySelectorAll('tbody tr')] : [];
  const has = (name) => (row) => row.classList.contains(name);
  const kinds = [['All', () => true], ['The paper’s', has('paper')], ['Holds', has('holds')],
    ['Does not hold', has('fails')]].filter(([, belongs]) => rows.some(belongs));
  if (kinds.length > 2) {
    const filter = document.createElement('div');
    filter.className = 'filter';
    filter.setAttribute('role', 'group');
    filter.setAttribute('aria-label', 'Show claims');
    for (const [name, belongs] of kinds) {
      const element = button(name === 'All', (self) => {
        for (const other of filter.children) other.setAttribute('aria-pressed', other === self);
        for (const row of rows) row.hidden = !belongs(row);
      });
      element.textContent = `${name} (${rows.filter(belongs).length})`;
      filter.append(element);
    }
    table.before(filter);
  }

  // On paper nothing is folded.
  addEventListener('beforeprint', () => {
    for (const fold of document.querySelectorAll('details')) fold.open = true;
  });
})();
)js";

}  // namespace

std::string page_style() {
  return std::string(style) + "@media screen and (prefers-color-scheme: dark) {" +
         std::string(svg_dark_rules()) + "}\n";
}

std::string_view page_script() { return script; }

}  // namespace whence
