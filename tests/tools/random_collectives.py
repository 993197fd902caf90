#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/tools/random_collectives.py BUILD [SEED [COUNT [SECONDS]]]: random kernels of warp functions, compiled by nvcc for several
architectures at -O3, -O1, -O0 and -G and run by the emulator, against the same text compiled by a C++ compiler with
tests/collectives/guide_lanes.h, which has these functions as the CUDA C++ Programming Guide defines them. SECONDS: new seeds until so much
time has passed. 77 without nvcc or g++.

  --configs 90.O3,80.G   architectures and levels (default: a few of all of them by the seed; --all: all)
  --gpu                  runs the kernels on the GPU of this machine instead, for its architecture, at all levels; BUILD may be "-"
  --write FILE.cu        writes the kernels of SEED and COUNT and ends
  --jobs N               so many seeds at once
  --plain                without groups, whose debug builds are large
  --trace                a difference is shown with the first result that differs
  --keep FOLDER          where the files of a difference stay

Of each scope the text has a mask variable: the lanes that are there together. Branches and loops split it by a vote or a match, so
every call is one that the guide defines."""
import argparse, os, random, shutil, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ARCHS = ("80", "86", "89", "90", "100", "120")
LEVELS = ("O3", "O1", "O0", "G")
WORDS, TRACED = 144, 256 + 128 * 128  # collective_input.h

HEAD = r"""// SPDX-License-Identifier: MIT
// Made by tests/tools/random_collectives.py, for nvcc and for a C++ compiler with tests/collectives/guide_lanes.h.
#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
typedef unsigned u32;
typedef unsigned long long u64;
#else
#include "guide_lanes.h"
#endif
namespace cg = cooperative_groups;
#ifdef COLLECTIVE_TRACE
#define TRACE(r) out[256 + t * 128 + (n++ & 127)] = (r)
#else
#define TRACE(r) (void)n
#endif
#define ADD(value) { u64 all_ = (u64)(value); u32 r_ = (u32)(all_ ^ all_ >> 32); acc = (acc ^ r_) * 2654435761u + 40503u; TRACE(r_); }
#define TILE(size) ((u32)(((u64)1 << size) - 1) << (lane & ~(size - 1u)))
/* The lane of `mask` with so many below it. */
__device__ static inline u32 nth(u32 mask, u32 which) {
    for (which %= __popc(mask); which > 0; which--)
        mask &= mask - 1;
    return (u32)__ffs((int)mask) - 1;
}
"""


class Scope:
    """Lanes that are at one place together: the variable with their mask, which contains whole tiles of `size` lanes."""

    def __init__(self, mask, size):
        self.mask, self.size = mask, size


class Text:
    """The text of one function: a kernel, or a function called by kernels."""

    def __init__(self, rng, counters, functions, budget, has_groups):
        self.rng, self.lines, self.depth, self.has_groups = rng, [], 1, has_groups
        self.count, self.left, self.loops = 0, budget, []
        self.counters, self.functions = counters, functions

    def put(self, line):
        self.lines.append("    " * self.depth + line)

    def name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    # ---- Expressions ----

    def atom(self, tile=0):
        """tile: the value is the same in all lanes of a tile of this size."""
        rng = self.rng
        number = f"{rng.choice([1, 2, 3, 5, 7, 8, 13, 31, 64, 255])}u"
        if tile:
            return rng.choice([f"(t / {tile}u)", f"(t / {tile}u)", number, f"in[(t / {tile}u + {number}) % 1024u]"] + self.loops * 2)
        return rng.choice(["t", "lane", "acc", "acc", "v0", "v1", number, f"in[(t + {number}) % 1024u]", "in[acc % 1024u]"] + self.loops * 2)

    def expression(self, tile=0, deep=0):
        rng = self.rng
        if deep > 1 or rng.random() < 0.3:
            return self.atom(tile)
        a, b = self.expression(tile, deep + 1), self.expression(tile, deep + 1)
        if rng.random() < 0.2:
            return f"({a} >> {rng.randint(1, 9)})"
        return f"({a} {rng.choice(['+', '*', '-', '^', '&', '|'])} {b})"

    def condition(self, tile=0):
        rng = self.rng
        k = rng.choice([2, 2, 3, 5, 8])
        return f"({self.expression(tile)} % {k}u {rng.choice(['<', '>=', '==', '!='])} {rng.randint(0, k - 1)}u)"

    # ---- Functions of a warp ----

    def vote(self, m):
        what = self.rng.choice(["ballot", "ballot", "any", "all"])
        return f"__{what}_sync({m}, {self.condition()})"

    def match(self, m):
        wide = self.rng.random() < 0.3
        value = f"(u64)({self.expression()} % {self.rng.choice([1, 2, 3, 5])}u) << 31" if wide else f"{self.expression()} % {self.rng.choice([1, 2, 3, 7])}u"
        return f"__match_any_sync({m}, {value})"

    def reduce(self, m):
        what = self.rng.choice(["add", "and", "or", "xor", "min", "max", "smin", "smax"])
        if what[0] == "s":
            return f"(u32)__reduce_{what[1:]}_sync({m}, (int)({self.expression()} * 2654435761u))"
        return f"__reduce_{what}_sync({m}, {self.expression()})"

    def shuffle(self, scope):
        rng, m = self.rng, scope.mask
        value, back = rng.choice([("(u32)({e})", "{}"), ("(u32)({e})", "{}"), ("(u32)({e})", "{}"), ("(int)({e})", "{}"), ("(u64)({e}) * 0x100000001ull", "{}"),
                                  ("(float)({e} & 0xffffu)", "(u32){}"), ("(double)({e} & 0xffffffu)", "(u32){}")])
        value = value.replace("{e}", self.expression())
        width = rng.choice([w for w in (2, 4, 8, 16, 32) if w <= scope.size] or [0])
        kind = rng.randrange(5)
        if width == 0 or kind == 0:
            call = f"__shfl_sync({m}, {value}, (int)nth({m}, {self.expression()}))"
        elif kind == 1:
            call = f"__shfl_sync({m}, {value}, (int)({self.expression()} % {width}u), {width})"
        elif kind == 2:
            call = f"__shfl_xor_sync({m}, {value}, {rng.randrange(width)}, {width})"
        else:
            by = rng.choice([f"{rng.randrange(width)}u", f"({self.expression()} % {width}u)"])
            call = f"__shfl_{rng.choice(['up', 'down'])}_sync({m}, {value}, {by}, {width})"
        return back.format(call)

    def operation(self, scope):
        kind = self.rng.randrange(4)
        return (self.vote(scope.mask) if kind == 0 else self.match(scope.mask) if kind == 1 else
                self.reduce(scope.mask) if kind == 2 else self.shuffle(scope))

    def match_all(self, scope):
        p = self.name("p")
        self.put(f"{{ int {p}; ADD(__match_all_sync({scope.mask}, {self.expression()} % {self.rng.choice([1, 2, 3])}u, &{p})); ADD(u32({p})); }}")

    def exchange(self, scope):
        """Exchange through shared memory, ordered by __syncwarp."""
        m, x = scope.mask, self.name("x")
        full = "" if self.rng.random() < 0.5 and m == "~0u" else m
        other = f"(t & ~31u) + nth({m}, {self.expression()})"
        if scope.size > 1 and self.rng.random() < 0.5:
            other = f"t ^ {self.rng.randrange(scope.size)}u"
        self.put(f"s[t] = {self.expression()}; __syncwarp({full}); u32 {x} = s[{other}]; __syncwarp({full}); ADD({x});")

    # ---- Groups ----

    def group_call(self, g, size, is_tile):
        rng = self.rng
        calls = [f"{g}.thread_rank()", f"{g}.size()", f"u32({g}.any({self.condition()}) != 0)", f"u32({g}.all({self.condition()}) != 0)",
                 f"{g}.ballot({self.condition()})", f"{g}.ballot({self.condition()})", f"{g}.match_any({self.expression()} % 3u)",
                 f"{g}.shfl((u32)({self.expression()}), {self.expression()} % {g}.size())",
                 f"{g}.shfl_up((u32)({self.expression()}), {rng.randrange(max(size, 1))}u)", f"{g}.shfl_down((u32)({self.expression()}), {rng.randrange(max(size, 1))}u)",
                 f"cg::reduce({g}, (u32)({self.expression()}), cg::{rng.choice(['plus', 'less', 'greater', 'bit_and', 'bit_or', 'bit_xor'])}<u32>())",
                 f"cg::reduce({g}, (int)({self.expression()} * 2654435761u), cg::{rng.choice(['plus', 'less', 'greater'])}<int>())",
                 f"cg::inclusive_scan({g}, (u32)({self.expression()}), cg::plus<u32>())", f"cg::exclusive_scan({g}, (u32)({self.expression()}), cg::plus<u32>())"]
        if is_tile:
            calls += [f"{g}.shfl_xor((u32)({self.expression()}), {rng.randrange(size)}u)", f"{g}.meta_group_rank()"]
        self.put(f"ADD({rng.choice(calls)});")

    def group_calls(self, g, size, is_tile):
        for _ in range(self.rng.randint(1, 3)):
            self.group_call(g, size, is_tile)
        if self.rng.random() < 0.2:
            self.put(f"{g}.sync();")

    def tile(self, scope):
        rng, g, size = self.rng, self.name("g"), self.rng.choice([w for w in (1, 2, 4, 8, 16, 32) if w <= scope.size])
        outer = [w for w in (2, 4, 8, 16, 32) if size < w <= scope.size]
        parent = f"cg::tiled_partition<{rng.choice(outer)}>(block)" if outer and rng.random() < 0.3 else "block"
        self.put(f"{{ auto {g} = cg::tiled_partition<{size}>({parent});")
        self.depth += 1
        self.group_calls(g, size, True)
        if rng.random() < 0.4:
            part = self.name("g")
            self.put(f"auto {part} = cg::binary_partition({g}, {self.condition()});" if rng.random() < 0.5 else
                     f"auto {part} = cg::labeled_partition({g}, {self.expression()} % {rng.choice([2, 3, 4])}u);")
            self.group_calls(part, 4, False)
        self.depth -= 1
        self.put("}")

    def coalesced(self, scope):
        """The members are unspecified: the result of all such groups together does not depend on them."""
        g, at = self.name("g"), f"&out[128u + {self.counters} + {self.rng.randrange(8)}u]"
        value = self.rng.choice([f"{g}.size()", f"cg::reduce({g}, {self.expression()} & 255u, cg::plus<u32>())", f"__popc({g}.ballot({self.condition()}))"])
        r = self.name("r")
        # Not `if (thread_rank() == 0) atomicAdd(at, r)`: where ptxas 13.0 takes r for one of the warp (the vote of lanes that BSYNC has
        # since brought together with others), one lane adds its own r as often as there are such lanes (seed 900000, sm_120 -O3).
        self.put(f"{{ auto {g} = cg::coalesced_threads(); u32 {r} = {value}; atomicAdd({at}, {g}.thread_rank() == 0 ? {r} : 0u); }}")

    # ---- Divergence ----

    def block(self, opening, scope, most=3, closing="}"):
        self.put(opening)
        self.depth += 1
        self.statements(scope, self.rng.randint(1, most))
        self.depth -= 1
        if closing:
            self.put(closing)

    def split(self, scope):
        """A condition, the vote on it, and the size of tiles that are whole on both sides."""
        tile = self.rng.choice([0, 0, 0] + [w for w in (2, 4, 8, 16) if w <= scope.size])
        c, b = self.name("c"), self.name("b")
        self.put(f"bool {c} = {self.condition(tile)}; u32 {b} = __ballot_sync({scope.mask}, {c});")
        return c, b, tile or 1

    def branch(self, scope):
        c, b, size = self.split(scope)
        self.block(f"if ({c}) {{", Scope(b, size), closing=None)
        if self.rng.random() < 0.6:
            no = self.name("m")
            self.put(f"}} else {{ u32 {no} = {scope.mask} & ~{b};")
            self.depth += 1
            self.statements(Scope(no, size), self.rng.randint(1, 3))
            self.depth -= 1
        self.put("}")

    def uniform(self, scope):
        """A condition that is the same for all lanes of the mask."""
        self.block(f"if ({self.rng.choice(['__any_sync', '__all_sync'])}({scope.mask}, {self.condition()})) {{", scope)

    def parts(self, scope):
        """One call with masks that differ by lane."""
        m, sizes = self.name("m"), [w for w in (1, 2, 4, 8, 16, 32) if w <= scope.size]
        if self.rng.random() < 0.4:
            size = self.rng.choice(sizes)
            self.block(f"{{ u32 {m} = TILE({size});", Scope(m, size), 4)
        else:
            self.block(f"{{ u32 {m} = {self.match(scope.mask)};", Scope(m, 1), 4)

    def choice(self, scope):
        k, m, cases = self.name("k"), self.name("m"), self.rng.randint(2, 4)
        self.put(f"u32 {k} = {self.expression()} % {cases}u, {m} = __match_any_sync({scope.mask}, {k});")
        self.put(f"switch ({k}) {{")
        for case in range(cases - 1):
            self.block(f"case {case}: {{", Scope(m, 1), 2, "} break;")
        self.block("default: {", Scope(m, 1), 2, "}")
        self.put("}")

    def loop(self, scope):
        """A loop that lanes leave one after the other."""
        m, i, go, b = self.name("m"), self.name("i"), self.name("c"), self.name("b")
        tile = self.rng.choice([0, 0, 0] + [w for w in (2, 4, 8, 16) if w <= scope.size])
        bound = f"{self.expression(tile)} % {self.rng.choice([3, 4, 6])}u"
        end = self.name("e")
        self.put(f"u32 {m} = {scope.mask}, {end} = {bound};")
        self.put(f"for (u32 {i} = 0;; {i}++) {{ bool {go} = {i} < {end}; u32 {b} = __ballot_sync({m}, {go}); if (!{go}) break; {m} = {b};")
        self.loops.append(i)
        self.depth += 1
        inside = Scope(m, tile or 1)
        self.statements(inside, self.rng.randint(1, 3))
        if self.rng.random() < 0.3:
            c, b, size = self.split(inside)
            self.put(f"if ({c}) continue;")
            rest = self.name("m")
            self.put(f"u32 {rest} = {m} & ~{b};")
            self.statements(Scope(rest, size), self.rng.randint(1, 2))
        self.depth -= 1
        self.loops.pop()
        self.put("}")

    def repeat(self, scope):
        i = self.name("i")
        bound = self.rng.choice(["2u", "3u", f"__reduce_max_sync({scope.mask}, {self.expression()} % 4u)"])
        end = self.name("e")
        self.put(f"u32 {end} = {bound};")
        self.loops.append(i)
        self.block(f"for (u32 {i} = 0; {i} < {end}; {i}++) {{", scope)
        self.loops.pop()

    def across(self, scope):
        """Lanes of one mask call one function from different places."""
        c, b, size = self.split(scope)
        x, state = self.name("x"), self.rng.getstate()
        self.put(f"u32 {x};")
        here = self.operation(scope)
        self.rng.setstate(state)  # the same function: its name and width, not its operands
        self.put(f"if ({c}) {{")
        self.depth += 1
        if self.rng.random() < 0.5:
            self.statements(Scope(b, size), 1)
        self.put(f"{x} = {here};")
        self.depth -= 1
        no = self.name("m")
        self.put(f"}} else {{ u32 {no} = {scope.mask} & ~{b}; (void){no}; v0 += 3u;")
        self.depth += 1
        self.put(f"{x} = {here};")
        if self.rng.random() < 0.5:
            self.statements(Scope(no, size), 1)
        self.depth -= 1
        self.put(f"}} ADD({x});")

    def call(self, scope):
        f = self.rng.choice(self.functions)
        text = f"acc = {f}({scope.mask}, acc, {self.expression()}, out, in, s);"
        if self.rng.random() < 0.4:  # from two places
            self.put(f"if ({self.condition()}) {{ {text} }} else {{ v1 ^= acc; {text} }}")
        else:
            self.put(text)

    def statements(self, scope, count):
        for _ in range(count):
            self.left -= 1
            kind = self.rng.randrange(20 if self.left > 0 and self.depth < 5 else 10)
            if kind < 4 or (kind in (4, 5, 8) and not self.has_groups):
                self.put(f"ADD({self.operation(scope)});")
            elif kind < 6:
                self.tile(scope)
            elif kind == 6:
                self.exchange(scope)
            elif kind == 7:
                self.match_all(scope)
            elif kind == 8:
                self.coalesced(scope)
            elif kind == 9:
                self.put(f"{self.rng.choice(['v0', 'v1'])} = {self.expression()};")
            elif kind < 13:
                self.branch(scope)
            elif kind < 15:
                self.parts(scope)
            elif kind == 15:
                self.choice(scope)
            elif kind == 16:
                self.loop(scope)
            elif kind == 17:
                self.rng.choice([self.repeat, self.uniform])(scope)
            elif kind == 18:
                self.across(scope)
            elif self.functions:
                self.call(scope)


def function(rng, name, has_groups):
    text = Text(rng, "0u", [], rng.randint(2, 6), has_groups)
    text.statements(Scope("m", 1), rng.randint(2, 4))
    return [f"__device__ __noinline__ u32 {name}(u32 m, u32 acc, u32 v0, u32 *out, const u32 *in, u32 *s) {{",
            "    u32 t = threadIdx.x, lane = t % 32u, v1 = t; (void)lane; (void)v1; (void)s;",
            *(["    auto block = cg::this_thread_block(); (void)block;"] if has_groups else []), *[line.replace("ADD(", "ADD_(") for line in text.lines], "    return acc;", "}"]


def kernel(rng, number, has_groups):
    names = [f"f{number}_{i}" for i in range(rng.choice([0, 0, 1, 2]))]
    lines = [line for name in names for line in function(rng, name, has_groups)]
    threads = rng.choice([32, 32, 64, 96, 128, 45])
    text = Text(rng, "8u", names, rng.randint(8, 20), has_groups)
    scope = Scope("~0u", 32)
    if threads % 32 != 0:
        text.put("u32 m = __ballot_sync(~0u, 1);")
        scope = Scope("m", 1)
    for _ in range(rng.randint(3, 8)):
        text.statements(scope, 1)
        if threads % 32 == 0 and scope.size == 32 and rng.random() < 0.1:
            text.put(rng.choice(["__syncthreads();", f"ADD(u32(__syncthreads_count({text.condition()})));", *(["block.sync();"] if has_groups else [])]))
        if rng.random() < 0.08:
            c, b, size = text.split(scope)
            m = text.name("m")
            text.put(f"if ({c}) {{ out[t] = acc; return; }}")
            text.put(f"u32 {m} = {scope.mask} & ~{b};")
            scope = Scope(m, size)
    return [*lines, f'extern "C" __global__ void k{number}(u32 *out, const u32 *in) {{', "    __shared__ u32 s[128];",
            "    u32 t = threadIdx.x, lane = t % 32u, acc = in[t], v0 = t * 7u, v1 = in[t + 200], n = 0; (void)lane; (void)v0; (void)v1; (void)s; (void)n;",
            *(["    auto block = cg::this_thread_block(); (void)block;"] if has_groups else []), *text.lines, "    out[t] = acc;", "}"], f"k{number}:{threads}"


def write(seed, count, path, has_groups=True):
    """The kernels, and their names with their numbers of threads."""
    rng = random.Random(seed)
    head = HEAD if has_groups else HEAD.replace("#include <cooperative_groups", "//").replace("namespace cg", "//")
    lines, kernels = head.splitlines(), []
    lines += ["#define ADD_(value) { u64 all_ = (u64)(value); acc = (acc ^ (u32)(all_ ^ all_ >> 32)) * 2654435761u + 40503u; }"]
    for i in range(count):
        more, name = kernel(rng, i, has_groups)
        lines += more
        kernels.append(name)
    lines += ["#ifndef __CUDACC__", "#include \"run_lanes.h\"", "static const lanes_kernel kernels[] = {"]
    lines += [f'    {{"{name.split(":")[0]}", {name.split(":")[0]}, {name.split(":")[1]}}},' for name in kernels]
    lines += ["};", "int main(int argc, char **argv) {", f"    return run_lanes(kernels, {count}, argc, argv);", "}", "#endif"]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return kernels


def tool(command, seconds=None):
    return subprocess.run(command, capture_output=True, timeout=seconds)


def made(command, what):
    done = tool(command)
    if done.returncode:
        raise RuntimeError(f"{what}: {' '.join(command)}\n{(done.stderr or done.stdout).decode()[:3000]}")
    return done.stdout


class Runner:
    """Runs a cubin's kernels, in the emulator or on this machine's GPU."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.words = TRACED if options.trace else WORDS
        self.defines = ["-DCOLLECTIVE_TRACE"] if options.trace else []
        self.program = f"{options.build}/tests/run_collectives"
        self.cc = None
        if options.gpu:
            self.program = f"{work}/record"
            made(["gcc", "-O1", "-w", f"{HERE}/data/sass/record_collectives.c", "-ldl", "-o", self.program], "recorder")
            said = made(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], "nvidia-smi").decode()
            self.cc = said.split()[0].replace(".", "")

    def configs(self, seed):
        if self.options.configs:
            return [tuple(config.split(".")) for config in self.options.configs.split(",")]
        everything = [(arch, level) for arch in ([self.cc] if self.cc else ARCHS) for level in LEVELS]
        if self.cc or self.options.all:
            return everything
        return [everything[(7 * seed + 5 * i) % len(everything)] for i in range(6)]

    def host(self, folder):
        made(["g++", "-std=c++17", "-O1", "-w", *self.defines, "-x", "c++", f"-I{HERE}/collectives", f"-I{HERE}/data/sass", f"{folder}/k.cu",
              "-o", f"{folder}/host"], "the C++ compiler")
        return made([f"{folder}/host", str(self.words)], "what the guide says")

    def cubin(self, folder, seed, arch, level):
        """From PTX of the file that is made once for all levels but -G; of odd seeds for the oldest architecture."""
        target = "80" if seed % 2 and int(arch) >= 80 else arch
        front = f"{folder}/{target}.{'G' if level == 'G' else 'O'}.ptx"
        if not os.path.exists(front):
            made(["nvcc", "-ptx", "-w", "-std=c++17", *self.defines, *(["-G"] if level == "G" else []), f"-arch=compute_{target}", f"{folder}/k.cu", "-o", front],
                 f"seed {seed}")
        out = f"{folder}/{arch}.{level}.cubin"
        made(["ptxas", "-w", *(["-g"] if level == "G" else [f"-{level}"]), f"-arch=sm_{arch}", front, "-o", out], f"seed {seed}")
        return out

    def results(self, cubin, kernels):
        try:
            done = tool([self.program, cubin, str(self.words), *kernels], 120)
        except subprocess.TimeoutExpired:
            return b"", "\n".join(f"{kernel.split(':')[0]}: one of these kernels does not end" for kernel in kernels[:1])
        if done.returncode:
            raise RuntimeError(f"{cubin}: {done.stderr.decode()[:3000]}")
        return done.stdout, done.stderr.decode()


