#!/usr/bin/env python3
"""Checks a JSON document against a JSON Schema: check_schema.py SCHEMA DOCUMENT

Knows the words that the schemas of this project use, and fails on any other, so that a schema never
promises what nobody checks. `--self-test SCHEMA DOCUMENT` spoils a valid document in many ways and
sees that each is found.
"""

import copy
import json
import re
import sys

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
}
SILENT = {"$schema", "$defs", "title", "description"}


def problems(value, schema, root, where="$"):
    """Yields one line per violation."""
    for word, wanted in schema.items():
        if word in SILENT:
            continue
        if word == "$ref":
            target = root
            for step in wanted.removeprefix("#/").split("/"):
                target = target[step]
            yield from problems(value, target, root, where)
        elif word == "type":
            kinds = wanted if isinstance(wanted, list) else [wanted]
            if not any(TYPES[kind](value) for kind in kinds):
                yield f"{where}: {value!r} is not of type {wanted}"
        elif word == "enum":
            if value not in wanted:
                yield f"{where}: {value!r} is not one of {wanted}"
        elif word == "const":
            if value != wanted:
                yield f"{where}: {value!r} is not {wanted!r}"
        elif word == "pattern":
            if isinstance(value, str) and not re.search(wanted, value):
                yield f"{where}: {value!r} does not match {wanted}"
        elif word in ("minimum", "maximum"):
            if TYPES["number"](value) and (value < wanted if word == "minimum" else value > wanted):
                yield f"{where}: {value} breaks the {word} {wanted}"
        elif word in ("minItems", "maxItems", "minProperties", "maxProperties"):
            if isinstance(value, (list, dict)):
                bad = len(value) < wanted if word.startswith("min") else len(value) > wanted
                if bad:
                    yield f"{where}: {len(value)} entries break {word} {wanted}"
        elif word == "required":
            for key in wanted if isinstance(value, dict) else []:
                if key not in value:
                    yield f"{where}: no {key}"
        elif word == "properties":
            for key, inner in wanted.items() if isinstance(value, dict) else []:
                if key in value:
                    yield from problems(value[key], inner, root, f"{where}.{key}")
        elif word == "additionalProperties":
            for key in value if isinstance(value, dict) else []:
                if key in schema.get("properties", {}):
                    continue
                if wanted is False:
                    yield f"{where}: {key} is not known"
                else:
                    yield from problems(value[key], wanted, root, f"{where}.{key}")
        elif word == "items":
            for i, item in enumerate(value if isinstance(value, list) else []):
                yield from problems(item, wanted, root, f"{where}[{i}]")
        else:
            yield f"{where}: the schema says {word}, which is not checked here"


def spoilt(document):
    """Copies of the document, each with one thing wrong."""
    for key in document:
        one = copy.deepcopy(document)
        del one[key]
        yield f"without {key}", one
        two = copy.deepcopy(document)
        two[key] = 1j  # of no type at all
        yield f"another {key}", two
    yield "something more", {**document, "more": 1}


def main(arguments):
    self_test = arguments[:1] == ["--self-test"]
    schema, document = (json.load(open(name, encoding="utf-8")) for name in arguments[-2:])
    found = list(problems(document, schema, schema))
    if self_test:
        for name, wrong in spoilt(document):
            if not list(problems(wrong, schema, schema)):
                found.append(f"not noticed: {name}")
    print("\n".join(found) or "valid")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
