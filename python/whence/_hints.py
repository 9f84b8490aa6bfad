"""Words of the command line in the words of Python: ``--small pool`` is ``small="pool"``."""

from __future__ import annotations

import json
import os
import re
from typing import Callable, Iterable

_TYPE = r"(?:real|labels|categorical(?::\d+)?|TYPE)"
_PAIR = rf"(?:\"(?:[^\"]|\"\")*\"|[^,;='()]+?)={_TYPE}"
_CHOICES = ("auto|drop|error|accept|pool|leave-out|keep|linear|categorical|labels|robust|gaussian|"
            "rotation|full|smoke|mechanism|mixed|linear-gaussian|spline|"
            "cause|effect|row|both|none")


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _name(word: str) -> str:
    """A name that may stand in double quotes, as lists of the command line have it."""
    return word[1:-1].replace('""', '"') if word[:1] == '"' else word


def _names(value: str) -> str:
    return "[" + ", ".join(_text(_name(v)) for v in value.split(",")) + "]"


def _types(value: str) -> str:
    inner = value[1:-1] if value[:1] == "'" else value
    pairs = [pair.rpartition("=") for pair in re.findall(_PAIR, inner)]
    return "{" + ", ".join(f"{_text(_name(n))}: {_text(t)}" for n, _, t in pairs) + "}"


def _weights(value: str) -> str:
    name, _, weight = value.partition("=")
    return f"{{{_text(name)}: {weight}}}"


#: How the value of an option is written, and what it looks like after the option and a space.
_VALUES: dict[str, tuple[str, Callable[[str], str]]] = {
    "types": (rf"'(?:[^']|'\\'')*={_TYPE}'|{_PAIR}(?:,{_PAIR})*", _types),
    "columns": (r"[^\s;)]+,[^\s,;)]+|NAME", _names),
    "exclude": (r"NAME", _names),
    "prior": (r"\w+=[\d.]+", _weights),
    "na": (r"(?!)", lambda v: v if re.fullmatch(r"-?\d+(\.\d+)?", v) else _text(v)),
    "max-memory": (r"\d+[A-Za-z]*", _text),
    "delimiter": (r".", _text),
    "decimal": (r".", _text),
}
_NUMBER = (r"\d+(?:\.\d+)?", lambda v: v if re.fullmatch(r"-?\d+(\.\d+)?", v) else _text(v))
_CHOICE = (rf"(?:{_CHOICES})(?![\w-])|[A-Z]+(?![\w-])|'[^']*'", lambda v: _text(v.strip("'")))
_NUMBERS = ("min-rows", "restarts", "sweeps", "seed", "threads", "latents", "time-limit", "levels",
            "environments", "rows", "baseline-rows", "hidden", "drift", "typos", "noise-rows")

#: What Python says in other words altogether.
_SENTENCES = (
    (": --shifted for every file", ""),
    ("there is no NAME ", "there is no experiment "),
    ("the file has no column", "the table has no column"),
    ("this file has", "this table has"),
    ("choose another place with -o", "choose another place"),
    ("find_graph takes", "discover() takes"),
    ("give a truth.json of whence simulate", "what simulate_graph() gives, or a graph"),
    ("--baseline base.csv, or --baseline NAME of a long table", "--baseline NAME"),
    ("--baseline FILE --shifted FILE, or FILE --environment COLUMN",
     'a table for each environment: {"home": df0, "lab": df1}'),
    ("--missing=drop --na=", "--missing=drop and --na="),
    ("whence simulate pair, or whence simulate graph --graph er:20:40",
     "simulate_pair(), or simulate_graph()"),
)
_OPTION = re.compile(r"--([a-z][a-z-]*)")


def in_python(text: str) -> str:
    """Options of the command line as arguments of the functions."""
    for old, new in _SENTENCES:
        text = text.replace(old, new)
    out, at = [], 0
    for match in _OPTION.finditer(text):
        if match.start() < at:
            continue
        word, end = _argument(match[1], text, match.end())
        out += [text[at:match.start()], word]
        at = end
    return "".join(out) + text[at:]


def without_files(text: str, files: Iterable[str]) -> str:
    """``data.csv[3]`` as ``data[3]``: the file that an argument counts as is nothing to the
    caller."""
    if ".csv" in text or ".json" in text:
        for file in sorted(files, key=len, reverse=True):
            text = text.replace(file, os.path.splitext(file)[0])
    return text


def _argument(option: str, text: str, at: int) -> tuple[str, int]:
    """The argument, and where in the text its value ends."""
    name = option.replace("-", "_")
    pattern, written = _VALUES.get(option, _NUMBER if option in _NUMBERS else _CHOICE)
    if text[at:at + 1] == "=":
        value = re.compile(pattern + r"|[^\s;)]*[^\s,;).]").match(text, at + 1)
    else:
        value = re.compile(rf"\s({pattern})").match(text, at)
    if value is None:
        return f"{name}=", at
    return f"{name}={written(value[0].strip())}", value.end()
