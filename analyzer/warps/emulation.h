/* SPDX-License-Identifier: MIT */
/* A launch: global memory, what runs, and what came of it. */
#pragma once

#include <stdio.h>

#include "disassembly.h"
#include "profile.h"
#include "run_options.h"
#include "smp_trace.h"

typedef struct smp_emu_array {
    char *name;       /* "argument 1", or the variable's name "table" */
    uint64_t address; /* as the kernel sees it */
    uint64_t size_bytes;
    uint8_t *bytes;
    bool is_borrowed; /* the caller owns `bytes` */
    uint8_t *live; /* for the heap: bit set of allocated bytes; NULL if all bytes are accessible */
    uint64_t freed_bytes; /* size before it was freed; 0 if not freed */
    uint64_t reach_bytes; /* with smp_launch.reach: end of the farthest access */
    uint8_t kind;         /* the caller's; 0 at first */
} smp_emu_array;

/* Global memory. */
typedef struct smp_emu_memory {
    smp_emu_array *arrays; /* sorted by address */
    uint32_t count;
    uint64_t next_address;
    uint64_t most_bytes; /* limit for the arrays it owns, together, or 0 */
} smp_emu_memory;

#define SMP_EMU_ARRAY_MOST (UINT64_C(1) << 40)
/* Adds a zeroed array of this many bytes at a free multiple of 512; NULL if out of memory. Valid
 * until the next call. */
smp_emu_array *smp_emu_memory_add(smp_emu_memory *memory, const char *name, uint64_t size_bytes);
/* Adds bytes that the caller keeps, at a free address that the caller chooses; NULL if out of
 * memory. Valid until the next call. */
smp_emu_array *smp_emu_memory_place(smp_emu_memory *memory, const char *name, uint64_t address,
                                    uint64_t size_bytes, uint8_t *bytes);
/* The array that holds `address`, or NULL. */
smp_emu_array *smp_emu_memory_find(const smp_emu_memory *memory, uint64_t address);
/* The same, also if it was freed: then its size is 0. */
smp_emu_array *smp_emu_memory_known(const smp_emu_memory *memory, uint64_t address);
/* Removes an array from the list; bytes that are not borrowed are freed. */
void smp_emu_memory_remove(smp_emu_memory *memory, smp_emu_array *array);
void smp_emu_memory_clear(smp_emu_memory *memory);
/* Total bytes of arrays that are not borrowed. */
uint64_t smp_emu_memory_held(const smp_emu_memory *memory);

/* A module that stays loaded from launch to launch: the addresses of its variables. */
typedef struct smp_emu_module {
    uint64_t *address;       /* by symbol of the cubin, or 0 */
    const uint8_t *constant; /* current constant bank 3; NULL: as in the cubin */
    uint32_t constant_bytes;
} smp_emu_module;

/* What went wrong and where; the first one of each kind and instruction. */
/* How far apart two threads are: what orders those farther apart orders the others, too. */
typedef enum smp_race_reach {
    SMP_IN_WARP,
    SMP_IN_TURNS, /* of a loop that the lanes of a warp do not run together */
    SMP_IN_CLUSTER,
    SMP_IN_GRID
} smp_race_reach;

typedef struct smp_finding {
    smp_finding_kind kind;
    uint32_t instruction; /* index in the function */
    uint32_t block[3], thread[3];
    uint64_t count;
    bool ends; /* the launch stopped here */
    bool is_note;
    bool is_never_written; /* with --races: the block ended before any thread wrote the bytes */
    bool has_address, is_shared;
    uint64_t address;  /* in shared memory, excluding what the system reserves */
    char array[96];    /* of global memory; "": none or unknown */
    char message[256]; /* without place */
    /* For a race: the earlier access, and what would order the two. */
    bool has_other;
    uint32_t other_instruction, other_block[3], other_thread[3];
    const smp_finding_place *other_place; /* in another launch; NULL: in this one */
    bool is_looped;                       /* each of the two can run after the other */
    bool is_beside;                       /* the other access is of another launch or a copy */
    smp_race_reach reach;                 /* of the example, if nothing orders the two */
    char missing[200];
} smp_finding;

