#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/cli/terminal_widths.py PROGRAM: no line of a text, a message or a chart takes more columns than the terminal has, in any command, at 40, 60, 78,
100 and 200; nothing of a message, a help page or a sentence is lost there. Formats for programs stay as they are, and what goes to no
terminal keeps whole lines (78 columns where lines are wrapped).

Quoted words of examples cannot be broken: not asked for. SMP_WIDTHS: of these widths alone."""
import os, re, shlex, subprocess, sys, tempfile, unicodedata
from concurrent.futures import ThreadPoolExecutor

program = os.path.abspath(sys.argv[1])
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
WIDTHS = tuple(map(int, os.environ.get("SMP_WIDTHS", "40,60,78,100,200").split(",")))
PADDED, SGEMM = (f"probes/recorded/programs/{name}.smprof" for name in ("transpose-padded", "sgemm"))

# These must not lose a letter.
WHOLE = """
-h
--help
help language
help launch
--strid 3
predict no/such/file
predict 'ld t[threadIdx.x][0]'
predict --shared 'float t[32][32]' 'ld t[threadIdx.x][32]'
predict 日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語.smp
predict examples/sgemm_tile.cu
check examples/transpose-32x33.smp examples/soa-aos.smp --arch all --max-ways 1
compare cluster
emulate
generate
import tests/data/accelsim
plot nothing
plot stride --format xml
profile
verify --count 3
"""
TABLES = f"""
--stride 33
--stride 32
--stride 2 --arch sm_35
--width 16 --stride 0
--op ld.global --stride 7
--op atom --stride 0
predict --shared 'float t[32][32]' 'ld t[threadIdx.x][0] + t[threadIdx.x][1] + t[threadIdx.x][2] + t[threadIdx.x][3] + t[3'
--stride 2 --arch all
--op ld.global --stride 7 --arch all
predict examples/transpose-32x33.smp
predict examples/gemm-ldmatrix-64.smp
predict examples/soa-aos.smp --arch all
predict examples/histogram-data.smp
fix examples/transpose-32x32.smp --explain
fix examples/gemm-ldmatrix-64.smp --arch all
fix examples/gemm-float4.smp
list archs
list ops
list kernels
list counters
list coverage
list plots
list formats
compare transpose
compare sumsq
explain-counters tests/data/ncu-details.csv
explain-counters tests/data/ncu-accesses.csv
report {SGEMM}
report {PADDED} --against {PADDED.replace("-padded", "")}
report {SGEMM} {PADDED}
annotate {SGEMM}
doctor
probe --stride 0:3
"""
# Messages of these on standard error; "emulate" only with a disassembler.
MESSAGES = """
batch WORK/wrong.txt
batch - -o WORK/no/such.csv
import tests/data/accelsim/kernel-1.traceg --format csv
import WORK/wrong.traceg
import tests/data/accelsim
report WORK/cut.smprof --format csv
report WORK/damaged.smprof --format csv
report SGEMM --max-ways 1 --format csv
report SGEMM --gate WORK/gate --format csv
report SGEMM -o WORK/kept.smprof --force
profile -- /bin/true
profile --no-gpu -- /bin/true
emulate /bin/ls --launch 'k<<<1,1>>>()'
emulate two.cubin --launch 'reduce<<<1, 256, 1024>>>(float[1], float[200], 256)' --format csv
emulate two.cubin --launch 'reduce<<<1,32,128>>>(float[1], float[32] = iota, 32)' --compare 1=@WORK/raw --format csv
emulate two.cubin --launch 'reduce<<<1,32,128>>>(float[1], float[32])'
"""
MACHINES = """
--stride 2 --arch all --format csv
--stride 33 --format json
list archs --format csv
check examples/transpose-32x33.smp --max-ways 1 --arch all --format github
generate bash
generate man
"""


def cut(name, change):
    with open(SGEMM, "rb") as whole, open(os.path.join(work, name), "wb") as part:
        part.write(bytes(change(bytearray(whole.read()))))


def damaged(content):
    content[len(content) // 2] ^= 1
    return content


def prepare():
    """Wrong files, for long messages."""
    cut("cut.smprof", lambda content: content[:-40])
    cut("damaged.smprof", damaged)
    files = {"wrong.txt": "ld.shared 4 ffffffff\nno such\n" * 15, "raw": "0000",
             "gate": "no_kernel_has_this_name ways <= 1\n",
             "wrong.traceg": "-kernel name = k\n" + "0 0 0 0 this is no line of a trace of Accel-Sim's tracer\n" * 30}
    for name, content in files.items():
        with open(os.path.join(work, name), "w", encoding="utf-8") as out:
            out.write(content)


def run(full, width):
    words = full
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "CUDA_VISIBLE_DEVICES")}
    env.update(LC_ALL="C.UTF-8", TERM="dumb", CUDA_VISIBLE_DEVICES="", **({"COLUMNS": str(width)} if width else {}))
    for name, path in {"WORK": work, "SGEMM": SGEMM, "two.cubin": "tests/data/sass/two.cubin"}.items():
        words = words.replace(name, path)
    ran = subprocess.run([program, *shlex.split(words)], capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)
    return ran.stderr if full in messages else ran.stdout + ran.stderr


def columns(line):
    plain = re.sub("\033\\[[0-9;]*[mK]", "", line)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in plain)


def too_long(text, most):
    return [line for line in text.split("\n") if columns(line) > most and not re.match("^      .*'", line)]


def letters(text):
    """Undoes the breaking of lines."""
    return re.sub(r"\s+|\\$", "", text, flags=re.MULTILINE)


def judge(words):
    faults, text = [], {width: run(words, width) for width in ((None, 40, 200) if words in machines else (None, *WIDTHS))}
    if words in machines:
        return [f"{words}: other bytes at a width" for width in text if text[width] != text[None]]
    if words in messages and len(text[None]) <= 40:
        faults.append(f"{words}: no message long enough to be broken: {text[None]}")
    for width in WIDTHS:
        for line in too_long(text[width], width)[:1]:
            faults.append(f"COLUMNS={width} {words}: a line is too long:\n{line}")
        if words in whole + messages and letters(text[width]) != letters(text[None]):
            faults.append(f"COLUMNS={width} {words}: other words than in a file")
    return faults


whole, tables, messages, machines = (text.strip().split("\n") for text in (WHOLE, TABLES, MESSAGES, MACHINES))
holder = tempfile.TemporaryDirectory()
work = holder.name
prepare()
whole += ["help " + name for name in re.findall(r"^  ([a-z-]+)(?: .*|)$", run("-h", None).split("examples:")[0], re.MULTILINE)]
# In blocks and colours, too.
colored = ["--stride 33 --color always", "--op atom --stride 0 --color always", f"report {SGEMM} --color always",
           "plot stride --color always", "plot heatmap --stride 0:4 --color always"]
every = whole + tables + messages + machines + colored
with ThreadPoolExecutor(2) as pool:
    faults = [fault for found in pool.map(judge, every) for fault in found]
print("\n".join(faults) or f"{len(every)} commands")
sys.exit(bool(faults))
