/* SPDX-License-Identifier: MIT */
/*
 * Barriers in shared memory, in the layout that ptxas's code for PTX's mbarrier.init, pending_count
 * and test_wait uses. The 64 bits:
 *
 *   9.x   1 to 20: arrivals that a phase needs, negated; 21 to 42: bytes expected;
 *         43 to 62: missing arrivals, negated; 63: the phase
 *   8.x   0 to 29: arrivals that a phase needs, negated; 32 to 62: missing arrivals,
 *         negated; 63: the phase
 *
 * Here copies complete with their instruction.
 */
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "race.h"

#define PHASE (1ull << 63)

enum {
    EXPECTED_AT = 1,
    BYTES_AT = 21,
    MISSING_AT = 43,
    COUNT_MASK = (1 << 20) - 1,
    BYTES_MASK = (1 << 22) - 1,
    OLD_EXPECTED = 0x40000000,
};

static uint64_t with(uint64_t state, unsigned at, uint64_t mask, uint64_t value) {
    return (state & ~(mask << at)) | (value & mask) << at;
}

static uint64_t arrive_new(uint64_t state, uint32_t arrivals, int64_t bytes, bool leaves) {
    uint64_t expected = state >> EXPECTED_AT & COUNT_MASK;
    uint64_t missing = (state >> MISSING_AT & COUNT_MASK) + arrivals;
    uint64_t awaited = ((state >> BYTES_AT & BYTES_MASK) + (uint64_t)bytes) & BYTES_MASK;
    if (leaves)
        expected = (expected + arrivals) & COUNT_MASK;
    if ((missing & COUNT_MASK) == 0 && awaited == 0) {
        state ^= PHASE;
        missing = expected;
    }
    state = with(state, EXPECTED_AT, COUNT_MASK, expected);
    state = with(state, BYTES_AT, BYTES_MASK, awaited);
    return with(state, MISSING_AT, COUNT_MASK, missing);
}

static uint64_t arrive_old(uint64_t state, uint32_t arrivals) {
    uint32_t low = (uint32_t)state, high = (uint32_t)(state >> 32);
    uint32_t phase = high & 0x80000000u, missing = (high & 0x7fffffffu) + arrivals;
    if (missing == 0x80000000u) {
        phase ^= 0x80000000u;
        missing = 0x80000000u - (OLD_EXPECTED - (low & (OLD_EXPECTED - 1)));
    }
    return low | (uint64_t)(phase | (missing & 0x7fffffffu)) << 32;
}

static uint64_t state_at(const uint8_t *bytes) {
    uint64_t state;
    memcpy(&state, bytes, 8);
    return state;
}

static int64_t counted(uint8_t form, uint32_t operand) {
    static const int8_t fixed[] = {[COUNT_NONE] = 0, [COUNT_ONE] = 1, [COUNT_MINUS_ONE] = -1};
    return form == COUNT_OPERAND ? (int64_t)operand
           : form == COUNT_MINUS ? -(int64_t)operand
                                 : fixed[form];
}

/* One lane after the other; each receives the state before its arrival. */
static void arrive(access_lanes *x, uint32_t lanes) {
    const uint32_t cc = x->worker->run->program->cc, *a = emu_row_of(x->warp, &x->u->a);
    uint32_t *d = emu_result(x->warp, x->u);
    EACH_LANE_OF(l, lanes) {
        const uint64_t before = state_at(x->bytes[l]);
        const uint32_t arrivals = (uint32_t)counted(x->m->arrivals, a[l]);
        const uint64_t state =
            cc >= 90 ? arrive_new(before, arrivals, counted(x->m->transactions, a[l]), x->m->leaves)
                     : arrive_old(before, arrivals);
        memcpy(x->bytes[l], &state, 8);
        if (x->worker->race)
            emu_race_mbarrier_arrive(x, l, arrivals != 0, ((before ^ state) & PHASE) != 0);
        if (x->u->d_rows == 2)
            lanes_set_pair(d, l, before);
    }
}

static void exchange(access_lanes *x, uint32_t lanes) {
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    uint32_t *d = emu_result(x->warp, x->u);
    unsigned l = (unsigned)__builtin_ctz(lanes);
    uint64_t state = state_at(x->bytes[l]), set = lanes_pair(a, l);
    memcpy(x->bytes[l], &set, 8);
    for (unsigned i = 0; i < ROW; i++)
        lanes_set_pair(d, i, state);
}

/* Tests whether the phase in the operand's bit 31 has completed; if not, other warps should run. */
static void test(access_lanes *x, uint32_t lanes) {
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    uint32_t over = 0;
    EACH_LANE_OF(l, lanes)
        over |= (uint32_t)(state_at(x->bytes[l]) >> 63 != a[l] >> 31) << l;
    emu_set_predicate(x->warp, x->u->p_out, lanes, over);
    x->warp->is_polling = over != lanes;
    x->warp->phase_wait.u = NULL;
    if (over != lanes) {
        const unsigned l = (unsigned)__builtin_ctz(lanes & ~over);
        x->warp->phase_wait = (emu_phase_wait){x->u, x->address[l], state_at(x->bytes[l]), l};
    }
    if (x->worker->race && over != 0) {
        emu_race_access(x, over, MEMORY_ATOMIC);
        emu_race_mbarrier_seen(x, over);
    }
}

