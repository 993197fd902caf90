#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Messages, and their order, if none of NVIDIA's tools can be found: tests/cli/no_toolkit.sh PROGRAM FOLDER-OF-HOSTS.
# 77 if no mount namespace is allowed.
set -uo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(realpath "$1") hosts=$(realpath "$2")
. "$tests/support/expect.sh"

# last STATUS PATTERN COMMAND...: the exit status, and a last line that says what is missing and what to do.
last() {
    local status=$1 pattern=$2 got
    shift 2
    "$tests/support/without_toolkit" env SMEMPROBE_CACHE=off "$@" >said 2>&1
    got=$?
    if [ $got -eq 77 ]; then
        cat said
        exit 77
    fi
    if [ $got -ne "$status" ] || ! tail -n 1 said | grep -qE -- "$pattern"; then
        complain "$*: exit status $got, expected $status, or the last line is not like: $pattern"
    fi
}

missing='(nvdisasm|cuobjdump) not found: .*script/bootstrap --disassemblers$'
host=$hosts/host_transpose_13 code=$tests/data/programs/transpose
last 3 "$missing" "$program" emulate "$tests/data/sass/two.cubin" --launch 'reduce<<<1,32,128>>>(float[1], float[32], 32)'
last 1 "$missing" "$program" profile --no-gpu -- "$host" "$code.cubin" small
last 1 "$missing" "$program" profile --no-gpu -- "$host" "$code.fatbin" small
has 'no launch of a kernel was counted:$'
last 0 'no kernel was launched through' "$program" profile --no-gpu -- true
last 0 '2 gaps' env SMP_SYSTEM_ROOT=/nowhere "$program" doctor
has '- emulate, judge: needs nvdisasm'
# A partial toolkit: a compiler, and nothing that reads its code.
mkdir parts && printf '#!/bin/sh\nexit 1\n' >parts/nvcc && chmod +x parts/nvcc
echo '__global__ void k(float *p) { p[threadIdx.x] = 1; }' >k.cu
last 3 "$missing" env PATH="$work/parts:$PATH" "$program" fix --races k.cu

# A source without options: its launches, by the source model. Kernels that are not understood are named, others answered.
cat >two.cu <<'END'
template <typename T> __global__ void column(T *out, int n) {
    __shared__ T s[32][32];
    for (int i = 0; i < n; i++) s[threadIdx.x][i] = i;
    out[threadIdx.x] = s[threadIdx.x][0];
}
__global__ void odd() { asm volatile("bar.sync 0;"); }
void f(float *p, int n) { column<float><<<1, 32>>>(p, n); odd<<<1, 1>>>(); }
END
last 3 '' "$program" two.cu --define n=8
for line in '^smemprobe: two.cu:6:25: odd is skipped: inline PTX' '^smemprobe: nvcc can read the skipped kernels \(1 of 2' '^column<float> 1 launch'; do
    has "$line"
done
last 0 '' "$program" two.cu --define n=8 --kernel '^column'
last 3 'matches --kernel' "$program" two.cu --define n=8 --kernel '^none'
# A line that is too long ends after a whole character, wherever that is.
for blanks in '' ' '; do
    printf '__global__ void k() { asm volatile("bar.sync 0;"); }%s // äöüäöüäöüäöü\n' "$blanks" >wide.cu
    last 3 '' "$program" wide.cu
    lacks '\\x'
done
sed -i '/odd/d' two.cu
# Options of those who run it: a limit is not needed, the others need nvcc.
last 0 '' "$program" two.cu --define n=8 --budget 20
has '^smemprobe: the program is not run, so --budget limits nothing$'
last 2 '^smemprobe: --races: needs nvcc: ' "$program" two.cu --define n=8 --races
last 1 '32-way' "$program" two.cu --define n=8 --max-ways 2
for pattern in '^smemprobe: nvcc not found, .*script/bootstrap --cuda' '^  from the source; the compiler may join accesses: sm_90' \
    '^   32-way' '^  advice  '; do
    has "$pattern"
