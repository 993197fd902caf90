/* SPDX-License-Identifier: MIT */
/*
 * access_set.h: different accesses, each once.
 */
#ifndef SMP_ACCESS_SET_H
#define SMP_ACCESS_SET_H

#include "smp_model.h"

typedef struct smp_set_row {
    smp_access access; /* canonical */
    uint32_t tag;      /* the caller's: accesses with different ones differ */
} smp_set_row;

/* Begins as {0}; free with smp_access_set_clear. */
typedef struct smp_access_set {
    uint32_t count;
    smp_set_row *rows;   /* in the order in which they came */
    uint32_t *slots;     /* row numbers + 1 by hash; 0: free */
    uint32_t slot_count; /* a power of two, more than twice `count` */
} smp_access_set;

/* The same request with zeroes wherever nothing is read: in lanes that give no address, and in the
 * addresses of a space that the operation does not reach. */
smp_access smp_access_canonical(const smp_access *access);

/* The row of a canonical access, or -1. */
int64_t smp_access_set_find(const smp_access_set *set, const smp_access *access, uint32_t tag);
/* Adds it unless it is there; its row, or -1: out of memory. It is new where the row is the former
 * `count`. */
int64_t smp_access_set_add(smp_access_set *set, const smp_access *access, uint32_t tag);
void smp_access_set_clear(smp_access_set *set);

#endif
