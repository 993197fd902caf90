#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Profiles and counts one kernel per operation: profile_operations.sh SMEMPROBE INSTRUMENT_KERNELS. Sums are equal, or
# above by arbitration; only float_add may differ, a loop whose iterations depend on other warps. 77: no GPU, no ncu, or
# locked counters.
set -uo pipefail
smemprobe=$1 kernels=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0 ran=0

complain() {
    echo "$*" >&2
    sed 's/^/    /' "$scratch/said" >&2
    failed=1
}

# hold MEMORY WHAT: profiles the kernels of one kind in one memory space.
hold() {
    local status equal differ known
    timeout 120 "$smemprobe" profile --memory "$1" --verify --worst 0 --lines 0 -- "$kernels" "$2" \
        >"$scratch/out" 2>"$scratch/said"
    status=$?
    if [ $status -eq 77 ] || grep -qE 'counters are locked|ncu not found' "$scratch/said"; then
        echo "$2, $1 memory: skipped: $(tail -n 1 "$scratch/said")"
        return
    fi
    ran=1
    read -r equal differ < <(awk '/ equal, .* differ, / { print $1, $7 }' "$scratch/said")
    if [ -z "${differ:-}" ]; then
        complain "$2, $1 memory: exit status $status, and nothing was compared"
        return
    fi
    [ "$equal" -gt 0 ] || complain "$2, $1 memory: nothing is equal"
    # The kernel's name is below its row; a row of float_add counts only if it differs.
    known=$(awk '/^    of / { if ($2 ~ /float_add/ && row ~ /  differs?/) n++ } { row = $0 } END { print n + 0 }' \
        "$scratch/said")
    [ "$differ" -le "$known" ] || complain "$2, $1 memory: $differ sums differ, $known of them of float_add"
    echo "$2, $1 memory: $equal equal, $differ differ, $known of them of float_add"
}

hold shared shared
hold all others
hold all cluster
hold global others
hold local others
[ $failed -eq 0 ] || exit 1
[ $ran -eq 1 ] || exit 77