enum { SMP_FINDINGS_MAX = 64 };

/* Progress of a launch. */
typedef struct smp_emulation_step {
    uint64_t clusters, cluster_count; /* started and total; blocks if there are no clusters */
    uint64_t steps, limit;            /* warp instructions of the running cluster, and its limit */
} smp_emulation_step;

/* Largest local memory of a thread (CUDA C++ Programming Guide, Technical Specifications). */
enum { SMP_LOCAL_MOST = 512 * 1024 };

enum { REGISTERS_OF_SM = 65536 };

typedef struct smp_launch {
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* 1 each: the kernel's own (__cluster_dims__) or none */
    bool is_cooperative; /* blocks may wait for all others (grid.sync()) */
    uint32_t dynamic_shared_bytes;
    /* Blocks (clusters, if requested) to run, in rising order; NULL for all, required when looking
     * for races and when blocks wait for each other. */
    const uint64_t *only;
    uint32_t only_count;
    const uint8_t *parameters; /* function->parameter_bytes of them */
    const smp_arch *arch;      /* whose rules cost the accesses */
    uint32_t threads;          /* CPU threads; 0 for all cores */
    /* Limit for the memory's own arrays and the blocks of all threads, without the race detector's
     * data; 0 for none. */
    uint64_t memory_bytes;
    smp_run_options run;
    uint64_t heap_bytes;                     /* for malloc() in kernels; 0: 8 MiB */
    const struct emu_texture_list *textures; /* texture.h, or NULL */
    FILE *output;                            /* for the kernel's printf; NULL to discard it */
    uint64_t output_bytes;                   /* limit; 0: 1 MiB */
    const smp_emu_module *module;            /* NULL: variables are made for this launch alone */
    /* Called from time to time in the caller's thread; NULL for no reports. */
    void (*told)(void *user, const smp_emulation_step *step);
    void *user;
    const volatile int *stop; /* stops soon after it becomes nonzero; NULL: never */
    smp_trace_writer *trace;  /* receives every access, or NULL */
    /* Other work that may run at the same time (beside.h), and which work this is; NULL for
     * none. */
    struct smp_beside *beside;
    const struct smp_beside_work *work;
    bool reach; /* fill reach_bytes of the arrays; bulk copies are not included */
} smp_launch;

typedef struct smp_emulation {
    uint64_t thread_instructions, warp_instructions;
    uint64_t output_bytes;     /* printed */
    uint64_t output_dropped;   /* printf calls dropped or cut for lack of room */
    uint64_t unknown_executed; /* instructions that are not emulated but affected no result */
    uint64_t trace_rows, trace_left_out; /* accesses in the trace; local ones and operations without
                                            an access row, which are not */
    smp_finding findings[SMP_FINDINGS_MAX];
    uint32_t finding_count;
    uint64_t findings_lost; /* findings beyond the limit */
    bool ran_together;      /* all blocks ran at the same time, as they may wait for each other */
    bool lets_next_begin;   /* reached griddepcontrol.launch_dependents */
    bool races_lost;        /* a block made more accesses than the race detector keeps */
    bool is_whole;          /* all blocks ended normally */
    bool is_stopped;        /* by smp_launch.stop; the profile has everything up to then */
    uint64_t clusters_begun, cluster_count; /* blocks if there are no clusters */
    double seconds;
} smp_emulation;

/* The instruction's line in the user's own source rather than a system header; NULL if unknown. */
const smp_source_line *smp_emu_user_line(const smp_instruction *instruction);

/* Fills in the instruction's line and text; false if out of memory. */
bool smp_emu_place(const smp_function *function, uint32_t instruction, smp_finding_place *out);