def differences(words, kernels, want, got, said):
    """A message for each kernel whose results differ."""
    wrong, size = [], 4 * words
    for i, kernel in enumerate(kernels):
        a, b = want[size * i:size * (i + 1)], got[size * i:size * (i + 1)]
        if a == b:
            continue
        name = kernel.split(":")[0]
        notes = [line for line in said.splitlines() if line.startswith(f"{name}: ")]
        places = [w for w in range(words) if a[4 * w:4 * w + 4] != b[4 * w:4 * w + 4]]
        if notes:
            wrong.append(notes[0])
            continue
        traced = sorted(((w - 256) % 128, (w - 256) // 128, w) for w in places if w >= 256)
        at = traced[0][2] if traced else places[0]
        where = f"result {traced[0][0]} of thread {traced[0][1]}" if traced else f"word {at}"
        wrong.append(f"{kernel}: {len(places)} words differ, {where}: {b[4 * at:4 * at + 4][::-1].hex()}, not {a[4 * at:4 * at + 4][::-1].hex()}")
    return wrong


class Runs:
    """Runs seeds until the time is over, in several threads, because compilers take most of it."""

    def __init__(self, options, work):
        self.options, self.work, self.runner = options, work, Runner(options, work)
        self.seed, self.kernels, self.compiled, self.wrong = options.seed, 0, {}, []
        self.end, self.lock = time.monotonic() + options.seconds, threading.Lock()

    def next(self):
        with self.lock:
            is_over = self.seed > self.options.seed and time.monotonic() >= self.end
            if is_over or (self.wrong and not self.options.go_on):
                return None
            self.seed += 1
            return self.seed - 1

    def run(self, seed):
        folder = f"{self.work}/{seed}"
        os.mkdir(folder)
        kernels = write(seed, self.options.count, f"{folder}/k.cu", not self.options.plain)
        want, wrong = self.runner.host(folder), []
        for arch, level in self.runner.configs(seed):
            got, said = self.runner.results(self.runner.cubin(folder, seed, arch, level), kernels)
            more = differences(self.runner.words, kernels, want, got, said)
            wrong += [f"seed {seed}, sm_{arch} -{level}: {what}" for what in more]
            with self.lock:
                self.compiled[f"sm_{arch} -{level}"] = self.compiled.get(f"sm_{arch} -{level}", 0) + len(kernels)
        with self.lock:
            self.kernels += len(kernels)
            self.wrong += wrong
            if wrong:
                print("\n".join(wrong[:8]), flush=True)
                if self.options.keep:
                    shutil.copytree(folder, self.options.keep, dirs_exist_ok=True)
        shutil.rmtree(folder)

    def work_on(self):
        try:
            while (seed := self.next()) is not None:
                self.run(seed)
        except RuntimeError as error:
            with self.lock:
                self.wrong.append(str(error))
                print(error, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    for name, default in (("seed", 1), ("count", 20), ("seconds", 0)):
        parser.add_argument(name, nargs="?", type=int, default=default)
    for name in ("configs", "keep", "write"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--jobs", type=int, default=1)
    for name in ("all", "gpu", "trace", "go-on", "plain"):
        parser.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args()
    if options.write:
        print(" ".join(write(options.seed, options.count, options.write, not options.plain)))
        return
    if not all(shutil.which(name) for name in ("nvcc", "ptxas", "g++")):
        print("no nvcc or no g++")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        runs = Runs(options, work)
        threads = [threading.Thread(target=runs.work_on) for _ in range(options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"{runs.kernels} kernels, {sum(runs.compiled.values())} compiled ones ({', '.join(f'{n} {c}' for c, n in sorted(runs.compiled.items()))}): "
          + (f"{len(runs.wrong)} differ" if runs.wrong else "all alike"))
    sys.exit(1 if runs.wrong else 0)


main()
