/* SPDX-License-Identifier: MIT */
/*
 * Run-time state: warps, their blocks, clusters of blocks, and the worker (one CPU thread) that
 * runs one cluster at a time.
 *
 * The lanes of a warp form groups that run together: one group after a branch that all lanes take,
 * several after one that divides them. While a group waits (for lanes of its convergence barrier,
 * or for the block) the others run; groups at the same place merge.
 */
#pragma once

#include "emulation.h"
#include "judge.h"
#include "uop.h"

typedef enum group_state {
    GROUP_READY,
    GROUP_BSYNC,    /* at the convergence barrier `reg` */
    GROUP_WARPSYNC, /* until all of `lanes_awaited` are at a WARPSYNC of kind `reg` */
    GROUP_BARRIER,  /* at the block's barrier `reg` */
    GROUP_CLUSTER,
} group_state;

typedef struct emu_group {
    uint32_t mask, pc;
    group_state state;
    uint8_t reg;
    uint32_t lanes_awaited;
} emu_group;

/* A barrier register that a function has saved. */
typedef struct emu_saved {
    uint32_t lanes, reg;
    uint32_t number;    /* of its BSSY */
    uint32_t then, now; /* masks: when saved, and without lanes that left since */
} emu_saved;

/* Whether a path leads from an instruction to a BSYNC (convergence.c). */
typedef struct emu_path {
    uint32_t from, sync;
    bool is_known, arrives;
} emu_path;

enum { PATHS = 16 };

typedef struct emu_convergence {
    uint32_t of[BARRIER_REGISTERS][SMP_LANES]; /* the BSSY of each lane's copy, or 0 */
    uint32_t last;                             /* number of this warp's last BSSY */
    emu_saved *saved;
    uint32_t count;
    uint32_t depth[SMP_LANES]; /* calls that have not returned */
    emu_path paths[PATHS];     /* the last ones searched */
} emu_convergence;

typedef struct emu_poison emu_poison;

/* A test of an mbarrier whose phase had not completed. */
typedef struct emu_phase_wait {
    const uop *u; /* NULL: none */
    uint64_t address, state;
    uint32_t lane;
} emu_phase_wait;

struct emu_warp {
    uint32_t *rows; /* ROW_COUNT rows */
    char *files[2]; /* `rows`, and the program's constants */
    uint32_t predicates[PREDICATES];
    uint32_t alive;
    emu_group groups[SMP_LANES];
    uint32_t group_count, current;
    uint32_t barriers[BARRIER_REGISTERS][SMP_LANES]; /* each lane's copy */
    uint32_t barrier_result,
        barrier_votes;                 /* of the last barrier: threads, and those that voted true */
    uint8_t barrier_kind;              /* 0 counts, 1 all, 2 any */
    bool is_polling;                   /* waits for others in a loop: let them run */
    emu_phase_wait phase_wait;         /* set if it polls the phase of an mbarrier */
    bool tracks_poison, stores_poison; /* poison exists; the current store writes some */
    emu_poison *poison;                /* poison.h; NULL if there is none so far */
    uint32_t index;                    /* in the block */
    uint64_t cluster_phase;            /* of the cluster's barrier, when this warp arrived */
    struct emu_block *block;
    emu_convergence convergence;
    uint32_t collective_next[SMP_LANES]; /* where each lane continues after ENDCOLLECTIVE */
};

typedef struct emu_barrier {
    uint32_t arrived, expected; /* threads */
    uint32_t votes;             /* threads that voted true */
} emu_barrier;

enum { BLOCK_BARRIERS = 16, ALL_BARRIERS = BLOCK_BARRIERS + 8 };
/* Bytes after a block's shared memory that a 16-byte load may reach. */
enum { EMU_SHARED_TAIL = 16 };

typedef struct emu_block {
    uint32_t at[3];
    uint32_t rank;                       /* in its cluster */
    uint32_t threads, warp_count, alive; /* `alive`: threads */
    emu_warp *warps;
    uint8_t *shared;
    uint32_t shared_bytes; /* with the reserved part */
    uint8_t *is_written;   /* by word of shared memory: a bit for each written byte */
    uint32_t unwritten;    /* words that are not fully written */
    uint8_t *local;
    uint32_t
        *local_writer; /* by word of local memory: a bit for each written byte, and the writer */
    emu_barrier barriers[ALL_BARRIERS]; /* the numbered ones, then one for each warpgroup */
    uint32_t awaited;                   /* bit by barrier: somebody has arrived */
    struct emu_worker *worker;
} emu_block;

typedef struct emu_run emu_run;

/* How an instruction was reached: by itself, or with the uop.straight instructions from it on. */
enum emu_reached { REACHED_ONE = 1, REACHED_STRAIGHT = 2 /* uop.straight of them */ };

/* Aligned so that CPU threads share no cache line. */
typedef struct emu_worker {
    _Alignas(2 * EMU_ALIGN) emu_run *run;
    emu_block *blocks; /* of one cluster, or all of a cooperative launch */
    uint32_t block_count, cluster_blocks;
    uint32_t cluster_arrived; /* threads at the cluster's barrier */
    uint64_t cluster_phase;   /* how often it has opened */
    uint64_t thread_instructions, warp_instructions, unknown_executed;
    uint64_t steps;          /* of this cluster */
    uint32_t idle_turns;     /* consecutive turns in which its warps only tested mbarriers */
    uint64_t block_serial;   /* a number for each cluster that this worker runs */
    uint64_t written_serial; /* changes whenever something becomes unwritten again */
    struct emu_unwritten **unwritten; /* by instruction, then by warp (poison.h) */
    struct emu_poisoned_word *poisoned;
    smp_emu_array **last_array; /* by instruction: the array it accessed last */
    uint8_t *order_told;        /* by instruction: its block order was reported */
    uint8_t *reached;           /* by instruction: emu_reached */
    uint32_t cluster;           /* the running one */
    bool has_met;               /* it is ordered with others (block_order.h) */
    emu_judge judge;
    struct emu_race *race; /* race.h; NULL if off */
    bool is_stopped;
    bool tells;         /* reports progress */
    bool starts_others; /* starts the other workers after a while */
} emu_worker;

