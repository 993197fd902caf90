/* SPDX-License-Identifier: MIT */
/*
 * Layouts as text, one per row, and the cost of their last access; or the
 * line and column where they are refused. Expected numbers are worked out by hand from the rules
 * of the model: they test declarations, addresses and sums, not the model itself.
 */
#include <stdio.h>
#include <string.h>

#include "smp_layout.h"
#include "suite.h"

#define NONE UINT64_MAX /* not to be compared */

typedef struct total_row {
    const char *name;
    const char *arch;
    const char *text;
    uint64_t requests, ways, wavefronts, ideal, transactions;
    bool alike;
} total_row;

/* clang-format off */
static const total_row totals[] = {
    {"column of 32x32", "sm_90", "shared float t[32][32]\nblock 32x8\nld t[threadIdx.x][threadIdx.y]", 8, 32, 256, 8, NONE, true},
    {"column of 32x33", "sm_90", "shared float t[32][33]\nblock 32x8\nld t[threadIdx.x][threadIdx.y]", 8, 1, 8, 8, NONE, true},
    {"loop", "sm_90", "shared float t[32][32]\nblock 32x8\nfor j = 0:32:8\nld t[threadIdx.x][threadIdx.y + j]", 32, 32, 1024, 32, NONE, true},
    {"C loop", "sm_90", "__shared__ float t[32][32];\nblock 32x8\nfor (int j = 0; j < 32; j += 8) {\nst t[threadIdx.y + j][threadIdx.x];\n}", 32, 1, 32, 32, NONE, true},
    {"after the loop", "sm_90", "shared int a[64]\nfor j = 0:4\nst a[j]\nend\nst a[threadIdx.x]", 1, 1, 1, 1, NONE, true},
    {"nested loops", "sm_90", "shared int a[64]\nfor i = 0:3\nfor j = 0:4\nst a[threadIdx.x + i + j]", 12, 1, 12, 12, NONE, true},
    {"halving loop", "sm_90", "shared int a[256]\nblock 256\nfor (int s = 128; s > 0; s >>= 1)\nif (threadIdx.x < s) ld a[threadIdx.x + s]", 4 + 2 + 6, 1, 12, 12, NONE, false},
    {"doubling loop", "sm_90", "shared int a[256]\nfor s = 1:8:*2\nld a[threadIdx.x * s]", 3, 4, 1 + 2 + 4, 3, NONE, true},
    {"loop downwards", "sm_90", "shared int a[64]\nfor i = 3:-1:-1\nld a[threadIdx.x + i]", 4, 1, 4, 4, NONE, true},
    {"default block", "sm_90", "shared int a[32]\nld a[threadIdx.x]", 1, 1, 1, 1, NONE, true},
    {"partial warp", "sm_90", "shared int a[64]\nblock 48\nld a[threadIdx.x]", 2, 1, 2, 2, NONE, true},
    {"3-D block, x fastest", "sm_90", "shared int a[4][4][4]\nblock 4x4x4\nld a[threadIdx.z][threadIdx.y][threadIdx.x]", 2, 1, 2, 2, NONE, true},
    {"3-D block, z fastest index", "sm_90", "shared int a[4][4][4]\nblock dim3(4, 4, 4)\nld a[threadIdx.x][threadIdx.y][threadIdx.z]", 2, 2, 4, 2, NONE, true},
    {"16-wide block", "sm_90", "shared float t[16][16]\nblock 16x16\nld t[threadIdx.x][threadIdx.y]", 8, 8, 8 * 8, 8, NONE, true},
    {"guard", "sm_90", "shared int a[64]\nblock 64\nif threadIdx.x < 16 ld a[threadIdx.x * 4]", 1, 2, 2, 1, NONE, true},
    {"guard keeps indices in bounds", "sm_90", "shared int a[16]\nif (threadIdx.x < 16) st a[threadIdx.x]", 1, 1, 1, 1, NONE, true},
    {"define", "sm_90", "define N = 32\n#define PAD 1\nshared float t[N][N + PAD]\nld t[threadIdx.x][0]", 1, 1, 1, 1, NONE, true},
    {"variables", "sm_90", "shared float t[32][32]\nblock 32x8\nint tx = threadIdx.x, ty = threadIdx.y;\nlet k = tx * 2 / 2\nld t[k][ty]", 8, 32, 256, 8, NONE, true},
    {"variable of a loop", "sm_90", "shared int a[128]\nfor j = 0:2\nunsigned k = threadIdx.x << j;\nld a[k]", 2, 2, 3, 2, NONE, true},
    {"warps differ", "sm_90", "shared int a[4096]\nblock 64\nld a[threadIdx.x * (warpid + 1)]", 2, 2, 3, 2, NONE, false},
    {"block index", "sm_90", "shared int a[256]\nblockIdx 3\ngrid 4\nld a[threadIdx.x + blockIdx.x * blockDim.x]", 1, 1, 1, 1, NONE, true},
    /* Types */
    {"double", "sm_90", "shared double a[32]\nld a[threadIdx.x]", 1, 1, 2, 2, NONE, true},
    {"float4", "sm_90", "shared float4 a[32]\nld a[threadIdx.x]", 1, 1, 4, 4, NONE, true},
    {"float3 takes three", "sm_90", "shared float3 a[32]\nld a[threadIdx.x]", 3, 1, 3, 3, NONE, true},
    {"struct of 4 floats", "sm_90", "shared struct { float x, y, z, w; } p[32]\nld p[threadIdx.x].y", 1, 4, 4, 1, NONE, true},
    {"struct of 3 floats", "sm_90", "shared struct { float x, y, z; } p[32]\nld p[threadIdx.x].z", 1, 1, 1, 1, NONE, true},
    {"struct by name", "sm_90", "struct P { char c; double d; };\nshared struct P p[32]\nld p[threadIdx.x].d", 1, 2, 4, 2, NONE, true},
    {"aligned struct in one", "sm_90", "shared struct __align__(16) { float x, y, z, w; } p[32]\nld p[threadIdx.x]", 1, 1, 4, 4, NONE, true},
    {"member array", "sm_90", "shared struct { int a[4]; } p[32]\nld p[threadIdx.x].a[2]", 1, 4, 4, 1, NONE, true},
    {"vector component", "sm_90", "shared float2 p[32]\nld p[threadIdx.x].y", 1, 2, 2, 1, NONE, true},
    {"half", "sm_90", "shared half a[64]\nld a[threadIdx.x]", 1, 1, 1, 1, NONE, true},
    {"char", "sm_90", "shared unsigned char a[1024]\nld a[threadIdx.x * 32]", 1, 8, 8, 1, NONE, true},
    {"reinterpretation", "sm_90", "shared float t[32][32]\nld *(float4 *)&t[threadIdx.x][0]", 1, 8, 32, 4, NONE, true},
    {"reinterpret_cast", "sm_90", "shared float a[128]\nld reinterpret_cast<float4 *>(a)[threadIdx.x]", 1, 1, 4, 4, NONE, true},
    {"cast of the array", "sm_90", "shared float t[4][32]\nst ((float4 *)t)[threadIdx.x]", 1, 1, 4, 4, NONE, true},
    {"pointer arithmetic", "sm_90", "shared float a[128]\nld *(a + threadIdx.x * 2 + 1)", 1, 2, 2, 1, NONE, true},
    {"second array after the first", "sm_90", "shared char c[5]\nshared int a[32]\nst a[threadIdx.x]", 1, 1, 1, 1, NONE, true},
    {"conflict across arrays needs offsets", "sm_90", "shared int a[16], b[48]\nld *(b + threadIdx.x)", 1, 1, 1, 1, NONE, true},
    {"dynamic", "sm_90", "extern __shared__ float buf[]\nld buf[threadIdx.x * 2]", 1, 2, 2, 1, NONE, true},
    {"placed", "sm_90", "shared int a[32] @ 1024\nld a[threadIdx.x]", 1, 1, 1, 1, NONE, true},
    /* Layouts */
    {"swizzle frees a column", "sm_90", "shared float t[32][32] : Swizzle<5,0,5>\nld t[threadIdx.x][3]", 1, 1, 1, 1, NONE, true},
    {"swizzle keeps a row", "sm_90", "shared float t[32][32] : Swizzle<5,0,5>\nst t[3][threadIdx.x]", 1, 1, 1, 1, NONE, true},
    {"column-major layout", "sm_90", "shared float t : (32,32):(1,32)\nld t[threadIdx.x][3]", 1, 1, 1, 1, NONE, true},
    {"padded layout, call syntax", "sm_90", "shared float t : (32,32):(33,1)\nld t(threadIdx.x, 3)", 1, 1, 1, 1, NONE, true},
    {"nested layout", "sm_90", "shared float t : ((4,8),32):((1,128),4)\nld t(threadIdx.x, 0)", 1, 8, 8, 1, NONE, true},
    {"swizzled ldmatrix", "sm_90", "shared half a : Swizzle<3,3,3> o (64,64):(64,1)\nldmatrix.x4 &a[laneid % 16][laneid / 16 * 8]", 1, 1, 4, 4, NONE, true},
    {"plain ldmatrix of 128-byte rows", "sm_90", "shared half a[64][64]\nldmatrix.sync.aligned.m8n8.x4.shared.b16 &a[laneid % 16][laneid / 16 * 8]", 1, 8, 32, 4, NONE, true},
    {"ldmatrix.trans x1", "sm_90", "shared half a[64][64]\nldmatrix.x1.trans &a[laneid % 8][0]", 1, 8, 8, 1, NONE, true},
    /* Operations */
    {"a reduction on one word", "sm_90", "shared int h[256]\nred h[0]", 1, 32, 32, 1, NONE, true},
    {"atomicAdd on one word", "sm_90", "shared int h[256]\natomicAdd(&h[0], 2)", 1, 1, 1, 1, NONE, true},
    {"atomicCAS", "sm_90", "shared int h[256]\natomicCAS(&h[threadIdx.x], f(old), 1);", 1, NONE, 2, 2, NONE, true},
    {"atomicExch of doubles", "sm_90", "shared double h[32]\natomicExch(&h[threadIdx.x], 1.0)", 1, 1, 2, 2, NONE, true},
    {"global load", "sm_90", "global float A[1024][1024]\nld A[threadIdx.x][0]", 1, NONE, NONE, NONE, 32, true},
    {"global open array", "sm_90", "global const float *A\nld.global A[threadIdx.x + 8]", 1, NONE, NONE, NONE, 4, true},
    {"red on global memory", "sm_90", "global int A[]\natomicAdd(&A[threadIdx.x], 1)", 1, NONE, NONE, NONE, 4, true},
    {"remote load", "sm_90", "shared int a[64]\nld.cluster(1) a[threadIdx.x]", 1, NONE, NONE, NONE, 4, true},
    {"remote load from two blocks", "sm_90", "shared int a[64]\nld.shared::cluster(threadIdx.x & 1) a[threadIdx.x]", 1, NONE, NONE, NONE, 8, true},
    {"Kepler's 8-byte banks", "sm_35", "shared float t[32][32]\nld t[threadIdx.x][0]", 1, 16, 16, 1, NONE, true},
    /* Assignments: the last access is the store */
    {"assignment", "sm_90", "shared float t[32][32]\nglobal float *in\nt[laneid][0] = 2.5f * in[laneid];", 1, 32, 32, 1, NONE, true},
    {"declaration that loads", "sm_90", "shared float t[32][32]\nfloat v = f(x) * t[laneid][0];", 1, 32, 32, 1, NONE, true},
    {"integer that loads", "sm_90", "shared int t[32]\nconst int v = 3 + *(t + laneid);", 1, 1, 1, 1, NONE, true},
    {"increment", "sm_90", "shared int t[32]\nif (laneid < 4) t[laneid]++;", 1, 1, 1, 1, NONE, true},
    {"vector copy", "sm_90", "shared float t[128]\nglobal float *in\n*(float4 *)&t[laneid * 4] = *(float4 *)&in[laneid * 4];", 1, 1, 4, 4, NONE, true},
    {"multiplication is no dereference", "sm_90", "shared int t[32], u[32]\nt[laneid] = u[0] * u[laneid];", 1, 1, 1, 1, NONE, true},
    {"loop without braces", "sm_90", "shared int t[32]\nfor (int i = 0; i < 3; ++i)\n    t[i] = 0;\nt[laneid] += 1;", 1, 1, 1, 1, NONE, true},
    {"barriers", "sm_90", "__shared__ float t[32][32];\nblock 32x8\nfor (int j = 0; j < 32; j += 8)\nt[threadIdx.y + j][threadIdx.x] = 0;\n__syncthreads();\nld t[threadIdx.x][threadIdx.y]\n__syncwarp()", 8, 32, 256, 8, NONE, true},
    {"barrier as a loop's body", "sm_90", "shared int t[32]\nfor (int i = 0; i < 3; i++)\n__syncthreads();\nld t[laneid]", 1, 1, 1, 1, NONE, true},
    {"what a loop's step leaves", "sm_90", "shared int t[64]\nint n = 0;\nfor (; n < 2; n++)\n__syncthreads();\nld t[laneid * n]", 1, 2, 2, 1, NONE, true},
    {"loop with a brace below", "sm_90", "shared int t[32]\nfor (int i = 4; i >= 1; i--)\n{\nt[0] = 1;\nld t[i + 1]\n}", 4, 1, 4, 4, NONE, true},
    {"CRLF", "sm_90", "shared float t[32][32]\r\nblock 32x8\r\nld t[threadIdx.x][threadIdx.y]\r\n", 8, 32, 256, 8, NONE, true},
    {"comments", "sm_90", "# one\n\n// two\nshared int a[32] # three\n  ld a[threadIdx.x] // four\n#\n", 1, 1, 1, 1, NONE, true},
};

