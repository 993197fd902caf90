/* SPDX-License-Identifier: MIT */
/*
 * The stack machine that runs code for 32 lanes: its registers, and the arithmetic that it is built
 * of. Internal to expr_eval.c and expr_arith.c.
 */
#ifndef SMP_EXPR_MACHINE_H
#define SMP_EXPR_MACHINE_H

#include "expr.h"

#define FOR_LANES for (unsigned l = 0; l < SMP_LANES; l++)

typedef struct smp_machine {
    smp_lanes_state *state;
    smp_active active;
    uint32_t checked; /* lanes whose errors count in the current instruction */
    unsigned top, saved_top;
    smp_active saved[SMP_EXPR_STACK_MAX + 1];
    smp_unknown unknown[SMP_EXPR_STACK_MAX + 2];
    smp_lanes_value stack[SMP_EXPR_STACK_MAX + 2];
} smp_machine;

/* Fails at the instruction. */
smp_status smp_machine_fail(const smp_machine *m, const smp_expr_instruction *in, smp_status status,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Brings values to a kind. */
void smp_lanes_convert(smp_lanes_value v, smp_kind kind);
/* One operand, two, three: the result replaces the lowest. */
smp_status smp_machine_unary(smp_machine *m, const smp_expr_instruction *in);
smp_status smp_machine_binary(smp_machine *m, const smp_expr_instruction *in);
void smp_machine_ternary(smp_machine *m, const smp_expr_instruction *in);
void smp_lanes_cast(smp_lanes_value v, unsigned bits, bool is_signed);

#endif
