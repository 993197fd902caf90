#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the tests that compare the program with something else (a compiler, brute force, a judge of sentences) for longer:
# one process per core, new seeds until the time is over; failures are kept with their seeds.
#   tests/tools/long_run.sh BUILD [SECONDS [PROCESSES [FIRST-SEED]]]      default: 240 seconds, one process per core
#   tests/tools/long_run.sh --sum FOLDER...                               adds up the results of several runs
#   SMP_LONG='bodies fix_code=3'                             only these; the second gets three times as long
#   SMP_LONG_OUT=FOLDER                                      keeps the logs of failures
# Exit status: 0 no difference, 1 a difference, 2 usage.
set -u
[ $# -ge 2 ] && [ "$1" = --sum ] || { [ $# -ge 1 ] && [ -x "$1/smemprobe" ]; } || {
    sed -n '5,9s/^# *//p' "$0" >&2
    exit 2
}
export LC_ALL=C CK_VERBOSITY=normal

# name, cases per run, description; gate_signals comes first, because its runs are the longest
rows() {
    cat <<'ROWS'
gate_signals 1 rounds of every command stopped by every signal
bodies 150 bodies of kernels, each address against the compiler's
fix_code 300 layouts whose printed code is compiled and run
fix_cute 60 layouts of which CuTe's code is compiled against its headers
fix_random 150 layouts against brute force
fix_sentences 700 layouts of which each sentence of fix is judged
sentences 200000 accesses of which each sentence of why is judged
remarks 600000 kernels' counters of which each remark is judged
gate_random 120 files of accesses, and 400 slips
model_random 200000 accesses against the reference's counters
model_units 400000 cases of what goes through L1, 1,000 of each rule, against its words
random_kernels 8 kernels compiled by nvcc and emulated, against a plain simulation
ROWS
}

# run_one NAME SEED CASES
run_one() {
    case $1 in
    bodies) "$here/bodies/run" "$build/bodies" "$2" "$3" ;;
    fix_code) SMP_FIX_CODE=$3 SMP_FIX_CODE_SEED=$2 "$tests/test_fix_code" ;;
    fix_random) SMP_FIX_PROBLEMS=$3 SMP_TEST_SEED=$2 "$tests/test_fix_random" ;;
    fix_sentences) SMP_FIX_SENTENCES=$3 SMP_TEST_SEED=$2 "$tests/test_fix_sentences" ;;
    sentences) SMP_TEST_SENTENCES=$3 SMP_TEST_SEED=$2 "$tests/test_sentences" ;;
    remarks) SMP_TEST_REMARKS=$3 SMP_TEST_SEED=$2 "$tests/test_remarks" ;;
    fix_cute) SMP_FIX_CUTE=$3 SMP_FIX_CODE_SEED=$2 "$tests/test_fix_cute" ;;
    model_random) SMP_TEST_CASES=$3 SMP_TEST_SEED=$2 "$tests/test_model_random" ;;
    model_units) SMP_TEST_CASES=$3 SMP_TEST_SEED=$2 CK_DEFAULT_TIMEOUT=600 "$tests/test_model_units" ;;
    random_kernels) "$here/tools/random_kernels.py" "$build/smemprobe" "$2" "$3" ;;
    gate_random) "$tests/gate/gate_random" "$build/smemprobe" $(($3 / 12)) "$2" ;;
    gate_signals) "$tests/gate/gate_signals" "$build/smemprobe" "$tests/standin/smemprobe" "$3" "$2" ;;
    esac
}

# work NUMBER FROM TO: runs the rows whose share of the time lies between FROM and TO, each to its end.
work() {
    local name share cases what at=0 total begin end own=$((seed + $1 * 1000000)) log status
    total=$(chosen | awk '{sum += $2} END {print sum}')
    while read -r name share cases what; do
        begin=$((at * seconds * processes / total))
        at=$((at + share))
        end=$((at * seconds * processes / total))
        [ "$begin" -ge "$2" ] || begin=$2
        [ "$end" -le "$3" ] || end=$3
        while [ $((SECONDS + $2)) -lt "$end" ] && [ "$begin" -lt "$end" ]; do
            log=$out/$name-$own.log began=$(date +%s%N)
            run_one "$name" "$own" "$cases" >"$log" 2>&1 </dev/null
            status=$?
            echo "$name $own $status $cases $((($(date +%s%N) - began) / 1000000))" >>"$out/runs.$1"
            [ $status -ne 0 ] && [ $status -ne 77 ] || rm -f "$log"
            own=$((own + 1))
        done
    done < <(chosen)
}

# name, share of the time, the rest of the row
chosen() {
    local word name rest
    rows | while read -r name rest; do
        for word in ${SMP_LONG:-$name}; do
            case $word in
            "$name") echo "$name 1 $rest" ;;
            "$name="*) echo "$name ${word#*=} $rest" ;;
            esac
        done
    done
}

# sum FOLDER...
sum() {
    local name cases what
    rows | while read -r name cases what; do
        cat "${@/%//runs.all}" 2>/dev/null | awk -v name="$name" -v what="$what" '
            $1 == name && $3 == 77 { skipped++; next }
            $1 == name { cases += $4; ms += $5; bad += $3 != 0; runs++ }
            END { if (runs + skipped > 0)
                      printf "%-14s %10d %s; %.1f minutes of a core; %d of %d runs differ%s\n", name, cases,
                             what, ms / 60000, bad, runs, skipped ? ", " skipped " skipped" : "" }'
    done
}

if [ "$1" = --sum ]; then
    shift
    sum "$@"
    exit
fi
build=$(cd "$1" && pwd) seconds=${2:-240} processes=${3:-$(nproc)} seed=${4:-$(date +%s)}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${SMP_LONG_OUT:-$(mktemp -d)}
mkdir -p "$out"
tests=$build/tests
rm -f "$out"/runs.*
for ((i = 0; i < processes; i++)); do
    SECONDS=0
    work "$i" $((i * seconds)) $(((i + 1) * seconds)) &
done
wait
cat "$out"/runs.* >"$out/all" && rm -f "$out"/runs.* && mv "$out/all" "$out/runs.all"
bad=0
printf '%s processes, %s seconds, seeds from %s\n' "$processes" "$seconds" "$seed"
sum "$out"
for log in "$out"/*-*.log; do
    [ -e "$log" ] || continue
    bad=1
    echo "== $log"
    head -c 3000 "$log"
done
exit $bad
