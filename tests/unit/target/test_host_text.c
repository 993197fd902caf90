/* SPDX-License-Identifier: MIT */
/*
 * What a file says about its own kernels: values and shapes of expressions,
 * launches, and the launch that is assumed for a kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assumed_launch.h"
#include "suite.h"

/* ---- Values ---- */

typedef struct value_row {
    const char *text, *expression;
    int64_t value;
    bool is_value;
    const char *assumed; /* the first assumed name, or NULL */
} value_row;

/* clang-format off */
static const value_row values[] = {
    {"", "256", 256, true, NULL},
    {"", "0x20u", 32, true, NULL},
    {"", "2 + 3 * 4", 14, true, NULL},
    {"", "(2 + 3) * 4 - -1", 21, true, NULL},
    {"", "1 << 10", 1024, true, NULL},
    {"", "7 / 0", 0, false, NULL},
    {"", "(unsigned long)(size_t)12", 12, true, NULL},
    {"", "sizeof(float) * 33", 132, true, NULL},
    {"", "sizeof(unknown)", 0, false, NULL},
    {"typedef unsigned long long u64; using key = u64;", "32 * sizeof(key)", 256, true, NULL},
    {"struct S { float4 a; char b; };", "sizeof(S)", 32, true, NULL},
    {"struct alignas(64) S { float a; };", "sizeof(S)", 0, false, NULL},
    {"", "std::min(3, 4) + max(3, 4)", 7, true, NULL},
    {"", "ceil_div(100, 32)", 4, true, NULL},
    {"", "static_cast<int>(floor((float)(100 / 32)))", 3, true, NULL},
    {"", "1e6 + 0x1e", 1000030, true, NULL},
    {"", "ceil(1000 / (float)256) + ceil(1000 / 256)", 7, true, NULL},
    {"", "ceil((1000 + 256 - 1.) / 256)", 5, true, NULL},
    {"", "(int)ceil(float(1000) / 250) * 2", 8, true, NULL},
    {"", "ceilf(static_cast<double>(1000) / 256)", 4, true, NULL},
    {"double n = 1000; int m = n / 256;", "ceil(n / 256) + m", 7, true, NULL},
    {"auto n = 1000 / 256.;", "ceil(n)", 4, true, NULL},
    {"", "(int)(1000 / 256.) * 2", 6, true, NULL},
    {"", "1000 / 256. * 2", 0, false, NULL},
    {"", "-(1000 / 256.)", 0, false, NULL},
    {"", "ceil(-1000 / 256.)", 0, false, NULL},
    {"", "round(1000 / 256.)", 0, false, NULL},
    {"", "std::max(1000 / 256., 2)", 0, false, NULL},
    {"", "1000 * 1.5f", 0, false, NULL},
    {"int n = 1.5f;", "n", 1024, true, "n"},
    {"void g() { f(1000 / 256.); } void f(float n) { ", "n", 1024, true, "n"},
    {"", "kernel_size * k_rows + kw", 12, true, "kernel_size"},
    {"", "k_ + k_rows", 1027, true, "k_"},
    {"", "f(100)", 0, false, NULL},
    {"", "a[3]", 0, false, NULL},
    {"", "p->n", 0, false, NULL},
    {"#define TILE 16\n", "TILE * 2", 32, true, NULL},
    {"#  define TILE 16\n", "TILE * 2", 32, true, NULL},
    {"#defined TILE 16\n", "TILE", 1024, true, "TILE"},
    {"#define TILE (8 * ROWS) // comment\n#define ROWS 4\n", "TILE", 32, true, NULL},
    {"/* int n = 3; */ const int n = 5;", "n", 5, true, NULL},
    {"int n = 1; n = n + 2; ", "n", 3, true, NULL},
    {"int a = 3, b = a * 2;", "b", 6, true, NULL},
    {"enum { A = 4, B = A };", "B", 4, true, NULL},
    {"if (n == 3) ;", "n", 1024, true, "n"},
    {"constexpr unsigned int n{4U * 2};", "n", 8, true, NULL},
    {"struct n { int a; };", "n", 1024, true, "n"},
    {"", "INT_MAX / 2 + threadIdx.x + std::max<int>(1, stride)", 1073741824, true, "stride"},
    {"int n = m;", "n", 1024, true, "m"},
    {"x.n = 3;", "n", 1024, true, "n"},
    {"int n = n;", "n", 1024, true, "n"},
    {"char s[] = \"n = 3\";", "n", 1024, true, "n"},
    {"", "iterations", 2, true, "iterations"},
    {"if (x) { int n = 3; } else { int n = 5; ", "n", 5, true, NULL},
    {"int n = 7; if (x) { int n = 3; } ", "n", 7, true, NULL},
    {"void f() { int n = 3; } ", "n", 3, true, NULL},
    {"template <int N = 3> void f() { ", "N", 1024, true, "N"},
    {"enum { A = 4 }; void f() { ", "A", 4, true, NULL},
    {"const int n = 3; void f(int n) { ", "n", 3, true, "n"}, /* not that one, but a guess */
    {"const int n = 3; void f(int n) { int n = 4; ", "n", 4, true, NULL},
    {"const int n = 3; void f(int m, int n); void g() { f(1, n * 2); } void f(int m, int n) { "
     "if (m) { ", "n", 6, true, NULL},
    {"int n = 3; int g() { return f<int>(8); } void f(int n) { for (int m = 0;;) { ", "n", 8, true,
     NULL},
    {"void g() { f(8); f(9); } void f(int n) { ", "n", 8, true, "n"},
    {"void g(int m) { f(m); f(9); } void f(int n) { ", "n", 9, true, NULL},
    {"void g() { h(8); } void h(int m) { f(m + 1); } void f(int n) { ", "n", 9, true, NULL},
    {"void f(int n) { f(n + 1); ", "n", 1024, true, "n"},
    {"int n = 3; auto f = [](int n) { ", "n", 3, true, "n"},
    {"", "true + false", 1, true, NULL},
    {"dim3 b(32, 8);", "b.x * b.y", 256, true, NULL},
    {"dim3 b(32, 8);", "b.w", 0, false, NULL},
    {"dim3 b; b.x = 8; b.y = b.x / 2; b.x == 3;", "b.x * b.y", 32, true, NULL},
    {"__global__ void k() { int count = blockDim.x; }", "count", 1024, true, "count"},
};
/* clang-format on */

