/* SPDX-License-Identifier: MIT */
/*
 * How long smp_predict and smp_predict_many take, against the textbook's ordered
 * sets, on one core and in one run. They take turns, so that a slow second of the machine falls on
 * all of them; of each, the best turn counts. The results are compared before anything is timed.
 *
 * Usage: bench_model [ACCESSES]
 *        bench_model ACCESSES CASE FUNCTION TURNS   only that, for a tool that counts instructions:
 *            CASE from 0, FUNCTION one, many, many32; bench/instructions does that
 */
#define _XOPEN_SOURCE 700
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rows.h"
#include "textbook.h"

/* The textbook, a hundred times slower, is timed on each eighth access alone: strides of 0 to 64
 * stay equally many, 8 and 65 have no common factor. */
enum { ACCESSES = 20000, ROUNDS = 15, LANES = SMP_LANES, EACH = 8 };

/* ---- The textbook with the C library's tree ---- */

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
            while (words_of_bank[bank])
                tdelete(*(uint32_t **)words_of_bank[bank], &words_of_bank[bank], compare_words);
        }
        wavefronts += ways;
    }
    return wavefronts;
}

/* ---- Accesses ---- */

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* One case: the same numbers as accesses, and as rows of 64 and of 32 bits. */
typedef struct workload {
    const smp_arch *arch;
    unsigned count, width_bytes;
    smp_op op;
    const block_engine *engine;
    smp_access *accesses;
    int64_t (*wide)[LANES];
    uint32_t (*narrow)[LANES];
    smp_row_counts *out;
    uint64_t sum; /* keeps the compiler from dropping the work */
} workload;

static void put(workload *job, unsigned row, unsigned lane, uint64_t value) {
    job->accesses[row].offset_bytes[lane] = (uint32_t)value;
    job->accesses[row].address_bytes[lane] = value;
    job->wide[row][lane] = (int64_t)value;
    job->narrow[row][lane] = (uint32_t)value;
}

