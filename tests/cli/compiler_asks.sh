#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# smemprobe finds what nvcc lacks: a header of the source's own project, a library, the features of a chip. It never takes
# a header of another project. Usage: compiler_asks.sh SMEMPROBE; 77 without nvcc.
set -uo pipefail
program=$(realpath "$1")
. "$(dirname "${BASH_SOURCE[0]}")/../support/expect.sh"

# The project's folders. A header of the same name lies outside.
mkdir -p project/.git project/src project/include/deep project/other outside
echo '#define N 4' >project/include/deep/n.h
echo '#define N 5' >outside/o.h
printf '#include "deep/n.h"\n__global__ void k(float *p) { p[threadIdx.x] = N; }\n' >project/src/k.cu
sed 's,deep/n.h,o.h,' project/src/k.cu >project/src/foreign.cu
sed 's,deep/n.h,../../outside/o.h,' project/src/k.cu >project/include/up.cu
"$program" project/src/k.cu >said 2>&1
if grep -qE '(nvcc|nvdisasm) not found' said; then
    echo "skipped: $(head -n 1 said)"
    exit 77
fi
expect 0 "^smemprobe: assumed, because nvcc asks for it: -- -I$work/project/include\$" project/src/k.cu
expect 3 '^smemprobe: o.h is in no folder that nvcc searches' project/src/foreign.cu
mkdir -p project/other/deep && cp project/include/deep/n.h project/other/deep/n.h
expect 3 '^smemprobe: deep/n.h is in no folder that nvcc searches' project/src/k.cu # as near as the other
mkdir -p project/src/deep && echo '#define N 6' >project/src/deep/n.h
expect 0 'k 1 launch' project/src/k.cu # nvcc's own rule: beside the source
rm -r project/src/deep project/other

# A toolkit without a C++ compiler.
mkdir lacking && printf '#!/bin/sh\necho "gcc: fatal error: cannot execute cc1plus: execvp: No such file or directory" >&2\nexit 1\n' >lacking/nvcc
chmod +x lacking/nvcc
PATH=$work/lacking:$PATH expect 3 '^smemprobe: nvcc needs a C[+][+] compiler: apt-get install g[+][+]$' project/src/foreign.cu
# Where that is known beforehand, the source text answers.
echo '__global__ void k(float *p) { p[threadIdx.x] = 1; }' >lone.cu
alone() {
    PATH=$work/lacking "$program" "$@" >said 2>&1
}
alone lone.cu --block 32 || complain "no answer without a C++ compiler: $(cat said)"
for line in '^smemprobe: nvcc needs a C[+][+] compiler: apt-get install g[+][+], or' '^smemprobe: so this answer comes from the source text$' \
    '^  from the source; the compiler may join'; do
    has "$line"
done
alone check --max-ways 1 lone.cu --block 32
has '^smemprobe: lone.cu: judged from the source'
alone fix lone.cu
has '^smemprobe: so nothing is tested; this is advice'
alone doctor
has '^  ! nvcc  *lacks a C[+][+] compiler'
if [ "$(id -u)" = 0 ]; then
    chown 65534 project/include/deep/n.h
    expect 3 'deep/n.h is in no folder' project/src/k.cu # another user's
    chown 0 project/include/deep/n.h
fi

echo '__global__ void k(float *p) { asm volatile("wgmma.fence.sync.aligned;"); p[threadIdx.x] = 1; }' >chip.cu
expect 0 '^smemprobe: compiled with -arch=sm_90a, because nvcc asks for it$' chip.cu

echo 'template <class T> concept every = true; __global__ void k(float *p) { p[threadIdx.x] = 1; }' >twenty.cu
expect 0 '^smemprobe: assumed, because nvcc asks for it: -- -std=c[+][+]20$' twenty.cu

echo '__global__ void k(float *p) { p[threadIdx.x] = FLT_MAX; }' >largest.cu
expect 0 '^smemprobe: assumed, because nvcc asks for it: -- --pre-include=cfloat$' largest.cu
# Host code for an older toolkit: what CUDA 13 removed does not prevent the kernels from running.
cat >older.cu <<'END'
__global__ void k(float *p) { p[threadIdx.x] = 1; }
int main() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); float *q; cudaMalloc(&q, 4 * p.clockRate); k<<<1, 32>>>(q); }
END
if [ -z "${SMP_SANITIZED-}" ]; then
    expect 0 'k 1 launch, <<<\(1,1,1\), \(32,1,1\)>>>' older.cu
    has '^smemprobe: nvcc refuses the host code, so the kernels are compiled alone'