START_TEST(value) {
    const value_row *row = &values[_i];
    char after_header[200];
    (void)snprintf(after_header, sizeof after_header, " %s", row->text);
    char *text = host_text_make(after_header, strlen(after_header));
    text[0] = HOST_OWN; /* as host_text_read separates headers */
    host_scope scope = {.text = text, .at = text + strlen(text)};
    int64_t found = 0;
    const bool is_value =
        host_value(&scope, (host_span){row->expression, strlen(row->expression)}, &found);
    ck_assert_msg(is_value == row->is_value, "'%s', %s: %d", row->text, row->expression, is_value);
    if (is_value)
        ck_assert_msg(found == row->value, "'%s', %s is %lld", row->text, row->expression,
                      (long long)found);
    const char *assumed = scope.assumed_count > 0 ? scope.assumed[0].name : "";
    if (is_value)
        ck_assert_str_eq(assumed, row->assumed ? row->assumed : "");
    free(text);
}
END_TEST

START_TEST(byte_order_mark_is_blank) {
    static const char marked[] = "\xef\xbb\xbf#define TILE 16\n";
    char *text = host_text_make(marked, strlen(marked));
    ck_assert_str_eq(text, "   #define TILE 16\n");
    free(text);
}
END_TEST

/* ---- Shapes ---- */

typedef struct shape_row {
    const char *text, *expression;
    uint32_t shape[3];
} shape_row;

