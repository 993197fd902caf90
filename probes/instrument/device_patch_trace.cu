/* SPDX-License-Identifier: MIT */
/*
 * Counts like device_patch.cu, but puts each request into the ring of instrument_trace.h first. It
 * is a separate patch so that profiles without a trace cost no more.
 *
 * The rules of device_count.cuh hold: votes and no barriers, and branches that all lanes take
 * together.
 */
#include "device_count.cuh"
#include "instrument_trace.h"

enum { POSITION_BITS = 48 };

/* Claims `count` slots and returns the position of the first to all lanes. All lanes execute it, so
 * that none diverges; only the leader adds something. */
DEVICE uint64_t claim(uint32_t lanes, trace_control *control, uint32_t parts) {
    bool is_leader = warp_lane(0) == warp_lowest(lanes);
    unsigned long long old, more = is_leader ? parts : 0;
    asm volatile("atom.global.add.u64 %0, [%1], %2;"
                 : "=l"(old)
                 : "l"(&control->claimed), "l"(more)
                 : "memory");
    uint32_t low = spread(lanes, is_leader, (uint32_t)old, 32);
    uint32_t high = spread(lanes, is_leader, (uint32_t)(old >> 32), POSITION_BITS - 32);
    return (uint64_t)high << 32 | low;
}

/* Waits until all slots before `end` are free; false if they never will be. Claims only wait for
 * earlier ones. All lanes read the same words at the same time, so they stay together without a
 * barrier. */
DEVICE bool wait_for_room(const trace_ring *ring, uint64_t end, uint64_t *taken) {
    uint32_t is_open = 1;
    asm volatile("{ .reg .pred p; .reg .u64 used; .reg .u32 closed;\n"
                 "look: sub.u64 used, %2, %1;\n"
                 "setp.le.u64 p, used, %3;\n"
                 "@p bra.uni done;\n"
                 "ld.relaxed.sys.global.u32 closed, [%5];\n"
                 "setp.eq.u32 p, closed, 0;\n"
                 "selp.u32 %0, 1, 0, p;\n"
                 "@!p bra.uni done;\n"
                 "nanosleep.u32 1000;\n"
                 "ld.relaxed.sys.global.u64 %1, [%4];\n"
                 "bra.uni look;\n"
                 "done: }"
                 : "+r"(is_open), "+l"(*taken)
                 : "l"(end), "l"((uint64_t)TRACE_SLOTS), "l"(&ring->taken), "l"(&ring->is_closed)
                 : "memory");
    return is_open != 0;
}

/* `here` are the lanes that execute this, `lanes` those of them whose words count. Nothing in it
 * makes lanes diverge, so there is no barrier for them to meet at: patches that one instruction
 * calls for its lanes in different memories run at the same time and share barrier registers
 * (docs/how/instrumentation.md). */
template <uint32_t kind, uint32_t parts>
SLOW keep(instrument_table *table, uint64_t pc, uint32_t what, uint32_t lanes, uint32_t first,
          uint64_t second) {
    uint32_t here = __activemask();
    trace_slot *nowhere = (trace_slot *)&table->sites[0]; /* not a request */
    uint64_t found = __ldcg(&table->head.trace);
    bool does = found != 0;
    trace_control *control = does ? (trace_control *)found : (trace_control *)nowhere;
    trace_ring *ring = does ? (trace_ring *)__ldcg(&control->ring) : (trace_ring *)nowhere;
    uint64_t taken = __ldcg(&control->seen); /* written early: others may be waiting */
    uint64_t at = claim(here, control, parts);
    taken = does ? taken : at;
    does = does & wait_for_room(ring, at + parts, &taken);
    store_if(does, &control->seen, taken);
    trace_slot *slot = does ? &ring->slots[at % TRACE_SLOTS] : nowhere;
    slot->word[warp_lane(0)] = first;
#pragma unroll
    for (uint32_t part = 1; part < parts; part++) {
        trace_slot *next = does ? &ring->slots[(at + part) % TRACE_SLOTS] : nowhere;
        next->word[warp_lane(0)] = (uint32_t)(second >> (32 * (part - 1)));
    }
    /* All lanes write the same. */
    slot->parts = parts;
    slot->pc = pc;
    slot->what = what | kind;
    slot->lanes = lanes;
    __threadfence_system();
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(&slot->turn),
                 "r"((uint32_t)(at / TRACE_SLOTS) + 1)
                 : "memory");
}

#define KEEP(kind, parts, what, lanes, first, second) \
    keep<kind, parts>(table_of(data), pc, what, lanes, first, second)

#include "device_calls.cuh"
