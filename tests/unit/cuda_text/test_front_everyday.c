/* SPDX-License-Identifier: MIT */
/*
 * Valid CUDA that was once refused or misread, one row per case: its meaning now, or the words that
 * still refuse it. Offsets are worked out by hand from C++, from the PTX ISA and from CuTe's rules.
 */
#include "front_trace.h"
#include "suite.h"

#define T "shared float t[1024]\n"

/* clang-format off */
static const trace_row traces[] = {
    {"loop: from blockDim.x / 2", T "for (int s = blockDim.x / 2; s > 8; s /= 2) if (threadIdx.x < s) t[threadIdx.x] += t[threadIdx.x + s];", "L4 L68 S4", ""},
    {"loop: bounds of an outer variable", T "for (int i = 0; i < 2; i++) for (int j = i; j < 2; j++) ld t[i * 3 + j]", "L0 L4 L16", "L0 L4 L16"},
    {"loop: from threadIdx.x, by blockDim.x", T "for (int i = threadIdx.x; i < 64; i += blockDim.x) ld t[i]", "L4 L132", "L124 L252"},
    {"loop: !=", T "for (int j = 4; j != 1; j--) ld t[j]", "L16 L12 L8", "L16 L12 L8"},
    {"loop: j = j + 1", T "for (int j = 0; j < 2; j = j + 1) ld t[j]", "L0 L4", "L0 L4"},
    {"loop: compound condition", T "for (int j = 0; j < 9 && j * j < 4; j++) ld t[j]", "L0 L4", "L0 L4"},
    {"loop: two variables", T "for (int i = 0, j = 5; i < j; i++, j -= 2) ld t[i * 10 + j]", "L20 L52", "L20 L52"},
    {"loop: auto", T "for (auto j = 3u; j - 1 < 3; j--) ld t[j]", "L12 L8 L4", "L12 L8 L4"},
    {"loop: body on the same line", T "for (int j = 0; j < 2; j++) ld t[j]", "L0 L4", "L0 L4"},
    {"loop: while", T "int j = 2; while (j) ld t[--j]", "L4 L0", "L4 L0"},
    {"loop: a counter that is unsigned", T "for (unsigned j = 0; j < 1; j++) ld t[(j - 1) / 2 % 32]", "L124", "L124"},
    {"loop: none", T "for (int j = 0; j > 10; j++) t[j] = 0;\nfor (int j = 32; j < 0; j -= 8) t[j] = 0;\nld t[1]", "L4", "L4"},
    {"if: over several lines", T "if (laneid < 4 &&\n    laneid > 0\n    ) {\n  t[laneid]\n = 1;\n}\nelse\n{\n t[5] = 1;\n}", "S4", "S20"},
    {"if: nested", T "if (laneid) if (laneid > 3) ld t[1]\nelse ld t[2]", "L8", "L4"},
    {"if: return", T "if (laneid >= 4) return;\nt[laneid] = 1;", "S4", ""},
    {"a sum of an array of two dimensions", "shared float tile[32][33]\nfloat sum = 0; int i = laneid; for (int j = 0; j < 2; j++) sum += tile[i][j];", "L132 L136", "L4092 L4096"},
    {"a value", T "float v; v = t[laneid];", "L4", "L124"},
    {"registers", T "float regM[4], acc[8];\nfor (int i = 0; i < 2; i++) regM[i] = t[laneid * 2 + i];\nacc[3] = regM[0];", "L8 L12", "L248 L252"},
    {"reassignment", T "int i = 1; i = laneid; i = i * 2; ld t[i]", "L8", "L248"},
    {"++ of an element", T "++t[laneid];", "L4 S4", "L124 S124"},
    {"two declarations on a line", T "int a = laneid, b = a + 1; int c = b; ld t[c]", "L8", "L128"},
    {"int x(...), int x{...}", T "int a(laneid), b{3}; ld t[a + b]", "L16", "L136"},
    {"shadowing", T "int i = 3; { int i = laneid; ld t[i] }\nld t[i]", "L4 L12", "L124 L12"},
    {"const int as a dimension", "const int N = 8; shared float m[N][N + 1]\nld m[1][laneid % 8]", "L40", "L64"},
    {"a parameter that a reference changes", "define n = 31\n__device__ void inc(int &m) { m += 1; }\n__global__ void k(float *g, int n) { __shared__ float s[1024]; inc(n); s[threadIdx.x * n] = 1; }", "S128", "S3968"},
    {"a parameter that a template's reference changes", "define n = 31\ntemplate <class T> __device__ void inc(T a, T &m) { m += a; }\n__global__ void k(float *g, int n) { __shared__ float s[1024]; inc<int>(max(1, 0), n); s[threadIdx.x * n] = 1; }", "S128", "S3968"},
    {"a pointer by a reference, which only reads it", "template <class T> __device__ void set(T &p) { p[threadIdx.x * 32] = 1; }\n__global__ void k(float *g) { __shared__ float s[1024]; float *q = s; set(q); }", "S128", "S3968"},
    {"constexpr, static const, enum", "constexpr int N = 4; static const unsigned K = 2; enum { E = 3 };\nshared float m[N * K * E]\nld m[E + K]", "L20", "L20"},
    {"a template", "template <int N = 3> __global__ void k(float *t) { t[N * threadIdx.x] = 0; }", "S12", "S372"},
    {"# define", "# define N 4\n" T "ld t[N]", "L16", "L16"},
    {"a macro is text", "#define W 4 + 4\n#define V 32 - 1\n" T "ld t[W * 2]\nld t[64 - V]", "L48 L124", "L48 L124"},
    {"a macro with arguments", "#define AT(i, j) t[(i) * 32 + j]\n" T "ld AT(1 + 1, laneid)", "L260", "L380"},
    {"INT_MAX", T "int m = INT_MAX; for (int i = 0; i < 2; i++) m = min(m, i + 3);\nld t[m]", "L12", "L12"},
    {"a tile by an argument", T "auto b = cg::this_thread_block();\nauto g = cg::tiled_partition(b, 16);\nt[g.thread_rank()] = 0;", "S4", "S60"},
    {"a thread_group", T "cg::thread_group g = cg::tiled_partition(cg::this_thread_block(), 8);\ng.sync(); t[g.thread_rank() + g.size()] = 0;", "S36", "S60"},
    {"volatile, static and alignas before __shared__", "volatile __shared__ float a[32]; static volatile __shared__ float b[32]; __align__(16) __shared__ float c[32];\nc[laneid] = a[laneid] + b[laneid];", "L4 L4 S4", "L124 L124 S124"},
    {"volatile extern __shared__", "__global__ void k() {\n  volatile extern __shared__ float s[];\n  s[threadIdx.x] = 0;\n}", "S4", "S124"},
    {"textures and surfaces are handles", T "__global__ void k(cudaTextureObject_t x, cudaSurfaceObject_t y) {\n  float v = tex2D<float>(x, 1.f, 2.f);\n  surf2Dwrite(v, y, threadIdx.x * 4, 0);\n  t[threadIdx.x] = v;\n}", "S4", "S124"},
    {"parameters with defaults", "__global__ void k(float *A, int *B = nullptr, float s = 1.f, int n = 4) {\n  A[threadIdx.x * n] = s;\n  n++;\n  B[n] = 0;\n}", "S16 S20", "S496 S20"},
    {"strings side by side", T "printf(\"a %d\"\n\"b\\n\" \"c\", laneid);\nt[laneid] = 0;", "S4", "S124"},
    {"host prototypes", "int run(int argc, char **argv);\nfloat *make(const float *, size_t n);\nunsigned count();\n__global__ void k(float *A) { A[threadIdx.x] = 0; }", "S4", "S124"},
    {"a host macro", "REGISTER(k, &other);\n__global__ void k(float *A) { A[threadIdx.x] = 0; }", "S4", "S124"},
    {"a host pointer", "cData *field = NULL;\n__global__ void k(float *A) { A[threadIdx.x] = 0; }", "S4", "S124"},
    {"device variables with values", "__device__ static unsigned errors = 0, seen = 1;\n__device__ float w[2] = {1.f, 2.f};\nfloat v = w[laneid % 2];", "L4", "L4"},
    {"return over two lines", T "__device__ int at(int i) {\n  return (i << 1)\n       | (i & 1)\n       + 0;\n}\nt[at(laneid)] = 0;", "S12", "S252"},
    {"a template of an unknown function", T "t[laneid] = convert<float>(t[0]);", "L0 S4", "L0 S124"},
    {"comments, continued lines, a mark", "\xef\xbb\xbf" T "/* a\nb */ ld t[1 + \\\n 2] // c", "L12", "L12"},
    {"typedef and using", "typedef unsigned char byte; using word = int;\nshared byte b[64]\nshared word w[64]\nld b[laneid]\nld w[(byte)257]", "L1 L4", "L31 L4"},
    {"initialisers", T "float a[2] = {t[0], t[1]}; float4 v = {0, 0, 0, t[2]}; int i = {3}; ld t[i]", "L0 L4 L8 L12", "L0 L4 L8 L12"},
    {"a reference to a vector", T "reinterpret_cast<float4 &>(t[4 * laneid]) = make_float4(0, 0, 0, 0);", "S16", "S496"},
    {"*(*(s + i) + j)", "shared float s[32][33]\nfloat v = *(*(s + laneid) + 2);", "L140", "L4100"},
    {"(char *)&s", "shared int s[64]\nchar *p = (char *)&s; p[laneid] = 1;", "S1", "S31"},
    {"(float (*)[33])p", "shared float s[1056]\nfloat *p = s; ((float (*)[33])p)[laneid][1] = 0;", "S136", "S4096"},
    {"laneid + s", "shared int s[64]\n*(laneid + s) = 1;", "S4", "S124"},
    {"pointer variables", "shared int s[64]\nint *p = s + 2, *q; q = &p[laneid]; *q = 1;", "S12", "S132"},
    {"a flat index through a pointer", "shared float m[8][8]\nld (&m[0][0])[laneid + 9]", "L40", "L160"},
    {"ld.volatile", T "ld.volatile.shared t[laneid]", "L4", "L124"},
    {"PTX's widths", T "ld.shared.v4.f32 t[laneid * 4]\nst.shared.v2.b32 &t[laneid * 2]\nld.u8 t[laneid]", "L16 S8 L4", "L496 S248 L124"},
    {"float arithmetic", T "float x = t[laneid] * 2.f + 1e-3f; t[0] = x / 3 - 1;", "L4 S0", "L124 S0"},
    {"comma", T "int i = (1, laneid), j; j = 2, i += j; ld t[i]", "L12", "L132"},
    {"sizeof of an array", "shared float m[4][8]\nld m[sizeof(m) / sizeof(m[0]) - 1][sizeof m[0] / sizeof(float) - 1]", "L124", "L124"},
    {"a character", T "ld t['a' - 'A' + laneid]", "L132", "L252"},
    {"std::min", T "ld t[std::min(laneid, 5u)]", "L4", "L20"},
    {"?: guards an element", T "float v = threadIdx.x > 0 ? t[threadIdx.x - 1] : 0.f;", "L0", "L120"},
    {"CuTe: one coordinate of several dimensions", "shared float a : (4,8):(8,1)\nld a(laneid)", "L32", "L124"},
    {"CuTe: one coordinate, nested", "shared float a : ((2,2),8):((1,16),2)\nld a(laneid)", "L4", "L124"},
    {"CuTe: leaves in leaves", "shared float a : ((2,(2,4)),2):((8,(4,16)),1)\nld a(laneid % 16, laneid / 16)\nld a(4, 0)", "L32 L64", "L244 L64"},
    {"CuTe: a sum in parentheses is a number", "shared float a : ((1 + 1) * 2,8):((2),4)\nld a(laneid % 4, laneid / 4)", "L8", "L136"},
    {"an asynchronous copy", "shared float4 s[64]\nglobal float4 g[64]\n__pipeline_memcpy_async(&s[laneid], &g[laneid], sizeof(float4));\n__pipeline_commit();\n__syncwarp(0xffffffff);", "A16", "A496"},
    {"architectures as nvcc names them", "arch sm_90a, compute_90, sm_100a\n" T "ld t[laneid]", "L4", "L124"},
    {"stores on one line, chained, behind else", T "t[1] = 0; t[2] = 0; t[3] = t[4] = 0; if (laneid < 2) t[5] = 0; else t[6] = 0;", "S4 S8 S16 S12 S20", "S4 S8 S16 S12 S24"},
    {"atomics with a result", T "int old = atomicAdd(&t[7], 1); old = atomicExch(&t[1], 2); old = atomicCAS(&t[2], 0, 1); t[laneid] = atomicAdd(&t[3], 1);", "A28 A4 A8 A12 S4", "A28 A4 A8 A12 S124"},
    {"addresses and sizes are no loads", T "unsigned a = __cvta_generic_to_shared(&t[laneid]); size_t b = (size_t)&t[laneid], c = sizeof(t[0]);\nld t[c]", "L16", "L16"},
    {"*(reinterpret_cast<float4 *>(t) + laneid)", T "float4 v = *(reinterpret_cast<float4 *>(t) + laneid);", "L16", "L496"},
    {"(&t[0])[laneid], *(&t[0] + laneid)", T "float v = (&t[0])[laneid]; v = *(&t[0] + laneid);", "L4 L4", "L124 L124"},
    {"__ldg of a sum", "global float g[256]\nfloat4 v = __ldg((float4 *)g + laneid); float w = __ldg(&g[0] + laneid);", "L16 L4", "L496 L124"},
    {"?: and && leave lanes out", T "float v = laneid < 16 ? t[laneid * 32] : 0.f; bool b = laneid < 8 && t[laneid] > 0;", "L128 L4", ""},
    {"alignas, an attribute, a parameter that is set", "define n = 5\n__global__ void k(float *t, int n) { alignas(16) float v[4]; [[maybe_unused]] int x = 3; n /= 2; t[n++] = v[0]; t[n * x] = 0; }", "S8 S36", "S8 S36"},
    {"a constant of a namespace beside one of a kernel", "namespace a { const int n = 3; }\n__global__ void k(float *t) { int n = 9; t[a::n] = n; }", "S12", "S12"},
    {"what nvcc defines", "#if defined(__CUDACC__) && defined __CUDA_ARCH__\n" T "ld t[1]\n#endif\n#if 1 << 31 > 0\nld t[2]\n#endif", "L4 L8", "L4 L8"},
};

