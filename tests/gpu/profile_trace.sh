#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# profile --trace on a GPU: batch of the trace equals the report of the same run, by operation and width, and nothing is
# missing. profile_trace.sh SMEMPROBE FOLDER_OF_PROGRAMS [CASE...]; 77 without a GPU.
set -uo pipefail
smemprobe=$(realpath "$1") folder=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

complain() {
    echo "$1: $2" >&2
    sed 's/^/    /' said >&2
    failed=1
}

# Prints operation, width: requests, wavefronts, ideal and sectors of both sides.
equal() {
    python3 - <<'END'
import csv, json, sys
from collections import Counter
FIGURES = ("requests", "wavefronts", "ideal", "sectors")
report, trace = Counter(), Counter()
for kernel in json.load(open("run.json"))["kernels"]:
    for one in kernel["instructions"]:
        if one["modelled"] and one["op"] and one["space"] != "local":
            for name in FIGURES:
                report[one["op"], one["width_bytes"], name] += one[name] or 0
for row in csv.DictReader(open("rows.csv")):
    for name, value in zip(FIGURES, (1, row["wavefronts_max"], row["ideal"], row["transactions"])):
        trace[row["op"], int(row["width_bytes"]), name] += int(value or 0)
different = [(key, report[key], trace[key]) for key in sorted(report | trace) if report[key] != trace[key]]
for key, one, other in different:
    print(*key, "the report", one, "the trace", other, file=sys.stderr)
requests = sum(count for key, count in report.items() if key[2] == "requests")
print(requests, "accesses,", len({key[:2] for key in report}), "operations and widths")
sys.exit(bool(different) or requests == 0)
END
}

# traced NAME MEMORY OPTIONS... -- COMMAND...
traced() {
    local name=$1 memory=$2 status
    shift 2
    timeout 100 "$smemprobe" profile --memory "$memory" --trace run.smptrace --force -o run.json "$@" >out 2>said
    status=$?
    if [ $status -eq 77 ]; then
        echo "skipped: $(tail -n 1 said)"
        exit 77
    fi
    [ $status -eq 0 ] || { complain "$name" "exit status $status"; return; }
    grep -q 'were not kept\|ended before\|there is no trace' said && complain "$name" "something is missing"
    "$smemprobe" batch run.smptrace --arch sm_90 --format csv >rows.csv 2>>said || complain "$name" "batch"
    equal >sums 2>>said || complain "$name" "the trace is another"
    echo "$name: $(cat sums); $(grep ' accesses in ' said)"
}

[ $# -gt 0 ] || set -- plain shared others cluster async threads graph contexts first cub
for what; do
    case $what in
    plain | async | threads | graph | contexts) traced "$what" shared -- "$folder/instrument_many" "$what" ;;
    shared) traced "$what" shared -- "$folder/instrument_kernels" shared ;;
    others | cluster) traced "$what" all -- "$folder/instrument_kernels" "$what" ;;
    first) traced "$what" shared --launches 2 --kernel walk -- "$folder/instrument_many" async ;;
    cub) traced "$what" all -- "$folder/cub_kernels" ;;
    esac
done
exit "$failed"