done
# Textures are named: what they read is not counted.
echo '__global__ void k(cudaTextureObject_t t, float *p) { p[threadIdx.x] = tex1D<float>(t, threadIdx.x); }' >texture.cu
last 0 'what it accesses in tex1D\(\) is not counted' "$program" texture.cu --block 32
# Conditions know the architecture.
printf '#if __CUDA_ARCH__ >= 800\n#define WIDE 33\n#else\n#define WIDE 32\n#endif\n' >arch.cu
echo '__global__ void k(float *p) { __shared__ float s[32][WIDE]; s[threadIdx.x][0] = p[threadIdx.x]; }' >>arch.cu
last 0 '' "$program" arch.cu --block 32 --arch sm_90
lacks '32-way'
last 0 '' "$program" arch.cu --block 32 --arch sm_75
has '32-way'
last 0 '' "$program" arch.cu --block 32 --arch sm_75 -- -D__CUDA_ARCH__=800
lacks '32-way'
# Headers of one's own: kernels that the file names, types and constants. Lines are those of their file.
mkdir part && printf '#pragma once\ntypedef float real;\n#define ROWS 32\n' >part/types.h
cat >part/h.cuh <<'END'
#pragma once
#include "types.h"
void __global__ inner(real *p) {
    __shared__ real s[ROWS][ROWS];
    s[threadIdx.x][0] = p[0] + weights[threadIdx.x];
}
__global__ void odd() { asm volatile("bar.sync 0;"); }
__global__ void unused() { asm volatile("bar.sync 0;"); }
END
printf '#include "types.h"\n__constant__ real weights[ROWS];\n#include "h.cuh"\nvoid f(float *p) { inner<<<1, ROWS>>>(p); odd<<<1, 1>>>(); }\n' >part/main.cu
last 3 '' "$program" part/main.cu
has '^smemprobe: nvcc can read the skipped kernels \(1 of 2'
has '^smemprobe: part/h.cuh:7:25: odd is skipped: inline PTX'
has '^1. .*h.cuh:5 in inner$'
has '^  not counted: 1 instruction, such as ld.const '
has '^   32-way'
# What decides addresses is drawn where only memory has it, which is said.
cat >drawn.cu <<'END'
__global__ void h(const unsigned char *d, const int *e, int *bins) {
    __shared__ int s[256];
    atomicAdd(&s[d[threadIdx.x]], e[threadIdx.x]);
    bins[threadIdx.x] = s[threadIdx.x];
}
__global__ void plain(const int *e, int *bins) { bins[threadIdx.x] = e[threadIdx.x]; }
END
last 0 '' "$program" drawn.cu --block 256
has '^smemprobe: h: addresses depend on numbers in memory, random ones here: d = random:0:255, e = random:0:1023, bins = '
lacks 'plain: addresses'
# Where the headers are not understood, the file alone may be.
printf '#pragma once\n#if 1 +\n#endif\n' >part/types.h
printf '#include "types.h"\n__global__ void k(float *p) { p[threadIdx.x] = 1; }\n' >part/alone.cu
last 0 '' "$program" part/alone.cu --block 32
has "^smemprobe: part/types.h:2:[0-9]+: k is read without the file's headers: .*, in: #if 1 \+$"
echo 'typedef float real;' >part/types.h
printf '#include "types.h"\n#include "types.h"\n__global__ void k(float *p) { p[threadIdx.x] = 1; }\n' >part/twice.cu
last 0 '' "$program" part/twice.cu --block 32
has '^smemprobe: part/twice.cu: its headers are not read: one is included twice'
# Assumed sizes are small enough to wait for.
echo '__global__ void k(float *p, float *q, int n) { for (int a = 0; a < n; a++) for (int b = 0; b < n; b++) p[a] += q[b]; }
void f(float *p, int n) { k<<<1, 32>>>(p, p, n); }' >long.cu
last 0 '' "$program" long.cu
has '^smemprobe: assumed for k: n = 128; say --define n=128'
last 3 'nothing to check' "$program" check --max-ways 32 long.cu
has '^smemprobe: assumed for k: n = 128; say --define n=128'
last 3 'nothing to check' "$program" check --max-ways 32 long.cu --define n=64
grep -q 'assumed' said && complain "check --define changes nothing"
last 3 '0 violated, 1 in error' "$program" check --max-ways 32 long.cu --launch 'k<<<1, 32>>>(float[64], float[64], 64)'
has '^long.cu: sm_90: --launch needs nvcc, nvdisasm and sm_75 or later'
# If even the smallest is not understood, that is said, not that the largest takes too long.
sed -i '1s/ }$/ if (q[0] > 0) p[0] = f(); }/' long.cu
last 3 '' "$program" long.cu
has "k is skipped: whether a thread reaches this depends on what is read from 'q'"
# Pointers into an array, as the launch passes them.
echo '__global__ void k(const float *from, float *to) { to[threadIdx.x] = from[threadIdx.x]; }
void f(float *p) { k<<<1, 32>>>(p + 50, &p[64]); }' >inside.cu
last 0 '' "$program" inside.cu
has '^  9 sectors, 1 .11 %. of them excess$'
# The printed assumptions, copied, give the same answer and leave nothing to assume.
for file in flat_matmul launch_bounds stencil3d; do
    cp "$tests/front/$file.cu" .
    last 0 '' "$program" $file.cu --format csv
    read -ra copied < <(sed -n 's/^smemprobe: assumed for .*; say //p' said)
    grep -v '^smemprobe: ' said >before
    last 0 '' "$program" $file.cu --format csv "${copied[@]}"
    grep -q assumed said && complain "$file.cu ${copied[*]}: something is still assumed"
    { [ ${#copied[@]} -gt 0 ] && grep -v '^smemprobe: ' said | cmp - before; } || complain "$file.cu: another answer"
    last 0 '' "$program" $file.cu --format csv "${copied[@]//=1024/=64}"
    grep -v '^smemprobe: ' said | cmp -s - before && complain "$file.cu: ${copied[*]} changes nothing"
done
last 2 'a patch needs nvcc and one .cu file' "$program" fix "$tests/repair/fix_clean.cu" -o clean.patch
last 2 'a patch needs nvcc and one .cu file' "$program" fix "$tests/repair/fix_clean.cu" --apply
last 0 'ld.shared part' "$program" fix "$tests/repair/fix_clean.cu"
has 'this is advice from the source'
echo '__global__ void c(float *x) { __shared__ float s[32][32]; s[threadIdx.x][0] = 1; x[threadIdx.x] = s[0][threadIdx.x]; }' >c.cu
last 1 '1 violated' "$program" check --max-ways 2 c.cu
has '^smemprobe: c.cu: judged from the source; the compiler may join accesses$'
finish "what is missing stands last"