typedef struct error_row {
    const char *name;
    const char *text;
    unsigned line;
    int position;
    const char *says;
} error_row;

static const error_row errors[] = {
    {"unknown statement", "hello world", 1, 0, "expected a statement"},
    {"unknown array", "ld t[0]", 1, 3, "no array 't'"},
    {"unknown type", "shared flaot t[3]", 1, 7, "'flaot' is not a known type: define flaot = float, or its type"},
    {"missing bracket", "shared float t[3", 1, 16, "']'"},
    {"zero dimension", "shared float t[0]", 1, 15, "must be 1"},
    {"five dimensions", "shared float t[1][1][1][1][1]", 1, 27, "more than 4"},
    {"huge array", "shared float t[1000000][1000000][1000000]", 1, 41, "too large"},
    {"array of 2 to the 70", "global char t[1073741824][1024][1073741824]", 1, 43, "too large"},
    {"declared twice", "shared int a[3]\nshared int a[3]", 2, 11, "already declared"},
    {"open static array", "shared int a[]", 1, 11, "must be extern"},
    {"misplaced", "shared int a[3] @ 2", 1, 18, "not a multiple"},
    {"too few indices", "shared int a[3][3]\nld a[0]", 2, 3, "2 dimensions"},
    {"too many indices", "shared int a[3]\nld a[0][0]", 2, 8, "too many"},
    {"no such member", "shared float2 a[3]\nld a[0].z", 2, 8, "no member 'z'"},
    {"no space", "shared int a[3]\nld.local a[0]", 2, 3, "expected shared"},
    {"wrong space", "shared int a[3]\nld.global a[0]", 2, 10, "shared memory"},
    {"matrices missing", "shared half a[64]\nldmatrix a[0]", 2, 9, ".x1, .x2 or .x4"},
    {"swizzle overlaps", "shared int a[64] : Swizzle<3,0,2>", 1, 19, "shift"},
    {"profiles differ", "shared int a : (2,(3,4)):(1,2)", 1, 15, "profiles"},
    {"block too large", "block 64x32", 1, 6, "1024"},
    {"block of none", "block 0", 1, 6, "0"},
    {"block twice", "block 32\nblock 32", 2, 6, "already"},
    {"endless loop", "for j = 1:0:*2\nfor k = 0:8:*2", 1, 4, "no iteration"},
    {"factor from 0", "for k = 0:8:*2", 1, 4, "never end"},
    {"step 0", "for k = 0:8:0", 1, 4, "step is 0"},
    {"end without loop", "end", 1, 0, "no loop"},
    {"loop variable ended", "shared int a[9]\nfor j = 0:2\nend\nld a[j]", 4, 5, "unknown name 'j'"},
    {"expect before access", "expect ways <= 1", 1, 7, "access before it"},
    {"expect by what", "shared int a[32]\nld a[0]\nexpect ways # 3\nld a[1]", 3, 11, "< or >, but the line ends here"},
    {"expect how much", "shared int a[32]\nld a[0]\nexpect ways <=\nld a[1]", 3, 14, "expected a number"},
    {"expect where", "shared int a[32]\nld a[0]\nexpect ways <= 1 on\nld a[1]", 3, 19, "expected an architecture"},
    {"expect that assigns", "shared int a[32]\nld a[0]\nexpec, t = ways < 2", 3, 0, "this sets an undeclared name and accesses nothing: 'expect' makes a"},
    {"condition that declares", "shared int a[32]\nif (int k = 1; k < 2) a[0] = 1;", 2, 4, "a declaration in a condition"},
    {"a promise that is none", "shared int a[32]\nld a[0]\nexpecwtways = 6 # sm_86", 3, 0, "this sets an undeclared name and accesses nothing: 'expect' makes a"},
    {"a promise of names", "shared int a[32]\nld a[0]\nexp=ct<wavefront<a != 1", 3, 0, "this sets an undeclared name and accesses nothing: 'expect' makes a"},
    {"expect in one word", "shared int a[32]\nld a[0]\nexpectways = 6 # sm_86", 3, 0, "did you mean 'expect'"},
    {"expect of what", "shared int a[32]\nld a[0]\nexpect speed <= 1", 3, 7, "expected ways"},
    {"unknown architecture", "arch sm_90, sm_5", 1, 12, "unknown architecture"},
    {"name taken", "define min = 3", 1, 7, "already has a meaning"},
    {"define of a variable", "define N = threadIdx.x", 1, 11, "constant"},
    {"trailing text", "block 32 8", 1, 9, "end of the line"},
    {"brace without end", "{", 1, 0, "this '{' is not closed"},
    {"operator of nothing", "shared int a[3]\na[0] * 3", 2, 0, "no effect"},
    {"NUL", "shared\0 int a[3]", 1, 6, "0x00"},
    {"cp.async.cg width", "shared int s[4]\nglobal int g[4]\ncp.async.cg &s[0], &g[0]", 3, 12, "16 bytes, not 4"},
    {"cp.async width", "shared float3 s[4]\nglobal float g[4]\ncp.async &s[0], &g[0]", 3, 9, "4, 8 or 16"},
    /* While evaluating */
    {"out of bounds", "shared float t[32][32]\nld t[threadIdx.x + 1][0]", 2, 5, "lane 31: index 32 is out of bounds (0 to 31), in warp 0"},
    {"negative", "shared int a[64]\nfor j = 0:4\nld a[2 - j]", 3, 5, "index -1 is out of bounds (0 to 63), in warp 0, j = 3"},
    {"unsigned below zero", "shared int a[64]\nld a[threadIdx.x - 1]", 2, 5, "lane 0: index 4294967295"},
    {"cast past the end", "shared float a[30]\nld ((float2 *)a)[threadIdx.x]", 2, 3, "lane 15: byte 120 is outside 'a'"},
    {"misaligned", "shared float a[128]\nld *(float4 *)&a[threadIdx.x]", 2, 3, "lane 1: offset 4 is not a multiple"},
    {"division", "shared int a[64]\nld a[1 / threadIdx.x]", 2, 7, "lane 0: division by zero"},
    {"division in a variable", "shared int a[64]\nlet k = 1 / threadIdx.x\nld a[k]", 2, 10, "lane 0: division by zero"},
    {"beyond shared memory", "extern __shared__ int a[]\nld a[threadIdx.x * 100000]", 2, 3, "beyond"},
    {"nobody", "shared int a[64]\nif threadIdx.x > 99 ld a[0]", 2, 0, "no thread"},
    {"too many requests", "shared int a[1]\nfor i = 0:100000\nfor j = 0:100000\nld a[0]", 4, 0, "more than"},
    {"rank", "shared int a[1]\nld.cluster(16) a[0]", 2, 15, "rank 16"},
};
/* clang-format on */

