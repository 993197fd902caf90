#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# smemprobe FILE without options: one line says what is wrong and what to do. front_door.sh SMEMPROBE. 77: no nvcc.
set -uo pipefail
program=$(realpath "$1")
front=$(cd "$(dirname "${BASH_SOURCE[0]}")/../front" && pwd)
. "$front/../support/expect.sh"

# Other languages are recognised by file name or content, without calling a compiler.
for row in 'cl|__kernel void k(__global float *p) { p[get_global_id(0)] = 1; }|OpenCL C' 'hip|__global__ void k(float *p) { }|HIP' \
    'metal|#include <metal_stdlib>|Metal' 'cpp|int main() { }|C[+][+]' 'hlsl|[numthreads(8, 8, 1)] void k() { }|HLSL'; do
    IFS='|' read -r ending text name <<<"$row"
    echo "$text" >"other.$ending"
    expect 3 "^smemprobe: other.$ending: this is $name; smemprobe reads CUDA C[+][+] \(.cu\)" "other.$ending"
    case $ending in cl | metal | hlsl)
        cp "other.$ending" "other_$ending.cu"
        expect 3 "^smemprobe: other_$ending.cu: this is $name; smemprobe reads" "other_$ending.cu" ;;
    esac
done
# The same files, renamed.
while IFS='|' read -r text name; do
    echo "$text" >renamed.cu
    expect 3 "^smemprobe: renamed.cu: this is $name; smemprobe reads CUDA C[+][+] \(.cu\)" renamed.cu
done <<'END'
#include <hip/hip_runtime.h>|HIP
__global__ void k(float *p) { } int main() { hipMalloc(0, 4); hipLaunchKernelGGL(k, 1, 1, 0, 0, 0); }|HIP
kernel void k(global float *p) { p[get_global_id(0)] = 1; }|OpenCL C
#include <sycl/sycl.hpp>|SYCL C[+][+]
#include <CL/cl.h>|an OpenCL host program
END
printf '__global__\0' >binary.cu
expect 3 '^smemprobe: binary.cu: not a text file; name machine code .cubin' binary.cu
mkdir folder.cu
expect 3 '^smemprobe: folder.cu: cannot be read: Is a directory' folder.cu

echo '__global__ void k(float *p, int m) { if (threadIdx.x < m) p[threadIdx.x] = N; }' >body
{ echo '#define N 4'; cat body; } >macro.cu
{ printf '#ifndef N\n#define N 4\n#endif\n'; cat body; } >flag.cu
"$program" macro.cu >said 2>&1
if grep -qE 'without nvcc|not found' said; then
    echo "skipped: $(head -n 1 said)"
    exit 77
fi

expect 0 "assumed: block 256, grid 1, m = 1024; another launch: --launch 'k<<<1, 256>>>" macro.cu
# A finding and a line above the gate are named from the current folder, in messages as in the report.
mkdir -p parts/of
echo '__global__ void f(float *p) { __shared__ float s[64]; s[2 * threadIdx.x] = 1; __syncthreads(); p[threadIdx.x] = s[threadIdx.x]; }' >parts/of/f.cu
for file in parts/of/f.cu ./parts/of/f.cu "$PWD/parts/of/f.cu"; do
    expect 1 '^  parts/of/f.cu:1: uninitialised: ' "$file" --block 32 --max-ways 1
    has '^smemprobe: parts/of/f.cu:1: uninitialised: '
    has '^parts/of/f.cu:1: error: 2-way'
done
# Options may come before the file; the value of an option is not taken for the file.
expect 0 "float\[\] = random:-1:1, 5\)" --races --define m=5 macro.cu
expect 0 'k 1 launch' --budget 60 flag.cu -- -DN=7
expect 2 '^smemprobe: predict has no option .--races' --races -o macro.cu
expect 2 '^smemprobe: --define N: that is a macro of the file' macro.cu --define N=5
expect 2 '^smemprobe: --define z: macro.cu has no such name' macro.cu --define z=5
expect 3 "^smemprobe: --define m: expected NAME=INTEGER" macro.cu --define m
expect 2 '^smemprobe: --define m: the values are part of --launch' macro.cu --launch 'k<<<1, 32>>>(float[32], 5)' --define m=5
expect 0 "assumed: K = 1024; .* 'matmul<<<dim3\(4,2\), dim3\(16,16\)>>>\(.*, 32, 64, 1024\)'" "$front/flat_matmul.cu" \
    --define N=64 --define M=32