void emu_sync(access_lanes *x, uint32_t lanes) {
    if (!emu_check_shared(x, lanes) ||
        (x->m->act != SYNC_EXCHANGE && !emu_shared_seen(x, lanes, true, false)))
        return;
    if (x->worker->race && x->m->act != SYNC_TEST)
        emu_race_access(x, x->m->act == SYNC_EXCHANGE ? lanes & (0u - lanes) : lanes,
                        x->m->act == SYNC_EXCHANGE ? MEMORY_STORE : MEMORY_ATOMIC);
    switch ((sync_op)x->m->act) {
    case SYNC_EXCHANGE:
        exchange(x, lanes);
        emu_shared_seen(x, lanes, false, true);
        break;
    case SYNC_TEST:
        test(x, lanes);
        break;
    case SYNC_ARRIVE:
    case SYNC_COPIED:
        arrive(x, lanes);
    }
}

/* Bytes arrived that a phase of the barrier at `address` expects. */
void emu_bytes_arrive(access_lanes *x, uint64_t address, uint32_t bytes) {
    x->width = 8;
    x->address[0] = address;
    if (!emu_check_shared(x, 1))
        return;
    const uint64_t before = state_at(x->bytes[0]);
    const uint64_t state = arrive_new(before, 0, -(int64_t)bytes, false);
    if (x->worker->race)
        emu_race_mbarrier_bytes(x, address, ((before ^ state) & PHASE) != 0);
    memcpy(x->bytes[0], &state, 8);
}

/* ---- Phases that never end ---- */

/* For 9.x: arrivals that a phase needs, arrivals so far, and missing bytes; negative: more than
 * expected. */
typedef struct phase_state {
    uint32_t needed, arrived;
    int32_t bytes;
} phase_state;

static phase_state phase_of(uint64_t state) {
    const uint32_t needed = (uint32_t)(0 - (state >> EXPECTED_AT)) & COUNT_MASK;
    const uint32_t missing = (uint32_t)(0 - (state >> MISSING_AT)) & COUNT_MASK;
    const int32_t bytes = (int32_t)(state >> BYTES_AT & BYTES_MASK);
    return (phase_state){needed, needed - missing,
                         bytes > BYTES_MASK / 2 ? bytes - BYTES_MASK - 1 : bytes};
}

/* Describes what has arrived, and what would complete the phase. */
static void say_phase(const phase_state *at, unsigned parity, char came[80], char missing[160]) {
    const char *more = at->bytes < 0 ? "more than were expected" : "that were expected";
    const uint32_t bytes = (uint32_t)(at->bytes < 0 ? -at->bytes : at->bytes);
    if (at->arrived == 0 && bytes == 0) {
        (void)snprintf(came, 80, "no more threads arrive");
        (void)snprintf(missing, 160,
                       "the previous phase, of parity %u, has ended: a wait for parity %u would "
                       "pass, or arrivals are missing",
                       !parity, !parity);
    } else if (at->arrived < at->needed) {
        (void)snprintf(came, 80, "only %u of %u have arrived", at->arrived, at->needed);
        (void)snprintf(missing, 160, "%u arrival%s more, or a count of %u in mbarrier.init",
                       at->needed - at->arrived, at->needed - at->arrived == 1 ? "" : "s",
                       at->arrived);
    } else {
        (void)snprintf(came, 80, "%u bytes %s have%s arrived", bytes, more,
                       at->bytes < 0 ? "" : " not");
        (void)snprintf(missing, 160, "expect_tx of %u bytes %s, or copies of %u bytes %s", bytes,
                       at->bytes < 0 ? "more" : "less", bytes, at->bytes < 0 ? "less" : "more");
    }
}

void emu_phase_never_ends(emu_warp *warp) {
    const emu_phase_wait *wait = &warp->phase_wait;
    const unsigned parity = (unsigned)(wait->state >> 63);
    const phase_state at = phase_of(wait->state);
    const uint64_t place = (wait->address & ((1u << SMP_BLOCK_SHIFT) - 1)) -
                           warp->block->worker->run->program->function->shared_reserved_bytes;
    char came[80], missing[160];
    say_phase(&at, parity, came, missing);
    emu_found_at(warp, wait->u, wait->lane, SMP_FINDING_BARRIER,
                 (emu_target){place, true, NULL, FOUND_THERE},
                 "threads wait for parity %u of the mbarrier at byte %llu of shared memory, whose "
                 "phase never ends: %s",
                 parity, (unsigned long long)place, came);
    emu_found_missing(warp, wait->u, SMP_FINDING_BARRIER, missing);
}
