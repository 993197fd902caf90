#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/tools/random_unwritten.py PROGRAM [SEED [COUNT [SECONDS]]]: no false acquittal of memory that nobody has written. Random device code reads
shared memory of which half is written, selects, counts, shifts and masks with it, and leaves a byte. Run by `emulate` it has a finding
wherever that byte depends on the other half: the same code is run with that half written, by several contents, and where results differ there
must be one. SECONDS: new seeds until so much time has passed. 77 without nvcc or nvdisasm.

The other way round, findings where no content made a difference are counted and not held against anybody: a few contents are not all."""
import os, random, re, shutil, subprocess, sys, tempfile, time

KERNELS, STATEMENTS, CONTENTS, WORDS = 12, (2, 6), 6, 64
ARCHS, BUILDS = ("sm_80", "sm_90", "sm_120"), ("-O3", "-O3", "-Xptxas=-O1", "-Xptxas=-O0")


class Code:
    def __init__(self, rng):
        self.rng = rng

    def value(self, deep=0):
        rng = self.rng
        if deep > 1 or rng.random() < 0.35:
            return rng.choice(["x", "y", "z", "i", "j", str(rng.randrange(70)), f"s[({rng.choice('xyzij')} + {rng.randrange(64)}) & 63]"])
        a, b = self.value(deep + 1), self.value(deep + 1)
        return rng.choice([f"({a} + {b})", f"({a} - {b})", f"({a} & {b})", f"({a} & {1 << rng.randrange(12)})", f"({a} | {b})", f"({a} ^ {b})",
                           f"({a} * {rng.randrange(9)})", f"({a} >> {rng.randrange(1, 20)})", f"({a} << {rng.randrange(1, 9)})",
                           f"({self.condition(deep + 1)} ? {a} : {b})", f"min({a}, {b})", f"max({a}, {b})"])

    def condition(self, deep=0):
        if self.rng.random() < 0.4:
            return f"(y & {1 << self.rng.randrange(7)})"
        a, b = self.value(deep + 1), self.value(deep + 1)
        one = self.rng.choice([f"{a} < {b}", f"(int){a} < (int){b}", f"(int){a} >= (int){b}", f"{a} == {b}", f"{a} != {b}", f"({a} & {b}) != 0"])
        return f"({one})" if self.rng.random() < 0.6 else f"({one} {self.rng.choice(['&&', '||'])} {self.condition(deep + 1) if deep < 2 else '(i < e)'})"

    def statement(self, counts):
        """Most change something by a condition, which is unwritten memory often enough; some code only counts and compares (poison_bounds.c)."""
        rng, c = self.rng, self.condition()
        if counts:
            compares = f"(int){rng.choice('ij')} {rng.choice(('<', '>=', '!=', '=='))} (int){rng.choice(('e', 'e', '(e + 1)'))}"
            return rng.choice([f"if ({c}) {rng.choice('ij')}++;", f"{rng.choice('ij')} += {c} ? {rng.randrange(4)} : 0;", f"if ({c}) x = s[++i & 63];",
                               f"if ({compares}) {rng.choice('xz')} {rng.choice(('|=', '+='))} {1 << rng.randrange(7)};"])
        return rng.choice([f"{rng.choice('xyz')} {rng.choice(['=', '+=', '^=', '|=', '&='])} {self.value()};", f"if ({c}) {rng.choice('ij')}++;",
                           f"if ({c}) x = s[++{rng.choice('ij')} & 63];", f"if ({c}) {rng.choice('xyz')} |= {1 << rng.randrange(12)};",
                           f"{rng.choice('xyz')} = {c} ? {rng.choice('xyzij')} + {rng.randrange(4)} : {rng.choice('xyzij')};"])

    def kernel(self, number):
        counts = self.rng.random() < 0.5
        body = [self.statement(counts) for _ in range(self.rng.randint(*STATEMENTS))]
        if self.rng.random() < 0.4:
            body = ["#pragma unroll", f"for (int k = 0; k < {self.rng.randint(2, 5)}; k++) {{ {' '.join(body)} }}"]
        left = f"{self.rng.choice('xxzzij')} >> {self.rng.choice((0, 0, 0, 4))} & {self.rng.choice((1, 4, 255, 255))}"
        return "\n".join([f'extern "C" __global__ void k{number}(unsigned char *out, const unsigned *data, unsigned n) {{', f"__shared__ unsigned s[{WORDS}];",
                          "for (unsigned w = 0; w < n; w++) s[w] = data[w];",
                          "unsigned x = s[data[0] & 63], y = s[32 | data[1] & 31], z = data[2], i = data[3] & 31, j = i + (data[4] & 1), e = i + (data[5] & 3);"] + body +
                         [f"out[0] = {left}; }}"])


def launch(program, cubin, kernel, data, written, out):
    if os.path.exists(out):
        os.remove(out)
    ran = subprocess.run([program, "emulate", cubin, "--launch", f"{kernel}<<<1, 1>>>(unsigned char[1] -> {out}, unsigned[{WORDS}] = @{data}, {written})"],
                         capture_output=True, text=True, errors="replace", check=False, timeout=60)
    if "nvdisasm not found" in ran.stderr:
        sys.exit(77)
    return (open(out, "rb").read() if os.path.exists(out) else None), ran.stderr


def one(seed, program, nvcc, work):
    """(kernels, kernels that depend on it, findings without a difference, errors)"""
    rng = random.Random(seed)
    source, cubin, data, out = (os.path.join(work, name) for name in ("code.cu", "code.cubin", "data", "out"))
    open(source, "w").write("\n".join(Code(rng).kernel(k) for k in range(KERNELS)))
    arch, build = rng.choice(ARCHS), rng.choice(BUILDS)
    made = subprocess.run([nvcc, "-w", f"-arch={arch}", build, "-cubin", "-o", cubin, source], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return 0, 0, 0, [f"seed {seed}: not compiled: {made.stderr[:500]}"]
    depend = doubtful = 0
    wrong = []
    first = [rng.randrange(70) for _ in range(WORDS // 2)]
    for k in range(KERNELS):
        results = set()
        for _ in range(CONTENTS):
            scale = rng.choice((2, 70, 1 << 32))
            open(data, "wb").write(b"".join(v.to_bytes(4, "little") for v in first + [rng.randrange(scale) for _ in range(WORDS // 2)]))
            results.add(launch(program, cubin, f"k{k}", data, WORDS, out)[0])
        said = launch(program, cubin, f"k{k}", data, WORDS // 2, out)[1]
        is_found = re.search(r"^smemprobe: .*uninitialised", said, re.M) is not None
        depend += len(results) > 1
        doubtful += is_found and len(results) == 1
        if None in results or (len(results) > 1 and not is_found):
            wrong.append(f"seed {seed}, k{k}, {arch} {build}: " + ("no result: " + said[:300] if None in results else "depends on unwritten memory, and nothing is found"))
    if wrong and os.environ.get("SMP_UNWRITTEN_KEEP"):
        shutil.copy(source, os.path.join(os.environ["SMP_UNWRITTEN_KEEP"], f"unwritten-{seed}.cu"))
    return KERNELS, depend, doubtful, wrong


def main():
    program = os.path.abspath(sys.argv[1])
    seed, count, seconds = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 1), (3, 2), (4, 0)))
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc is None:
        print("skipped: no nvcc")
        return 77
    programs = kernels = depend = doubtful = failed = 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as work:
        while programs < count or time.monotonic() < end:
            ran, of_these, more, wrong = one(seed + programs, program, nvcc, work)
            programs, kernels, depend, doubtful, failed = programs + 1, kernels + ran, depend + of_these, doubtful + more, failed + len(wrong)
            for line in wrong:
                print(line, flush=True)
    print(f"{programs} programs, {kernels} kernels, {depend} depend on unwritten memory: {failed} wrong; {doubtful} found that no content changed")
    return 1 if failed or not depend else 0


sys.exit(main())
