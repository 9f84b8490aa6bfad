#!/usr/bin/env python3
"""graph_page_in_chromium.py PAGE: uses the drawing of a graph as a reader would."""

import sys

from chromium import Chromium, check_widths

SHOWN = "[...document.querySelectorAll('.g-plot .g-edge')].filter(e => e.getClientRects().length).length"


def check_threshold(page):
    """More edges with a lower threshold, fewer with a higher one, and the words follow."""
    def shown(value):
        page.ask(f"(() => {{ const s = document.querySelector('.g-tools input'); s.value = {value}; "
                 "s.dispatchEvent(new Event('input')); })()")
        return page.ask(SHOWN)
    few, usual, many = shown(99), shown(50), shown(5)
    if not few <= usual <= many:
        yield f"{few}, {usual}, {many} edges at 99, 50 and 5 %"
    if not page.ask("document.querySelector('.g-count').textContent").startswith(f"{many} link"):
        yield "the words do not follow the slider"
    shown(50)


def check_edge(page):
    """A click, or a key, on an edge shows who supports it."""
    page.ask("document.querySelector('.g-plot .g-edge:not(.g-below) .g-hit')"
             ".dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    if "Probability" not in page.ask("document.querySelector('.g-detail').textContent"):
        yield "a click on an edge shows nothing"
    if page.ask("document.querySelectorAll('.g-detail script, .g-detail img').length"):
        yield "a name became markup"
    page.ask("(() => { const e = [...document.querySelectorAll('.g-plot .g-edge:not(.g-below)')].pop();"
             "e.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true})); })()")
    if page.ask("document.querySelectorAll('.g-edge.chosen').length") != 1:
        yield "one edge should be chosen"


def check_detail(page):
    """What an edge says is in sight, however tall the drawing is, and can be put away."""
    page.size(1280, 500)
    page.ask("document.getElementById('graph').scrollIntoView({behavior: 'instant'})")
    bottom = page.ask("document.querySelector('.g-detail').getBoundingClientRect().bottom")
    if not 0 < bottom <= 500:
        yield f"what an edge says ends {bottom} pixels from the top of a screen of 500"
    page.ask("document.querySelector('.g-close').click()")
    if page.ask("document.querySelectorAll('.g-detail *, .g-edge.chosen').length"):
        yield "what an edge says cannot be put away"


def check_find(page):
    """Typing a name marks one node."""
    def marked(text):
        page.ask(f"(() => {{ const s = document.querySelector('.g-find input'); s.value = '{text}'; "
                 "s.dispatchEvent(new Event('input')); })()")
        return page.ask("[...document.querySelectorAll('.g-node.found text')].map(t => t.textContent)")
    if marked("PLAIN") != ["plain"] or marked("no such name") != [] or marked("") != []:
        yield "a name that is looked for is not marked"


def check_sizes(page):
    yield from check_widths(page)
    page.ask("document.querySelector('.g-tools button').click()")
    page.size(375, 800)
    if page.ask("document.querySelector('.g-plot').getBoundingClientRect().width") > 375:
        yield "the whole graph does not fit a phone"


def main(path):
    with Chromium() as page:
        page.open(path)
        faults = [*check_threshold(page), *check_edge(page), *check_detail(page), *check_find(page),
                  *check_sizes(page)]
        faults += [f"console: {line}" for line in page.log]
        faults += [f"asked for {url}" for url in page.requests if not url.startswith(("file:", "data:"))]
        faults += ["a dialog opened"] if page.dialogs else []
    print("\n".join(faults) or "the graph works in Chromium")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
