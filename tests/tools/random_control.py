#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/tools/random_control.py PROGRAM [SEED [COUNT [SECONDS]]]: random device code that branches, loops and calls, run by `emulate`, against the
same source compiled by a C++ compiler as host code, thread by thread: every word that the kernel leaves. SECONDS: new seeds until so much
time has passed. 77 without nvcc, nvdisasm or a C++ compiler.

PROGRAM `gpu`: on the GPU that is there, for 9.0, instead of the emulator: whether the code ends there, and with the same words.

The code has functions that are not inlined, called by name, through tables of pointers and as virtual functions, recursion, switch, loops
that lanes leave at different times, early returns, local arrays, 64-bit and double arithmetic, and barriers that all threads reach, with
values passed through shared memory between. A program is compiled for one architecture and one way of optimising, drawn by its seed; what
differs is left as FOLDER/control-SEED.cu where SMP_CONTROL_KEEP names a folder (.data: its input; .kN: the words that a GPU left).

Behind a call of a function that calls only itself, ptxas 13.0 believes the lanes of a warp together and puts no WARPSYNC before the next
BAR.SYNC, not even for __syncwarp() or `barrier.sync`. On an H200 they can arrive apart (the function saves its barrier registers for the call
of itself, which only some lanes make), and the first of them count for the warp: the others' words are read before they are written. Of 585
kernels 3 showed it (seeds 109, 120, 283), all with `recur` as a statement of its own before the barrier; all words that differ come from
lanes that recurred. On a GPU, MEET therefore stands before the barrier: a call that is never made, of what ptxas cannot know.

