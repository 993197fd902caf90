/* SPDX-License-Identifier: MIT */
/*
 * What fix says about global memory and wider accesses. Each number must be
 * that of the changed source text, evaluated by itself; nothing is said where nothing is gained or
 * an address is not aligned.
 */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fix_report.h"
#include "smp_fix.h"
#include "smp_layout.h"
#include "suite.h"

typedef struct advice_row {
    const char *name, *kind;
    const char *before, *after; /* after: the text that the advice asks for */
    const char *says;           /* with %s for the number that `after` costs */
} advice_row;

#define P "struct P { float x, y, z, w; };\n"

static const advice_row rows[] = {
    {"members", "global", P "global P g[4096]\nblock 128\nld g[threadIdx.x].y",
     "global float g_y[4096]\nblock 128\nld g_y[threadIdx.x]",
     "an array for each member instead of structs (g_x, g_y, g_z, g_w): %s."},
    {"members of a vector", "global", "global float2 g[64]\nld g[threadIdx.x].y",
     "global float g_y[64]\nld g_y[threadIdx.x]",
     "an array for each member instead of structs (g_x, g_y): %s."},
    {"order", "global", "global float a[64][64]\nblock 64\nld a[threadIdx.x][3]",
     "global float a[64][64]\nblock 64\nld a[3][threadIdx.x]",
     "its dimensions in another order, a[j][i] for [i][j]: %s."},
    {"order of three", "global",
     "global float a[16][8][64]\nblock 16x8\nld a[threadIdx.x][threadIdx.y][3]",
     "global float a[64][8][16]\nblock 16x8\nld a[3][threadIdx.y][threadIdx.x]",
     "its dimensions in another order, a[k][j][i] for [i][j][k]: %s."},
    {"rows", "global", "global float a[64][33]\nblock 32x8\nld a[threadIdx.y][threadIdx.x]",
     "global float a[64][64]\nblock 32x8\nld a[threadIdx.y][threadIdx.x]",
     "rows of 64 instead of 33 elements, so that each begins at a line: %s"},
    {"start", "global", "global float a[4096]\nblock 128\nld a[threadIdx.x + 3]",
     "global float a[4096]\nblock 128\nld a[threadIdx.x + 8]",
     "5 elements before the first one, so that the accesses begin at lines: %s."},
    {"siblings", "wider",
     "shared float s[64][68]\nld s[laneid][4]\nld s[laneid][6]\nld s[laneid][5]\nld s[laneid][7]",
     "shared float s[64][68]\nld *(float4 *)&s[laneid][4]",
     "1 request instead of 4, %s wavefronts instead of 16"},
    {"pairs", "wider", "shared float s[64][34]\nld s[laneid][4]\nld s[laneid][5]",
     "shared float s[64][34]\nld *(float2 *)&s[laneid][4]", "%s wavefronts instead of 4"},
    {"a loop", "wider", "shared half s[64][72]\nblock 64\nfor k = 0:64\nst s[threadIdx.x][k]\nend",
     "shared half s[64][72]\nblock 64\nfor k = 0:64:4\nst *(float2 *)&s[threadIdx.x][k]\nend",
     "one access of 8 bytes instead of 4 of 2: 32 requests instead of 128, %s wavefronts"},
    {"whole structs", "wider", P "global P g[4096]\nld g[threadIdx.x]",
     "global float4 g[4096]\nld g[threadIdx.x]",
     "which takes several instructions: one access of 16 bytes instead of 4 of 4: 1 request "
     "instead of 4, %s sectors instead of 64. Every address is aligned for it; declare it so "
     "with __align__."},
    {"sectors", "wider",
     "global float4 v[64]\nld v[laneid].x\nld v[laneid].y\nld v[laneid].z\nld v[laneid].w",
     "global float4 v[64]\nld v[laneid]", "%s sectors instead of 64"},
};

