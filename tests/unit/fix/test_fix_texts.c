/* SPDX-License-Identifier: MIT */
/*
 * Declarations and accesses of every kind in the language, repaired and written out. The solver
 * itself refuses a result that does not read back as it was meant; this suite tests the text.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_fix.h"
#include "suite.h"

#define PAD (1u << SMP_FIX_PAD)
#define XOR (1u << SMP_FIX_XOR)
#define LINEAR (1u << SMP_FIX_LINEAR)
#define ROTATE (1u << SMP_FIX_ROTATE)
#define PAD_XOR (1u << SMP_FIX_PAD_XOR)

typedef struct text_row {
    const char *name, *text;
    uint32_t kinds;
    const char *smp, *cuda; /* text that must be in them, or NULL */
} text_row;

/* clang-format off */
static const text_row rows[] = {
    {"two declarators", "shared float a[32][32], b[32][32]\nld a[laneid][0]\nld b[laneid][0]\n", PAD,
     "shared float a[32][33], b[32][33]\n", "__shared__ float b[32][33];\n"},
    {"second declarator only", "shared float a[32][33], b[32][32]\nld a[laneid][0]\nld b[laneid][0]\n", PAD,
     "shared float a[32][33], b[32][33]\n", "b[laneid][0]  // ld.shared\n"},
    {"constants and comments", "#define N 32\n__shared__ float a[N][N];  // the tile\nblock 32x8\nfloat v = a[threadIdx.x][threadIdx.y] * 2.0f; // read\n", PAD,
     "__shared__ float a[N][N + 1];  // the tile\n", "a[threadIdx.x][threadIdx.y]  // ld.shared"},
    {"column-major before", "shared half a : (64,64):(1,64)\nld a(laneid, 3)\nld a(3, laneid)\n", XOR,
     "shared half a[64][64] : Swizzle<5,1,5>\n", "a[laneid][3 ^ ((laneid & 31) << 1)]"},
    {"swizzled before", "shared half a : Swizzle<3,3,3> o (64,64):(64,1)\nld a(laneid, 3)\nld a(3, laneid)\n", PAD,
     "shared half a[64][66]\n", NULL},
    {"placed", "shared float a[32][32] @ 256\nshared float b[16] @ 8352\nld a[laneid][0]\n", PAD,
     "shared float a[32][33] @ 256\nshared float b[16] @ 8352\n", NULL},
    {"behind a char", "shared char c[5]\nshared float a[32][32]\nld a[laneid][0]\n", PAD,
     "shared char c[5]\nshared float a[32][33]\n", NULL},
    {"open array", "extern __shared__ float a[]\nblock 256\nld a[threadIdx.x * 32]\n", XOR,
     "ld a[(threadIdx.x * 32) ^ ((threadIdx.x * 32) >> 5 & 31)]\n", "extern __shared__ float a[];\n"},
    {"open rows", "extern __shared__ float a[][32]\nblock 256\nld a[threadIdx.x][3]\n", XOR,
     "ld a[threadIdx.x][3 ^ (threadIdx.x & 31)]\n", NULL},
    {"struct", "shared struct { float x, y, z, w; } a[64]\nblock 64\nld a[threadIdx.x].y\n", PAD,
     "shared struct { float x, y, z, w; char pad_[4]; } a[64]\n", "char pad_[4]; } a[64];\n"},
    {"named struct", "struct P { float x, y; };\nshared P a[64]\nblock 64\nld a[threadIdx.x].y\n", PAD,
     "struct P { float x, y; char pad_[4]; };\nshared P a[64]\n", "__shared__ P a[64];\n"},
    {"two structs", "shared struct { float x, y; } a[64]\nshared struct { float x, y; } b[64]\nblock 64\nfor (int j = 0; j < 2; j++) {\nld a[threadIdx.x].y\nld b[0].x\n}\n", PAD,
     "shared struct { float x, y; char pad_[4]; } a[64]\nshared struct { float x, y; } b[64]\n", NULL},
    {"open rows, assigned", "extern __shared__ half a[][24]\na[laneid * 2][0] = 1;\n", XOR | PAD, "a[][25]", NULL},
    {"flat", "shared float a[1024]\nld a[laneid * 32]\nld a[laneid]\n", PAD,
     "shared float a[1055]\nld a[(laneid * 32) + ((laneid * 32) >> 5)]\n", NULL},
    {"flat with a block", "block 32\nshared float a[1024]\nld a[laneid * 32]\nld a[laneid]\n", PAD,
     "ld a[(laneid * 32) + ((laneid * 32) >> 5)]\n", "__shared__ float a[1055];\n"},
    {"flat, rows of 48", "shared float a[1536]\nld a[laneid * 48]\n", PAD, "ld a[(laneid * 48) + (laneid * 48) / 48]\n", NULL},
    {"a middle dimension", "shared float a[4][8][40]\nld a[laneid / 8][0][laneid % 8]\nld *(float4 *)&a[0][laneid % 8][0]\n", PAD,
     "shared float a[4][10][44]\n", NULL},
    {"rotation", "shared float a[32][24]\nld a[laneid][0]\nld a[0][laneid % 24]\n", ROTATE,
     "ld a[laneid][(laneid / 4) % 24]\n", "a[0][laneid % 24]  // ld.shared\n"},
    {"four dimensions", "shared float a[2][3][32][32]\nld a[1][2][laneid][0]\n", PAD, "a[2][3][32][33]\n", NULL},
    {"vectors", "shared float a[32][32]\nld *(float4 *)&a[laneid][4]\nld *reinterpret_cast<float4 *>(&a[laneid][0])\n", XOR,
     "shared float a[32][32] : Swizzle<3,2,3>\n", "*reinterpret_cast<float4 *>(&a[laneid]["},
    {"assignment", "shared float a[32][32]\nblock 32x8\na[threadIdx.y][threadIdx.x] += a[threadIdx.x][threadIdx.y];\n", LINEAR | XOR,
     "shared float a[32][32] : Swizzle<5,0,5>\n", "a[threadIdx.x][threadIdx.y ^ threadIdx.x]  // ld.shared"},
    {"guard", "shared float a[32][32]\nif (laneid < 16) ld a[laneid][0]\n", ROTATE, "if (laneid < 16) ld a[laneid][laneid & 31]", NULL},
    {"atomics", "shared int a[32][32]\natomicAdd(&a[laneid][0], 1)\natomicCAS(&a[laneid][1], 0, 1)\n", XOR,
     "Swizzle<5,0,5>", "atomicCAS(&a[laneid][1 ^ laneid], 0, 1)  // atom.shared.cas"},
    {"copies", "shared float a[32][32]\nglobal float g[4096]\ncp.async &a[laneid][0], &g[laneid]\n", ROTATE,
     "cp.async &a[laneid][laneid & 31], &g[laneid]\n", NULL},
    {"rows wider than the swizzle", "shared float a[16][17]\nblock 16x16\nld a[threadIdx.x][threadIdx.y]\n", PAD_XOR, "shared float a[16][18] : Swizzle<", "a[threadIdx.x]["},
    {"beyond the row", "shared half a[64][24]\nld a[laneid * 2][0]\n", XOR, "shared half a[64][24] : Swizzle<", "__shared__ half a[1536];\na[((laneid * 2) * 24 + 0) ^ "},
    {"beyond the last row", "shared float4 T[9][4]\nblock 64\nld T[threadIdx.x % 9][0]\nld T[threadIdx.x / 4 % 9][threadIdx.x % 4]\n", XOR,
     "shared float4 T[9][4] : Swizzle<3,0,3>\n", "__shared__ float4 T[40];\nT[((threadIdx.x % 9) * 4 + 0) ^ ((threadIdx.x % 9) >> 1)]"},
    {"qualified type", "__shared__ volatile unsigned char a[64][64];\nld a[laneid][0]\n", PAD, NULL, "__shared__ volatile unsigned char a[64]["},
    {"an array that only moves", "shared float a[1024]\nshared float b[128]\nld a[laneid * 32]\nld a[laneid]\nld *(float4 *)&b[laneid * 4]\n", PAD,
     "shared __align__(16) float b[128]\n", "__shared__ __align__(16) float b[128];\n"},
    {"one alignment of a declaration", "shared float a[1024]\nshared float b[126], c[6]\nld a[laneid * 32]\nld a[laneid]\nld *(float4 *)&b[laneid / 2 * 4]\nld c[laneid % 6]\n", PAD,
     "shared __align__(16) float b[126], c[6]\n", "__shared__ __align__(16) float c[6];\n"},
    {"a struct in the declaration", "shared struct __align__(4) P { float x, y, z, w; } a[64];\nblock 64\nld a[threadIdx.x].y\n", PAD,
     NULL, "__shared__ struct __align__(4) P { float x, y, z, w; char pad_[4]; } a[64];\n"},
    {"second of its struct", "shared struct P { float x, y; } b[1], a[32][32];\nld a[laneid][0].y\n", PAD, NULL, "__shared__ P a[32][33];"},
    {"an extent that binds looser", "define N = 5\nshared float a[32][N > 3 ? 32 : 16], b[32]\nld a[laneid][0]\n", PAD,
     "shared float a[32][(N > 3 ? 32 : 16) + 1], b[32]\n", "a[32][(N > 3 ? 32 : 16) + 1];\n"},
};
/* clang-format on */

