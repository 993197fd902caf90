/* SPDX-License-Identifier: MIT */
/* How a layout changes a source, and which uses it refuses. */
#include <stdlib.h>
#include <string.h>

#include "damaged_text.h"
#include "layout_edit.h"
#include "suite.h"

#define PAD(elements) \
    { .kind = LAYOUT_PAD, .row = 32, .pad = elements, .element_bytes = 4 }
#define XOR(bits, together) \
    { .kind = LAYOUT_XOR, .row = 32, .mask = bits, .unit = together, .element_bytes = 4 }
#define TURN \
    { .kind = LAYOUT_TURN, .row = 32, .rows = 2, .element_bytes = 4 }
#define STRUCT \
    { .kind = LAYOUT_STRUCT, .pad = 1 }
#define APART \
    { .kind = LAYOUT_APART }
#define OUTER(is, elements) \
    { .kind = is, .row = 4, .rows = 72, .pad = elements, .element_bytes = 4, .is_outer = true }
#define PLANES \
    { .kind = LAYOUT_XOR, .row = 8, .mask = 7, .unit = 1, .element_bytes = 4, .is_outer = true }
#define ALIGNED(elements) \
    { .kind = LAYOUT_PAD, .row = 32, .pad = elements, .element_bytes = 4, .is_aligned = true }
#define NAMED(elements, name)                                                             \
    {                                                                                     \
        .kind = LAYOUT_PAD, .row = 32, .pad = elements, .element_bytes = 4, .row_text = { \
            name,                                                                         \
            sizeof name - 1                                                               \
        }                                                                                 \
    }
#define INNER(elements, name)                                                                 \
    {                                                                                         \
        .kind = LAYOUT_PAD, .row = 32, .pad = elements, .element_bytes = 4, .is_inner = true, \
        .row_text = {                                                                         \
            name,                                                                             \
            sizeof name - 1                                                                   \
        }                                                                                     \
    }

#define SHORTER(bits) \
    { .kind = LAYOUT_XOR, .row = 17, .pad = -1, .mask = bits, .unit = 1, .element_bytes = 4 }

typedef struct edit_row {
    const char *text;
    layout_change change;
    const char *after; /* NULL: it is refused */
} edit_row;

