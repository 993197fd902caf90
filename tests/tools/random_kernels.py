#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/tools/random_kernels.py PROGRAM [SEED [COUNT [SECONDS]]]: random kernels, compiled by nvcc for two architectures and run by `emulate`,
against a plain simulation of the same text by a C++ compiler, which judges by tests/support/reference.c: per source line the requests,
wavefronts, sectors and what these would be at best. SECONDS: new seeds until so much time has passed. 77 without nvcc or nvdisasm.

The simulation knows no machine code: it takes 32 threads through the statements with a mask of lanes. Every access is volatile or assembly,
so the compiler keeps each but some of a thread's own memory, which are counted: no more than one line in twenty may have fewer requests
for that."""
import csv, io, os, random, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TYPES = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long long"}
ARCHS = ("sm_90", "sm_80")
DATA = 4096  # numbers on which addresses depend

HEAD = r"""
#include <cstdio>
#include <cstdint>
#include <cstring>
extern "C" {
#include "reference.h"
}
typedef uint32_t u32;
static u32 data[%d], vx[4][32], vi[8][32], t_[32], u_[32];
static unsigned long requests, wavefronts, ideal, sectors, best;
struct line { unsigned long requests, wavefronts, ideal, sectors, best; };
static line lines[100000];
static void count(int at, smp_op op, unsigned width, u32 mask, const uint64_t *where, bool is_local) {
    if (mask == 0)
        return;
    smp_access access;
    memset(&access, 0, sizeof access);
    access.op = op, access.width_bytes = width, access.active_mask = mask;
    for (int l = 0; l < 32; l++)
        if (mask >> l & 1)
            access.address_bytes[l] = where[l], access.offset_bytes[l] = (u32)where[l];
    line *out = &lines[at];
    out->requests++;
    unsigned lanes = 0;
    for (int l = 0; l < 32; l++)
        lanes += mask >> l & 1;
    if (is_local) { // each word of each lane beside the same word of the others
        unsigned words = width < 4 ? 1 : width / 4, here = 0;
        for (unsigned w = 0; w < words; w++)
            for (int l = 0; l < 32; l++) {
                bool is_new = mask >> l & 1;
                for (int m = 0; m < l; m++)
                    if ((mask >> m & 1) && where[m] / 4 == where[l] / 4 && m / 8 == l / 8)
                        is_new = false;
                here += is_new;
            }
        out->sectors += here;
        unsigned filled = (lanes * width + 31) / 32;
        out->best += filled < here ? filled : here;
        return;
    }
    reference_counts counts;
    memset(&counts, 0, sizeof counts);
    reference_predict(9, 0, 4, &access, &counts);
    if (counts.has_wavefronts)
        out->wavefronts += counts.wavefronts_max, out->ideal += counts.ideal;
    else {
        unsigned filled = (lanes * width + 31) / 32;
        out->sectors += counts.transactions;
        out->best += filled < counts.transactions ? filled : counts.transactions;
    }
}
#define LANES(mask) for (int l = 0; l < 32; l++) if ((mask) >> l & 1)
"""


class Kernel:
    """The text of one kernel, for nvcc and for the simulation."""

    def __init__(self, rng, number, cuda):
        self.rng, self.number, self.cuda = rng, number, cuda
        self.sim, self.depth, self.masks = [], 0, ["m0"]
        self.loops, self.count, self.left = [], 0, rng.randint(4, 12)
        self.threads = (rng.choice([32, 64, 17, 45, 8, 16, 33]), rng.choice([1, 1, 1, 2, 4]))
        self.blocks = rng.randint(1, 3)
        self.n, self.m = rng.randint(0, 9), rng.randint(1, 40)
        # Arrays: space, bytes of an element, elements.
        self.arrays = [("shared", 4, rng.choice([64, 100, 512, 1056])), ("global", rng.choice([1, 2, 4, 8]), rng.choice([300, 1024, 5000]))]
        for _ in range(rng.randint(1, 4)):
            space = rng.choice(["shared", "shared", "global", "local"])
            self.arrays.append((space, rng.choice([4, 8] if space == "local" else [1, 2, 4, 8]),
                                rng.choice([4, 8, 16] if space == "local" else [64, 100, 512, 1024])))

    def text(self, line):
        self.cuda.append("    " * (self.depth + 1) + line)

    def keep(self, line):
        """An access that cannot be joined with another: the code around it is unique."""
        number = len(self.cuda) + 1
        self.text(f'asm volatile("// {number}"); {line} asm volatile("// {number}.");')

    def host(self, line):
        self.sim.append("    " * (self.depth + 1) + line)

    def active(self):
        gone = " & ~ret" + "".join(f" & ~brk{j} & ~con{j}" for j in self.loops)
        return f"({self.masks[-1]}{gone})"

    # ---- Expressions, the same text for both: names are macros in the simulation ----

    def atom(self):
        names = ["t", "t", "t", "u", "b", "n", "m", "v0", "v1"] + [f"i{j}" for j in self.loops] * 2
        return self.rng.choice(names + [f"{self.rng.choice([1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 100])}u"] * 4)

    def expression(self, deep=0):
        rng = self.rng
        if deep > 2 or rng.random() < 0.25:
            return self.atom()
        a, b = self.expression(deep + 1), self.expression(deep + 1)
        kind = rng.randrange(12)
        if kind < 8:
            return f"({a} {rng.choice(['+', '+', '*', '*', '-', '^', '&', '|'])} {b})"
        if kind == 8:
            return f"({a} >> {rng.randint(0, 6)})"
        if kind == 9:
            return f"({a} << {rng.randint(0, 6)})"
        if kind == 10:
            return f"({a} {rng.choice('/%')} {rng.choice([2, 3, 5, 8, 32])}u)"
        return f"({self.condition(deep + 1)} ? {a} : {b})"

    def condition(self, deep=0):
        if deep < 2 and self.rng.random() < 0.2:
            return f"({self.condition(deep + 1)} {self.rng.choice(['&&', '||'])} {self.condition(deep + 1)})"
        shape = self.rng.choice(["({a} {op} {b})", "({a} % {k}u {op} {c}u)"])
        return shape.format(a=self.expression(deep + 1), b=self.expression(deep + 1), op=self.rng.choice(["<", ">=", "==", "!="]),
                            k=self.rng.choice([2, 3, 4, 7]), c=self.rng.randint(0, 2))

    # ---- Statements ----

    def access(self):
        rng = self.rng
        a = rng.randrange(len(self.arrays))
        space, width, count = self.arrays[a]
        index = f"({self.expression()} % {count}u)"
        name, op, wide = f"{space[0]}{a}", rng.choice(["ld", "st"]), width
        is_atomic = space == "shared" and width >= 4 and rng.random() < 0.25
        if is_atomic:  # in assembly: of two calls side by side of one function in a header the line table knows one line
            call, op = rng.choice([("exch", "SMP_ATOM_SHARED"), ("cas", "SMP_ATOM_SHARED_CAS")])
            letter, form = ("r", "b32") if width == 4 else ("l", "b64")
            given = f'"{letter}"(({TYPES[width]})acc)' + (f', "{letter}"(({TYPES[width]})n)' if call == "cas" else "")
            self.keep(f'{{ {TYPES[width]} x; asm volatile("atom.shared.{call}.{form} %0, [%1], %2{", %3" if call == "cas" else ""};" : '
                      f'"={letter}"(x) : "r"((u32)__cvta_generic_to_shared((void *)s{a}) + {index} * {width}u), {given}); ADD(x); }}')
        elif space != "local" and count * width % 16 == 0 and rng.random() < 0.25:
            wide, index = 16, f"({self.expression()} % {count * width // 16}u)"
            pointer = f"((u32)__cvta_generic_to_shared((void *)s{a}) + {index} * 16)" if space == "shared" else f"((u64)g{a} + {index} * 16ull)"
            kind = "r" if space == "shared" else "l"
            if op == "ld":
                self.keep(f'asm volatile("ld.volatile.{space}.v4.u32 {{%0,%1,%2,%3}}, [%4];" : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w) : "{kind}"{pointer});')
            else:
                self.keep(f'asm volatile("st.volatile.{space}.v4.u32 [%0], {{%1,%1,%1,%1}};" :: "{kind}"{pointer}, "r"(acc));')
        elif space == "local":
            self.local(a, op, index)
        elif op == "ld":
            self.keep(f"ADD({name}[{index}]);")
        else:
            self.keep(f"{name}[{index}] = ({TYPES[width]})acc;")
        if not is_atomic:
            op = f"SMP_{op.upper()}_{'SHARED' if space == 'shared' else 'GLOBAL'}"
        self.host("{ uint64_t at[32] = {0}; " + f"LANES({self.active()}) at[l] = (uint64_t){index} * {wide}; "
                  f"count({len(self.cuda)}, {op}, {wide}, {self.active()}, at, {str(space == 'local').lower()}); }}")

    def local(self, a, op, index):
        """In assembly, because nvcc does not keep a thread's volatile array."""
        width = self.arrays[a][1]
        address = f'"r"((u32)__cvta_generic_to_local((void *)l{a}) + {index} * {width}u)'
        kind, letter = ("u32", "r") if width == 4 else ("u64", "l")
        if op == "ld":
            self.keep(f'{{ {TYPES[width]} x; asm volatile("ld.local.{kind} %0, [%1];" : "={letter}"(x) : {address}); ADD(x); }}')
        else:
            self.keep(f'asm volatile("st.local.{kind} [%0], %1;" :: {address}, "{letter}"(({TYPES[width]})acc));')

    def assign(self):
        name = self.rng.choice(["v0", "v1"])
        if self.rng.random() < 0.5:
            expression = self.expression()
            self.text(f"{name} = {expression};")
            self.host(f"LANES({self.active()}) {name} = {expression};")
            return
        index = f"({self.expression()} % {DATA}u)"
        self.keep(f"{name} = data[{index}];")
        self.host("{ uint64_t at[32] = {0}; " + f"LANES({self.active()}) at[l] = {index} * 4ull; "
                  f"count({len(self.cuda)}, SMP_LD_GLOBAL, 4, {self.active()}, at, false); "
                  f"LANES({self.active()}) {name} = data[at[l] / 4]; }}")

    def under(self, mask, chance=1.0):
        """Statements under a new mask, which the simulation sets."""
        self.masks.append(mask)
        self.depth += 1
        self.statements(self.rng.randint(1, 3))
        self.depth -= 1
        self.masks.pop()

    def branch(self):
        self.count += 1
        yes, no, condition = f"y{self.count}", f"z{self.count}", self.condition()
        self.text(f"if {condition} {{")
        self.host(f"u32 {yes} = 0; LANES({self.active()}) {yes} |= (u32)({condition}) << l;")
        self.host(f"u32 {no} = {self.active()} & ~{yes};")
        self.under(yes)
        if self.rng.random() < 0.5:
            self.text("} else {")
            self.under(no)
        self.text("}")

    def choice(self):
        self.count += 1
        value, number = self.expression(), self.count
        self.text(f"switch ({value} % 4u) {{")
        self.host(f"u32 k{number}[32] = {{0}}; LANES({self.active()}) k{number}[l] = {value} % 4u;")
        before = self.active()
        self.host(f"u32 all{number} = {before};")
        for case in range(self.rng.randint(2, 4)):
            mask = f"c{number}_{case}"
            self.text(f"case {case}:")
            self.host(f"u32 {mask} = 0; LANES(all{number}) {mask} |= (u32)(k{number}[l] == {case}u) << l;")
            self.under(mask)
            self.text("    break;")
        self.text("}")

    def loop(self):
        j = len(self.loops)
        self.count += 1
        first, step = self.rng.choice(["0u", "t % 3u", "1u"]), self.rng.choice([1, 1, 2])
        bound = f"({self.expression(1)} % {self.rng.choice([2, 5, 9])}u)"
        bounds = f"w{self.count}"
        self.text(f"u32 {bounds} = {bound};")
        self.host(f"u32 {bounds}_[32] = {{0}}; LANES({self.active()}) {bounds}_[l] = {bound};")
        self.text("#pragma unroll 1")
        self.text(f"for (u32 i{j} = {first}; i{j} < {bounds}; i{j} += {step}u) {{")
        inside = f"in{self.count}"
        self.host(f"u32 {inside} = {self.active()}; LANES({inside}) vi[{j}][l] = {first}; brk{j} = con{j} = 0;")
        self.host("for (;;) {")
        self.loops.append(j)
        self.host(f"con{j} = 0; LANES({inside}) if (!(vi[{j}][l] < {bounds}_[l])) {inside} &= ~(1u << l);")
        self.host(f"{inside} &= ~brk{j} & ~ret; if ({inside} == 0) break;")
        self.masks.append(inside)
        self.depth += 1
        self.statements(self.rng.randint(1, 3))
        if self.rng.random() < 0.3:
            self.leave(j)
            self.statements(1)
        self.depth -= 1
        self.masks.pop()
        self.host(f"LANES({inside} & ~brk{j} & ~ret) vi[{j}][l] += {step}u;")
        self.host("}")
        self.host(f"brk{j} = con{j} = 0;")
        self.loops.pop()
        self.text("}")

    def leave(self, j):
        """continue or break, in the body of loop j itself."""
        what, condition = self.rng.choice(["continue", "break"]), self.condition()
        self.text(f"if {condition} {what};")
        self.host(f"LANES({self.active()}) if {condition} {'con' if what == 'continue' else 'brk'}{j} |= 1u << l;")

    def statements(self, count):
        for _ in range(count):
            if self.left <= 0:
                self.access()
                return
            self.left -= 1
            kind = self.rng.randrange(10)
            if kind == 0 and len(self.masks) < 5:
                self.branch()
            elif kind == 1 and len(self.loops) < 3 and len(self.masks) < 5:
                self.loop()
            elif kind == 2 and len(self.masks) < 4:
                self.choice()
            elif kind == 3:
                self.assign()
            else:
                self.access()

    def write(self):
        rng = self.rng
        globals_ = [(a, width) for a, (space, width, _) in enumerate(self.arrays) if space == "global"]
        self.cuda.append(f'extern "C" __global__ void k{self.number}(u32 *out, const volatile u32 *data, '
                         + "".join(f"volatile {TYPES[width]} *g{a}, " for a, width in globals_) + "u32 n, u32 m) {")
        for a, (space, width, count) in enumerate(self.arrays):
            if space == "shared":
                self.text(f"__shared__ __align__(16) volatile {TYPES[width]} s{a}[{count}];")
            elif space == "local":
                self.text(f"volatile {TYPES[width]} l{a}[{count}];")
        self.text("u32 t = threadIdx.x, u = threadIdx.y, b = blockIdx.x, acc = t, v0 = 0, v1 = 1; uint4 q = {0, 0, 0, 0};")
        for a, (space, width, count) in enumerate(self.arrays):
            if space == "local":  # unwritten elements are undefined
                self.text("#pragma unroll 1")
                self.text(f"for (u32 e = 0; e < {count}u; e++) {{")
                self.local(a, "st", "e")
                self.host(f"for (u32 e = 0; e < {count}u; e++) {{ uint64_t at[32] = {{0}}; LANES({self.active()}) at[l] = e * {width}ull; "
                          f"count({len(self.cuda)}, SMP_ST_GLOBAL, {width}, {self.active()}, at, true); }}")
                self.text("}")
        for _ in range(rng.randint(3, 8)):
            self.left = max(self.left, 1)
            self.statements(1)
        self.text("out[(b * 256 + u * 64 + t) % 1024] = acc + q.x + q.y + q.z + q.w;")
        self.cuda.append("}")
        return self.simulation(), self.launch(globals_)

    def simulation(self):
        x, y = self.threads
        return "\n".join([
            f"static void run{self.number}() {{",
            f"const u32 n = {self.n}, m = {self.m};",
            f"for (u32 b = 0; b < {self.blocks}; b++) for (u32 first = 0; first < {x * y}; first += 32) {{",
            "u32 m0 = 0, ret = 0, brk0 = 0, brk1 = 0, brk2 = 0, con0 = 0, con1 = 0, con2 = 0;",
            f"for (u32 l = 0; l < 32; l++) {{ u32 id = first + l; t_[l] = id % {x}; u_[l] = id / {x}; m0 |= (u32)(id < {x * y}) << l;",
            "vx[0][l] = 0; vx[1][l] = 1; }", "(void)brk0; (void)brk1; (void)brk2; (void)con0; (void)con1; (void)con2; (void)n; (void)m; (void)ret;",
            *self.sim, "}", "}"])

    def launch(self, globals_):
        x, y = self.threads
        arrays = "".join(f"uint8_t[{width * self.arrays[a][2]}], " for a, width in globals_)
        return f"k{self.number}<<<{self.blocks}, dim3({x},{y})>>>(uint32_t[1024], uint32_t[{DATA}] = @DATA, {arrays}{self.n}, {self.m})"