static const smp_arch *arch(void) {
    return smp_arch_find("sm_90");
}

static char *written(const smp_fix *fix, bool (*write)(FILE *, const smp_fix *)) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ck_assert(write(file, fix));
    fclose(file);
    return text;
}

static void check_text(const text_row *row, const smp_fix *fix,
                       bool (*write)(FILE *, const smp_fix *), const char *wanted) {
    char *text = written(fix, write);
    ck_assert_msg(!wanted || strstr(text, wanted), "%s: not '%s' in\n%s", row->name, wanted, text);
    free(text);
}

START_TEST(texts_are_rewritten) {
    const text_row *row = &rows[_i];
    smp_fix_options options = {.archs = arch(), .arch_count = 1, .kinds = row->kinds};
    smp_fix *fix;
    smp_error error = {.message = ""};
    unsigned line;
    smp_status status = smp_fix_solve(row->text, strlen(row->text), &options, &fix, &line, &error);
    ck_assert_msg(status == SMP_OK, "%s: line %u: %s", row->name, line, error.message);
    smp_fix_result result = smp_fix_result_of(fix);
    ck_assert_msg(result.is_better, "%s: %llu stay", row->name,
                  (unsigned long long)result.excess_before);
    check_text(row, fix, smp_fix_write_layout, row->smp);
    check_text(row, fix, smp_fix_write_cuda, row->cuda);
    check_text(row, fix, smp_fix_write_cute, "a");
    smp_fix_free(fix);
}
END_TEST

