/* SPDX-License-Identifier: MIT */
/*
 * State and arithmetic of the stack machine that runs code for 32 lanes. Internal to eval_machine.c
 * and eval_arith.c.
 */
#pragma once

#include "code.h"

#define FOR_LANES for (unsigned l = 0; l < SMP_LANES; l++)

typedef struct ct_machine {
    const ct_expr_code *code;
    ct_lanes_state *state;
    ct_active active;
    uint32_t checked; /* lanes whose errors count */
    unsigned top, saved_top;
    ct_active saved[CT_EXPR_STACK_MAX + 1];
    ct_unknown unknown[CT_EXPR_STACK_MAX + 2];
    /* In whole cache lines: up to a fifth faster than where loads cross them. */
    _Alignas(64) ct_lanes_value stack[CT_EXPR_STACK_MAX + 2];
} ct_machine;

/* Fails at instruction `in`. */
#define ct_machine_fail(m, in, status, ...) \
    ((m)->state->error_line = (in)->line,   \
     smp_error_set((m)->state->error, status, (in)->position, __VA_ARGS__))
/* Converts values to a kind. */
void ct_lanes_convert(ct_lanes_value v, ct_kind kind);
/* Unary and binary operations on the top of the stack. */
smp_status ct_machine_unary(ct_machine *m, const ct_expr_instruction *in);
smp_status ct_machine_binary(ct_machine *m, const ct_expr_instruction *in);
void ct_lanes_cast(ct_lanes_value v, unsigned bits, bool is_signed);
