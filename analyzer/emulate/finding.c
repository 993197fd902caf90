/* SPDX-License-Identifier: MIT */
/*
 * Findings: for each kind and instruction the first is kept, with its thread; the rest are counted.
 * After the launch they go into its profile.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "profile_rank.h"

/* ---- In the launch ---- */

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

static void describe(smp_finding *finding, emu_warp *warp, unsigned lane, emu_target target) {
    for (unsigned i = 0; i < 3; i++) {
        finding->block[i] = warp->block->at[i];
        finding->thread[i] = emu_special(warp, SPECIAL_TID_X + i, lane);
    }
    finding->has_address = target.how == FOUND_THERE;
    finding->is_shared = target.is_shared;
    finding->address = target.address;
    if (target.array)
        (void)snprintf(finding->array, sizeof(finding->array), "%.95s", target.array->name);
}

void emu_found_at(emu_warp *warp, const uop *u, unsigned lane, smp_finding_kind kind,
                  emu_target target, const char *format, ...) {
    emu_worker *worker = warp->block->worker;
    emu_run *run = worker->run;
    const bool is_note = target.how == FOUND_NOTE;
    const bool ends = !is_note && kind != SMP_FINDING_UNINITIALISED && kind != SMP_FINDING_ORDER;
    pthread_mutex_lock(run->lock);
    smp_finding *finding = find(run->out, kind, (uint32_t)(u - run->program->uops));
    run->out->findings_lost += !finding;
    if (finding && finding->count++ == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(finding->message, sizeof(finding->message), format, arguments);
        va_end(arguments);
        finding->ends = ends;
        finding->is_note = is_note;
        describe(finding, warp, lane, target);
    }
    pthread_mutex_unlock(run->lock);
    if (ends) {
        worker->is_stopped = true;
        __atomic_store_n(&run->is_stopped, true, __ATOMIC_RELAXED);
    }
}

void emu_found_missing(emu_warp *warp, const uop *u, smp_finding_kind kind, const char *missing) {
    emu_run *run = warp->block->worker->run;
    pthread_mutex_lock(run->lock);
    smp_finding *finding = find(run->out, kind, (uint32_t)(u - run->program->uops));
    if (finding && finding->missing[0] == '\0')
        (void)snprintf(finding->missing, sizeof finding->missing, "%s", missing);
    pthread_mutex_unlock(run->lock);
}

/* ---- In the profile ---- */

static char *copy(const char *text) {
    return text && text[0] != '\0' ? strdup(text) : NULL;
}

static bool set_other(const smp_function *function, const smp_finding *from,
                      smp_finding_place *out) {
    const smp_finding_place *there = from->other_place;
    if (!there)
        return smp_emu_place(function, from->other_instruction, out);
    *out = *there;
    out->file = copy(there->file);
    out->instruction = copy(there->instruction);
    return out->instruction;
}

static bool fill(const smp_function *function, const smp_finding *from,
                 const smp_kernel_profile *kernel, smp_profile_finding *out) {
    const uint32_t part = smp_function_part(function, from->instruction);
    const smp_function *own = part > 0 ? function->parts[part].function : function;
    const smp_shared_array *shared = smp_kernel_array_at(kernel, from->address);
    out->kind = from->kind;
    out->message = strdup(from->message);
    out->kernel = strdup(own->name);
    out->count = from->count;
    out->has_address = from->has_address && from->address <= INT64_MAX;
    out->address = out->has_address ? from->address : 0;
    out->array = copy(!from->is_shared ? from->array : shared ? shared->name : NULL);
    memcpy(out->at.block, from->block, sizeof(from->block));
    memcpy(out->at.thread, from->thread, sizeof(from->thread));
    out->is_note = from->is_note;
    out->has_other = from->has_other;
    out->missing = copy(from->missing);
    memcpy(out->other.block, from->other_block, sizeof(from->other_block));
    memcpy(out->other.thread, from->other_thread, sizeof(from->other_thread));
    return smp_emu_place(function, from->instruction, &out->at) &&
           (!from->has_other || set_other(function, from, &out->other)) && out->message &&
           out->kernel;
}

smp_status smp_emulate_findings(const smp_function *function, const smp_emulation *done,
                                smp_profile *profile, uint32_t index, smp_error *error) {
    for (uint32_t i = 0; i < done->finding_count; i++) {
        smp_profile_finding *finding = smp_profile_add_finding(profile);
        if (!finding || !fill(function, &done->findings[i], &profile->kernels[index], finding))
            return smp_error_memory(error);
    }
    char text[100];
    smp_kernel_profile *kernel = &profile->kernels[index];
    (void)snprintf(text, sizeof(text), "more findings than the %d that a launch keeps",
                   SMP_FINDINGS_MAX);
    if (done->findings_lost > 0 && !kernel->not_seen)
        kernel->not_seen = strdup(text);
    if (done->races_lost && !kernel->not_seen)
        kernel->not_seen =
            strdup("races: a block makes more accesses between its barriers than are checked");
    return SMP_OK;
}
