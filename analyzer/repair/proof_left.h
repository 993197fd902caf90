/* SPDX-License-Identifier: MIT */
/*
 * What a program left: in memory after each of its launches, as the runtime's file says
 * (runtime_left.c has its form), and what it printed. Two versions of it are equal if both are.
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
    uint64_t ordered[2]; /* of structs that lie in groups: the hash of them one behind the other */
    bool is_grouped;     /* ... if it may be such an array */
} proof_array;

typedef struct proof_launch {
    char *kernel; /* demangled */
    uint32_t registers, local_bytes, shared_bytes, threads, dynamic_bytes;
    uint64_t blocks;
    bool is_whole, is_seen; /* ended as it should; its memory was looked at */
    uint32_t first, count;  /* of its arrays */
} proof_launch;

typedef struct proof_left {
    proof_launch *launches;
    proof_array *arrays;
    uint32_t launch_count, array_count;
    char *printed; /* NULL: it has no output that was kept */
    size_t printed_length;
    bool *varies; /* its words that another run of the same program prints otherwise; NULL: none */
    size_t word_count;
    bool is_free; /* no two runs of it print as many words */
} proof_left;

/* What of it can be compared. */
typedef struct proof_printed {
    uint64_t words, varying; /* that other runs of the same program print otherwise */
    bool is_free;
} proof_printed;
proof_printed proof_left_printed(const proof_left *left);

/* False: out of memory, or it is no such file. No file: there was no launch. */
bool proof_left_read(const char *path, proof_left *out);
void proof_left_clear(proof_left *left);

/* Launches, and memory after each that was seen; else why not. Adds to *bytes. */
bool proof_left_equal(const proof_left *before, const proof_left *after, uint64_t *bytes,
                      char why[PROOF_WHY]);
/* All words but those that vary. */
bool proof_printed_equal(const proof_left *before, const proof_left *after, char why[PROOF_WHY]);
/* Which words of `left` another run of the same program has printed otherwise. False: out of
 * memory. */
bool proof_printed_vary(proof_left *left, const proof_left *again);
