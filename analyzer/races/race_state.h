/* SPDX-License-Identifier: MIT */
/*
 * The race checker's state in a worker: its threads' views, the shadow of each block's shared
 * memory, the accesses since all threads last met, and flights. Internal to race_*.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "race.h"
#include "race_clock.h"

/* A cell of a shadow: an event, whether several of its lanes marked it, and the first lane. 0: no
 * mark. */
enum { CELL_EVENT = 6, CELL_SEVERAL = 32, CELL_LANE = 31 };
#define CELL_FLIGHT (1u << 31) /* the number is that of a flight, not of an event */
#define RACE_EVENTS_MOST (1u << 25)
enum { RACE_EVENTS_KEPT = 1 << 22 }; /* at a time */

/* An access of a warp. */
typedef struct race_event {
    uint32_t instruction, warp; /* in the cluster */
    uint32_t lanes;             /* that took part */
    uint32_t offsets;           /* index plus 1 in the pool; 0: first + stride x lane */
    uint32_t first, stride;
    uint16_t rank; /* of the block that owns the memory */
    uint8_t width, shift;
    bool is_read; /* its marks are set by settle_reads() */
} race_event;

/* Accesses that go on after their instruction, until someone waits for them. */
typedef enum race_flight_kind {
    FLIGHT_COPY,   /* cp.async: awaited by groups of the thread, or by an mbarrier */
    FLIGHT_LOAD,   /* bulk and tensor copies to shared memory: awaited by an mbarrier */
    FLIGHT_STORE,  /* reads of copies from shared memory: awaited by groups of the thread */
    FLIGHT_WRITE,  /* their writes to global memory: the same, but not by .read */
    FLIGHT_MATRIX, /* operands of wgmma: awaited by groups of the warp */
} race_flight_kind;

typedef struct race_flight {
    uint32_t instruction, warp;
    race_flight_kind kind;
    uint32_t lanes, pending;  /* its owners; those that have not waited */
    uint32_t group;           /* its number in the owners' count */
    uint32_t mbarrier;        /* number plus 1, or 0 */
    uint32_t phase;           /* the phase that it completes */
    uint32_t done[SMP_LANES]; /* by lane: the event of its wait */
} race_flight;

/* Accesses of one kind to each unit of a block's memory since its last write. */
typedef struct race_set {
    uint32_t *last;     /* event of any warp; UINT32_MAX: a flight */
    uint32_t **by_warp; /* cells; NULL: the warp has no mark */
} race_set;

enum {
    SET_READS,
    SET_MORE /* an earlier read by another lane */,
    SET_ATOMICS,
    SET_FLIGHTS,
    RACE_SETS
};

typedef struct race_shadow {
    uint32_t *writes; /* cells; NULL: no mark yet */
    race_set sets[RACE_SETS];
} race_shadow;

/* Kinds of knowledge, each a view of what happened before: */
enum {
    KNOWS_ALL,          /* everything */
    KNOWS_FENCED,       /* what a proxy fence covers */
    KNOWS_FENCED_OWN,   /* what a proxy fence of the accessing thread covers */
    KNOWS_RELEASED,     /* what a strong store releases to the block */
    KNOWS_RELEASED_FAR, /* and to other blocks */
    KNOWS_OBSERVED,     /* observed by a strong load, from the block; a fence acquires it */
    KNOWS_OBSERVED_FAR, /* the same from other blocks */
    KNOWS_WAITED_FAR,   /* the same in a wait for a flag or a lock */
    KNOWS_RAN,          /* what has run: a relaxed barrier of the cluster orders no memory */
    KNOWS_LOOSE,        /* what the hardware alone orders: shared memory serves a warp in order */
    RACE_KNOWS
};

typedef struct race_knowledge {
    race_view *of[RACE_KNOWS];
} race_knowledge;

/* An address at which lanes have released something. */
enum { PLACE_NEAR, PLACE_FAR, PLACE_LOOSE, PLACE_VIEWS };
#define PLACE_SHARED (1ull << 63) /* with the block's number and the offset in its memory */
typedef struct race_place {
    uint64_t address;              /* 0: free */
    race_view *views[PLACE_VIEWS]; /* for the block, for all; KNOWS_LOOSE */
    uint32_t rank;                 /* of the block */
    uint32_t version;
    bool is_abroad; /* left by a cluster that has ended */
    bool is_narrow; /* and for that cluster's block only */
} race_place;

