/* SPDX-License-Identifier: MIT */
/*
 * Statements with one token left out, repeated or replaced, and cut off
 * after each token; and more of everything than there is room for. The result must be a layout
 * whose accesses are evaluated, or an error in words with a line and column that exist.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_layout.h"
#include "suite.h"

enum { TEXT_MAX = 512 };

static const char before[] = "define N = 8\n"
                             "shared float t[8][9]\n"
                             "shared int a[64]\n"
                             "shared struct { float x, y; int z[2]; } p[32]\n"
                             "struct Q { short s; double d; }\n"
                             "global float *A\n"
                             "global double B[64][64]\n"
                             "int tx = threadIdx.x\n";

static const char *const statements[] = {
    "shared float s[4][5]",
    "__shared__ unsigned char c[16], d[4];",
    "extern __shared__ float e[];",
    "shared struct { float x, y; int q[2], r; } v[4]",
    "shared struct Q w[8] @ 1024",
    "shared half h[8][64] : Swizzle<3,3,3>",
    "shared half k : Swizzle<2,3,3> o (8,(4,2)):(8,(1,4))",
    "shared float m : (8,4):(4,1)",
    "struct R { long long l; float f; };",
    "global float G[64][64], H[2]",
    "block 16x2",
    "block dim3(8, 2, 2)",
    "grid 4x4",
    "blockIdx 1,2",
    "define M = N * 2 + (1 << 3)",
    "#define K 4",
    "let k = tx * 2 % 7",
    "const unsigned u = laneid ^ 1;",
    "arch sm_70, sm_90",
    "for i = 0:8:2",
    "for i = 16:1:/2",
    "for (int i = 0; i < 8; i += 2) {\na[i] = 0; }",
    "for (unsigned i = N; i > 0; i >>= 1)\nld a[i]",
    "ld t[tx % 8][tx / 8]",
    "st.shared a[(tx * 3 + 1) % 64]",
    "ld.global A[tx]",
    "st B[tx][blockIdx.x]",
    "ld *(float4 *)&a[tx % 16 * 4]",
    "ld *((float2 *)a + tx)",
    "ld (&t[0][0])[tx]",
    "ld p[tx].y",
    "ld p[tx].z[1]",
    "ld (p + tx)->x",
    "ld reinterpret_cast<double *>(a)[tx % 32]",
    "if (tx < 16 && tx != 3) ld a[tx * 2]",
    "if tx % 2 == 0 st a[tx]",
    "t[tx % 8][tx / 8] = A[tx];",
    "a[tx] += a[tx ^ 1];",
    "a[tx % 4]++;",
    "float f = t[tx / 8][tx % 8] * A[tx] + p[tx].x;",
    "atomicAdd(&a[tx % 8], 1)",
    "atomicCAS(&a[0], 1, 2)",
    "ldmatrix.x4.trans &h8[tx % 8][tx / 8 * 8]",
    "stmatrix.x2 &h8[tx % 16][0]",
    "cp.async &a[tx], &A[tx], 4",
    "ld.cluster(1) a[tx]",
    "ld a[min(tx, 7) + max(1, 2) + abs(-3) + (tx & 1) % 2]",
    "ld a[tx < 4 ? tx : tx > 8 ? 1 : ~0 & 7]",
    "ld a[(unsigned char)(tx * 0x11u) % 64]",
    "expect ways <= 1 on sm_90",
    "expect excess == 0",
};

static const char *const replacements[] = {
    "",  "(", ")", "[",  "]",   "{",     "}",   ",",           ";",          ":",   "<",  ">",
    "=", "*", "&", ".",  "@",   "->",    "0",   "-1",          "4294967296", "x",   "t",  "a",
    "N", "p", "A", "if", "for", "float", "int", "threadIdx.x", "on",         "1.5", "\"", "'a'"};

static const char *text_of(const char *statement, char text[TEXT_MAX]) {
    (void)snprintf(text, TEXT_MAX, "%sshared half h8[16][64]\nst a[tx]\n%s\nst a[tx]\n", before,
                   statement);
    return text;
}

static unsigned count_lines(const char *text) {
    unsigned lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void check_error(const char *text, unsigned line, const smp_error *error) {
    ck_assert_msg(error->message[0] != '\0', "no message for:\n%s", text);
    ck_assert_msg(!strchr(error->message, '\n'), "%s\n%s", error->message, text);
    ck_assert_msg(line >= 1 && line <= count_lines(text) + 1, "line %u of:\n%s", line, text);
    ck_assert_msg(error->position >= -1 && error->position <= (int)strlen(text),
                  "column %d of:\n%s", error->position, text);
}

static void evaluate(const char *text, const smp_layout *layout, const char *arch) {
    smp_error error;
    smp_totals totals;
    unsigned line = 0;
    for (size_t i = 0; i < smp_layout_access_count(layout); i++) {
        memset(&error, 0, sizeof error);
        if (smp_layout_evaluate(layout, smp_arch_find(arch), i, &totals, &line, &error) != SMP_OK)
            check_error(text, line, &error);
        else
            ck_assert_uint_le(totals.ideal, totals.wavefronts_max);
    }
}

/* Returns whether the text is a layout. */
static bool try(const char *text) {
    smp_error error = {0};
    unsigned line = 0;
    smp_layout *layout = smp_layout_new();
    ck_assert_ptr_nonnull(layout);
    const bool is_layout =
        smp_layout_add_lines(layout, text, strlen(text), &line, &error) == SMP_OK;
    if (is_layout) {
        evaluate(text, layout, "sm_90");
        evaluate(text, layout, "sm_13");
    } else {
        check_error(text, line, &error);
    }
    smp_layout_free(layout);
    return is_layout;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t token_length(const char *at) {
    size_t length = 1;
    while (is_word(at[0]) && is_word(at[length]))
        length++;
    return length;
}

static void mutate_token(const char *statement, size_t at, size_t length) {
    char changed[256], text[TEXT_MAX];
    const int head = (int)at;
    const char *tail = statement + at + length;
    /* A loop that a replacement keeps from ending takes 2^20 iterations, a second. script/test
     * --all leaves nothing out. */
    size_t step = strncmp(statement, "for (", 5) == 0 ? 9 : 2;
    step = getenv("SMP_TEST_ALL") ? 1 : step;
    for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; i += step) {
        (void)snprintf(changed, sizeof changed, "%.*s%s%s", head, statement, replacements[i], tail);
        (void)try(text_of(changed, text));
    }
    (void)snprintf(changed, sizeof changed, "%.*s", head + (int)length, statement);
    (void)try(text_of(changed, text));
    (void)snprintf(changed, sizeof changed, "%.*s %s", head + (int)length, statement,
                   statement + at);
    (void)try(text_of(changed, text));
}

