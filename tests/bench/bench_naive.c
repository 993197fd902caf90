/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "bench_naive.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* Floats have rows of their own: integers, read as floats, are numbers that some CPUs are slow
 * with. */
enum { FLOATS = 8, INTEGERS = 32 };
enum { LANES = 32, REGISTERS = 64, WORDS = 1024, PROGRAM = 96, ROUNDS = 100000, THREADS_MAX = 256 };

typedef enum operation { FFMA, IADD3, LOP3, IMAD, LDS, STS, OPERATIONS } operation;

typedef struct instruction {
    operation op;
    uint32_t d, a, b, c;
} instruction;

static _Thread_local uint32_t rows[REGISTERS][LANES] __attribute__((aligned(64))), shared[WORDS];

typedef float __attribute__((may_alias)) lane_float;

static void run(const instruction *program) {
    uint32_t(*const mine)[LANES] = rows, *const words = shared;
    for (const instruction *i = program; i < program + PROGRAM; i++) {
        uint32_t *d = mine[i->d];
        const uint32_t *a = mine[i->a], *b = mine[i->b], *c = mine[i->c];
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
                d[l] = words[a[l] % WORDS];
            break;
        default:
            for (unsigned l = 0; l < LANES; l++)
                words[a[l] % WORDS] = b[l];
        }
    }
}

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *work(void *unused) {
    static const operation mix[] = {FFMA, IADD3, FFMA, LDS, LOP3, FFMA, IMAD, STS};
    instruction program[PROGRAM];
    (void)unused;
    for (uint32_t i = 0; i < PROGRAM; i++) {
        uint32_t from = mix[i % 8] == FFMA ? FLOATS : INTEGERS;
        program[i] = (instruction){mix[i % 8], from + i % 24, from + i * 7 % 24, from + i * 5 % 24,
                                   from + i * 11 % 24};
    }
    for (uint32_t r = 0; r < REGISTERS; r++)
        for (uint32_t l = 0; l < LANES; l++)
            rows[r][l] = (r < INTEGERS ? 0x3f800000u : 0) + r * LANES + l;
    for (unsigned k = 0; k < ROUNDS; k++)
        run(program);
    return NULL;
}

double bench_naive(unsigned threads) {
    pthread_t others[THREADS_MAX];
    unsigned started = 1;
    clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    double start = seconds_of(clock);
    while (started < threads && started < THREADS_MAX &&
           pthread_create(&others[started], NULL, work, NULL) == 0)
        started++;
    work(NULL);
    for (unsigned i = 1; i < started; i++)
        (void)pthread_join(others[i], NULL);
    return 1e-9 * LANES * PROGRAM * ROUNDS * started / (seconds_of(clock) - start);
}