static smp_status run(const char *text, size_t length, const char *arch, smp_totals *out,
                      unsigned *line, smp_error *error) {
    smp_layout *layout = smp_layout_new();
    ck_assert_ptr_nonnull(layout);
    smp_status status = smp_layout_add_lines(layout, text, length, line, error);
    for (size_t i = 0; i < smp_layout_access_count(layout) && status == SMP_OK; i++)
        status = smp_layout_evaluate(layout, smp_arch_find(arch), i, out, line, error);
    smp_layout_free(layout);
    return status;
}

static void check_total(const char *name, const char *what, uint64_t is, uint64_t expected) {
    ck_assert_msg(expected == NONE || is == expected, "%s: %s is %llu, not %llu", name, what,
                  (unsigned long long)is, (unsigned long long)expected);
}

START_TEST(totals_are_right) {
    const total_row *row = &totals[_i];
    smp_totals out = {0};
    smp_error error = {.message = ""};
    unsigned line = 0;
    smp_status status = run(row->text, strlen(row->text), row->arch, &out, &line, &error);
    ck_assert_msg(status == SMP_OK, "%s: %u:%d: %s", row->name, line, error.position,
                  error.message);
    check_total(row->name, "requests", out.requests, row->requests);
    check_total(row->name, "ways", out.ways, row->ways);
    check_total(row->name, "wavefronts", out.wavefronts_max, row->wavefronts);
    check_total(row->name, "ideal", out.ideal, row->ideal);
    check_total(row->name, "transactions", out.transactions, row->transactions);
    ck_assert_msg(out.warps_alike == row->alike, "%s: alike", row->name);
}
END_TEST

