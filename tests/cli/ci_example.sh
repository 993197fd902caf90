#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the steps of examples/ci/bank-conflicts.yml as a workflow would, and compares with what docs/guide/ci.md shows.
# Usage: ci_example PROGRAM; 77 without nvcc or nvdisasm.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(realpath "${1:?usage: tests/cli/ci_example.sh PROGRAM}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in "$root/.cuda/bin" /usr/local/cuda/bin "$root/.disassemblers/bin"; do
    PATH=$PATH:$folder
done
if ! command -v nvcc >"$work/log" || ! command -v nvdisasm >"$work/log"; then
    echo "skipped: no nvcc or no nvdisasm"
    exit 77
fi
mkdir "$work/bin"
ln -s "$program" "$work/bin/smemprobe"
ln -s "$root/examples" "$work/examples"
# An nvcc made of Python wheels does not search its own lib/.
NVCC_APPEND_FLAGS=-L$(dirname "$(dirname "$(realpath "$(command -v nvcc)")")")/lib
export PATH=$work/bin:$PATH NVCC_APPEND_FLAGS
cd "$work" || exit 1
failed=0

# step ID: prints the lines of that step's `run: |`.
step() {
    awk -v id="$1" '
        $1 == "id:" { ours = $2 == id; next }
        ours && /^        run: \|/ { inside = 1; next }
        inside && !/^          / { exit }
        inside { print substr($0, 11) }' "$root/examples/ci/bank-conflicts.yml"
}

step emulate >emulate.sh
bash -e emulate.sh >annotation 2>log
[ $? -eq 1 ] || { echo "emulate does not fail:"; cat annotation log; failed=1; }
shown=$(sed -n '/^::error file=examples/p' "$root/docs/guide/ci.md")
if [ -z "$shown" ] || ! diff <(echo "$shown") annotation; then
    echo "docs/guide/ci.md shows another annotation"
    failed=1
fi
# The gate on a folder: a finding is a violation, unless its launch was assumed.
mkdir found
for name in said open; do
    printf '%s\n' "__global__ void $name(float *x) {" '    __shared__ float s[64];' '    s[threadIdx.x] = x[threadIdx.x];' \
        '    __syncthreads();' '    x[threadIdx.x] = s[threadIdx.x + 16];' '}' >>found/k.cu
done
echo 'void run(float *x) { said<<<1, 32>>>(x); }' >>found/k.cu
smemprobe check --max-ways 1 --format gcc found >out 2>log
if [ $? -ne 1 ] || [ "$(wc -l <out)" -ne 1 ] || ! grep -q '^found/k.cu:5: error: .*uninitialised: .*expected no finding' out; then
    echo "check of a folder with a finding:" && cat out log && failed=1
fi
if [ -z "${SMP_SANITIZED-}" ]; then
    step profile >profile.sh
    bash -e profile.sh >out 2>log
    [ $? -eq 1 ] || { echo "profile does not fail:"; cat log; failed=1; }
    grep -q '^0 of 2097152 elements wrong' out && grep -q 'transpose.cu:24: error: 32-way' log &&
        grep -q 'transpose.cu' conflicts.html || { echo "profile:"; cat out log; failed=1; }
fi
exit "$failed"