expect 0 "assumed: block 128, grid 8; .* 'rotate<<<8, 128>>>\(.*, 512\)'" "$front/launch_bounds.cu" --define n=512
has "for a tested repair: smemprobe fix $front/launch_bounds.cu --define n=512\$"
has 'races were not looked for: add --races$'
# A command to copy is quoted for the shell.
cp "$front/launch_bounds.cu" 'a b.cu'
expect 0 "^smemprobe 'a b.cu'" 'a b.cu' --races
lacks 'races were not looked for'
has "for a tested repair: smemprobe fix 'a b.cu'\$"
printf '__global__ void %s(float *p) {\n    p[threadIdx.x * %d] = 1;\n}\n' far 8 near 1 >far.cu
expect 0 '^smemprobe: to try other orders of threads and data: smemprobe fix far.cu$' far.cu
expect 0 '^near 1 launch' far.cu --kernel near
lacks 'smemprobe fix|lanes on average'
expect 0 '^  a request has 1 of 32 lanes on average$' far.cu --block 1
# The compiler swaps the word around a half: its other half may be behind the array.
printf '#include <cuda_fp16.h>\n__global__ void k(__half *p, int i) { atomicAdd(p + i, __half(1)); }\n' >half.cu
expect 0 '^k 1 launch' emulate half.cu --launch 'k<<<1, 32>>>(half[3], 2)'
expect 1 'out of bounds: 4 bytes at byte 8 of argument 1, which has 6' emulate half.cu --launch 'k<<<1, 32>>>(half[3], 4)'
# If an assumed instance does not compile, the compiler's message is shown.
echo 'template <int N> __global__ void k(int *p) { static_assert(N < 0, "below"); p[0] = N; }' >instance.cu
expect 3 '^smemprobe: nvcc: .*instance.cu\(1\): error: static assertion failed' instance.cu
echo '__global__ void k(float *p) { p[0] = q; }' >wrong.cu
expect 3 '^smemprobe: nvcc: wrong.cu\(1\): error: identifier "q" is undefined' wrong.cu
echo 'int f() { return 0; }' >host.cu
expect 3 '^smemprobe: host.cu: no kernel: it has no __global__' host.cu
{ echo '#ifdef __HIPCC__'; echo '#include <hip/hip_runtime.h>'; echo '#endif'; cat macro.cu; } >ported.cu
expect 0 'assumed: block 256' ported.cu
expect 3 'absent.cu: no such file' absent.cu
expect 2 '^smemprobe: macro.cu: no main is run, so nothing takes' macro.cu -- -- 64
expect 0 "assumed: m = 1024; another launch: --launch 'k<<<dim3\(2,3\), 64>>>" macro.cu --block 64 --grid 2x3
expect 3 '^smemprobe: --block 32x8x1x1: expected XxYxZ such as 32x8' macro.cu --block 32x8x1x1
expect 2 '^smemprobe: --block: the shape is part of --launch' macro.cu --launch 'k<<<1, 32>>>(float[32], 5)' --block 32
expect 2 "no option '--blok'" macro.cu --blok 32
echo '__global__ void __launch_bounds__(64) b(float *p) { p[threadIdx.x] = 1; } void f(float *p) { b<<<2, 512>>>(p); }' >bound.cu
expect 0 "^smemprobe: assumed: block 64 \(the launch's 512x1x1 is too large\); another launch: --launch 'b<<<2, 64>>>" bound.cu
# Templates without an instance: assumed if there is no other kernel and the instance compiles, otherwise left out by name.
echo 'template <int N> __global__ void t(float *p) { static_assert(N == 7, ""); p[threadIdx.x] = N; }' >odd.cu
expect 3 "^smemprobe: t: skipped, because the file has no instance of these templates; --launch" odd.cu
# Kernels of the toolkit's algorithms are launched through tables of their own, which cannot be assumed.
echo 'namespace cub { template <int N> __global__ void scan(int *p, int **q) { q[N][0] = p[N]; } } template __global__ void cub::scan<1>(int *, int **);' >cub.cu
expect 3 '^smemprobe: cub.cu: all its kernels belong to cub or thrust; ' cub.cu
cat cub.cu macro.cu >beside.cu
expect 0 '^smemprobe: 1 kernel of cub or thrust is skipped; ' beside.cu
# Kernels of a PyTorch extension, without PyTorch: host code is cut, line numbers stay, launches are read.
printf '#pragma once\n#include <torch/types.h>\n#define NEXT 1\n' >torched.h
cat >torched.cu <<'END'
#include "torched.h"
template <int N> __global__ void twice(float *p) { __shared__ float s[N];
    s[threadIdx.x ^ NEXT] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[threadIdx.x]; }