static const shape_row shapes[] = {
    {"", "64", {64, 1, 1}},
    {"", "dim3(4, 5)", {4, 5, 1}},
    {"", "{4, 5, 6}", {4, 5, 6}},
    {"", "(int)(4 + 5)", {9, 1, 1}},
    {"dim3 g(2, 3);", "g", {2, 3, 1}},
    {"dim3 g = dim3(2, 3, 4);", "g", {2, 3, 4}},
    {"dim3 g{7};", "g", {7, 1, 1}},
    {"dim3 g; g.x = 2; g.y = 3; g.x = g.x * 4;", "g", {8, 3, 1}},
    {"dim3 blockDim; blockDim.x = 96; dim3 gridDim; gridDim.x = 960 / blockDim.x;",
     "gridDim",
     {10, 1, 1}},
    {"const int n = 100; dim3 b(32), g((n + b.x - 1) / b.x);", "g", {4, 1, 1}},
    {"int threads = 96;", "threads", {96, 1, 1}},
    {"dim3 g(9); void h() { f(dim3(3, 4)); } void f(dim3 g) { ", "g", {3, 4, 1}},
    {"dim3 g(9); void h() { f(5); } void f(int g) { ", "g", {5, 1, 1}},
    {"void h() { dim3 b(n / 8, 2); f(b); } void f(dim3 g) { ", "g", {128, 2, 1}},
    {"void f(dim3 g) { ", "g", {0, 0, 0}},
    {"", "dim3(0)", {0, 0, 0}}, /* none */
};

START_TEST(shape) {
    const shape_row *row = &shapes[_i];
    char *text = host_text_make(row->text, strlen(row->text));
    host_scope scope = {.text = text, .at = text + strlen(text)};
    uint32_t found[3] = {0, 0, 0};
    if (!host_shape(&scope, (host_span){row->expression, strlen(row->expression)}, found))
        memset(found, 0, sizeof found);
    ck_assert_msg(memcmp(found, row->shape, sizeof found) == 0, "'%s', %s is %u %u %u", row->text,
                  row->expression, found[0], found[1], found[2]);
    free(text);
}
END_TEST

/* ---- Launches ---- */

typedef struct launch_row {
    const char *text, *demangled;
    uint32_t sizes[4]; /* of the parameters; 0 ends them */
    uint32_t bound;
    const char *launch, *assumed;
} launch_row;

