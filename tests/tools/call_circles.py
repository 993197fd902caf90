#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds files that call each other in a circle of any length, from the symbols of a build.

  tests/tools/call_circles.py BUILD       circles that are not in ALLOWED; exits with 1 if there are any
  tests/tools/call_circles.py BUILD -v    every circle, with the names that hold it together
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

# Accepted circles, one per line: all files, and the reason. The list may only shrink.
ALLOWED = {
    "syntax_declare.c syntax_expr.c":
        "a grammar that goes round: types have constants, constants are expressions, expressions have types",
    "lower_bind.c lower_call.c lower_declare.c lower_expr.c lower_inline.c lower_layout.c lower_name.c "
    "lower_operand.c lower_place.c lower_statement.c":
        "a walk over that tree: an expression calls a function, whose statements have expressions",
    "runtime_capture.c runtime_copy.c runtime_graph.c runtime_launch.c runtime_stream.c runtime_work.c":
        "a graph is work that is made of work",
    "runtime_array.c runtime_texture.c": "textures read arrays; an array that is freed is taken out of them",
}


def symbols(build):
    """For each source that the build compiles: the symbols it defines and uses."""
    defined, wanted = {}, collections.defaultdict(set)
    commands = json.loads((build / "compile_commands.json").read_text())
    objects = [re.search(r" -o (\S+\.c\.o)( |$)", one["command"]) for one in commands]
    paths = sorted(str(build / one[1]) for one in objects
                   if one and one[1].startswith(("model/", "kernels/", "probes/", "analyzer/")))
    text = subprocess.run(["nm", "-A", "-P", "-g", *paths], capture_output=True, text=True,
                          check=True).stdout
    for line in text.splitlines():
        path, name, kind = line.split()[:3]
        source = path.rsplit("/", 1)[-1].split(".o", 1)[0]
        if kind == "U":
            wanted[source].add(name)
        elif kind in "TDBR":
            defined.setdefault(name, source)
    return defined, wanted


def circles(arrows):
    """Strongly connected files, by Tarjan's algorithm."""
    order, low, stack, found = {}, {}, [], []

    def visit(at):
        order[at] = low[at] = len(order)
        stack.append(at)
        for to in sorted(arrows[at]):
            if to not in order:
                visit(to)
            if to in stack:
                low[at] = min(low[at], low[to])
        if low[at] == order[at]:
            first = stack.index(at)
            if len(stack) - first > 1:
                found.append(sorted(stack[first:]))
            del stack[first:]

    for at in sorted(arrows):
        if at not in order:
            visit(at)
    return found


def main():
    build = pathlib.Path(sys.argv[1])
    defined, wanted = symbols(build)
    arrows = collections.defaultdict(set)
    for source, names in wanted.items():
        arrows[source] = {defined[name] for name in names if defined.get(name, source) != source}
    bad = 0
    found = circles(collections.defaultdict(set, arrows))
    for known in ALLOWED:
        gone = set(known.split()) - {file for files in found for file in files}
        if gone:
            print("no longer in a circle, to be taken out of the list:", " ".join(sorted(gone)))
            bad += 1
    for files in found:
        reason = next((why for known, why in ALLOWED.items() if set(files) <= set(known.split())),
                      None)
        if reason is None or "-v" in sys.argv:
            print("circle:", " ".join(files), f"({reason})" if reason else "")
            bad += reason is None
        if "-v" in sys.argv:
            for one in files:
                for other in files:
                    names = sorted(name for name in wanted[one] if defined.get(name) == other)
                    if one != other and names:
                        print(f"  {one} -> {other}: {', '.join(names)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