torch::Tensor run(torch::Tensor t) { twice<64><<<t.size(0) / 64, 64>>>(t.data_ptr<float>()); return t; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
__global__ void half_of(c10::Half *p, at::acc_type<at::Half, true> *sum) {
    gpuAtomicAdd(sum, (float)p[WARP_SHFL_XOR(threadIdx.x, 1) % C10_WARP_SIZE]); }
END
expect 0 '^smemprobe: torch/types.h is missing, so the kernels are compiled alone' torched.cu
has "'twice<64><<<"
has "'half_of<<<.*\(half\[\] = .*, float\[\] "
has 'torched.cu:3 '
# Two missing headers, one after the other.
{ printf '#include <helper_one.h>\n#include <helper_two.h>\n'; cat macro.cu; echo 'int main() { return helper(); }'; } >helped.cu
expect 0 '^smemprobe: helper_one.h is missing, so the kernels are compiled alone' helped.cu
# Values that a histogram counts are assumed to fit its bins; if no assumption helps, a message says so.
echo '__global__ void h(const int *in, int *out, int n, int num_bins) { extern __shared__ int bins[]; int i = threadIdx.x;
    bins[i] = 0; __syncthreads(); if (i < n) atomicAdd(&bins[in[i]], 1); __syncthreads(); out[i] = bins[i]; }
    void f(int *p, int *q, int n, int bins) { h<<<1, 256, bins * sizeof(int)>>>(p, q, n, 256); }' >bins.cu
expect 0 "assumed: bins = 256, n = 256; .*random:0:255" bins.cu
sed 's/num_bins)/num_bins, int shift)/; s/in\[i\]\]/in[i] + 4096]/; s/n, 256)/n, 256, 1)/' bins.cu >over.cu
# A finding names the parameter, and constant memory that is read beyond its end.
echo '__constant__ int three[3]; __global__ void past(int *to) { to[threadIdx.x] = three[3]; }
    __global__ void below(int *to, const int *from) { to[threadIdx.x] = from[(int)threadIdx.x - 2]; }' >>over.cu
expect 1 "^smemprobe: the findings of h may come from an assumption about its launch" over.cu
has 'over.cu:4: out of bounds: 4 bytes at byte 12 of constant bank 3, which has 12'
has 'over.cu:5: out of bounds: 4 bytes, 8 bytes before argument 2 \(from\), which has '
# Braced initialisers give values. A launch too large for a block is assumed smaller, or its kernel is left out by name.
echo '__global__ void k(float *p) { p[threadIdx.x] = 1; }
    void f(float *p) { constexpr unsigned int WIDE{32U}; constexpr unsigned int ALL{WIDE * 3}; dim3 const b{ALL, 1U, 1U}; k<<<1, b>>>(p); }' >braces.cu
expect 0 'k 1 launch, <<<\(1,1,1\), \(96,1,1\)>>>' braces.cu
echo '__global__ void k(float *p, int n) { extern __shared__ float s[]; s[threadIdx.x] = n; __syncthreads(); p[threadIdx.x] = s[0]; }
    void f(float *p, int n) { k<<<1, 32, n * 1024>>>(p, n); }' >shared.cu