/* clang-format off */
static const edit_row rows[] = {
    {"k() { __shared__ float t[32][32]; t[i][j]; }", PAD(1), "k() { __shared__ float t[32][33]; t[i][j]; }"},
    {"k() { __shared__ float t[32][32]; t[i][j]; }", ALIGNED(4), "k() { __shared__ __align__(16) float t[32][36]; t[i][j]; }"},
    {"k() { __shared__ alignas(8) float t[32][32]; t[i][j]; }", ALIGNED(4), NULL},
    {"k() { __shared__ float t[N][32]; float *q = t[i]; for (float *p = q; p != q + 32 && q + 32 > p; p++) s = *p; }", PAD(1),
     "k() { __shared__ float t[N][33]; float *q = t[i]; for (float *p = q; p != q + 32 && q + 32 > p; p++) s = *p; }"},
    {"k() { __shared__ float t[N][32]; float *p = t[0]; for (; i < n; p += 32) s = *p; }", PAD(1),
     "k() { __shared__ float t[N][33]; float *p = t[0]; for (; i < n; p += 33) s = *p; }"},
    {"#define K(T, N) k() { __shared__ T t[N][N]; t[i][j]; }\n", TURN, "#define K(T, N) k() { __shared__ T t[N][N]; t[j][i]; }\n"},
    {"template <int N> void f(float (&a)[32][N]) { a[i][j]; } k() { __shared__ float t[32][32]; f(t); }", PAD(1),
     "template <int N> void f(float (&a)[32][N]) { a[i][j]; } k() { __shared__ float t[32][33]; f(t); }"},
    {"template <int N> void f(float (&a)[32][N]) { a[i][j % N]; } k() { __shared__ float t[32][32]; f(t); }", PAD(1), NULL},
    {"__global__ void k() { extern __shared__ float t[]; t[y * 32 + x]; } f() { k<<<1, 2, 4100>>>(); k<<<1, 2, n * 4>>>(); }", PAD(1),
     "__global__ void k() { extern __shared__ float t[]; t[y * 33 + x]; } f() { k<<<1, 2, (4100 + 127) / 128 * 132>>>(); k<<<1, 2, (n * 4 + 127) / 128 * 132>>>(); }"},
    {"__global__ void k() { extern __shared__ float t[][32]; t[y][x]; } f() { k<<<1, 2, 32 * 32 * 4>>>(); }", PAD(1),
     "__global__ void k() { extern __shared__ float t[][33]; t[y][x]; } f() { k<<<1, 2, 32 * 33 * 4>>>(); }"},
    {"template <int N> k() { __shared__ float t[N][N]; float (&a)[N][N] = t; a[i][j]; }", PAD(1),
     "template <int N> k() { __shared__ float t[N][N + 1]; float (&a)[N][N + 1] = t; a[i][j]; }"},
    {"k() { __shared__ float s, t[N][N+1]; }", PAD(2), "k() { __shared__ float s, t[N][N+3]; }"},
    /* less padding */
    {"k() { __shared__ float t[32][30 + 2]; float *p = t[0]; p += 32; }", PAD(-1),
     "k() { __shared__ float t[32][30 + 1]; float *p = t[0]; p += 31; }"},
    {"const int LD = 32; float f(float (*u)[LD], int i) { return u[i][1]; } k() { __shared__ float t[32][30 + 2]; f(t, 2); }", PAD(-1),
     "const int LD = 32; float f(float (*u)[LD - 1], int i) { return u[i][1]; } k() { __shared__ float t[32][30 + 1]; f(t, 2); }"},
    {"const int LD = 32; k() { __shared__ float t[32][30 + 2]; float *p = t[0]; p[i * LD]; }", PAD(-1),
     "const int LD = 32; k() { __shared__ float t[32][30 + 1]; float *p = t[0]; p[i * (LD - 1)]; }"},
    {"k() { __shared__ float t[32][30 + 2]; float *p = t[0]; p[i]; }", PAD(-2),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i - i / 32 * 2;\n}\n\n"
     "k() { __shared__ float t[32][30]; float *p = t[0]; p[t_at(i)]; }"},
    {"k() { __shared__ short t[32][30 + 2]; int *p = (int *)t[0]; p[i * 16]; }", {.kind = LAYOUT_PAD, .row = 32, .pad = -2, .element_bytes = 2},
     "k() { __shared__ short t[32][30]; int *p = (int *)t[0]; p[i * 15]; }"},
    {"void f(float (*u)[17], int i) { u[i][1] = 0; } k() { __shared__ float t[16][M + 1]; f(t, 2); t[i][j]; }", SHORTER(15),
     "void f(float (*u)[16], int i) { u[i][1 ^ (i & 15)] = 0; } k() { __shared__ float t[16][M]; f(t, 2); t[i][j ^ (i & 15)]; }"},
    {"k() { __shared__ float t[16][17]; float *p = t[0]; p[i * 17 + j]; }", SHORTER(7),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return (i - i / 17) ^ (i / 17 & 7);\n}\n\n"
     "k() { __shared__ float t[16][16]; float *p = t[0]; p[t_at(i * 17 + j)]; }"},
    {"__global__ void k() { extern __shared__ float t[][17]; t[i][j]; } f() { k<<<1, 2, 68 * 16>>>(); }", SHORTER(15),
     "__global__ void k() { extern __shared__ float t[][16]; t[i][j ^ (i & 15)]; } f() { k<<<1, 2, (68 * 16) / 68 * 64>>>(); }"},
    {"k() { __shared__ float t[N][N * 2]; }", PAD(4), "k() { __shared__ float t[N][N * 2 + 4]; }"},
    {"k() { __shared__ float t[N][1 << B]; }", PAD(1), "k() { __shared__ float t[N][(1 << B) + 1]; }"},
    {"k() { __shared__ float t[A ? 32 : 64]; t[0]; }", XOR(31, 1),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i ^ (i / 32 & 31);\n}\n\n"
     "k() { __shared__ float t[A ? 32 : 64]; t[t_at(0)]; }"},
    {"k() { __shared__ float t[32][32]; t[i][j] = t[i + 1][j + k].x; }", XOR(31, 1),
     "k() { __shared__ float t[32][32]; t[i][j ^ (i & 31)] = t[i + 1][(j + k) ^ ((i + 1) & 31)].x; }"},
    {"k() { __shared__ float t[32][32]; t[i][j]; }", XOR(7, 4), "k() { __shared__ float t[32][32]; t[i][j ^ (i & 7) * 4]; }"},
    {"k() { __shared__ float t[32][32]; t[0][j]; a.t[i][j]; p->t[i][j]; }", XOR(31, 1),
     "k() { __shared__ float t[32][32]; t[0][j]; a.t[i][j]; p->t[i][j]; }"},
    {"k() { __shared__ float t[32][32]; t[i++][j]; }", XOR(31, 1), NULL},
    {"k() { __shared__ float t[4][9][8]; t[i + 1][j][k]; }", PLANES, "k() { __shared__ float t[4][9][8]; t[i + 1][j][k ^ ((i + 1) & 7)]; }"},
    {"k() { __shared__ float t[4][9][8]; t[i++][j][k]; }", PLANES, NULL},
    {"k() { __shared__ float t[9][8]; t[j][k]; }", PLANES, NULL},
    {"k() { __shared__ float t[32][32]; f(t); }", XOR(31, 1), NULL},
    {"k() { __shared__ float t[64]; t[t[i]]; }", XOR(31, 1), NULL},
    {"k() { __shared__ float t[64]; use(&t, 1); }", XOR(31, 1), NULL},
    {"float f(float (*u)[32], int i) { return u[i][1]; } k() { __shared__ float t[32][32]; f(t, 2); }", PAD(1),
     "float f(float (*u)[33], int i) { return u[i][1]; } k() { __shared__ float t[32][33]; f(t, 2); }"},
    {"float f(float (*u)[32], int i) { return u[i][1]; } k() { __shared__ float t[32][32]; f(t, 2); }", XOR(31, 1),
     "float f(float (*u)[32], int i) { return u[i][1 ^ (i & 31)]; } k() { __shared__ float t[32][32]; f(t, 2); }"},
    {"k() { __shared__ float t[N], b[N]; float *s = t, *d = b; d[i] = s[j]; float *x = s; s = d; d = x; }", PAD(1),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i + i / 32;\n}\n\n"
     "k() { __shared__ float t[N + N / 32], b[N + N / 32]; float *s = t, *d = b; d[t_at(i)] = s[t_at(j)]; float *x = s; s = d; d = x; }"},
    {"#include <x>\r\nk() {\r\n    __shared__ float t[64];\r\n    t[i];\r\n}\r\n", XOR(31, 1),
     "#include <x>\r\n__device__ static inline unsigned t_at(unsigned i) {\r\n    return i ^ (i / 32 & 31);\r\n}\r\n\r\n"
     "k() {\r\n    __shared__ float t[64];\r\n    t[t_at(i)];\r\n}\r\n"},
    {"k() { extern __shared__ float t[]; t[i]; }", PAD(1), NULL},
    {"k() { __shared__ float t[1024]; t[i]; }", PAD(1),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i + i / 32;\n}\n\n"
     "k() { __shared__ float t[1056]; t[t_at(i)]; }"},
    {"k() { __shared__ float t[1024]; float2 *p = (float2 *)(t + 64); p[i]; }", XOR(15, 2),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i ^ (i / 16 & 15);\n}\n\n"
     "k() { __shared__ float t[1024]; float2 *p = (float2 *)(t + 64); p[t_at(i)]; }"},
    {"k() { extern __shared__ char t[]; auto u = reinterpret_cast<float (*)[N]>(t); u[i][j]; }", XOR(31, 1),
     "k() { extern __shared__ char t[]; auto u = reinterpret_cast<float (*)[N]>(t); u[i][j ^ (i & 31)]; }"},
    {"k() { __shared__ float t[2][32 * N]; t[s][i * N + j]; }", INNER(1, "N"),
     "k() { __shared__ float t[2][32 * (N + 1)]; t[s][i * (N + 1) + j]; }"},
    {"k() { __shared__ float t[1024]; float *p = t + j; p += 32; }", PAD(1),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i + i / 32;\n}\n\n"
     "k() { __shared__ float t[1056]; float *p = t + t_at(j); p += 33; }"},
    {"k() { __shared__ float t[32][8]; t[i][j] = t[0][i + j]; }", {.kind = LAYOUT_XOR, .row = 8, .mask = 1, .unit = 4, .over = 4, .element_bytes = 4},
     "k() { __shared__ float t[32][8]; t[i][j ^ (i / 4 & 1) * 4] = t[0][i + j]; }"},
    /* what steps over rows steps over longer ones */
    {"k() { __shared__ float t[32 * 32]; t[y * 32 + x] = t[x * 32 + 7]; }", PAD(1),
     "k() { __shared__ float t[32 * 33]; t[y * 33 + x] = t[x * 33 + 7]; }"},
    {"k() { __shared__ float t[2 * N * N]; t[s * N * N + (y + 1) * N + x]; }", NAMED(1, "N"),
     "k() { __shared__ float t[2 * N * (N + 1)]; t[s * N * (N + 1) + (y + 1) * (N + 1) + x]; }"},
    {"k() { __shared__ float t[1024]; t[(y << 5) + x] = t[y / 32 * 4 + i % 32 * 3]; }", PAD(1),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i + i / 32;\n}\n\n"
     "k() { __shared__ float t[1056]; t[(y * 33) + x] = t[t_at(y / 32 * 4 + i % 32 * 3)]; }"},
    {"k() { __shared__ float t[1024]; float *r = &t[y * 32]; r[i] = *(r + 32 * j); }", PAD(1),
     "k() { __shared__ float t[1056]; float *r = &t[y * 33]; r[i] = *(r + 33 * j); }"},
    {"k() { __shared__ float t[32][32]; float *p = t[0], *q = t[y] + x; p[i * 32] = p[i] + q[32 * j] + q[1]; }", PAD(1),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i + i / 32;\n}\n\n"
     "k() { __shared__ float t[32][33]; float *p = t[0], *q = t[y] + x; p[i * 33] = p[t_at(i)] + q[33 * j] + q[1]; }"},
    {"float f(float *u, int i, int ld) { return u[i * ld]; } k() { __shared__ float t[1024]; f(t, 2, 32) + f(t + 32, 32, 32); }", PAD(4),
     "float f(float *u, int i, int ld) { return u[i * ld]; } k() { __shared__ float t[1152]; f(t, 2, 36) + f(t + 36, 32, 36); }"},
    {"k() { __shared__ float t[1024]; reinterpret_cast<float4 *>(t)[y * 8 + x] = ((float4 *)t)[i]; }", PAD(4),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i + i / 8;\n}\n\n"
     "k() { __shared__ float t[1152]; reinterpret_cast<float4 *>(t)[y * 9 + x] = ((float4 *)t)[t_at(i)]; }"},
    {"k() { __shared__ float t[1024]; reinterpret_cast<float4 *>(t)[i]; }", PAD(1), NULL},
    {"k() { __shared__ float t[1024]; unsigned a = __cvta_generic_to_shared(t); ld(a + (y * 32 + x) * 4); st(a + i * 4); }", PAD(4),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i + i / 128 * 16;\n}\n\n"
     "k() { __shared__ float t[1152]; unsigned a = __cvta_generic_to_shared(t); ld(a + (y * 36 + x) * 4); st(a + t_at(i * 4)); }"},
    {"k() { __shared__ float t[32][32]; float (*u)[32] = t; u[i][j]; load_matrix_sync(f, &t[i][0], 32); }", PAD(4),
     "k() { __shared__ float t[32][36]; float (*u)[36] = t; u[i][j]; load_matrix_sync(f, &t[i][0], 36); }"},
    {"__global__ void k() { extern __shared__ float t[]; t[y * 32 + x]; } f() { k<<<1, 2, 32 * 32 * sizeof(float)>>>(); }", PAD(1),
     "__global__ void k() { extern __shared__ float t[]; t[y * 33 + x]; } f() { k<<<1, 2, 32 * 33 * sizeof(float)>>>(); }"},
    {"__global__ void k() { extern __shared__ float t[]; t[y * 32 + x]; } f() { int n = 4096; cudaFuncSetAttribute(k, A, n); k<<<1, 2, n>>>(); }",
     PAD(1),
     "__global__ void k() { extern __shared__ float t[]; t[y * 33 + x]; } f() { int n = 4096 / 128 * 132; cudaFuncSetAttribute(k, A, n); "
     "k<<<1, 2, n>>>(); }"},
    {"k() { __shared__ float t[N * 32 + 8]; float *a = t, *b = a + N * 32, *c = b + N * 32; a[y * 32]; b[y * 32]; b[i]; c[i]; }", PAD(1),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i + i / 32;\n}\n\n"
     "k() { __shared__ float t[N * 33 + 8]; float *a = t, *b = a + N * 33, *c = b + N * 33; a[y * 33]; b[y * 33]; b[t_at(i)]; c[i]; }"},
    {"__global__ void k() { extern __shared__ float t[]; float *u = t + 1024; u[y * 32 + x]; } f() { k<<<1, 2, 8192>>>(); }", PAD(1),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i + i / 32;\n}\n\n"
     "__global__ void k() { extern __shared__ float t[]; float *u = t + t_at(1024); u[y * 33 + x]; } f() { k<<<1, 2, 8192 / 128 * 132>>>(); }"},
    {"__global__ void k() { extern __shared__ float t[]; t[y * 32 + x]; } f() { cudaLaunchKernel((const void *)k, g, b, a, 4096, 0); }", PAD(1),
     "__global__ void k() { extern __shared__ float t[]; t[y * 33 + x]; } f() { cudaLaunchKernel((const void *)k, g, b, a, 4096 / 128 * 132, 0); }"},
    {"k() { __shared__ float t[A][B]; t[i][j] = t[j + 1][0]; }", TURN, "k() { __shared__ float t[B][A]; t[j][i] = t[0][j + 1]; }"},
    {"k() { __shared__ float t[A][B]; f(t); }", TURN, NULL},
    {"k() { __shared__ float t[64]; t[i]; }", TURN,
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i % 32 * 2 + i / 32;\n}\n\n"
     "k() { __shared__ float t[64]; t[t_at(i)]; }"},
    {"k() { extern __shared__ float t[]; t[i]; }", {.kind = LAYOUT_ALIGN}, "k() { extern __shared__ __align__(16) float t[]; t[i]; }"},
    {"k() { extern __shared__ __align__(8) float t[]; t[i]; }", {.kind = LAYOUT_ALIGN}, NULL},
    {"struct B { int a; }; k() { __shared__ B t[8]; t[i].a; }", STRUCT, "struct B { int a; unsigned unused; }; k() { __shared__ B t[8]; t[i].a; }"},
    {"struct B { int a; };\n__global__ void k(B *b) { __shared__ B t[8]; B *u = t; }", STRUCT,
     "struct B { int a; };\nstruct B_apart : B {\n    using B::operator=;\n    unsigned unused;\n};\n\n"
     "__global__ void k(B *b) { __shared__ B_apart t[8]; B_apart *u = t; }"},
    {"k() { __shared__ B t[8]; t[i].a; }", STRUCT, NULL},
    {"k() { extern __shared__ char t[]; T *u = (T *)t; auto v = t; u[i]; v[i]; }", {.kind = LAYOUT_XOR, .row = 128, .mask = 31, .unit = 4, .element_bytes = 1},
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i ^ (i / 32 & 31);\n}\n\n"
     "__device__ static inline unsigned t_at2(unsigned i) {\n    return i ^ (i / 128 & 31) * 4;\n}\n\n"
     "k() { extern __shared__ char t[]; T *u = (T *)t; auto v = t; u[t_at(i)]; v[t_at2(i)]; }"},
    /* rows with a name of their own, pointers that change places */
    {"typedef float row[32]; k() { extern __shared__ char t[]; row *u = (row *)t; u[i][j]; }", XOR(31, 1),
     "typedef float row[32]; k() { extern __shared__ char t[]; row *u = (row *)t; u[i][j ^ (i & 31)]; }"},
    {"using row = float[N]; __global__ void k() { extern __shared__ char t[]; auto *v = t; row *u = (row *)t; u[i][j]; } "
     "g() { k<<<1, 2, 8 * sizeof(row)>>>(); }", NAMED(1, "N"),
     "using row = float[N + 1]; __global__ void k() { extern __shared__ char t[]; auto *v = t; row *u = (row *)t; u[i][j]; } "
     "g() { k<<<1, 2, 8 * sizeof(row)>>>(); }"},
    {"k() { __shared__ float t[64]; float *x = t, *y = t; float *z = x; x = y; y = z; y[i]; }", XOR(1, 31),
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i ^ (i / 32 & 1) * 31;\n}\n\n"
     "k() { __shared__ float t[64]; float *x = t, *y = t; float *z = x; x = y; y = z; y[t_at(i)]; }"},
    {"k() { __shared__ float t[64]; float *x = t; x = other; x[i]; }", XOR(1, 31), NULL},
    {"k() { __shared__ float t[64]; float *x = t, *y = x; x = y + i; y[i]; }", XOR(1, 31), NULL},
    {"template <class C, class T> f(T (&u)[C::N][C::N]) { u[i][j]; } k() { __shared__ T t[C::N][C::N]; f<C>(t); }", PAD(1),
     "template <class C, class T> f(T (&u)[C::N][C::N + 1]) { u[i][j]; } k() { __shared__ T t[C::N][C::N + 1]; f<C>(t); }"},
    /* a function returns it */
    {"float *f(float *u, int r) { return u + r * 32; } k() { __shared__ float t[1024]; f(t, i)[j] = 1; float *v = f(t, 2); v[32 * l]; }", PAD(1),
     "float *f(float *u, int r) { return u + r * 33; } k() { __shared__ float t[1056]; f(t, i)[j] = 1; float *v = f(t, 2); v[33 * l]; }"},
    {"__device__ float *f() { extern __shared__ float t[]; return t; } __global__ void k() { float *u = f(); u[y * 32 + i]; } "
     "g() { k<<<1, 2, 4096>>>(); }", PAD(1),
     "__device__ float *f() { extern __shared__ float t[]; return t; } __global__ void k() { float *u = f(); u[y * 33 + i]; } "
     "g() { k<<<1, 2, 4096 / 128 * 132>>>(); }"},
    {"struct S { operator T *() const { extern __shared__ int t[]; return (T *)t; } };\nk() { T *u = S<T>(); u[i]; f(2)[3]; }", XOR(31, 1),
     "struct S { operator T *() const { extern __shared__ int t[]; return (T *)t; } };\n"
     "__device__ static inline unsigned t_at(unsigned i) {\n    return i ^ (i / 32 & 31);\n}\n\n"
     "k() { T *u = S<T>(); u[t_at(i)]; f(2)[3]; }"},
    /* an array for each member */
    {"struct B { int a, c[2]; float d; }; k() { __shared__ B t[8][N]; t[i][j].c[k] = t[0][j + 1].a; }", APART,
     "struct B { int a, c[2]; float d; }; k() { __shared__ struct {\n    int a[8][N], c[2][8][N];\n    float d[8][N];\n} t; "
     "t.c[k][i][j] = t.a[0][j + 1]; }"},
    {"typedef struct { short a; float2 v; } B;\nk() {\n  __shared__ B t[8];\n  t[i] = in[i];\n  f(t[j].v.y, t[j], t[k].a);\n}\n", APART,
     "typedef struct { short a; float2 v; } B;\nk() {\n  __shared__ struct {\n      short a[8];\n      float2 v[8];\n  } t;\n"
     "  {\n      const B whole = in[i];\n      t.a[i] = whole.a;\n      t.v[i] = whole.v;\n  }\n"
     "  f(t.v[j].y, B{t.a[j], t.v[j]}, t.a[k]);\n}\n"},
    {"struct B { int a; };\nk() {\n\t__shared__ B t[8];\n\tfor (;;)\n\t\tt[i] = t[j];\n\telse t[i] = B();\n}\n", APART,
     "struct B { int a; };\nk() {\n\t__shared__ struct {\n\t\tint a[8];\n\t} t;\n"
     "\tfor (;;) {\n\t\tconst B whole = B{t.a[j]};\n\t\tt.a[i] = whole.a;\n\t}\n"
     "\telse {\n\t\tconst B whole = B();\n\t\tt.a[i] = whole.a;\n\t}\n}\n"},
    {"struct B { int a; }; k() { __shared__ B t[8]; B *u = &t[i]; }", APART, NULL},
    {"struct B { int a; }; k() { __shared__ B t[8]; f(t); }", APART, NULL},
    {"struct B { int a; }; k() { __shared__ B t[8], u[8]; t[i].a; }", APART, NULL},
    {"struct B { int a; }; k() { __shared__ B t[8]; t[i++].a; }", APART, NULL},
    {"struct B { int a; }; k() { __shared__ B t[8]; t[t[i].a].a; }", APART, NULL},
    {"struct B { int a; }; k() { __shared__ B t[8]; t[i] += 1; }", APART, NULL},
    {"struct B { int a; }; k() { __shared__ B t[8]; t[i] = whole; }", APART, NULL},
    {"struct B { int a; }; k() { extern __shared__ B t[]; t[i].a; }", APART, NULL},
    {"struct B { int a; B(); }; k() { __shared__ B t[8]; t[i].a; }", APART, NULL},
    /* other dimensions than the last two, and copies of a whole group */
    {"k() { __shared__ int t[9][8][4]; t[i][j][k] = t[a][b][c]; }", OUTER(LAYOUT_PAD, 1),
     "k() { __shared__ int t[9][9][4]; t[i][j][k] = t[a][b][c]; }"},
    {"k() { __shared__ int t[9][8][4]; t[i][j][k] = 1; }", OUTER(LAYOUT_TURN, 0),
     "k() { __shared__ int t[4][8][9]; t[k][j][i] = 1; }"},
    {"k() { __shared__ int t[9][8][4]; int *p = t[i][0]; p[1] = 1; }", OUTER(LAYOUT_PAD, 1), NULL},
    {"k() { __shared__ int t[9][32]; cg::memcpy_async(g, t, in, sizeof t); t[i][j]; }", PAD(4),
     "k() { __shared__ int t[9][36]; for (int row = 0; row < 9; row++)\n    cg::memcpy_async(g, t[row], in + row * 32, "
     "32 * sizeof(t[0][0])); t[i][j]; }"},
    {"k() { __shared__ int t[9][32]; memcpy_async(g, &t[0][0], in, aligned_size_t<16>(n), bar); }", PAD(4),
     "k() { __shared__ int t[9][36]; for (int row = 0; row < 9; row++)\n    memcpy_async(g, t[row], in + row * 32, "
     "aligned_size_t<16>(32 * sizeof(t[0][0])), bar); }"},
    {"k() { __shared__ int t[9][32]; memcpy_async(g, &t[0][0], in, n); t[i][j]; }", XOR(31, 1), NULL},
    {"k() { __shared__ int t[9][32]; memcpy_async(&t[i][j], &in[j], 4); }", XOR(31, 1),
     "k() { __shared__ int t[9][32]; memcpy_async(&t[i][j ^ (i & 31)], &in[j], 4); }"},
    {"k() { __shared__ int t[9][32]; use(&t[i][0]); }", XOR(31, 1), NULL},
    {"struct B { int a[N]; }; k() { __shared__ B t[8]; u = t[i]; }", APART, NULL},
    {"struct B { int a[2]; }; k() { __shared__ B t[8]; f(t[i].a); }", APART, NULL},
    {"template <class T> struct B { T a; }; k() { __shared__ B<int> t[8]; t[i].a; }", APART, NULL},
    {"#define T(i) t[i]\nk() { __shared__ float t[64]; T(i); }", XOR(31, 1),
     "#define T(i) t[t_at(i)]\n__device__ static inline unsigned t_at(unsigned i) {\n    return i ^ (i / 32 & 31);\n}\n\n"
     "k() { __shared__ float t[64]; T(i); }"},
    {"__global__ void k() { __shared__ float t[8]; t[threadIdx.x + threadIdx.y]; }", {.kind = LAYOUT_THREADS},
     "__global__ void k() { __shared__ float t[8]; t[threadIdx.y + threadIdx.x]; }"},
};
/* clang-format on */

