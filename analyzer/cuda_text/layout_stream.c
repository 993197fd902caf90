/* SPDX-License-Identifier: MIT */
/*
 * Layouts as a source of accesses.
 */
#include "layout.h"

static smp_status visit_layout(const void *from, smp_visit_fn visit, void *user, smp_error *error) {
    const smp_layout_stream *stream = from;
    for (size_t i = 0; i < smp_layout_access_count(stream->layout); i++) {
        const smp_status status =
            smp_layout_visit(stream->layout, i, visit, user, stream->line, error);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

const smp_stream smp_stream_layout = {"layout", visit_layout};
