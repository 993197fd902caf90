/* SPDX-License-Identifier: MIT */
/*
 * Races of a launch: accesses of two threads to common bytes, at least one of them a write, that
 * nothing orders (PTX ISA, "Memory Consistency Model"). Vector clocks decide, not the order in
 * which the emulator ran them. The emulator reports accesses, edges, and what begins and ends. It
 * calls none of these where emu_worker.race is NULL.
 */
#pragma once

#include "warp.h"

typedef struct emu_race emu_race;
typedef struct access_lanes access_lanes; /* memory.h */

/* False if out of memory. */
bool emu_race_make(emu_worker *worker);
void emu_race_free(emu_worker *worker);
/* The worker's next cluster begins. */
void emu_race_begin(emu_worker *worker);
/* Marks findings of bytes that no thread of the worker's blocks wrote: no race explains them. */
void emu_race_end(emu_worker *worker);

/* All workers are done: drops findings that a race explains. */
void emu_race_settle(emu_run *run);

/* ---- The launch ---- */

/* Whether the program has fences that order clusters; one worker then runs them all. */
bool emu_race_orders_clusters(const emu_program *program);
/* Whether it has loops that wait for other clusters, which should then run as well. */
bool emu_race_waits_for_clusters(const emu_program *program);
/* False if out of memory. */
bool emu_race_grid_make(emu_run *run);
void emu_race_grid_free(emu_run *run);

/* ---- Accesses ---- */

/* Before a load of all lanes at evenly spaced offsets in bounds; false if it needs
 * emu_race_shared(). */
bool emu_race_read(emu_warp *warp, const uop *u, uint32_t width, uint32_t first, uint32_t stride);
/* The same for consecutive loads, each at its series_distance; false if one needs
 * emu_race_shared(). */
bool emu_race_reads(emu_warp *warp, const uop *u, const uop *end, uint32_t first, uint32_t stride);
/* Before a load, store or atomic access of `lanes` at these offsets of the block's memory, as the
 * program sees it. */
void emu_race_shared(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t lanes,
                     const uint32_t *offset);
/* The same at the lanes' addresses in any block; `kind` is MEMORY_LOAD, _STORE or _ATOMIC. */
void emu_race_access(const access_lanes *at, uint32_t lanes, memory_kind kind);
/* The same for global memory, at array->bytes + base + offset[l] (signed). */
void emu_race_global(emu_warp *warp, const uop *u, const uop_memory *m, const smp_emu_array *array,
                     int64_t base, const uint32_t *offset, uint32_t lanes);
/* A strong or atomic access: what it acquires, and what it releases. */
typedef struct race_strong {
    bool reads, writes;
    bool adds;      /* earlier releases at the address stay */
    bool is_far;    /* its scope is wider than the block */
    bool is_alone;  /* one lane's access */
    uint32_t takes; /* lanes that take a lock, if it is one */
    bool unlocks;   /* it may give a lock back */
    bool waits;     /* it polls in a loop */
} race_strong;
/* Called before the access. Addresses in shared memory have a bit of their own set. */
void emu_race_strong(emu_warp *warp, uint32_t lanes, const uint64_t *address, race_strong how);
/* The side of a copy in global memory, before it is moved. */
typedef struct race_far {
    memory_kind kind; /* MEMORY_LOAD, _STORE or _ATOMIC */
    uint32_t width;   /* bytes of a lane */
    uint32_t flight;  /* of its writes; 0: it only reads */
    int owner;        /* the lane that owns the copy; -1: each lane its own */
    bool is_proxy;    /* by the async proxy */
} race_far;
void emu_race_far(const access_lanes *at, const uint64_t *address, uint32_t lanes, race_far how);
/* A bulk or tensor copy of one lane begins to write global memory; returns its flight. */
uint32_t emu_race_begin_write(const access_lanes *at, unsigned lane);
/* cp.async writes at the lanes' addresses. */
void emu_race_copy(const access_lanes *at, uint32_t lanes);
/* A bulk or tensor copy of one lane to or from shared memory begins; returns its flight. Then each
 * of its chunks, at x->address. */
uint32_t emu_race_begin_bulk(const access_lanes *at, unsigned lane, bool writes);
void emu_race_bulk(const access_lanes *at, uint32_t chunks, uint32_t number, bool writes);
/* A product of four warps begins; returns its flight. Then what it reads. */
uint32_t emu_race_begin_matrix(const access_lanes *at);
void emu_race_matrix(const access_lanes *at, uint32_t number, uint32_t offset, uint32_t bytes);

/* ---- Edges ---- */

/* An instruction that only orders (UOP_NOP). */
void emu_race_order(emu_warp *warp, const uop *u, uint32_t lanes);
/* One that commits groups of copies or products, or waits for them. */
void emu_race_groups(emu_warp *warp, const uop *u, uint32_t lanes);
/* Orders everything before of `lanes` before everything after of them. */
void emu_race_join_lanes(emu_warp *warp, uint32_t lanes);
/* The lanes arrive at the block's barrier without waiting. */
void emu_race_arrive(emu_warp *warp, uint32_t barrier, uint32_t lanes);
/* The barrier opens for the warps that wait there. */
void emu_race_open(emu_block *block, uint32_t barrier);
/* The cluster's barrier: whether some arrivals are relaxed; lanes arrive; it opens; lanes, or all
 * waiting lanes of the block, pass it. */
bool emu_race_has_relaxed(const emu_program *program);
void emu_race_cluster_arrive(emu_warp *warp, uint32_t lanes);
void emu_race_cluster_open(emu_worker *worker);
void emu_race_cluster_wait(emu_warp *warp, uint32_t lanes);
void emu_race_cluster_release(emu_block *block);
/* The last threads of the block exit, and its shared memory ends. */
void emu_race_block_ends(emu_warp *warp, const uop *u, uint32_t lanes);
/* A lane has arrived at the mbarrier at its address, or only changed its expected bytes
 * (`arrives`); `ends`: that ended a phase. The same for bytes. The lanes have seen a phase end. */
void emu_race_mbarrier_arrive(const access_lanes *x, unsigned lane, bool arrives, bool ends);
void emu_race_mbarrier_bytes(const access_lanes *x, uint64_t address, bool ends);
void emu_race_mbarrier_seen(const access_lanes *x, uint32_t lanes);
/* The lane's copies so far will arrive at the mbarrier when they complete. */
void emu_race_copied(emu_warp *warp, unsigned lane, uint32_t mbarrier, uint32_t phase);
/* The copy completes the current phase of the mbarrier. */
void emu_race_bulk_ends(const access_lanes *x, uint32_t number, uint64_t mbarrier);