START_TEST(a_layout_is_written) {
    const edit_row *row = &rows[_i];
    text_edits edits = {.count = 0};
    shared_declaration of;
    char why[LAYOUT_WHY];
    size_t at = 0, length;
    ck_assert_msg(shared_declaration_next(row->text, "t", &at, &of), "%s", row->text);
    const bool is_written = layout_write(row->text, NULL, &of, &row->change, &edits, why);
    ck_assert_msg(is_written == !!row->after, "%s: %s", row->text, why);
    if (is_written) {
        char *after = text_edits_apply(&edits, row->text, strlen(row->text), &length);
        ck_assert_str_eq(after, row->after);
        free(after);
    } else {
        ck_assert_ptr_nonnull(strstr(why, "line 1 uses t"));
    }
    text_edits_clear(&edits);
}
END_TEST

/* A launch gives the size of dynamic memory, so the words say which sizes a swizzle is for. */
START_TEST(sizes_of_a_swizzle_are_told) {
    static const struct {
        const char *text;
        layout_change change;
        const char *words;
    } all[] = {
        {"__shared__ float t[64][32]; t[i][j];", XOR(7, 4), "t: swizzle, column ^ (row & 7) * 4"},
        {"extern __shared__ float t[]; t[i];", XOR(7, 4),
         "t: swizzle, column ^ (row & 7) * 4, for multiples of 32 elements"},
        {"extern __shared__ float t[]; t[i];", XOR(1, 31),
         "t: swizzle, column ^ (row & 1) * 31, for multiples of 32 elements"},
        {"extern __shared__ char t[]; t[i];",
         {.kind = LAYOUT_XOR, .row = 128, .mask = 127, .unit = 1, .element_bytes = 1},
         "t: swizzle within rows of 128 bytes, for multiples of 128"},
        {"__shared__ float t[4][4][8]; t[i][j][k];", PLANES, "t: swizzle, column ^ (plane & 7)"},
    };
    shared_declaration of;
    size_t at = 0;
    char words[LAYOUT_WORDS];
    ck_assert(shared_declaration_next(all[_i].text, "t", &at, &of));
    ck_assert_str_eq(layout_words(&of, &all[_i].change, words), all[_i].words);
}
END_TEST

