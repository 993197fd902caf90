/* SPDX-License-Identifier: MIT */
/*
 * What a worker keeps for races: its threads' views, the shadow of each block's shared memory, the
 * accesses since all threads last met. Internal to race_*.c.
 */
#ifndef SMP_RACE_STATE_H
#define SMP_RACE_STATE_H

#include "race.h"
#include "race_clock.h"

/* In a shadow: an event, whether several lanes of it were there, and the first of them. 0: none. */
enum { CELL_EVENT = 6, CELL_SEVERAL = 32, CELL_LANE = 31 };
#define RACE_EVENTS_MOST (1u << 25)

/* An access of a warp. */
typedef struct race_event {
    uint32_t instruction, warp; /* of the cluster */
    uint32_t lanes, group;      /* that take part; that run together */
    uint32_t offsets;           /* of lanes: number plus 1 in the pool; 0: all at one place */
    uint8_t width;
} race_event;

/* Who was at each unit of a block's memory since its last write. */
typedef struct race_set {
    uint32_t *last;     /* event, of whichever warp */
    uint32_t **by_warp; /* cells; NULL: the warp was nowhere */
} race_set;

enum { SET_READS, SET_ATOMICS, RACE_SETS };

typedef struct race_shadow {
    uint32_t *writes; /* cells; NULL: nothing yet */
    race_set sets[RACE_SETS];
} race_shadow;

typedef struct race_block {
    race_shadow shadow;
    race_view *arrived[BLOCK_BARRIERS]; /* of those that have come and do not wait */
} race_block;

typedef struct race_warp {
    race_view *view[SMP_LANES];
    uint32_t seen; /* the least base of the lanes */
} race_warp;

/* Where a pair of instructions is among the findings. */
typedef struct race_known {
    uint32_t now, before;
    uint32_t finding; /* plus 1; 0: not known */
    bool is_same_value;
} race_known;

enum { RACE_KNOWN = 512 };

struct emu_race {
    emu_worker *worker;
    uint32_t warp_count;         /* of the cluster */
    uint32_t unit_shift, units;  /* of shadows: bytes, as a power; of one block */
    uint32_t event, first_event; /* the last one; the first that `events` has */
    race_event *events;
    uint32_t (*offsets)[SMP_LANES];
    uint32_t offset_count;
    race_block *blocks;
    race_warp *warps;
    race_view *cluster_arrived, *cluster_open;
    race_known known[RACE_KNOWN];
    bool is_over; /* too many events: no more is looked at */
};

typedef enum race_order { RACE_RAW, RACE_WAR, RACE_WAW } race_order;

/* One side of a race. */
typedef struct race_side {
    uint32_t instruction, warp, lane;
} race_side;

/* race_report.c: the access that runs now, and the one before it. */
typedef struct race_pair {
    race_order order;
    race_side now, before;
    bool is_atomic; /* one of them */
    bool is_same_value;
    uint32_t address; /* of the first common byte, as programs see it */
    uint32_t rank;    /* the block in whose memory it is */
} race_pair;

void race_report(emu_race *race, const race_pair *pair);

static inline uint32_t race_warp_number(const emu_warp *warp) {
    const emu_block *block = warp->block;
    return (uint32_t)(block - block->worker->blocks) * block->warp_count + warp->index;
}

static inline race_event *race_event_of(const emu_race *race, uint32_t event) {
    return &race->events[event - race->first_event];
}

/* Out of memory: the launch ends. */
static inline void race_fail(emu_race *race) {
    race->worker->judge.is_out_of_memory = race->worker->is_stopped = true;
}

/* All that has an event up to this one is seen by all: what is known of it is not needed. */
void race_forget(emu_race *race);

#endif
