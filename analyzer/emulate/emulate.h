/* SPDX-License-Identifier: MIT */
/*
 * Runs one launch of a kernel's machine code on the CPU, and says what its accesses cost.
 *
 * What a GPU computes is computed: integer and IEEE operations bit by bit, special functions
 * nearly. An instruction (or a variant of one) without a meaning here poisons what it writes;
 * poison that reaches an address, a branch or memory ends the launch with a finding, so that no
 * figure is silently wrong. Blocks run in parallel on all cores, warps of a block in turns.
 */
#ifndef SMP_EMULATE_H
#define SMP_EMULATE_H

#include <stdio.h>

#include "disassembly.h"
#include "profile.h"
#include "smp_trace.h"

typedef struct smp_emu_array {
    char *name;       /* "argument 1", or of a variable "table" */
    uint64_t address; /* as the kernel sees it: a multiple of 512 */
    uint64_t size_bytes;
    uint8_t *bytes;
    bool is_borrowed; /* `bytes` are somebody else's */
    uint8_t *live; /* of the heap: bits of bytes that are in a block; NULL: all may be accessed */
    uint64_t freed_bytes; /* it had so many and has none any more; 0: it is there */
    uint64_t reach_bytes; /* with smp_launch.reach: up to the end of the farthest access */
} smp_emu_array;

/* Global memory. */
typedef struct smp_emu_memory {
    smp_emu_array *arrays; /* by address */
    uint32_t count;
    uint64_t next_address;
    uint64_t most_bytes; /* that arrays of its own may have together; 0: no limit */
} smp_emu_memory;

#define SMP_EMU_ARRAY_MOST (UINT64_C(1) << 40)
/* Adds a zeroed array of at most so many bytes; NULL: out of memory. Valid until the next call. */
smp_emu_array *smp_emu_memory_add(smp_emu_memory *memory, const char *name, uint64_t size_bytes);
/* Adds bytes that stay the caller's, at an address of the caller's choice where no other array is;
 * NULL: out of memory. Valid until the next call. */
smp_emu_array *smp_emu_memory_place(smp_emu_memory *memory, const char *name, uint64_t address,
                                    uint64_t size_bytes, uint8_t *bytes);
/* The array that holds `address`, or NULL. */
smp_emu_array *smp_emu_memory_find(const smp_emu_memory *memory, uint64_t address);
/* Takes an array out of the list; bytes that are not borrowed are freed. */
void smp_emu_memory_remove(smp_emu_memory *memory, smp_emu_array *array);
void smp_emu_memory_clear(smp_emu_memory *memory);
/* Bytes of arrays that are not borrowed. */
uint64_t smp_emu_memory_held(const smp_emu_memory *memory);

/* A module that stays loaded from launch to launch: where its variables are in memory. */
typedef struct smp_emu_module {
    uint64_t *address;       /* by symbol of the cubin; 0: none */
    const uint8_t *constant; /* constant bank 3, as it is now; NULL: as in the cubin */
    uint32_t constant_bytes;
} smp_emu_module;

/* Bytes of a variable at this address; NULL: none. */
typedef uint8_t *(*smp_emu_bytes_fn)(void *user, uint64_t address);
/* Puts addresses into variables that begin with some: pointers to variables, and to functions.
 * `address` as in the module. */
void smp_emu_relocate(const smp_code *code, const uint64_t *address, smp_emu_bytes_fn bytes_of,
                      void *user);

/* What went wrong, where; the first of each kind and instruction. */
typedef struct smp_finding {
    smp_finding_kind kind;
    uint32_t instruction; /* index in the function */
    uint32_t block[3], thread[3];
    uint64_t count;
    bool ends; /* the launch went no further */
    bool is_note;
    bool has_address, is_shared;
    uint64_t address;  /* in shared memory without what the system reserves */
    char array[96];    /* of global memory; "": none, or not known */
    char message[256]; /* without place */
    /* Of a race: the access before it, and what would order the two. */
    bool has_other;
    uint32_t other_instruction, other_block[3], other_thread[3];
    const smp_finding_place *other_place; /* of another launch; NULL: of this one */
    bool is_beside;                       /* the other one is of another launch, or a copy */
    bool is_of_warp; /* the example is two lanes of one warp, and nothing orders them */
    char missing[160];
} smp_finding;

enum { SMP_FINDINGS_MAX = 64 };

/* How far a launch is. */
typedef struct smp_emulation_step {
    uint64_t clusters, cluster_count; /* begun; of blocks, where no clusters are asked for */
    uint64_t steps, limit;            /* warp instructions of one that runs, and how many it may */
} smp_emulation_step;

/* Of local memory (CUDA C++ Programming Guide, Technical Specifications). */
enum { SMP_LOCAL_MOST = 512 * 1024 };

enum { REGISTERS_OF_SM = 65536 };

