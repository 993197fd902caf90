#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Options that mean the same for every target: tests/cli/option_targets.sh PROGRAM. Each cell of the table works, or is
# refused in one line that says why. Cells that need nvdisasm or nvcc are skipped without it.
set -uo pipefail
program=$1
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/support/tools.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

# cell STATUS PATTERN TARGET... OPTION...: the pattern must match the output; "one" before it: in a single line.
cell() {
    local status=$1 pattern=$2 got one=
    shift 2
    [ "$1" = one ] && one=1 && shift
    "$program" "$@" >out 2>&1
    got=$?
    grep -qE 'without nvcc|nvcc not found|needs nvcc' out && exit "$failed"
    if [ "$got" -ne "$status" ] || ! (tr '\n' '~' <out; echo) | grep -qE "$pattern" || { [ "$one" ] && [ "$(wc -l <out)" -ne 1 ]; }; then
        echo "smemprobe $*: exit status $got, not $status, or not this: $pattern"
        head -n 5 out
        failed=1
    fi
}

# Targets that run nothing: an access, a layout file.
printf 'shared float t[32][32]\nblock 32x8\nld t[threadIdx.x][threadIdx.y]\n' >a.smp
printf '* * ways <= 1\n' >rules
for target in '--stride=32' a.smp; do
    cell 1 'sm_90: 32-way, at most 2-way is allowed' "$target" --max-ways 2
    cell 0 '32-way bank conflict' "$target" --max-ways 32
    cell 1 'sm_90: [0-9]+ excess wavefronts, at most 3 are allowed' "$target" --max-excess 3
    cell 1 'sm_80: 32-way.*sm_90: 32-way' "$target" --max-ways 2 --arch sm_80,hopper -o a.json --force
    grep -q '"sm_80"' a.json && grep -q '"sm_90"' a.json || { echo "$target: -o a.json of two architectures"; failed=1; }
    cell 0 'Fermi.*Blackwell|2.0.*12.1' "$target" --arch all
    cell 0 '[0-9],' "$target" --format csv
    cell 2 '^smemprobe: --gate: its rules are for kernels' one "$target" --gate rules
    cell 2 '^smemprobe: --budget: predict runs nothing' one "$target" --budget 3
    cell 2 '^smemprobe: --memory: the access itself names' one "$target" --memory global
done
cell 3 'nothing was judged' --op ld.global --stride 1 --max-ways 2
cell 1 'a.smp:3: sm_20: ways is 32.*a.smp:3: sm_90: ways is 32' check a.smp --arch sm_20,sm_90 --max-ways 2
cell 2 '^smemprobe: --stack 0: no function could be called' one emulate a.cubin --stack 0
cell 2 'unknown; expected' one --stride 2 --arch sm_90,sm_91

# Machine code for one architecture, and its profile: an option means the same when profiling and when reporting.
needs_nvdisasm "$program" || exit 77
cp "$here/data/sass/two.cubin" .
launch='transpose<<<dim3(4,4), dim3(32,8)>>>(float[16384], float[16384] = iota, 128, 128)'
"$program" emulate two.cubin --launch "$launch" -o two.smprof >out 2>&1 || { cat out; failed=1; }
for target in "emulate two.cubin --launch" two.smprof; do
    words=($target)
    [ "${words[0]}" = emulate ] && words+=("$launch")
    cell 1 'error: .*32-way' "${words[@]}" --max-ways 2
    cell 0 '32-way' "${words[@]}" --max-ways 32
    cell 1 'error: .*excess' "${words[@]}" --max-excess 3
    cell 1 'rules:1' "${words[@]}" --gate rules
    cell 0 '1 kernel~  [0-9,]+ sectors' "${words[@]}" --memory global
    cell 0 '1 kernel; [0-9,]+ wavefronts, [0-9,]+ \(..? %\) of them excess~~' "${words[@]}" --memory shared
    cell 0 '"schema_version": 3' "${words[@]}" --format json
    cell 0 'arch' "${words[@]}" --format csv
    rm -f a.html
    cell 0 '' "${words[@]}" -o a.html
    grep -q '</html>' a.html || { echo "$target: -o a.html"; failed=1; }
done
cell 0 'two.cubin: this code is for sm_90 and runs as such; --arch sm_80 applies the rules of sm_80~.*sm_80, sm_90' \
    emulate two.cubin --launch "$launch" --arch sm_80,sm_90
cell 0 '^smemprobe: [^~]*~`sm_80, sm_90`: \*\*93 %.*on sm.* and 1 other \|' \
    emulate two.cubin --launch "$launch" --arch sm_80,sm_90 --format md
