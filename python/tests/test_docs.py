"""Every block of Python in the guide and in the README runs, in order, page by page."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"needs ([a-z-]+)")
MODULES = {"scikit-learn": "sklearn"}


def blocks(page):
    text = page.read_text(encoding="utf-8")
    return [("\n" * text.count("\n", 0, m.start(1)) + m[1]) for m in FENCE.finditer(text)]


def missing(block):
    for name in NEEDS.findall(block):
        try:
            __import__(MODULES.get(name, name))
        except ImportError:
            return name
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_blocks_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, ran = {"__name__": "page"}, 0
    for block in blocks(ROOT / page):
        if missing(block):
            continue
        exec(compile(block, page, "exec"), names)
        ran += 1
    assert ran >= (1 if page == "README.md" else 8)
