/* SPDX-License-Identifier: MIT */
/*
 * batch: predicts a stream of accesses, one per line or from a trace. It uses a few fixed buffers
 * whatever the input. It reports a bad line and continues.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ask.h"
#include "output.h"
#include "progress.h"
#include "say.h"
#include "smp_trace.h"
#include "stream.h"
#include "write_format.h"

enum { BLOCK_BYTES = 1 << 20 };
enum { MESSAGES_MAX = 20 }; /* the rest is only counted */

static const smp_option options[] = {OPTION_ARCH, OPTION_BANK_MODE, OUTPUT_OPTIONS};

static const option_words words[] = {{OPTION_ARCH, "sm_90, 9.0, hopper, GH100 ..."}, {0}};

typedef struct batch {
    smp_file file;
    output *out;
    smp_arch arch;
    const smp_batch_form *form;
    smp_trace_writer *trace; /* instead of rows */
    uint64_t last;           /* number of the last line or row read */
    uint64_t bad_lines;
    bool is_damaged; /* the input trace */
    char *rows;      /* BLOCK_BYTES of finished output */
    size_t row_bytes;
} batch;

/* ---- Out ---- */

static void flush_rows(batch *b) {
    (void)fwrite(b->rows, 1, b->row_bytes, b->out->stream);
    b->row_bytes = 0;
}

static smp_status put_row(batch *b, const smp_occurrence *seen, const smp_counts *counts,
                          smp_error *error) {
    if (b->trace)
        return smp_trace_put(b->trace, seen->access, error);
    char *at = b->rows + b->row_bytes;
    at = b->form->row(at, seen->index, seen->access, counts);
    b->row_bytes = (size_t)(at - b->rows);
    if (b->row_bytes <= BLOCK_BYTES - SMP_BATCH_ROW_MAX)
        return SMP_OK;
    flush_rows(b);
    return ferror(b->out->stream) ? smp_error_set(error, SMP_E_WRITE, -1, "the output") : SMP_OK;
}

/* ---- In ---- */

static smp_status take(void *user, const smp_occurrence *seen, smp_error *error) {
    batch *b = user;
    smp_counts counts;
    const smp_status status = smp_predict(&b->arch, seen->access, &counts);
    if (status != SMP_OK && status != SMP_E_NOT_MODELLED)
        return smp_access_check(&b->arch, seen->access, error);
    return put_row(b, seen, &counts, error);
}

/* Prints "FILE:LINE:COLUMN: what is wrong", and a row of its own if rows are JSON. */
static void wrong(void *user, uint64_t index, int column, const char *what) {
    batch *b = user;
    char message[4600];
    text_buffer text = TEXT_BUFFER(message);
    flush_rows(b);
    text_add(&text, "%s:", b->file.name);
    if (index > 0)
        text_add(&text, "%" PRIu64 ":", index);
    if (column > 0)
        text_add(&text, "%d:", column);
    text_add(&text, " %s", what);
    if (b->form == &smp_batch_jsonl) {
        const smp_error error = {.status = SMP_E_SYNTAX, .position = column - 1};
        failure_write(b->out->stream, message, &error, smp_status_exit(SMP_E_SYNTAX));
    }
    b->is_damaged |= index == 0;
    if (index == 0 || ++b->bad_lines <= MESSAGES_MAX)
        say_line("%s", message);
}

static bool goes_on(void *user) {
    (void)user;
    return progress_goes_on();
}

static smp_status interrupted(const batch *b, smp_error *error) {
    if (b->out->path)
        return smp_error_set(error, SMP_E_INTERRUPTED, -1,
                             "interrupted at line %" PRIu64 "; %.160s is not written", b->last,
                             b->out->path);
    return smp_error_set(error, SMP_E_INTERRUPTED, -1,
                         "interrupted at line %" PRIu64 "; the printed results are valid", b->last);
}

/* Adds the name of the file that could not be written. */
static smp_status name_output(const batch *b, smp_status status, smp_error *error) {
    const smp_error bare = *error;
    if (status != SMP_E_WRITE)
        return status;
    return smp_error_set(error, status, -1, "%.150s: %.100s",
                         b->out->path ? b->out->path : "standard output", bare.message);
}

/* If rows cannot be written, closing their file reports it. */
static smp_status take_all(batch *b, smp_error *error) {
    b->file.wrong = wrong;
    b->file.goes_on = goes_on;
    b->file.user = b;
    b->file.last = &b->last;
    smp_status status = smp_stream_file.visit(&b->file, take, b, error);
    flush_rows(b);
    if (!progress_goes_on())
        return interrupted(b, error);
    if (b->trace && status == SMP_OK)
        status = smp_trace_finish(b->trace, error);
    if (b->trace)
        return name_output(b, status, error);
    return status == SMP_E_WRITE ? SMP_OK : status;
}

/* ---- The command ---- */

static smp_status open_input(const arguments *args, batch *b, smp_error *error) {
    if (args->positional_count > 1)
        return usage_error(error, "batch reads one file, but %u were given",
                           args->positional_count);
    return smp_file_open(args->positional_count ? args->positional[0] : "-", &b->file, error);
}

static smp_status open_output(const arguments *args, batch *b, smp_error *error) {
    if (output_open(args, b->out, error))
        return error->status;
    b->form = smp_format_row_of(b->out->format)->batch;
    b->trace = b->form ? NULL : smp_trace_writer_new(b->out->stream);
    if (b->form || b->trace)
        return SMP_OK;
    (void)output_close(b->out, false, error);
    return smp_error_set(error, SMP_E_WRITE, -1, "the trace could not be started");
}

static smp_status prepare(const arguments *args, batch *b, smp_error *error) {
    b->rows = malloc(BLOCK_BYTES);
    if (!b->rows)
        return smp_error_memory(error);
    if (ask_one_arch(args, "batch needs one architecture", &b->arch, error) ||
        open_input(args, b, error) || open_output(args, b, error))
        return error->status;
    return SMP_OK;
}

static int run(const arguments *args) {
    output out;
    smp_error error;
    progress_line line;
    batch b = {.out = &out, .file.input = -1};
    smp_status status = prepare(args, &b, &error);
    if (status == SMP_OK) {
        if (b.form)
            fputs(b.form->header, out.stream);
        progress_begin(&line, NULL, 0);
        status = take_all(&b, &error);
        progress_end(&line);
        status = output_close_after(&out, status, &error);
    }
    smp_file_close(&b.file);
    smp_trace_writer_free(b.trace);
    free(b.rows);
    if (status != SMP_OK)
        return complain(&error);
    if (b.bad_lines > MESSAGES_MAX)
        say_line("%s: %" PRIu64 " more lines are wrong, of %" PRIu64, b.file.name,
                 b.bad_lines - MESSAGES_MAX, b.last);
    return b.bad_lines > 0 || b.is_damaged ? smp_status_exit(SMP_E_SYNTAX) : 0;
}

const command_row command_batch = {
    .name = "batch",
    .heading = "for research, tools and scripts",
    .summary = "predict many accesses, one per line, streaming",
    .usage = "[OPTIONS] [FILE|-]",
    COMMAND_OPTIONS(options),
    .formats = SMP_BATCH_FORMATS,
    .words = words,
    .run = run,
};
