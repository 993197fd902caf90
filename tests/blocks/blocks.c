/* SPDX-License-Identifier: MIT */
/*
 * blocks ENGINE [ROUNDS [SEED]]: rows that are counted side by side cost what each costs alone, and
 * what is wrong with one is said alike. ENGINE: AVX2, AVX-512. Exit status 77, and a line that says
 * so, where this CPU has not got it. SMP_TEST_BLOCKS: the number of rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "smp_accesses.h"

enum { ROUNDS = 4000, ROWS = 100, GAP_BYTES = 24, ROW_BYTES = SMP_LANES * 8 + GAP_BYTES };

typedef struct trial {
    smp_random random;
    char data[ROWS * ROW_BYTES + 8];
    uint8_t ops[ROWS], widths[ROWS];
    uint32_t masks[ROWS];
    smp_many many;
} trial;

static uint32_t below(trial *t, uint32_t limit) {
    return smp_random_below(&t->random, limit);
}

static bool one_in(trial *t, uint32_t count) {
    return below(t, count) == 0;
}

/* ---- What lanes ask for ---- */

typedef void (*fill_fn)(trial *t, unsigned width, uint64_t out[SMP_LANES]);

enum { SHARED_BYTES = 46 << 10 }; /* that every architecture has */

static void scattered(trial *t, unsigned width, uint64_t out[SMP_LANES]) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out[lane] = below(t, SHARED_BYTES / width) * width;
}

/* Few words, so that lanes meet. */
static void crowded(trial *t, unsigned width, uint64_t out[SMP_LANES]) {
    const uint32_t words = 1 + below(t, 40), step = 1 + below(t, 33);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out[lane] = below(t, words) * step % (SHARED_BYTES / width) * width;
}

static void strided(trial *t, unsigned width, uint64_t out[SMP_LANES]) {
    const uint32_t stride = below(t, 66), base = below(t, 64);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out[lane] = (base + lane * stride) % (SHARED_BYTES / width) * width;
}

/* Lanes agree with one partner, or nearly. */
static void in_pairs(trial *t, unsigned width, uint64_t out[SMP_LANES]) {
    const unsigned partner = 1 + below(t, 2);
    scattered(t, width, out);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out[lane] = out[lane & ~partner];
    if (one_in(t, 3))
        out[below(t, SMP_LANES)] = 0;
}

static void on_few_banks(trial *t, unsigned width, uint64_t out[SMP_LANES]) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out[lane] = below(t, 340) * 128 + below(t, 2) * width;
}

static void to_the_end(trial *t, unsigned width, uint64_t out[SMP_LANES]) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out[lane] = (227 << 10) - (1 + below(t, 3000)) * width;
}

static const fill_fn shared_fills[] = {scattered, crowded,      strided,
                                       in_pairs,  on_few_banks, to_the_end};

/* Offsets in global memory: this far apart, from base 0 or from the end of the address space. */
static void spread(trial *t, unsigned width, uint64_t out[SMP_LANES]) {
    static const uint64_t bases[] = {0,
                                     1 << 12,
                                     1 << 20,
                                     UINT64_C(0x7f0000000000),
                                     UINT64_C(1) << 32,
                                     UINT64_C(0x7fffffff00000000),
                                     UINT64_MAX << 21};
    const uint64_t base = bases[below(t, sizeof bases / sizeof bases[0])];
    const unsigned shift = below(t, 36);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out[lane] = (base + ((smp_random_next(&t->random) >> 8) & ((UINT64_C(1) << shift) - 1))) /
                    width * width;
}

static void rows_of_lines(trial *t, unsigned width, uint64_t out[SMP_LANES]) {
    const uint64_t base = smp_random_next(&t->random) >> 20 << 5, stride = below(t, 300);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out[lane] = base + lane * stride * width;
}

static const fill_fn global_fills[] = {spread, spread, rows_of_lines, crowded};

/* ---- Trials ---- */

static void put(trial *t, unsigned row, unsigned lane, uint64_t value) {
    const uint32_t narrow = (uint32_t)value;
    char *at = t->data + row * (size_t)t->many.offsets.row_stride_bytes;
    if (t->many.offsets.number >= SMP_NUMBER_U64)
        memcpy(at + 8 * lane, &value, 8);
    else
        memcpy(at + 4 * lane, &narrow, 4);
}

