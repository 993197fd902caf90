# SPDX-License-Identifier: MIT
# Sourced by tests of the command line, which have set $program.
# shellcheck shell=bash disable=SC2154

# expect STATUS PATTERN WORD...: runs smemprobe, keeps what it says in `out`, and sets `failed` where that is not so.
expect() {
    local status=$1 pattern=$2 got
    shift 2
    "$program" "$@" >out 2>&1
    got=$?
    if [ "$got" -ne "$status" ] || ! grep -qE -- "$pattern" out; then
        echo "smemprobe $*: exit status $got, not $status, or no line like: $pattern"
        head -n 6 out
        # shellcheck disable=SC2034
        failed=1
    fi
}
