/* SPDX-License-Identifier: MIT */
/*
 * What a worker keeps for races: its threads' views, the shadow of each block's shared memory, the
 * accesses since all threads last met, and what is still under way. Internal to race_*.c.
 */
#ifndef SMP_RACE_STATE_H
#define SMP_RACE_STATE_H

#include "race.h"
#include "race_clock.h"

/* In a shadow: an event, whether several lanes of it were there, and the first of them. 0: none. */
enum { CELL_EVENT = 6, CELL_SEVERAL = 32, CELL_LANE = 31 };
#define CELL_FLIGHT (1u << 31) /* the number of a flight in place of an event's */
#define RACE_EVENTS_MOST (1u << 25)
enum { RACE_EVENTS_KEPT = 1 << 22 }; /* at once */

/* An access of a warp. */
typedef struct race_event {
    uint32_t instruction, warp; /* of the cluster */
    uint32_t lanes;             /* that take part */
    uint32_t offsets;           /* number plus 1 in the pool; 0: first + stride x lane */
    uint32_t first, stride;
    uint16_t rank; /* of the block whose memory it is */
    uint8_t width, shift;
    bool is_read; /* it has marks only once it has been settled */
} race_event;

/* What goes on behind its instruction, until it is waited for. */
typedef enum race_flight_kind {
    FLIGHT_COPY,   /* cp.async: in groups of the thread, or by an mbarrier */
    FLIGHT_LOAD,   /* bulk and tensor copies to shared memory: by an mbarrier */
    FLIGHT_STORE,  /* those from shared memory: in groups of the thread */
    FLIGHT_WRITE,  /* what these write in global memory: the same, and not by .read */
    FLIGHT_MATRIX, /* wgmma: in groups of the warp */
} race_flight_kind;

typedef struct race_flight {
    uint32_t instruction, warp;
    race_flight_kind kind;
    uint32_t lanes, pending;  /* whose it is; who has not waited */
    uint32_t group;           /* of the lanes' */
    uint32_t mbarrier;        /* plus 1; 0: none */
    uint32_t phase;           /* that ends with it */
    uint32_t done[SMP_LANES]; /* event at which the lane had waited */
} race_flight;

/* Who was at each unit of a block's memory since its last write. */
typedef struct race_set {
    uint32_t *last;     /* event, of whichever warp; UINT32_MAX: of a flight */
    uint32_t **by_warp; /* cells; NULL: the warp was nowhere */
} race_set;

enum {
    SET_READS,
    SET_MORE /* an earlier read by another lane */,
    SET_ATOMICS,
    SET_FLIGHTS,
    RACE_SETS
};

typedef struct race_shadow {
    uint32_t *writes; /* cells; NULL: nothing yet */
    race_set sets[RACE_SETS];
} race_shadow;

/* What is known: */
enum {
    KNOWS_ALL,          /* of all accesses */
    KNOWS_FENCED,       /* of those that the async proxy may follow */
    KNOWS_FENCED_OWN,   /* as those who made them have fenced them */
    KNOWS_RELEASED,     /* that a strong store releases to the block */
    KNOWS_RELEASED_FAR, /* and to others */
    KNOWS_OBSERVED,     /* through a strong load, from the block; in order behind a fence */
    KNOWS_OBSERVED_FAR, /* from others */
    KNOWS_WAITED_FAR,   /* the same where it waited, for a flag or a lock */
    KNOWS_RAN,          /* that it ran: a relaxed barrier of the cluster orders no memory */
    KNOWS_LOOSE,        /* as shared memory does what a warp asks for one after the other */
    RACE_KNOWS
};

typedef struct race_knowledge {
    race_view *of[RACE_KNOWS];
} race_knowledge;

/* Where lanes have released something. */
enum { PLACE_NEAR, PLACE_FAR, PLACE_LOOSE, PLACE_VIEWS };
#define PLACE_SHARED (1ull << 63) /* then the block's number, and where it is in its memory */
typedef struct race_place {
    uint64_t address;              /* 0: free */
    race_view *views[PLACE_VIEWS]; /* for threads of the block, for all; KNOWS_LOOSE */
    uint32_t rank;                 /* of the block */
    uint32_t version;
    bool is_abroad; /* of a cluster that has ended */
    bool is_narrow; /* and was for its threads only */
} race_place;

typedef struct race_mbarrier {
    uint32_t rank, offset; /* where it is, as programs see it */
    uint32_t phase;        /* how many have ended */
    race_knowledge arrived, open;
} race_mbarrier;

/* One side of a race. */
typedef struct race_side {
    uint32_t instruction, warp, lane;
    uint32_t cluster; /* plus 1; 0: the one that runs */
} race_side;

typedef struct race_block {
    race_shadow shadow;
    uint32_t written; /* the last event that was no read; UINT32_MAX: something is under way */
    uint32_t *visits; /* by warp of another block: its last event here; NULL: none */
    bool has_ended;
    race_side end;
    race_knowledge arrived[ALL_BARRIERS]; /* of those that have come and do not wait */
} race_block;