typedef struct smp_launch {
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* 1 each: as the kernel says (__cluster_dims__), or none */
    bool is_cooperative; /* blocks may wait for all others (grid.sync()) */
    uint32_t dynamic_shared_bytes;
    /* Blocks (clusters, where they are asked for) that are run, rising; NULL: all, as where races
     * are looked for and blocks wait for each other. */
    const uint64_t *only;
    uint32_t only_count;
    const uint8_t *parameters; /* function->parameter_bytes of them */
    const smp_arch *arch;      /* whose rules judge the accesses */
    uint32_t threads;          /* of the CPU; 0: all cores */
    /* That arrays of the memory's own and what the blocks of each thread need may take, without
     * what looking for races keeps; 0: no limit. */
    uint64_t memory_bytes;
    uint64_t limit;        /* warp instructions of one block; 0: a billion */
    uint64_t launch_limit; /* the same of all blocks; 0: a hundred billion */
    uint64_t heap_bytes;   /* of malloc() in kernels; 0: 8 MiB */
    uint32_t stack_bytes;  /* of a thread, beyond one frame of each function; 0: 2048 */
    const struct emu_texture_list *textures; /* texture.h; NULL: none */
    FILE *output;                            /* for the kernel's printf; NULL: nowhere */
    uint64_t output_bytes;                   /* at most; 0: 1 MiB */
    const smp_emu_module *module;            /* NULL: variables are made for this launch alone */
    /* Told now and then, by the thread that called; NULL: nobody. */
    void (*told)(void *user, const smp_emulation_step *step);
    void *user;
    const volatile int *stop; /* other than 0: goes no further, soon; NULL: nobody asks */
    smp_trace_writer *trace;  /* every access goes there, too; NULL: nowhere */
    bool races;               /* looks for them, too */
    /* What else may run at the same time (beside.h), and which work this is; NULL: nothing. */
    struct smp_beside *beside;
    const struct smp_beside_work *work;
    bool reach; /* fills reach_bytes of the arrays: not of bulk copies, which are not modelled */
} smp_launch;

typedef struct smp_emulation {
    uint64_t thread_instructions, warp_instructions;
    uint64_t output_bytes;               /* printed */
    uint64_t output_dropped;             /* calls of printf that had no room, or not for all */
    uint64_t unknown_executed;           /* poisoned something that nobody needed */
    uint64_t trace_rows, trace_left_out; /* accesses in the trace, and local ones and such without
                                            an operation of their own, which are not */
    smp_finding findings[SMP_FINDINGS_MAX];
    uint32_t finding_count;
    uint64_t findings_lost; /* of those that found no room */
    bool ran_together;      /* all blocks at once, as they may wait for each other */
    bool lets_next_begin;   /* griddepcontrol.launch_dependents was reached */
    bool races_lost;        /* some accesses of a block were more than are looked at */
    bool is_whole;          /* all blocks ended as they should */
    bool is_stopped;        /* by smp_launch.stop: what ran until then is in the profile */
    uint64_t clusters_begun, cluster_count; /* of blocks, where no clusters are asked for */
    double seconds;
} smp_emulation;

/* Whether any chip takes such a grid and such a block: no kernel is needed to know. */
smp_status smp_emulate_shape_check(const uint32_t grid[3], const uint32_t block[3],
                                   smp_error *error);

/* Runs the launch and fills *kernel (emptied by the caller before) with its sites, *out with the
 * rest. SMP_OK with findings where the kernel misbehaves; other statuses where it cannot be run at
 * all (no instructions, a launch that the chip would refuse, no memory), or its trace not written.
 */
smp_status smp_emulate(const smp_code *code, const smp_function *function, smp_emu_memory *memory,
                       const smp_launch *launch, smp_kernel_profile *kernel, smp_emulation *out,
                       smp_error *error);

/* Functions of the launch that are code of their own become kernels of their own in the profile, as
 * the GPU's have them: without launches, offsets from their own beginning. `index`: the kernel that
 * smp_emulate filled. */
smp_status smp_emulate_called(const smp_function *function, smp_profile *profile, uint32_t index,
                              smp_error *error);

/* "texture" or "surface", if the instruction reads or stores one (by a handle, which no memory says
 * anything about); NULL if not. */
const char *smp_emu_object_of(const smp_instruction *instruction);

/* The line of the kernel's own text, not of a system's header, that the instruction is from; NULL:
 * none is known. */
const smp_source_line *smp_emu_user_line(const smp_instruction *instruction);

/* The instruction's line and text; false: out of memory. */
bool smp_emu_place(const smp_function *function, uint32_t instruction, smp_finding_place *out);

/* Adds what was found to the profile, whose kernel `index` smp_emulate filled. SMP_E_MEMORY or
 * SMP_OK. */
smp_status smp_emulate_findings(const smp_function *function, const smp_emulation *done,
                                smp_profile *profile, uint32_t index, smp_error *error);

#endif