/* The map that a form states is one-to-one, and its text names it. */
START_TEST(forms_are_maps) {
    smp_fix_form form = {.kind = SMP_FIX_XOR,
                         .dim_count = 2,
                         .extent = {32, 32},
                         .divide = 1,
                         .element_bytes = 4,
                         .bits = 5,
                         .shift = 5,
                         .term_count = 1,
                         .term = {{0x3e0, 5}}};
    char text[8];
    for (uint64_t i = 0; i < 1024; i++)
        ck_assert_uint_eq(smp_fix_form_offset(&form, 4 * i + 3), 4 * (i ^ i >> 5) + 3);
    ck_assert_uint_eq(smp_fix_form_text(&form, text, sizeof text), 7);
    ck_assert_str_eq(text, "Swizzle");
}
END_TEST

/* Ends one phase at its n-th question. */
typedef struct stopper {
    smp_fix_phase phase;
    smp_fix_wish wish;
    uint32_t after, asked;
} stopper;

static smp_fix_wish stop(void *user, smp_fix_phase phase, uint64_t done) {
    stopper *s = user;
    (void)done;
    return phase == s->phase && ++s->asked >= s->after ? s->wish : SMP_FIX_GO_ON;
}

static const char stopped_text[] = "shared char a[128][120]\nblock 32x8\nfor j = 0:32\n"
                                   "ld a[threadIdx.x * 3 % 128][threadIdx.y + j]\n"
                                   "st a[threadIdx.x + j][threadIdx.x * 3]\n"
                                   "ld a[threadIdx.x * 4 % 128][j * 3]\n";

static smp_status solve_until(stopper *s, smp_fix **out) {
    smp_fix_options options = {
        .archs = arch(), .arch_count = 1, .explains = true, .progress = stop, .user = s};
    smp_error error;
    unsigned line;
    return smp_fix_solve(stopped_text, strlen(stopped_text), &options, out, &line, &error);
}

