/* SPDX-License-Identifier: MIT */
/*
 * Work of one program that may run at the same time: launches and copies of different streams, and
 * a launch that begins before the previous one has ended (programmatic dependent launch). Each
 * leaves marks in shadows of global memory that persist between launches. An access that meets the
 * mark of work that is not ordered before it is a race. (CUDA C++ Programming Guide, "Asynchronous
 * Concurrent Execution"; PTX ISA, griddepcontrol.) The owner says what is ordered before what.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "emulation.h"

typedef struct smp_beside smp_beside;

/* Returns the state of a process; NULL if out of memory. */
smp_beside *smp_beside_new(void);
/* Forgets the array at this address, whose memory was freed. */
void smp_beside_forget(smp_beside *beside, uint64_t address);

/* One piece of work, and the work ordered before it: for each stream, everything up to a number. */
typedef struct smp_beside_work {
    uint32_t stream, number; /* numbers rise from 1 */
    const char *name;        /* for a copy: "cudaMemcpyAsync()" */
    const uint32_t *before;  /* indexed by stream */
    uint32_t streams;        /* length of `before` */
    /* The same for threads that have not waited for the previous launch (griddepcontrol.wait); NULL
     * if no thread needs to wait. */
    const uint32_t *early;
} smp_beside_work;

/* A race between a copy and a launch. */
typedef struct smp_beside_race {
    const char *kernel; /* mangled */
    const smp_finding_place *place;
    const smp_emu_array *array;
    bool is_write; /* the launch's access */
    uint64_t offset;
} smp_beside_race;

/* Records a copy or another operation on bytes of an array; true if it races, and *out says with
 * what. */
bool smp_beside_copy(smp_beside *beside, const smp_beside_work *work, const smp_emu_array *array,
                     uint64_t offset, uint64_t bytes, bool writes, smp_beside_race *out);