START_TEST(errors_have_a_place) {
    const error_row *row = &errors[_i];
    smp_totals out;
    smp_error error = {.position = -1};
    unsigned line = 0;
    size_t length = strcmp(row->name, "NUL") == 0 ? 16 : strlen(row->text);
    smp_status status = run(row->text, length, "sm_90", &out, &line, &error);
    ck_assert_msg(status != SMP_OK, "%s is accepted", row->name);
    ck_assert_msg(strstr(error.message, row->says), "%s: %s", row->name, error.message);
    ck_assert_msg(line == row->line && error.position == row->position, "%s: %u:%d, not %u:%d: %s",
                  row->name, line, error.position, row->line, row->position, error.message);
}
END_TEST

/* Offsets of one access of an architecture's default. */
static smp_access worst_of(const char *text) {
    smp_totals out;
    smp_error error = {.message = ""};
    unsigned line;
    smp_status status = run(text, strlen(text), "sm_90", &out, &line, &error);
    ck_assert_msg(status == SMP_OK, "%s", error.message);
    return out.worst;
}

START_TEST(arrays_lie_behind_each_other) {
    smp_access access = worst_of("shared char c[5]\nshared double d[2]\nshared int a[32]\n"
                                 "extern __shared__ char x[]\nld a[threadIdx.x]");
    ck_assert_uint_eq(access.offset_bytes[0], 8 + 16);
    access = worst_of("shared char c[5]\nextern __shared__ int x[] @ 32\nld x[threadIdx.x]");
    ck_assert_uint_eq(access.offset_bytes[0], 16 + 32);
    access =
        worst_of("shared float c[5]\nextern __shared__ __align__(1024) float x[]\nld x[laneid]");
    ck_assert_uint_eq(access.offset_bytes[1], 1024 + 4);
    /* The strictest of several alignments, since all arrays begin at one place. */
    access = worst_of("shared float c[5]\nextern __shared__ __align__(64) float x[]\n"
                      "extern __shared__ char b[]\nld b[laneid]");
    ck_assert_uint_eq(access.offset_bytes[1], 64 + 1);
    access = worst_of("shared char c[5]\nshared alignas(128) int a[32]\nld a[threadIdx.x]");
    ck_assert_uint_eq(access.offset_bytes[1], 128 + 4);
}
END_TEST

