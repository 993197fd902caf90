/* SPDX-License-Identifier: MIT */
/*
 * The format of the file of instrument_dump.h, and its writer. Numbers are in the machine's byte
 * order. The first page is struct instrument_head, which the writer keeps mapped. Records follow:
 * struct instrument_record_head, payload, zeros up to a multiple of 8. Indices (contexts, modules,
 * functions) count the records of a kind from 0.
 */
#pragma once

#include "instrument_dump.h"

#define INSTRUMENT_MAGIC "SMPATT\r\n"

enum {
    INSTRUMENT_VERSION = 9,
    INSTRUMENT_BYTE_ORDER = 0x01020304,
    INSTRUMENT_HEAD_BYTES = 4096,
    INSTRUMENT_NAME_BYTES = 2048,
    INSTRUMENT_RECORD_MAGIC = 0x52504d53,
};

typedef struct instrument_head {
    char magic[8];
    uint32_t version, byte_order;
    /* size of the structs, so that another layout is not misread */
    uint32_t site_bytes, request_bytes;
    uint64_t process;
    uint64_t launches;
    /* spent_ms: time spent on observation, with SMP_INSTRUMENT_OVERHEAD */
    uint32_t ended, spent_ms;
    char last_kernel[INSTRUMENT_NAME_BYTES]; /* truncated if longer; always ends in NUL */
} instrument_head;

typedef enum instrument_record_kind {
    INSTRUMENT_TEXT = 1, /* instrument_text, string */
    INSTRUMENT_CONTEXT,  /* instrument_context_record, device name */
    INSTRUMENT_MODULE,   /* instrument_module_record, cubin (may be empty) */
    INSTRUMENT_FUNCTION, /* instrument_function_record, name */
    INSTRUMENT_SNAPSHOT, /* instrument_snapshot, sites, requests, states */
    INSTRUMENT_TIME,     /* instrument_time, the kernel's name */
    INSTRUMENT_CALLER,   /* instrument_caller, a file of a program that an interpreter runs */
    INSTRUMENT_RANGE,    /* instrument_range, a path of NVTX ranges */
    INSTRUMENT_RECORD_KINDS
} instrument_record_kind;

typedef struct instrument_record_head {
    uint32_t magic, kind;
    uint64_t bytes; /* bytes of the payload */
} instrument_record_head;

typedef enum instrument_text_kind {
    INSTRUMENT_COMMAND,
    INSTRUMENT_HOST,
    INSTRUMENT_DATE,
    INSTRUMENT_DRIVER,
    INSTRUMENT_NOTE,
    INSTRUMENT_TRACE, /* path of a file of instrument_trace.h */
    INSTRUMENT_TEXT_KINDS
} instrument_text_kind;

typedef struct instrument_text {
    uint32_t kind, reserved;
} instrument_text;

typedef struct instrument_context_record {
    uint32_t cc_major, cc_minor, multiprocessors, reserved_bytes, clock_khz, reserved;
} instrument_context_record;

typedef struct instrument_module_record {
    int32_t context;
    uint32_t reserved;
} instrument_module_record;

typedef struct instrument_function_record {
    int32_t module;
    uint32_t is_kernel;
    uint64_t pc, code_bytes;
    uint32_t epoch, reserved;
} instrument_function_record;

typedef struct instrument_snapshot {
    int32_t context;
    uint32_t epoch;    /* incremented each time the GPU's table is cleared */
    uint64_t launches; /* all launches of this context that are complete in this epoch or an earlier
                          one */
    uint64_t sites_lost;
    uint32_t site_count, request_count, state_count, reserved;
} instrument_snapshot;

/* All launches of kernels with one name, number of registers per thread and block size. */
typedef struct instrument_time {
    uint64_t launches, nanoseconds;
    uint32_t registers, block[3];
} instrument_time;

/* A line that launched a kernel. */
typedef struct instrument_caller {
    int32_t function;
    uint32_t line;
} instrument_caller;

/* NVTX ranges in which a kernel is launched. */
typedef struct instrument_range {
    int32_t function;
    uint32_t reserved;
} instrument_range;

enum { INSTRUMENT_PLACES = 16 };

/* A snapshot's place in the file; bytes 0 if none. */
typedef struct instrument_snapshot_place {
    int32_t context;
    uint32_t epoch;
    uint64_t at, bytes;
} instrument_snapshot_place;

typedef struct instrument_writer {
    int file; /* -1: closed */
    instrument_head *head;
    bool failed; /* a write failed: nothing more will be written */
    uint64_t end;
    instrument_snapshot_place last[INSTRUMENT_PLACES]; /* by context, modulo the size */
} instrument_writer;

typedef struct instrument_piece {
    const void *bytes;
    size_t count;
} instrument_piece;

enum { INSTRUMENT_PIECES_MAX = 5 };

/* Creates `path`, or `path`.1 and so on if that exists, and stores the name used in `name` of
 * `size` bytes. Returns -1 on failure; errno says why. */
int instrument_create_new(const char *path, char *name, size_t size);
/* Creates the file `path`, or `path`.1 and so on if that exists. False on failure; errno says why.
 */
bool instrument_writer_open(instrument_writer *writer, const char *path);
/* Appends a record made of these pieces. Not thread-safe. False once any write has failed. */
bool instrument_write(instrument_writer *writer, instrument_record_kind kind,
                      const instrument_piece *pieces, size_t piece_count);
bool instrument_write_text(instrument_writer *writer, instrument_text_kind kind, const char *text);
/* Appends a snapshot, and frees the disk space of the previous one of the same context and epoch if
 * the file system can. */
bool instrument_write_snapshot(instrument_writer *writer, const instrument_snapshot *head,
                               const smp_instrument_site *sites,
                               const smp_instrument_request *requests,
                               const smp_instrument_state *states);
void instrument_writer_close(instrument_writer *writer);
