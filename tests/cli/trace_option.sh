#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# emulate --trace and profile --no-gpu --trace: batch of the trace equals the report, operation by operation. Usage:
# trace_option.sh PROGRAM FOLDER-OF-HOSTS; 77 without nvdisasm.
set -uo pipefail
program=$(realpath "$1")
hosts=$(realpath "$2")
data=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/data
. "$data/../support/tools.sh"
. "$data/../support/expect.sh"

# Prints operation, requests, wavefronts, ideal and sectors of run.json and run.smptrace.
equal() {
    python3 - >of_report <<'END'
import json
sums = {}
for kernel in json.load(open("run.json"))["kernels"]:
    for one in kernel["instructions"]:
        if one["op"] is None or one["space"] == "local":
            continue
        of = sums.setdefault(one["op"], [0, 0, 0, 0])
        for i, name in enumerate(("requests", "wavefronts", "ideal", "sectors")):
            of[i] += one[name] or 0
print(*sorted(f"{op} {of}" for op, of in sums.items()), sep="\n")
END
    "$program" batch run.smptrace --format csv >rows.csv || complain "batch: $?"
    python3 - >of_trace <<'END'
import csv
sums = {}
for row in csv.DictReader(open("rows.csv")):
    of = sums.setdefault(row["op"], [0, 0, 0, 0])
    of[0] += 1
    for i, name in enumerate(("wavefronts_max", "ideal", "transactions")):
        of[i + 1] += int(row[name] or 0)
print(*sorted(f"{op} {of}" for op, of in sums.items()), sep="\n")
END
    if ! diff of_report of_trace >difference; then
        complain "$1: the report (<) and the trace (>) differ:"
        cat difference
    fi
    [ -s of_trace ] || complain "$1: no accesses"
}

emulate() {
    local file=$1 launch=$2
    expect_of "${4-0}" "$3" "$program" emulate "$data/$file" --launch "$launch" -o run.json --trace run.smptrace --force
    equal "$launch"
}

needs_nvdisasm "$program"
"$program" profile --no-gpu -- "$hosts/host_transpose_13" "$data/programs/transpose.fatbin" small >said 2>&1
skip_if_lacking said

words='unsigned[4096], unsigned[4096] = random:0:4294967295:7'
emulate programs/transpose.cubin 'transpose<<<dim3(4,4), dim3(32,8)>>>(float[16384], float[16384] = iota, 128, 128)' \
    '^smemprobe: 2048 accesses in run.smptrace$'
emulate programs/sgemm.cubin 'product_wide<<<dim3(1,1), 256>>>(float[262144], float[262144], float[262144])' ' accesses in '
emulate sass/two.cubin 'reduce<float><<<4, 128, 512>>>(float[4], float[512] = iota, 512)' ' accesses in '
emulate sass/features.90.cubin "wandering<<<1, 128>>>($words)" ' are not in it: local memory'
emulate sass/features.90.cubin "handed_over<<<1, 128>>>($words)" ' accesses in '

# A whole program; its launches are kept and run again.
host=("$program" profile --no-gpu -o run.json --force)
transpose=(-- "$hosts/host_transpose_13" "$data/programs/transpose.fatbin" small)
expect_of 0 '^smemprobe: 16384 accesses in run.smptrace$' "${host[@]}" --trace run.smptrace --capture kept "${transpose[@]}"
equal profile
mv of_trace first
expect_of 0 '^smemprobe: 16384 accesses in run.smptrace$' \
    "$program" emulate kept -o run.json --trace run.smptrace --force
equal kept
cmp -s first of_trace || complain "kept launches have other accesses"
expect_of 0 '^smemprobe: 0 accesses in run.smptrace$' "${host[@]}" --trace run.smptrace --launches 0 "${transpose[@]}"
expect_of 3 '^smemprobe: 0 accesses in run.smptrace$' "${host[@]}" --trace run.smptrace --kernel other "${transpose[@]}"
expect_of 0 'in run.7.smptrace' env RANK=7 "${host[@]}" --trace 'run.%q{RANK}.smptrace' "${transpose[@]}"
expect_of 137 'the program ended before its trace; after access 16384 ' \
    "${host[@]}" --trace run.smptrace -- "$hosts/host_transpose_13" "$data/programs/transpose.fatbin" kill

# Errors before anything runs; a full disk leaves no file.
one=("$program" emulate "$data/sass/two.cubin" --launch 'reduce<<<1,32,128>>>(float[1], float[32], 32)')
expect_of 2 'run.smptrace.*exist' "${one[@]}" --trace run.smptrace
expect_of 2 '--trace and -o name the same file' "${one[@]}" --trace x.json -o x.json
expect_of 2 '--trace needs one architecture: name it' "${one[@]}" --trace x.smptrace --arch all
expect_of 2 'so %p does not work' "${host[@]}" --trace 'x.%p.smptrace' "${transpose[@]}"
expect_of 3 'large' bash -c "trap '' XFSZ; ulimit -f 8; exec \"\$@\"" bash "$program" emulate "$data/programs/sgemm.cubin" \
    --launch 'product_wide<<<dim3(1,1), 256>>>(float[262144] = random:-1:1, float[262144], float[262144])' --trace full.smptrace
[ -z "$(find . -name '*full*' -o -name 'x.*')" ] || complain "left behind: $(find . -name '*full*' -o -name 'x.*')"
finish "traces hold what reports say"
