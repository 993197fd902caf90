/* SPDX-License-Identifier: MIT */
/*
 * Reads sentences back into the numbers that they claim. It shares the rows with
 * what writes them (sentence.h tells their slots), and no code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLAIM_SLOTS_MAX = 8, CLAIMS_MAX = 16 };

typedef struct claim_slot {
    uint64_t number; /* {n}; the first bank of {b} */
    uint64_t count;  /* banks of {b}, lanes of {l} */
    uint32_t lanes;  /* of {l}; the first of them if there are more than are named */
    double real;     /* {e}, {f} */
    const char *text;
    size_t length;
} claim_slot;

/* One sentence that was read: by which row. */
typedef struct claim {
    size_t row;
    claim_slot slots[CLAIM_SLOTS_MAX];
} claim;

/* Reads all of `text` as sentences of these rows; returns how many, 0 if it can't be read. `text`
 * must outlive the claims. */
size_t claims_read(const char *const *rows, size_t row_count, const char *text,
                   claim claims[CLAIMS_MAX]);
