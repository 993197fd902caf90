#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# examples/ci/pre-commit in its own repository: it refuses conflicts, accepts repairs, ignores old violations, and judges
# the staged file instead of the one in the folder. Usage: pre_commit_hook.sh PROGRAM [EXAMPLES]; 77 without git.
# tests/consumer runs it on the installed hook.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(realpath "${1:?usage: tests/cli/pre_commit_hook.sh PROGRAM [EXAMPLES]}")
examples=$(realpath "${2:-$root/examples}")
command -v git >/dev/null || { echo "skipped: no git" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/repository"
ln -s "$program" "$work/bin/smemprobe"
export PATH=$work/bin:$PATH HOME=$work GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
cd "$work/repository" || exit 1
failed=0
git init -q . && git config user.name t && git config user.email t@example.invalid
cp "$examples/ci/pre-commit" .git/hooks/pre-commit

# expect STATUS WHAT [PATTERN]: commits what is staged; a line of the output matches PATTERN.
expect() {
    git commit -qm "$2" >"$work/log" 2>&1
    local got=$?
    if [ "$got" -ne "$1" ] || ! grep -qE "${3-}" "$work/log" && [ -n "${3-}" ]; then
        echo "$2: exit status $got, not $1, or no line like: ${3-}"
        cat "$work/log"
        failed=1
    fi
}

tile() {
    printf 'shared float tile[32][%s]\nld tile[threadIdx.x][0]\nexpect ways <= 1\n' "$1"
}

echo text >a.txt && git add a.txt
expect 0 'nothing to judge'
tile 32 >'a tile.smp' && git add .
expect 1 'a conflict' '^(\./)?a tile\.smp:3:.*ways is 32'
tile 33 >'a tile.smp'
expect 1 'repaired in the folder only' 'ways is 32'
git add .
expect 0 'repaired'
tile 32 >old.smp && smemprobe check --baseline .smemprobe-baseline --update-baseline . >"$work/log" 2>&1
git add old.smp .smemprobe-baseline
expect 0 'an old debt'
tile 64 >new.smp && git add .
expect 1 'a new one beside it' 'new\.smp:3:'
kernel() {
    printf '%s\n' '#include "size.h"' "__global__ void columns(float *out) {" "    __shared__ float tile[32][$1];" \
        '    tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];' '    __syncthreads();' \
        '    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];' '}' \
        'void run(float *out) { columns<<<1, dim3(32, 32)>>>(out); }'
}
git rm -q --cached new.smp && mkdir src && echo '#define SIZE 32' >src/size.h && kernel 32 >src/k.cu && git add src
expect 1 'a kernel' '^(\./)?src/k\.cu:6:.*ways is 32'
kernel 33 >src/k.cu && git add src
expect 0 'a kernel that was repaired'
kernel 32 >src/k.cu && git add src && git config smemprobe.maxways 32
expect 0 'a kernel within a bound of its own'
echo 'not CUDA' >src/other.cu && git add src
expect 0 'what cannot be judged is named' 'src/other\.cu'
git config --unset smemprobe.maxways && echo '// again' | tee -a src/k.cu >>src/other.cu && git add src
expect 1 'a conflict beside what cannot be judged' 'k\.cu:6:.*ways is 32'
[ "$(git log --oneline | wc -l)" -eq 6 ] || { echo "not six commits"; failed=1; }

# The workflow's step that needs no compiler: it passes, and gives an annotation if a promise is broken.
step=$(sed -n '/id: check/,/- name/s/^          //p' "$examples/ci/bank-conflicts.yml")
cp -r "$examples" . && bash -e -c "$step" >"$work/log" 2>&1 || { cat "$work/log"; failed=1; }
sed -i 's/expect ways == 32/expect ways <= 2/' examples/transpose-32x32.smp
if bash -e -c "$step" >"$work/log" 2>&1 || ! grep -q '^::error file=examples/transpose-32x32.smp,line=' "$work/log"; then
    echo "the workflow lets a conflict pass: $step" && cat "$work/log" && failed=1
fi
exit $failed