cell 0 'sm_80 to sm_121 ' emulate two.cubin --launch "$launch" --arch all
cell 0 '1 kernel; [0-9,]+ wavefronts' emulate two.cubin --launch "$launch" --budget 9
cell 2 '^smemprobe: --budget: report runs nothing' one two.smprof --budget 9
cell 0 '1 kernel; [0-9,]+ wavefronts' two.smprof --arch sm_80,sm_90
cell 3 'nothing matches --arch sm_80' two.smprof --arch sm_80
cell 2 '^smemprobe: --trace needs one architecture' one emulate two.cubin --launch "$launch" --arch all --trace a.smptrace

# Programs, whose code the command line does not know.
cp "$(type -P true)" ./program
refusal='^smemprobe: --arch all: a program has code for some architectures'
cell 2 "$refusal" one ./program --arch all
cell 2 "$refusal" one --arch all -- ./program
cell 2 '^smemprobe: --define: the program has its own values' one ./program --define n=3
cell 2 '^smemprobe: --launch: the program makes its own launches' one ./program --launch 'k<<<1, 1>>>()'
cell 2 '^smemprobe: --arch sm_70: machine code below 7.5 is not supported' one ./program --arch sm_70
[ "$failed" -eq 0 ] || exit 1

# Sources: all options, compiled for two architectures.
all=(--arch sm_80,sm_120 --max-ways 2 --max-excess 3 --gate rules --memory shared --budget 60 --stack 32768 -o a.json --force)
cat >kernel.cu <<'END'
__global__ void turn(float *p) {
    __shared__ float t[32][32];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[32 * threadIdx.y + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
__device__ __noinline__ int sum(int depth, const int *of) { // 200 frames of 64 bytes and more
    int own[16];
    for (int i = 0; i < 16; i++) own[i] = of[i] + depth;
    return depth == 0 ? own[of[0] & 15] : sum(depth - 1, own) + own[depth & 15];
}
__global__ void deep(int *p) { p[16 + threadIdx.x] = sum(200, p); }
END
{ cat kernel.cu; echo 'int main() { float *p; cudaMalloc(&p, 4096); cudaMemset(p, 0, 4096);
    turn<<<1, dim3(32, 32)>>>(p); deep<<<1, 32>>>((int *)p); return cudaDeviceSynchronize(); }'; } >main.cu
# The gate of a file runs the launch, and takes the sizes and flags, that the file alone would.
cat >sizes.cu <<'END'
__global__ void column(float *p, int n) { extern __shared__ float s[]; s[threadIdx.x * n] = p[0]; }
__global__ void row(float *p) { __shared__ volatile float s[32 * STEP]; s[threadIdx.x * STEP] = p[0]; }
END
for n in 2 4; do
    for line in 1 2; do
        cell 1 "~sizes.cu:$line: sm_90: ways is $n,[^~]*~1 file, [^~]* 2 expectations: 1 violated" \
            check --max-ways 1 sizes.cu --block 32 --define n=$((line == 1 ? n : 1)) -- -DSTEP=$((line == 1 ? 1 : n))
    done
    cell 1 "^sizes.cu:1: sm_90: ways is $n,[^~]*~1 file, [^~]* 1 expectation: 1 violated" \
        check --max-ways 1 sizes.cu --launch "column<<<1, 32, 512>>>(float[1], $n)" -- -DSTEP=1
done
cell 1 '^sizes.cu:1: sm_90: out of bounds: 4 bytes at byte 124 ' \
    check --max-ways 1 sizes.cu --launch 'column<<<1, 32, 124>>>(float[1], 1)' -- -DSTEP=1
cell 2 '^sizes.cu: sm_90: --define m: sizes.cu has no such name' check --max-ways 1 sizes.cu --define m=1 -- -DSTEP=1
cell 3 "no kernel 'colum'; did you mean 'column'" check --max-ways 1 sizes.cu --launch 'colum<<<1, 1>>>()' -- -DSTEP=1

files=(kernel.cu)
[ -n "${SMP_SANITIZED-}" ] || files+=(main.cu) # whose runtime no program of nvcc's takes
for file in "${files[@]}"; do
    cell 1 'error: .*32-way' "$file" "${all[@]}"
    for word in '"device": "sm_80"' '"device": "sm_120"' '"arch": "sm_80"' '"arch": "sm_120"' '"memory": "shared"' '"findings": \[\]'; do
        grep -q "$word" a.json || { echo "$file: no $word"; failed=1; }
    done
    grep -q '"space": "global"' a.json && { echo "$file: global memory under --memory shared"; failed=1; }
done
exit "$failed"
