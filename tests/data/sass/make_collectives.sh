#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/data/sass/make_collectives.sh: compiles warps.cu and the output of random_collectives into a cubin per level of
# optimisation, for record_collectives.sh. Debug sections of -G, most of the file, are stripped. collectives.list gets the
# kernels and their numbers of threads.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
ptx=$(mktemp)
trap 'rm -f "$ptx"' EXIT

# make NAME LEVEL SOURCE [DEFINE...]
make() {
    local out=$1.90.$2.cubin level=$2 source=$3
    shift 3
    if [ "$level" = G ]; then
        nvcc -w -std=c++17 -G -ptx -arch=compute_90 "$@" "$source" -o "$ptx"
        sed -i -e 's/^\(\.target .*\), debug/\1/' -e '/^[[:space:]]*\.\(file\|loc\)[[:space:]]/d' "$ptx"
        ptxas -w -O0 -arch=sm_90 "$ptx" -o "$out"
    else
        nvcc -w -std=c++17 -Xptxas "-$level" -cubin -arch=sm_90 "$@" "$source" -o "$out"
    fi
}

for arch in 80 100 120; do
    nvcc -w -std=c++17 -cubin -arch=sm_$arch warps.cu -o warps.$arch.O3.cubin
done
work=$(mktemp -d)
trap 'rm -rf "$ptx" "$work"' EXIT
groups=$(../../random_collectives - 2026 8 --write "$work/collectives.cu")
plain=$(../../random_collectives - 2027 5 --plain --write "$work/collectives_plain.cu")
hand="ballot_by_lane:32 match_of_match:32 sum_of_match:32 two_places:32 barriers:128 special:128 environment:128 pairs:32:4"
: >collectives.list
for level in O3 O1 O0 G; do
    if [ $level = G ]; then
        make warps $level warps.cu -DPLAIN
        make collectives $level "$work/collectives_plain.cu"
        echo "warps.90.$level.cubin $hand" >>collectives.list
        echo "collectives.90.$level.cubin $plain" >>collectives.list
    else
        make warps $level warps.cu
        make collectives $level "$work/collectives.cu"
        echo "warps.90.$level.cubin tile_ballot:32 $hand" >>collectives.list
        echo "collectives.90.$level.cubin $groups" >>collectives.list
    fi
done
