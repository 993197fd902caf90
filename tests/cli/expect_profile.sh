# SPDX-License-Identifier: MIT
# Sourced by tests of profile, which have set $program and stand in a folder with tmp, their TMPDIR.
# shellcheck shell=bash disable=SC2154

fail() {
    echo "$*"
    head -n 30 err out
    # shellcheck disable=SC2034
    failed=1
}

# expect STATUS PATTERN ARGUMENTS...: the exit status, a line on stderr that the pattern fits, and
# nothing left behind.
expect() {
    local status=$1 pattern=$2 got
    shift 2
    "$program" profile "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$status" ] || fail "profile $*: exit status $got, not $status"
    [ -z "$pattern" ] || grep -qE -- "$pattern" err || fail "profile $*: no line like: $pattern"
    [ -z "$(ls tmp)" ] || fail "profile $*: left $(ls -R tmp)"
    rm -rf tmp/*
}
