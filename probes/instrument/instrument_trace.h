/* SPDX-License-Identifier: MIT */
/*
 * Transports every request of a program out of the GPU. The patch for traces writes each into a
 * ring of slots in host memory, and waits while the ring is full. A thread of the library appends
 * them to a file, which the command converts to a trace when the program has ended.
 */
#pragma once

#include <stdint.h>

enum {
    TRACE_SLOTS = 1 << 16, /* per context: 9.5 MiB */
    TRACE_LANES = 32,
    TRACE_PARTS_MAX = 3,
};

/* A request takes one to three consecutive slots: 32-bit offsets; or the low and high halves of
 * addresses; or for a copy, the target's offsets and then the source's addresses. */
typedef struct trace_slot {
    uint32_t turn;  /* how often the ring was used up to here, from 1; written last */
    uint32_t parts; /* first part */
    uint64_t pc;
    uint32_t what, lanes; /* TABLE_WHAT */
    uint32_t word[TRACE_LANES];
} trace_slot;

/* In host memory; the GPU uses the same address. */
typedef struct trace_ring {
    uint64_t taken;     /* slots taken so far; written by the host */
    uint32_t is_closed; /* nobody empties it any more: requests without room are dropped */
    uint32_t reserved[13];
    trace_slot slots[TRACE_SLOTS];
} trace_ring;

/* In GPU memory. */
typedef struct trace_control {
    uint64_t ring;
    unsigned long long claimed; /* slots claimed so far */
    uint64_t seen;              /* an older value of ring->taken */
} trace_control;

/* The file is a head, then rows: trace_row, then `parts` times one word per lane of `lanes`, lowest
 * first. */
#define TRACE_FILE_MAGIC "SMPREQ\r\n"

enum { TRACE_FILE_VERSION = 1 };

typedef struct trace_file_head {
    char magic[8];
    uint32_t version;
    int32_t context;
} trace_file_head;

/* Rows that are not requests, by `parts`. */
enum {
    TRACE_MARK = 16, /* later rows belong to the context's epoch `pc` */
    TRACE_END,       /* complete except for `pc` slots that were claimed and not written */
};

typedef struct trace_row {
    uint64_t pc;
    uint32_t what, lanes, parts, reserved;
} trace_row;
