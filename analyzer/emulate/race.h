/* SPDX-License-Identifier: MIT */
/*
 * Races of a launch: accesses of two threads to common bytes, at least one a write, that nothing
 * orders. Judged by clocks, not by the order in which the emulator ran them; PTX ISA, "Memory
 * Consistency Model". The emulator tells of accesses, of edges and of what begins and ends; without
 * emu_worker.race it tells nothing.
 */
#ifndef SMP_RACE_H
#define SMP_RACE_H

#include "warp.h"

typedef struct emu_race emu_race;
typedef struct access_lanes access_lanes; /* memory.h */

/* False: out of memory. */
bool emu_race_make(emu_worker *worker);
void emu_race_free(emu_worker *worker);
/* The worker's next cluster begins: what ran before is over. */
void emu_race_begin(emu_worker *worker);

/* All workers are done: what a race explains is no finding of its own. */
void emu_race_settle(emu_run *run);

/* ---- The launch ---- */

/* Its instructions can put clusters of blocks in order: one worker runs them all. */
bool emu_race_orders_clusters(const emu_program *program);
/* They have loops in which one waits for another, who should then run, too. */
bool emu_race_waits_for_clusters(const emu_program *program);
/* False: out of memory. */
bool emu_race_grid_make(emu_run *run);
void emu_race_grid_free(emu_run *run);

/* ---- Accesses ---- */

/* Before a load of all lanes at even offsets, which are inside; false: it is to be looked at. */
bool emu_race_read(emu_warp *warp, const uop *u, uint32_t width, uint32_t first, uint32_t stride);
/* The same of loads that follow each other, each at its series_distance; false: some of them is to
 * be looked at. */
bool emu_race_reads(emu_warp *warp, const uop *u, const uop *end, uint32_t first, uint32_t stride);
/* Before a load, store or atomic of `lanes` at these offsets of the block's memory, as the program
 * sees it. */
void emu_race_shared(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t lanes,
                     const uint32_t *offset);
/* The same at the lanes' addresses, of whichever block; MEMORY_LOAD, _STORE or _ATOMIC. */
void emu_race_access(const access_lanes *at, uint32_t lanes, memory_kind kind);
/* The same of global memory, at array->bytes + base + offset[l] (signed). */
void emu_race_global(emu_warp *warp, const uop *u, const uop_memory *m, const smp_emu_array *array,
                     int64_t base, const uint32_t *offset, uint32_t lanes);
/* Before a strong or atomic access of any memory (of shared memory, the addresses have another
 * bit): what it takes from others, and leaves for them. */
typedef struct race_strong {
    bool reads, writes;
    bool adds;      /* what was released there before stays */
    bool is_far;    /* for threads of other blocks, too */
    bool is_alone;  /* one lane's */
    uint32_t takes; /* lanes that take a lock there, if it is one */
    bool unlocks;   /* as who gives a lock back does */
    bool waits;     /* in a loop */
} race_strong;
void emu_race_strong(emu_warp *warp, uint32_t lanes, const uint64_t *address, race_strong how);
/* The side of a copy that is in global memory, before it is moved: at these addresses. */
typedef struct race_far {
    memory_kind kind; /* MEMORY_LOAD, _STORE or _ATOMIC */
    uint32_t width;   /* bytes of a lane */
    uint32_t flight;  /* of what it writes; 0: it only reads */
    int owner;        /* the lane whose copy it is; -1: each its own */
    bool is_proxy;    /* the async proxy's */
} race_far;
void emu_race_far(const access_lanes *at, const uint64_t *address, uint32_t lanes, race_far how);
/* A bulk or tensor copy of one lane begins to write global memory: its number. */
uint32_t emu_race_begin_write(const access_lanes *at, unsigned lane);
/* cp.async writes there. */
void emu_race_copy(const access_lanes *at, uint32_t lanes);
/* A bulk or tensor copy of one lane begins, to or from shared memory: its number; then each of its
 * chunks, at x->address. */
uint32_t emu_race_begin_bulk(const access_lanes *at, unsigned lane, bool writes);
void emu_race_bulk(const access_lanes *at, uint32_t chunks, uint32_t number, bool writes);
/* A product of four warps begins; it reads there. */
uint32_t emu_race_begin_matrix(const access_lanes *at);
void emu_race_matrix(const access_lanes *at, uint32_t number, uint32_t offset, uint32_t bytes);

/* ---- Edges ---- */

/* An instruction that only orders: UOP_NOP. */
void emu_race_order(emu_warp *warp, const uop *u, uint32_t lanes);
/* The part of it that closes groups of copies and products, or waits for them. */
void emu_race_groups(emu_warp *warp, const uop *u, uint32_t lanes);
/* Everything before of `lanes` is before everything behind of them. */
void emu_race_join_lanes(emu_warp *warp, uint32_t lanes);
/* They arrive at the block's barrier and do not wait. */
void emu_race_arrive(emu_warp *warp, uint32_t barrier, uint32_t lanes);
/* The barrier opens for those that wait there. */
void emu_race_open(emu_block *block, uint32_t barrier);
/* The barrier of the cluster: it opens; the lanes come behind it, or those of the block that wait.
 */
bool emu_race_has_relaxed(const emu_program *program);
void emu_race_cluster_arrive(emu_warp *warp, uint32_t lanes);
void emu_race_cluster_open(emu_worker *worker);
void emu_race_cluster_wait(emu_warp *warp, uint32_t lanes);
void emu_race_cluster_release(emu_block *block);
/* The last threads of the block end, and its memory with them. */
void emu_race_block_ends(emu_warp *warp, const uop *u, uint32_t lanes);
/* A lane has arrived at the mbarrier at its address (or only changed what it waits for); it ended a
 * phase. Bytes have. The lanes have seen a phase end. */
void emu_race_mbarrier_arrive(const access_lanes *x, unsigned lane, bool arrives, bool ends);
void emu_race_mbarrier_bytes(const access_lanes *x, uint64_t address, bool ends);
void emu_race_mbarrier_seen(const access_lanes *x, uint32_t lanes);
/* Copies of the lane until here arrive there when they are over. */
void emu_race_copied(emu_warp *warp, unsigned lane, uint32_t mbarrier, uint32_t phase);
/* The copy ends with the phase of the mbarrier that runs. */
void emu_race_bulk_ends(const access_lanes *x, uint32_t number, uint64_t mbarrier);

#endif