#define INSTANCES                                                                             \
    "template <int N, class T> __device__ void f(T v) {\n__shared__ int s[32];\ns[laneid] = " \
    "v;\n}\n"                                                                                 \
    "extern __shared__ int x[]\n"

/* Each instance of a template has arrays of its own, which all its calls share. */
START_TEST(instances_have_their_own_arrays) {
    static const struct {
        const char *calls;
        uint32_t start;
    } rows[] = {{"f<1, int>(0); f<1>(1)", 128},
                {"f<1>(0); f<2>(0)", 256},
                {"f<1>(0); f<1>(0u); f<1>(0)", 256},
                {"f<2>(0); f<1>(0); f<2>(0u)", 384}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[300];
        (void)snprintf(text, sizeof text, "%s%s\nld x[laneid]", INSTANCES, rows[i].calls);
        ck_assert_uint_eq(worst_of(text).offset_bytes[0], rows[i].start);
    }
}
END_TEST

/* Arrays that one macro declares in two functions are two. */
START_TEST(a_macro_declares_an_array_per_use) {
    const smp_access access = worst_of("#define ROW __shared__ int s[32];\n"
                                       "__device__ void f() { ROW s[laneid] = 0; }\n"
                                       "__device__ void g() { ROW s[laneid] = 0; }\n"
                                       "extern __shared__ int x[]\nf(); g(); f(); ld x[laneid]");
    ck_assert_uint_eq(access.offset_bytes[0], 256);
}
END_TEST

