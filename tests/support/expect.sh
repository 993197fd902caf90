# SPDX-License-Identifier: MIT
# expect.sh: for tests in bash, which set `program` and end with `finish`. Moves into an empty folder, $work,
# which is removed at the end.
# shellcheck shell=bash disable=SC2034,SC2154
failed=0
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# complain WORD...: says what is wrong, and the first lines of what the last command printed.
complain() {
    echo "$*"
    [ ! -e said ] || sed 's/^/    /;20q' said
    failed=1
}

# expect_of STATUS PATTERN COMMAND...: runs it; what it prints is in out and err, both in said. It must exit with STATUS
# (then in $got) and print a line that PATTERN (of grep -E) fits; "": any.
expect_of() {
    local status=$1 pattern=$2
    shift 2
    "$@" >out 2>err
    got=$?
    cat out err >said
    if [ "$got" -ne "$status" ] || { [ "$pattern" ] && ! grep -qE -- "$pattern" said; }; then
        complain "$*: exit status $got, expected $status, or no line like: $pattern"
    fi
}

# expect STATUS PATTERN WORD...: the same of smemprobe.
expect() { expect_of "$1" "$2" "$program" "${@:3}"; }

# has PATTERN [FILE]: complains unless a line of what was printed, or of FILE, fits; lacks: unless none does.
has() { grep -qE -- "$1" "${2-said}" || complain "${2-it}: no line like: $1"; }
lacks() { ! grep -qE -- "$1" "${2-said}" || complain "${2-it}: a line like: $1"; }

# finish [WORD...]: ends the test, and says so where nothing is wrong.
finish() {
    [ "$failed" -ne 0 ] || [ $# -eq 0 ] || echo "$*"
    exit "$failed"
}
