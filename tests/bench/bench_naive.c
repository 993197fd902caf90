/* SPDX-License-Identifier: MIT */
#include "bench_naive.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LANES = 32, REGISTERS = 64, WORDS = 1024, PROGRAM = 96, ROUNDS = 100000 };

typedef enum operation { FFMA, IADD3, LOP3, IMAD, LDS, STS, OPERATIONS } operation;

typedef struct instruction {
    operation op;
    uint32_t d, a, b, c;
} instruction;

static uint32_t rows[REGISTERS][LANES] __attribute__((aligned(64))), shared[WORDS];

typedef float __attribute__((may_alias)) lane_float;

static void run(const instruction *program) {
    for (const instruction *i = program; i < program + PROGRAM; i++) {
        uint32_t *d = rows[i->d];
        const uint32_t *a = rows[i->a], *b = rows[i->b], *c = rows[i->c];
        lane_float *x = (lane_float *)d;
        const lane_float *y = (const lane_float *)a, *z = (const lane_float *)b,
                         *w = (const lane_float *)c;
        switch (i->op) {
        case FFMA:
            for (unsigned l = 0; l < LANES; l++)
                x[l] = y[l] * z[l] + w[l];
            break;
        case IADD3:
            for (unsigned l = 0; l < LANES; l++)
                d[l] = a[l] + b[l] + c[l];
            break;
        case LOP3:
            for (unsigned l = 0; l < LANES; l++)
                d[l] = (a[l] & b[l]) ^ c[l];
            break;
        case IMAD:
            for (unsigned l = 0; l < LANES; l++)
                d[l] = a[l] * b[l] + c[l];
            break;
        case LDS:
            for (unsigned l = 0; l < LANES; l++)
                d[l] = shared[a[l] % WORDS];
            break;
        default:
            for (unsigned l = 0; l < LANES; l++)
                shared[a[l] % WORDS] = b[l];
        }
    }
}

double bench_naive(void) {
    static const operation mix[] = {FFMA, IADD3, FFMA, LDS, LOP3, FFMA, IMAD, STS};
    instruction program[PROGRAM];
    for (uint32_t i = 0; i < PROGRAM; i++)
        program[i] =
            (instruction){mix[i % 8], 8 + i % 40, 8 + i * 7 % 48, 8 + i * 5 % 48, 8 + i * 3 % 48};
    for (uint32_t r = 0; r < REGISTERS; r++)
        for (uint32_t l = 0; l < LANES; l++)
            rows[r][l] = r * LANES + l;
    clock_t start = clock();
    for (unsigned k = 0; k < ROUNDS; k++)
        run(program);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    return 1e-9 * LANES * PROGRAM * ROUNDS / seconds;
}
