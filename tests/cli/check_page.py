#!/usr/bin/env python3
"""check_page.py DIR: the page and the figures of a run are well formed, safe and self-contained."""

import base64
import hashlib
import html.parser
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(html.parser.HTMLParser):
    """Reads like a browser, but insists on balance; keeps what the checks below need."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.attributes, self.raw, self.tags = [], [], [], {}, set()
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]
        if tag not in VOID:
            self.open.append(tag)
        kind = dict(attributes).get("type", "") if tag == "script" else ""
        self.current = {"style": "style", "script": "island" if kind else "script"}.get(tag)

    def handle_startendtag(self, tag, attributes):
        self.attributes += [(tag, name, value or "") for name, value in attributes]

    def handle_endtag(self, tag):
        self.current = None
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} closes nothing")

    def handle_data(self, data):
        if self.current:
            self.raw[self.current] = self.raw.get(self.current, "") + data

    current = None


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy_of(page):
    values = [value for tag, name, value in page.attributes if tag == "meta" and name == "content"]
    found = [value for value in values if value.startswith("default-src")]
    return dict(part.split(None, 1) for part in found[0].split("; ")) if found else {}


def check_page(text):
    page = Page(text)
    yield from page.faults
    policy = policy_of(page)
    expected = {"default-src": "'none'", "style-src": digest(page.raw["style"]),
                "script-src": digest(page.raw["script"]), "img-src": "data:"}
    for name, value in expected.items():
        if policy.get(name) != value:
            yield f"policy: {name} is {policy.get(name)}, not {value}"
    for tag, name, value in page.attributes:
        if name == "style" or name.startswith("on") or name == "src":
            yield f"<{tag} {name}> is not allowed"
        if name == "href" and not value.startswith("#") and value != "data:,":
            yield f"<{tag} href> leads to {value}"
    if re.search(r"https?:|\beval\b|@import", text):
        yield "names something outside"
    for tag in ("header", "main", "footer", "h1", "title"):
        if tag not in page.tags:
            yield f"has no <{tag}>"
    json.loads(page.raw["island"])


def check_figure(text):
    root = xml.etree.ElementTree.fromstring(text)
    names = [child.tag.rpartition("}")[2] for child in root]
    if names[:2] != ["title", "desc"] or root.get("role") != "img":
        yield "does not say what it shows"
    if "http" in text.replace("http://www.w3.org/2000/svg", "", 1):
        yield "names something outside"


def main(folder):
    folder = pathlib.Path(folder)
    pages, figures = sorted(folder.rglob("*.html")), sorted(folder.rglob("*.svg"))
    faults = [f"{folder}: no {kind}" for kind, files in (("page", pages), ("figure", figures))
              if not files]
    for file in pages + figures:
        check = check_page if file.suffix == ".html" else check_figure
        faults += [f"{file.relative_to(folder)}: {fault}"
                   for fault in check(file.read_text("utf-8"))]
    print("\n".join(faults) or f"{len(pages)} page(s), {len(figures)} figure(s): all well")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
