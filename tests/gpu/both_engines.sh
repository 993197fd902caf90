#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a program on the GPU and on the CPU, and compares the figures of shared memory, machine instruction by machine
# instruction, and batch's sums of the CPU's trace, by operation. Usage: both_engines.sh SMEMPROBE PROGRAM [ARGS]; 77
# without a GPU. The program must use the shared CUDA runtime.
set -uo pipefail
smemprobe=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$smemprobe" profile --exact -o "$work/gpu.smprof" -- "$@" >"$work/out" 2>"$work/err"
status=$?
if [ $status -eq 77 ]; then
    echo "skipped: no GPU"
    exit 77
fi
if [ $status -ne 0 ]; then
    cat "$work/out" "$work/err"
    exit 1
fi
"$smemprobe" profile --no-gpu --trace "$work/run.smptrace" -o "$work/cpu.smprof" -- "$@" \
    >"$work/out" 2>"$work/err" # findings: 1
[ -e "$work/cpu.smprof" ] && [ -e "$work/run.smptrace" ] || { cat "$work/err"; exit 1; }
"$here/../programs/agree" "$smemprobe" "$work/gpu.smprof" "$work/cpu.smprof" shared || exit

# Operation, requests, wavefronts.
"$smemprobe" report "$work/gpu.smprof" --format csv |
    awk -F, '$7 == "shared" && $17 == 1 { n[$8] += $10; waves[$8] += $11 }
             END { for (op in n) print op, n[op], waves[op] }' | sort >"$work/counted"
"$smemprobe" batch "$work/run.smptrace" --format csv |
    awk -F, '$2 !~ /cluster|global|cp[.]async|^op$/ { n[$2]++; waves[$2] += $5 }
             END { for (op in n) print op, n[op], waves[op] }' | sort >"$work/traced"
[ -s "$work/counted" ] && diff "$work/counted" "$work/traced" || {
    echo "the GPU (<) and the trace (>) differ"
    exit 1
}
sed 's/^/in the trace as on the GPU: /' "$work/traced"
