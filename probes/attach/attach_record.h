/* SPDX-License-Identifier: MIT */
/*
 * attach_record.h: the bytes of the file of attach_dump.h, and what writes them. Numbers are as the
 * machine has them. First a page, struct attach_head, which the writer keeps mapped; then
 * records: struct attach_record_head, payload, zeros up to a multiple of 8. Indices (contexts,
 * modules, functions) count the records of that kind from 0.
 */
#ifndef SMP_ATTACH_RECORD_H
#define SMP_ATTACH_RECORD_H

#include "attach_dump.h"

#define ATTACH_MAGIC "SMPATT\r\n"

enum {
    ATTACH_VERSION = 5,
    ATTACH_BYTE_ORDER = 0x01020304,
    ATTACH_HEAD_BYTES = 4096,
    ATTACH_NAME_BYTES = 2048,
    ATTACH_RECORD_MAGIC = 0x52504d53,
};

typedef struct attach_head {
    char magic[8];
    uint32_t version, byte_order;
    uint32_t site_bytes, request_bytes; /* of the structs, so that no other layout is misread */
    uint64_t process;
    uint64_t launches;
    uint32_t ended, reserved;
    char last_kernel[ATTACH_NAME_BYTES]; /* cut off if longer; always ends in NUL */
} attach_head;

typedef enum attach_record_kind {
    ATTACH_TEXT = 1, /* attach_text, string */
    ATTACH_CONTEXT,  /* attach_context_record, device name */
    ATTACH_MODULE,   /* attach_module_record, cubin (may be empty) */
    ATTACH_FUNCTION, /* attach_function_record, name */
    ATTACH_SNAPSHOT, /* attach_snapshot, sites, requests, states */
    ATTACH_TIME,     /* attach_time, the kernel's name */
    ATTACH_CALLER,   /* attach_caller, a file of a program that an interpreter runs */
    ATTACH_RECORD_KINDS
} attach_record_kind;

typedef struct attach_record_head {
    uint32_t magic, kind;
    uint64_t bytes; /* of the payload */
} attach_record_head;

typedef enum attach_text_kind {
    ATTACH_COMMAND,
    ATTACH_HOST,
    ATTACH_DATE,
    ATTACH_DRIVER,
    ATTACH_NOTE,
    ATTACH_TRACE, /* a file of attach_trace.h */
    ATTACH_TEXT_KINDS
} attach_text_kind;

typedef struct attach_text {
    uint32_t kind, reserved;
} attach_text;

typedef struct attach_context_record {
    uint32_t cc_major, cc_minor, multiprocessors, reserved_bytes, clock_khz, reserved;
} attach_context_record;

typedef struct attach_module_record {
    int32_t context;
    uint32_t reserved;
} attach_module_record;

typedef struct attach_function_record {
    int32_t module;
    uint32_t is_kernel;
    uint64_t pc, code_bytes;
    uint32_t epoch, reserved;
} attach_function_record;

/* Of one function, in one context. */
typedef struct attach_state {
    int32_t function;
    uint32_t shared_bytes;
    uint64_t launches, launches_skipped;
    uint32_t grid[3], block[3], cluster[3], reserved;
    uint64_t blocks, rounds; /* of all launches */
} attach_state;

typedef struct attach_snapshot {
    int32_t context;
    uint32_t epoch;    /* counts up where the GPU's tables were emptied */
    uint64_t launches; /* of this context, from its beginning, that are wholly in this epoch or
                          an earlier one */
    uint64_t sites_lost;
    uint32_t site_count, request_count, state_count, reserved;
} attach_snapshot;

/* Of all launches of the kernels of one name, with so many registers a thread, in such blocks. */
typedef struct attach_time {
    uint64_t launches, nanoseconds;
    uint32_t registers, block[3];
} attach_time;

/* The line that launched a kernel. */
typedef struct attach_caller {
    int32_t function;
    uint32_t line;
} attach_caller;

enum { ATTACH_PLACES = 16 };

/* Where a snapshot stands in the file; bytes 0: nowhere. */
typedef struct attach_snapshot_place {
    int32_t context;
    uint32_t epoch;
    uint64_t at, bytes;
} attach_snapshot_place;

typedef struct attach_writer {
    int file; /* -1: closed */
    attach_head *head;
    bool failed; /* a write failed: nothing more is written */
    uint64_t end;
    attach_snapshot_place last[ATTACH_PLACES]; /* by context, modulo the size */
} attach_writer;

typedef struct attach_piece {
    const void *bytes;
    size_t count;
} attach_piece;

enum { ATTACH_PIECES_MAX = 5 };

/* Creates `path`, or if that is there `path`.1 and so on, and writes which one into `name` of
 * `size` bytes. -1: errno says why. */
int attach_create_new(const char *path, char *name, size_t size);
/* Creates the file: `path`, or if that is there `path`.1 and so on. False: errno says why. */
bool attach_writer_open(attach_writer *writer, const char *path);
/* Appends a record made of these pieces. Not thread-safe. False once anything has failed. */
bool attach_write(attach_writer *writer, attach_record_kind kind, const attach_piece *pieces,
                  size_t piece_count);
bool attach_write_text(attach_writer *writer, attach_text_kind kind, const char *text);
/* Appends a snapshot; of the one before of the same context and epoch, the disk space is given back
 * where the file system can. */
bool attach_write_snapshot(attach_writer *writer, const attach_snapshot *head,
                           const smp_attach_site *sites, const smp_attach_request *requests,
                           const attach_state *states);
void attach_writer_close(attach_writer *writer);

#endif
