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

/* False: out of memory. */
bool emu_race_make(emu_worker *worker);
void emu_race_free(emu_worker *worker);
/* The worker's next cluster begins: what ran before is over. */
void emu_race_begin(emu_worker *worker);

/* All workers are done: what a race explains is no finding of its own. */
void emu_race_settle(emu_run *run);

/* ---- Accesses ---- */

/* Before a load, store or atomic of `lanes` at these offsets of the block's memory, as the program
 * sees it. */
void emu_race_shared(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t lanes,
                     const uint32_t *offset);
/* The same of addresses with the block's rank above. */
void emu_race_cluster(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t lanes,
                      const uint64_t *address);

/* ---- Edges ---- */

/* An instruction that only orders: UOP_NOP. */
void emu_race_order(emu_warp *warp, const uop *u, uint32_t lanes);
/* Everything before of `lanes` is before everything behind of them. */
void emu_race_join_lanes(emu_warp *warp, uint32_t lanes);
/* They arrive at the block's barrier and do not wait. */
void emu_race_arrive(emu_warp *warp, uint32_t barrier, uint32_t lanes);
/* The barrier opens for those that wait there. */
void emu_race_open(emu_block *block, uint32_t barrier);
/* The barrier of the cluster. */
void emu_race_cluster_arrive(emu_warp *warp, uint32_t lanes);
void emu_race_cluster_open(emu_worker *worker);
void emu_race_cluster_wait(emu_warp *warp, uint32_t lanes);

#endif
