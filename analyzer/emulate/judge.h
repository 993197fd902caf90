/* SPDX-License-Identifier: MIT */
/*
 * Requests, counted by the worker that makes them: equal ones of one instruction are kept once, and
 * judged by the model once, when their table is full or the launch is over.
 */
#ifndef SMP_JUDGE_H
#define SMP_JUDGE_H

#include "emulate.h"
#include "uop.h"

/* One instruction and one space that its addresses fell into. */
typedef struct emu_site {
    uint32_t instruction;
    smp_op op;
    smp_space space;
    bool is_local;
    uint8_t width_bytes;
    struct emu_tally *tally; /* NULL: nothing yet */
} emu_site;

typedef struct emu_judge {
    const smp_arch *arch;
    emu_site *sites;
    uint32_t site_count;
    smp_profile_site *results; /* shared by all workers, under the lock of `flush` */
    void *lock;
    bool is_out_of_memory;
} emu_judge;

/* Spaces of one memory instruction: slots from uop_memory.sites on. */
enum { SLOT_SHARED, SLOT_GLOBAL, SLOT_LOCAL, SLOT_CLUSTER, SLOTS };

/* `lanes` of offsets; inactive lanes' are ignored. Shared: into the block's memory. `global`: of
 * copies, their source; else NULL. */
void emu_judge_shared(emu_judge *judge, uint32_t site, uint32_t lanes, const uint32_t *offset_bytes,
                      const uint64_t *global);
/* Global, local (as offsets in the thread's own memory) and cluster memory (offsets with the
 * block's number above). Addresses of one request are less than 2 GiB apart. */
void emu_judge_global(emu_judge *judge, uint32_t site, uint32_t lanes, const uint64_t *address);
/* All that is counted goes to the results. */
void emu_judge_flush(emu_judge *judge);
void emu_judge_clear(emu_judge *judge);

#endif
