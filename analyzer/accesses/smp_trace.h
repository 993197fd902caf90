/* SPDX-License-Identifier: MIT */
/*
 * Accesses in a binary file (.smptrace): compressed columns, in blocks that can be
 * read independently.
 *
 * - header: a skippable frame of zstd (magic 184D2A50) of 16 bytes: "smptrace", the version (32
 *   bits), 0
 * - block: a skippable frame (184D2A51) of 16 bytes: "smpblock", packed and plain size (32 bits
 *   each); then a frame of zstd with checksum and that packed size. Its content:
 *   - first row (64 bits), rows, shapes (32 each), lists, bytes, shift, 0 (8 each), 0 (32)
 *   - op (8) of each row, width (8) of each row, mask (32) of each row
 *   - of each list: base (64) of each row, then shape (32) of each row
 *   - the shapes: the lowest byte of all their lanes, then the next, `bytes` in all
 * - end: a skippable frame (184D2A52) of 16 bytes: "smptrend", the number of rows (64)
 *
 * All numbers are little-endian. Lane l of a row is at base + (number l of its shape << shift);
 * numbers of inactive lanes are not stored. A copy has two lists, the second for its source; a
 * block has two lists if one of its rows does. Global operations have their addresses in the first
 * list.
 */
#pragma once

#include <stdio.h>

#include "smp_model.h"

SMP_API_BEGIN

enum { SMP_TRACE_VERSION = 1, SMP_TRACE_BLOCK_ROWS = 4096, SMP_TRACE_ROWS_MAX = 1 << 16 };

typedef struct smp_trace_writer smp_trace_writer;

/* Writes to `out`, which the caller keeps open until smp_trace_finish. NULL if out of memory or
 * writing failed. */
smp_trace_writer *smp_trace_writer_new(FILE *out);
/* Adds one access as a row. After SMP_E_WRITE or SMP_E_MEMORY nothing more may be put. */
smp_status smp_trace_put(smp_trace_writer *writer, const smp_access *access, smp_error *error);
/* Puts rows first .. first + count - 1, up to the first that is not an access: *bad_row (may be
 * NULL) is that row, and *error the error of smp_many_access. */
smp_status smp_trace_put_many(smp_trace_writer *writer, const smp_many *many, size_t first,
                              size_t count, size_t *bad_row, smp_error *error);
/* Writes the remaining rows and the end; `out` stays open. SMP_E_WRITE. */
smp_status smp_trace_finish(smp_trace_writer *writer, smp_error *error);
/* `writer` may be NULL. */
void smp_trace_writer_free(smp_trace_writer *writer);

/* Rows of a block: pointers into the reader, valid until the next call. */
typedef struct smp_trace_block {
    uint64_t first_row; /* from 0 */
    uint32_t rows;
    smp_many many; /* for smp_predict_many. Lanes have 32 bits if all of the block fit, otherwise
                      64; see `number` */
} smp_trace_block;

/* What is missing before a block, or at the end. */
typedef struct smp_trace_loss {
    uint64_t rows;      /* missing rows, if known */
    uint64_t first_row; /* first missing row */
    uint64_t offset;    /* first damaged byte of the file */
    bool is_cut;        /* the end frame is missing */
} smp_trace_loss;

typedef struct smp_trace_reader smp_trace_reader;

/* True if a file that begins with these bytes is a trace; 16 are enough. */
bool smp_trace_is_one(const void *bytes, size_t size);
/* Reads from the start of `in`, which may be a pipe. SMP_E_SYNTAX: not a trace, or a newer version.
 */
smp_status smp_trace_open(FILE *in, smp_trace_reader **out, smp_error *error);
/* Reads the next readable block; rows 0 marks the end. loss->offset is UINT64_MAX if nothing is
 * missing before it. SMP_E_MEMORY, SMP_E_READ. */
smp_status smp_trace_next(smp_trace_reader *reader, smp_trace_block *out, smp_trace_loss *loss,
                          smp_error *error);
/* `reader` may be NULL. Its blocks go with it. */
void smp_trace_reader_free(smp_trace_reader *reader);

/* Row `row` of a block, from 0 and below block->rows, as an access. */
void smp_trace_access(const smp_trace_block *block, uint32_t row, smp_access *out);

SMP_API_END