/* clang-format off */
static const launch_row launches[] = {
    {"__global__ void k(float *p) { p[threadIdx.x] = 0; }", "k(float*)", {8}, 0,
     "k<<<1, 256>>>(float[] = random:-1:1)", "block 256, grid 1"},
    {"__global__ void k(float *p, int n) { p[blockIdx.x] = n; } void f() { k<<<3, 64>>>(p, 7); }", "k(float*, int)", {8, 4}, 0,
     "k<<<3, 64>>>(float[] = random:-1:1, 7)", ""},
    {"__global__ void k(float *p, double2 *q) { p[threadIdx.x] = 0; } void f() { k<<<1, 64>>>(p + 5 * 10, & q[3]); }", "k(float*, double2*)", {8, 8}, 0,
     "k<<<1, 64>>>(float[]+200 = random:-1:1, double2[]+48 = random:-1:1)", ""},
    {"__global__ void k(float *p, float *q) { p[threadIdx.x] = 0; } void f(int n) { k<<<1, 64>>>(p + n, q + 64); }", "k(float*, float*)", {8, 8}, 0,
     "k<<<1, 64>>>(float[] = random:-1:1, float[] = random:-1:1)", ""},
    {"__global__ void k(float *p) { p[threadIdx.x] = 0; } void f() { void *all[] = {&p[3]}; cudaLaunchKernel((void *)k, 1, 64, all); }", "k(float*)", {8}, 0,
     "k<<<1, 64>>>(float[] = random:-1:1)", ""},
    {"__global__ void k(int n) { } void f(int count) { k<<<count / 32, 32>>>(count); }", "k(int)", {4}, 0,
     "k<<<32, 32>>>(1024)", "count = 1024"},
    {"__global__ void k(float a, bool b, double c) { }", "k(float, bool, double)", {4, 1, 8}, 0,
     "k<<<1, 256>>>(1.0, true, 1.0)", "block 256, grid 1, a = 1.0, b = 1, c = 1.0"},
    {"__global__ void k(float a, float b, float c, float d) { } void f(float r) { k<<<1, 1>>>(1/r, -.5f, 2e3, 7*r); }", "k(float, float, float, float)", {4, 4, 4, 4}, 0,
     "k<<<1, 1>>>(1.0, -.5, 2e3, 1.0)", "a = 1.0, d = 1.0"},
    {"__global__ void k(int C, int c) { }", "k(int, int)", {4, 4}, 0, "k<<<1, 256>>>(8, 1024)", "block 256, grid 1, C = 8, c = 1024"},
    {"__global__ void k(float *p) { p[blockIdx.x] = 0; }", "k(float*)", {8}, 128,
     "k<<<8, 128>>>(float[] = random:-1:1)", "block 128, grid 8"},
    {"#define T 16\n__global__ void k(float *p) { __shared__ float s[T][T]; s[threadIdx.y][0] = p[blockIdx.x + blockIdx.y]; }", "k(float*)", {8}, 0,
     "k<<<dim3(64,64), dim3(16,16)>>>(float[] = random:-1:1)", "block 16x16, grid 64x64"},
    {"__global__ void k(float *p) { __shared__ float s[32][32]; for (int j = 0; j < 32; j += 8) s[threadIdx.y + j][0] = *p; }", "k(float*)", {8}, 0,
     "k<<<1, dim3(32,8)>>>(float[] = random:-1:1)", "block 32x8, grid 1"},
    {"template <int N> __global__ void k(int *p) { __shared__ int s[N]; s[0] = *p; }", "void k<64>(int*)", {8}, 0,
     "k<64><<<1, 64>>>(int[] = random:0:1023)", "block 64, grid 1"},
    {"template <class T, int N> __global__ void k(T *p) { } void f() { k<int, 4><<<1, 4>>>(p); k<float, 8><<<2, 8>>>(q); }", "void k<float, 8>(float*)", {8}, 0,
     "k<float, 8><<<2, 8>>>(float[] = random:-1:1)", ""},
    {"extern \"C\" __global__ void k(const unsigned char *__restrict__ p, unsigned n) { }", "k", {8, 4}, 0,
     "k<<<1, 256>>>(unsigned char[] = random:0:255, 1024)", "block 256, grid 1, n = 1024"},
    {"__global__ void k(float *p) { extern __shared__ float s[]; } void f() { k<<<1, 32, 32 * sizeof(float)>>>(p); }", "k(float*)", {8}, 0,
     "k<<<1, 32, 128>>>(float[] = random:-1:1)", ""},
    {"__global__ void k(float *p) { extern __shared__ float s[]; }", "k(float*)", {8}, 0,
     "k<<<1, 256, 49152>>>(float[] = random:-1:1)", "block 256, grid 1, 49152 dynamic shared bytes"},
    {"__global__ void k(Pair p) { }", "k(Pair)", {8}, 0,
     "k<<<1, 256>>>(hex:0000000000000000)", "block 256, grid 1, p of type Pair is all zeros"},
    {"", "k(half*, int)", {8, 4}, 0,
     "k<<<1, 256>>>(half[] = random:-1:1, 1024)", "block 256, grid 1, parameter 2 = 1024"},
    {"template <int N> __global__ void k(int *p) { } void f() { if (x) { int B = 64; k<B><<<2, B>>>(p); } else { int B = 32; k<B><<<4, B>>>(p); } }", "void k<32>(int*)", {8}, 0,
     "k<32><<<4, 32>>>(int[] = random:0:1023)", ""},
    {"template <int N> __global__ void k(int *p) { } template <int B> void f() { k<B><<<9 * B, B>>>(p); }", "void k<32>(int*)", {8}, 0,
     "k<32><<<288, 32>>>(int[] = random:0:1023)", ""},
    {"template <int N> __global__ void k(int *p) { }\n#define GO(T) \\\n dim3 b((T)), g(3); \\\n k<(T)><<<g, b>>>(p);\nint T;", "void k<32>(int*)", {8}, 0,
     "k<32><<<3, 32>>>(int[] = random:0:1023)", ""},
    {"template <int N> __global__ void k(int n) { } void f() { int N = 512; k<32><<<N / 64, 64>>>(N); }", "void k<32>(int)", {4}, 0,
     "k<32><<<8, 64>>>(512)", ""},
    {"template <int N> __global__ void k(int n) { } void f(int n) { k<64><<<7, 7>>>(5); }", "void k<32>(int)", {4}, 0,
     "k<32><<<1, 32>>>(5)", "block 32, grid 1"},
    {"template <class T, int N> __global__ void k(T *p) { } void f() { auto run = &k<float, 8>; k<int, 8><<<1, 4>>>(q); run<<<2, 8>>>(p); }", "void k<float, 8>(float*)", {8}, 0,
     "k<float, 8><<<2, 8>>>(float[] = random:-1:1)", ""},
    {"__global__ void k(int *rowPerm, const int *row_ptr, int *cols, int stride_w) { }", "k(int*, int const*, int*, int)", {8, 8, 8, 4}, 0,
     "k<<<1, 256>>>(int[] = iota, int[] = iota, int[] = random:0:1023, 1)", "block 256, grid 1, stride_w = 1"},
    {"__global__ void k(int *flag, unsigned *d_Counter, int *blocks) { }", "k(int*, unsigned int*, int*)", {8, 8, 8}, 0,
     "k<<<1, 256>>>(int[], unsigned int[], int[] = random:0:1023)", "block 256, grid 1"},
    {"__global__ void merge_tiles(const float *a, float *b, bool *c) { }", "merge_tiles(float const*, float*, bool*)", {8, 8, 8}, 0,
     "merge_tiles<<<1, 256>>>(float[] = iota, float[] = iota, bool[])", "block 256, grid 1"},
    {"__global__ void k(float *p) { extern __shared__ float s[]; } void f(int bytes) { k<<<1, 32, bytes>>>(p); }", "k(float*)", {8}, 0,
     "k<<<1, 32, 49152>>>(float[] = random:-1:1)", "49152 dynamic shared bytes"},
    {"__global__ void k(float *p) { extern __shared__ float s[]; } void f(int bytes) { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);\n"
     "k<<<1, 32, bytes>>>(p); }", "k(float*)", {8}, 0, "k<<<1, 32, 65536>>>(float[] = random:-1:1)", "65536 dynamic shared bytes"},
    {"struct M { int w, h; float *e; };\n__global__ void k(M a, float3 f, __half h) { }", "k(M, float3, __half)", {16, 12, 2}, 0,
     "k<<<1, 256>>>({1024, 1024, float[] = random:-1:1}, {float3(1.0)}, 1.0)", "block 256, grid 1, members of a, members of f, h = 1.0"},
    {"struct M { int stride; float *e; }; struct W { int stride, n; };\n__global__ void k(M a, W w) { }", "k(M, W)", {16, 8}, 0,
     "k<<<1, 256>>>({1024, float[] = random:-1:1}, {1, 1024})", "block 256, grid 1, members of a, members of w"},
    {"template <class T> class A { public: T *d = nullptr; short n{3}, m; static int s; A() : n(1) { } int f() { return n; } };\n"
     "__global__ void k(A<double> a) { }", "k(A<double>)", {16}, 0,
     "k<<<1, 256>>>({double[] = random:-1:1, short(1024), short(1024)})", "block 256, grid 1, members of a"},
    {"struct A : B { int n; };\ntypedef struct { int n : 3; } C;\nstruct D { char c; int n; };\n__global__ void k(A a, C c, D d) { }", "k(A, C, D)", {4, 4, 5}, 0,
     "k<<<1, 256>>>(hex:00000000, hex:00000000, hex:0000000000)", "block 256, grid 1, a of type A is all zeros, c of type C is all zeros, d of type D is all zeros"},
    {"__global__ void k(int n) { } void f() { const int n = 4; if (n == 3) { k<<<9, 9>>>(3); } k<<<2, 2>>>(n); }", "k(int)", {4}, 0,
     "k<<<2, 2>>>(4)", ""},
    {"__global__ void k(int n) { } void f(int n) { if (n == 3) { k<<<9, 9>>>(3); } k<<<2, 2>>>(n); }", "k(int)", {4}, 0,
     "k<<<9, 9>>>(3)", ""}, /* n may be 3 */
    {"#define GO(k, grid, block, ...) do { k<<<grid, block>>>(__VA_ARGS__); } while (0)\n__global__ void k(int n, int m) { } void f() { GO(k, 3, 192, 5, 6); }",
     "k(int, int)", {4, 4}, 0, "k<<<3, 192>>>(5, 6)", ""},
    {"#define TO(k, g, b, list...) (k)<<<(g), (b), 0>>>(list)\n#define GO(k, ...) TO((k), 3, dim3(32, 6), ##__VA_ARGS__)\n"
     "template <int N> __global__ void k(int n) { } void f() { int m = 9; GO((k<4>), m); } void g() { int m = 8; }",
     "void k<4>(int)", {4}, 0, "k<4><<<3, dim3(32,6)>>>(9)", ""},
    {"#define GO(N, T) k<N><<<2, T>>>(N)\ntemplate <int N> __global__ void k(int n) { } void f() { GO(4, 64); GO(8, 96); }",
     "void k<8>(int)", {4}, 0, "k<8><<<2, 96>>>(8)", ""},
    {"#define GO(k, n, ...) do { const int w = 96; dim3 b(w, 2), g((n + w - 1) / w); k<<<g, b>>>(__VA_ARGS__); } while (0)\n"
     "__global__ void k(int n) { } void f() { int m = 960; GO(k, m, 5); }", "k(int)", {4}, 0, "k<<<10, dim3(96,2)>>>(5)", ""},
    {"#define GO(N) do { dim3 b(N); k<N><<<2, b>>>(N); } while (0)\ntemplate <int N> __global__ void k(int n) { } void f() { GO(4); GO(8); }",
     "void k<8>(int)", {4}, 0, "k<8><<<2, 8>>>(8)", ""},
    {"__global__ void k(int n) { } void f() { k<<<2, 512>>>(3); }", "k(int)", {4}, 128,
     "k<<<2, 128>>>(3)", "block 128 (the launch's 512x1x1 is too large)"},
    {"__global__ void k(int n) { } void f(S s) { k<<<2, s.block>>>(3); }", "k(int)", {4}, 0,
     "k<<<2, 256>>>(3)", "block 256 (the launch's is unknown)"},
    {"template <int N> __global__ void k(int *p) { p[blockIdx.x * N + threadIdx.x] = 0; }", "void k<512>(int*)", {8}, 256,
     "k<512><<<4, 256>>>(int[] = random:0:1023)", "block 256 (its indices need 512, which is too large), grid 4"},
    {"__global__ void k(int *p, int n) { } void f() { void *a[] = {&p, &m}; int m = 5;"
     "cudaLaunchKernel((const void *)k, dim3(3), dim3(32, 2), a, 4 * 16, s); }",
     "k(int*, int)", {8, 4}, 0, "k<<<3, dim3(32,2), 64>>>(int[] = random:0:1023, 5)", ""},
    {"__global__ void k(int *p, int n) { } void f() { cudaLaunchConfig_t c = {}; c.gridDim = dim3(2, 3); c.blockDim = 64;"
     "c.dynamicSmemBytes = 1 << 8; c.gridDim = 7; cudaLaunchKernelEx(&c, k, p, 9); c.gridDim = 1; }",
     "k(int*, int)", {8, 4}, 0, "k<<<7, 64, 256>>>(int[] = random:0:1023, 9)", ""},
    {"__global__ void k(int *p) { } void f() { cudaLaunchConfig_t c{.gridDim = 2, .blockDim = {8, 8}}; void *a[1] = {&p};"
     "CHECK(cudaLaunchKernelExC(&c, reinterpret_cast<void *>(&k), a)); }",
     "k(int*)", {8}, 0, "k<<<2, dim3(8,8)>>>(int[] = random:0:1023)", ""},
    {"template <int N> __global__ void k(int *p) { } void f() { cudaLaunchConfig_t c = {4, 128, 32}; cudaLaunchKernelEx(&c, k<8>, p); }",
     "void k<8>(int*)", {8}, 0, "k<8><<<4, 128, 32>>>(int[] = random:0:1023)", ""},
    {"__global__ void k(int *p) { } void f() { cudaFuncSetCacheConfig(k, 0); RUN(1, (k), p); }", "k(int*)", {8}, 0,
     "k<<<1, 256>>>(int[] = random:0:1023)", "block 256, grid 1; the launch by RUN() is not understood"},
    {"template <class T, int B> __global__ void k(T *p) { }", "void k<float, 128>(float*)", {8}, 0,
     "k<float, 128><<<1, 128>>>(float[] = random:-1:1)", "block 128, grid 1"},
    {"template <int N, int B> __global__ void k(int n) { }", "void k<64, 128>(int)", {4}, 0,
     "k<64, 128><<<1, 256>>>(1024)", "block 256, grid 1, n = 1024"},
    {"struct alignas(16) V { float x, y; }; struct L { int lock; };\n__global__ void k(V *v, L *l) { }", "k(V*, L*)", {8, 8}, 0,
     "k<<<1, 256>>>(float[] = random:-1:1, char[])", "block 256, grid 1"},
    {"#define MAKE(NAME, T) \\\n __global__ void NAME ## _k(T *values, int n) { }\nMAKE(sum, double)\nvoid f() { sum_k<<<2, 96>>>(p, 7); }",
     "sum_k(double*, int)", {8, 4}, 0, "sum_k<<<2, 96>>>(double[] = random:-1:1, 7)", ""},
    {"#define MAKE(NAME, T) __global__ void NAME ## _of(T *values, int k) { }\nMAKE(sum, float)",
     "sum_of(float*, int)", {8, 4}, 0, "sum_of<<<1, 256>>>(float[] = random:-1:1, 1024)", "block 256, grid 1, k = 1024"},
    {"namespace a { __global__ void k(int *p) { } void f() { k<<<2, 2>>>(p); } }", "a::k(int*)", {8}, 0,
     "a::k<<<2, 2>>>(int[] = random:0:1023)", ""},
};
/* clang-format on */

