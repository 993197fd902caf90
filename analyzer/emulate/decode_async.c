/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of barriers in shared memory (PTX's mbarrier). Their forms are those that ptxas makes of
 * each PTX instruction; what that does is in the PTX manual.
 */
#include "decode.h"

static uop_memory *sync(decoder *d, sync_op op) {
    uop_memory *m = begin_memory(d, MEMORY_SYNC, SPACE_SHARED, 8);
    m->atomic = (uint8_t)op;
    return m;
}

/* A1T0: one arrival; A0T1: one more transaction; R: of the register; without: one and R. */
static void take_counts(decoder *d, uop_memory *m) {
    static const struct {
        uint16_t name;
        uint8_t arrivals, transactions;
    } forms[] = {{SASS_A1T0, COUNT_ONE, COUNT_NONE},     {SASS_A0T1, COUNT_NONE, COUNT_ONE},
                 {SASS_ART0, COUNT_OPERAND, COUNT_NONE}, {SASS_A0TR, COUNT_NONE, COUNT_OPERAND},
                 {SASS_A0TX, COUNT_NONE, COUNT_MINUS},   {SASS_A1TR, COUNT_ONE, COUNT_OPERAND}};
    m->arrivals = COUNT_ONE;
    m->transactions = COUNT_OPERAND;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (take(d, forms[i].name)) {
            m->arrivals = forms[i].arrivals;
            m->transactions = forms[i].transactions;
        }
}

static void decode_syncs(decoder *d) {
    if (has_modifier(d, SASS_CCTL)) { /* the barrier is no more */
        decode_nothing(d);
        return;
    }
    if (take(d, SASS_EXCH)) {
        uop_memory *m = sync(d, SYNC_EXCHANGE);
        need(d, SASS_64);
        want(d, "D");
        want_address(d, &m->at);
        want(d, "B");
        return;
    }
    need(d, SASS_TRANS64);
    const bool is_test = take(d, SASS_PHASECHK);
    uop_memory *m = sync(d, is_test ? SYNC_TEST : SYNC_ARRIVE);
    if (is_test) {
        take(d, SASS_TRYWAIT);
        want(d, "o");
    } else {
        need(d, SASS_ARRIVE);
        take(d, SASS_RED);
        m->leaves = take(d, SASS_OPTOUT);
        take_counts(d, m);
        want(d, "D");
    }
    want_address(d, &m->at);
    want(d, "b");
}

/* What cp.async has copied until now is there already. */
static void decode_arrives(decoder *d) {
    uop_memory *m = sync(d, SYNC_COPIED);
    need(d, SASS_LDGSTSBAR);
    need(d, SASS_64);
    take(d, SASS_ARVCNT);
    m->arrivals = COUNT_ONE;
    if (take(d, SASS_TRANSCNT)) {
        m->arrivals = COUNT_NONE;
        m->transactions = COUNT_MINUS_ONE;
    }
    want_address(d, &m->at);
}

/* ATOMS.ARRIVE.64: the barrier of compute capability 8.x. */
void decode_atoms_arrive(decoder *d) {
    uop_memory *m = sync(d, SYNC_ARRIVE);
    need(d, SASS_ARRIVE);
    need(d, SASS_64);
    m->arrivals = COUNT_ONE;
    want(d, "D");
    want_address(d, &m->at);
}

const opcode_row opcodes_async[] = {
    {SASS_SYNCS, .decode = decode_syncs},
    {SASS_ARRIVES, .decode = decode_arrives},
    {.opcode = SASS_NONE},
};