static void fill_row(trial *t, unsigned row, const smp_op_row *op, unsigned width) {
    uint64_t numbers[SMP_LANES];
    const bool is_global = op->space == SMP_SPACE_GLOBAL;
    const size_t fills = is_global ? sizeof global_fills / sizeof *global_fills
                                   : sizeof shared_fills / sizeof *shared_fills;
    const fill_fn fill = (is_global ? global_fills : shared_fills)[below(t, (uint32_t)fills)];
    fill(t, width, numbers);
    t->masks[row] = one_in(t, 4) ? (uint32_t)smp_random_next(&t->random) : SMP_ALL_LANES;
    if (one_in(t, 300))
        t->masks[row] = one_in(t, 2) ? 0 : 1u << below(t, SMP_LANES);
    if (one_in(t, 400))
        numbers[below(t, SMP_LANES)] ^= UINT64_C(1) << below(t, 64);
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const bool counts = !t->many.masks || t->masks[row] >> lane & 1;
        put(t, row, lane, counts || one_in(t, 2) ? numbers[lane] : smp_random_next(&t->random));
    }
}

static unsigned width_of(trial *t, const smp_op_row *op) {
    unsigned width;
    do
        width = 1u << below(t, 5);
    while (!(op->widths & width));
    return width;
}

static void make(trial *t) {
    size_t count;
    const smp_op_row *all = smp_ops(&count), *op = &all[below(t, (uint32_t)count)];
    unsigned width = width_of(t, op);
    const bool is_mixed = one_in(t, 6);
    const smp_number number = (smp_number)below(t, 4);
    const ptrdiff_t bytes = number >= SMP_NUMBER_U64 ? 8 : 4;
    t->many = (smp_many){
        .op = op->op,
        .width_bytes = width,
        .active_mask = one_in(t, 8) ? (uint32_t)smp_random_next(&t->random) | 1 : SMP_ALL_LANES,
        .ops = is_mixed || one_in(t, 4) ? t->ops : NULL,
        .widths = is_mixed || one_in(t, 4) ? t->widths : NULL,
        .masks = one_in(t, 2) ? t->masks : NULL,
        .offsets = {t->data, SMP_LANES * bytes + (one_in(t, 2) ? GAP_BYTES : 0), bytes, number}};
    for (unsigned row = 0; row < ROWS; row++) {
        if (is_mixed && one_in(t, 40)) {
            op = &all[below(t, (uint32_t)count)];
            width = width_of(t, op);
        }
        t->ops[row] = (uint8_t)op->op;
        t->widths[row] = (uint8_t)width;
        fill_row(t, row, op, width);
    }
}

/* ---- Two ways ---- */

typedef struct answer {
    smp_row_counts row[ROWS];
    size_t bad, first_bad;
    smp_error error;
} answer;

static void ask(const block_engine *engine, const smp_arch *arch, const trial *t, size_t first,
                size_t count, answer *out) {
    memset(out, 0, sizeof *out);
    out->bad = smp_predict_many_by(engine, arch, &t->many, first, count, out->row, &out->first_bad,
                                   &out->error);
}

#define DIFFERS(field) (a->field != b->field)

static bool row_differs(const smp_row_counts *a, const smp_row_counts *b) {
    return DIFFERS(transactions) || DIFFERS(bytes) || DIFFERS(wavefronts_min) ||
           DIFFERS(wavefronts_max) || DIFFERS(ideal) || DIFFERS(excess) || DIFFERS(ways) ||
           DIFFERS(transactions_min) || DIFFERS(transactions_max) || DIFFERS(active_lanes) ||
           DIFFERS(valid) || DIFFERS(evidence) || DIFFERS(status);
}

