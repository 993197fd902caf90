/* SPDX-License-Identifier: MIT */
/*
 * access_set.h: different accesses, each once.
 */
#pragma once

#include "smp_model.h"

typedef struct smp_set_row {
    smp_access access; /* canonical */
    uint32_t tag;      /* the caller's: equal accesses with different tags are different rows */
} smp_set_row;

/* Begins as {0}; free with smp_access_set_clear. */
typedef struct smp_access_set {
    uint32_t count;
    smp_set_row *rows;   /* in the order in which they came */
    uint32_t *slots;     /* row numbers + 1 by hash; 0: free */
    uint32_t slot_count; /* a power of two, more than twice `count` */
} smp_access_set;

/* The same request with 0 for everything that does not count: lanes that give no address, and
 * addresses in a space that the operation does not access. */
smp_access smp_access_canonical(const smp_access *access);

/* The row of a canonical access, or -1. */
int64_t smp_access_set_find(const smp_access_set *set, const smp_access *access, uint32_t tag);
/* Adds it unless it is there. Returns its row, which is the former `count` if it is new; -1: out of
 * memory. */
int64_t smp_access_set_add(smp_access_set *set, const smp_access *access, uint32_t tag);
void smp_access_set_clear(smp_access_set *set);
