/* SPDX-License-Identifier: MIT */
/*
 * Pasted CUDA, one row per case, and the accesses of threads 0 to 31 of one
 * warp, in order; or the words that refuse it. Offsets are worked out by hand from C++.
 */
#include <stdio.h>
#include <string.h>

#include "front_trace.h"
#include "layout_view.h"
#include "suite.h"

#define T "shared int t[1024]\n"

/* clang-format off */
static const trace_row traces[] = {
    /* Accepted, and once something else */
    {"a loop variable keeps its type", T "for (unsigned j = 0; j < 1; j++) ld t[(j - 1) / 2 % 32]", "L124", "L124"},
    {"a loop may run zero times", T "for (int j = 0; j > 10; j++) t[j] = 0;\nfor (int j = 32; j < 0; j -= 8) t[j] = 0;\nt[laneid] = 1;", "S4", "S124"},
    {"#define is textual", "#define W 4 + 4\n" T "ld t[W * 2]", "L48", "L48"},
    {"#define is textual, minus", "#define W 32 - 1\n" T "ld t[64 - W]", "L124", "L124"},
    {"two statements on a line", T "t[laneid] = 0; t[laneid + 32] = 0;", "S4 S132", "S124 S252"},
    {"chained assignment", T "t[laneid] = t[laneid + 1] = t[5];", "L20 S8 S4", "L20 S128 S124"},
    {"else stores", T "if (laneid < 4) t[1] = 0; else t[2] = 0;", "S4", "S8"},
    {"an atomic with a used result", T "int old = atomicAdd(&t[7], 1);", "A28", "A28"},
    {"an atomic as a value", T "t[laneid] = atomicAdd(&t[7], 1);", "A28 S4", "A28 S124"},
    {"an address is no load", T "auto a = __cvta_generic_to_shared(&t[3]);\nsize_t b = (size_t)&t[laneid];\nt[0] = 1;", "S0", "S0"},
    {"sizeof is no load", T "int n = sizeof(t[0]);\nt[n] = 1;", "S16", "S16"},
    {"reinterpret_cast of a sum", T "float4 v = *(reinterpret_cast<float4*>(t) + laneid);", "L16", "L496"},
    {"index of an address", T "int v = (&t[0])[laneid];\nv = *(&t[0] + laneid);", "L4 L4", "L124 L124"},
    {"__ldg of pointer arithmetic", "global float g[1024]\nfloat4 v = __ldg((float4*)g + laneid);\nfloat w = __ldg(&g[0] + laneid);", "L16 L4", "L496 L124"},
    {"?: guards", T "float v = laneid < 16 ? t[laneid * 32] : 0.f;", "L128", ""},
    {"&& guards", T "bool v = laneid < 8 && t[laneid] > 0;", "L4", ""},
    {"?: keeps in bounds", T "float v = threadIdx.x > 0 ? t[threadIdx.x - 1] : 0.f;", "L0", "L120"},
    {"#if is evaluated", T "#if 0\nld t[1]\n#elif defined(X) || 2 > 1\nld t[2]\n#else\nld t[3]\n#endif", "L8", "L8"},
    {"#if of unsigned numbers", T "#if 0u - 1 > 0 && 1 - 2 < 0\nld t[1]\n#endif\n#if -1 < 0u\nld t[2]\n#endif", "L4", "L4"},
    {"#ifdef", "#define A\n" T "#ifdef A\nld t[1]\n#endif\n#ifndef A\nld t[2]\n#endif", "L4", "L4"},
    /* Loops */
    {"grid stride", T "define N = 70\nfor (int i = threadIdx.x; i < N; i += blockDim.x) t[i] = 0;", "S4 S132 S260", "S124 S252"},
    {"start from a variable", T "int first = threadIdx.x * 2;\nfor (int i = first; i != 4; i = i + 1)\n{ t[i] = 0; if (i > 2) break; }", "S8 S12", "S248"},
    {"compound condition, two variables", T "for (int i = 0, j = 9; i < 9 && j > 6; i++, j--) ld t[i + j]", "L36 L36 L36", "L36 L36 L36"},
    {"while", T "int s = 8;\nwhile (s > 0) {\n  if (laneid < s) t[laneid] += t[laneid + s];\n  s >>= 1;\n}", "L4 L36 S4 L4 L20 S4 L4 L12 S4", ""},
    {"a pointer that is not null", T "int *p = t;\nfor (int i = 0; p; i++) {\n  if (i > 0) break;\n  p[laneid] = 1;\n}", "S4", "S124"},
    {"do", T "int i = laneid & 1;\ndo t[i++] = 0; while (i < 2);", "S4", "S4"},
    {"continue and break", T "for (int i = 0; i < 6; i++) { if (i == 1) continue; if (i == laneid + 2) break; t[i] = 0; }", "S0 S8", "S0 S8 S12 S16 S20"},
    {"shadowing", T "int i = 1;\nfor (int i = 5; i < 6; i++) { int i = 7; t[i] = 0; }\nt[i] = 0;", "S28 S4", "S28 S4"},
    {"return", T "if (threadIdx.x >= 16) return;\nt[threadIdx.x] = 0;", "S4", ""},
    {"a parameter's own type", "define n = 4\n__global__ void k(int *t, unsigned n) { t[(n - 5) / 2 / 134217728] = 0; }", "S60", "S60"},
    {"a template's own type", "define N = 4\ntemplate <unsigned N> __global__ void k(int *t) { t[(N - 5) / 2 / 134217728] = 0; }", "S60", "S60"},
    {"a pointer as a template's type", "template <class T> __device__ void f(T p) { p[laneid] = 0; }\n__device__ void g(auto p) { *p = 0; }\n" T "f(t + 1);\ng(&t[3]);", "S8 S12", "S128 S12"},
    {"unsigned char wraps", T "for (unsigned char c = 254; c > 1; c++) t[c & 3] = 0;", "S8 S12", "S8 S12"},
    /* Statements */
    {"local arrays and scalars", T "float acc[8][2], sum = 0, regM[4];\nfor (int i = 0; i < 2; ++i) regM[i] = t[laneid + i];\nacc[1][0] += regM[0] * regM[1];\nsum += acc[1][0];\nt[laneid] = sum;", "L4 L8 S4", "L124 L128 S124"},
    {"undeclared scalar", T "sum += t[laneid];", "L4", "L124"},
    {"prefix increment", T "++t[laneid];\n--(*(t + laneid));", "L4 S4 L4 S4", "L124 S124 L124 S124"},
    {"pointers", T "int *p = &t[laneid];\np += 2;\n*p++ = 1;\np[1] = 2;\nconst int *q = p - 1;\nint v = *q;", "S12 S20 L12", "S132 S140 L132"},
    {"references", T "int &r = t[laneid];\nr = 1;\nr++;", "S4 L4 S4", "S124 L124 S124"},
    {"rows", "shared float m[32][33]\nauto &row = m[laneid];\nrow[2] = 0;\nfloat (*rows)[33] = m;\nrows[laneid][1] = (*(*(m + laneid) + 3));\n((float (*)[33])m)[1][laneid] = 0;", "S140 L144 S136 S136", "S4100 L4104 S4096 S256"},
    {"struct members", "struct P { float x; float y[2]; };\nshared P p[64]\np[laneid].y[1] = p[laneid].x;\nP *q = &p[1];\nq->x = 0;", "L12 S20 S12", "L372 S380 S12"},
    {"struct in a local variable", T "float4 v = *(float4 *)&t[laneid * 4];\nfloat x = v.x + v.w;\nv.y = 2;\nt[0] = v.y;", "L16 S0", "L496 S0"},
    {"reference cast", T "reinterpret_cast<float4 &>(t[laneid * 4]) = make_float4(0, 0, 0, 0);", "S16", "S496"},
    {"list values", T "float a[2] = {t[1], t[2]};\nint b{3}, c(4);\nt[b + c] = 0;", "L4 L8 S28", "L4 L8 S28"},
    {"constants", "const int N = 8;\nconstexpr int M = N * 2;\nstatic const unsigned K = 2;\nenum { A, B = 5, C };\nshared float m[N][M]\nm[A][K + C] = 0;", "S32", "S32"},
    {"typedef and using", "typedef unsigned short half_t;\nusing wide = float4;\nshared half_t h[64]\nshared wide w[32]\nhalf_t i = 65537;\nh[i] = 0;\nw[laneid] = w[0];", "S2 L0 S16", "S2 L0 S496"},
    {"comments and continuations", T "t[/* the\n first */ 1] = 0; // none\nt[2] = \\\n  3;\nt[laneid]\n  = 4;", "S4 S8 S4", "S4 S8 S124"},
    {"an expression over two lines", T "float v = t[1]\n  + t[2];", "L4 L8", "L4 L8"},
    {"function-like macros", "#define AT(i, j) t[(i) * 32 + (j)]\n#define TWICE(x) ((x) + (x))\n" T "AT(1, laneid) = AT(TWICE(1), 3);", "L268 S132", "L268 S252"},
    {"functions", "template <typename V, int N = 2> __device__ __forceinline__ V twice(V x) { return N * x; }\n__device__ int early(int x) {\n  if (x > 8) return 8;\n  for (int i = 0; i < 5; i++) { if (i == x) return 10 * i; }\n  return x;\n}\n" T "t[twice(laneid)] = t[early(0 + twice<unsigned, 1>(laneid))] + t[twice<int, 3>(1)];\nt[0] = laneid < 4 && early(0) == 0 ? t[2] : t[3];", "L40 L12 S8 L8 S0", "L32 L12 S248 L12 S0"},
    {"functions that reach arrays", "__device__ void copy(float *to, const float *from, int n) {\n  for (int i = threadIdx.x; i < n; i += 32) to[i] = from[i];\n}\ntemplate <int R, int C> __device__ float at(const float (&m)[R][C], int r) { return m[r][R]; }\n__device__ float &ref(float *p) { return p[2]; }\n__device__ void step(int &i, float *&) { }\n__device__ void next(int &i, int by = 3) { i += by; }\n__device__ float *row(float *p, int r) { return p + 8 * r; }\nshared float a[64], b[64], m[2][5];\ncopy(a, b + 1, 40);\nfloat v = at(m, 1);\nref(a) = ref(row(b, 1));\nint i = 1;\nnext(i);\nnext(i, 2);\na[i] = row(b, 2)[1];", "L8 S4 L136 S132 L28 L40 S8 L68 S24", "L128 S124 L28 L40 S8 L68 S24"},
    {"a function's own shared array", "__device__ void keep(int i) { __shared__ float own[4]; own[i] = 0; }\nshared float a[8]\nkeep(1); keep(2); a[0] = 1;", "S4 S8 S0", "S4 S8 S0"},
    {"a parameter that points to nothing known", "__device__ void f(void *p) { ((int *)p)[1] = 0; }\n" T "f(t);", "S4", "S4"},
    {"a function declared before, defined behind", "__device__ int f(int x);\n__global__ void k(float *g) { g[f(laneid)] = 0; }\n__device__ int f(int x) { return x + 1; }", "S8", "S128"},
    {"names of caller and function", "const int n = 5;\n__device__ int f(int g) { int a = g + n; return a; }\n__global__ void k(float *g) { int n = 1, a = 2; g[f(laneid) + n + a] = 0; }", "S36", "S156"},
    {"namespaces", "namespace a { namespace b::c {\n__device__ int f(int x) { return 2 * x; } }\nconst int n = 3; }\n" T "t[a::b::c::f(laneid) + a::n] = 0;", "S20", "S260"},
    {"one kernel of several", "kernel b\n__global__ void a(float *g) { g[1] = 0; }\ntemplate <int N> __global__ void __launch_bounds__(N) b(float *h) { h[2] = 0; }\n__global__ void c(int n) {}", "S8", "S8"},
    {"a type by name", "define V = double\ntemplate <typename V> __global__ void b(V *h) { h[laneid] = 0; }", "S8", "S248"},
    {"variables of the device", "__device__ float table[64];\n__constant__ float c[4];\nfloat v = table[laneid] * c[laneid % 4];", "L4", "L124"},
    {"a pointer that goes on elsewhere", "shared int a[64], b[128]\nint *p = a, *q;\np[laneid] = 1;\np = b + 1;\nfor (int i = 0; i < 2; i++) p++;\n*p = p[80];\nif (p != nullptr && p) b[5] = 0;\nif (!p || p == 0) b[6] = 0;", "S4 L332 S12 S20", "S124 L332 S12 S20"},
    {"shared arrays of one name in functions", "__device__ void f(int i) { __shared__ int s[8]; s[i] = 0; }\n__device__ void g(int i) { __shared__ int s[4][4]; s[i][1] = 0; f(i); s[i][0] = 0; }\nf(1); g(2); f(3);", "S4 S36 S8 S32 S12", "S4 S36 S8 S32 S12"},
    {"a barrier under a condition that all meet", "block 40\n" T "if (threadIdx.x < 40) { t[0] = 1; __syncthreads(); t[threadIdx.x + 1] = 2; }\nfor (int i = threadIdx.x; i < 80; i += 40) __syncthreads();", "S0 S8", "S0 S128"},
    {"#", "#define NAME(x) #x\nshared int t1[64]\nint const x = 0; printf(NAME(a b), 1);\nt1[12] = 5;", "S48", "S48"},
    {"barriers", T "t[0] = 0; __syncthreads(); __syncwarp(0xffffffff); __threadfence_block();\nt[1] = 0;", "S0 S4", "S0 S4"},
    /* Functions */
    {"intrinsics", T "t[std::min(laneid, 3u)] = 0;\nt[max(abs(2 - (int)laneid), 3)] = 0;", "S4 S12", "S12 S116"},
    {"groups", "namespace cg = cooperative_groups;\nblock 8x16\n" T "cg::thread_block cta = cg::this_thread_block();\nauto half = cg::tiled_partition<16>(cta);\ncg::thread_block_tile<8, cg::thread_block> row = cooperative_groups::tiled_partition<8>(cta);\nt[cta.thread_rank() + cta.size()] = 0;\ncg::sync(cta);\nt[half.thread_rank() * 2 + half.size()] = 0;\nhalf.sync();\nt[half.meta_group_rank() * 4 + half.meta_group_size()] = 0;\nt[row.num_threads() + threadIdx.y + blockDim.x] = row.shfl_down(t[1], 2);", "S516 S72 S32 L4 S64", "S636 S184 S48 L4 S76"},
    {"scoped atomics", T "atomicAdd_block(&t[laneid], 1);\nint v = atomicMax_system(&t[0], t[1]);", "A4 L4 A0", "A124 L4 A0"},
    {"cache hints", "global int g[64]\n__stcs(&g[laneid], __ldcg(&g[0]));", "L0 S4", "L0 S124"},
    {"asynchronous copy", "shared float4 s[64]\nglobal float4 g[64]\n__pipeline_memcpy_async(&s[laneid], &g[laneid], 16);\n__pipeline_commit();\n__pipeline_wait_prior(0);", "A16", "A496"},
    {"data that decides nothing", "global int g[64]\n" T "int v = g[laneid];\nif (v > 3) v = 2 * v;\nt[laneid] = v > 0 ? v : f(v, 2.5f);", "L4 S4", "L124 S124"},
    /* Whole kernels */
    {"a kernel", "define n = 40\ntemplate <int TILE = 32, typename T = float>\n__global__ void __launch_bounds__(256) k(const T *__restrict__ in, T *out, int n, float alpha) {\n  __shared__ T tile[TILE][TILE + 1];\n  const int x = blockIdx.x * blockDim.x + threadIdx.x;\n  if (x >= n)\n    return;\n  tile[threadIdx.x][0] = alpha * in[x];\n  __syncwarp();\n#pragma unroll\n  for (int i = 0; i < TILE; i += 16) {\n    out[x + i] = tile[i][threadIdx.x];\n  }\n}", "L4 S132 L4 S4 L2116 S68", "L124 S4092 L124 S124 L2236 S188"},
    {"what runs on the host", "static void check(int s) { if (s) { exit(1); } }\n__global__ void k(float *A) { A[threadIdx.x] = 0; }\nint main(int argc, char **argv) {\n  float *p = nullptr;\n  k<<<1, 32>>>(p); /* } */ printf(\"{\");\n}\n", "S4", "S124"},
    {"an explicit instantiation", "template <int N = 2> __global__ void k(float *A) { A[threadIdx.x * N] = 0; }\ntemplate __global__ void k<2>(float *);\n", "S8", "S248"},
    {"a parameter with a shape", "global float A[8][32]\n__global__ void k(float *A) { A[2][threadIdx.x] = 0; }", "S260", "S380"},
    {"parameters that move on", "__global__ void k(const float *A, float *C) {\n  A += 64 * blockIdx.x + 2;\n  for (int k = 0; k < 16; k += 8, A += 8, C++)\n    C[threadIdx.x] = A[threadIdx.x];\n  *C = *A++;\n  C[1] = *A;\n}", "L12 S4 L44 S8 L72 S8 L76 S12", "L132 S124 L164 S128 L72 S8 L76 S12"},
    {"if constexpr", "shared float a[64];\nif constexpr (1 < 2) { a[threadIdx.x] = 1; }\na[0] = 2;", "S4 S0", "S124 S0"},
    {"aligned struct", "__shared__ struct __align__(16) { float m[2]; int i; } a[64];\na[threadIdx.x].i = 1;", "S24", "S504"},
    {"extern shared", "extern \"C\" __global__ void k(int n) { extern __shared__ float buf[]; float *a = buf, *b = &buf[64]; b[threadIdx.x] = a[threadIdx.x]; }", "L4 S260", "L124 S380"},
    {"byte order mark", "\xef\xbb\xbf" T "ld t[1]", "L4", "L4"},
};

