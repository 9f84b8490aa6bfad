#!/usr/bin/env python3
"""Checks that every line of code lives in the right room of the house.

    check_layers.py [ROOT]     prints each violation as file:line: reason; exit 1 if there is any
    check_layers.py --self-test  plants one violation per rule and sees that it is found
"""

import pathlib
import re
import sys
import tempfile

# Which rooms of src/whence each room may include: downward only. Rooms of io are named io/ROOM.
ROOMS = {
    "core": "",
    "math": "core",
    "belief": "core math",
    "io/json": "core",
    "io/files": "core io/json",
    "io/table": "core math io/json io/files",
    "io/graph": "core math io/json io/files io/table",
    "comm": "core",
    "mechanisms": "core math",
    "encoders": "core math",
    "worlds": "core math mechanisms encoders",
    "adapt": "core math mechanisms encoders",
    "evidence": "core math",
    "backends": "core math mechanisms encoders worlds adapt",
    "discover": "core math evidence backends belief",
    "report": "core belief discover io/*",
    "judge": "core math belief worlds discover report io/*",
    "paper": "core math mechanisms encoders worlds adapt backends belief discover judge report io/*",
}
IO_ROOMS = {room for room in ROOMS if room.startswith("io/")}
ROOMS = {room: {room, *below.replace("io/*", " ".join(IO_ROOMS)).split()} for room, below in ROOMS.items()}

# Third-party libraries and the rooms whose .cpp files may name them. None may be named by a header
# of src/: those are installed, and users need not have these libraries.
GUESTS = {
    "nlohmann": set(),  # tests compare with it
    "CLI": {"apps"},
    "Eigen": {"math", "mechanisms", "encoders", "worlds", "adapt", "evidence", "belief"},
    "fmt": set(ROOMS) - {"core"} | {"apps", "bench"},
}

RANKS = "src/whence/backends/ranks.cpp"  # the one file that names MPI

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PRINTING = re.compile(
    r"\bstd::(cout|cerr|clog)\b|\b(fmt|std)::print(ln)?\b|(?<![\w.>])(std::)?(f?printf|f?puts|putchar)\s*\(")
DEVICES = re.compile(r"\bcuda[A-Z]\w*|\b__(global|device)__\b|\bMPI_\w+")
COMMENT_OR_STRING = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.DOTALL)


