/* SPDX-License-Identifier: MIT */
/*
 * Work of a program that may run at one time: launches and copies of different streams, and a
 * launch that begins before the one in front of it has ended (programmatic dependent launch). Each
 * leaves marks in shadows of global memory, which stay from one to the next; an access that meets
 * the mark of work that nothing puts in front of it is a race. (CUDA C++ Programming Guide,
 * "Asynchronous Concurrent Execution"; PTX ISA, griddepcontrol.) The owner says what is in front.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "emulate.h"

typedef struct smp_beside smp_beside;

/* NULL: out of memory. It is the process's. */
smp_beside *smp_beside_new(void);
/* The memory at this address, where an array began, is given back. */
void smp_beside_forget(smp_beside *beside, uint64_t address);

/* Which piece of work it is, and what is in front of it: of each stream all up to a number. */
typedef struct smp_beside_work {
    uint32_t stream, number; /* numbers rise, from 1 on */
    const char *name;        /* of a copy: "cudaMemcpyAsync()" */
    const uint32_t *before;  /* by stream */
    uint32_t streams;        /* of which `before` knows something */
    /* The same of threads that have not waited for the launch in front (griddepcontrol.wait); NULL:
     * nobody must. */
    const uint32_t *early;
} smp_beside_work;

/* A race of a copy with a launch. */
typedef struct smp_beside_race {
    const char *kernel; /* mangled */
    const smp_finding_place *place;
    const smp_emu_array *array;
    bool is_write; /* of the launch */
    uint64_t offset;
} smp_beside_race;

/* A copy, or what else is done to bytes of an array; true: it races, and *out says with what. */
bool smp_beside_copy(smp_beside *beside, const smp_beside_work *work, const smp_emu_array *array,
                     uint64_t offset, uint64_t bytes, bool writes, smp_beside_race *out);
