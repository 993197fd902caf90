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

static void decode_exchange(decoder *d) {
    sync(d, SYNC_EXCHANGE);
    need(d, SASS_64);
    want(d, "D@B");
}

static void decode_test(decoder *d) {
    sync(d, SYNC_TEST);
    need(d, SASS_TRANS64);
    take(d, SASS_TRYWAIT);
    want(d, "o@b");
}

static void decode_arrive(decoder *d) {
    uop_memory *m = sync(d, SYNC_ARRIVE);
    need(d, SASS_TRANS64);
    take(d, SASS_RED);
    m->leaves = take(d, SASS_OPTOUT);
    take_counts(d, m);
    want(d, "D@b");
}

/* What cp.async has copied until now is there already. */
static void decode_copied(decoder *d) {
    uop_memory *m = sync(d, SYNC_COPIED);
    need(d, SASS_64);
    take(d, SASS_ARVCNT);
    m->arrivals = COUNT_ONE;
    if (take(d, SASS_TRANSCNT)) {
        m->arrivals = COUNT_NONE;
        m->transactions = COUNT_MINUS_ONE;
    }
    want(d, "@");
}

/* ATOMS.ARRIVE.64: the barrier of compute capability 8.x. */
static void decode_old_arrive(decoder *d) {
    sync(d, SYNC_ARRIVE)->arrivals = COUNT_ONE;
    need(d, SASS_64);
    want(d, "D@");
}

const opcode_row opcodes_async[] = {
    {SASS_SYNCS, SASS_CCTL, .kind = UOP_NOP, .operands = "*"}, /* the barrier is no more */
    {SASS_SYNCS, SASS_EXCH, .decode = decode_exchange},
    {SASS_SYNCS, SASS_PHASECHK, .decode = decode_test},
    {SASS_SYNCS, SASS_ARRIVE, .decode = decode_arrive},
    {SASS_ARRIVES, SASS_LDGSTSBAR, .decode = decode_copied},
    {SASS_ATOMS, SASS_ARRIVE, .decode = decode_old_arrive},
    {.opcode = SASS_NONE},
};
