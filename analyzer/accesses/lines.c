/* SPDX-License-Identifier: MIT */
/* Reads accesses from a text in the batch format with a fixed buffer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_stream.h"
#include "text_file.h"

enum { BLOCK_BYTES = 1 << 20, LINE_MAX_BYTES = 1 << 16 };

typedef struct line_reading {
    file_reading *file;
    char *block; /* BLOCK_BYTES + LINE_MAX_BYTES: the start of a line, then a block */
    smp_status status;
    smp_error *error;
} line_reading;

/* ---- One line ---- */

static void wrong(line_reading *r, int position, const char *what) {
    r->status = file_wrong(r->file, r->file->index, position + 1, what, r->error);
}

static void long_line(line_reading *r) {
    wrong(r, LINE_MAX_BYTES, "the line is longer than 65536 bytes");
}

/* The column of the wrong number in a valid line: that of lane `lane`, after the colon if it is the
 * source of a copy; 0 if no lane is wrong. */
static int fault_column(const char *line, size_t length, const smp_access *access, int lane) {
    const char *at = line, *end = line + length, *colon = memchr(line, ':', length);
    int first = 3;
    if (lane >= 0 && smp_ops(NULL)[access->op].space == SMP_SPACE_COPY && colon &&
        access->address_bytes[lane] % access->width_bytes != 0 &&
        access->offset_bytes[lane] % access->width_bytes == 0) {
        at = colon + 1;
        first = 0;
    }
    for (int word = 0; lane >= 0; word++) {
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (at == end)
            return 0;
        if (word == lane + first)
            return (int)(at - line);
        while (at < end && *at != ' ' && *at != '\t')
            at++;
    }
    return 0;
}

static void take_line(line_reading *r, const char *line, size_t length) {
    smp_access access;
    smp_error error;
    bool is_empty;
    const size_t mark = ++r->file->index == 1 ? smp_text_mark(line, length) : 0;
    line += mark;
    length -= mark;
    if (length > LINE_MAX_BYTES) {
        long_line(r);
        return;
    }
    if (smp_batch_parse(line, length, &access, &is_empty, &error) != SMP_OK) {
        wrong(r, error.position, error.message);
        return;
    }
    if (is_empty)
        return;
    const smp_occurrence seen = {.access = &access, .times = 1, .index = r->file->index};
    const smp_status status = r->file->visit(r->file->user, &seen, &error);
    if (file_is_over(status)) {
        r->status = status;
        *r->error = error;
    } else if (status != SMP_OK) {
        wrong(r, fault_column(line, length, &access, error.position), error.message);
    }
}

/* ---- All of them ---- */

/* Takes all complete lines of a text and returns the size of the incomplete last one. */
static size_t take_lines(line_reading *r, const char *text, size_t length) {
    const char *at = text, *end = text + length;
    while (r->status == SMP_OK) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return (size_t)(end - at);
        take_line(r, at, (size_t)(newline - at));
        at = newline + 1;
    }
    return 0;
}

/* Reads a block after the `kept` bytes of an incomplete line; 0 at the end or on failure. */
static size_t read_block(line_reading *r, size_t kept) {
    const smp_file *from = r->file->from;
    for (;;) {
        ssize_t got = file_waits(from) ? read(from->input, r->block + kept, BLOCK_BYTES) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            r->status =
                smp_error_set(r->error, SMP_E_READ, -1, "%.200s: %s", from->name, strerror(errno));
        else if (got == 0)
            r->status = file_goes_on(from, r->error);
        return r->status == SMP_OK ? (size_t)got : 0;
    }
}

/* Skips the rest of an incomplete line that is too long. Returns the size kept of the next line,
 * which may be too long as well. */
static size_t skip_line(line_reading *r) {
    r->file->index++;
    long_line(r);
    while (r->status == SMP_OK) {
        size_t got = read_block(r, 0);
        if (got == 0)
            return 0;
        const char *newline = memchr(r->block, '\n', got);
        if (!newline)
            continue;
        size_t rest = got - (size_t)(newline + 1 - r->block);
        memmove(r->block, newline + 1, rest);
        size_t kept = take_lines(r, r->block, rest);
        memmove(r->block, r->block + rest - kept, kept);
        return kept;
    }
    return 0;
}

static smp_status read_all(line_reading *r, size_t kept) {
    while (r->status == SMP_OK) {
        const size_t got = read_block(r, kept), length = kept + got;
        if (got == 0)
            break;
        kept = take_lines(r, r->block, length);
        memmove(r->block, r->block + length - kept, kept);
        while (kept > LINE_MAX_BYTES)
            kept = skip_line(r);
    }
    if (kept > 0 && r->status == SMP_OK)
        take_line(r, r->block, kept);
    return r->status;
}

smp_status file_visit_lines(file_reading *file, const char *head, size_t head_bytes,
                            smp_error *error) {
    line_reading r = {.file = file, .block = malloc(BLOCK_BYTES + LINE_MAX_BYTES), .error = error};
    if (!r.block)
        return smp_error_memory(error);
    memcpy(r.block, head, head_bytes);
    const smp_status status = read_all(&r, take_lines(&r, r.block, head_bytes));
    free(r.block);
    return status;
}
