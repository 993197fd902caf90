#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/tools/random_races.py BUILD SEED COUNT [SECONDS]: random kernels that are synchronised right, and each again without one of
its edges. Threads write, read, add to and copy into an array by permutations, all of them or some, step by step; between two steps
stands the edge that they need: a barrier of the block, of a half, an mbarrier, __syncwarp() of a warp or of tiles, a wait for
cp.async. Which pairs of lines race without an edge is known from the permutations: --races must find some of them and none beside
them, and nothing in the right kernel. Prints what differs, then counts; 77 without nvcc or nvdisasm.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

THREADS = 128
HEAD = r"""#include <cstdint>
#define PLACE(at) static_cast<unsigned>(__cvta_generic_to_shared(at))
#define FAR_READ(v, at) { int got; asm volatile("ld.global.s32 %0, [%1];" : "=r"(got) : "l"(at) : "memory"); v += got; }
#define FAR_WRITE(at, v) asm volatile("st.global.s32 [%0], %1;" :: "l"(at), "r"(v) : "memory")
#define FAR_ADD(at, v) asm volatile("red.global.add.s32 [%0], %1;" :: "l"(at), "r"(v) : "memory")
#define ADD(at, v) asm volatile("red.shared.add.s32 [%0], %1;" :: "r"(PLACE(const_cast<int *>(at))), "r"(v) : "memory")
#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(PLACE(to)), "l"(from) : "memory")
#define COPIED() asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory")
#define MEET(id, count) asm volatile("barrier.sync %0, %1;" :: "r"(id), "r"(count) : "memory")
#define PASS(at) asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" :: "r"(PLACE(at)) : "memory"); \
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" \
                 :: "r"(PLACE(at)), "r"(parity) : "memory"); \
    parity ^= 1
"""
# The threads whose accesses it orders, and its text.
EDGES = {"block": (128, "__syncthreads();"), "named": (128, "MEET(3, 128);"), "mbarrier": (128, "PASS(&ready);"),
         "half": (64, "MEET(1 + t / 64, 64);"), "warp": (32, "__syncwarp();"), "tile": (8, "__syncwarp(0xffu << (t & 24));"),
         "wait": (1, "COPIED();")}