START_TEST(launch) {
    const launch_row *row = &launches[_i];
    smp_parameter parameters[4];
    smp_assumed_launch found;
    smp_error error;
    const smp_launch_wish wish = {.known_count = 0};
    smp_launch_subject subject = {
        .shared_most = 65536,
        .name = row->demangled,
        .parameters = parameters,
        .threads_most = row->bound,
        .reads_rows = strstr(row->text, "threadIdx.y"),
        .reads_blocks = {strstr(row->text, "blockIdx.x"), strstr(row->text, "blockIdx.y")}};
    for (; subject.parameter_count < 4 && row->sizes[subject.parameter_count] > 0;
         subject.parameter_count++)
        parameters[subject.parameter_count] =
            (smp_parameter){.size_bytes = row->sizes[subject.parameter_count]};
    char *text = host_launches_expand(host_text_make(row->text, strlen(row->text)));
    ck_assert_int_eq(smp_launch_assume(&subject, text, &wish, &found, &error), SMP_OK);
    ck_assert_str_eq(found.launch, row->launch);
    ck_assert_str_eq(found.assumed, row->assumed);
    free(found.launch);
    free(found.assumed);
    free(text);
}
END_TEST

START_TEST(main_is_found) {
    static const struct {
        const char *text;
        bool has_main;
    } rows[] = {{"int main() { }", true},       {"int main(int argc, char **argv)\n{ }", true},
                {"// int main() { }\n", false}, {"int main();", false},
                {"void domain() { }", false},   {"char *s = \"int main() { }\";", false}};
    char *text = host_text_make(rows[_i].text, strlen(rows[_i].text));
    ck_assert_msg(host_has_main(text) == rows[_i].has_main, "%s", rows[_i].text);
    free(text);
}
END_TEST

int main(void) {
    return SUITE("host_text", TEST_EACH(value, COUNT_OF(values)), TEST(byte_order_mark_is_blank),
                 TEST_EACH(shape, COUNT_OF(shapes)), TEST_EACH(launch, COUNT_OF(launches)),
                 TEST_EACH(main_is_found, 6));
}
