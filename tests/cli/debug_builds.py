#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/cli/debug_builds.py PROGRAM [all | FILE...] [--arch sm_90]...: kernels of this repository, compiled with -G and with -Xptxas -O0, and run
by `emulate`: each must end without a finding, with the bytes that the optimised build of the same file leaves. Without a word, a few files
for one chip; `all`: every file of the table for six. 77 without nvcc or nvdisasm."""
import os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(HERE)
BUILDS = {"-G": ["-G"], "-O0": ["-Xptxas", "-O0"]}
ARCHS = ["sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"]
FEW = ["examples/programs/transpose.cu", "tests/data/sass/two.cu", "tests/pasted/pasted_functions.cu", "tests/data/sass/features.cu"]
WORDS = "unsigned[4096], unsigned[4096] = random:0:4294967295"

# File, launches; "heads": those in the file's comments; a pair: each kernel whose name matches, with these arguments.
FILES = [
    ("examples/programs/transpose.cu", ["transpose<<<dim3(2, 2), dim3(32, 8)>>>(float[4096], float[4096] = iota, 64, 64)"]),
    ("examples/programs/sgemm.cu", [f"{name}<<<dim3({at}), {threads}>>>(float[262144], float[262144] = iota, float[262144] = iota)"
                                    for name, at, threads in (("product_tiled", "1, 1", "dim3(32, 32)"), ("product_columns<0>", "1, 1", "dim3(32, 32)"),
                                                              ("product_wide", "1, 1", "256"))]),
    ("examples/sgemm_tile.cu", ["sgemm<<<1, 256>>>(float[16384], float[16384] = iota, float[16384] = iota, 128)"]),
    ("tests/data/sass/two.cu", ["transpose<<<dim3(2, 2), dim3(32, 8)>>>(float[4096], float[4096] = iota, 64, 64)",
                                "reduce<float><<<1, 256, 1024>>>(float[1], float[256] = iota, 256)"]),
    ("tests/data/sass/opcodes.cu", (r"KERNEL\((\w+)\) \{", "<<<1, 64>>>(" + WORDS + ")")),
    ("tests/data/sass/forms.cu", (r"KERNEL\((\w+)\) \{", "<<<1, 64>>>(" + WORDS + ")")),
    ("tests/data/sass/programs.cu", (r"KERNEL\((\w+)\) \{", "<<<1, 64>>>(" + WORDS + ")")),
    ("tests/data/sass/features.cu", [f"{name}<<<1, 128>>>({WORDS})" for name in
                                     ("filled", "arrivals", "handed_over", "called", "rounded", "wandering")]),
    ("tests/data/sass/sums.cu", (r"^KIND\((\w+)", None)),
    ("tests/data/sass/bits.cu", ["bits<<<1, 32>>>(unsigned[32], unsigned[32] = iota)"]),
    ("tests/data/sass/series.cu", ["many<<<3, 64>>>(unsigned[192])", "moves<<<4, 32>>>(unsigned[128])",
                                   "lanes<<<3, 64>>>(unsigned[192])"]),
    ("tests/runtime/kernels.cu", ["scale<<<1, 64>>>(float[64] = iota, 3, 64)", "polynomial<<<1, 64>>>(float[64] = iota, 64)",
                                  "reverse<<<1, 64, 256>>>(int[64] = iota, 64)", "indirect<<<1, 32>>>(int[32] = iota, 1)", "speak<<<1, 4>>>(3)",
                                  "hold<<<1, 1>>>(1)", "swap<<<1, 2>>>(int[4], int[8])", "largest<<<1, 32>>>(int[32] = iota, int[32] = iota)"]),
] + [(f"tests/pasted/{name}", "heads") for name in sorted(os.listdir(os.path.join(HERE, "pasted"))) if name.endswith(".cu")]


def run(*words, cwd=None):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", cwd=cwd)


def launches_of(path, wanted):
    source = open(os.path.join(ROOT, path)).read()
    if wanted == "heads":
        return re.findall(r"^// launch: (.*)$", source, re.M)
    if isinstance(wanted, tuple):
        return [name + wanted[1] for name in re.findall(wanted[0], source, re.M)] if wanted[1] else []
    return wanted


def results(program, cubin, launch, folder):
    """The contents of each array after the launch, and the messages; None if there is a finding."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    number = iter(range(100))
    launch = re.sub(r"(\b[a-z]+(?: char)?\[\d+\](?: = [^,)]+)?)", lambda m: f"{m[1]} -> {folder}/{next(number)}", launch)
    done = run(program, "emulate", cubin, "--launch", launch, "--format", "csv", cwd=os.path.join(HERE, "pasted"))
    if "nvdisasm not found" in done.stderr:
        sys.exit(77)
    said = [line for line in done.stderr.splitlines() if not re.search(r"confirmed|forms? of instruction|evidence", line)]
    if done.returncode != 0 or said and said[0].startswith("smemprobe:"):
        return None, done.stderr
    return [open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))], done.stderr


def main():
    words = sys.argv[1:]
    archs = [words[i + 1] for i in range(len(words) - 1) if words[i] == "--arch"]
    files = [word for i, word in enumerate(words[1:], 1) if word != "--arch" and words[i - 1] != "--arch" and word != "all"]
    is_all = "all" in words
    program, nvcc = os.path.abspath(words[0]), shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc is None:
        print("skipped: no nvcc")
        return 77
    rows = [row for row in FILES if is_all or row[0] in (files or FEW)]
    count = failed = 0
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out")
        os.mkdir(out)
        for path, wanted in rows:
            launches = launches_of(path, wanted)
            for arch in archs or (ARCHS if is_all else ["sm_90"]):
                common = [nvcc, "-std=c++17", f"-arch={arch}", "-fmad=false", "-cubin", os.path.join(ROOT, path), "-o"]
                plain = os.path.join(work, "plain.cubin")
                if run(*common, plain).returncode != 0:
                    print(f"{path}: not compiled for {arch}")
                    continue
                rights = [results(program, plain, launch, out)[0] for launch in launches]
                for build, flags in BUILDS.items():
                    cubin = os.path.join(work, "debug.cubin")
                    made = run(*common, cubin, *flags)
                    if made.returncode != 0:
                        print(f"{path} {build}: {made.stderr[:300]}")
                        failed += 1
                        continue
                    for launch, right in zip(launches, rights):
                        if right is None:
                            print(f"{path} {arch} {launch.split('<<<')[0]}: the optimised build has a finding")
                            continue
                        got, said = results(program, cubin, launch, out)
                        count += 1
                        if got != right:
                            failed += 1
                            print(f"{path} {arch} {build} {launch.split('<<<')[0]}: " + (said.strip()[:600] if got is None else "other results"))
    print(f"{count} launches of debug builds, {failed} wrong or refused")
    return 1 if failed or not count else 0


sys.exit(main())