def permutation(rng):
    """A permutation within groups of this many threads: its text, and a function."""
    within = rng.choice([1, 4, 8, 16, 32, 64, 128])
    mask = rng.randrange(within // 2, within) if within > 1 else 0
    return f"(t ^ {mask})", lambda t: t ^ mask


def some_threads(rng):
    """A condition that all, some or one of a warp's threads meet: its text, and a function."""
    mask, number = rng.choice([(0, 0), (0, 0), (1, 1), (31, rng.randrange(32)), (30, 2), (127, rng.randrange(128)), (96, 32)])
    return f"if ((t & {mask}) == {number}) " if mask else "", lambda t: t & mask == number


def step(rng, number, space):
    """An access: its kind, its text, each thread's element (None: no access)."""
    kind = rng.choice(["write", "read", "read", "add", "copy" if space == "near" else "write"])
    text, where = permutation(rng)
    condition, goes = some_threads(rng)
    value = f"t + {1000 * (number + 1)} + 100000 * i"
    if kind == "add":
        low = rng.choice([7, 31, 127])
        text, where = f"({text} & {low})", lambda t, w=where: w(t) & low
    at = f"{space}[{text}]"
    if space == "far":
        words = {"write": f"FAR_WRITE(&{at}, {value});", "read": f"FAR_READ(x, &{at});", "add": f"FAR_ADD(&{at}, {value});"}
    else:
        words = {"write": f"{at} = {value};", "read": f"x += {at};", "add": f"ADD(&{at}, {value});",
                 "copy": f"COPY(const_cast<int *>(&{at}), from + t);"}
    return {"kind": kind, "space": space, "text": f"{condition}{{ {words[kind]} }}",
            "where": [where(t) if goes(t) else None for t in range(THREADS)]}


def conflict(a, b):
    kinds = {a["kind"], b["kind"]}
    return a["space"] == b["space"] and kinds != {"read"} and kinds != {"add"}


def pairs(first, second):
    """Pairs of threads of both accesses that meet at an element."""
    by_place = {}
    for t, place in enumerate(first["where"]):
        by_place.setdefault(place, []).append(t)
    return [(s, t) for t, place in enumerate(second["where"]) if place is not None for s in by_place.get(place, [])]


def races(steps, edges, rounds, least=1):
    """Pairs of steps between which threads race; edges[i] are those behind step i. Threads of one group of `least` do not count."""
    run = [(i, r) for r in range(rounds) for i in range(len(steps))]
    found = set()
    for a, (i, _) in enumerate(run):
        group, waited = 1, steps[i]["kind"] != "copy"
        for b in range(a + 1, len(run)):
            for edge in edges[run[b - 1][0]]:
                if edge == "wait":
                    waited = True
                elif waited or steps[i]["kind"] != "copy":
                    group = max(group, EDGES[edge][0])
            j = run[b][0]
            if conflict(steps[i], steps[j]) and any((not waited or s // group != t // group) and (least == 1 or s // least != t // least)
                                                    for s, t in pairs(steps[i], steps[j])):
                found.add((i, j))
    return found


def needed(rng, steps, edges, at, rounds):
    """Edges after step `at` that order all later steps after all earlier ones."""
    for names in (["none"], ["wait"], ["tile"], ["warp"], ["half"], ["block"]):
        edges[at] = [] if names == ["none"] else names
        if any(one["kind"] == "copy" for one in steps) and names != ["none"] and names != ["wait"]:
            edges[at] = ["wait", *names]
        if not races(steps, edges, rounds):
            break
    if "block" in edges[at]:
        edges[at] = [rng.choice(["block", "named", "mbarrier"]) if one == "block" else one for one in edges[at]]


def make(rng):
    """Steps and edges of a kernel without races."""
    space, rounds = rng.choice(["near", "near", "near", "far"]), rng.choice([1, 1, 2, 3])
    steps = [step(rng, i, space) for i in range(rng.randrange(2, 6))]
    edges = [["wait", rng.choice(["block", "named", "mbarrier"])] for _ in steps]
    for at in rng.sample(range(len(steps)), len(steps)):
        needed(rng, steps, edges, at, rounds)
    return steps, edges, rounds


def write(name, steps, edges, rounds, lines):
    """Its text after `lines`, and the line of each step."""
    text = [f"__global__ void {name}(int *far, const int *from) {{",
            "    __shared__ volatile int near[128]; __shared__ uint64_t ready; int x = 0, parity = 0; const int t = threadIdx.x;",
            '    near[t] = far[t]; if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" :: "r"(PLACE(&ready)) : "memory");',
            f"    __syncthreads();\n#pragma unroll 1\n    for (int i = 0; i < {rounds}; i++) {{"]
    at = []
    for one, behind in zip(steps, edges):
        at.append(lines + "\n".join(text).count("\n") + 2)
        text += [f"        {one['text']}", *(f"        {EDGES[edge][1]}" for edge in behind)]
    return "\n".join([*text, "    }", "    COPIED(); far[256 + t] = x + parity;", "}"]) + "\n", at


def variants(rng, count):
    """The source, and the pairs of lines of each kernel."""
    text, expected = HEAD, {}
    for number in range(count):
        steps, edges, rounds = make(rng)
        places = [(i, k) for i, behind in enumerate(edges) for k in range(len(behind))]
        for without in [None, *rng.sample(places, min(3, len(places)))]:
            left = [[edge for k, edge in enumerate(behind) if (i, k) != without] for i, behind in enumerate(edges)]
            name = f"kernel_{number}_{'right' if without is None else '%d_%d' % without}"
            body, at = write(name, steps, left, rounds, text.count("\n"))
            text += body
            # After __syncwarp() of part of a warp, ptxas may reconverge the whole warp without being asked.
            sure = races(steps, left, rounds, 32 if any("tile" in behind for behind in left) else 1)
            expected[name] = {tuple(sorted((at[i], at[j]))) for i, j in races(steps, left, rounds)}, bool(sure)
    calls = "".join(f"    {name}<<<1, 128>>>(far, from);\n" for name in expected)
    return text + f"void launch(int *far, const int *from) {{\n{calls}}}\n", expected


def emulate(program, source):
    done = subprocess.run([program, "emulate", source, "--races", "--arch", "sm_90", "--format", "json", "--limit", "1000000"],
                          capture_output=True, text=True, check=False)
    if "nvdisasm not found" in done.stderr or "nvcc not found" in done.stderr:
        print("skipped:", done.stderr)
        sys.exit(77)
    if not done.stdout.startswith("{"):
        sys.exit(done.stderr)
    found = {}
    for one in json.loads(done.stdout)["findings"]:
        name = re.match(r"_Z\d+(kernel_\w+?)PiPKi", one["kernel"])[1]
        pair = tuple(sorted((one["line"], one["other"]["line"]))) if one["kind"] == "race" else (one["kind"], one["line"])
        found.setdefault(name, set()).add(pair)
    return found


def main():
    program = pathlib.Path(sys.argv[1]) / "smemprobe"
    seed, count = int(sys.argv[2]), int(sys.argv[3])
    end = time.monotonic() + (float(sys.argv[4]) if len(sys.argv) > 4 else 1e9)
    kernels = racy = invented = missed = 0
    for number in range(count):
        if time.monotonic() > end:
            break
        source, expected = variants(random.Random(f"{seed} {number}"), 8)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "kernels.cu"
            path.write_text(source)
            found = emulate(program, path)
        for name, (wanted, is_sure) in expected.items():
            got = found.get(name, set())
            kernels += 1
            racy += bool(wanted)
            missed += is_sure and not got
            invented += bool(got - wanted)
            if got - wanted or (is_sure and not got):
                print(f"seed {seed}, file {number}, {name}: found {sorted(got)}, known {sorted(wanted)}")
    print(f"{kernels} kernels, {racy} of them racy: {missed} missed, {invented} invented")
    return missed + invented > 0


sys.exit(main())
