/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of barriers in shared memory (PTX's mbarrier). Their forms are those that ptxas makes of
 * each PTX instruction; what that does is in the PTX manual.
 */
#include "decode.h"
#include "judge.h"

static uop_memory *sync(decoder *d, sync_op op) {
    d->u->kind = UOP_MEMORY;
    d->u->memory = (int32_t)d->program->memory_count++;
    uop_memory *m = &d->program->memory[d->u->memory];
    *m = (uop_memory){.kind = MEMORY_SYNC, .space = SPACE_SHARED, .width_bytes = 8};
    m->sites = (uint32_t)d->u->memory * SLOTS;
    m->atomic = (uint8_t)op;
    return m;
}

/* A1T0: one arrival; A0T1: one more transaction; R: of the register; without: one and R. */
static void take_counts(decoder *d, uop_memory *m) {
    static const struct {
        const char *name;
        uint8_t arrivals, transactions;
    } forms[] = {{"A1T0", COUNT_ONE, COUNT_NONE},     {"A0T1", COUNT_NONE, COUNT_ONE},
                 {"ART0", COUNT_OPERAND, COUNT_NONE}, {"A0TR", COUNT_NONE, COUNT_OPERAND},
                 {"A0TX", COUNT_NONE, COUNT_MINUS},   {"A1TR", COUNT_ONE, COUNT_OPERAND}};
    m->arrivals = COUNT_ONE;
    m->transactions = COUNT_OPERAND;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (take(d, forms[i].name)) {
            m->arrivals = forms[i].arrivals;
            m->transactions = forms[i].transactions;
        }
}

static void decode_syncs(decoder *d) {
    if (take(d, "CCTL")) { /* the barrier is no more */
        d->u->kind = UOP_NOP;
        d->modifiers_taken = (1u << d->modifier_count) - 1;
        d->operand_next = d->operand_count;
        return;
    }
    if (take(d, "EXCH")) {
        uop_memory *m = sync(d, SYNC_EXCHANGE);
        d->is_unknown |= !take(d, "64");
        want_destination(d, 2);
        want_address(d, &m->at);
        want_bits(d, &d->u->a, 2);
        return;
    }
    d->is_unknown |= !take(d, "TRANS64");
    if (take(d, "PHASECHK")) {
        uop_memory *m = sync(d, SYNC_TEST);
        take(d, "TRYWAIT");
        want_predicate_out(d, &d->u->p_out);
        want_address(d, &m->at);
        want_bits(d, &d->u->a, 1);
        return;
    }
    uop_memory *m = sync(d, SYNC_ARRIVE);
    d->is_unknown |= !take(d, "ARRIVE");
    take(d, "RED");
    m->leaves = take(d, "OPTOUT");
    take_counts(d, m);
    want_destination(d, 2);
    want_address(d, &m->at);
    want_bits(d, &d->u->a, 1);
}

/* What cp.async has copied until now is there already. */
static void decode_arrives(decoder *d) {
    uop_memory *m = sync(d, SYNC_COPIED);
    d->is_unknown |= !take(d, "LDGSTSBAR") || !take(d, "64");
    take(d, "ARVCNT");
    m->arrivals = COUNT_ONE;
    if (take(d, "TRANSCNT")) {
        m->arrivals = COUNT_NONE;
        m->transactions = COUNT_MINUS_ONE;
    }
    want_address(d, &m->at);
}

/* ATOMS.ARRIVE.64: the barrier of compute capability 8.x. */
void decode_atoms_arrive(decoder *d) {
    uop_memory *m = sync(d, SYNC_ARRIVE);
    d->is_unknown |= !take(d, "ARRIVE") || !take(d, "64");
    m->arrivals = COUNT_ONE;
    want_destination(d, 2);
    want_address(d, &m->at);
}

const opcode_row opcodes_async[] = {
    {"SYNCS", decode_syncs},
    {"ARRIVES", decode_arrives},
    {NULL, NULL},
};