typedef struct race_mbarrier {
    uint32_t rank, offset; /* its place, as programs see it */
    uint32_t phase;        /* phases that have ended */
    race_knowledge arrived, open;
} race_mbarrier;

/* One side of a race. */
typedef struct race_side {
    uint32_t instruction, warp, lane;
    uint32_t cluster; /* number plus 1; 0: the one that runs */
} race_side;

typedef struct race_block {
    race_shadow shadow;
    uint32_t written; /* the last write or atomic access; UINT32_MAX: a flight */
    uint32_t *visits; /* by warp of other blocks: its last event here, or NULL */
    uint32_t met;     /* the last event before all threads that had not ended met at a barrier */
    bool has_ended;
    race_side end;
    race_knowledge arrived[ALL_BARRIERS]; /* by barrier: from arrivals that do not wait */
} race_block;

typedef struct race_warp {
    race_knowledge lanes[SMP_LANES];
    uint32_t seen;    /* the least base of its lanes' views */
    uint32_t touched; /* lanes with events since all threads last met */
    uint32_t met;     /* the last event before all lanes that had not ended met */
    /* Committed groups. */
    uint32_t copies[SMP_LANES], stores[SMP_LANES], matrices;
    uint32_t waited[SMP_LANES]; /* groups of stores that have finished reading */
    uint32_t published;         /* the last event that others may have seen */
    uint32_t taken[SMP_LANES];  /* by lane: version of the last place it acquired from */
    bool is_narrow;             /* it observed a release of another block's scope */
    struct race_lock {
        uint64_t address; /* of the lane's last lock, or 0 */
        uint32_t at;      /* event */
        uint32_t fences;  /* since then */
        uint32_t fence;   /* event of the last fence */
    } locks[SMP_LANES];
} race_warp;

/* Caches which finding a pair of instructions has. */
typedef struct race_known {
    uint32_t now, before;
    uint32_t finding; /* index plus 1; 0 if unknown */
    bool is_note;
} race_known;

enum { RACE_KNOWN = 512 };

/* Whether an instruction polls. */
typedef enum race_poll {
    POLL_NONE,
    POLL_VALUE, /* in a loop, for the value it loads */
    POLL_PHASE, /* for the phase of an mbarrier, in its upper word */
    POLL_FAR,   /* in a loop, for a write of other blocks */
    POLL_TEST,  /* not in a loop: a strong load whose value decides */
} race_poll;

enum { PHASE_BIT = 0x80000000 };

struct emu_race {
    emu_worker *worker;
    uint32_t warp_count;         /* in the cluster */
    uint32_t global_shift;       /* log2 of bytes a unit of global memory */
    uint32_t unit_shift, units;  /* log2 of bytes a unit of shared memory; units of a block */
    bool uses[RACE_KNOWS];       /* kinds that the program needs; others stay NULL */
    uint32_t begin;              /* the last event before this cluster */
    uint32_t event, first_event; /* the last event; the first that `events` holds */
    race_event *events;
    uint32_t event_room, settled; /* reads up to this event have their marks */
    uint32_t (*offsets)[SMP_LANES];
    uint32_t offset_count;
    race_flight *flights;
    uint32_t flight_count, first_flight; /* earlier ones are over for all threads */
    race_mbarrier *mbarriers;
    uint32_t mbarrier_count;
    race_block *blocks;
    race_warp *warps;
    struct race_global *globals; /* by array of the launch; NULL if there is none yet */
    race_place *places;
    uint32_t place_count, place_room, place_versions;
    uint8_t *polls;        /* race_poll by instruction */
    uint8_t *origins;      /* by instruction: race_origin.c's answers */
    uint32_t *collectives; /* by instruction: how many collectives stand before it */
    bool has_polls;
    bool has_narrow; /* several blocks, and strong accesses of block scope */
    race_knowledge cluster_arrived, cluster_open;
    race_known known[RACE_KNOWN];
    uint32_t cluster;               /* the one that runs, plus 1 */
    struct race_record_of *records; /* race_grid.c: by instruction, then warp */
    race_view *common;              /* the one view of all lanes; NULL: their views differ */
    bool is_simple;                 /* only KNOWS_ALL is used */
    bool is_over;                   /* too many events: checking has stopped */
    bool was_over;                  /* the same in an earlier cluster */
};

