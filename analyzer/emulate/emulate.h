/* SPDX-License-Identifier: MIT */
/*
 * Runs one launch of a kernel's machine code on the CPU and reports what its accesses cost.
 *
 * Integer and IEEE operations are computed bit by bit as on a GPU, special functions closely. An
 * instruction (or a variant of one) that is not emulated poisons what it writes. Poison that
 * reaches an address, a branch or memory ends the launch with a finding, so that no figure is
 * silently wrong. Blocks run in parallel on all cores, the warps of a block take turns.
 */
#pragma once

#include "emulation.h"

/* Checks whether any chip accepts such a grid and block; needs no kernel. */
smp_status smp_emulate_shape_check(const uint32_t grid[3], const uint32_t block[3],
                                   smp_error *error);

/* Runs the launch and fills *kernel (which the caller has emptied) with its sites and *out with the
 * rest. SMP_OK with findings if the kernel misbehaves; another status if it cannot run at all (no
 * instructions, a launch that the chip would refuse, no memory) or its trace cannot be written. */
smp_status smp_emulate(const smp_code *code, const smp_function *function, smp_emu_memory *memory,
                       const smp_launch *launch, smp_kernel_profile *kernel, smp_emulation *out,
                       smp_error *error);

/* Fills in what is known of a kernel before it runs; false if out of memory. */
bool smp_emulate_kernel(const smp_function *function, const smp_launch *launch,
                        smp_kernel_profile *kernel);

/* Moves functions of the launch with code of their own into kernels of their own in the profile, as
 * GPU profiles have them: without launches, offsets from their own start. `index`: the kernel that
 * smp_emulate filled. */
smp_status smp_emulate_called(const smp_function *function, smp_profile *profile, uint32_t index,
                              smp_error *error);

/* Returns "texture" or "surface" if the instruction reads or writes one (through a handle that
 * memory does not describe), else NULL. */
const char *smp_emu_object_of(const smp_instruction *instruction);

/* Adds the findings to the profile, whose kernel `index` smp_emulate filled. SMP_E_MEMORY or
 * SMP_OK. */
smp_status smp_emulate_findings(const smp_function *function, const smp_emulation *done,
                                smp_profile *profile, uint32_t index, smp_error *error);

/* Returns the bytes of the variable at this address, or NULL. */
typedef uint8_t *(*smp_emu_bytes_fn)(void *user, uint64_t address);
/* Writes addresses into variables that are initialized with pointers to variables or functions.
 * `address` as in smp_emu_module. */
void smp_emu_relocate(const smp_code *code, const uint64_t *address, smp_emu_bytes_fn bytes_of,
                      void *user);
