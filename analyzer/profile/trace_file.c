/* SPDX-License-Identifier: MIT */
/*
 * A trace as a file that appears whole or not at all.
 */
#include "trace_file.h"

#include <inttypes.h>
#include <string.h>

#include "profile_trace.h"

smp_status trace_file_open(const char *path, bool overwrites, const note_sink *notes,
                           trace_file *out, smp_error *error) {
    *out = (trace_file){.notes = notes};
    if (!path)
        return SMP_OK;
    smp_status status = new_file_open(&out->file, path, overwrites, error);
    if (status != SMP_OK)
        return status;
    out->writer = smp_trace_writer_new(out->file.stream);
    if (out->writer)
        return SMP_OK;
    (void)new_file_close(&out->file, false, error);
    return smp_error_memory(error);
}

static void say_loss(const trace_file *file, const smp_trace_loss *loss) {
    if (loss->offset != UINT64_MAX)
        note_add(file->notes,
                 "%s: the program ended before its trace; behind access %" PRIu64
                 " something is missing",
                 file->file.path, file->rows);
}

static smp_status take_rows(trace_file *file, smp_trace_reader *reader, smp_error *error) {
    for (;;) {
        smp_trace_block block;
        smp_trace_loss loss;
        smp_access access;
        smp_status status = smp_trace_next(reader, &block, &loss, error);
        if (status != SMP_OK)
            return status;
        say_loss(file, &loss);
        if (block.rows == 0)
            return SMP_OK;
        for (uint32_t i = 0; i < block.rows && status == SMP_OK; i++, file->rows++) {
            smp_trace_access(&block, i, &access);
            status = smp_trace_put(file->writer, &access, error);
        }
        if (status != SMP_OK)
            return status;
    }
}

smp_status trace_file_take(trace_file *file, const char *path, smp_error *error) {
    smp_trace_reader *reader = NULL;
    FILE *in = fopen(path, "rb");
    if (!in)
        return smp_error_set(error, SMP_E_READ, -1, "%.160s cannot be read", path);
    smp_status status = smp_trace_open(in, &reader, error);
    if (status == SMP_OK)
        status = take_rows(file, reader, error);
    smp_trace_reader_free(reader);
    (void)fclose(in);
    return status;
}

smp_status trace_file_take_process(trace_file *file, const smp_instrument_dump *dump,
                                   const smp_op *ops, smp_error *error) {
    smp_traced traced;
    smp_status status = smp_profile_trace(dump, ops, file->writer, &traced, error);
    file->rows += traced.rows;
    file->left_out += traced.left_out;
    if (status == SMP_OK && traced.is_cut)
        say_loss(file, &(smp_trace_loss){.is_cut = true});
    if (status == SMP_OK && traced.not_kept > 0)
        note_add(file->notes, "%s: %" PRIu64 " accesses of process %" PRIu64 " were not kept",
                 file->file.path, traced.not_kept, dump->process);
    return status;
}

smp_status trace_file_close(trace_file *file, bool keep, smp_error *error) {
    smp_error closing;
    smp_status status = SMP_OK;
    if (!file->writer)
        return SMP_OK;
    if (keep && smp_trace_finish(file->writer, &closing) != SMP_OK)
        status = smp_error_set(error, SMP_E_WRITE, -1, "%.150s: %.100s", file->file.path,
                               closing.message);
    smp_trace_writer_free(file->writer);
    file->writer = NULL;
    const smp_status closed = new_file_close(&file->file, keep && status == SMP_OK, &closing);
    if (status == SMP_OK && closed != SMP_OK) {
        *error = closing;
        status = closed;
    }
    if (status != SMP_OK || !keep)
        return status;
    if (file->left_out > 0)
        note_add(file->notes,
                 "%" PRIu64 " accesses in %s; %" PRIu64
                 " are not in it: local memory, or instructions without an operation of a trace",
                 file->rows, file->file.path, file->left_out);
    else
        note_add(file->notes, "%" PRIu64 " accesses in %s", file->rows, file->file.path);
    return SMP_OK;
}