typedef enum race_order { RACE_RAW, RACE_WAR, RACE_WAW, RACE_END } race_order;

/* What is missing between two accesses. */
typedef enum race_gap {
    GAP_ORDER,
    GAP_WAIT,   /* a wait for the earlier one, which is in flight */
    GAP_PROXY,  /* a proxy fence */
    GAP_BEHIND, /* a proxy fence of the writer; another thread has one */
    GAP_LOOSE,  /* an order that the hardware keeps anyway */
    GAP_BLIND,  /* a fence after the wait for a flag or a lock */
    GAP_ENDED,  /* an arrival at the barrier of a thread that ended before it */
    GAP_STALE,  /* an order of two strong accesses, which do not race */
} race_gap;

/* The access that runs now, and an earlier one. */
typedef struct race_pair {
    race_order order;
    race_gap gap;
    race_side now, before;
    uint32_t before_event;           /* its number; 0 if unknown */
    const race_flight *flight, *own; /* of the earlier one, and of this one, or NULL */
    bool is_unwritten;               /* no write came before this access */
    bool is_atomic;                  /* one of the two */
    bool is_uneven;                  /* not all lanes of the later access's warp ran both */
    bool is_same_value, is_note;
    const smp_emu_array *array; /* NULL: shared memory */
    uint64_t address;           /* of the first common byte, as programs see it */
    uint32_t rank;              /* the block that owns the memory */
} race_pair;

/* An access, and one of concurrent work. */
typedef struct race_launch_pair {
    race_order order;
    race_side now;
    const smp_emu_array *array;
    uint64_t address;               /* in the array */
    bool is_atomic;                 /* one of the two */
    bool is_early;                  /* a wait for the launch in front would order the two */
    const smp_finding_place *place; /* of the other access; NULL: a copy */
    const char *name;               /* its kernel, or the copy */
} race_launch_pair;

/* race_report.c */
void race_report(emu_race *race, const race_pair *pair);
void race_report_launch(emu_race *race, const race_launch_pair *pair);

/* race_sequence.c: the pair as the program runs it, whichever of the two the emulator ran first. */
race_pair race_in_order(const emu_race *race, race_pair pair);
bool race_is_between_clusters(const emu_race *race, const race_pair *pair);
/* The user's line of an instruction, or NULL. The caller holds run->lock. */
const smp_source_line *race_line_of(const emu_run *run, uint32_t instruction);
/* Whether two instructions are of one source line. */
bool race_is_one_line(const emu_run *run, uint32_t a, uint32_t b);
/* No thread runs both instructions: they belong to different roles, such as producer and consumer.
 */
bool race_is_apart(const emu_race *race, uint32_t a, uint32_t b);
/* Each can run after the other, in a loop. */
bool race_is_looped(const emu_race *race, uint32_t a, uint32_t b);
/* Whether `to` can run after `from` without a barrier between them. */
bool race_meets_no_barrier(const emu_race *race, uint32_t from, uint32_t to);

/* race_exit.c: notes an access to the memory of another block. */
void race_visit(emu_race *race, uint32_t rank, uint32_t event);

/* race_flight.c: begins a flight; returns its number, 0 if out of memory. */
uint32_t race_flight_begin(emu_race *race, const race_flight *like);
/* NULL if the flight is over for all threads. */
static inline const race_flight *race_flight_of(const emu_race *race, uint32_t number) {
    return number < race->first_flight ? NULL : &race->flights[number - race->first_flight];
}
/* Whether the flight is over for a lane with this view; `owner` is the lane that began its part. A
 * flight of a warp is over once any of its lanes waited. */
bool race_flight_is_over(const race_flight *flight, const race_view *view, uint32_t warp,
                         uint32_t lane, uint32_t owner);
/* Writes of copies whose reads were waited for are complete, too. */
void race_flight_written(emu_race *race, uint32_t warp, uint32_t lanes);
/* All threads have met and have seen `all`: drops flights that are over. */
void race_flight_forget(emu_race *race, const race_view *all);

