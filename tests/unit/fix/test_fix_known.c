/* SPDX-License-Identifier: MIT */
/* `fix` finds layouts that are published, and says which ones cannot be made free of conflicts. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_fix.h"
#include "smp_kernels.h"
#include "suite.h"

typedef struct known_row {
    const char *name, *text, *archs;
    uint32_t kinds;     /* bits of smp_fix_kind, 0: all */
    const char *layout; /* of the array called t */
    uint64_t excess;
    int64_t bytes; /* added */
} known_row;

#define PAD (1u << SMP_FIX_PAD)
#define XOR (1u << SMP_FIX_XOR)
#define LINEAR (1u << SMP_FIX_LINEAR)
#define ROTATE (1u << SMP_FIX_ROTATE)
#define PAD_XOR (1u << SMP_FIX_PAD_XOR)

#define TRANSPOSE(type, n)                                                                  \
    "shared " type " t[" n "][" n "]\nblock 32x8\nfor j = 0:" n ":8\nlet x = threadIdx.x\n" \
    "st t[threadIdx.y + j][x]\nld t[x][threadIdx.y + j]\n"
#define GEMM "shared float t[8][128]\nblock 16x16\nfor k = 0:8\n"
#define SCAN                                                               \
    "shared int t[1024]\nblock 512\nfor (int d = 1; d < 1024; d *= 2) {\n" \
    "int a = d * (2 * threadIdx.x + 1) - 1;\nif (threadIdx.x < 512 / d) ld t[a]\n}\n"
#define LDMATRIX "ldmatrix.x4 &t[laneid % 16][laneid / 16 * 8]\n"

#define BIT(i, to) "((laneid >> " #i " & 1) << " #to ")"
#define BITS(a, b, c, d, e) \
    "ld t[" BIT(0, a) " + " BIT(1, b) " + " BIT(2, c) " + " BIT(3, d) " + " BIT(4, e) "]\n"

/* clang-format off */
static const known_row rows[] = {
    {"float transpose", TRANSPOSE("float", "32"), "sm_90", 0, "Swizzle<5,0,5>", 0, 0},
    {"float transpose, padded", TRANSPOSE("float", "32"), "sm_90", PAD, "[32][33]", 0, 128},
    {"float transpose, rotated", TRANSPOSE("float", "32"), "sm_90", ROTATE, "(c + r) % 32", 0, 0},
    {"double transpose", TRANSPOSE("double", "32"), "sm_90", 0, "Swizzle<4,0,5>", 0, 0},
    {"double transpose, padded", TRANSPOSE("double", "32"), "sm_90", PAD, "[32][33]", 0, 256},
    {"Kepler, 4-byte mode", TRANSPOSE("float", "32"), "sm_35", PAD, "[32][33]", 0, 128},
    {"64-byte rows", "shared half t[64][32]\n" LDMATRIX, "sm_90", XOR, "Swizzle<2,3,3>", 0, 0},
    {"128-byte rows", "shared half t[64][64]\n" LDMATRIX, "sm_90", XOR, "Swizzle<3,3,3>", 0, 0},
    {"128-byte rows, padded", "shared half t[64][64]\n" LDMATRIX, "sm_90", PAD, "[64][72]", 0, 1024},
    {"float4 of 8 columns", GEMM "ld *(float4 *)&t[k][threadIdx.x * 4]\nld *(float4 *)&t[k][threadIdx.x * 8]\n", "sm_90", 0, "Swizzle<1,2,3>", 0, 0},
    {"scan, spaced", SCAN, "sm_90", PAD, "i + i / 32", 0, 124},
    {"scan", SCAN, "sm_90", 0, "Swizzle<5,0,5>", 0, 0},
    {"structs, widened", "struct P { float x, y, z, w; };\nshared struct P t[64]\nblock 64\nld t[threadIdx.x].x\n", "sm_90", PAD, "20 bytes per element", 0, 256},
    {"structs, read whole", "struct P { float x, y, z, w; };\nshared struct P t[64]\nblock 64\nld t[threadIdx.x].x\nld *(float4 *)&t[threadIdx.x]\n", "sm_90", 0, "unchanged", 6, 0},
    {"one counter", "shared int t[64]\natom.shared t[7]\n", "sm_90", 0, "unchanged", 31, 0},
    {"four diagonals", "shared float t[1024]\n" BITS(2, 6, 0, 7, 4) BITS(1, 5, 0, 4, 9) BITS(0, 1, 6, 3, 9) BITS(3, 1, 6, 0, 4), "sm_90", XOR | LINEAR,
     "i ^ (i>>3 & 0x4) ^ (i>>4 & 0xc) ^ (i>>5 & 0x12) ^ (i>>6 & 0x8)", 0, 0},
    {"nothing to fix", "shared float t[32][33]\nld t[laneid][0]\n", "sm_90", 0, "unchanged", 0, 0},
};
/* clang-format on */