static void fill_random(workload *job) {
    uint64_t state = 12345;
    for (unsigned i = 0; i < job->count; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            put(job, i, lane, next_random(&state) % (49152 / job->width_bytes) * job->width_bytes);
}

static void fill_strides(workload *job) {
    for (unsigned i = 0; i < job->count; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            put(job, i, lane, lane * (i % 65) * job->width_bytes);
}

/* In global memory: anywhere in 512 MiB. */
static void fill_far(workload *job) {
    uint64_t state = 12345;
    for (unsigned i = 0; i < job->count; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            put(job, i, lane, (uint64_t)(next_random(&state) % (1u << 27)) * 4);
}

/* ---- Timing ---- */

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Nanoseconds an access, the best of all rounds. */
typedef struct timing {
    double one, many, many32, tree, map;
} timing;

static void predict_one(workload *job) {
    for (unsigned i = 0; i < job->count; i++) {
        smp_counts counts;
        (void)smp_predict(job->arch, &job->accesses[i], &counts);
        job->sum += counts.wavefronts_min + counts.transactions;
    }
}

static void predict_rows(workload *job, const void *data, ptrdiff_t bytes, smp_number number) {
    const smp_many many = {.op = job->op,
                           .width_bytes = job->width_bytes,
                           .active_mask = SMP_ALL_LANES,
                           .offsets = {data, LANES * bytes, bytes, number}};
    (void)smp_predict_many_by(job->engine, job->arch, &many, 0, job->count, job->out, NULL, NULL);
    job->sum += job->out[job->count - 1].wavefronts_min;
}

static void predict_many(workload *job) {
    predict_rows(job, job->wide, 8, SMP_NUMBER_I64);
}

static void predict_many32(workload *job) {
    predict_rows(job, job->narrow, 4, SMP_NUMBER_U32);
}

static bool is_global(const workload *job) {
    return job->op == SMP_LD_GLOBAL;
}

static unsigned group_lanes(const workload *job) {
    const unsigned lanes = 128 / job->width_bytes;
    return lanes > LANES ? LANES : lanes;
}

static void ask_textbook(workload *job, textbook_fn textbook) {
    for (unsigned i = 0; i < job->count; i += EACH)
        job->sum += textbook(job->accesses[i].offset_bytes, job->width_bytes, group_lanes(job));
}

static void ask_tree(workload *job) {
    if (!is_global(job))
        ask_textbook(job, textbook_tsearch);
}

static void ask_map(workload *job) {
#ifdef SMP_BENCH_CXX
    if (!is_global(job)) {
        ask_textbook(job, textbook_map);
        return;
    }
    for (unsigned i = 0; i < job->count; i += EACH)
        job->sum += textbook_sectors(job->accesses[i].address_bytes);
#else
    (void)job;
#endif
}

static void take_turn(workload *job, void (*work)(struct workload *), unsigned accesses,
                      double *best) {
    const double start = now_ns();
    work(job);
    const double each = (now_ns() - start) / accesses;
    *best = each < *best ? each : *best;
}

static timing time_all(workload *job) {
    const unsigned all = job->count, few = (all + EACH - 1) / EACH;
    timing best = {1e30, 1e30, 1e30, 1e30, 1e30};
    for (unsigned round = 0; round < ROUNDS; round++) {
        take_turn(job, predict_one, all, &best.one);
        take_turn(job, predict_many, all, &best.many);
        take_turn(job, predict_many32, all, &best.many32);
        take_turn(job, ask_tree, few, &best.tree);
        take_turn(job, ask_map, few, &best.map);
    }
    return best;
}

/* ---- Agreement ---- */

static bool row_agrees(const smp_counts *counts, const smp_row_counts *row) {
    return row->wavefronts_min == counts->wavefronts_min && row->ways == counts->ways &&
           row->transactions == counts->transactions;
}

/* The textbook knows no pair rule, so strides of 0 (all lanes paired) are left out for it. */
static bool textbook_agrees(const workload *job, unsigned i, const smp_counts *counts) {
    if (!is_global(job))
        return counts->paired ||
               counts->wavefronts_min == textbook_tsearch(job->accesses[i].offset_bytes,
                                                          job->width_bytes, group_lanes(job));
#ifdef SMP_BENCH_CXX
    return counts->transactions == textbook_sectors(job->accesses[i].address_bytes);
#else
    return true;
#endif
}

static bool results_agree(workload *job) {
    for (unsigned narrow = 0; narrow < 2; narrow++) {
        (narrow ? predict_many32 : predict_many)(job);
        for (unsigned i = 0; i < job->count; i++) {
            smp_counts counts;
            if (smp_predict(job->arch, &job->accesses[i], &counts) != SMP_OK ||
                !row_agrees(&counts, &job->out[i]) || !textbook_agrees(job, i, &counts))
                return false;
        }
    }
    return true;
}

/* ---- Cases ---- */

typedef struct case_row {
    const char *name;
    smp_op op;
    unsigned width_bytes;
    void (*fill)(workload *job);
} case_row;

static const case_row cases[] = {
    {"random, 4 bytes", SMP_LD_SHARED, 4, fill_random},
    {"strides 0-64, 4 bytes", SMP_LD_SHARED, 4, fill_strides},
    {"random, 8 bytes", SMP_LD_SHARED, 8, fill_random},
    {"strides 0-64, 8 bytes", SMP_LD_SHARED, 8, fill_strides},
    {"random, 16 bytes", SMP_LD_SHARED, 16, fill_random},
    {"strides 0-64, 16 bytes", SMP_LD_SHARED, 16, fill_strides},
    {"sectors, in 48 KiB", SMP_LD_GLOBAL, 4, fill_random},
    {"sectors, strides 0-64", SMP_LD_GLOBAL, 4, fill_strides},
    {"sectors, in 512 MiB", SMP_LD_GLOBAL, 4, fill_far},
};

enum { CASES = sizeof cases / sizeof cases[0] };

static void fill_case(workload *job, const case_row *row) {
    job->op = row->op;
    job->width_bytes = row->width_bytes;
    for (unsigned i = 0; i < job->count; i++)
        job->accesses[i] = (smp_access){
            .op = row->op, .width_bytes = row->width_bytes, .active_mask = SMP_ALL_LANES};
    row->fill(job);
}

static void print_times(double each, double textbook) {
    if (textbook > 0 && textbook < 1e30)
        printf(" %8.1f %6.1fx", each, textbook / each);
    else
        printf(" %8.1f %7s", each, "-");
}

static int run_all(workload *job) {
    printf("ns an access of 32 lanes on sm_90, and how many times as fast as a map of sets; many "
           "rows by %s\n",
           job->engine ? job->engine->name : "none");
    printf("%-23s %16s %16s %16s %8s %8s\n", "", "predict", "many, 64 bits", "many, 32 bits",
           "tsearch", "map");
    for (unsigned i = 0; i < CASES; i++) {
        fill_case(job, &cases[i]);
        if (!results_agree(job)) {
            fprintf(stderr, "bench_model: %s: results differ\n", cases[i].name);
            return EXIT_FAILURE;
        }
        const timing best = time_all(job);
#ifdef SMP_BENCH_CXX
        const double map = best.map;
#else
        const double map = 0;
#endif
        printf("%-23s", cases[i].name);
        print_times(best.one, map);
        print_times(best.many, map);
        print_times(best.many32, map);
        printf(" %8.1f %8.1f\n", is_global(job) ? 0 : best.tree, map);
        fflush(stdout);
    }
    fprintf(stderr, "checksum %llu\n", (unsigned long long)job->sum);
    return EXIT_SUCCESS;
}

/* By each engine that runs here, best first; by none where there is no other. */
static int run_engines(workload *job) {
    bool runs_here;
    int status = EXIT_SUCCESS;
    if (!smp_block_engine())
        return run_all(job);
    for (unsigned i = 0; (job->engine = smp_block_engine_at(i, &runs_here)); i++)
        if (runs_here && run_all(job) != EXIT_SUCCESS)
            status = EXIT_FAILURE;
    return status;
}

static int run_one(workload *job, char **words) {
    const unsigned long which = strtoul(words[0], NULL, 10), turns = strtoul(words[2], NULL, 10);
    void (*const work)(struct workload *) = strcmp(words[1], "one") == 0    ? predict_one
                                            : strcmp(words[1], "many") == 0 ? predict_many
                                                                            : predict_many32;
    if (which >= CASES)
        return 2;
    fill_case(job, &cases[which]);
    for (unsigned long i = 0; i < turns; i++)
        work(job);
    fprintf(stderr, "%s\n", cases[which].name);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    workload job = {.arch = smp_arch_find("sm_90"), .engine = smp_block_engine()};
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : ACCESSES;
    if (count < 1 || count > 1000000 || (argc > 2 && argc != 5)) {
        fprintf(stderr,
                "usage: bench_model [ACCESSES (1 to 1000000) [CASE one|many|many32 TURNS]]\n");
        return 2;
    }
    job.count = (unsigned)count;
    job.accesses = calloc(job.count, sizeof *job.accesses);
    job.wide = calloc(job.count, sizeof *job.wide);
    job.narrow = calloc(job.count, sizeof *job.narrow);
    job.out = calloc(job.count, sizeof *job.out);
    int status = EXIT_FAILURE;
    if (job.accesses && job.wide && job.narrow && job.out)
        status = argc > 2 ? run_one(&job, argv + 2) : run_engines(&job);
    free(job.accesses);
    free(job.wide);
    free(job.narrow);
    free(job.out);
    return status;
}