START_TEST(copy_has_two_sides) {
    smp_access access = worst_of("shared float s[128]\nglobal float p[3]\nglobal float g[512]\n"
                                 "cp.async.cg *(float4 *)&s[threadIdx.x * 4], &g[threadIdx.x * 8]");
    ck_assert_int_eq(access.op, SMP_CP_ASYNC);
    ck_assert_uint_eq(access.width_bytes, 16);
    ck_assert_uint_eq(access.offset_bytes[3], 48);
    ck_assert_uint_eq(access.address_bytes[3], 256 + 96);
}
END_TEST

/* Of 16 bytes; narrower ones all go through L1. */
START_TEST(copy_through_l1_is_an_operation) {
    static const char arrays[] = "shared int s[512]\nglobal int g[512]\n";
    static const struct {
        const char *access;
        smp_op op;
    } rows[] = {
        {"cp.async.ca &s[4 * laneid], &g[4 * laneid], 16", SMP_CP_ASYNC_CA},
        {"cp.async.ca &s[laneid], &g[laneid], 4", SMP_CP_ASYNC},
        {"cp.async &s[4 * laneid], &g[4 * laneid], 16", SMP_CP_ASYNC},
    };
    char text[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)snprintf(text, sizeof text, "%s%s", arrays, rows[i].access);
        ck_assert_int_eq(worst_of(text).op, rows[i].op);
    }
}
END_TEST