static const advice_row silent[] = {
    {"coalesced", "global", "global float a[64][64]\nblock 64\nld a[3][threadIdx.x]", NULL, NULL},
    {"not aligned", "wider", "shared float s[64][67]\nld s[laneid][0]\nld s[laneid][1]", NULL,
     NULL},
    {"not neighbours", "wider", "shared float s[64][68]\nld s[laneid][0]\nld s[laneid][2]", NULL,
     NULL},
    {"no gain", "wider", "shared float s[64]\nld s[2 * (laneid % 4)]\nld s[2 * (laneid % 4) + 1]",
     NULL, NULL},
    {"another operation", "wider", "shared float s[64][68]\nld s[laneid][0]\nst s[laneid][1]", NULL,
     NULL},
    {"other lanes", "wider",
     "shared float s[64][68]\nif (laneid < 16) { s[laneid][0] = 0; }\ns[laneid][1] = 0;", NULL,
     NULL},
};

/* Changes that a text does not allow: why, and nothing of it is changed. */
static const advice_row left[] = {
    {"a pointer to a struct", "", P "global P g[64]\nP *p = &g[threadIdx.x]; float v = p->x;", NULL,
     "Not written: not every access names an element by its indices."},
    {"the whole of it", "", P "global P g[64]\nld g[laneid].x\nP v = g[laneid];", NULL,
     "Not written: not every access names an element by its indices."},
    {"two on a line", "", "global float a[64][32], b[3]\nld a[threadIdx.x][3]", NULL,
     "Not written: its line also declares something else."},
    {"a parameter", "", "__global__ void k(float2 *g) { g[threadIdx.x].x = 1; }", NULL,
     "Not written: the kernel's parameters would change, too."},
    {"data", "", "global int a[32][32]\nshared int t[64]\ndata a = random:0:63\nld t[a[laneid][0]]",
     NULL, "Not written: its data are given in the present order."},
    {"a name that is taken", "", P "global P g[64]\nglobal float g_x[3]\nld g[laneid].x", NULL,
     "Not written: not every access names an element by its indices."},
};

/* The same kinds of text with more around what changes. */
static const char *const written[] = {
    "struct P { float x, y; };\nconst int N = 64;\nglobal const P *g // points\nblock 64\nfor (int "
    "k = 0; k < "
    "2; k++) {\n  float v = g[threadIdx.x + N * k].y + // both\n    g[2 * threadIdx.x].x;\n}\n",
    "struct Q { float m[4]; int n; };\nglobal Q g[64];\nld g[laneid].m[2]\nst g[laneid].n\n",
    "const int H = 64, W = 32;\nglobal float a[H][W];\nshared float s[32][32]\ns[laneid][0] = "
    "a[laneid + H / 2][3];\n",
    "global float a[4096], b[4096]\nglobal float c[512]\nblock 128\nb[threadIdx.x] = "
    "c[(threadIdx.x & "
    "63) + 1];\n",
};

typedef struct heard {
    char text[4096];
} heard;

static void hear(void *user, const char *kind, const char *text) {
    heard *h = user;
    const size_t length = strlen(h->text);
    (void)kind;
    (void)snprintf(h->text + length, sizeof h->text - length, "%s\n", text);
}

static void ask(const advice_row *row, heard *out) {
    const smp_fix_options options = {.archs = smp_arch_find("sm_90"), .arch_count = 1};
    smp_fix *fix = NULL;
    smp_error error = {.message = ""};
    unsigned line = 0;
    out->text[0] = '\0';
    ck_assert_msg(smp_fix_solve(row->before, strlen(row->before), &options, &fix, &line, &error) ==
                      SMP_OK,
                  "%s: line %u: %s", row->name, line, error.message);
    fix_advice(fix, row->kind, hear, out);
    smp_fix_free(fix);
}

