/* SPDX-License-Identifier: MIT */
/*
 * What a program left: the memory after each launch, from the file of the runtime (see
 * runtime_left.c), and what it printed. Two versions of a program are equal if both agree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROOF_WHY = 200 };

/* An array after a launch that changed it. */
typedef struct proof_array {
    char *name;
    uint64_t size_bytes, used_bytes, hash[2];
    uint64_t ordered[2];    /* hash of grouped structs in ungrouped order */
    uint64_t ordered_bytes; /* of these; 0 if it is no array of grouped structs */
} proof_array;

typedef struct proof_launch {
    char *kernel; /* demangled */
    uint32_t registers, local_bytes, shared_bytes, dynamic_bytes, grid[3], block[3];
    bool is_whole, is_seen; /* the launch ended normally; its memory was compared */
    uint32_t first, count;  /* index and number of its arrays */
    uint8_t *parameters;
    uint32_t parameter_bytes;
} proof_launch;

typedef struct proof_left {
    proof_launch *launches;
    proof_array *arrays;
    uint32_t launch_count, array_count;
    char *printed; /* NULL if no output was recorded */
    size_t printed_length;
    bool *varies; /* words that vary between runs of the same program; NULL if none */
    size_t word_count;
    bool is_free; /* the number of words varies between runs */
} proof_left;

/* How much of the output can be compared. */
typedef struct proof_printed {
    uint64_t words, varying; /* `varying` of them vary between runs of the same program */
    bool is_free;
} proof_printed;
proof_printed proof_left_printed(const proof_left *left);

/* Reads the file; a missing one means no launch. False if out of memory or malformed. */
bool proof_left_read(const char *path, proof_left *out);
void proof_left_clear(proof_left *left);

/* Compares the launches and the memory after each; sets `why` if they differ. Adds to *bytes. */
bool proof_left_equal(const proof_left *before, const proof_left *after, uint64_t *bytes,
                      char why[PROOF_WHY]);
/* Compares all words that do not vary. */
bool proof_printed_equal(const proof_left *before, const proof_left *after, char why[PROOF_WHY]);
/* Marks the words of `left` that another run of the same program printed differently. False if out
 * of memory. */
bool proof_printed_vary(proof_left *left, const proof_left *again);
