#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/cli/readme_examples.sh PROGRAM: runs the examples of README.md and docs/, and compares what they print. An example
# is a block that starts with ```console: each line `$ command` is followed by its output, in which "..." matches any
# lines. A comment before the block may say
#   <!-- needs nvcc -->      run only if nvcc is there, by a build without sanitizers
#   <!-- run by TEST -->     that test, a file of this tree, runs it
#   <!-- not run: why -->    it is not run
# `script/run` means the program; the working folder has the tree's tests/data, examples and recorded profiles.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(realpath "${1:?usage: tests/cli/readme_examples.sh PROGRAM}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/folder/tests" "$work/folder/probes"
ln -s "$program" "$work/bin/smemprobe"
ln -s "$root/probes/recorded" "$work/folder/probes/recorded"
cp -r "$root/examples" "$work/folder/examples" # sources are shown from below the folder only
cp -r "$root/tests/front" "$work/folder/tests/front"
ln -s "$root/tests/data" "$work/folder/tests/data"
nvcc=$(command -v nvcc || ls "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" 2>/dev/null || true)
[ -z "${SMP_SANITIZED-}" ] || nvcc=
mapfile -t documents < <(find "$root/README.md" "$root/docs" -name '*.md' | LC_ALL=C sort)
awk -v folder="$work" -v root="$root/" -v has_nvcc="${nvcc:+1}" '
    FNR == 1 { inside = skip = 0 }
    /^<!-- needs nvcc/ { skip = !has_nvcc }
    /^<!-- (not run|run by)/ { skip = 1 }
    /^<!-- run by/ && system("test -e " root $4) { print FILENAME ": no " $4 >(folder "/lost") }
    /^```console$/ { inside = !skip; skip = 0; next }
    /^```/ { inside = skip = 0 }
    inside && /^\$ / {
        base = sprintf("%s/%03d", folder, ++n)
        print substr($0, 3) >(base ".cmd")
        print substr(FILENAME, length(root) + 1) >(base ".from")
        printf "" >(base ".want")
        next
    }
    inside { print >(base ".want") }
' "${documents[@]}"
# same WANT GOT
same() {
    awk '
        FNR == NR { want[++wants] = $0; next }
        { got[++gots] = $0 }
        END {
            at = 1
            for (i = 1; i <= wants; i++) {
                if (want[i] == "...") {
                    if (i == wants)
                        exit 0
                    while (at <= gots && got[at] != want[i + 1])
                        at++
                } else if (at > gots || got[at++] != want[i]) {
                    exit 1
                }
            }
            exit at <= gots
        }' "$1" "$2"
}

count=0 failed=0
[ ! -s "$work/lost" ] || { cat "$work/lost" && failed=1; }
for command in "$work"/*.cmd; do
    [ -e "$command" ] || break
    count=$((count + 1))
    sed -i -E 's@(^|[ (|])(script/run|build/smemprobe)@\1smemprobe@g' "$command"
    (cd "$work/folder" && env -i PATH="$work/bin:${nvcc:+${nvcc%/*}:}/usr/bin:/bin" HOME="$work" LC_ALL=C.UTF-8 TERM=dumb \
        CUDA_VISIBLE_DEVICES= ASAN_OPTIONS="${ASAN_OPTIONS-}" \
        bash "$command" >"$work/got" 2>&1 </dev/null) || true
    if ! same "${command%.cmd}.want" "$work/got"; then
        diff -u --label "$(cat "${command%.cmd}.from"): $(cat "$command")" --label now "${command%.cmd}.want" "$work/got" || true
        failed=$((failed + 1))
    fi
done
echo "$count examples, $failed differ"
[ $failed -eq 0 ] && [ $count -gt 0 ]
