#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/tools/release_script.sh: script/release --dry-run, here and in a copy of the files that it reads: it says what it would
# do, finds what is missing, and changes no file. 77 if this is not a git clone.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
git -C "$root" rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "skipped: no git here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
copy=$work/tree
mkdir "$copy"
(cd "$root" && cp --parents -t "$copy" CMakeLists.txt model/smp_model.h packaging/conda/recipe.yaml CITATION.cff python/smemprobe/_library.py tests/consumer/CMakeLists.txt plots/gallery/README.md script/* tests/golden/version.out 2>/dev/null)
cd "$copy" || exit 1
printf '# Changelog\n\n## [Unreleased]\n\n- a change\n\n## [0.0.1] - 2000-01-01\n\n- all\n' >CHANGELOG.md
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
{ git init -q . && git add -A && git commit -qm all; } || exit 1

# expect STATUS PATTERN ARGUMENT...: the script exits with STATUS, prints PATTERN, and changes nothing.
expect() {
    local status=0
    script/release "${@:3}" >"$work/said" 2>&1 || status=$?
    if [ $status -ne "$1" ] || ! grep -qE -- "$2" "$work/said" || [ -n "$(git status --porcelain)" ]; then
        echo "release ${*:3}: exit status $status (expected $1), '$2' expected in"
        cat "$work/said"
        git status --short
        failed=1
    fi
}

old=$(sed -n 's/^project(smemprobe VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
expect 0 'would commit "release 99.0.0" and tag v99.0.0' --dry-run 99.0.0
expect 0 'would write tests/golden/version.out' --dry-run 99.0.0
expect 0 'would run   script/package' --dry-run 99.0.0
expect 0 'would write python/smemprobe/_library.py' --dry-run 99.0.0
expect 1 "is not above $old" --dry-run "$old"
expect 1 'is no version' --dry-run 1.2
expect 2 'script/release \[--dry-run.--write\] VERSION'
script/release --write 99.0.0 && grep -q '"99.0.0"' model/smp_model.h && grep -q '^smemprobe 99.0.0' tests/golden/version.out &&
    grep -q '^## \[99.0.0\] - 2' CHANGELOG.md && grep -q '^version: 99.0.0$' CITATION.cff && git checkout -q . || { echo "release: --write wrote something else"; failed=1; }
git tag v99.0.0
expect 1 'a tag v99.0.0 already' --dry-run 99.0.0
git tag -d v99.0.0 >/dev/null
echo x >>CMakeLists.txt
script/release 99.0.0 >"$work/said" 2>&1 && failed=1
grep -q 'changes that are not committed' "$work/said" || { cat "$work/said"; failed=1; }
git checkout -q CMakeLists.txt
sed -i '/^## \[Unreleased\]/,/^## \[[0-9]/{/^- /d}' CHANGELOG.md
git commit -qam "nothing new"
expect 1 'has nothing under \[Unreleased\]' --dry-run 99.0.0
sed -i "0,/^## \[Unreleased\]/s//&\n\n- a change/; s/SMP_VERSION/SMP_V/" CHANGELOG.md model/smp_model.h
git commit -qam "no version"
expect 1 'model/smp_model.h does not name' --dry-run 99.0.0
[ $failed -eq 0 ] && echo "release: 11 ways to begin one"
exit $failed
