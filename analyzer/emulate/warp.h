/* SPDX-License-Identifier: MIT */
/*
 * What runs: warps, the blocks that they belong to, clusters of blocks, and the worker (one thread
 * of the CPU) that runs one cluster at a time.
 *
 * A warp's lanes are in groups that run together: one group after a branch that all take, more
 * where a branch divides them. A group that waits (for lanes of its convergence barrier, for the
 * block) lets the others run; groups at one place become one.
 */
#pragma once

#include "emulate.h"
#include "judge.h"
#include "uop.h"

typedef enum group_state {
    GROUP_READY,
    GROUP_BSYNC,    /* at the convergence barrier `reg` */
    GROUP_WARPSYNC, /* until all lanes of `lanes_awaited` are at one of kind `reg` */
    GROUP_BARRIER,  /* at the block's barrier `reg` */
    GROUP_CLUSTER,
} group_state;

typedef struct emu_group {
    uint32_t mask, pc;
    group_state state;
    uint8_t reg;
    uint32_t lanes_awaited;
} emu_group;

/* A barrier register that a function has put away. */
typedef struct emu_saved {
    uint32_t lanes, reg;
    uint32_t number;    /* of its BSSY */
    uint32_t then, now; /* masks: as saved, and without lanes that have left since */
} emu_saved;

/* Whether a path leads from an instruction to a BSYNC (convergence.c). */
typedef struct emu_path {
    uint32_t from, sync;
    bool is_known, arrives;
} emu_path;

enum { PATHS = 16 };

typedef struct emu_convergence {
    uint32_t of[BARRIER_REGISTERS][SMP_LANES]; /* of which BSSY each lane's copy is; 0: none */
    uint32_t last;                             /* BSSY of this warp, numbered */
    emu_saved *saved;
    uint32_t count;
    uint32_t depth[SMP_LANES]; /* functions that were called and have not returned */
    emu_path paths[PATHS];     /* the last that were looked for */
} emu_convergence;

typedef struct emu_poison emu_poison;

/* A test of an mbarrier whose phase was not over. */
typedef struct emu_phase_wait {
    const uop *u; /* NULL: none */
    uint64_t address, state;
    uint32_t lane;
} emu_phase_wait;

struct emu_warp {
    uint32_t *rows; /* ROW_COUNT rows */
    char *files[2]; /* these, and the program's constants */
    uint32_t predicates[PREDICATES];
    uint32_t alive;
    emu_group groups[SMP_LANES];
    uint32_t group_count, current;
    uint32_t barriers[BARRIER_REGISTERS][SMP_LANES]; /* each lane's copy */
    uint32_t barrier_result, barrier_votes; /* of the last: threads, and whose predicate held */
    uint8_t barrier_kind;                   /* 0 counts, 1 all, 2 any */
    bool is_polling;                        /* waits for others in a loop: they should run */
    emu_phase_wait phase_wait;              /* then, where it is for the phase of an mbarrier */
    bool tracks_poison, stores_poison; /* there is some; the store that runs now takes some along */
    emu_poison *poison;                /* poison.h; NULL: there was none yet */
    uint32_t index;                    /* in the block */
    uint64_t cluster_phase;            /* of the cluster's barrier, when this warp arrived there */
    struct emu_block *block;
    emu_convergence convergence;
    uint32_t collective_next[SMP_LANES]; /* where each lane goes on behind ENDCOLLECTIVE */
};

typedef struct emu_barrier {
    uint32_t arrived, expected; /* threads */
    uint32_t votes;             /* threads whose predicate holds */
} emu_barrier;

enum { BLOCK_BARRIERS = 16, ALL_BARRIERS = BLOCK_BARRIERS + 8 };
/* Bytes behind a block's shared memory that a load of 16 bytes may reach. */
enum { EMU_SHARED_TAIL = 16 };

typedef struct emu_block {
    uint32_t at[3];
    uint32_t rank;                       /* in its cluster */
    uint32_t threads, warp_count, alive; /* threads */
    emu_warp *warps;
    uint8_t *shared;
    uint32_t shared_bytes; /* with what is reserved */
    uint8_t *is_written;   /* by word of shared memory: bits of its bytes */
    uint32_t unwritten;    /* words that are not, or not wholly */
    uint8_t *local;
    uint32_t *local_writer; /* by word of local memory: bits of its bytes, and of whose they are */
    emu_barrier barriers[ALL_BARRIERS]; /* behind those with a number, one a warpgroup */
    uint32_t awaited;                   /* bit by barrier: somebody has arrived */
    struct emu_worker *worker;
} emu_block;

typedef struct emu_run emu_run;

/* What ran from an instruction on. */
enum emu_reached { REACHED_ONE = 1, REACHED_STRAIGHT = 2 /* uop.straight of them */ };