/* Whenever a search ends, the best found so far is as sound as any; what is no search gives up. */
START_TEST(searches_can_be_stopped) {
    static const uint32_t after[] = {1, 2, 3, 10, 50, 300};
    uint64_t excess = UINT64_MAX;
    smp_fix *fix;
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        smp_fix_wish wish = i % 2 == 0 ? SMP_FIX_OUT_OF_TIME : SMP_FIX_INTERRUPT;
        stopper searching = {SMP_FIX_SEARCHING, wish, after[i], 0};
        ck_assert_int_eq(solve_until(&searching, &fix), SMP_OK);
        smp_fix_result result = smp_fix_result_of(fix);
        ck_assert(result.ended_by == wish && !result.is_proven);
        ck_assert_uint_le(result.excess_after, excess);
        excess = result.excess_after;
        ck_assert_uint_le(searching.asked, after[i] + 1);
        smp_fix_free(fix);
    }
    for (smp_fix_phase phase = SMP_FIX_READING; phase <= SMP_FIX_CHECKING; phase += 2) {
        stopper interrupted = {phase, SMP_FIX_INTERRUPT, 1, 0};
        ck_assert_int_eq(solve_until(&interrupted, &fix), SMP_E_INTERRUPTED);
        ck_assert_ptr_null(fix);
        ck_assert_uint_eq(interrupted.asked, 1);
    }
    smp_fix_free(NULL);
}
END_TEST

/* Time matters to the search alone. */
START_TEST(only_searches_run_out_of_time) {
    smp_fix *fix;
    for (smp_fix_phase phase = SMP_FIX_READING; phase <= SMP_FIX_CHECKING; phase += 2) {
        stopper late = {phase, SMP_FIX_OUT_OF_TIME, 1, 0};
        ck_assert_int_eq(solve_until(&late, &fix), SMP_OK);
        ck_assert(smp_fix_result_of(fix).ended_by == SMP_FIX_GO_ON);
        ck_assert_uint_ge(late.asked, 1);
        smp_fix_free(fix);
    }
}
END_TEST

typedef struct limit_row {
    uint64_t more_bytes;
    uint32_t loads_of_b;
    uint64_t before, after; /* excess */
} limit_row;

/* Two arrays whose rows want 8 elements of padding each, 128 bytes, and conflict 2-way with 4; not
 * for both there is space. */
static const limit_row limits[] = {
    {256, 1, 6, 0}, {128 + 64, 1, 6, 1},
    {128, 1, 6, 2}, {128, 4, 15, 3}, /* all for the second, though the first could have it */
    {0, 1, 6, 6},
};

START_TEST(limits_leave_half_a_fix) {
    const limit_row *row = &limits[_i];
    char text[400] = "shared float a[4][32], b[4][32]\nld a[laneid / 8][laneid % 8]\n";
    for (uint32_t i = 0; i < row->loads_of_b; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text),
                       "ld b[laneid / 8][laneid %% 8 + %u]\n", 8 * i);
    smp_fix_options options = {
        .archs = arch(), .arch_count = 1, .kinds = PAD, .max_bytes = 1024 + row->more_bytes};
    smp_fix *fix;
    smp_error error;
    unsigned line;
    ck_assert_int_eq(smp_fix_solve(text, strlen(text), &options, &fix, &line, &error), SMP_OK);
    smp_fix_result result = smp_fix_result_of(fix);
    ck_assert_uint_eq(result.excess_before, row->before);
    ck_assert_uint_eq(result.excess_after, row->after);
    ck_assert_uint_le(result.bytes_after, options.max_bytes);
    smp_fix_free(fix);
}
END_TEST

START_TEST(unknown_arrays_have_no_form) {
    static const char text[] = "shared float a[32][32]\nld a[laneid][0]\n";
    smp_fix_options options = {.archs = arch(), .arch_count = 1};
    smp_fix *fix;
    smp_fix_form form;
    smp_error error;
    unsigned line;
    ck_assert_int_eq(smp_fix_solve(text, strlen(text), &options, &fix, &line, &error), SMP_OK);
    ck_assert(smp_fix_form_of(fix, "a", &form));
    ck_assert(!smp_fix_form_of(fix, "b", &form));
    smp_fix_free(fix);
}
END_TEST

int main(void) {
    return SUITE("fix_texts", TEST_EACH(texts_are_rewritten, COUNT_OF(rows)), TEST(forms_are_maps),
                 TEST(searches_can_be_stopped), TEST(only_searches_run_out_of_time),
                 TEST_EACH(limits_leave_half_a_fix, COUNT_OF(limits)),
                 TEST(unknown_arrays_have_no_form));
}