/* Members that are arrays, of what a variable, an array or a cast is. */
START_TEST(members_are_found) {
    static const char *const texts[] = {
        "struct S { int n, m; float a[4][B]; int f(int x[3]) { "
        "return 1; } T b[7], c[8]; }; k() { __shared__ S t; }",
        "template <int B> struct S { float a[4][B]; T b[7], c[8]; "
        "}; k() { __shared__ ns::S<B> t[3]; }",
        "union S { struct { float a[4][B]; } d; T b[7], c[8]; }; k() { extern "
        "__shared__ char t[]; S &s = *reinterpret_cast<S *>(t); }"};
    static const char *const names[] = {"a", "b", "c"};
    host_span type, body;
    shared_declaration of;
    size_t at = 0;
    ck_assert_msg(shared_struct_of(texts[_i], "t", &type, &body), "%s", texts[_i]);
    ck_assert(host_is(type, "S"));
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_msg(shared_member_next(texts[_i], body, &at, &of), "%s: %u", texts[_i], i);
        ck_assert(host_is(of.name, names[i]) && of.body.length > 0);
        ck_assert(host_is(of.type, i == 0 ? "float" : "T"));
        ck_assert_uint_eq(of.dims, i == 0 ? 2 : 1);
    }
    ck_assert(!shared_member_next(texts[_i], body, &at, &of));
}
END_TEST