def code_lines(text):
    """The lines with comments and strings blanked out, so that words inside them do not count."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return COMMENT_OR_STRING.sub(blank, text).split("\n")


def room_of(path):
    """src/whence/core/error.hpp -> core; src/whence/io/json/json.hpp -> io/json; apps/... -> apps;
    a file directly in src/whence -> None."""
    if path.parts[0] in {"apps", "bench"}:
        return path.parts[0]
    return room_of_folders(path.parts[2:-1])


def room_of_folders(folders):
    if not folders:
        return None
    return "/".join(folders[:2]) if folders[0] == "io" else folders[0]


def violations(root):
    files = sorted(p for top in ("src", "apps", "bench") for p in (root / top).rglob("*")
                   if p.suffix in {".cpp", ".hpp"})
    for file in files:
        path = file.relative_to(root)
        room = room_of(path)
        in_library = path.parts[0] == "src"
        if in_library and room is not None and room not in ROOMS:
            yield path, 1, f"folder '{room}' is not a room of the house (see ROOMS)"
            continue
        text = file.read_text(encoding="utf-8")
        for number, (line, code) in enumerate(zip(text.split("\n"), code_lines(text)), 1):
            if include := INCLUDE.match(line):
                if reason := misplaced(include[1], include[2], path, room):
                    yield path, number, reason
            if in_library and PRINTING.search(code):
                yield path, number, "only apps/ prints; return the text instead"
            if DEVICES.search(code) and path.as_posix() != RANKS:
                yield path, number, f"no file may name CUDA, and MPI only {RANKS}"


# Files of a folder are compiled together (WHENCE_UNITY), so what one of them keeps to itself in an
# anonymous namespace must not be defined in another: it would belong in a header anyway.
DEFINITION = re.compile(
    r"^(?:\[\[\w+\]\] )?(?:(?:struct|class|enum class) (?P<type>\w+)[^;(]*\{"
    r"|(?:static |inline )*(?:constexpr|const)\b[^()]*?(?P<value>\w+)(?:\[\w*\])? ?(?:=|\{)"
    r"|(?!using|namespace|return|template|struct|class|enum|constexpr|#)[\w:][^;={}()]*?"
    r"(?P<function>\w+)\((?P<parameters>[^;{}]*)\) ?(?:const ?)?\{)", re.MULTILINE)


def definitions(text):
    """Name (of functions with the types they take) and line of what anonymous namespaces define."""
    for space in re.finditer(r"^namespace \{$(.*?)^\}  // namespace$", text, re.MULTILINE | re.DOTALL):
        first = text[:space.start(1)].count("\n") + 1
        code = "\n".join(code_lines(space[1]))
        for found in DEFINITION.finditer(code):
            name = found["type"] or found["value"] or found["function"]
            if found["function"]:
                types = [re.sub(r"\s*\b\w+\s*(=.*)?$", "", one.strip()) for one in found["parameters"].split(",")]
                name += "(" + ", ".join(re.sub(r"\s+", " ", one) for one in types) + ")"
            yield name, first + code[:found.start()].count("\n")


def repeated_names(root):
    rooms = {}
    for top in ("src", "apps", "bench/quality"):
        for file in sorted((root / top).rglob("*.cpp")):
            text = file.read_text(encoding="utf-8")
            if "HWY_TARGET_INCLUDE" in text:
                continue  # compiled alone
            for name, line in definitions(text):
                other = rooms.setdefault(file.parent, {}).setdefault(name, file)
                if other != file:
                    yield file.relative_to(root), line, f"'{name}' is in {other.name}, too: name it apart or share it"


def misplaced(mark, target, path, room):
    """Why this include does not belong into this file, or None."""
    in_library = path.parts[0] == "src"
    parts = target.split("/")
    if mark == "<" and len(parts) == 1:
        if target in {"cuda.h", "cuda_runtime.h"} or (target == "mpi.h" and path.as_posix() != RANKS):
            return f"no file may name CUDA, and MPI only {RANKS}"
        return None  # the standard library is welcome everywhere
    if parts[0] == "whence":
        seen = room_of_folders(parts[1:-1])
        if room in ROOMS and seen is not None and seen not in ROOMS[room]:
            return f"'{room}' may not see '{seen}': includes go downward only"
        if room in ROOMS and target == "whence/whence.hpp":
            return "whence.hpp is for users; include what is needed"
        return None
    if in_library and parts[0] in {"apps", "bench"}:
        return f"the library may not see '{parts[0]}'"
    if in_library and mark == '"' and not parts[0] == "hwy":
        return f'write the whole path, "whence/...", not "{target}"'
    if room == "core":
        return "core knows the standard library only"
    if parts[0] in GUESTS:
        if in_library and path.suffix == ".hpp":
            return f"{parts[0]} may not be named in a header of the library"
        if room not in GUESTS[parts[0]]:
            return f"{parts[0]} is not for '{room}'"
    return None


PLANTED = {  # file: (line that breaks a rule, a piece of the reason expected)
    "src/whence/core/a.hpp": ('#include "whence/math/b.hpp"', "'core' may not see 'math'"),
    "src/whence/core/c.hpp": ("#include <hwy/highway.h>", "standard library only"),
    "src/whence/belief/a.cpp": ('#include "whence/worlds/b.hpp"', "'belief' may not see 'worlds'"),
    "src/whence/io/json/a.hpp": ('#include "whence/discover/b.hpp"', "'io/json' may not see 'discover'"),
    "src/whence/io/json/b.hpp": ('#include "whence/io/table/b.hpp"', "may not see 'io/table'"),
    "src/whence/io/a.hpp": ("int x;", "not a room"),
    "src/whence/evidence/a.hpp": ('#include "whence/adapt/b.hpp"', "'evidence' may not see 'adapt'"),
    "src/whence/discover/c.cpp": ('#include "whence/report/b.hpp"', "'discover' may not see 'report'"),
    "src/whence/discover/d.cpp": ('#include "whence/paper/b.hpp"', "'discover' may not see 'paper'"),
    "src/whence/paper/experiments/a.cpp": ('#include "bench/quality/b.hpp"', "may not see 'bench'"),
    "src/whence/report/a.cpp": ('#include "whence/evidence/b.hpp"', "'report' may not see 'evidence'"),
    "src/whence/comm/a.hpp": ('#include "whence/math/b.hpp"', "'comm' may not see 'math'"),
    "src/whence/math/a.cpp": ("#include <nlohmann/json.hpp>", "not for 'math'"),
    "src/whence/math/b.hpp": ("#include <Eigen/Dense>", "header of the library"),
    "src/whence/math/c.cpp": ('#include "a.hpp"', "whole path"),
    "src/whence/adapt/a.cpp": ("void f() { std::cout << 1; }", "only apps/ prints"),
    "src/whence/adapt/c.cpp": ("char q = '\"'; std::cerr << q; // \"", "only apps/ prints"),
    "src/whence/adapt/b.cpp": ('void f() { printf("x"); }', "only apps/ prints"),
    "src/whence/backends/a.cpp": ("void f() { cudaMalloc(); }", "CUDA, and MPI only"),
    "src/whence/discover/a.cpp": ("#include <mpi.h>", "CUDA, and MPI only"),
    "src/whence/discover/b.cpp": ("#include <CLI/CLI.hpp>", "not for 'discover'"),
    "src/whence/cellar/a.hpp": ("int x;", "not a room"),
    "src/whence/worlds/b.cpp": ("namespace {\ndouble twice(const A& a,\n  int n) {\n}\n}  // namespace", "'twice(const A&, int)' is in a.cpp"),
    "src/whence/worlds/d.cpp": ("namespace {\nstruct Pair {\n};\n}  // namespace", "'Pair' is in a.cpp"),
    "src/whence/worlds/e.cpp": ("namespace {\nconstexpr int most = 3;\n}  // namespace", "'most' is in a.cpp"),
}
ALLOWED = {
    "src/whence/worlds/a.cpp": "namespace {\nconstexpr double most = 1;\nstruct Pair {\n};\n"
                               "double twice(const A& x, int n) {\n}\ndouble twice(const B& x, int n) {\n}\n}  // namespace",
    "src/whence/worlds/c.cpp": "namespace {\ndouble twice(const C& x, int n) {\n  constexpr int most = 2;\n}\n}  // namespace",
    "src/whence/whence.hpp": '#include "whence/discover/b.hpp"',
    "src/whence/core/ok.hpp": "#include <vector>  // std::cout is not printed from here",
    "src/whence/math/ok.cpp": 'auto s = "printf(x) cudaMalloc"; /* std::cerr */ int n = snprintf(b, 1, "");',
    "src/whence/math/lanes.cpp": '#include "hwy/highway.h"',
    "src/whence/backends/ranks.cpp": "#include <mpi.h>\nvoid f() { MPI_Finalize(); }",
    "src/whence/discover/ok.cpp": '#include "whence/belief/b.hpp"',
    "src/whence/paper/experiments/ok.cpp": '#include "whence/io/json/b.hpp"',
    "bench/quality/ok.cpp": '#include "whence/paper/b.hpp"',
    "apps/whence/ok.cpp": '#include "whence/discover/b.hpp"\nvoid f() { std::cout << 1; }',
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**{n: line for n, (line, _) in PLANTED.items()}, **ALLOWED}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text + "\n", encoding="utf-8")
        found = {}
        for path, _, reason in (*violations(root), *repeated_names(root)):
            found.setdefault(path.as_posix(), []).append(reason)
    missed = [f"{name}: not caught" for name, (_, reason) in PLANTED.items()
              if not any(reason in said for said in found.get(name, []))]
    false_alarms = [f"{name}: {found[name]}" for name in ALLOWED if name in found]
    return missed + false_alarms


def main(arguments):
    if arguments == ["--self-test"]:
        problems = self_test()
    else:
        root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent)
        problems = [f"{path}:{line}: {reason}" for path, line, reason in (*violations(root), *repeated_names(root))]
    print("\n".join(problems) or "every line lives in its room")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
