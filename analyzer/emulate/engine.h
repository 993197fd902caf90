/* SPDX-License-Identifier: MIT */
/* The engine's functions, by file: they decode a kernel and run its warps. */
#pragma once

#include "warp.h"

/* ---- decode/ ---- */

/* Decodes the function; the banks must be filled. SMP_E_MEMORY or SMP_OK: an instruction that is
 * not emulated becomes UOP_UNKNOWN. */
smp_status emu_decode(emu_program *program, smp_error *error);
void emu_program_clear(emu_program *program);

/* Adds a constant to the program's file and returns its offset; -1 if out of memory. */
int32_t emu_constant(emu_program *program, const uint32_t *values, unsigned rows);

/* fused_ops.c, after decoding: folds operations on constants, chooses fused functions, and counts
 * operations of one kind in a row. False if out of memory. */
bool emu_plan(emu_program *program);

/* Applies an operand's modifier. */
void emu_modify(const emu_operand *operand, const uint32_t *in, uint32_t *out);

/* ---- Running ---- */

/* banks.c: fills program->banks and adds the module's variables to `memory`. */
smp_status emu_fill_banks(emu_program *program, const smp_launch *launch, uint32_t local_bytes,
                          smp_emu_memory *memory, smp_error *error);
/* Removes the arrays that emu_fill_banks added. */
void emu_remove_own(smp_emu_memory *memory);

/* block.c: allocates one cluster, reused for the next; false if out of memory. */
bool emu_cluster_make(emu_worker *worker);
void emu_cluster_free(emu_worker *worker);
void emu_cluster_run(emu_worker *worker, uint64_t index);
/* Reports progress. */
void emu_tell(const emu_worker *worker);
/* Memory that emu_cluster_make needs for this many blocks. */
uint64_t emu_blocks_bytes(const smp_launch *launch, uint64_t blocks, uint32_t shared_bytes,
                          uint32_t local_bytes);

/* emulate_profile.c: fills in the sites after a launch; false if out of memory. */
bool emu_profile_sites(const emu_program *program, const emu_judge *judge,
                       smp_profile_site *results, smp_kernel_profile *kernel);
/* Lists the reached forms that no recording covers; `reached` as in emu_reached. */
bool emu_profile_forms(const emu_program *program, const uint8_t *reached,
                       smp_kernel_profile *kernel);

/* special.c: value of a special register for one lane. */
uint32_t emu_special(const emu_warp *warp, uint32_t which, unsigned lane);
/* A block's shared memory including the reserved part, in the chip's allocation unit. */
uint32_t emu_shared_size(const smp_function *f, const smp_launch *launch);

/* memory.c: executes a memory instruction for the lanes of `exec`. */
void emu_memory(emu_warp *warp, const uop *u, uint32_t exec);
/* control.c: runs until all groups wait or the turn is over; true if anything progressed. */
bool emu_warp_run(emu_warp *warp, uint64_t turn);
/* collective.c: whether the lanes of the mask (the group's first lane's) are `lanes`. */
bool emu_is_converged(const emu_warp *warp, const emu_group *group, const uint32_t *masks,
                      uint32_t lanes);
/* Lanes of `exec` wait for the lanes of their masks (at BSYNC: of their barriers) or continue. */
void emu_bsync(emu_warp *warp, const uop *u, emu_group *group, uint32_t exec);
void emu_warpsync(emu_warp *warp, const uop *u, emu_group *group, const uint32_t *masks,
                  uint32_t exec);
/* convergence.c. BSSY: sets up a barrier for `mask`. */
void emu_convergence_begin(emu_warp *warp, uint32_t reg, uint32_t exec, uint32_t mask);
/* BREAK: `lanes` are no longer waited for. */
void emu_convergence_break(emu_warp *warp, uint32_t reg, uint32_t lanes);
/* BMOV. */
void emu_convergence_move(emu_warp *warp, const uop *u, uint32_t exec);
/* Called when no group of the warp can continue: releases some lanes that wait at BSYNC in a cycle;
 * true if any. */
bool emu_convergence_release(emu_warp *warp);
void emu_convergence_reset(emu_warp *warp);
/* divergence.c: groups of a warp. */
void emu_group_remove(emu_warp *warp, uint32_t index);
/* Merges those of `released` lanes that are at the same place. */
void emu_group_merge(emu_warp *warp, uint32_t released);
/* Releases groups whose awaited lanes have arrived; true if any. */
bool emu_warp_wake(emu_warp *warp);
/* barrier.c: the group arrives at the block's barrier, or lanes exit the block; either may release
 * waiting groups. */
void emu_barrier_arrive(emu_warp *warp, const uop *u, emu_group *group, uint32_t exec);
void emu_barrier_check(emu_block *block);
void emu_cluster_arrive(emu_warp *warp, uint32_t exec);
void emu_cluster_check(emu_worker *worker);
/* poison.c: called before an instruction while poison exists; false if the launch has ended. */
bool emu_poison_step(emu_warp *warp, const uop *u, uint32_t mask, uint32_t exec);
/* finding.c: reports a finding for `lane` at instruction `u`. All kinds but uninitialised values
 * and the order of blocks stop the launch. emu_found_at: of an access with a known address. */
/* NOWHERE: without an address; NOTE: and the launch goes on. */
typedef enum emu_found_how { FOUND_THERE, FOUND_NOWHERE, FOUND_NOTE } emu_found_how;
typedef struct emu_target {
    uint64_t address;
    bool is_shared; /* `address` is an offset in the block's shared memory, as programs see it */
    const smp_emu_array *array; /* the global array that was meant; NULL if unknown */
    emu_found_how how;
} emu_target;
void emu_found_at(emu_warp *warp, const uop *u, unsigned lane, smp_finding_kind kind,
                  emu_target target, const char *format, ...) __attribute__((format(printf, 6, 7)));
#define emu_found(warp, u, lane, kind, ...) \
    emu_found_at(warp, u, lane, kind, (emu_target){.how = FOUND_NOWHERE}, __VA_ARGS__)
/* A note, which does not stop the launch. */
#define emu_noted(warp, u, lane, kind, ...) \
    emu_found_at(warp, u, lane, kind, (emu_target){.how = FOUND_NOTE}, __VA_ARGS__)
/* mbarrier.c: reports that no thread will complete the phase that the warp waits for. */
void emu_phase_never_ends(emu_warp *warp);
/* Adds what would fix an existing finding. */
void emu_found_missing(emu_warp *warp, const uop *u, smp_finding_kind kind, const char *missing);

/* Special registers. */
enum {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANE,
    SPECIAL_LT_MASK,
    SPECIAL_LE_MASK,
    SPECIAL_GT_MASK,
    SPECIAL_GE_MASK,
    SPECIAL_EQ_MASK,
    SPECIAL_SHARED_HIGH,
    SPECIAL_CLUSTER_RANK,
    SPECIAL_ZERO,
    SPECIAL_TID,
    SPECIAL_CLOCK,
    SPECIAL_WARP,  /* number in its block, above a byte of another field */
    SPECIAL_WARPS, /* of an SM, in the same position */
    SPECIAL_SHARED_SIZE,
    SPECIAL_CLOCK_HIGH,
};

/* request_cache.c: moves the data of the members from `u` up to `end`, whose first request was seen
 * before. */
void emu_chain_load(emu_warp *warp, const uop *u, const uop *end, const emu_request *request);
