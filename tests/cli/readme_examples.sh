#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/cli/readme_examples.sh PROGRAM: runs the examples of README.md and model/COVERAGE.md and compares what they print. An example is a
# block that starts with ```console: each line `$ command` is followed by its output. A block after
# a line <!-- not run: why --> is shown to readers but not run. script/run stands for the program;
# the folder they run in has the tree's tests/data, examples and recorded profiles.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(realpath "${1:?usage: tests/cli/readme_examples.sh PROGRAM}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/folder"
ln -s "$program" "$work/bin/smemprobe"
mkdir -p "$work/folder/tests" "$work/folder/probes"
ln -s "$root/probes/recorded" "$work/folder/probes/recorded"
cp -r "$root/examples" "$work/folder/examples" # sources are shown from below the folder only
ln -s "$root/tests/data" "$work/folder/tests/data"
awk -v folder="$work" '
    /^<!-- not run/ { skip = 1 }
    /^```console$/ { inside = !skip; skip = 0; next }
    /^```$/ { inside = 0 }
    inside && /^\$ / {
        base = sprintf("%s/%03d", folder, ++n)
        print substr($0, 3) >(base ".cmd")
        printf "" >(base ".want")
        next
    }
    inside { print >(base ".want") }
' "$root/README.md" "$root/model/COVERAGE.md"
count=0 failed=0
for command in "$work"/*.cmd; do
    [ -e "$command" ] || break
    count=$((count + 1))
    sed -i -E 's@(^|[ (|])(script/run|build/smemprobe)@\1smemprobe@g' "$command"
    (cd "$work/folder" && env -i PATH="$work/bin:/usr/bin:/bin" HOME="$work" LC_ALL=C.UTF-8 TERM=dumb \
        CUDA_VISIBLE_DEVICES= ASAN_OPTIONS="${ASAN_OPTIONS-}" \
        bash "$command" >"$work/got" 2>&1 </dev/null) || true
    if ! diff -u --label "README.md: $(cat "$command")" --label now \
        "${command%.cmd}.want" "$work/got"; then
        failed=$((failed + 1))
    fi
done
# Links into the playground hold a layout: the program takes it, too.
while read -r link; do
    count=$((count + 1))
    printf '%b' "${link//%/\\x}" >"$work/link.smp"
    "$program" predict "$work/link.smp" >"$work/got" 2>&1 || { cat "$work/link.smp" "$work/got"; failed=$((failed + 1)); }
done < <(grep -o 'playground\.html#[^)]*' "$root/README.md" | sed 's/.*#//')
echo "$count examples, $failed differ"
[ $failed -eq 0 ] && [ $count -gt 0 ]
