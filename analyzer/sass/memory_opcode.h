/* SPDX-License-Identifier: MIT */
/*
 * Which operation of the model a machine instruction is: atomics, compare-and-swap and combining
 * increments cannot be told apart by their addresses, only by the instruction.
 */
#pragma once

#include "disassembly.h"
#include "smp_model.h"

/* The operation of `opcode` ("LDS.128", "ATOMS.POPC.INC.32") where its addresses fall into `space`
 * (a generic LD is ld.shared in the block's own memory, ld.global in global memory). SMP_OP_COUNT:
 * the model has none. */
smp_op smp_opcode_op(const char *opcode, smp_space space);

/* True of stores and reductions that arrive at a barrier of another block: they take the packets of
 * a remote atomic, whatever their width. */
bool smp_opcode_is_async(const char *opcode);

/* Why there are no figures of an instruction that reads or writes memory behind the back of the
 * load-store unit ("bulk copy: no rule"); NULL for all others. */
const char *smp_opcode_not_modelled(const char *opcode);

/* What requests of an instruction cost in shared memory whatever their addresses are: so many
 * wavefronts for each `requests` of them, none of which is excess. */
typedef struct smp_fixed_cost {
    uint32_t wavefronts, requests;
} smp_fixed_cost;

/* False: none is known on `arch` (NULL: on none). `operands` as they are printed, or NULL. */
bool smp_opcode_fixed_cost(const smp_arch *arch, const char *opcode, const char *operands,
                           smp_fixed_cost *out);

/* The opcode of the first instruction of a function on a barrier in shared memory (mbarrier); NULL:
 * it has none, or is not disassembled. */
const char *smp_function_barrier(const smp_function *function);