/* race_edge.c: `lanes` release what they know into *to; they acquire *from. */
void race_publish(emu_race *race, const emu_warp *warp, uint32_t lanes, race_knowledge *to);
void race_acquire(emu_race *race, const emu_warp *warp, uint32_t lanes, const race_knowledge *from);

/* race_release.c */
void race_places_clear(emu_race *race);
/* A cluster has ended, and others follow. */
void race_places_end(emu_race *race);

/* The lanes ran a fence after their last lock. */
void race_fence_lock(emu_race *race, uint32_t warp, uint32_t lanes);

/* race_grid.c; false if out of memory. */
bool race_grid_begin(emu_race *race);

/* race_global.c */
void race_global_clear(emu_race *race);

/* race_fence.c, race_compare.c; false if out of memory */
bool race_find_polls(emu_race *race);
bool race_find_collectives(emu_race *race);

/* Whether an older mark of another thread still matters and is to be kept beside the newer. */
static inline bool race_is_older(const emu_race *race, uint32_t old, uint32_t warp, uint32_t lane) {
    const uint32_t event = old >> CELL_EVENT;
    if ((old & CELL_FLIGHT) || event < race->first_event || event <= race->begin)
        return false;
    return (old & CELL_SEVERAL) || (old & CELL_LANE) != lane ||
           race->events[event - race->first_event].warp != warp;
}

/* race_mbarrier.c: the lanes have read the phases of barriers, whose upper words are at these
 * offsets. */
void race_mbarrier_read(emu_race *race, const emu_warp *warp, uint32_t rank, uint32_t lanes,
                        const uint32_t *offset);

static inline const race_event *race_event_of(const emu_race *race, uint32_t event) {
    return &race->events[event - race->first_event];
}

/* Whether the lane has seen this event of another lane. */
static inline bool race_lane_sees(const emu_race *race, uint32_t warp, unsigned lane, unsigned kind,
                                  uint32_t other, uint32_t other_lane, uint32_t event) {
    const race_view *view = race->warps[warp].lanes[lane].of[kind];
    return view && race_view_of(view, other, other_lane) >= event;
}

/* Lanes that have ended, with events that no barrier has ordered. */
static inline uint32_t race_ended(const emu_race *race, const emu_warp *warp) {
    return race->warps[emu_warp_number(warp)].touched & ~warp->alive;
}

/* Whether `lanes` are all lanes that have not ended, and those that have left nothing behind. */
static inline bool race_is_whole(const emu_race *race, const emu_warp *warp, uint32_t lanes) {
    return (lanes & warp->alive) == warp->alive && (race_ended(race, warp) & ~lanes) == 0;
}

static inline uint32_t race_instruction(const emu_race *race, const uop *u) {
    return (uint32_t)(u - race->worker->run->program->uops);
}

void race_knowledge_drop(race_knowledge *knowledge);
/* race_state.c; makes room for event `index`. The room never shrinks. */
bool race_make_room(emu_race *race, uint32_t index);
/* Gives the access a number; 0 if no more events fit, or if out of memory. */
static inline uint32_t race_begin_event(emu_race *race, const race_event *like) {
    const uint32_t index = race->event + 1 - race->first_event;
    if (race->is_over || (index >= race->event_room && !race_make_room(race, index)))
        return 0;
    race->events[index] = *like;
    race->warps[like->warp].touched |= like->lanes;
    return ++race->event;
}

static inline uint32_t race_offset_of(const emu_race *race, const race_event *event,
                                      uint32_t lane) {
    return event->offsets != 0 ? race->offsets[event->offsets - 1][lane]
                               : event->first + lane * event->stride;
}

/* Out of memory: the launch ends. */
static inline void race_fail(emu_race *race) {
    race->worker->judge.is_out_of_memory = race->worker->is_stopped = true;
}

/* All threads have seen all events up to now, so they are forgotten. */
static inline void race_forget(emu_race *race) {
    race->first_event = race->event + 1;
    race->settled = race->event;
    race->offset_count = 0;
}

/* ---- Rows: a request of adjacent lanes is compared as one piece ---- */