typedef struct race_warp {
    race_knowledge lanes[SMP_LANES];
    uint32_t seen; /* the least base of the lanes */
    /* Groups that are closed. */
    uint32_t copies[SMP_LANES], stores[SMP_LANES], matrices;
    uint32_t waited[SMP_LANES]; /* groups of stores that do not read any more */
    uint32_t published;         /* the last event that others may have seen it up to */
    uint32_t taken[SMP_LANES];  /* version of the place that the lane took from last */
    bool is_narrow;             /* what it observed was released to another block only */
    struct race_lock {
        uint64_t address; /* that the lane took last; 0: none */
        uint32_t at;      /* event */
        uint32_t fences;  /* since */
        uint32_t fence;   /* event of the last one */
    } locks[SMP_LANES];
} race_warp;

/* Where a pair of instructions is among the findings. */
typedef struct race_known {
    uint32_t now, before;
    uint32_t finding; /* plus 1; 0: not known */
    bool is_note;
} race_known;

enum { RACE_KNOWN = 512 };

/* What a load of shared memory waits for. */
typedef enum race_poll {
    POLL_NONE,
    POLL_VALUE, /* in a loop, for what it loads */
    POLL_PHASE, /* the phase of a barrier: of its upper word */
    POLL_FAR,   /* in a loop, for what other blocks write */
} race_poll;

enum { PHASE_BIT = 0x80000000 };

struct emu_race {
    emu_worker *worker;
    uint32_t warp_count;         /* of the cluster */
    uint32_t global_shift;       /* of shadows of global memory */
    uint32_t unit_shift, units;  /* of shadows: bytes, as a power; of one block */
    bool uses[RACE_KNOWS];       /* what is not used is NULL everywhere */
    uint32_t begin;              /* the last event before the cluster */
    uint32_t event, first_event; /* the last one; the first that `events` has */
    race_event *events;
    uint32_t event_room, settled; /* reads up to this one have their marks */
    uint32_t (*offsets)[SMP_LANES];
    uint32_t offset_count;
    race_flight *flights;
    uint32_t flight_count, first_flight; /* those before are over for all */
    race_mbarrier *mbarriers;
    uint32_t mbarrier_count;
    race_block *blocks;
    race_warp *warps;
    struct race_global *globals; /* by array of the launch's memory; NULL: none yet */
    race_place *places;
    uint32_t place_count, place_room, place_versions;
    uint8_t *polls; /* by instruction: race_poll */
    bool has_polls;
    bool has_narrow; /* strong accesses of a block's scope, where there are several blocks */
    race_knowledge cluster_arrived, cluster_open;
    race_known known[RACE_KNOWN];
    uint32_t cluster;               /* which one runs */
    struct race_record_of *records; /* race_grid.c: by instruction, then warp */
    race_view *common; /* what all lanes know, and nothing else is known; NULL: there is none */
    bool is_simple;    /* they know nothing in other ways */
    bool is_over;      /* too many events: no more is looked at */
    bool was_over;     /* in a cluster before */
};

typedef enum race_order { RACE_RAW, RACE_WAR, RACE_WAW, RACE_END } race_order;

/* What is missing between the two. */
typedef enum race_gap {
    GAP_ORDER,
    GAP_WAIT,   /* it is under way: its thread, or the mbarrier, was not waited for */
    GAP_PROXY,  /* a proxy fence alone */
    GAP_BEHIND, /* of the writer; another thread has one */
    GAP_LOOSE,  /* what the hardware does in order anyway */
    GAP_BLIND,  /* of who waited for a flag or a lock, and has no fence behind it */
} race_gap;

/* The access that runs now, and the one before it. */
typedef struct race_pair {
    race_order order;
    race_gap gap;
    race_side now, before;
    uint32_t before_event;           /* its number; 0: unknown */
    const race_flight *flight, *own; /* the one before, and this one; NULL: none */
    bool is_unwritten;               /* nobody has written there before this one */
    bool is_atomic;                  /* one of them */
    bool is_same_value, is_note;
    const smp_emu_array *array; /* of global memory; NULL: shared memory */
    uint64_t address;           /* of the first common byte in it, as programs see it */
    uint32_t rank;              /* the block in whose memory it is */
} race_pair;

/* An access, and one of other work that may run at the same time. */
typedef struct race_launch_pair {
    race_order order;
    race_side now;
    const smp_emu_array *array;
    uint64_t address;               /* in it */
    bool is_atomic;                 /* one of them */
    bool is_early;                  /* to wait for the launch in front would put the two in order */
    const smp_finding_place *place; /* of the other one; NULL: a copy */
    const char *name;               /* of its kernel, or of the copy */
} race_launch_pair;

/* race_report.c */
void race_report(emu_race *race, const race_pair *pair);
void race_report_launch(emu_race *race, const race_launch_pair *pair);

