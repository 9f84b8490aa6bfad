#!/usr/bin/env python3
"""page_in_chromium.py PAGE: opens a page in a headless Chromium and uses it as a reader would."""

import sys

from chromium import Chromium, check_widths

WIDE_PLOT = ("[...document.querySelectorAll('.w-plot')]"
             ".find(svg => svg.getBoundingClientRect().width > 0)")


def centre(page, element):
    return page.ask(f"(() => {{ const e = {element}; "
                    "e.scrollIntoView({behavior: 'instant', block: 'center'}); "
                    "const r = e.getBoundingClientRect(); "
                    "return [r.left + r.width / 2, r.top + r.height / 2]; })()")


def check_reading(page):
    """The crosshair appears, and the key shows the values at its place."""
    before = page.ask("document.querySelector('.key .at').textContent")
    page.mouse(*centre(page, WIDE_PLOT))
    after = page.ask("document.querySelector('.key .at').textContent")
    if before == after:
        yield f"the key still reads {after} after the pointer moved into the plot"
    if page.ask(WIDE_PLOT + ".querySelector('.w-cross').getAttribute('visibility')") != "visible":
        yield "no crosshair"
    # The reading is the curve's own number at that place.
    wrong = page.ask("""(() => {
      const data = JSON.parse(document.getElementById('whence-data').textContent);
      const box = document.querySelector('[data-figure]');
      const figure = data.figures[Number(box.dataset.figure)], curve = figure.curves[0];
      const words = box.querySelector('.key .at').textContent.split(' = ');
      const at = Number(words.pop().replace('−', '-'));
      const index = data.x[curve.x].indexOf(at);
      const shown = Number(box.querySelector('.median').textContent.replace('−', '-'));
      return Math.abs(shown - curve.median[index]) <= 1e-3 * Math.abs(shown) + 1e-6 ? '' :
        `at ${at}: shown ${shown}, curve ${curve.median[index]}`;
    })()""")
    if wrong:
        yield wrong
    page.ask("document.querySelector('.reader').focus()")
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key="Home", code="Home",
                  windowsVirtualKeyCode=36)
    if page.ask("document.querySelector('.reader').value") != "0":
        yield "the slider does not answer to the keyboard"


def check_switching(page):
    """A click on a name hides its curve, another one brings it back."""
    state = "document.querySelector('.w-plot [data-curve=\"0\"]').classList.contains('off')"
    for expected in (True, False):
        page.click(*centre(page, "document.querySelector('.key button')"))
        if page.ask(state) != expected:
            yield "a click on a curve's name does not switch it"


def check_sizes(page):
    """No sideways scrolling of the page, on a phone or on a desk, in the light or in the dark."""
    yield from check_widths(page)
    page.media("dark")
    dark = page.ask("getComputedStyle(document.body).backgroundColor")
    page.media("light")
    if dark == page.ask("getComputedStyle(document.body).backgroundColor"):
        yield "the same in the dark"


def check_without_script(path):
    """What a reader sees does not need the script."""
    with Chromium() as page:
        page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.open(path)
        text = page.ask("document.body.innerText")
        for word in ("The paper", "median", "How to reproduce"):
            if word not in text:
                yield f"without scripts the page lacks '{word}'"


def main(path):
    faults = list(check_without_script(path))
    with Chromium() as page:
        page.size(1280, 900)
        page.open(path)
        for check in (check_reading, check_switching, check_sizes):
            faults += check(page)
        faults += [f"console: {line}" for line in page.log]
        faults += [f"dialog: {line}" for line in page.dialogs]
        faults += [f"request: {url}" for url in page.requests[1:]]
    print("\n".join(faults) or "the page works in Chromium")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