/* Whether no cell is above `limit`; true if `cells` is NULL. */
bool race_is_below(const uint32_t *cells, uint32_t count, uint32_t limit);

/* ---- One request, to be compared with earlier ones ---- */

typedef struct race_access {
    emu_race *race;
    emu_warp *warp;
    const uop *u;
    memory_kind kind; /* MEMORY_LOAD, _STORE or _ATOMIC */
    uint32_t width;
    uint32_t number; /* the warp's, in the cluster */
    uint32_t event, lanes, units;
    const uint32_t *offset;     /* as programs see it */
    uint32_t rank;              /* of the block that owns the memory */
    const smp_emu_array *array; /* NULL: shared memory */
    uint32_t shift;             /* log2 of bytes a unit */
    race_shadow *shadow;
    const uint32_t *writes; /* cells of the last writes */
    uint32_t *own;          /* the warp's cells of the set it marks; NULL for a store */
    uint32_t *last;         /* the set's last events */
    uint32_t limit;         /* all lanes have seen cells up to this value */
    uint32_t flight;        /* its flight's number; 0: it ends with its instruction */
    int owner;              /* the lane that owns all of it; -1: each lane its own part */
    bool is_proxy;          /* by the async proxy */
    bool is_row;            /* all lanes, at adjacent offsets */
    bool is_strong;         /* races like an atomic access; a load sets no marks */
} race_access;

/* An access of the warp, without its place and size; `shift`: log2 of bytes a unit. */
race_access race_access_by(emu_warp *warp, const uop *u, memory_kind kind, uint32_t shift);
/* Fills in what follows from its place and size. */
void race_place_access(race_access *x);
/* Two accesses for which this holds do not race. */
static inline bool race_is_mutual(const race_access *x) {
    return x->kind == MEMORY_ATOMIC || x->is_strong;
}

/* The cells of a unit of global memory: its last write, its last atomic access, its last read, and
 * an earlier read by another. */
typedef enum race_cells {
    CELLS_WRITES,
    CELLS_ATOMICS,
    CELLS_READS,
    CELLS_MORE,
    RACE_CELLS
} race_cells;
/* Those that the access marks. */
static inline race_cells race_cells_of(const race_access *x) {
    return x->kind == MEMORY_LOAD ? CELLS_READS : race_is_mutual(x) ? CELLS_ATOMICS : CELLS_WRITES;
}
/* The race with what marked such cells. */
static inline race_order race_order_of(const race_access *x, race_cells which) {
    return which >= CELLS_READS ? RACE_WAR : x->kind == MEMORY_LOAD ? RACE_RAW : RACE_WAW;
}

/* What a memory instruction does. */
static inline const uop_memory *race_memory_at(const emu_race *race, uint32_t instruction) {
    const emu_program *program = race->worker->run->program;
    return &program->memory[program->uops[instruction].memory];
}
/* Whether two warps are of one block. */
static inline bool race_is_in_block(const emu_race *race, uint32_t warp, uint32_t other) {
    const uint32_t per_block = race->worker->blocks[0].warp_count;
    return warp / per_block == other / per_block;
}

/* The cell that marks the access, without the lane. */
static inline uint32_t race_cell_of(const race_access *x) {
    return x->flight != 0 ? CELL_FLIGHT | x->flight << CELL_EVENT : x->event << CELL_EVENT;
}
/* Gives the access an event; false if no more fit, or if out of memory. */
bool race_begin_access(race_access *x);
/* Whether the unit already holds what the lane stores there. */
bool race_stores_same(const race_access *x, unsigned lane, uint32_t unit);
/* race_origin.c: whether the value that the instruction stores is another one in another thread of
 * the block, or in another block. */
bool race_is_value_chance(const emu_race *race, uint32_t instruction, bool of_blocks);
/* Whether a strong load may read the old value of this strong store, which is no race. Loads whose
 * value is tested are excepted. */
bool race_is_stale(const race_access *x, uint32_t instruction);
/* Compares the access with those of other clusters of the launch. */
void race_grid_access(race_access *x);
/* Reports a race if nothing orders the access of `lane` at this unit and that of the cell. */
void race_compare(const race_access *x, uint32_t cell, race_order order, unsigned lane,
                  uint32_t unit);
