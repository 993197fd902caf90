/* SPDX-License-Identifier: MIT */
/*
 * Clusters of blocks, and what a launch leaves in a profile.
 */
#ifndef SMP_EMU_BLOCK_H
#define SMP_EMU_BLOCK_H

#include "warp.h"

/* block.c: memory for one cluster, used again for the next; false: out of memory. */
bool emu_cluster_make(emu_worker *worker);
void emu_cluster_free(emu_worker *worker);
void emu_cluster_run(emu_worker *worker, uint64_t index);

/* emulate_profile.c: what is known before, and the sites after; false: out of memory. */
bool emu_profile_kernel(const emu_program *program, const smp_launch *launch,
                        smp_kernel_profile *kernel);
bool emu_profile_sites(const emu_program *program, const emu_judge *judge,
                       smp_profile_site *results, smp_kernel_profile *kernel);
/* The forms that no record covers, of what was reached: emu_reached by instruction. */
bool emu_profile_forms(const emu_program *program, const uint8_t *reached,
                       smp_kernel_profile *kernel);

#endif
