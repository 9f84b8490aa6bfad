#!/usr/bin/env python3
"""Keeps the documentation true: compiles and runs its programs, executes its commands.

Programs: ```cpp blocks with a main function, of README.md and docs/*.md, built against the
installed package. Commands: lines of ```sh blocks of README.md that start with ./whence. `./whence
bench` and lines ending in `# slow` run in the slow tier only, where nothing else runs.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, *languages):
    """(line number, text) of each fenced block in one of the languages."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    for match in FENCE.finditer(text):
        if match[1] in languages:
            yield text.count("\n", 0, match.start()) + 2, match[2]


def programs(source):
    for page in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        for line, text in blocks(page, "cpp", "c++"):
            if "int main" in text:
                yield f"{page.name}:{line}", text


def commands(source):
    page = source / "README.md"
    for first, text in blocks(page, "sh", "bash", "console"):
        lines = re.findall(r"(?:\\\n|[^\n])*\n", text)  # a command may go on in the next line
        for line in lines:
            command = line.removeprefix("$ ").strip()
            if command.startswith("./whence"):
                slow = command.startswith("./whence bench") or re.search(r"#.*\bslow\b", command)
                yield f"{page.name}:{first}", command, bool(slow)
            first += line.count("\n")


def run(where, command, failures, **options):
    print(f"{where}: {command if isinstance(command, str) else ' '.join(map(str, command))}")
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, errors="replace", **options)
        if done.returncode == 0:
            return
        failures.append(f"{where}: exit {done.returncode}\n{done.stdout[-4000:]}")
    except subprocess.TimeoutExpired:
        failures.append(f"{where}: still running after {options['timeout']} s")


def check_programs(found, options, folder, failures):
    """One CMake project with one executable per program, as a user of the package would write it."""
    lists = ["cmake_minimum_required(VERSION 3.22)", "project(documented LANGUAGES CXX)",
             "find_package(whence REQUIRED)"]
    for index, (where, text) in enumerate(found):
        (folder / f"program{index}.cpp").write_text(f"#line 1 \"{where}\"\n{text}", encoding="utf-8")
        lists += [f"add_executable(program{index} program{index}.cpp)",
                  f"target_link_libraries(program{index} PRIVATE whence::whence)"]
    (folder / "CMakeLists.txt").write_text("\n".join(lists) + "\n", encoding="utf-8")
    configure = [options.cmake, "-G", "Ninja", "-S", folder, "-B", folder / "build",
                 "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={options.package}"]
    run("programs", configure, failures, timeout=300)
    run("programs", [options.cmake, "--build", folder / "build", "-j2"], failures, timeout=600)
    for index, (where, _) in enumerate(found):
        if not failures:
            run(where, [folder / "build" / f"program{index}"], failures, timeout=300, cwd=folder)


def check_commands(found, options, folder, failures):
    """Each line word for word, in a folder that looks like the repository with ./whence built."""
    hidden = {"whence", "build", "out", ".git"}
    for entry in options.source.iterdir():
        if entry.name not in hidden:
            (folder / entry.name).symlink_to(entry)
    (folder / "whence").symlink_to(options.binary)
    for where, line, slow in found:
        if slow == options.slow:
            run(where, ["bash", "-eo", "pipefail", "-c", line], failures, cwd=folder,
                timeout=1800 if slow else 300, env={**os.environ, "NO_COLOR": "1"})


def absolute(text):
    return pathlib.Path(text).absolute()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=absolute, required=True, help="the repository")
    parser.add_argument("--package", type=absolute, required=True, help="where it is installed")
    parser.add_argument("--binary", type=absolute, required=True, help="the built command")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--slow", action="store_true", help="the slow commands, and nothing else")
    options = parser.parse_args()

    failures = []
    found_commands = list(commands(options.source))
    if not found_commands:
        failures.append("README.md shows no ./whence command")
    with tempfile.TemporaryDirectory(prefix="whence-readme-") as name:
        folder = pathlib.Path(name)
        (folder / "programs").mkdir()
        (folder / "commands").mkdir()
        found_programs = list(programs(options.source))
        if found_programs and not options.slow:
            check_programs(found_programs, options, folder / "programs", failures)
        check_commands(found_commands, options, folder / "commands", failures)
    print("\n".join(failures) or "the documentation is true")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
