#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the steps of action.yml as a workflow would: a conflict gives a remark at its line and a failed step, quoted words
# stay together, and a file without conflicts passes. Usage: action.sh PROGRAM
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(realpath "${1:?usage: tests/cli/action.sh PROGRAM}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/action/build-action" "$work/a folder"
ln -s "$program" "$work/action/build-action/smemprobe"
cd "$work" || exit 1
failed=0

# step ID: prints the lines of that step's `run: |`.
step() {
    awk -v id="$1" '
        $2 == "id:" { ours = $3 == id; next }
        ours && /^      run: \|/ { inside = 1; next }
        inside && !/^        / { exit }
        inside { print substr($0, 9) }' "$root/action.yml"
}

# expect STATUS PATTERN ARGUMENTS
expect() {
    SMP_PROGRAM=$(sed -n 's/^program=//p' output) SMP_ARGUMENTS=$3 SMP_FORMAT=github bash -e ask.sh >said 2>&1
    local got=$?
    if [ "$got" -ne "$1" ] || { [ -n "$2" ] && ! grep -qE "$2" said; }; then
        echo "$3: exit status $got, not $1, or no line like: $2"
        cat said
        failed=1
    fi
}

printf 'shared float tile[32][32]\nld tile[threadIdx.x][0]\n' >'a folder/bad.smp'
printf 'shared float tile[32][33]\nld tile[threadIdx.x][0]\n' >good.smp
step build >build.sh
step ask >ask.sh
GITHUB_ACTION_PATH=$work/action GITHUB_OUTPUT=$work/output bash -e build.sh || failed=1
expect 1 '^::error file=a folder/bad.smp,line=2' "check --max-ways 1 'a folder/bad.smp'"
expect 1 '^::error .*bad.smp' 'check --max-ways 1 .'
expect 0 '' 'check --max-ways 1 good.smp'
exit "$failed"
