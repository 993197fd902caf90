/* SPDX-License-Identifier: MIT */
/*
 * Layouts of 1,024 threads and 1,000 iterations, from text to totals: 32,000 requests each. The
 * limit is 50 ms; exit status 1 above it.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "smp_layout.h"

enum { ROUNDS = 7 };
static const double limit_ms = 50;

typedef struct bench_row {
    const char *name, *text;
} bench_row;

static const bench_row rows[] = {
    {"tile[x][y + j]", "shared float t[32][1032]\nblock 32x32\nfor j = 0:1000\n"
                       "ld t[threadIdx.x % 4][threadIdx.y + j]"},
    {"swizzled half, 16 bytes", "shared half a[64][64] : Swizzle<3,3,3>\nblock 1024\n"
                                "for j = 0:1000\n"
                                "ldmatrix.x4 &a[(laneid % 16 + j) % 64][laneid / 16 * 8]"},
    {"guard and ?:", "shared int a[2048]\nblock 1024\nfor j = 0:1000\n"
                     "if threadIdx.x % 2 == 0 st a[threadIdx.x < j ? threadIdx.x : j]"},
    {"float4", "shared float a[8192]\nblock 1024\nfor j = 0:1000\n"
               "ld *(float4 *)&a[(threadIdx.x * 4 + j * 4) & 4095]"},
};

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static bool run(const char *text, uint64_t *requests) {
    smp_layout *layout = smp_layout_new();
    smp_totals totals;
    smp_error error;
    unsigned line;
    smp_status status =
        layout ? smp_layout_add_lines(layout, text, strlen(text), &line, &error) : SMP_E_MEMORY;
    if (status == SMP_OK)
        status = smp_layout_evaluate(layout, smp_arch_find("sm_90"), 0, &totals, &line, &error);
    if (status != SMP_OK)
        fprintf(stderr, "%u:%d: %s\n", line, error.position, error.message);
    *requests = totals.requests;
    smp_layout_free(layout);
    return status == SMP_OK;
}

int main(void) {
    bool sound = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double best = 1e9;
        uint64_t requests = 0;
        for (int round = 0; round < ROUNDS; round++) {
            double start = now_ms();
            sound &= run(rows[i].text, &requests);
            double taken = now_ms() - start;
            best = taken < best ? taken : best;
        }
        sound &= best < limit_ms;
        printf("%-24s %6llu requests %7.2f ms (limit %.0f)\n", rows[i].name,
               (unsigned long long)requests, best, limit_ms);
    }
    return sound ? 0 : 1;
}
