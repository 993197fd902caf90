/* SPDX-License-Identifier: MIT */
/*
 * Requests, counted by the worker that makes them. Equal requests of one instruction are kept once
 * and costed by the model once, when their table is full or the launch is over.
 */
#pragma once

#include "emulation.h"
#include "uop.h"

typedef enum request_shape {
    REQUEST_ANY,
    /* all lanes are active, and: */
    REQUEST_SAME,        /* at one address */
    REQUEST_CONSECUTIVE, /* contiguous */
    REQUEST_EVEN,        /* evenly spaced */
} request_shape;

/* Active lanes and their offsets: one entry of a site's table. The fields that are compared first
 * share a cache line. */
typedef struct emu_request {
    uint32_t mask;
    uint16_t next;          /* the entry that followed this one last time */
    uint8_t shape;          /* request_shape */
    uint32_t first, stride; /* except REQUEST_ANY: offset[l] = first + l * stride */
    int32_t least, most;    /* offsets of active lanes */
    uint64_t count;
    uint64_t base; /* for copies: hash of the source addresses; for atomics: origin of the lanes'
                      addresses */
    uint64_t written_in; /* shared memory: the block in which all of it was found written */
    /* First loads of chains: how often the others followed, and the same of what they read. */
    uint64_t others, others_written_in;
    /* For global memory: signed 32-bit differences. */
    uint32_t offset[SMP_LANES] __attribute__((aligned(EMU_ALIGN)));
} emu_request;

/* A site's table. */
typedef struct emu_tally {
    void *room; /* allocation that holds the rows */
    uint32_t room_rows;
    emu_request *rows; /* contiguous */
    uint16_t *index;   /* by hash: the row's number plus 1; 0 if free */
    uint32_t used;
    uint64_t (*sources)[SMP_LANES]; /* for copies, by row */
} emu_tally;

/* One instruction and one memory space that it accessed. */
typedef struct emu_site {
    _Alignas(EMU_ALIGN) union {
        struct {
            emu_request *expected;    /* what followed `last` before, or NULL */
            emu_request *last, *rows; /* entries of the tally, or NULL */
        };
        struct {
            uint64_t others, other_lanes; /* requests that are only counted */
            const char *why_not;
        };
    };
    uint32_t instruction;
    smp_op op;
    smp_space space;
    bool is_local;
    uint8_t width_bytes;
    bool is_other;    /* its requests have no figures */
    bool is_async;    /* smp_opcode_is_async */
    uint32_t series;  /* load_chains.h: number plus 1 for its first load, else 0 */
    emu_tally *tally; /* NULL: empty */
} emu_site;

/* Whether the 32 lanes' offsets are `stride` bytes apart. */
bool emu_is_even(const uint32_t *offset, uint32_t stride);

typedef struct emu_judge {
    const smp_arch *arch;
    emu_site *sites;
    uint32_t site_count;
    smp_profile_site *results; /* shared by all workers, under the lock of `flush` */
    void *lock;
    struct emu_trace *trace; /* NULL: none */
    const emu_program *program;
    struct emu_chain_state *series; /* load_chains.h */
    uint64_t stretch;               /* a number for each executed stretch of straight-line code */
    bool is_out_of_memory;
} emu_judge;

/* The active lanes: for a matrix instruction, whose first lanes give the addresses, the whole
 * warp. */
static inline uint32_t emu_active_mask(const emu_site *site, uint32_t lanes) {
    const unsigned count = site->op < SMP_OP_COUNT ? smp_ops(NULL)[site->op].lanes : 0;
    return count > 0 && count < SMP_LANES ? lanes | SMP_ALL_LANES << count : lanes;
}

/* Spaces of one memory instruction: slots starting at uop_memory.sites. */
enum { SLOT_SHARED, SLOT_GLOBAL, SLOT_LOCAL, SLOT_CLUSTER, SLOTS };
/* For copies: the lanes that read nothing and write zeros. */
enum { SLOT_FILL = SLOT_GLOBAL };

/* Counts a request of `lanes` (offsets of others are ignored) in the block's shared memory.
 * `global`: source addresses of a copy, else NULL. Returns its entry, valid until the next call for
 * the site; NULL if out of memory. */
emu_request *emu_judge_shared(emu_judge *judge, uint32_t site, uint32_t lanes,
                              const uint32_t *offset_bytes, const uint64_t *global);
/* The same for global, local (offsets in the thread's own memory) and cluster memory (offsets below
 * the block's number). Global and local offsets count from the 256-byte unit of the first lane's
 * address; the addresses of one request are within 2 GiB. */
emu_request *emu_judge_global(emu_judge *judge, uint32_t site, uint32_t lanes,
                              const uint64_t *address);
/* Predicts the next entry from the last run; NULL if there is none. */
static inline emu_request *emu_judge_expected(const emu_judge *judge, uint32_t site) {
    return judge->sites[site].expected;
}
/* Counts a predicted entry. */
static inline void emu_judge_came(emu_judge *judge, uint32_t site, emu_request *request) {
    emu_site *at = &judge->sites[site];
    at->last = request;
    at->expected = &at->rows[request->next];
    __builtin_prefetch(at->expected, 1);
    request->count++;
}
/* Finds the entry with these offsets (0 for inactive lanes), or returns NULL. */
emu_request *emu_judge_find(emu_judge *judge, uint32_t site, uint32_t mask, const uint32_t *offset);
/* Counts the other members of a chain that stand before `end`: they followed this request of the
 * first so many times. */
void emu_judge_others(emu_judge *judge, uint32_t series, const emu_request *request, const uop *end,
                      uint64_t times);
/* Adds all counts to the results. */
/* Counts a request without figures: bulk and tensor copies, operands of warpgroup matrix
 * products. */
void emu_judge_other(emu_judge *judge, uint32_t site, uint32_t lanes);
void emu_judge_flush(emu_judge *judge);
void emu_judge_clear(emu_judge *judge);

/* ---- Every request of a launch into a trace, as it is made ---- */

/* Shared by all workers. */
typedef struct emu_trace {
    smp_trace_writer *writer;     /* NULL: nothing is written */
    const smp_emu_memory *memory; /* whose arrays' reach is tracked, or NULL */
    void *lock;                   /* pthread_mutex_t */
    smp_status status;            /* first failure; nothing is written after it */
    smp_error error;
    uint64_t rows, left_out;
} emu_trace;

/* Writes one request of `lanes`: offsets (NULL for global memory) and addresses (NULL for shared
 * and cluster memory). Local memory and operations without an access row are counted as left
 * out. */
void emu_trace_put(emu_trace *trace, const emu_site *site, uint32_t lanes, const uint32_t *offset,
                   const uint64_t *address);
