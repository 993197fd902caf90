/* SPDX-License-Identifier: MIT */
/*
 * bench_model.c: how long smp_predict takes, against the textbook's ordered sets, on one core and
 * in one run. They take turns, so that a slow second of the machine falls on all of them; of each,
 * the best turn counts. The results are compared before anything is timed.
 *
 * Usage: bench_model [ACCESSES]
 */
#define _XOPEN_SOURCE 700
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "smp_model.h"
#include "textbook.h"

enum { ACCESSES = 20000, ROUNDS = 15, LANES = SMP_LANES };

/* ---- The textbook with the C library's tree ----------------------------------------------- */

static int compare_words(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

unsigned textbook_tsearch(const uint32_t offset_bytes[32], unsigned width_bytes,
                          unsigned group_lanes) {
    unsigned wavefronts = 0;
    for (unsigned first = 0; first < LANES; first += group_lanes) {
        void *words_of_bank[32] = {NULL};
        unsigned count[32] = {0}, ways = 0, used = 0;
        uint32_t words[LANES * 4];
        for (unsigned lane = first; lane < first + group_lanes; lane++) {
            for (unsigned byte = 0; byte < width_bytes; byte += 4) {
                uint32_t *word = &words[used++];
                *word = (offset_bytes[lane] + byte) / 4;
                uint32_t **node = tsearch(word, &words_of_bank[*word % 32], compare_words);
                count[*word % 32] += *node == word;
            }
        }
        for (unsigned bank = 0; bank < 32; bank++) {
            ways = count[bank] > ways ? count[bank] : ways;
            while (words_of_bank[bank] != NULL)
                tdelete(*(uint32_t **)words_of_bank[bank], &words_of_bank[bank], compare_words);
        }
        wavefronts += ways;
    }
    return wavefronts;
}

/* ---- Accesses ----------------------------------------------------------------------------- */

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void fill_random(smp_access *accesses, unsigned count, unsigned width_bytes) {
    uint64_t state = 12345;
    for (unsigned i = 0; i < count; i++) {
        accesses[i].op = SMP_LD_SHARED;
        accesses[i].width_bytes = width_bytes;
        accesses[i].active_mask = SMP_ALL_LANES;
        for (unsigned lane = 0; lane < LANES; lane++)
            accesses[i].offset_bytes[lane] =
                next_random(&state) % (49152 / width_bytes) * width_bytes;
    }
}

static void fill_strides(smp_access *accesses, unsigned count, unsigned width_bytes) {
    fill_random(accesses, count, width_bytes);
    for (unsigned i = 0; i < count; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            accesses[i].offset_bytes[lane] = lane * (i % 65) * width_bytes;
}

/* ---- Timing ------------------------------------------------------------------------------- */

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Nanoseconds an access, the best of all rounds. */
typedef struct timing {
    double model, tree, map;
    uint64_t sum; /* keeps the compiler from dropping the work */
} timing;

static double least(double a, double b) {
    return a < b ? a : b;
}

static double time_model(const smp_arch *arch, const smp_access *accesses, unsigned count,
                         uint64_t *sum) {
    double start = now_ns();
    for (unsigned i = 0; i < count; i++) {
        smp_counts counts;
        (void)smp_predict(arch, &accesses[i], &counts);
        *sum += counts.wavefronts_min;
    }
    return (now_ns() - start) / count;
}

static double time_textbook(textbook_fn textbook, const smp_access *accesses, unsigned count,
                            unsigned group_lanes, uint64_t *sum) {
    double start = now_ns();
    for (unsigned i = 0; i < count; i++)
        *sum += textbook(accesses[i].offset_bytes, accesses[i].width_bytes, group_lanes);
    return (now_ns() - start) / count;
}

static timing time_all(const smp_arch *arch, const smp_access *accesses, unsigned count,
                       unsigned group_lanes) {
    timing best = {1e30, 1e30, 1e30, 0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        best.model = least(best.model, time_model(arch, accesses, count, &best.sum));
        best.tree = least(best.tree,
                          time_textbook(textbook_tsearch, accesses, count, group_lanes, &best.sum));
#ifdef SMP_BENCH_CXX
        best.map =
            least(best.map, time_textbook(textbook_map, accesses, count, group_lanes, &best.sum));
#endif
    }
    return best;
}

/* The textbook knows no pair rule, so strides of 0 (all lanes paired) are left out for it. */
static bool results_agree(const smp_arch *arch, const smp_access *accesses, unsigned count,
                          textbook_fn textbook) {
    for (unsigned i = 0; i < count; i++) {
        smp_counts counts;
        unsigned groups = 128 / accesses[i].width_bytes;
        if (smp_predict(arch, &accesses[i], &counts) != SMP_OK)
            return false;
        unsigned textbooks =
            textbook(accesses[i].offset_bytes, accesses[i].width_bytes, groups > 32 ? 32 : groups);
        if (!counts.paired && counts.wavefronts_min != textbooks)
            return false;
    }
    return true;
}

typedef struct case_row {
    const char *name;
    unsigned width_bytes;
    void (*fill)(smp_access *accesses, unsigned count, unsigned width_bytes);
} case_row;

static const case_row cases[] = {
    {"random, 4 bytes", 4, fill_random},   {"strides 0-64, 4 bytes", 4, fill_strides},
    {"random, 8 bytes", 8, fill_random},   {"strides 0-64, 8 bytes", 8, fill_strides},
    {"random, 16 bytes", 16, fill_random}, {"strides 0-64, 16 bytes", 16, fill_strides},
};

static int run(smp_access *accesses, unsigned count) {
    const smp_arch *arch = smp_arch_find("sm_90");
    double base = 0;
    uint64_t sum = 0;
    printf("%-24s %10s %8s %12s %8s %12s %8s\n", "32 lanes, sm_90", "predict ns", "to 1st",
           "tsearch ns", "times", "std::map ns", "times");
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cases[i].fill(accesses, count, cases[i].width_bytes);
        if (!results_agree(arch, accesses, count, textbook_tsearch)) {
            fprintf(stderr, "bench_model: %s: results differ\n", cases[i].name);
            return EXIT_FAILURE;
        }
        unsigned group_lanes = 128 / cases[i].width_bytes;
        timing best = time_all(arch, accesses, count, group_lanes);
        base = i == 0 ? best.model : base;
        sum += best.sum;
        printf("%-24s %10.1f %7.2fx %12.1f %7.1fx", cases[i].name, best.model, best.model / base,
               best.tree, best.tree / best.model);
#ifdef SMP_BENCH_CXX
        printf(" %12.1f %7.1fx\n", best.map, best.map / best.model);
#else
        printf(" %12s %8s\n", "no C++", "");
#endif
    }
    fprintf(stderr, "checksum %llu\n", (unsigned long long)sum);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : ACCESSES;
    if (count < 1 || count > 1000000) {
        fprintf(stderr, "usage: bench_model [ACCESSES], 1 to 1000000\n");
        return 2;
    }
    smp_access *accesses = calloc((size_t)count, sizeof *accesses);
    if (!accesses)
        return EXIT_FAILURE;
    int status = run(accesses, (unsigned)count);
    free(accesses);
    return status;
}