/* Wavefronts or sectors of all accesses of a text. */
static uint64_t cost(const char *text) {
    smp_layout *layout = smp_layout_new();
    smp_error error = {.message = ""};
    unsigned line = 0;
    uint64_t sum = 0;
    ck_assert_msg(smp_layout_add_lines(layout, text, strlen(text), &line, &error) == SMP_OK,
                  "%u: %s", line, error.message);
    for (size_t i = 0; i < smp_layout_access_count(layout); i++) {
        smp_totals totals;
        ck_assert_int_eq(
            smp_layout_evaluate(layout, smp_arch_find("sm_90"), i, &totals, &line, &error), SMP_OK);
        sum += totals.valid & SMP_HAS_WAVEFRONTS ? totals.wavefronts_max : totals.transactions;
    }
    smp_layout_free(layout);
    return sum;
}

START_TEST(numbers_are_those_of_the_changed_text) {
    const advice_row *row = &rows[_i];
    heard h;
    char number[24], wanted[300];
    ask(row, &h);
    (void)snprintf(number, sizeof number, "%" PRIu64, cost(row->after));
    const char *at = strstr(row->says, "%s");
    (void)snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(at - row->says), row->says, number,
                   at + 2);
    ck_assert_msg(strstr(h.text, wanted), "%s: '%s' is not in: %s", row->name, wanted, h.text);
    ck_assert_uint_lt(cost(row->after), cost(row->before));
}
END_TEST

static void write_fixed(const char *before, char *out, size_t size) {
    const smp_fix_options options = {.archs = smp_arch_find("sm_90"), .arch_count = 1};
    smp_fix *fix = NULL;
    smp_error error = {.message = ""};
    unsigned line = 0;
    ck_assert_msg(smp_fix_solve(before, strlen(before), &options, &fix, &line, &error) == SMP_OK,
                  "%s: line %u: %s", before, line, error.message);
    FILE *file = fmemopen(out, size, "w");
    ck_assert(file && smp_fix_write_layout(file, fix));
    ck_assert_int_eq(fclose(file), 0);
    smp_fix_free(fix);
}

/* The first change is the best; what is written costs what the text that it asks for does. */
START_TEST(changes_are_written) {
    const advice_row *row = &rows[_i];
    char text[4096];
    if (strcmp(row->kind, "global") != 0)
        return;
    write_fixed(row->before, text, sizeof text);
    ck_assert_msg(strstr(text, "# Written here, in global memory"), "%s: %s", row->name, text);
    ck_assert_msg(cost(text) == cost(row->after), "%s: %s", row->name, text);
}
END_TEST

START_TEST(text_around_stays) {
    char text[4096];
    write_fixed(written[_i], text, sizeof text);
    ck_assert_msg(strstr(text, "# Written here, in global memory"), "%s", text);
    ck_assert_msg(cost(text) < cost(written[_i]), "%s", text);
}
END_TEST

START_TEST(the_rest_stays_with_its_reason) {
    const advice_row *row = &left[_i];
    char text[4096];
    write_fixed(row->before, text, sizeof text);
    ck_assert_msg(strstr(text, row->says), "%s: %s", row->name, text);
    ck_assert_msg(cost(text) == cost(row->before), "%s: %s", row->name, text);
}
END_TEST

START_TEST(nothing_is_said_for_nothing) {
    heard h;
    ask(&silent[_i], &h);
    ck_assert_msg(h.text[0] == '\0', "%s: %s", silent[_i].name, h.text);
}
END_TEST

int main(void) {
    return SUITE("fix_global", TEST_EACH(numbers_are_those_of_the_changed_text, COUNT_OF(rows)),
                 TEST_EACH(nothing_is_said_for_nothing, COUNT_OF(silent)),
                 TEST_EACH(changes_are_written, COUNT_OF(rows)),
                 TEST_EACH(text_around_stays, COUNT_OF(written)),
                 TEST_EACH(the_rest_stays_with_its_reason, COUNT_OF(left)));
}