struct emu_run {
    const emu_program *program;
    smp_emu_memory *memory;
    const smp_launch *launch;
    uint32_t shared_bytes, local_bytes; /* of a block with the reserved part; of a thread */
    uint64_t next_cluster, cluster_count;
    uint64_t limit, launch_limit; /* warp instructions of a block, and of all blocks */
    uint64_t steps;               /* of completed clusters */
    smp_emulation *out;
    smp_profile_site *results; /* of all workers, under `lock` */
    bool is_stopped, is_asked_to_stop;
    struct emu_shadow *shadows; /* by array; NULL if not checked */
    void *lock;                 /* pthread_mutex_t */
    struct emu_trace *trace;    /* NULL: none */
    struct emu_output *output;  /* NULL: discarded */
    void *call_lock;
    void *threads; /* pthread_t of each worker but the first */
    uint32_t worker_count, started_count;
    /* Starts the other workers once the first has done as much work as their threads cost. */
    void (*start_others)(emu_worker *first);
    uint8_t *reached;       /* by instruction: union over finished workers */
    bool is_together;       /* all blocks run at the same time, taking turns */
    struct race_grid *grid; /* race.h; NULL if off, or all blocks run together */
    /* For race_sequence.c: the user's line of each instruction that was looked up, or NULL. */
    const smp_source_line **race_lines;
    struct emu_beside *beside; /* race_beside.h; NULL if off, or nothing else runs */
};

/* Address windows through which generic addresses reach shared and local memory: where no process
 * on this machine has memory, since owners may choose the addresses of arrays. */
#define EMU_SHARED_WINDOW 0x0f1200000000ull
#define EMU_LOCAL_WINDOW 0x0f1100000000ull
#define EMU_PARAMETERS \
    0x0f1300000000ull /* a copy of the parameters, for code that takes their address */
/* Code, by its place in the cubin. */
#define EMU_CODE_WINDOW 0x0f1400000000ull
#define EMU_GRID_BARRIER 0x0f1500000000ull /* the barrier of a cooperative launch */
#define EMU_CONSTANTS 0x0f1600000000ull    /* __constant__ variables, for pointers to them */
#define EMU_WINDOW_BYTES 0x100000000ull

/* An operand's first row. */
static inline const uint32_t *emu_row_of(const emu_warp *warp, const emu_operand *operand) {
    return (const uint32_t *)(const void *)(warp->files[operand->offset & 1] +
                                            (operand->offset & ~1));
}

/* The first row that an instruction writes. */
static inline uint32_t *emu_result(const emu_warp *warp, const uop *u) {
    return (uint32_t *)(void *)(warp->files[0] + u->d);
}

/* Writes to PT and UPT are ignored; uniform predicates belong to the warp. */
static inline void emu_set_predicate(emu_warp *warp, uint8_t which, uint32_t lanes,
                                     uint32_t value) {
    if (which % 8 == PREDICATE_TRUE)
        return;
    if (which >= 8)
        lanes = SMP_ALL_LANES;
    warp->predicates[which] = (warp->predicates[which] & ~lanes) | (value & lanes);
}

static inline uint32_t emu_predicate(const emu_warp *warp, uint8_t operand) {
    uint32_t mask = warp->predicates[operand & 15];
    return operand & PREDICATE_NOT ? ~mask : mask;
}

/* The stamp of current writes to local memory, above the bits of bytes. */
static inline uint32_t emu_local_stamp(const emu_worker *worker) {
    return (uint32_t)worker->block_serial << 4;
}

/* The number of the warp among those that its worker runs. */
static inline uint32_t emu_warp_number(const emu_warp *warp) {
    const emu_block *block = warp->block;
    return (uint32_t)(block - block->worker->blocks) * block->warp_count + warp->index;
}

/* The blocks of the block's cluster, by rank. */
static inline emu_block *emu_cluster_of(const emu_block *block) {
    return block->worker->blocks + (block - block->worker->blocks) - block->rank;
}

/* The owner wants the launch to stop; false if everything is done. */
static inline bool emu_is_asked_to_stop(emu_run *run) {
    if (!run->launch->stop || *run->launch->stop == 0)
        return false;
    __atomic_store_n(&run->is_asked_to_stop, true, __ATOMIC_RELAXED);
    return true;
}

/* places.c: position in the grid of the block with this rank in its cluster. */
void emu_block_place(const smp_launch *launch, uint64_t cluster, uint32_t rank, uint32_t at[3]);

/* ---- One memory instruction: the lanes' addresses, their bytes, and the operation ---- */

typedef struct access_lanes {
    emu_warp *warp;
    emu_worker *worker;
    const uop *u;
    const uop_memory *m;
    uint32_t width, reserved;
    unsigned slot;
    uint64_t address[SMP_LANES];
    uint8_t *bytes[SMP_LANES];
} access_lanes;

/* The offset in its block's shared memory, as the program sees it, of an address whose upper bits
 * are the block's rank. */
static inline uint32_t emu_shared_offset(const access_lanes *x, uint64_t address) {
    return ((uint32_t)address & ((1u << SMP_BLOCK_SHIFT) - 1)) - x->reserved;
}