static smp_fix *solve(const known_row *row) {
    smp_fix *fix;
    smp_error error = {.message = ""};
    unsigned line;
    smp_fix_options options = {
        .archs = smp_arch_find(row->archs), .arch_count = 1, .kinds = row->kinds};
    smp_status status = smp_fix_solve(row->text, strlen(row->text), &options, &fix, &line, &error);
    ck_assert_msg(status == SMP_OK, "%s: line %u: %s", row->name, line, error.message);
    return fix;
}

START_TEST(known_layouts_are_found) {
    const known_row *row = &rows[_i];
    smp_fix *fix = solve(row);
    smp_fix_result result = smp_fix_result_of(fix);
    smp_fix_form form;
    char text[160];
    ck_assert(smp_fix_form_of(fix, "t", &form));
    (void)smp_fix_form_text(&form, text, sizeof text);
    ck_assert_msg(strcmp(text, row->layout) == 0, "%s: %s, not %s", row->name, text, row->layout);
    ck_assert_msg(result.excess_after == row->excess, "%s: excess %llu", row->name,
                  (unsigned long long)result.excess_after);
    ck_assert_msg((int64_t)(result.bytes_after - result.bytes_before) == row->bytes,
                  "%s: %lld bytes", row->name,
                  (long long)(result.bytes_after - result.bytes_before));
    smp_fix_free(fix);
}
END_TEST

/* fix makes of the tiled variant of `compare transpose` the swizzled one. */
START_TEST(kernels_have_the_fix) {
    static smp_kernel_script tiled, swizzled;
    const smp_kernel_family *family = smp_kernel_family_find("transpose");
    ck_assert(smp_kernel_variant_find(family, "tiled32")->script(&family->standard, 0, &tiled));
    ck_assert(smp_kernel_variant_find(family, "swizzled")->script(&family->standard, 0, &swizzled));
    smp_fix_options options = {.archs = smp_arch_find("sm_90"), .arch_count = 1};
    smp_fix *fix;
    smp_error error = {.message = ""};
    unsigned line;
    smp_status status = smp_fix_solve(tiled.text, tiled.length, &options, &fix, &line, &error);
    ck_assert_msg(status == SMP_OK, "line %u: %s", line, error.message);
    ck_assert(smp_fix_result_of(fix).is_free);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ck_assert(smp_fix_write_cuda(file, fix));
    fclose(file);
    static const char *const elements[] = {"tile[y][x ^ y]", "tile[x][y ^ x]"};
    for (size_t i = 0; i < 2; i++) {
        ck_assert_msg(strstr(text, elements[i]), "fix: no %s in\n%s", elements[i], text);
        ck_assert_msg(strstr(swizzled.text, elements[i]), "kernel: no %s", elements[i]);
    }
    free(text);
    smp_fix_free(fix);
}
END_TEST

int main(void) {
    return SUITE("fix_known", TEST_EACH(known_layouts_are_found, COUNT_OF(rows)),
                 TEST(kernels_have_the_fix));
}
