#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Profiles programs that launch kernels in different ways, and compares the sums with what the programs expect:
# profile_programs.sh SMEMPROBE FOLDER_OF_PROGRAMS [PROGRAM...]; 77 if nothing could be run.
set -uo pipefail
smemprobe=$1 folder=$2 here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ran=0 failed=0

# Prints launches, requests and wavefronts of the kernel `walk` in shared memory.
sums_of() {
    awk -F, 'NR > 1 && $1 == "\"walk\"" && $7 == "shared" { requests += $10; wavefronts += $11 }
             END { print requests + 0, wavefronts + 0 }' "$1"
}

expected_by() {
    awk '$1 == "expect" { requests += $3; wavefronts += $4 } END { print requests + 0, wavefronts + 0 }' "$1"
}

complain() {
    echo "$1: $2" >&2
    sed 's/^/    /' "$scratch/said" >&2
    failed=$((failed + 1))
}

# try NAME OPTIONS... -- COMMAND...: the program's output goes to $scratch/out, smemprobe's to $scratch/said.
try() {
    local name=$1 status
    shift
    rm -f "$scratch/run.csv"
    timeout 120 "$smemprobe" profile --exact -o "$scratch/run.csv" "$@" >"$scratch/out" 2>"$scratch/said"
    status=$?
    if [ $status -eq 77 ]; then
        echo "$name: skipped"
        return 1
    fi
    ran=$((ran + 1))
    [ $status -eq 0 ] || complain "$name" "exit status $status"
    return $status
}

exact() {
    local name=$1
    shift
    try "$name" -- "$@" || return
    local seen expected
    grep -q 'could not be read' "$scratch/said" && complain "$name" "something was not read"
    seen=$(sums_of "$scratch/run.csv") expected=$(expected_by "$scratch/out")
    if [ "$seen" = "$expected" ]; then
        echo "$name: $seen"
    else
        complain "$name" "requests and wavefronts $seen, expected $expected"
    fi
}

# Code compiled by a framework: some kernel has accesses to shared memory.
some_kernel() {
    local name=$1
    shift
    try "$name" -- "$@" || return
    if awk -F, 'NR > 1 && $7 == "shared" && $10 > 0 { found = 1 } END { exit !found }' "$scratch/run.csv"; then
        echo "$name: $(awk -F, 'NR > 1 { print $1 }' "$scratch/run.csv" | sort -u | wc -l) kernels"
    else
        complain "$name" "no access of shared memory was seen"
    fi
}

# Only the first launches are observed, and all of these.
first_launches() {
    try "$1 of the launches" --launches "$1" -- "$folder/instrument_many" async || return
    local seen expected
    seen=$(sums_of "$scratch/run.csv")
    expected=$(awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) sum += 512 * 2 ^ (i % 6); print n * 512, sum }')
    [ "$seen" = "$expected" ] && echo "$1 of the launches: $seen" ||
        complain "$1 of the launches" "requests and wavefronts $seen, expected $expected"
}

watchdog() {
    SMP_INSTRUMENT_WATCHDOG=1 try "a kernel that hangs" -- "$folder/instrument_many" hang 4 || return
    grep -q 'launch of .*waits_for_ever' "$scratch/said" && echo "a kernel that hangs: named" ||
        complain "a kernel that hangs" "was not named"
    "$smemprobe" profile --exact -- "$folder/instrument_many" hang 1 >"$scratch/out" 2>"$scratch/said"
    grep -q 'waits in a loop for what others write' "$scratch/said" ||
        complain "a kernel that waits" "is not said to"
}

# Threads that never synchronise: after the first launch the code runs at its own speed.
left_alone() {
    local all one
    try "all of busy" -- "$folder/instrument_many" busy || return
    all=$(awk '$1 == "busy" { print $2 }' "$scratch/out")
    try "busy, its first launch" --launches 1 -- "$folder/instrument_many" busy || return
    one=$(awk '$1 == "busy" { print $2 }' "$scratch/out")
    echo "busy: $one s with its first launch, $all s with all"
    awk -v one="$one" -v all="$all" 'BEGIN { exit !(one > 0 && one < all / 4) }' ||
        complain busy "its first launch costs as much as all"
}

# Without --exact every launch is counted, observed or not, and the program stays within the overhead.
within_budget() {
    local way bare took all expected
    "$smemprobe" profile -- "$folder/instrument_many" plain >"$scratch/out" 2>&1
    if [ $? -eq 77 ]; then
        echo "within its time: skipped"
        return
    fi
    ran=$((ran + 1))
    for way in plain async threads graph cooperative nvrtc; do
        timeout 60 "$smemprobe" profile -- "$folder/instrument_many" "$way" >"$scratch/out" 2>"$scratch/said" ||
            complain "$way within its time" "exit status $?"
        expected=$(awk '$1 == "expect" { sum += $2 } END { print sum + 0 }' "$scratch/out")
        all=$(sed -n 's/,//g; s/^  [0-9]* of \([0-9]*\) launches seen.*/\1/p' "$scratch/said")
        [ -z "$all" ] || [ "$all" = "$expected" ] || complain "$way within its time" "$all launches, expected $expected"
    done
    bare=$("$folder/instrument_many" busy | awk '$1 == "busy" { print $2 }')
    took=$("$smemprobe" profile -- "$folder/instrument_many" busy 2>"$scratch/said" | awk '$1 == "busy" { print $2 }')
    echo "within its time: busy $took s, bare $bare s"
    awk -v took="$took" -v bare="$bare" 'BEGIN { exit !(took > 0 && took < 1.2 * bare + 0.25) }' ||
        complain "busy within its time" "$took s, bare $bare s"
}

# An unobserved kernel runs while another kernel of its module is to be patched.
again() {
    try again --launches 1 -- "$folder/instrument_many" again || return
    local seen expected
    seen=$(sums_of "$scratch/run.csv") expected=$(expected_by "$scratch/out")
    [ "$seen" = "$expected" ] && grep -q '^0 wrong' "$scratch/out" && echo "again: $seen" ||
        complain again "requests and wavefronts $seen, expected $expected"
}

[ $# -gt 0 ] || set -- plain async threads contexts devices graph conditional cooperative nvrtc children spawn \
    launches busy budget again hang cupy numba triton compile
for what; do
    case $what in
    launches) first_launches 1 && first_launches 8 ;;
    busy) left_alone ;;
    budget) within_budget ;;
    again) again ;;
    hang) watchdog ;;
    cupy) exact "$what" python3 "$here/instrument_python.py" "$what" ;;
    numba | triton | compile) some_kernel "$what" python3 "$here/instrument_python.py" "$what" ;;
    *) exact "$what" "$folder/instrument_many" "$what" ;;
    esac
done
[ $failed -eq 0 ] || exit 1
[ $ran -gt 0 ] || exit 77
