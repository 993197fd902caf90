/* SPDX-License-Identifier: MIT */
/*
 * The model's operation for a machine instruction: atomics, compare-and-swap and combining
 * increments differ only by the instruction, not by their addresses.
 */
#pragma once

#include "disassembly.h"
#include "smp_model.h"

/* The operation of `opcode` ("LDS.128", "ATOMS.POPC.INC.32") with addresses in `space` (a generic
 * LD is ld.shared in the block's own memory, ld.global in global memory). SMP_OP_COUNT: not in the
 * model. */
smp_op smp_opcode_op(const char *opcode, smp_space space);

/* True for stores and reductions that signal a barrier of another block: they need the packets of a
 * remote atomic, whatever their width. */
bool smp_opcode_is_async(const char *opcode);

/* Why an instruction that accesses memory outside the load-store unit has no figures ("bulk copy:
 * no rule"); NULL for all others, and for loads of constants at one address a warp. `operands` as
 * printed, or NULL. */
const char *smp_opcode_not_modelled(const char *opcode, const char *operands);

/* The shared-memory cost of an instruction that does not depend on addresses: this many wavefronts
 * for each `requests` requests, without excess. */
typedef struct smp_fixed_cost {
    uint32_t wavefronts, requests;
} smp_fixed_cost;

/* False if no cost is known on `arch` (which may be NULL). `operands` as printed, or NULL. */
bool smp_opcode_fixed_cost(const smp_arch *arch, const char *opcode, const char *operands,
                           smp_fixed_cost *out);

/* The opcode of the function's first instruction on a barrier in shared memory (mbarrier); NULL if
 * there is none, or it is not disassembled. */
const char *smp_function_barrier(const smp_function *function);
