/* SPDX-License-Identifier: MIT */
/*
 * launch_case.h: launches as the stand-in for the API tells the library of them.
 */
#pragma once

#include "host_case.h"

extern char one_module, one_stream;
extern float bare, patched;    /* milliseconds of a launch, without and with patches */
extern uint32_t added_bytes;   /* of shared memory, by a launch */
extern void **values, **extra; /* parameters of launches */
extern uint32_t node_blocks;   /* of a graph's node */
extern int result;             /* of calls that launch */
extern const char *said;       /* the API's name of what they launch; NULL: the right one */

/* Starts the library with SMP_INSTRUMENT_OVERHEAD and a context; start_with: also with a module. */
void start_empty(const char *overhead);
void start_with(const char *overhead);
/* Loads tests/data/NAME, code of a GPU, in the module's place. */
void load_code(const char *name);
/* A call that launches begins or ends. */
void enter(const char *name, uint32_t blocks, int site);
/* A stream begins or ends to be captured, with that result. */
void capture(uint32_t id, int ended);
/* True if it was looked at. */
bool launch_blocks(const char *name, uint32_t blocks);
bool replay_of(const char *name); /* by a graph */
/* The driver call, which may change the graph. */
void change_graph(uint32_t id);
/* Returns how many launches of the kernel were not looked at, and writes how many were. */
uint64_t skipped_of(const smp_instrument_dump *dump, const char *name, uint64_t *launches);
