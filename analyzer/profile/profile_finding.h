/* SPDX-License-Identifier: MIT */
/*
 * Findings: errors of a kernel, such as an access outside its arrays. Each is one kind at one
 * machine instruction (a race at two), with a count and one thread as an example.
 *
 * Order: errors first, then by kernel, instruction and kind. Of equal findings the example that
 * sorts first is kept, so merging gives the same result in any order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "smp_model.h"

/* Identifier, name in documents, name of the rule, what it means, what to do. */
#define SMP_FINDING_KIND_ROWS(X)                                                                \
    X(OUT_OF_BOUNDS, "out of bounds", "out-of-bounds",                                          \
      "An access reaches memory that is in no array of the kernel.",                            \
      "Compare the index with the size of the array; the message has both.")                    \
    X(FREED, "freed memory", "freed-memory", "An access reaches memory that was freed before.", \
      "Free the memory only when the last access to it is done.")                               \
    X(MISALIGNED, "misaligned", "misaligned",                                                   \
      "An address is not a multiple of the access's width.",                                    \
      "Align the array, or read it in narrower parts.")                                         \
    X(UNINITIALISED, "uninitialised", "uninitialised",                                          \
      "Shared or local memory is read before it was written.",                                  \
      "Write it first, with a barrier between the write and the read of another thread.")       \
    X(BARRIER, "barrier", "barrier", "Threads wait at a barrier that others never reach.",      \
      "All threads that the barrier counts must arrive at it.")                                 \
    X(LIMIT, "endless loop", "endless-loop",                                                    \
      "A block still runs after as many instructions as --limit allows.",                       \
      "Look for a loop whose condition nobody changes, or raise --limit.")                      \
    X(UNKNOWN, "not understood", "not-understood",                                              \
      "An instruction that is not emulated decides what the kernel does.",                      \
      "The figures end there; the instruction is in the message.")                              \
    X(TRAP, "trap", "trap", "The kernel stops itself.", "Look at what leads to the trap.")      \
    X(ASSERTION, "assertion", "assertion", "An assert() of the kernel failed.",                 \
      "Look at the values that the assertion is about.")                                        \
    X(ORDER, "order of blocks", "order-of-blocks",                                              \
      "The result depends on the order in which blocks run.",                                   \
      "Use atomic operations, or a second launch for what needs the results of the first.")     \
    X(RACE, "race", "race",                                                                     \
      "Two threads access the same bytes, one of them writes, and nothing orders the two.",     \
      "Add the barrier or the fence that the finding says is missing.")

typedef enum smp_finding_kind {
#define SMP_FINDING_ENUM(id, name, rule, what, help) SMP_FINDING_##id,
    SMP_FINDING_KIND_ROWS(SMP_FINDING_ENUM)
#undef SMP_FINDING_ENUM
        SMP_FINDING_KINDS
} smp_finding_kind;

/* A source line, a machine instruction, and one thread. */
typedef struct smp_finding_place {
    char *file; /* NULL: no line information */
    uint32_t line;
    char *instruction;     /* "@P0 LDG.E R2, [R4.64]"; NULL if unknown */
    uint32_t offset_bytes; /* of the instruction in its function, if `instruction` is known */
    bool has_thread;
    uint32_t block[3], thread[3];
} smp_finding_place;

typedef struct smp_profile_finding {
    smp_finding_kind kind;
    bool is_note; /* otherwise an error */
    char *message;
    char *kernel; /* mangled, as smp_kernel_profile.name */
    smp_finding_place at;
    bool has_address;
    uint64_t
        address;    /* in shared memory as the program sees it, excluding system-reserved memory */
    char *array;    /* NULL if unknown */
    uint64_t count; /* number of times */
    char *missing;  /* of a race: what would order the two accesses; NULL if not applicable */
    bool has_other; /* of a race: the other access */
    smp_finding_place other;
} smp_profile_finding;

/* "out of bounds" */
const char *smp_finding_kind_name(smp_finding_kind kind);
/* Returns false if there is no kind of that name. */
bool smp_finding_kind_find(const char *name, smp_finding_kind *out);

void smp_finding_clear(smp_profile_finding *finding);

/* profile_merge.c: compares two findings: 0 if they are the same one, else <0 or >0. */
int smp_finding_compare(const smp_profile_finding *a, const smp_profile_finding *b);

/* Counts those of severity error. */
uint32_t smp_findings_errors(const smp_profile_finding *list, uint32_t count);
