/* SPDX-License-Identifier: MIT */
/*
 * Findings: the first of each kind at each instruction is kept, with the thread; the rest counted.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "warp.h"

const char *smp_finding_kind_name(smp_finding_kind kind) {
    static const char *const names[SMP_FINDING_KINDS] = {
        "out of bounds",  "misaligned", "uninitialised", "barrier",        "endless",
        "not understood", "trap",       "assertion",     "order of blocks"};
    return kind < SMP_FINDING_KINDS ? names[kind] : "unknown";
}

static smp_finding *find(smp_emulation *out, smp_finding_kind kind, uint32_t instruction) {
    for (uint32_t i = 0; i < out->finding_count; i++)
        if (out->findings[i].kind == kind && out->findings[i].instruction == instruction)
            return &out->findings[i];
    if (out->finding_count == SMP_FINDINGS_MAX)
        return NULL;
    smp_finding *finding = &out->findings[out->finding_count++];
    *finding = (smp_finding){.kind = kind, .instruction = instruction};
    return finding;
}

void emu_found(emu_warp *warp, const uop *u, unsigned lane, smp_finding_kind kind, bool ends,
               const char *format, ...) {
    emu_worker *worker = warp->block->worker;
    emu_run *run = worker->run;
    pthread_mutex_lock(run->lock);
    smp_finding *finding = find(run->out, kind, (uint32_t)(u - run->program->uops));
    if (finding != NULL && finding->count++ == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(finding->message, sizeof(finding->message), format, arguments);
        va_end(arguments);
        finding->ends = ends;
        for (unsigned i = 0; i < 3; i++) {
            finding->block[i] = warp->block->at[i];
            finding->thread[i] = emu_special(warp, SPECIAL_TID_X + i, lane);
        }
    }
    pthread_mutex_unlock(run->lock);
    if (ends) {
        worker->is_stopped = true;
        __atomic_store_n(&run->is_stopped, true, __ATOMIC_RELAXED);
    }
}
