#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# import: a trace by Accel-Sim's tracer, compared with batch for our rule, and with a few lines of Python for GPGPU-Sim's;
# and files that are truncated, changed, or of another kind. Usage: import_command.sh PROGRAM
set -uo pipefail
program=$(realpath "$1")
fixture=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/data/accelsim/kernel-1.traceg
. "$(dirname "${BASH_SOURCE[0]}")/../support/expect.sh"

# imports STATUS PATTERN WORD...: runs smemprobe import.
imports() { expect "$1" "$2" import "${@:3}"; }

# All three forms of addresses, generic ones by window, instructions without a rule; on sm_70, as the trace says.
imports 0 '^  _Z6mixturePf 0x0070 ATOMS.ADD: 1 of 1 requests, 1 cycles, here 32 wavefronts$' "$fixture"
imports 0 '50 cycles for 8 requests of shared memory, here 81 wavefronts; 1 requests differ' "$fixture"
imports 0 '^_Z6mixturePf 1 launch, <<<\(1,1,1\), \(64,1,1\)>>>' "$fixture"
"$program" import "$fixture" --format json 2>said | python3 -c '
import json, sys
want = {(0x10, "ld.shared"): (2, 33, None), (0x20, "ld.shared"): (1, 2, None), (0x30, "ld.shared"): (1, 8, None),
        (0x40, "st.shared"): (1, 1, None), (0x50, "st.shared"): (1, 3, None), (0x60, "st.shared"): (1, 2, None),
        (0x70, "atom.shared"): (1, 32, None), (0x80, "ld.global"): (1, None, 4), (0x90, "ld.shared"): (1, 1, None),
        (0x90, "ld.global"): (1, None, 1), (0xa0, "ld.global"): (1, None, None), (0xb0, None): (1, None, None)}
got = {}
for one in json.load(sys.stdin)["kernels"][0]["instructions"]:
    figures = (one["wavefronts"], one["sectors"]) if one["modelled"] else (None, None)
    got[one["offset"], one["op"]] = (one["requests"], *figures)
if got != want:
    sys.exit(f"{sorted(got.items(), key=str)}\nis not\n{sorted(want.items(), key=str)}")
' || failed=1
imports 0 '7,1[0-9]* |hopper|sm_90' --arch hopper --format json "$fixture"

# Random requests in raw .trace lines of every form, compared one by one by both rules.
python3 - <<'END'
import random
random.seed(19)
head = open(1, "w", closefd=False)
trace, batch = open("random.trace", "w"), open("random.txt", "w")
trace.write("-kernel name = _Z6randomPf\n-grid dim = (4,1,1)\n-block dim = (32,1,1)\n-binary version = 70\n"
            "-accelsim tracer version = 3\n\n")
cycles = {}
for i in range(4000):
    width = random.choice([1, 2, 4, 8, 16])
    mask = random.choice([0xFFFFFFFF, random.getrandbits(32) or 1])
    lanes = [l for l in range(32) if mask >> l & 1]
    stride = random.randrange(0, 40) * width
    offsets = {l: random.randrange(0, 512) * width for l in lanes}
    form = random.choice([0, 1, 2])
    neighbours = lanes == list(range(lanes[0], lanes[-1] + 1))
    if form == 1 and neighbours:
        offsets = {l: 4096 + k * stride for k, l in enumerate(lanes)}
        text = f"1 0x1000 {stride}"
    elif form == 2:
        order = [offsets[l] for l in lanes]
        text = f"2 {order[0]:#x} " + " ".join(str(b - a) for a, b in zip(order, order[1:]))
    else:
        text = "0 " + " ".join(f"0x{offsets[l]:016x}" for l in lanes)
    op, name = random.choice([("LDS", "ld.shared"), ("STS", "st.shared")])
    ending = {1: ".U8", 2: ".S16", 4: "", 8: ".64", 16: ".128"}[width]
    core = "17 3 " if i % 5 == 0 else ""
    pc = 16 * (width.bit_length() - 1) + (256 if op == "STS" else 0)
    trace.write(f"{i % 4} 0 0 0 {core}{pc:04x} {mask:08x} 0 {op}{ending} 1 R2 {width} {text} \n")
    batch.write(f"{name} {width} {mask:08x} " + " ".join(str(offsets.get(l, "-")) for l in range(32)) + "\n")
    banks = {}
    for l in lanes:
        word = offsets[l] // 4
        banks.setdefault(word % 32, set()).add(word)
    cycles[i] = max(map(len, banks.values()))