START_TEST(a_changed_token_is_a_layout_or_an_error) {
    char text[TEXT_MAX];
    const char *statement = statements[_i];
    ck_assert_msg(try(text_of(statement, text)), "unchanged it is an error:\n%s", text);
    for (size_t at = 0; statement[at] != '\0'; at += token_length(&statement[at]))
        if (statement[at] != ' ')
            mutate_token(statement, at, token_length(&statement[at]));
}
END_TEST

/* More of something than a layout holds, and the largest that is allowed. `part` is repeated with
 * its number for each %u. */
typedef struct limit_row {
    const char *name, *head, *part, *tail;
    unsigned fits, too_many;
} limit_row;

static const limit_row limits[] = {
    {"constants", "", "define c%u = %u\n", "", 50, 5000},
    {"variables", "", "int v%u = threadIdx.x + %u;\n", "", 5, 5000},
    {"arrays", "", "shared char a%u[%u + 1]\n", "", 5, 5000},
    {"dimensions", "shared char a", "[2]", "\n", 4, 100},
    {"members", "struct S { ", "char m%u, n%u; ", "}\n", 4, 5000},
    {"structs", "", "struct S%u { char c[%u + 1]; }\n", "", 3, 5000},
    {"loops", "shared int a[64]\n", "for i%u = 0:1:%u+1\n", "ld a[0]\n", 8, 65},
    {"accesses", "shared int a[64]\n", "ld a[%u %% 64]\n", "", 20, 5000},
    {"expectations", "shared int a[64]\nld a[0]\n", "expect ways <= 1\n", "", 5, 20000},
    {"architectures", "arch sm_90", ", sm_%u0", "\n", 0, 100},
    {"terms", "shared int a[64]\nld a[0", " + threadIdx.x * %u * 0", "]\n", 10, 3000},
    {"parentheses", "shared int a[64]\nld a[", "(", "0\n", 0, 3000},
    {"pointers", "shared int a[64]\nld ", "*&", "a[0]\n", 1, 3000},
    {"minus signs", "shared int a[64]\nld a[", "- - ", "1]\n", 2, 3000},
    {"pointer terms", "shared int a[64]\nld *(a", " + threadIdx.x", " - threadIdx.x * 3)\n", 3,
     9000},
    {"statements in a line", "shared int a[64]\na[0] = ", "a[%u %% 64] + ", "1;\n", 5, 5000},
    {"modes", "shared float s : (2", ",2", "):(1)\n", 0, 100},
};

static void repeat(const limit_row *row, unsigned count, char *text, size_t size) {
    size_t length = (size_t)snprintf(text, size, "%s", row->head);
    for (unsigned i = 0; i < count; i++) {
        char part[128];
        size_t used = 0;
        for (const char *at = row->part; *at != '\0' && used < sizeof part - 12; at++)
            if (at[0] == '%' && at[1] == 'u')
                used += (size_t)snprintf(part + used, sizeof part - used, "%u", i), at++;
            else if (at[0] == '%' && at[1] == '%')
                part[used++] = '%', at++;
            else
                part[used++] = *at;
        ck_assert_uint_lt(length + used + 64, size);
        memcpy(text + length, part, used);
        length += used;
    }
    (void)snprintf(text + length, size - length, "%s", row->tail);
}

START_TEST(what_is_too_much_is_an_error_in_words) {
    static char text[1 << 19];
    const limit_row *row = &limits[_i];
    if (row->fits > 0) {
        repeat(row, row->fits, text, sizeof text);
        ck_assert_msg(try(text), "%s: %u:\n%s", row->name, row->fits, text);
    }
    repeat(row, row->too_many, text, sizeof text);
    ck_assert_msg(!try(text), "%s: %u", row->name, row->too_many);
}
END_TEST

int main(void) {
    return SUITE("mutations",
                 TEST_EACH(a_changed_token_is_a_layout_or_an_error, COUNT_OF(statements)),
                 TEST_EACH(what_is_too_much_is_an_error_in_words, COUNT_OF(limits)));
}
