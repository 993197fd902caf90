/* SPDX-License-Identifier: MIT */
/*
 * instrument_trace.h: every request of a program, on its way out of the GPU. The patch for traces
 * writes each into a ring of slots in the host's memory, where it waits while the ring is full; a
 * thread of the library takes them out and appends them to a file, which the command makes a trace
 * of when the program has ended.
 */
#pragma once

#include <stdint.h>

enum {
    TRACE_SLOTS = 1 << 16, /* of a context: 9.5 MiB */
    TRACE_LANES = 32,
    TRACE_PARTS_MAX = 3,
};

/* A request has one to three, one behind the other: offsets in 32 bits; or addresses, their low and
 * their high halves; or of a copy its target's offsets, then its source's addresses. */
typedef struct trace_slot {
    uint32_t turn;  /* how often the ring was used up to here, from 1; written last; first part */
    uint32_t parts; /* first part */
    uint64_t pc;
    uint32_t what, lanes; /* TABLE_WHAT */
    uint32_t word[TRACE_LANES];
} trace_slot;

/* In the host's memory; the GPU has it at the same address. */
typedef struct trace_ring {
    uint64_t taken;     /* slots, from the beginning; written by the host */
    uint32_t is_closed; /* nobody takes any more: what finds no room is not kept */
    uint32_t reserved[13];
    trace_slot slots[TRACE_SLOTS];
} trace_ring;

/* In the GPU's memory. */
typedef struct trace_control {
    uint64_t ring;
    unsigned long long claimed; /* slots, from the beginning */
    uint64_t seen;              /* an older value of ring->taken */
} trace_control;

/* The file: a head, then rows: trace_row, then `parts` times a word of each lane of `lanes`, lowest
 * first. */
#define TRACE_FILE_MAGIC "SMPREQ\r\n"

enum { TRACE_FILE_VERSION = 1 };

typedef struct trace_file_head {
    char magic[8];
    uint32_t version;
    int32_t context;
} trace_file_head;

/* Rows that are no requests, by `parts`. */
enum {
    TRACE_MARK = 16, /* what comes is of the context's epoch `pc` */
    TRACE_END,       /* all is there but for `pc` slots, which were claimed and not written */
};

typedef struct trace_row {
    uint64_t pc;
    uint32_t what, lanes, parts, reserved;
} trace_row;