START_TEST(swizzle_is_cute) {
    /* Swizzle<3,3,3> on half: bits 6-8 of the index onto bits 3-5. */
    smp_access access = worst_of("shared half a : Swizzle<3,3,3> o (64,64):(64,1)\n"
                                 "ldmatrix.x1 &a[laneid % 8][0]");
    for (unsigned l = 0; l < 8; l++)
        ck_assert_uint_eq(access.offset_bytes[l], 2 * ((l * 64) ^ (l << 3)));
    access = worst_of("shared float a[32][32] : Swizzle<2,1,-3>\nld a[0][threadIdx.x]");
    for (unsigned l = 0; l < 32; l++)
        ck_assert_uint_eq(access.offset_bytes[l], 4 * (l ^ ((l & 6) << 3)));
}
END_TEST

START_TEST(float_atomics_are_not_modelled) {
    static const char text[] = "shared float h[32]\natomicAdd(&h[threadIdx.x], 1.0f)";
    smp_totals out;
    smp_error error;
    unsigned line;
    ck_assert_int_eq(run(text, sizeof text - 1, "sm_90", &out, &line, &error), SMP_OK);
    ck_assert_int_eq(out.status, SMP_E_NOT_MODELLED);
    ck_assert_uint_eq(out.valid, 0);
    ck_assert_ptr_nonnull(strstr(out.note, "compare-and-swap"));
}
END_TEST

