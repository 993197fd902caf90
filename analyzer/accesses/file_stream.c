/* SPDX-License-Identifier: MIT */
/* Accesses of a file: lines of the batch format or a trace, depending on its first byte. */
#include "file_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "text_buffer.h"
#include "text_file.h"

/* No line of text begins with this byte. */
enum { TRACE_BYTE = 0x50 };

/* Columnar files, by the same name endings as in the Python package. */
static bool is_columnar(const char *path) {
    return smp_name_ends(path, ".parquet") || smp_name_ends(path, ".arrow") ||
           smp_name_ends(path, ".feather");
}

smp_status smp_file_open(const char *path, smp_file *out, smp_error *error) {
    const bool is_stdin = strcmp(path, "-") == 0;
    if (is_columnar(path))
        return smp_error_set(error, SMP_E_READ, -1,
                             "%.100s: Parquet and Arrow are read by smemprobe's Python package: "
                             "pip install smemprobe pyarrow; python -m smemprobe batch FILE",
                             path);
    *out = (smp_file){.name = is_stdin ? "<stdin>" : path,
                      .input = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)};
    if (out->input >= 0)
        return SMP_OK;
    return smp_error_set(error, SMP_E_READ, -1, "%.200s: %s", path, strerror(errno));
}

void smp_file_close(const smp_file *file) {
    if (file->input > STDIN_FILENO)
        (void)close(file->input);
}

static smp_status visit_trace(file_reading *r, smp_error *error) {
    const int copy = dup(r->from->input);
    FILE *in = copy >= 0 ? fdopen(copy, "rb") : NULL;
    if (!in) {
        const int why = errno;
        if (copy >= 0)
            (void)close(copy);
        return smp_error_set(error, SMP_E_READ, -1, "%.200s: %s", r->from->name, strerror(why));
    }
    (void)ungetc(TRACE_BYTE, in);
    const smp_status status = file_visit_trace(r, in, error);
    (void)fclose(in);
    return status;
}

static smp_status visit_file(const void *from, smp_visit_fn visit, void *user, smp_error *error) {
    file_reading r = {.from = from, .visit = visit, .user = user};
    char first;
    ssize_t got = -1;
    do
        got = file_waits(r.from) ? read(r.from->input, &first, 1) : 0;
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return smp_error_set(error, SMP_E_READ, -1, "%.200s: %s", r.from->name, strerror(errno));
    if (got == 0 && smp_name_ends(r.from->name, ".smptrace"))
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "%.200s: the file is empty; even a trace without accesses is not",
                             r.from->name);
    smp_status status = got == 1 && first == TRACE_BYTE
                            ? visit_trace(&r, error)
                            : file_visit_lines(&r, &first, (size_t)got, error);
    if (r.from->last)
        *r.from->last = r.index;
    return status;
}

const smp_stream smp_stream_file = {"file", visit_file};

/* ---- Traces, row by row; damage is reported and skipped ---- */

static smp_status tell_loss(const file_reading *r, const smp_trace_loss *loss, smp_error *error) {
    char text[160];
    text_buffer out = TEXT_BUFFER(text);
    if (loss->offset == UINT64_MAX)
        return SMP_OK;
    text_add(&out, "damaged at byte %" PRIu64, loss->offset);
    if (loss->rows > 0)
        text_add(&out, ": rows %" PRIu64 " to %" PRIu64 " are missing", loss->first_row + 1,
                 loss->first_row + loss->rows);
    if (loss->is_cut)
        text_add(&out, "; the file is truncated");
    return file_wrong(r, 0, 0, text, error);
}

static smp_status show_rows(file_reading *r, const smp_trace_block *block, smp_error *error) {
    for (uint32_t i = 0; i < block->rows; i++) {
        smp_access access;
        smp_error why;
        r->index = block->first_row + i + 1;
        smp_trace_access(block, i, &access);
        const smp_occurrence seen = {.access = &access, .times = 1, .index = r->index};
        smp_status status = r->visit(r->user, &seen, &why);
        if (file_is_over(status))
            *error = why;
        else if (status != SMP_OK)
            status = file_wrong(r, r->index, 0, why.message, error);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

static smp_status show_blocks(file_reading *r, smp_trace_reader *reader, smp_error *error) {
    for (;;) {
        smp_trace_block block;
        smp_trace_loss loss;
        smp_status status = smp_trace_next(reader, &block, &loss, error);
        if (status == SMP_OK)
            status = tell_loss(r, &loss, error);
        if (status == SMP_OK)
            status = file_goes_on(r->from, error);
        if (status == SMP_OK)
            status = show_rows(r, &block, error);
        if (status != SMP_OK || block.rows == 0)
            return status;
    }
}

smp_status file_visit_trace(file_reading *r, FILE *in, smp_error *error) {
    smp_trace_reader *reader;
    smp_error bare;
    smp_status status = smp_trace_open(in, &reader, &bare);
    if (status != SMP_OK)
        return smp_error_set(error, status, -1, "%.80s: %.160s", r->from->name, bare.message);
    status = show_blocks(r, reader, error);
    smp_trace_reader_free(reader);
    return status;
}