open("theirs", "w").write("\n".join(map(str, cycles.values())))
END
"$program" batch --arch sm_70 random.txt --format csv | awk -F, 'NR > 1 { print $6 }' >ours
paste ours theirs | awk '{ a += $1; b += $2; d += $1 != $2 } END { print b " cycles for " NR " requests of shared memory, here " a " wavefronts; " d " requests differ" }' >want
imports 0 "$(cat want)" random.trace
awk '{ exit !($1 > $4 || $10 > 0) }' want || complain "no difference to see: $(cat want)"
imports 0 "$(cat want)" - <random.trace

# The same as a binary trace: batch gives each access, whatever the order of the other options.
"$program" import --trace random.smptrace -o random.smprof random.trace >said 2>&1 || complain "--trace"
for each in random.txt random.smptrace; do
    "$program" batch --arch sm_70 "$each" --format csv | cut -d, -f2- >"$each.csv"
done
cmp random.txt.csv random.smptrace.csv || failed=1
has '^smemprobe: 4000 accesses in random.smptrace$'
imports 0 '11 accesses in mixture.smptrace; 2 are not in it: local memory' --trace mixture.smptrace "$fixture"
imports 2 'random.smptrace.*exists' --trace random.smptrace random.trace
imports 2 'name the same file' --trace x.smprof -o x.smprof random.trace
head -c 200 "$fixture" >none.trace
imports 3 'bad.trace: no such|bad.trace: .*No such' --trace bad.smptrace none.trace bad.trace
for size in 1 64; do # when the first block is written, and at the end
    (trap '' XFSZ && ulimit -f $size && "$program" import --trace full.smptrace random.trace random.trace >/dev/null 2>said)
    [ $? -eq 3 ] && has 'full.smptrace: .*not be written: File too large'
done
[ -z "$(compgen -G 'bad.smptrace*')$(compgen -G 'full.smptrace*')" ] || complain "half a trace stays: $(ls)"

# Truncated and changed files, a newer version, no file.
head -n 30 "$fixture" >cut.traceg
imports 3 'cut.traceg:30: the file ends inside a block' cut.traceg
imports 3 '8 requests|7 requests|requests of shared memory' cut.traceg
sed 's/ 0x0000000000000004 $//' "$fixture" >few.traceg
imports 3 'few.traceg:28: fewer addresses than active lanes' few.traceg
imports 3 ' for 7 requests of shared memory' few.traceg
sed '24s/ffffffff/fff/' "$fixture" >mask.traceg
imports 3 'mask.traceg:24: expected a PC and a mask of 8 digits' mask.traceg
sed 's/LDS.64 1 R3 8 1 /LDS.64 1 R3 8 7 /' "$fixture" >form.traceg
imports 3 'form.traceg:25: unknown form of addresses' form.traceg
sed '/^0020/d' "$fixture" >short.traceg
imports 3 'short.traceg:3[0-9]: a warp has fewer instructions than it says' short.traceg
sed 's/tracer version = 3/tracer version = 9/' "$fixture" >newer.traceg
imports 3 'newer.traceg: written by version 9 of Accel-Sim' newer.traceg
sed 's/binary version = 70/binary version = 33/' "$fixture" >other.traceg
imports 2 'compute capability 3.3, which has no rules here' other.traceg
imports 0 'here 81 wavefronts' --arch sm_70 other.traceg
imports 3 'not an Accel-Sim trace' "${fixture%/*/*}/README.md"
echo 'MEMTRACE: CTX 0x0000000000000001 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG.E - 0x0000000000000000' >nvbit.txt
imports 3 "nvbit.txt: NVBit's mem_trace does not print which lanes are active" nvbit.txt
imports 3 'No such file' none.traceg
imports 2 'import needs a trace'
imports 2 'arch all' --arch all "$fixture"
"$program" import -o saved.smprof "$fixture" 2>said
"$program" report saved.smprof >out 2>&1 && has 'a GPU under NVBit' out
finish "imported traces cost what batch says, $(cat want)"