/* Threads of the CPU write to their own without a line of its cache in common. */
typedef struct emu_worker {
    _Alignas(2 * EMU_ALIGN) emu_run *run;
    emu_block *blocks; /* of one cluster; of a cooperative launch, all */
    uint32_t block_count, cluster_blocks;
    uint32_t cluster_arrived; /* threads at the cluster's barrier */
    uint64_t cluster_phase;   /* how often it has opened */
    uint64_t thread_instructions, warp_instructions, unknown_executed;
    uint64_t steps;                   /* of this cluster */
    uint32_t idle_turns;              /* in a row, in which its warps only tested mbarriers */
    uint64_t block_serial;            /* a number for each cluster that this worker runs */
    uint64_t written_serial;          /* another one whenever something is unwritten again */
    struct emu_unwritten **unwritten; /* by instruction, then by warp (poison.h) */
    struct emu_poisoned_word *poisoned;
    smp_emu_array **last_array; /* by instruction: where it went last */
    uint8_t *order_told;        /* by instruction: its order was a finding */
    uint8_t *reached;           /* by instruction: emu_reached */
    uint32_t cluster;           /* which one runs */
    bool has_met;               /* it is in order with others (block_order.h) */
    emu_judge judge;
    struct emu_race *race; /* race.h; NULL: nobody asks for races */
    bool is_stopped;
    bool tells;         /* how far the launch is */
    bool starts_others; /* once it has run for a while */
} emu_worker;

struct emu_run {
    const emu_program *program;
    smp_emu_memory *memory;
    const smp_launch *launch;
    uint32_t shared_bytes, local_bytes; /* of a block, with what is reserved; of a thread */
    uint64_t next_cluster, cluster_count;
    uint64_t limit, launch_limit; /* warp instructions of a block, and of all */
    uint64_t steps;               /* of clusters that are done */
    smp_emulation *out;
    smp_profile_site *results; /* of all workers, under `lock` */
    bool is_stopped, is_asked_to_stop;
    struct emu_shadow *shadows; /* by array; NULL: order does not matter */
    void *lock;                 /* pthread_mutex_t */
    struct emu_trace *trace;    /* NULL: none */
    struct emu_output *output;  /* NULL: nobody reads it */
    void *call_lock;
    void *threads; /* pthread_t of each worker; the first has none of its own */
    uint32_t worker_count, started_count;
    /* The other workers, where the first has done as much as their threads cost. */
    void (*start_others)(emu_worker *first);
    uint8_t *reached;          /* by instruction: of all workers that are done */
    bool is_together;          /* all its blocks run at once, in turns */
    struct race_grid *grid;    /* race.h; NULL: nobody asks, or all blocks run together */
    struct emu_beside *beside; /* race_beside.h; NULL: nothing else runs, or nobody asks */
};

/* Addresses of the windows through which generic addresses reach shared and local memory: where no
 * process of this machine has memory, as arrays may stand at addresses of their owner's choice. */
#define EMU_SHARED_WINDOW 0x0f1200000000ull
#define EMU_LOCAL_WINDOW 0x0f1100000000ull
#define EMU_PARAMETERS \
    0x0f1300000000ull /* a copy of the parameters, where code takes their address */
/* Code, by its place in the cubin. */
#define EMU_CODE_WINDOW 0x0f1400000000ull
#define EMU_GRID_BARRIER 0x0f1500000000ull /* what blocks of a cooperative launch meet at */
#define EMU_CONSTANTS 0x0f1600000000ull    /* __constant__ variables, where pointers to them go */
#define EMU_WINDOW_BYTES 0x100000000ull

/* An operand's first row. */
static inline const uint32_t *emu_row_of(const emu_warp *warp, const emu_operand *operand) {
    return (const uint32_t *)(const void *)(warp->files[operand->offset & 1] +
                                            (operand->offset & ~1));
}

static inline const uint32_t *emu_rows(const emu_program *program, const emu_warp *warp,
                                       const emu_operand *operand) {
    (void)program;
    return emu_row_of(warp, operand);
}

/* The first row that an instruction writes. */
static inline uint32_t *emu_result(const emu_warp *warp, const uop *u) {
    return (uint32_t *)(void *)(warp->files[0] + u->d);
}

/* Of PT and UPT nothing changes; uniform predicates are of the warp. */
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

/* What is written now in local memory, above the bits of bytes. */
static inline uint32_t emu_local_stamp(const emu_worker *worker) {
    return (uint32_t)worker->block_serial << 4;
}

/* The blocks of the block's cluster, by rank. */
static inline emu_block *emu_cluster_of(const emu_block *block) {
    return block->worker->blocks + (block - block->worker->blocks) - block->rank;
}

/* banks.c: fills program->banks, and adds the module's variables to `memory`. */
smp_status emu_fill_banks(emu_program *program, const smp_launch *launch, uint32_t local_bytes,
                          smp_emu_memory *memory, smp_error *error);
/* Takes what that added of its own out of the memory again. */
void emu_remove_own(smp_emu_memory *memory);

