#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program on the GPU and on the CPU: figures of shared memory, machine instruction by machine
# instruction. Usage: both_engines.sh SMEMPROBE PROGRAM [ARGS]; 77 without a GPU. The program is linked
# with the shared CUDA runtime.
set -uo pipefail
smemprobe=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$smemprobe" profile -o "$work/gpu.smprof" -- "$@" >"$work/out" 2>"$work/err"
status=$?
if [ $status -eq 77 ]; then
    echo "skipped: no GPU"
    exit 77
fi
if [ $status -ne 0 ]; then
    cat "$work/out" "$work/err"
    exit 1
fi
"$smemprobe" profile --no-gpu -o "$work/cpu.smprof" -- "$@" >"$work/out" 2>"$work/err" # findings: 1
[ -e "$work/cpu.smprof" ] || { cat "$work/err"; exit 1; }
"$here/../programs/agree" "$smemprobe" "$work/gpu.smprof" "$work/cpu.smprof" shared
