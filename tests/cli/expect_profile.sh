# SPDX-License-Identifier: MIT
# Sourced by tests of profile, which have set $program: in an empty folder with tmp, their TMPDIR.
# shellcheck shell=bash disable=SC2154
. "$(dirname "${BASH_SOURCE[0]}")/../support/expect.sh"
mkdir tmp
export TMPDIR=$work/tmp
unset CUDA_INJECTION64_PATH LD_PRELOAD

# profiles STATUS PATTERN WORD...: of smemprobe profile, which says it on stderr and leaves nothing behind.
profiles() {
    expect_of "$1" "" "$program" profile "${@:3}" </dev/null
    [ -z "$2" ] || grep -qE -- "$2" err || complain "profile ${*:3}: no line like: $2"
    [ -z "$(ls tmp)" ] || complain "profile ${*:3}: left $(ls -R tmp)"
    rm -rf tmp/*
}
