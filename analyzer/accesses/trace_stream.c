/* SPDX-License-Identifier: MIT */
/*
 * The accesses of a trace, row by row; what is damaged is told and passed over.
 */
#include <inttypes.h>

#include "file_stream.h"
#include "smp_trace.h"
#include "text_buffer.h"

static smp_status tell_loss(const file_reading *r, const smp_trace_loss *loss, smp_error *error) {
    char text[160];
    text_buffer out = text_buffer_over(text, sizeof text);
    if (loss->offset == UINT64_MAX)
        return SMP_OK;
    text_add(&out, "damaged at byte %" PRIu64, loss->offset);
    if (loss->rows > 0)
        text_add(&out, ": rows %" PRIu64 " to %" PRIu64 " are missing", loss->first_row + 1,
                 loss->first_row + loss->rows);
    if (loss->is_cut)
        text_add(&out, "; the file ends before its end");
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