enum { ROUNDS = 20000 };

/* A damaged text gets an answer, and all edits are inside it. */
START_TEST(damaged_texts_have_an_answer) {
    smp_random random = {5};
    for (unsigned i = 0; i < ROUNDS; i++) {
        char text[512], why[LAYOUT_WHY];
        const edit_row *row = &rows[i % (sizeof rows / sizeof *rows)];
        shared_declaration of;
        text_edits edits = {.count = 0};
        size_t at = 0, length;
        damaged_text(&random, row->text, text, sizeof text);
        char *blank = host_text_make(text, strlen(text));
        for (; shared_declaration_next(blank, i % 2 ? NULL : "t", &at, &of);) {
            if (layout_write(blank, NULL, &of, &row->change, &edits, why))
                free(text_edits_apply(&edits, text, strlen(text), &length));
            for (size_t k = 0; k < edits.count && why[0] == '\0'; k++) {
                const text_edit *one = &edits.items[k];
                ck_assert_uint_le(one->at + one->length,
                                  k + 1 < edits.count ? one[1].at : strlen(text));
            }
            text_edits_clear(&edits);
        }
        free(blank);
    }
}
END_TEST

int main(void) {
    return SUITE("layout_edit", TEST_EACH(sizes_of_a_swizzle_are_told, 5),
                 TEST_EACH(a_layout_is_written, COUNT_OF(rows)), TEST_EACH(members_are_found, 3),
                 TEST(damaged_texts_have_an_answer));
}
