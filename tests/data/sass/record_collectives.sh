#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/data/sass/record_collectives.sh OUT [SECONDS]: runs the kernels of collectives.list on this machine's GPU and
# writes collectives.bin (144 words per kernel, in the order of the list) and collectives.txt (GPU, date) into OUT.
# SECONDS: then compares random kernels with the meaning in the Programming Guide.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(realpath "${1:?usage: record_collectives.sh OUT [SECONDS]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O1 -w "$here/record_collectives.c" -ldl -o "$work/record"
{
    echo "# collectives.bin: by record_collectives.sh"
    nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader | head -1 | sed 's/^/# /'
    nvcc --version | sed -n 's/.*release/# cubins of CUDA 13.0; nvcc here: release/p'
    date -u '+# %Y-%m-%d'
} >"$out/collectives.txt"
: >"$out/collectives.bin"
while read -r cubin kernels; do
    # shellcheck disable=SC2086
    if timeout 60 "$work/record" "$here/$cubin" 144 $kernels >"$work/words" 2>"$work/said"; then
        cat "$work/words" >>"$out/collectives.bin"
        echo "$cubin $kernels" >>"$out/collectives.txt"
    else
        echo "# $cubin: $(tail -1 "$work/said"): not recorded" | tee -a "$out/collectives.txt"
    fi
done <"$here/collectives.list"
cat "$out/collectives.txt"
if [ "${2:-0}" -gt 0 ]; then
    "$here/../../random_collectives" - 1 15 "$2" --gpu --go-on --jobs "$(nproc)" | tee "$out/random_collectives.txt"
fi