static const refused_row refusals[] = {
    {"a union", "union U { float f; int i; };", 1, 0, "unions are not supported: cast the address"},
    {"five dimensions", "shared float a[2][2][2][2][2]", 1, 27, "more than 4 dimensions"},
    {"an index beyond its own dimension", "shared float m[4][8]\nld m[0][9]", 2, 8, "index 9 is out of bounds (0 to 7)"},
    {"an unknown architecture", "arch sm_33", 1, 5, "unknown architecture"},
    {"PTX: a width without a type", T "ld.shared.v4 t[laneid * 4]", 2, 13, ".v4 needs a type"},
    {"PTX: no such word", T "ld.shared.xyz t[laneid]", 2, 10, "a width such as v4.f32"},
    {"CuTe: a coordinate beyond the layout", "shared float a : (4,4):(4,1)\nld a(laneid)", 2, 5, "index 16 is out of bounds (0 to 15)"},
    {"an unknown type in a kernel", "__global__ void k(float *A) {\n  cudaStream_t s;\n  A[0] = 0;\n}", 2, 2, "'cudaStream_t' is neither a known type nor a statement"},
    {"a launch in a kernel", "__global__ void k(float *A) {\n  k<<<1, 32>>>(A);\n}", 2, 3, "launches inside kernels are not supported here"},
    {"a template of a known function", T "ld t[max<int>(1, 2)]", 2, 5, "template arguments of 'max' are not supported here"},
    {"a lambda", T "auto f = [&](int i) { return i; };\nld t[f(laneid)]", 2, 9, "lambdas are not supported here"},
    {"a lambda that is called at once", T "int x = [](int i) { return i; }(3);", 2, 8, "lambdas are not supported here"},
    {"a method", "struct P { int n; __device__ int at(int i) { return n; } };\n" T "ld t[sizeof(P)]", 1, 18, "methods, constants and access specifiers in structs are not supported here"},
    {"a constant of a struct", "struct P { static const int v = 3; };\n" T "ld t[P::v]", 1, 11, "methods, constants and access specifiers in structs are not supported"},
    {"a struct with methods, in a file", "struct P { int n; P(int i) : n(i) { } };\n__global__ void k(float *t) { P p(1); t[p.n] = 0; }", 2, 30, "types such as 'P' are not supported here"},
    {"a class", "class P { int n; };\n__global__ void k(P p, float *t) { t[p.n] = 0; }", 2, 18, "types such as 'P' are not supported here"},
    {"a scoped enumeration", "enum class E { A };\n" T "ld t[E::A]", 1, 11, "scoped and typed enumerations are not supported here"},
    {"an enumeration with a type, in a file", "enum E : short { A = 4 };\n__global__ void k(float *t) { E e = A; t[e] = 0; }", 2, 30, "types such as 'E' are not supported here"},
    {"a class template", "template <int N> struct P { int a[N]; };\n__global__ void k(float *t) { P<3> p; t[p.a[1]] = 0; }", 2, 30, "class templates such as 'P' are not supported here"},
    {"a constant of a class template", "template <int N> struct P { static const int v = N; };\n" T "ld t[P<3>::v]", 3, 5, "class templates such as 'P' are not supported here"},
    {"an index of a number", "__global__ void k(float a) { a[threadIdx.x] = 0; }", 1, 31, "too many indices: this is neither an array nor a pointer"},
    {"a member of a float", T "float *p = t; p->x = 1;", 2, 17, "no member 'x' here: this is a float"},
    {"a constant of an unknown function", "const int n = f(3);\nshared float a[n]", 2, 15, "depends on what 'f' returns"},
    {"a constant of a parameter", "__global__ void k(float *a, int n) { constexpr int m = n * 2; __shared__ float b[m]; }", 1, 81, "define n = ..."},
    {"a constant of a function", "constexpr __device__ int f(int i) { return i; }\nshared float a[f(3)]", 2, 15, "this must be a constant, but depends on the result of a function"},
    {"a constant of the block", "__global__ void k(float *a) { __shared__ float b[blockDim.x]; }", 1, 49, "the size of the block or grid: write a number"},
    {"a constant of the thread", "__global__ void k(float *a) { __shared__ float b[threadIdx.x]; }", 1, 49, "what differs between threads"},
    {"a loop of a parameter", "__global__ void k(float *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }", 1, -1, "define n = ..."},
    {"a pointer in a struct", "struct P { float *a; };\n" T "P p = {t}; p.a[2] = 1;", 3, 15, "pointers in structs are not tracked; 'emulate' runs the machine code"},
    {"a local array of indices", T "int o[2] = {1, 2}; ld t[o[1]]", 2, 24, "'emulate' runs the machine code"},
    {"a constant array that the host sets", "__constant__ int o[2] = {1, 2};\nvoid f() { cudaMemcpyToSymbol(o, p, 8); }\n" T "ld t[o[1]]", 4, 5, "the index depends on 'o', whose values are not tracked ('emulate'"},
    {"a declaration in a condition", T "if (int i = laneid) ld t[i]", 2, 4, "write it before the statement"},
    {"#if of the architecture's number", "#if __CUDA_ARCH__ >= 700\n#endif", 1, 0, "define __CUDA_ARCH__ = 900"},
    {"a pointer to one of two arrays", "shared int a[4], b[4]\nint *p = laneid ? a : b;", 2, 16, "different arrays"},
    {"goto", "goto x;", 1, 0, "goto is not supported"},
    {"a switch", T "switch (laneid) { case 0: t[0] = 1; }", 2, 0, "switch is not supported: use 'if', or run the machine code with"},
    {"a switch in a branch left out", "template <bool B> __device__ int f(int *s) {\n  if constexpr (B) {\n    switch (1) { }\n  }\n  s[threadIdx.x * 32] = 1;\n  return 0;\n}\nshared int s[1024]\nint x = f<false>(s);", 3, 4, "switch is not supported"},
    {"a pointer that a reference changes", "template <class T> __device__ void on(T &p) { p += threadIdx.x; }\n__global__ void k(float *g) { __shared__ float s[64]; float *q = s; on(q); q[0] = 1; }", 1, 41, "changes of a pointer by reference are not supported here"},
    {"an index from another lane", T "ld t[__shfl_sync(~0u, laneid, 5)]", 2, 5, "depends on what '__shfl_sync' returns"},
    {"an index of a vote", T "ld t[__ballot_sync(~0u, laneid < 4)]", 2, 5, "depends on what '__ballot_sync' returns"},
    {"an index of a group", "namespace cg = cooperative_groups;\n" T "auto cta = cg::this_thread_block();\nld t[cta.thread_index().x]", 4, 5, "depends on what 'thread_index' returns"},
    {"an index of turned bits", T "ld t[__brev(laneid) >> 27]", 2, 5, "depends on what '__brev' returns"},
    {"the size of an open local array", T "int o[] = {1, 2};\nld t[sizeof(o)]", 3, 11, "the size of this is not known"},
    {"an index of bytes", T "ld t[__byte_perm(laneid, 0, 0x4440)]", 2, 5, "depends on what '__byte_perm' returns"},
    {"an overload that converts", "__device__ int f(long long a) { return 1; }\n__device__ int f(double a) { return 2; }\n" T "ld t[f(3)]", 4, 5, "overloads of 'f' with as many arguments"},
    {"an array of pointers", T "__global__ void k() { float *p[2]; }", 2, 30, "arrays of pointers"},
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

int main(void) {
    return SUITE("front_everyday", TEST_EACH(accesses_are_those_of_the_threads, COUNT_OF(traces)),
                 TEST_EACH(the_rest_is_refused_in_words, COUNT_OF(refusals)));
}