expect 0 'assumed: n = 32;' shared.cu
echo '__global__ void k(float *p, int n) { p[threadIdx.x] = n; } void f(float *p, int a, int b, int c, int d) { k<<<1, 32>>>(p, a * b * c * d); }' >product.cu
expect 0 'random:-1:1, 1048576\)' product.cu
{ sed 's/k(/other(/; s/n [*] 1024/232449 + n/; s/k<</other<</' shared.cu; cat braces.cu; } >part.cu
expect 0 '^smemprobe: other.* is skipped: .* bytes of shared memory: a block can have ' part.cu
# An index below 0 belongs to the array it is used with, not to the previous array.
echo '__global__ void k(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x] + b[(int)threadIdx.x - 2]; }' >below.cu
expect 1 'out of bounds: 4 bytes, 8 bytes before argument 2, which has 128' below.cu --launch 'k<<<1, 32>>>(float[32], float[32])'
# Structures, member by member: assumed, and given in a launch.
echo 'struct Matrix { int wide, high; float *at; short kind; };
    __global__ void k(Matrix a, uint3 n) { if (threadIdx.x < a.wide) a.at[threadIdx.x] += a.kind + n.y; }' >members.cu
expect 0 'assumed: .*members of a, members of n; .*[(]{1024, 1024, float\[\] = random:-1:1, short[(]1024[)]}, {uint3[(]32[)]}' members.cu
echo 'template <class T> struct View { T *at; int wide; };
    template <class T> __global__ void k(View<T> a, View<const T> b) { a.at[threadIdx.x] += b.at[threadIdx.x]; }
    template __global__ void k<double>(View<double>, View<const double>);' >views.cu