START_TEST(long_lines_are_refused) {
    static char text[10 << 20];
    memset(text, ' ', sizeof text);
    smp_totals out;
    smp_error error;
    unsigned line;
    ck_assert_int_eq(run(text, sizeof text, "sm_90", &out, &line, &error), SMP_E_SYNTAX);
    ck_assert_uint_eq(line, 1);
}
END_TEST

/* Every keyword works as an option of the command line does. */
START_TEST(keywords_may_stand_apart) {
    static const char *const parts[][2] = {{"define", "N=32"},      {"shared", "float t[N][N]"},
                                           {"block", "32x8"},       {"grid", "4x4"},
                                           {"for", "j=0:32:8"},     {NULL, "ld t[threadIdx.x][j]"},
                                           {"expect", "ways <= 32"}};
    smp_layout *layout = smp_layout_new();
    smp_error error = {.message = ""};
    smp_totals out;
    unsigned line;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        smp_status status =
            smp_layout_add(layout, parts[i][0], parts[i][1], strlen(parts[i][1]), 0, &error);
        ck_assert_msg(status == SMP_OK, "%s: %s", parts[i][1], error.message);
    }
    ck_assert_int_eq(smp_layout_evaluate(layout, smp_arch_find("sm_90"), 0, &out, &line, &error),
                     SMP_OK);
    ck_assert_uint_eq(out.requests, 32);
    ck_assert(smp_layout_expect_holds(layout, 0, &out, NULL, 0));
    ck_assert_int_eq(smp_layout_add(layout, "expect", "ways <= 31", 10, 0, &error), SMP_OK);
    char reason[80];
    ck_assert(!smp_layout_expect_holds(layout, 1, &out, reason, sizeof reason));
    ck_assert_str_eq(reason, "ways is 32");
    smp_layout_free(layout);
    smp_layout_free(NULL);
}
END_TEST

int main(void) {
    return SUITE("front_layout", TEST_EACH(totals_are_right, COUNT_OF(totals)),
                 TEST_EACH(errors_have_a_place, COUNT_OF(errors)),
                 TEST(arrays_lie_behind_each_other), TEST(instances_have_their_own_arrays),
                 TEST(a_macro_declares_an_array_per_use), TEST(copy_has_two_sides),
                 TEST(copy_through_l1_is_an_operation), TEST(swizzle_is_cute),
                 TEST(float_atomics_are_not_modelled), TEST(long_lines_are_refused),
                 TEST(keywords_may_stand_apart));
}