static const refused_row refusals[] = {
    {"__ldg of shared memory", T "int v = __ldg(&t[laneid]);", 2, 14, "shared memory"},
    {"unclosed brace", T "for (int i = 0; i < 3; i++) {\nld t[i]\n", 2, 28, "this '{' is not closed"},
    {"block outside of the grid", "grid 4\nblockIdx 5\n" T "ld t[0]", 2, 9, "block 5 is not in a grid of 4"},
    {"the same, the other way round", "blockIdx 0,2\ngrid 4", 1, 9, "in y"},
    {"data decides an address", "global int g[64]\n" T "t[g[laneid]] = 0;", 3, 2, "depends on what is read from 'g'"},
    {"data through a variable", "global int g[64]\n" T "int k = g[laneid] * 2;\natomicAdd(&t[k], 1);", 4, -1, "depends on what is read from 'g'"},
    {"data decides who accesses", T "if (t[laneid] > 0) t[0] = 1;", 2, -1, "depends on what is read from 't'"},
    {"data decides how often", T "for (int i = 0; i < t[0]; i++) t[1] = 1;", 2, -1, "the number of iterations depends on what is read from 't'"},
    {"data decides who returns", T "if (t[0] == 0) return;\nt[laneid] = 1;", 3, -1, "depends on what is read from 't'"},
    {"floating point decides", T "int k = laneid * 0.5f;\nt[k] = 1;", 3, 2, "floating-point"},
    {"no value yet", T "int k;\nt[k] = 1;", 3, 2, "has no value yet"},
    {"local arrays by a pointer are not followed", T "int k[2], *p = k; k[0] = 3;\nt[k[0]] = 1;", 3, 2, "the index depends on 'k', whose values are not tracked ('emulate'"},
    {"a parameter without value", "__global__ void k(float *a, int n) { a[threadIdx.x * n] = 0; }", 1, -1, "'n' is not given: define n"},
    {"a template without type", "template <typename T> __global__ void k(T *a) { a[0] = 0; }", 1, 19, "the type 'T' is"},
    {"unknown function of an array", T "sort(t, 3);", 2, 5, "what 'sort' does with this"},
    {"a function that calls itself", "__device__ int f(int x) { return x > 0 ? f(x - 1) : 0; }\n" T "t[f(3)] = 0;", 1, 41, "'f' is recursive, or calls are nested too deeply; 'emulate' runs the"},
    {"two functions, each better once", "__device__ int f(int x, double y) { return x; }\n__device__ int f(double x, int y) { return 0; }\n" T "t[f(3, 4)] = 0;", 4, 2, "overloads of 'f' with as many arguments are not supported here"},
    {"two templates of one name", "template <class T> __device__ int f(T x) { return 1; }\ntemplate <class T> __device__ int f(T *x) { return 2; }\n" T "t[f(t)] = 0;", 4, 2, "overloads of 'f' with as many arguments are not supported here"},
    {"a function's error has its place", T "__device__ int f(int x) {\n  return t[x];\n}\nt[f(1024)] = 0;", 3, -1, "out of bounds"},
    {"a function does not see its caller's names", "__device__ int f() { return n; }\n__global__ void k(int *t) { int n = 1; t[f()] = 0; }", 1, 28, "unknown name 'n'"},
    {"data decides in a function", T "__device__ int f(int x) { if (t[x] > 0) return 1; return 2; }\nt[f(1)] = 0;", 3, 2, "depends on what is read from 't'"},
    {"kernel of no such name", "kernel c\n__global__ void a() {}\n__global__ void b() {}", 0, -1, "no kernel 'c' here; there are a, b"},
    {"a type that no argument shows", "__device__ float g(float);\ntemplate <class T> __device__ int f(T x, int *p) { __shared__ T s[8]; s[1] = 0; return sizeof(T); }\n" T "t[f(sqrtf(2), t)] = 0;", 2, 62, "this type is unknown: name it in the call, as in f<float>(x)"},
    {"inline PTX", "asm volatile(\"bar.sync 0;\");", 1, 0, "inline PTX"},
    {"data of no array", "global int bins[32]\ndata bin = random:0:3\n" T "t[bins[laneid]] = 0;", 2, 5, "no array has the name 'bin'"},
    {"a word made by ##", "#define AT(a, n) a ## n[n]\n" T "AT(t, 1) = 5;", 3, 0, "words made by ## are not supported here"},
    {"#if of what nobody defines", "#if DEPTH > 3\n#endif\n" T "ld t[0]", 1, 0, "this condition cannot be evaluated: a name in it is undefined or not"},
    {"#endif is missing", "#ifdef A\n", 2, -1, "#endif is missing"},
    {"a macro of any arguments", "#define SUM(...) f(__VA_ARGS__)\n" T "ld t[SUM(1, 2)]", 3, 5, "only plain macro parameters are supported"},
    {"macro with too few arguments", "#define ADD(a, b) a + b\n" T "ld t[ADD(1)]", 3, 5, "this macro takes another number of arguments"},
    {"comment without end", T "/* open\nld t[0]", 2, 0, "does not end"},
    {"an endless loop", T "for (;;) t[0] = 1;", 2, -1, "more than"},
    {"two pointers in one", "shared int a[4], b[4]\nint *p = a;\nif (laneid < 4) p = b;", 3, -1, "'p' points to different arrays, depending on a condition or loop"},
    {"two pointers in one, in a loop", "shared int a[4], b[4]\nint *p = a;\nfor (int i = 0; i < 2; i++) { p += 1; p[0] = 1; p = b; }", 3, -1, "'p' points to different arrays, depending on a condition or loop"},
    {"pointer that may be either", "shared int a[4], b[4]\nint *p = laneid ? a : b;", 2, -1, "different arrays"},
    {"a group that is data", T "auto g = cg::coalesced_threads();\nt[g.thread_rank()] = 0;", 3, 2, "depends on what"},
    {"a tile of no power of two", T "auto cta = cg::this_thread_block();\nauto g = cg::tiled_partition<12>(cta);", 3, -1, "power of two"},
    {"a tile of a tile", T "auto a = cg::tiled_partition<32>(cg::this_thread_block());\nauto b = cg::tiled_partition<4>(a);", 3, -1, "tiles of tiles"},
    {"a group's data", T "auto cta = cg::this_thread_block();\nint k = cta.shfl(3, 1);\nt[k] = 0;", 4, 2, "depends on what"},
    {"else without if", "else", 1, 0, "no 'if'"},
    {"break outside", "break;", 1, 0, "no loop"},
    {"end of no loop", T "for (int i = 0; i < 2; i++) { ld t[i]\nend\n}", 3, 0, "no loop"},
    {"no effect", T "t[0];", 2, 0, "no effect"},
    {"constant", "const int n = laneid;\nn = 3;", 2, -1, "constant"},
    {"second kernel", "__global__ void a() {}\n__global__ void b() {}", 2, -1, "second kernel"},
    {"product or statement", T "t[0] = 1\n*t = 2;", 3, 0, "begin a statement"},
    {"undeclared array", "regM[0] = 1;", 1, 0, "no array 'regM' is declared"},
};
/* clang-format on */