For 12.0, ptxas 13.0 may read a local array of a function whose frame it aligns to 16 bytes as [R3+UR4], where UR4 is the low half of the
descriptor that the same block has used before, not R1: "uninitialised" is then right (SMP_CONTROL_SYNCWARP=1, seed 31000051; seed 7000100;
-O3, any number of registers). Programs that differ and whose code has that are counted apart."""
import os, random, re, shutil, subprocess, sys, tempfile, time

ARCHS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
BUILDS = (["-O3"], ["-O3", "-maxrregcount=24"], ["-O3", "-maxrregcount=32"], ["-Xptxas", "-O1"], ["-Xptxas", "-O0"], ["-G"])
KERNELS, WORDS = 3, 8  # words that a thread writes
DATA = 1024
MEETS_OFTEN = "SMP_CONTROL_SYNCWARP" in os.environ  # __syncwarp() after each statement of a phase
wrong_compiler = [0]
STACK = 32768  # bytes per thread; "the stack is used up" counts as a difference
LAST, RECURS = 99, 98  # levels: calls nothing; only virtual functions

HEAD = r"""
#ifdef __CUDACC__
#define FN __device__ __noinline__
#define IN __device__
#define TABLE __device__
#define SYNCWARP __syncwarp()
#ifdef ON_GPU
#define MEET if (own.fuel > 1000) x += table[0](x, y, &own)
#else
#define MEET (void)0
#endif
#else
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define FN __attribute__((noinline)) static
#define IN
#define TABLE static
#define SYNCWARP (void)0
#endif
typedef unsigned u32;
typedef unsigned long long u64;
struct state { u32 a, b, c, fuel; u64 w; double d; const u32 *data; };
#define SPEND(x) do { if (s->fuel == 0) return (x); s->fuel--; } while (0)
IN static inline u32 bits_of(double d) { u64 u; memcpy(&u, &d, 8); return (u32)u ^ (u32)(u >> 32); }
IN static inline double tame(double d) { return d > 1e9 ? 1e9 / d : d < -1e9 ? -7 : d == d ? d : 3; }
"""


class Program:
    def __init__(self, seed):
        self.rng, self.seed = random.Random(seed), seed
        self.text, self.locals, self.loops, self.name = [], [], 0, 0

    def pick(self, *choices):
        return self.rng.choice(choices)

    def add(self, depth, text):
        self.text.append("    " * depth + text)

    def fresh(self):
        self.name += 1
        return f"v{self.name}"

    def value(self, deep=0):
        """An expression of u32; numbers, too: as int, "table[(3 - 7) % 4]" is no function of the table."""
        leaf = ["x", "y", "s->a", "s->b", "s->c", f"{self.rng.randrange(1000)}u", f"s->data[(x + {self.rng.randrange(99)}) & {DATA - 1}]",
                "(u32)s->w", "(u32)(s->w >> 32)"] + self.locals
        if deep > 2 or self.rng.random() < 0.3:
            return self.rng.choice(leaf)
        a, b = self.value(deep + 1), self.value(deep + 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} & {b})", f"({a} | {b})",
                         f"({a} >> ({b} & 31))", f"({a} << ({b} & 7))", f"({a} / (({b} & 63) + 1))", f"({a} % (({b} & 31) + 1))",
                         f"(u32)(s->w / {self.pick(3, 7, 10, 1000, 641, 1000000007)}ull)", f"(u32)((s->w * {self.rng.randrange(3, 999)}ull + {a}) >> 17)",
                         f"({a} < {b} ? {a} : {b})", f"bits_of(s->d * {self.rng.randrange(1, 9)}.5)", f"(u32)((int){a} >> 3)",
                         f"(u32)(((u64){a} * {b} + s->w) >> 32)")

    def condition(self):
        a, b = self.value(1), self.value(2)
        return self.pick(f"({a} & {self.pick(1, 1, 3, 5)}) == 0", f"({a} & 7) < ({b} & 7)", f"{a} % 3 == 1", f"(int){a} < (int){b}",
                         f"s->d < {self.rng.randrange(50)} + ({a} & 31)", f"((s->w >> ({a} & 63)) & 1) != 0")

    def assignment(self, depth):
        target = self.pick("x", "y", "s->a", "s->b", "s->c", "w", "d", *self.locals)
        if target == "w":
            self.add(depth, self.pick(f"s->w = s->w * 6364136223846793005ull + {self.value()};", f"s->w ^= (u64){self.value()} << ({self.value(2)} & 31);",
                                      f"s->w = s->w / (({self.value(2)} & 1023) + 1) + {self.value(2)};", f"s->w = s->w % 1000003ull + ((u64){self.value(2)} << 32);"))
        elif target == "d":
            self.add(depth, self.pick(f"s->d = tame(s->d * 1.25 + (double)({self.value()} & 255));", f"s->d = tame(s->d / ((double)({self.value(2)} & 15) + 0.5));",
                                      f"s->d = tame(s->d - (double)(int){self.value(2)});", f"s->d = tame(s->d * s->d - {self.rng.randrange(99)}.0);"))
        else:
            self.add(depth, f"{target} {self.pick('=', '+=', '^=', '-=')} {self.value()};")

    def call(self, depth, level):
        """Calls functions after `level`, so that only `recur` recurs and the stack suffices."""
        targets = [f for f in self.functions if f > level]
        way = self.rng.random()
        target = self.pick("x", "y", "s->a", "s->b")
        if targets and way < 0.45:
            self.add(depth, f"{target} += f{self.rng.choice(targets)}({self.value(1)}, {self.value(2)}, s);")
        elif targets and way < 0.75:
            low = min(targets)
            count = max(self.functions) + 1 - low
            self.add(depth, f"{target} ^= table[{low} + {self.value(2)} % {count}]({self.value(1)}, {self.value(2)}, s);")
        elif level == LAST:
            self.assignment(depth)
        elif way < 0.88 or level == RECURS:
            self.add(depth, f"{{ first o1(x); second o2(y); base *p = {self.condition()} ? (base *)&o1 : (base *)&o2; {target} += p->work({self.value(2)}, s); }}")
        else:
            self.add(depth, f"{target} += recur({self.value(1)}, {self.rng.randrange(1, 5)}, s);")

    def statement(self, depth, nest, level, is_function):
        kind = self.rng.random()
        if kind < 0.30 or nest > 3:
            self.assignment(depth)
        elif kind < 0.48:
            self.add(depth, f"if ({self.condition()}) {{")
            self.body(depth + 1, nest + 1, level, is_function)
            if self.rng.random() < 0.5:
                self.add(depth, "} else {")
                self.body(depth + 1, nest + 1, level, is_function)
            self.add(depth, "}")
        elif kind < 0.64:
            i = self.fresh()
            head = self.pick(f"for (u32 {i} = 0; {i} < ({self.value(1)} & {self.pick(3, 7, 15)}); {i}++) {{",
                             f"for (u32 {i} = {self.value(1)} & 7; {i} != 0; {i}--) {{", f"u32 {i} = 0; do {{")
            if head.startswith("u32"):
                self.add(depth, "{")
            self.add(depth, head)
            self.locals.append(i)
            self.locals.pop()  # nothing assigns to loop counters
            self.loops += 1
            self.body(depth + 1, nest + 1, level, is_function)
            self.loops -= 1
            self.add(depth, f"}} while (++{i} < ({self.value(2)} & 7)); }}" if head.startswith("u32") else "}")
        elif kind < 0.72:
            self.add(depth, f"switch ({self.value(1)} % {self.rng.randrange(3, 7)}) {{")
            loops, self.loops = self.loops, 0  # there a continue would not belong to one of our loops
            for case in range(self.rng.randrange(2, 6)):
                self.add(depth, f"case {case}:")
                self.body(depth + 1, nest + 1, level, is_function)
                if self.rng.random() < 0.8:
                    self.add(depth + 1, "break;")
            self.add(depth, "default:")
            self.assignment(depth + 1)
            self.add(depth, "}")
            self.loops = loops
        elif kind < 0.78 and self.loops:
            self.add(depth, f"if ({self.condition()}) {self.pick('break', 'break', 'continue')};")
        elif kind < 0.84 and is_function:
            self.add(depth, f"if ({self.condition()}) return {self.value(1)};")
        elif kind < 0.90:
            name, size = self.fresh(), self.pick(4, 4, 8)
            self.add(depth, f"{{ u32 {name}[{size}]; for (u32 i = 0; i < {size}; i++) {name}[i] = i * {self.value(2)} + y;")
            self.add(depth, f"{name}[{self.value(2)} & {size - 1}] ^= {self.value(1)}; x += {name}[{self.value(2)} & {size - 1}] + {name}[s->a & {size - 1}]; }}")
        else:
            self.call(depth, level)

    def body(self, depth, nest, level, is_function):
        for _ in range(self.rng.randint(1, 2)):
            self.statement(depth, nest, level, is_function)

    def function(self, head, level, count):
        self.add(0, head + " {")
        self.add(1, "SPEND(x);")
        saved = self.locals
        self.locals = [self.fresh() for _ in range(self.rng.randint(0, 6))]
        for name in self.locals:
            self.add(1, f"u32 {name} = {self.pick('x', 'y', 's->a', 's->c')} * {self.rng.randrange(99)} + {self.rng.randrange(99)};")
        for _ in range(count):
            self.statement(1, 0, level, True)
        self.add(1, "return " + " + ".join(["x", "3 * y"] + self.locals) + ";")
        self.add(0, "}")
        self.locals = saved

    def make(self):
        rng = self.rng
        self.functions = list(range(rng.randint(2, 4)))
        self.add(0, HEAD)
        self.add(0, "struct base { u32 v; IN base(u32 v) : v(v) {} IN virtual u32 work(u32 x, state *s) = 0; };")
        self.add(0, "struct first : base { IN first(u32 v) : base(v) {} IN u32 work(u32 x, state *s) override; };")
        self.add(0, "struct second : base { IN second(u32 v) : base(v) {} IN u32 work(u32 x, state *s) override; };")
        for f in self.functions:
            self.add(0, f"FN u32 f{f}(u32 x, u32 y, state *s);")
        self.add(0, "FN u32 recur(u32 x, u32 y, state *s);")
        self.add(0, "typedef u32 (*function)(u32, u32, state *);")
        self.add(0, "TABLE function table[] = {" + ", ".join(f"f{f}" for f in self.functions) + "};")
        for f in reversed(self.functions):
            self.function(f"FN u32 f{f}(u32 x, u32 y, state *s)", f, rng.randint(2, 4))
        for name in ("first", "second"):
            self.add(0, f"IN u32 {name}::work(u32 x, state *s) {{ u32 y = v; SPEND(y);")
            self.locals = []
            for _ in range(rng.randint(1, 4)):
                self.statement(1, 1, LAST, True)
            self.add(0, "    return x + y; }")
        self.add(0, "FN u32 recur(u32 x, u32 y, state *s) {")
        self.add(1, "SPEND(x); if (y == 0) return x ^ s->c;")
        self.statement(1, 2, RECURS, True)
        self.add(1, f"if ({self.condition()}) x += recur({self.value(1)}, y - 1, s);")
        self.statement(1, 2, RECURS, True)
        self.add(1, f"if ({self.condition()}) x ^= recur({self.value(1)}, y - 1, s); else s->b += y;")
        self.add(1, "return x + y; }")
        return "\n".join(self.text + [self.kernel(k) for k in range(KERNELS)])

    def kernel(self, number):
        """Phases separated by barriers; the host runs each phase for all threads."""
        self.text, self.locals, self.loops = [], [], 0
        phases = self.rng.randint(1, 3)
        for p in range(phases):
            self.add(0, f"IN static inline void phase{number}_{p}(u32 &x, u32 &y, state *s) {{")
            for _ in range(self.rng.randint(2, 4)):
                self.statement(1, 0, -1, False)
                if MEETS_OFTEN:
                    self.add(1, "SYNCWARP;")
            self.add(0, "}")
        threads = self.pick(32, 33, 64, 96, 100)
        step = self.rng.randrange(1, threads)
        # ptxas 13.0 keeps a pointer that it knows to be the warp's in a uniform register, which a call on another branch overwrites
        begin = f"x = data[t & {DATA - 1}], y = t * 7 + {number}; const u32 *at[] = {{data, data}}; " \
                f"own = {{x, y, t, 120, (u64)x << 32 | y, (double)(x & 1023) / 8, at[x & 1]}};"
        end = f"out[t * {WORDS}] = x, out[t * {WORDS} + 1] = y, out[t * {WORDS} + 2] = own.a, out[t * {WORDS} + 3] = own.b, " \
              f"out[t * {WORDS} + 4] = (u32)own.w, out[t * {WORDS} + 5] = (u32)(own.w >> 32), out[t * {WORDS} + 6] = bits_of(own.d), out[t * {WORDS} + 7] = own.fuel;"
        give, take = "box[i] = x + own.a;", f"y ^= box[(i + {step}) % {threads}];"
        device = [f"extern \"C\" __global__ void k{number}(u32 *out, const u32 *data) {{ __shared__ u32 box[{threads}];",
                  f"    const u32 i = threadIdx.x, t = blockIdx.x * {threads} + i; u32 x, y; state own; {begin}"]
        host = [f"static void k{number}(u32 *out, const u32 *data, u32 block) {{ static u32 box[{threads}], xs[{threads}], ys[{threads}]; static state owns[{threads}];",
                f"#define EACH for (u32 i = 0; i < {threads}; i++) {{ const u32 t = block * {threads} + i; u32 &x = xs[i], &y = ys[i]; state &own = owns[i];",
                f"    EACH {begin} }}"]
        for p in range(phases):
            device.append(f"    phase{number}_{p}(x, y, &own);")
            host.append(f"    EACH phase{number}_{p}(x, y, &own); }}")
            if p + 1 < phases:
                device.append(f"    MEET; __syncthreads(); {give} __syncthreads(); {take}")
                host.append(f"    EACH (void)t, (void)y; {give} }}\n    EACH (void)t, (void)x, (void)own; {take} }}")
        self.threads = getattr(self, "threads", {}) | {number: threads}
        return "\n".join(self.text + ["#ifdef __CUDACC__"] + device + [f"    {end} }}", "#else"] + host +
                         [f"    EACH {end} }}", "#undef EACH", "}", "#endif"])

    def host_main(self):
        lines = ["#ifndef __CUDACC__", "int main(int argc, char **argv) { static u32 data[%d], out[%d];" % (DATA, 2 * 100 * WORDS),
                 "FILE *f = fopen(argv[1], \"rb\"); if (argc < 3 || !f || fread(data, 4, %d, f) != %d) return 1; fclose(f);" % (DATA, DATA)]
        for k, threads in self.threads.items():
            lines.append(f"if (atoi(argv[2]) == {k}) {{ k{k}(out, data, 0); k{k}(out, data, 1); fwrite(out, 4, {2 * threads * WORDS}, stdout); }}")
        return "\n".join(lines + ["return 0; }", "#else"] + self.device_main() + ["#endif", ""])

    def device_main(self):
        lines = ["#ifdef ON_GPU", "#include <cstdio>", "#include <cstdlib>",
                 "int main(int argc, char **argv) { static u32 data[%d], out[%d]; u32 *there, *result;" % (DATA, 2 * 100 * WORDS),
                 "FILE *f = fopen(argv[1], \"rb\"); if (argc < 3 || !f || fread(data, 4, %d, f) != %d) return 1; fclose(f);" % (DATA, DATA),
                 f"cudaDeviceSetLimit(cudaLimitStackSize, {STACK}); cudaMalloc(&there, sizeof data); cudaMalloc(&result, sizeof out);",
                 "cudaMemcpy(there, data, sizeof data, cudaMemcpyHostToDevice);"]
        for k, threads in self.threads.items():
            lines.append(f"if (atoi(argv[2]) == {k}) {{ k{k}<<<2, {threads}>>>(result, there); if (cudaError e = cudaDeviceSynchronize()) {{ fputs(cudaGetErrorString(e), stderr); return 1; }} "
                         f"cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost); fwrite(out, 4, {2 * threads * WORDS}, stdout); }}")
        return lines + ["return 0; }", "#endif"]


def run(*words, limit=600):
    return subprocess.run(words, capture_output=True, timeout=limit, check=False)


def first_difference(got, right):
    words = [i for i in range(min(len(got), len(right)) // 4) if got[4 * i:4 * i + 4] != right[4 * i:4 * i + 4]]
    if not words:
        return f"{len(got)} bytes for {len(right)}"
    i = words[0]
    return f"{len(words)} words, first {i % WORDS} of thread {i // WORDS}: {got[4 * i:4 * i + 4][::-1].hex()}, on the host {right[4 * i:4 * i + 4][::-1].hex()}"


def keep(seed, work, results):
    folder = os.environ.get("SMP_CONTROL_KEEP")
    if folder:
        shutil.copy(os.path.join(work, "control.cu"), os.path.join(folder, f"control-{seed}.cu"))
        shutil.copy(os.path.join(work, "data"), os.path.join(folder, f"control-{seed}.data"))
        for name, words in results.items():
            open(os.path.join(folder, f"control-{seed}.{name}"), "wb").write(words)


def has_descriptor_as_frame(cubin):
    """The fault of ptxas for 12.0: an array of the frame, at the low half of a descriptor of global memory."""
    descriptors = set()
    for line in run("nvdisasm", "-c", cubin).stdout.decode(errors="replace").splitlines():
        if re.match(r"\s*\.?\w+:", line):
            descriptors.clear()
        if re.search(r"\b(LDL|STL)\S* ", line) and set(re.findall(r"\[R\d+\+(UR\d+)", line)) & descriptors:
            return True
        descriptors.difference_update(re.findall(r"\b[A-Z][\w.]* (UR\d+)\b", line))
        descriptors.update(re.findall(r"desc\[(UR\d+)\]", line))
    return False


def one(seed, program, nvcc, cxx, work):
    """(kernels run, differences)"""
    made = Program(seed)
    rng = random.Random(seed * 7919 + 1)
    arch, build = rng.choice(ARCHS), rng.choice(BUILDS)
    on_gpu = program == "gpu"
    if on_gpu:
        arch = "sm_90"
    source = os.path.join(work, "control.cu")
    open(source, "w").write(made.make() + "\n" + made.host_main())
    open(os.path.join(work, "data"), "wb").write(rng.randbytes(4 * DATA))
    host = run(cxx, "-x", "c++", "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-o", os.path.join(work, "host"), source)
    device = run(nvcc, "-std=c++17", f"-arch={arch}", "-w", "-fmad=false", *build,
                 *(["-DON_GPU", "-o", os.path.join(work, "on_gpu")] if on_gpu else ["-cubin", "-o", os.path.join(work, "control.cubin")]), source)
    if host.returncode or device.returncode:
        print(f"seed {seed}: not compiled: {(host.stderr + device.stderr).decode()[:600]}")
        return 0, 1
    differences = count = 0
    for k, threads in made.threads.items():
        host = run(os.path.join(work, "host"), os.path.join(work, "data"), str(k))
        right = host.stdout
        if host.returncode != 0:  # not the emulator's fault: the program is undefined
            print(f"seed {seed}, k{k}: the host's own program ends with status {host.returncode}", flush=True)
            differences += 1
            continue
        out = os.path.join(work, "out")
        if os.path.exists(out):
            os.remove(out)
        if on_gpu:
            got = run("timeout", "20", os.path.join(work, "on_gpu"), os.path.join(work, "data"), str(k))
            count += 1
            if got.returncode != 0 or got.stdout != right:
                differences += 1
                said = f"another result, {first_difference(got.stdout, right)}" if got.returncode == 0 else f"status {got.returncode} {got.stderr.decode()}"
                print(f"seed {seed}, k{k}, {arch} {' '.join(build)}: {said}", flush=True)
                keep(seed, work, {f"k{k}": got.stdout})
            continue
        got = run(program, "emulate", os.path.join(work, "control.cubin"), "--launch",
                  f"k{k}<<<2, {threads}>>>(unsigned[{2 * threads * WORDS}] -> {out}, unsigned[{DATA}] = @{work}/data)", "--stack", str(STACK))
        said = got.stderr.decode(errors="replace")
        if "nvdisasm not found" in said:
            sys.exit(77)
        is_right = got.returncode == 0 and os.path.exists(out) and open(out, "rb").read() == right and not re.search(
            r"^smemprobe: .*(uninitialised|barrier|bounds|understood)", said, re.M)
        count += 1
        if not is_right and has_descriptor_as_frame(os.path.join(work, "control.cubin")):
            wrong_compiler[0] += 1
        elif not is_right:
            differences += 1
            print(f"seed {seed}, k{k}, {arch} {' '.join(build)}: " + (said.strip()[:400] or "another result"), flush=True)
            keep(seed, work, {})
    return count, differences


def main():
    program = "gpu" if sys.argv[1] == "gpu" else os.path.abspath(sys.argv[1])
    seed, count, seconds = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 1), (3, 3), (4, 0)))
    nvcc, cxx = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc"), shutil.which("g++") or shutil.which("c++")
    if nvcc is None or cxx is None:
        print("skipped: no nvcc, or no C++ compiler")
        return 77
    programs = kernels = differences = 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as work:
        while programs < count or time.monotonic() < end:
            ran, wrong = one(seed + programs, program, nvcc, cxx, work)
            programs, kernels, differences = programs + 1, kernels + ran, differences + wrong
    print(f"{programs} programs, {kernels} kernels: {differences} differ; {wrong_compiler[0]} more meet a fault of ptxas")
    return 1 if differences or not kernels else 0


sys.exit(main())