fi

echo 'void other(); int main() { other(); }' >parts.cu
expect 3 '^smemprobe: other\(\) is defined in another source or library: .*: -- OTHER.cu' parts.cu
echo 'void other() { }' >other.cu
if [ -z "${SMP_SANITIZED-}" ]; then
    expect 0 'no kernel was launched' parts.cu -- other.cu
    expect 0 "^smemprobe: assumed, because nvcc asks for it: -- $work/other.cu\$" parts.cu # beside it, and the only one
    cp other.cu third.cu
    expect 3 '^smemprobe: other\(\) is defined in another source' parts.cu
fi

# A function defined in another source: only the kernel that calls it gets no answer.
echo 'extern __device__ float away(float x); __global__ void a(float *p) { p[0] = away(p[0]); } __global__ void b(float *p) { p[0] = 1; }' >away.cu
expect 1 '^  away.cu:1: not understood: a call of a function that has no code here' away.cu
has '^b 1 launch'
# In a program the other source is found by what nvlink says, or asked for.
{ cat away.cu; echo 'int main() { float *p; cudaMalloc(&p, 4); a<<<1, 1>>>(p); return cudaDeviceSynchronize(); }'; } >calls_away.cu
expect 1 '^smemprobe: away is defined in another source or library: .*: -- OTHER.cu' calls_away.cu
has '^  calls_away.cu:1: not understood: a call of a function that has no code here'
echo '__global__ void k(float *p) { p[threadIdx.x] = 1; } void other(); int main() { other(); }' >kernels.cu
expect 0 '^smemprobe: other\(\) is defined in another source or library: .*: -- OTHER.cu' kernels.cu
has '^smemprobe: it does not run as a program, so only its kernels are run$'
has '^k 1 launch'
echo '__device__ float away(float x) { return x + 1; }' >defines_away.cu
expect 0 '^smemprobe: assumed, because nvcc asks for it: -- -rdc=true .*defines_away.cu' calls_away.cu
rm defines_away.cu
# A folder with a blank in its name.
mkdir -p 'two words/.git' 'two words/inc'
echo '#define N 4' >'two words/inc/n.h'
printf '#include "n.h"\n__global__ void k(float *p) { p[threadIdx.x] = N; }\n' >'two words/k.cu'
expect 0 "^smemprobe: assumed, because nvcc asks for it: -- '-I$work/two words/inc'\$" 'two words/k.cu'

# Libraries. The compiler is a stand-in that requires them and prints how it was called.
mkdir bin && cat >bin/nvcc <<'END'
#!/bin/sh
echo "$*" >>"$CALLS"
for word in -lcublas -lcublasLt -lcurand -lcuda; do
    case " $* " in *" $word "*) ;; *) missing=1 ;; esac
done
[ -z "${missing-}" ] || cat >&2 <<'SAID'
/usr/bin/ld: tmp.cpp:(.text+0x5c6): undefined reference to `cublasDestroy_v2'
/usr/bin/ld: tmp.cpp:(.text+0x5c8): undefined reference to `cublasLtCreate'
/usr/bin/ld: tmp.cpp:(.text+0x5d6): undefined reference to `curandCreateGenerator'
/usr/bin/ld: tmp.cpp:(.text+0x5d8): undefined reference to `cuLaunchKernel'
SAID
echo "tmp.cu(3): error: identifier \"q\" is undefined" >&2
exit 1
END
chmod +x bin/nvcc
export CALLS=$work/calls
echo '__global__ void k() {} int main() { }' >main.cu
PATH=$work/bin:$PATH expect 3 '^smemprobe: nvcc: tmp.cu\(3\): error: identifier "q" is undefined$' main.cu
[ "$(wc -l <calls)" = 2 ] && tail -n 1 calls | grep -qE -- '-lcublas -lcublasLt -lcurand -lcuda$' ||
    complain "not asked for again with the libraries, once: $(cat calls)"
finish
