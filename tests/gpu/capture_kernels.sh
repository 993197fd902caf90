#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# profile --capture on a GPU, then emulate of the kept launches: memory must end up as on the GPU, and every machine
# instruction must have the figures that the GPU's patches counted. Usage: capture_kernels.sh SMEMPROBE PROGRAM [ARGS...];
# SPACE=shared compares shared memory only; 77 without a GPU.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1
shift
scratch=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$scratch"' EXIT
"$program" profile --memory all --launches 1 --capture "$scratch/kept" -o "$scratch/counted.smprof" -- "$@" >"$scratch/out" 2>"$scratch/said"
status=$?
if [ $status -ne 0 ]; then
    cat "$scratch/said"
    exit $status
fi
grep -q 'kept in' "$scratch/said" || { cat "$scratch/said"; exit 1; }
"$program" emulate "$scratch/kept" -o "$scratch/emulated.smprof" 2>"$scratch/findings"
status=$?
grep -v 'shows them' "$scratch/findings"
"$here/../programs/agree" "$program" "$scratch/counted.smprof" "$scratch/emulated.smprof" ${SPACE:-} || status=1
exit $status