/* block.c: memory for one cluster, used again for the next; false: out of memory. */
bool emu_cluster_make(emu_worker *worker);
void emu_cluster_free(emu_worker *worker);
void emu_cluster_run(emu_worker *worker, uint64_t index);
/* Says how far the launch is. */
void emu_tell(const emu_worker *worker);
/* What emu_cluster_make takes for so many blocks. */
uint64_t emu_blocks_bytes(const smp_launch *launch, uint64_t blocks, uint32_t shared_bytes,
                          uint32_t local_bytes);

/* emulate_profile.c: what is known before, and the sites after; false: out of memory. */
bool emu_profile_kernel(const emu_program *program, const smp_launch *launch,
                        smp_kernel_profile *kernel);
bool emu_profile_sites(const emu_program *program, const emu_judge *judge,
                       smp_profile_site *results, smp_kernel_profile *kernel);
/* The forms that no record covers, of what was reached: emu_reached by instruction. */
bool emu_profile_forms(const emu_program *program, const uint8_t *reached,
                       smp_kernel_profile *kernel);

/* special.c: the special register of one lane. */
uint32_t emu_special(const emu_warp *warp, uint32_t which, unsigned lane);
/* Shared memory of a block, with what the system reserves of it, as the chip gives it. */
uint32_t emu_shared_size(const smp_function *f, const smp_launch *launch);

/* The launch's owner wants no more of it; not where all is done. */
static inline bool emu_is_asked_to_stop(emu_run *run) {
    if (run->launch->stop == NULL || *run->launch->stop == 0)
        return false;
    __atomic_store_n(&run->is_asked_to_stop, true, __ATOMIC_RELAXED);
    return true;
}

/* special.c: the place in the grid of the block with this rank in its cluster. */
void emu_block_place(const smp_launch *launch, uint64_t cluster, uint32_t rank, uint32_t at[3]);
/* memory.c: does what the instruction says for the lanes of `exec`. */
void emu_memory(emu_warp *warp, const uop *u, uint32_t exec);
/* control.c: runs until all groups wait or the turn is over; true if anything moved. */
bool emu_warp_run(emu_warp *warp, uint64_t turn);
/* collective.c: whether the lanes of the mask (the group's first lane's) are `lanes`. */
bool emu_is_converged(const emu_warp *warp, const emu_group *group, const uint32_t *masks,
                      uint32_t lanes);
/* The lanes of `exec` wait for those of their masks (of BSYNC: of their barriers), or go on. */
void emu_bsync(emu_warp *warp, const uop *u, emu_group *group, uint32_t exec);
void emu_warpsync(emu_warp *warp, const uop *u, emu_group *group, const uint32_t *masks,
                  uint32_t exec);
/* divergence.c: groups of a warp. */
void emu_group_remove(emu_warp *warp, uint32_t index);
/* Those of `released` lanes at one place become one. */
void emu_group_merge(emu_warp *warp, uint32_t released);
/* Lets groups go on that wait for lanes which are there now; true if any does. */
bool emu_warp_wake(emu_warp *warp);
/* barrier.c: the group arrives at the block's barrier, or lanes leave the block: who waits may go.
 */
void emu_barrier_arrive(emu_warp *warp, const uop *u, emu_group *group, uint32_t exec);
void emu_barrier_check(emu_block *block);
void emu_cluster_arrive(emu_warp *warp, uint32_t exec);
void emu_cluster_check(emu_worker *worker);
/* poison.c: before an instruction runs where poison is about; false: the launch has ended. */
bool emu_poison_step(emu_warp *warp, const uop *u, uint32_t mask, uint32_t exec);
/* finding.c: `lane` of the warp at instruction `u`; ends the launch where `ends`. */
void emu_found(emu_warp *warp, const uop *u, unsigned lane, smp_finding_kind kind, bool ends,
               const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The same of an access, whose address is known. */
typedef struct emu_target {
    uint64_t address;
    bool is_shared; /* `address` is an offset in the block's memory, as programs see it */
    const smp_emu_array *array; /* of global memory, the one that was meant; NULL: not known */
} emu_target;
void emu_found_at(emu_warp *warp, const uop *u, unsigned lane, smp_finding_kind kind, bool ends,
                  emu_target target, const char *format, ...) __attribute__((format(printf, 7, 8)));
/* mbarrier.c: nobody will end the phase that the warp waits for. */
void emu_phase_never_ends(emu_warp *warp);
/* What would mend the finding, which there is already. */
void emu_found_missing(emu_warp *warp, const uop *u, smp_finding_kind kind, const char *missing);

/* Special registers. */
enum {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANE,
    SPECIAL_LT_MASK,
    SPECIAL_LE_MASK,
    SPECIAL_GT_MASK,
    SPECIAL_GE_MASK,
    SPECIAL_EQ_MASK,
    SPECIAL_SHARED_HIGH,
    SPECIAL_CLUSTER_RANK,
    SPECIAL_ZERO,
    SPECIAL_TID,
    SPECIAL_CLOCK,
    SPECIAL_WARP,  /* in its block, above a byte of something else */
    SPECIAL_WARPS, /* of an SM, the same */
    SPECIAL_SHARED_SIZE,
    SPECIAL_CLOCK_HIGH,
};