bool race_is_between_clusters(const emu_race *race, const race_pair *pair);
/* Whether two instructions are of one source line. */
bool race_is_one_line(const emu_run *run, uint32_t a, uint32_t b);

/* race_sequence.c: the pair as the program runs it, whichever of the two the emulator ran first. */
race_pair race_in_order(const emu_race *race, race_pair pair);
/* No thread runs both instructions: they belong to different roles, such as producer and consumer.
 */
bool race_is_apart(const emu_race *race, uint32_t a, uint32_t b);

/* race_exit.c: the warp's access is to the memory of another block. */
void race_visit(emu_race *race, uint32_t rank, uint32_t event);

/* race_flight.c: a new one of the lanes that take part; its number, 0: out of memory. */
uint32_t race_flight_begin(emu_race *race, const race_flight *like);
/* NULL: it is over for all. */
static inline const race_flight *race_flight_of(const emu_race *race, uint32_t number) {
    return number < race->first_flight ? NULL : &race->flights[number - race->first_flight];
}
/* Whether lane `lane` of a warp that knows so much has it behind; of flights of a warp, whoever of
 * it waited. */
bool race_flight_is_over(const race_flight *flight, const race_view *view, uint32_t warp,
                         uint32_t lane, uint32_t owner);
/* What was waited for before has been written, too. */
void race_flight_written(emu_race *race, uint32_t warp, uint32_t lanes);
/* All threads have met, and know what `all` says. */
void race_flight_forget(emu_race *race, const race_view *all);

/* race_edge.c: what `lanes` have behind them into *to; they get behind them what *from says. */
void race_publish(emu_race *race, const emu_warp *warp, uint32_t lanes, race_knowledge *to);
void race_acquire(emu_race *race, const emu_warp *warp, uint32_t lanes, const race_knowledge *from);

/* race_place.c */
void race_places_clear(emu_race *race);
/* A cluster has ended, others follow. */
void race_places_end(emu_race *race);

/* The lanes have a fence behind the lock that they took last. */
void race_fence_lock(emu_race *race, uint32_t warp, uint32_t lanes);

/* race_grid.c: false: out of memory. */
bool race_grid_begin(emu_race *race);

/* race_global.c */
void race_global_clear(emu_race *race);

/* race_fence.c */
bool race_find_polls(emu_race *race);

/* An older mark that says something still, and of another thread: it is kept beside the newer. */
static inline bool race_is_older(const emu_race *race, uint32_t old, uint32_t warp, uint32_t lane) {
    const uint32_t event = old >> CELL_EVENT;
    if ((old & CELL_FLIGHT) || event < race->first_event || event <= race->begin)
        return false;
    return (old & CELL_SEVERAL) || (old & CELL_LANE) != lane ||
           race->events[event - race->first_event].warp != warp;
}

/* race_mbarrier.c: its number; RACE_MBARRIERS: there are too many. */
uint32_t race_mbarrier_at(emu_race *race, uint32_t rank, uint32_t offset);
/* The lanes have read the phases of the barriers whose upper words are there. */
void race_mbarrier_read(emu_race *race, const emu_warp *warp, uint32_t rank, uint32_t lanes,
                        const uint32_t *offset);

static inline const race_event *race_event_of(const emu_race *race, uint32_t event) {
    return &race->events[event - race->first_event];
}

/* The lane knows of this event of another one. */
static inline bool race_lane_sees(const emu_race *race, uint32_t warp, unsigned lane, unsigned kind,
                                  uint32_t other, uint32_t other_lane, uint32_t event) {
    const race_view *view = race->warps[warp].lanes[lane].of[kind];
    return view != NULL && race_view_of(view, other, other_lane) >= event;
}

/* Lanes that have ended count as there. */
static inline bool race_is_whole(const emu_warp *warp, uint32_t lanes) {
    return (lanes & warp->alive) == warp->alive;
}

static inline uint32_t race_warp_number(const emu_warp *warp) {
    const emu_block *block = warp->block;
    return (uint32_t)(block - block->worker->blocks) * block->warp_count + warp->index;
}

static inline uint32_t race_instruction(const emu_race *race, const uop *u) {
    return (uint32_t)(u - race->worker->run->program->uops);
}

/* race_state.c; room for one more than `index`: it is never less again. */
void race_knowledge_drop(race_knowledge *knowledge);
bool race_make_room(emu_race *race, uint32_t index);
/* Gives the access a number; 0: no more can be kept, or out of memory. */
static inline uint32_t race_begin_event(emu_race *race, const race_event *like) {
    const uint32_t index = race->event + 1 - race->first_event;
    if (race->is_over || (index >= race->event_room && !race_make_room(race, index)))
        return 0;
    race->events[index] = *like;
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

/* All that has an event up to this one is seen by all: what is known of it is not needed. */
static inline void race_forget(emu_race *race) {
    race->first_event = race->event + 1;
    race->settled = race->event;
    race->offset_count = 0;
}

#endif
