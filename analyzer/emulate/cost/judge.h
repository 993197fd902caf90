/* SPDX-License-Identifier: MIT */
/*
 * Requests, counted by the worker that makes them: equal ones of one instruction are kept once, and
 * judged by the model once, when their table is full or the launch is over.
 */
#pragma once

#include "emulate.h"
#include "uop.h"

typedef enum request_shape {
    REQUEST_ANY,
    /* All lanes take part: */
    REQUEST_SAME,        /* at one address */
    REQUEST_CONSECUTIVE, /* one after the other */
    REQUEST_EVEN,        /* at one distance */
} request_shape;

/* Lanes and their offsets: one entry of a site's table. What is asked first is in one line of the
 * CPU's cache. */
typedef struct emu_request {
    uint32_t mask;
    uint32_t next; /* the entry that came after this one when it last came */
    request_shape shape;
    uint32_t first, stride; /* but of REQUEST_ANY: offset[l] = first + l * stride */
    int32_t least, most;    /* offsets of lanes that take part */
    uint64_t count;
    uint64_t base;       /* of copies: a hash of their source's addresses; of atomics: where their
                            lanes' addresses are counted from */
    uint64_t written_in; /* shared memory: the block in which all of it was known to be written */
    /* Of global memory: differences, as 32-bit signed numbers. */
    uint32_t offset[SMP_LANES] __attribute__((aligned(EMU_ALIGN)));
} emu_request;

/* A site's table. */
typedef struct emu_tally {
    void *room; /* in which the rows are */
    uint32_t room_rows;
    emu_request *rows; /* one after the other */
    uint16_t *index;   /* by hash: the row's number plus 1; 0: free */
    uint32_t used;
    uint64_t (*sources)[SMP_LANES]; /* of copies, by row */
} emu_tally;

/* One instruction and one space that its addresses fell into. */
typedef struct emu_site {
    _Alignas(EMU_ALIGN) union {
        struct {
            emu_request *expected;    /* what came after `last` before; NULL: none */
            emu_request *last, *rows; /* in the tally; NULL: none */
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
    uint32_t series;  /* load_chains.h: its number plus 1; 0: of none */
    emu_tally *tally; /* NULL: nothing yet */
} emu_site;

typedef struct emu_judge {
    const smp_arch *arch;
    emu_site *sites;
    uint32_t site_count;
    smp_profile_site *results; /* shared by all workers, under the lock of `flush` */
    void *lock;
    struct emu_trace *trace; /* NULL: none is made */
    const emu_program *program;
    struct emu_chain_state *series; /* load_chains.h */
    uint64_t stretch;               /* a number for each stretch of straight code that runs */
    bool is_out_of_memory;
} emu_judge;

/* The warp that gives these addresses: a matrix instruction, which has them of its first lanes
 * only, is one of the whole warp. */
static inline uint32_t emu_active_mask(const emu_site *site, uint32_t lanes) {
    const unsigned count = site->op < SMP_OP_COUNT ? smp_ops(NULL)[site->op].lanes : 0;
    return count > 0 && count < SMP_LANES ? lanes | SMP_ALL_LANES << count : lanes;
}

/* Spaces of one memory instruction: slots from uop_memory.sites on. */
enum { SLOT_SHARED, SLOT_GLOBAL, SLOT_LOCAL, SLOT_CLUSTER, SLOTS };
/* Of a copy: its lanes that read nothing and write zeros. */
enum { SLOT_FILL = SLOT_GLOBAL };

/* `lanes` of offsets; inactive lanes' are ignored. Shared: into the block's memory. `global`: of
 * copies, their source; else NULL. Its entry, until the next call for the site; NULL: no memory. */
emu_request *emu_judge_shared(emu_judge *judge, uint32_t site, uint32_t lanes,
                              const uint32_t *offset_bytes, const uint64_t *global);
/* Global, local (as offsets in the thread's own memory) and cluster memory (offsets with the
 * block's number above). Offsets of the first two are from the 256 bytes of the first lane's
 * address; addresses of one request are less than 2 GiB apart. */
emu_request *emu_judge_global(emu_judge *judge, uint32_t site, uint32_t lanes,
                              const uint64_t *address);
/* The entry that comes next if all goes as it went; NULL: there is none. */
static inline emu_request *emu_judge_expected(const emu_judge *judge, uint32_t site) {
    return judge->sites[site].expected;
}
/* It came. */
static inline void emu_judge_came(emu_judge *judge, uint32_t site, emu_request *request) {
    emu_site *at = &judge->sites[site];
    at->last = request;
    at->expected = &at->rows[request->next];
    __builtin_prefetch(at->expected, 1);
    request->count++;
}
/* The entry with these offsets (0 for lanes that do not take part); NULL: none. */
emu_request *emu_judge_find(emu_judge *judge, uint32_t site, uint32_t mask, const uint32_t *offset);
/* All that is counted goes to the results. */
/* A request that is only counted: bulk and tensor copies, operands of warpgroups' matrices. */
void emu_judge_other(emu_judge *judge, uint32_t site, uint32_t lanes);
void emu_judge_flush(emu_judge *judge);
void emu_judge_clear(emu_judge *judge);

/* ---- Every request of a launch into a trace, as it is made ---- */

/* Shared by all workers. */
typedef struct emu_trace {
    smp_trace_writer *writer;     /* NULL: nothing is written */
    const smp_emu_memory *memory; /* whose arrays' reach is kept; NULL: none */
    void *lock;                   /* pthread_mutex_t */
    smp_status status;            /* of what was put; after a failure nothing more is */
    smp_error error;
    uint64_t rows, left_out;
} emu_trace;

/* `lanes` of one request: offsets (NULL for global memory) and addresses (NULL for shared and
 * cluster memory). Local memory and operations without a row of their own are counted as left out.
 */
void emu_trace_put(emu_trace *trace, const emu_site *site, uint32_t lanes, const uint32_t *offset,
                   const uint64_t *address);