expect 0 '[(]{double\[\] = random:-1:1, 1024}, {double\[\] = random:-1:1, 1024}[)]' views.cu
expect 1 'byte 64 of member 3 of argument 1, which has 64' members.cu --launch 'k<<<1, 32>>>({32, 32, float[16], short(3)}, {uint3(7)})'
expect 3 'it has 12 bytes, but the parameter has 24' members.cu --launch 'k<<<1, 32>>>({32, 32, 3}, {uint3(7)})'
expect 3 "'short.70000.': it does not fit the parameter" members.cu --launch 'k<<<1, 32>>>({32, 32, float[16], short(70000)}, {uint3(7)})'
echo 'struct B { }; struct A : B { int n; }; __global__ void k(float *p, A a) { if (threadIdx.x < a.n) p[threadIdx.x] = 1; }' >zeros.cu
expect 0 '^smemprobe: k accessed no memory, perhaps because of an assumption about its launch' zeros.cu
# A race that another assumed block does not have is told.
cat >lone.cu <<'END'
__global__ void k(const float *p, float *q) { extern __shared__ float s[]; s[threadIdx.x] = p[threadIdx.x];
    __syncwarp(); q[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }
END
expect 0 '^smemprobe: k has races with block 256, grid 1, .*; if that is right: ' emulate --races lone.cu
has 'k 1 launch, <<<.1,1,1., .32,1,1.>>>'
expect 1 'race: thread .* nothing orders the two' emulate --races lone.cu --block 256
# Nothing is assumed in place of a block that the text suggests, unless it may be one warp. A block out of bounds gives way to one that only has races.
{ echo 'template <int B>' && cat lone.cu && echo 'template __global__ void k<64>(const float *p, float *q);'; } >shown.cu
expect 0 '^smemprobe: k<64> has races with block 64' emulate --races shown.cu
sed -i 's/ }$/ __syncthreads(); }/' shown.cu
expect 1 'race: thread .* nothing orders the two' emulate --races shown.cu
has 'k<64> 1 launch, <<<.1,1,1., .64,1,1.>>>'
sed 's/extern __shared__ float s../__shared__ float s[2][64]/; s/s\[\(t[^]]*\|b[^]]*\)\]/s[1][\1]/g' lone.cu >bounded.cu
expect 0 '^smemprobe: k has races with block 64, grid 1.*; if that is right: ' emulate --races bounded.cu
grep -v syncwarp bounded.cu | sed 's/$/ q[threadIdx.x] = s[1][blockDim.x - 1 - threadIdx.x]; }/' >raced.cu
expect 1 'race: thread .* nothing orders the two' emulate --races raced.cu
has 'k 1 launch, <<<.1,1,1., .64,1,1.>>>'
# What only an assumed argument lacks is no error of the kernel.
cat >closure.cu <<'END'
struct base { int n; }; struct view : base { float *p; };
__global__ void k(view v) { v.p[threadIdx.x] = 1; }
__global__ void far(char *p) { p[(size_t)threadIdx.x << 28] = 1; }
struct node { int key; node *next; }; __global__ void walk(node *n) { for (int i = 0; i < 3; i++) n = n->next; n->key = 1; }
__global__ void halo(const int *in, int *out) { out[threadIdx.x] = in[(int)threadIdx.x - 3]; }
void launch(const int *in, int *out) { halo<<<1, 32>>>(in + 3, out); }
END
expect 0 '^smemprobe: .*closure.cu:2: k follows a pointer in an argument, which an assumed launch cannot have; ' emulate closure.cu
has 'incomplete: follows a pointer in an argument'
has '^smemprobe: closure.cu:3: far needs a larger array than an assumed launch has; '
has '^smemprobe: .*closure.cu:4: walk follows a pointer in an argument'
has '^smemprobe: .*closure.cu:5: halo reaches before an argument, which the file gives a pointer plus an offset; '
lacks 'out of bounds'
expect 1 'byte 268435456 of argument 1, which has 64' emulate closure.cu --launch 'far<<<1, 32>>>(char[64])'
# An array of random numbers that the file's launch enters in the middle holds no null pointers.
cat >null.cu <<'END'
__global__ void k(const float *q) { *(float *)(size_t)(q[threadIdx.x] > 2 ? 64 : 32) = 1; }
void f(float *p) { k<<<1, 32>>>(p + 50); }
END
expect 1 'null.cu:1: out of bounds: 4 bytes at global address 0x20' null.cu
# Options are checked before nvcc is called, which would complain about something else.
echo 'int main() { nonsense' >late.cu
expect 2 "^smemprobe: profile has no option '--blok'" late.cu --blok 3
expect 2 '^smemprobe: --max-ways' late.cu --max-ways many
expect 3 '^smemprobe: --gate nothing.gate' late.cu --gate nothing.gate
expect 2 '^smemprobe: --format' late.cu --format pdf
expect 2 '^smemprobe: .*sm_999' late.cu --arch sm_999
expect 0 '^usage: smemprobe profile' late.cu --help
expect 3 '^smemprobe: nvcc: late.cu\(1\): error' late.cu
if [ -z "${SMP_SANITIZED-}" ]; then # whose runtime no program of nvcc's takes
    echo 'int main() { return 0; }' >program.cu
    expect 0 'no kernel was launched; if its main .*: smemprobe program.cu -- -- ARGUMENTS$' program.cu
    # What is said of times is no reason why no kernel ran.
    echo 'int main() { cudaEvent_t a; float t; cudaEventCreate(&a); cudaEventRecord(a); return cudaEventElapsedTime(&t, a, a); }' >timed.cu
    expect 0 'no kernel was launched; if its main .*: smemprobe timed.cu -- -- ARGUMENTS$' timed.cu
    has "times of events are this machine's"
    cat >whole.cu <<'END'
__global__ void k(float *p) { p[threadIdx.x] = 1; }
int main() { float *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
END
    expect 0 '^smemprobe whole.cu$' whole.cu
    sed 's/float [*]p; cudaMalloc(&p, 128)/float *q, *p = (float *)malloc(128); cudaMalloc(\&q, 128)/; s/return //' whole.cu >host.cu
    expect 1 'no array is there, it is host memory$' host.cu
    lacks '; array'
    # A load and a store of one line, and a line of another kernel.
    sed 's/p\[threadIdx.x\] = 1/p[0] += 1/; s/1, 32>>>/2, 32>>>/; 1p' whole.cu | sed '1s/ k(/ other(/; $s/k<<</other<<<2, 32>>>(p); k<<</' >order.cu
    expect 1 '^4 errors found in the kernels$' order.cu
    [ "$(grep -c 'the same at 1 more instruction of the line' said) $(grep -c ': order of blocks: ' said)" = '2 2' ] ||
        complain 'findings of one line are not joined'
    # Words after a second -- are arguments of main.
    sed 's/main()/main(int n, char **words)/; s/1, 32>>>/1, atoi(words[1])>>>/; 1i #include <cstdlib>' whole.cu >words.cu
    expect 0 '^smemprobe words.cu -- -- 16 -x$' words.cu -- -lineinfo -- 16 -x
    has 'k 1 launch, <<<\(1,1,1\), \(16,1,1\)>>>'
    # A main that returns before its launches: its kernels run all the same.
    sed 's/main() {/main(int n, char **words) { if (n < 2) return 1;/' whole.cu >idle.cu
    expect 0 '^smemprobe: its kernels are run alone, with the launches in its text$' idle.cu
    has 'k 1 launch, <<<\(1,1,1\), \(32,1,1\)>>>'
    expect 0 '^smemprobe idle.cu -- -- x$' idle.cu -- -- x
    lacks 'run alone'
    expect 1 '' idle.cu -o idle.json
    lacks 'run alone'
    expect 0 '^smemprobe: its kernels are run alone' fix idle.cu
    has '1 kernel$'
    expect 0 '^smemprobe macro.cu --block 64 --grid 2x3 --no-gpu$|assumed: m = 1024' macro.cu --block 64 --grid 2x3 --no-gpu
    expect 2 '^smemprobe: words.cu and other.cu: give one file at a time' words.cu other.cu
    expect 2 '^smemprobe: flags of nvcc follow --, .*: smemprobe words.cu -- -- 64$' words.cu -- 64
    expect 0 'nothing to repair: 0 wavefronts' fix words.cu -- -- 16
fi

# Flags of a build; shell commands in them are not executed.
printf '#include "n.h"\n' | cat - body >needs.cu
expect 3 '^smemprobe: n.h is in no folder that nvcc searches' needs.cu
mkdir inc && echo '#define N (NUMBER + sizeof TEXT)' >inc/n.h
cat >compile_commands.json <<END
[{"directory": "$work", "file": "needs.cu",
  "command": "nvcc -DNUMBER=3 -DTEXT=\\\\\\"1.0\\\\\\" -Iinc '-DX=\$(touch ran)' -Xcompiler -Bnone -c needs.cu"}]
END
expect 0 '^smemprobe: flags of compile_commands.json: -DNUMBER=3 -DTEXT="1.0" -I' needs.cu
[ ! -e ran ] || complain "a flag was run"
has '^smemprobe: compile_commands.json: 1 flag is skipped, .* -DX='

# --memory and the gate work the same for every target.
cat >both.cu <<'END'
__global__ void k(float *p) { __shared__ float s[1024]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads();
    p[threadIdx.x] = s[threadIdx.x * 32 % 1024]; }
END
{ cat both.cu; echo 'int main() { float *p; cudaMalloc(&p, 4096); k<<<1, 1024>>>(p); return cudaDeviceSynchronize(); }'; } >main.cu
files=both.cu
[ -n "${SMP_SANITIZED-}" ] || files="both.cu main.cu"
for file in $files; do
    expect 1 'LDS' $file --memory shared --max-ways 2
    lacks 'LDG'
done
expect 0 'LDG' both.cu --memory global --max-ways 2 --instructions
expect 3 '' both.cu --memory local --max-ways 2
expect 2 'shared, global, local' both.cu --memory some

# Code that was not linked has no addresses of shared memory.
echo 'extern __device__ float other(float *s); __global__ void k(float *p) { __shared__ float s[32]; s[threadIdx.x] = *p; p[threadIdx.x] = other(s); }' >unlinked.cu
expect 1 'not understood: [A-Z]* needs an address that only linking gives; link it' unlinked.cu

# A program on the CPU has a time limit: of 300 s, another or none.
cat >limit.cu <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void k(float *p) { p[threadIdx.x] = 1; }
int main() {
    float *p;
    cudaMalloc(&p, 128);
    std::puts(getenv("SMP_RUNTIME_UNTIL") ? "limited" : "not limited");
    k<<<1, 32>>>(p);
    return cudaDeviceSynchronize();
}
END
# Two kernels on one line: nvdisasm prints the line once.
cat >one_line.cu <<'END'
#define K(name, pad) __global__ void name(float *p) { __shared__ float t[32][32 + pad]; t[threadIdx.x][0] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = t[threadIdx.x][0]; }
K(one, 0) K(two, 0)
int main() {
    float *p;
    cudaMalloc(&p, 128);
    one<<<1, 32>>>(p);
    two<<<1, 32>>>(p);
}
END
expect 0 '^1\. one_line.cu:2 in one$' one_line.cu
has '^2\. one_line.cu:2 in two$'
if [ ! -e /dev/nvidia0 ] && [ -z "${SMP_SANITIZED-}" ]; then
    expect 0 '^limited' limit.cu
    expect 0 '^not limited' limit.cu --budget 0
    # One launch takes all the time: of the kernels behind it some blocks run, and what depends on memory has no figures.
    cat >samples.cu <<'END'
__global__ void spins(volatile float *p) { __shared__ float s[32]; while (p[threadIdx.x] == s[threadIdx.x]) { } }
__global__ void turns(const float *in, float *out) {
    __shared__ float t[32][32];
    t[threadIdx.y][threadIdx.x] = in[32 * threadIdx.y + threadIdx.x];
    __syncthreads();
    out[32 * threadIdx.y + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
__global__ void picks(const int *from, const float *in, float *out) { out[threadIdx.x] = in[from[threadIdx.x] & 1023]; }
int main() {
    float *p;
    cudaMalloc(&p, 8192);
    cudaMemset(p, 0, 8192);
    spins<<<1, 32>>>(p);
    turns<<<dim3(64, 64), dim3(32, 32)>>>(p, p + 1024);
    turns<<<dim3(64, 64), dim3(32, 32)>>>(p + 1024, p);
    turns<<<dim3(32, 64), dim3(32, 32)>>>(p, p + 1024);
    picks<<<1, 32>>>((int *)p, p, p + 1024);
    return 3;
}
END
    expect 1 '^  0 of 5 launches seen; of 2 kernels some blocks; 1 kernel not at all \(--budget 0 runs all\)' samples.cu --budget 4
    has '^  samples.cu:1: uninitialised: '
    lacks 'stopped:'
    has '^turns 0 launches seen, 3 not, '
    has '^  blocks run +32 +16,896 +15,872 '
    has '^  total, scaled +32 +10,813,440 +10,158,080 '
    has '16 of 4096 blocks of one launch, run on the CPU'
    tr -s ' \n' ' ' <said >line
    has 'launches in other grids or with other arguments are scaled alike, with an unknown error' line
    has 'and 1 instruction that depends on it has no figures' line
    has '^smemprobe: after 3 s launches were not run as a whole, so '
    echo '__global__ void turns(volatile float *p) { while (p[threadIdx.x] != 7) { } }' >turns.cu
    expect 1 '^smemprobe: stopped after 2 s \(--time\): 1 of 1 blocks' fix turns.cu --time 2
    expect 0 '^smemprobe: stopped after 2 s \(--budget\): 1 of 1 blocks' turns.cu --budget 2
    # A launch that is stopped in the middle stands for later ones, also for those in other grids, which is said.
    cat >stopped.cu <<'END'
__global__ void works(float *p, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[(threadIdx.x + i) % 32];
    if (sum > 0)
        p[threadIdx.x] = sum;
}
int main() {
    float *p;
    cudaMalloc(&p, 128);
    cudaMemset(p, 0, 128);
    works<<<1 << 28, 32>>>(p, 100);
    works<<<1 << 28, 32>>>(p, 100);
    if (UNLIKE)
        works<<<1 << 27, 32>>>(p, 100);
}
END
    for unlike in 0 1; do
        expect 0 '^  total, scaled ' stopped.cu --budget 4 -- -DUNLIKE=$unlike
        tr -s ' \n' ' ' <said >line
        if [ $unlike = 0 ]; then
            has 'incomplete: a launch was stopped: [0-9]* of its 268435456 blocks had begun' line
            lacks 'unknown error' line
        else
            has 'incomplete: [0-9]* of 268435456 blocks of one launch had begun when it was stopped; launches in other grids' line
        fi
    done
    for option in --races '--max-excess 9'; do
        expect 1 '^smemprobe: the program was stopped after 1 s' samples.cu --budget 1 $option
    done
fi
finish
