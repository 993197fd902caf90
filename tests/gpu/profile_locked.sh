#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# profile with locked counters: locked_counters.c makes the driver refuse what it then refuses. Commands that count say
# that it is not permitted; profile and profile --time ask for nothing that is refused, and give the same figures as
# without the lock. profile_locked.sh SMEMPROBE PROGRAM LOCKED_COUNTERS; 77: no GPU, or no counters to lock.
set -uo pipefail
smemprobe=$1 program=$2 lock=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SMP_LOCKED_LOG=$scratch/log
failed=0

complain() {
    echo "$*" >&2
    sed 's/^/    /' "$scratch/said" >&2
    failed=1
}

# locked COMMAND...: runs it with locked counters; $SMP_LOCKED_LOG lists what it asked for.
locked() {
    rm -f "$SMP_LOCKED_LOG"
    LD_PRELOAD=$lock timeout 60 "$@" >"$scratch/said" 2>&1
}

# Prints the figures of each instruction, without times.
figures() {
    cut -d, -f 1-17 "$1"
}

timeout 60 "$smemprobe" verify --count 50 --witness counters >"$scratch/said" 2>&1 || {
    echo "skipped: $(tail -n 1 "$scratch/said")"
    exit 77
}
locked "$smemprobe" verify --count 50 --witness counters
status=$?
[ $status -eq 4 ] || complain "verify with locked counters: exit status $status, not 4"
grep -q '^refused' "$SMP_LOCKED_LOG" || complain "nothing was refused"

"$smemprobe" profile --exact -o "$scratch/open.csv" -- "$program" plain >"$scratch/said" 2>&1 || complain "profile"
for how in '' --time; do
    locked "$smemprobe" profile --exact $how --force -o "$scratch/locked.csv" -- "$program" plain ||
        complain "profile $how with locked counters"
    [ ! -s "$SMP_LOCKED_LOG" ] || complain "profile $how asked for what is refused: $(sort "$SMP_LOCKED_LOG" | uniq -c)"
    cmp <(figures "$scratch/open.csv") <(figures "$scratch/locked.csv") || complain "profile $how: other figures"
done
[ $failed -eq 0 ] && echo "$(($(wc -l <"$scratch/open.csv") - 1)) instructions, the same figures; nothing was asked for"
exit "$failed"
