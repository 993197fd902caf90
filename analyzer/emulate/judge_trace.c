/* SPDX-License-Identifier: MIT */
/*
 * Requests as rows of a trace. Workers take turns, so that rows of one warp keep their order.
 */
#include "judge_trace.h"

#include <pthread.h>

static smp_access access_of(const emu_site *site, uint32_t lanes, const uint32_t *offset,
                            const uint64_t *address) {
    smp_access access = {.op = site->op,
                         .width_bytes = site->width_bytes,
                         .active_mask = emu_active_mask(site, lanes)};
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        access.offset_bytes[l] = offset != NULL ? offset[l] : (uint32_t)address[l];
        access.address_bytes[l] = address != NULL ? address[l] : 0;
    }
    return access;
}

void emu_trace_put(emu_trace *trace, const emu_site *site, uint32_t lanes, const uint32_t *offset,
                   const uint64_t *address) {
    const bool is_known = site->op < SMP_OP_COUNT && !site->is_local;
    const smp_access access = access_of(site, lanes, offset, address);
    pthread_mutex_lock(trace->lock);
    if (!is_known)
        trace->left_out++;
    else if (trace->status == SMP_OK &&
             (trace->status = smp_trace_put(trace->writer, &access, &trace->error)) == SMP_OK)
        trace->rows++;
    pthread_mutex_unlock(trace->lock);
}