START_TEST(accesses_are_those_of_the_threads) {
    front_check_trace(&traces[_i]);
}
END_TEST

START_TEST(the_rest_is_refused_in_words) {
    front_check_refused(&refusals[_i]);
}
END_TEST

/* Loads of constants are no requests; those at an address for each lane are told. */
START_TEST(constants_of_lanes_are_told) {
    static const struct {
        const char *text, *told; /* the loads, each with its line */
    } all[] = {
        {"t[laneid] = c[3] + c[blockIdx.x] + *(c + 2);", ""},
        {"t[laneid] = c[laneid % 8];", "c[laneid % 8] 5;"},
        {"int i = threadIdx.x / 4;\nt[i] = c[i];", "c[i] 6;"},
        {"for (int y = 0; y < 4; y++)\n    t[laneid] = m[y][laneid & 3] * m[y][1];",
         "m[y][laneid & 3] 6;"},
        {"t[laneid] = m[threadIdx.x / 16][laneid & 3];", "m[threadIdx.x / 16][laneid & 3] 5;"},
        {"const float *p = c;\nt[laneid] = p[laneid];", "p[laneid] 6;"},
        {"t[laneid] = at(c, laneid);", "from[i] 3;"},
        {"t[t[0] & 0] = c[t[laneid] & 7];", "c[t[laneid] & 7] 5;"},
    };
    static const char before[] =
        "__constant__ float c[64];\n__device__ __constant__ int m[4][4];\n"
        "__device__ float at(const float *from, int i) { return from[i]; }\n" T;
    smp_layout *layout = smp_layout_new();
    char text[512], told[256] = "";
    unsigned line;
    size_t count;
    smp_error error;
    (void)snprintf(text, sizeof text, "%s%s\n", before, all[_i].text);
    ck_assert_msg(smp_layout_add_lines(layout, text, strlen(text), &line, &error) == SMP_OK,
                  "%s: %s", all[_i].text, error.message);
    const smp_constant *one = smp_layout_constants(layout, &count);
    for (size_t i = 0; i < count; i++)
        (void)snprintf(told + strlen(told), sizeof told - strlen(told), "%.*s %u;",
                       (int)one[i].length, one[i].text, one[i].line);
    ck_assert_str_eq(told, all[_i].told);
    smp_layout_free(layout);
}
END_TEST

int main(void) {
    return SUITE("front_cuda", TEST_EACH(constants_of_lanes_are_told, 8),
                 TEST_EACH(accesses_are_those_of_the_threads, COUNT_OF(traces)),
                 TEST_EACH(the_rest_is_refused_in_words, COUNT_OF(refusals)));
}
