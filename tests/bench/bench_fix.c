/* SPDX-License-Identifier: MIT */
/*
 * The solver, and in the same run brute force over every declaration with padded rows, a swizzle,
 * or both, each of which the front end evaluates as if it had been written by hand. Limits: 20 ms
 * for a tile with a few accesses, 2 s for the largest spaces; exit status 1 above them, or where
 * brute force finds less excess.
 */
#define _DEFAULT_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "smp_fix.h"
#include "smp_layout.h"

enum { ROUNDS = 5, TEXT_MAX = 4096 };

typedef struct bench_row {
    const char *name;
    double limit_ms;
    const char *type;
    uint32_t bytes, rows, columns; /* of an element; of the array t */
    bool all_archs;                /* else sm_90, and brute force */
    const char *text;              /* what follows the declaration */
} bench_row;

/* clang-format off */
static const bench_row rows[] = {
    {"transpose, float 32x32", 20, "float", 4, 32, 32, false,
     "block 32x8\nfor j = 0:32:8\nst t[threadIdx.y + j][threadIdx.x]\n"
     "ld t[threadIdx.x][threadIdx.y + j]\n"},
    {"six accesses, half 64x64", 20, "half", 2, 64, 64, false,
     "block 256\nfor k = 0:64:16\n"
     "ldmatrix.x4 &t[laneid % 16][k + laneid / 16 * 8]\n"
     "ldmatrix.x4.trans &t[k + laneid % 16][laneid / 16 * 8]\n"
     "st *(float4 *)&t[threadIdx.x / 8 % 32][threadIdx.x % 8 * 8]\n"
     "st *(half2 *)&t[laneid / 4][laneid % 4 * 2 + k]\n"
     "ld *(float2 *)&t[laneid / 2 + k][laneid % 2 * 4]\n"
     "ld *(float4 *)&t[laneid][k]\n"},
    {"stencil, float 18x18", 20, "float", 4, 18, 18, false,
     "block 32x8\nfor dy = 0:3\nfor dx = 0:3\n"
     "let tx = (threadIdx.x + threadIdx.y * 32) % 16\nlet ty = (threadIdx.x + threadIdx.y * 32) / 16\n"
     "ld t[ty + dy][tx + dx]\n"},
    {"largest: char 128x128, all chips", 2000, "char", 1, 128, 120, true,
     "block 32x8\nfor j = 0:32:8\nst t[threadIdx.y + j][threadIdx.x * 3]\n"
     "ld t[threadIdx.x * 3 % 128][threadIdx.y + j]\nld t[threadIdx.x + j][threadIdx.x * 5 % 120]\n"},
};
/* clang-format on */

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* ---- Brute force ---- */

typedef struct brute {
    const bench_row *row;
    uint64_t best;
    uint64_t tried;
} brute;

/* The cost of one declaration; nothing if it is not possible. */
static void try_declaration(brute *b, uint32_t pad, const char *layout) {
    char text[TEXT_MAX];
    smp_layout *plain = smp_layout_new();
    smp_error error;
    unsigned line;
    uint64_t excess = 0;
    (void)snprintf(text, sizeof text, "shared alignas(16) %s t[%u][%u]%s\n%s", b->row->type,
                   b->row->rows, b->row->columns + pad, layout, b->row->text);
    smp_status status = smp_layout_add_lines(plain, text, strlen(text), &line, &error);
    for (size_t i = 0; status == SMP_OK && i < smp_layout_access_count(plain); i++) {
        smp_totals totals;
        status = smp_layout_evaluate(plain, smp_arch_find("sm_90"), i, &totals, &line, &error);
        excess += totals.excess;
    }
    b->tried++;
    if (status == SMP_OK && excess < b->best)
        b->best = excess;
    smp_layout_free(plain);
}

static void try_all(brute *b) {
    for (uint32_t pad = 0; pad < 128 / b->row->bytes; pad++) {
        try_declaration(b, pad, "");
        for (uint32_t bits = 1; bits <= 5; bits++) {
            for (uint32_t base = 0; base + bits <= 7; base++) {
                for (uint32_t shift = bits; base + bits + shift <= 12; shift++) {
                    char layout[40];
                    (void)snprintf(layout, sizeof layout, " : Swizzle<%u,%u,%u>", bits, base,
                                   shift);
                    try_declaration(b, pad, layout);
                }
            }
        }
        if (b->best == 0)
            break; /* as anyone would */
    }
}

/* ---- The solver ---- */

/* Best of a few rounds. */
static bool run(const bench_row *row, const char *text, const smp_fix_options *options,
                double *best_ms, smp_fix_result *result, char name[160]) {
    *best_ms = 1e9;
    for (int round = 0; round < ROUNDS && *best_ms < 1e10; round++) {
        smp_fix *fix;
        smp_fix_form form;
        smp_error error;
        unsigned line;
        double start = now_ms();
        if (smp_fix_solve(text, strlen(text), options, &fix, &line, &error) != SMP_OK) {
            fprintf(stderr, "%s: line %u: %s\n", row->name, line, error.message);
            return false;
        }
        double taken = now_ms() - start;
        *best_ms = taken < *best_ms ? taken : *best_ms;
        *result = smp_fix_result_of(fix);
        (void)smp_fix_form_of(fix, "t", &form);
        (void)smp_fix_form_text(&form, name, 160);
        smp_fix_free(fix);
    }
    return true;
}

static bool bench(const bench_row *row) {
    char text[TEXT_MAX], name[160];
    size_t count = 1;
    const smp_arch *archs = row->all_archs ? smp_archs(&count) : smp_arch_find("sm_90");
    smp_fix_options options = {.archs = archs, .arch_count = count, .skips_archs = row->all_archs};
    smp_fix_result result;
    double taken;
    (void)snprintf(text, sizeof text, "shared alignas(16) %s t[%u][%u]\n%s", row->type, row->rows,
                   row->columns, row->text);
    if (!run(row, text, &options, &taken, &result, name))
        return false;
    printf("%-32s %7.2f ms (limit %.0f), %llu layouts, excess %llu -> %llu by %s\n", row->name,
           taken, row->limit_ms, (unsigned long long)result.candidates,
           (unsigned long long)result.excess_before, (unsigned long long)result.excess_after, name);
    if (row->all_archs)
        return taken < row->limit_ms;
    brute b = {.row = row, .best = UINT64_MAX};
    double start = now_ms();
    try_all(&b);
    double brute_ms = now_ms() - start;
    printf("%-32s %7.2f ms, %llu layouts, excess %llu: %.0f times as long\n", "  brute force",
           brute_ms, (unsigned long long)b.tried, (unsigned long long)b.best, brute_ms / taken);
    return taken < row->limit_ms && result.excess_after <= b.best;
}

int main(void) {
    bool sound = true;
    /* Keeps malloc from returning memory to the system between rounds, which it would have to
     * request again. */
    (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
    (void)mallopt(M_MMAP_THRESHOLD, 16 << 20);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        sound &= bench(&rows[i]);
    return sound ? 0 : 1;
}