def tool(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def build(seed, count, work):
    rng = random.Random(seed)
    # All loaded bits are used: the compiler narrows loads, also volatile ones.
    cuda = ["typedef unsigned u32; typedef unsigned long long u64;",
            "#define ADD(value) { u64 all = (value); acc += (u32)(all ^ all >> 32); }"]
    kernels = [Kernel(rng, i, cuda).write() for i in range(count)]
    numbers = [rng.choice([rng.randrange(64), rng.randrange(1 << 32)]) for _ in range(DATA)]
    with open(f"{work}/data", "wb") as file:
        file.write(b"".join(number.to_bytes(4, "little") for number in numbers))
    with open(f"{work}/k.cu", "w") as file:
        file.write("\n".join(cuda) + "\n")
    names = "\n".join(f"#define {name} {value}" for name, value in
                      [("t", "t_[l]"), ("u", "u_[l]"), ("v0", "vx[0][l]"), ("v1", "vx[1][l]")] + [(f"i{j}", f"vi[{j}][l]") for j in range(3)])
    with open(f"{work}/sim.cpp", "w") as file:
        file.write(HEAD % DATA + names + "\n" + "\n".join(text for text, _ in kernels) + "\n#undef t\nint main() {\n"
                   f'FILE *in = fopen("{work}/data", "rb"); if (!in || fread(data, 4, {DATA}, in) != {DATA}) return 1;\n'
                   + "".join(f"run{i}();\n" for i in range(count))
                   + 'for (int i = 0; i < 100000; i++) if (lines[i].requests) printf("%d %lu %lu %lu %lu %lu\\n", i, lines[i].requests, '
                     "lines[i].wavefronts, lines[i].ideal, lines[i].sectors, lines[i].best);\n}\n")
    return [launch.replace("@DATA", f"@{work}/data") for _, launch in kernels]


def simulate(work, objects):
    made = tool(["g++", "-std=c++17", "-O1", "-w", f"-I{HERE}/support", f"-I{HERE}/../model", f"{work}/sim.cpp", *objects, "-o", f"{work}/sim"])
    if made.returncode:
        sys.exit(made.stderr[:2000])
    said = tool([f"{work}/sim"])
    if said.returncode:
        sys.exit(f"the simulation ended with {said.returncode}")
    return {int(line.split()[0]): tuple(map(int, line.split()[1:])) for line in said.stdout.splitlines()}


def emulate(program, cubin, launches, work):
    """The sums of `emulate` per line."""
    found = {}
    for launch in launches:
        said = tool([program, "emulate", cubin, "--launch", launch, "--format", "csv", "--limit", "4000000"])
        if said.returncode not in (0, 1) or not said.stdout.startswith("kernel,"):
            sys.exit(f"emulate {launch}: exit status {said.returncode}\n{said.stdout[:500]}{said.stderr[:2000]}")
        for row in csv.DictReader(io.StringIO(said.stdout)):
            if row["finding"] == "uninitialised":  # they read unwritten memory
                continue
            if row["modelled"] != "1":
                sys.exit(f"not modelled: {row}")
            before = found.get(int(row["line"]), (0,) * 5)
            now = (int(row[name] or 0) for name in ("requests", "wavefronts", "ideal", "sectors", "ideal_sectors"))
            found[int(row["line"])] = tuple(a + b for a, b in zip(before, now))
    return found


def compare(seed, arch, wanted, found, text):
    """A message for each line that differs, and the number of accesses to local memory that the compiler saved."""
    wrong, saved = [], 0
    for line in sorted(set(wanted) | set(found)):
        want, got, what = wanted.get(line, (0,) * 5), found.get(line, (0,) * 5), text[line - 1].strip()
        if want == got or what.startswith("out["):
            continue
        if ".local." in what and got[0] < want[0]:
            saved += 1
            continue
        wrong.append(f"seed {seed}, {arch}, line {line}: {what}\n  requests, wavefronts, ideal, sectors, ideal: "
                     f"simulated {want}, emulated {got}")
    return wrong, saved


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not shutil.which("nvcc") or not shutil.which("g++"):
        print("no nvcc or no g++")
        sys.exit(77)
    program = os.path.abspath(sys.argv[1])
    seed, count, seconds = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 1), (3, 12), (4, 0)))
    lines = kernels = saved = 0
    bad = []
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as work:
        objects = []
        for name in ("reference", "reference_broadcast", "reference_bypass", "reference_global"):
            objects.append(f"{work}/{name}.o")
            tool(["gcc", "-std=gnu11", "-O2", "-w", f"-I{HERE}/../model", "-c", f"{HERE}/support/{name}.c", "-o", objects[-1]], check=True)
        while True:
            launches = build(seed, count, work)
            text = open(f"{work}/k.cu").read().splitlines()
            wanted = simulate(work, objects)
            for arch in ARCHS:
                made = tool(["nvcc", "-cubin", "-lineinfo", "-w", f"-arch={arch}", f"{work}/k.cu", "-o", f"{work}/k.cubin"])
                if made.returncode:
                    sys.exit(f"seed {seed}: {made.stderr[:2000]}")
                found = emulate(program, f"{work}/k.cubin", launches, work)
                wrong, fewer = compare(seed, arch, wanted, found, text)
                bad += wrong
                saved += fewer
                lines += len(wanted)
            kernels += count
            if saved > 20 + lines // 20:
                bad.append(f"{saved} of {lines} lines have fewer requests")
            if bad:
                shutil.copy(f"{work}/k.cu", os.environ.get("SMP_KEEP", f"{work}/kept.cu"))
                print("\n".join(bad[:6]))
                sys.exit(1)
            seed += 1
            if time.monotonic() >= end:
                break
    print(f"{kernels} kernels, {lines} lines by {' and '.join(ARCHS)}: all alike, but {saved} of local memory that the compiler does less often")


main()