static bool agree(const smp_arch *arch, const trial *t, size_t first, const answer *a,
                  const answer *b) {
    for (unsigned i = 0; i < ROWS; i++) {
        if (!row_differs(&a->row[i], &b->row[i]))
            continue;
        printf("%s, operation %u of %u bytes, row %zu: %u..%u wavefronts, %u-way, %u sectors, "
               "status %u; alone %u..%u, "
               "%u-way, %u, status %u\n",
               arch->name, t->ops[first + i], t->widths[first + i], first + i,
               a->row[i].wavefronts_min, a->row[i].wavefronts_max, a->row[i].ways,
               a->row[i].transactions, a->row[i].status, b->row[i].wavefronts_min,
               b->row[i].wavefronts_max, b->row[i].ways, b->row[i].transactions, b->row[i].status);
        return false;
    }
    if (a->bad == b->bad && a->first_bad == b->first_bad &&
        memcmp(&a->error, &b->error, sizeof a->error) == 0)
        return true;
    printf("%zu bad rows, the first %zu (%s); alone %zu, %zu (%s)\n", a->bad, a->first_bad,
           a->error.message, b->bad, b->first_bad, b->error.message);
    return false;
}

/* Sound rows are counted here, and not handed back: or nothing above would be tested. */
static bool takes_blocks(const block_engine *engine, trial *t) {
    block_rows rows = {.data = t->data,
                       .row_stride_bytes = SMP_LANES * 8,
                       .number = SMP_NUMBER_I64,
                       .is_whole = true};
    block_banks banks;
    block_ways ways;
    uint16_t sectors[SMP_BLOCK_ROWS_MAX];
    for (unsigned far = 0; far < 2; far++) {
        t->many.offsets = (smp_lane_array){t->data, rows.row_stride_bytes, 8, rows.number};
        for (unsigned row = 0; row < ROWS; row++) {
            rows.lanes[row % SMP_BLOCK_ROWS_MAX] = SMP_ALL_LANES;
            for (unsigned lane = 0; lane < SMP_LANES; lane++)
                put(t, row, lane, (uint64_t)(lane * 132) << (far ? 18 : 0));
        }
        smp_bank_shape(smp_arch_find("sm_90"), smp_op_find("ld"), 4, &banks.shape, &banks.rule,
                       &banks.has_pair_rule);
        if (!far && (!engine->count_ways(&rows, &banks, &ways) || ways.sum[engine->rows - 1] != 1 ||
                     ways.alone != 0))
            return false;
        if (!engine->count_sectors(&rows, 4, sectors) || sectors[0] != SMP_LANES)
            return false;
        put(t, engine->rows - 1, 31, 2); /* misaligned: handed back */
        if (engine->count_ways(&rows, &banks, &ways) || engine->count_sectors(&rows, 4, sectors))
            return false;
    }
    return true;
}

static const block_engine *engine_named(const char *name, bool *runs_here) {
    const block_engine *engine;
    for (unsigned i = 0; (engine = smp_block_engine_at(i, runs_here)); i++)
        if (strcmp(engine->name, name) == 0)
            return engine;
    return NULL;
}

int main(int argc, char **argv) {
    static const char *const archs[] = {"sm_90", "sm_75", "sm_120", "sm_52",
                                        "sm_90", "sm_37", "sm_21",  "sm_13"};
    static trial t;
    static answer alone, together;
    bool runs_here;
    const char *name = argc > 1 ? argv[1] : "", *wanted = getenv("SMP_TEST_BLOCKS");
    const unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10)
                                 : wanted ? strtoul(wanted, NULL, 10)
                                          : ROUNDS;
    const block_engine *engine = engine_named(name, &runs_here);
    if (!engine || !runs_here) {
        printf("skipped: %s %s\n", engine ? "this CPU has no" : "not built in:", name);
        return 77;
    }
    t.random = (smp_random){argc > 3 ? strtoull(argv[3], NULL, 10) : 2026};
    if (!takes_blocks(engine, &t)) {
        printf("%s does not take sound rows, or takes others\n", name);
        return EXIT_FAILURE;
    }
    for (unsigned long round = 0; round < rounds; round++) {
        make(&t);
        const smp_arch *arch = smp_arch_find(archs[below(&t, sizeof archs / sizeof archs[0])]);
        const size_t first = below(&t, ROWS / 2), count = 1 + below(&t, (uint32_t)(ROWS - first));
        ask(NULL, arch, &t, first, count, &alone);
        ask(engine, arch, &t, first, count, &together);
        if (!agree(arch, &t, first, &together, &alone)) {
            printf("%s: round %lu differs\n", name, round);
            return EXIT_FAILURE;
        }
    }
    printf("%s: %lu rounds of up to %u rows, as each alone\n", name, rounds, ROWS);
    return EXIT_SUCCESS;
}
