/* SPDX-License-Identifier: MIT */
/*
 * Many accesses at once: rows of 32 lanes whose operation and width are the same, side by side in
 * vector registers. Internal to model/.
 *
 * A register holds one lane of all rows. A sorting network takes the same steps whatever it sorts,
 * so it sorts the lanes of all rows together, by the unit that each wants. Then equal units are
 * neighbours, and one pass over the lanes counts different ones. A unit is a number of 16 bits, its
 * bank above its row.
 */
#pragma once

#include "bank.h"

enum { SMP_BLOCK_ROWS_MAX = 32 };

/* The input of an engine: as many rows as it takes, with their numbers side by side. */
typedef struct block_rows {
    const void *data;
    ptrdiff_t row_stride_bytes;
    smp_number number;
    uint32_t lanes[SMP_BLOCK_ROWS_MAX]; /* that count in each row: at least one */
    bool is_whole;                      /* all lanes of all rows are active; `lanes` is not read */
} block_rows;

/* How all rows of a block map to the banks. */
typedef struct block_banks {
    unit_shape shape;
    offset_rule rule;
    bool has_pair_rule; /* rows whose lanes agree in pairs are left to `alone` */
} block_banks;

/* For each row, the passes of its worst group and of all groups together. */
typedef struct block_ways {
    uint16_t worst[SMP_BLOCK_ROWS_MAX], sum[SMP_BLOCK_ROWS_MAX];
    uint32_t alone; /* rows, as bits, that were not counted: their lanes agree in pairs */
} block_ways;

typedef struct block_engine {
    const char *name; /* "AVX2" */
    unsigned rows;    /* of a block */
    /* False if an offset is unsound or out of the engine's range: then nothing was counted, and
     * each row must be predicted alone. */
    bool (*count_ways)(const block_rows *rows, const block_banks *banks, block_ways *out);
    /* The same for the 32-byte sectors of global memory that each row's addresses fall in, for an
     * access of `width_bytes`; also false if a row's addresses are 2 GiB apart. */
    bool (*count_sectors)(const block_rows *rows, unsigned width_bytes,
                          uint16_t out[SMP_BLOCK_ROWS_MAX]);
} block_engine;

/* The engines built in, best first; NULL after the last. The caller must ask whether this CPU runs
 * it. */
const block_engine *smp_block_engine_at(unsigned index, bool *runs_here);
/* The best engine that runs here, or NULL. */
const block_engine *smp_block_engine(void);

extern const block_engine smp_block_avx2, smp_block_avx512;

/* smp_predict_many with one engine; NULL for none. */
size_t smp_predict_many_by(const block_engine *engine, const smp_arch *arch, const smp_many *many,
                           size_t first, size_t count, smp_row_counts *out, size_t *first_bad,
                           smp_error *error);
