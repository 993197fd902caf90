/* SPDX-License-Identifier: MIT */
/* Converts a profile to JSON. A figure that does not apply is null, never 0. */
#include "profile_json.h"

#include <stdio.h>

#include "json_text.h"
#include "profile_rank.h"

/* Takes ownership of `value`. If that is NULL, frees the object, which is checked at the end. */
static void put(json_t **object, const char *name, json_t *value) {
    if (*object && json_object_set_new(*object, name, value) != 0) {
        json_decref(*object);
        *object = NULL;
    }
}

static void push(json_t **array, json_t *value) {
    if (*array && json_array_append_new(*array, value) != 0) {
        json_decref(*array);
        *array = NULL;
    }
}

json_t *smp_run_to_json(const smp_run *run) {
    json_t *out = json_object();
    put(&out, "command", json_text_or_null(run->command));
    put(&out, "source", json_string(smp_engine_name(run->engine)));
    put(&out, "device", json_text_or_null(run->device));
    put(&out, "driver", json_text_or_null(run->driver));
    put(&out, "date", json_text_or_null(run->date));
    put(&out, "host", json_text_or_null(run->host));
    put(&out, "process", json_count(true, run->process));
    put(&out, "memory", json_text_or_null(run->memory));
    put(&out, "ended", json_text_or_null(run->ended));
    char evidence[SMP_EVIDENCE_BYTES];
    if (smp_run_evidence(run, evidence))
        put(&out, "evidence", json_string(evidence));
    return out;
}

static json_t *request_to_json(const smp_profile_request *request) {
    json_t *out = json_object(), *offsets = json_array();
    put(&out, "mask", json_count(true, request->mask));
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        push(&offsets, json_count(request->mask >> lane & 1, request->offset_bytes[lane]));
    put(&out, "offsets", offsets);
    if (request->has_source) {
        json_t *sources = json_array();
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            push(&sources, json_count(request->mask >> lane & 1, request->source_bytes[lane]));
        put(&out, "sources", sources);
    }
    return out;
}

static json_t *distinct_to_json(const smp_profile_site *site) {
    json_t *out = json_array();
    EACH(const smp_profile_request, request, site->distinct, site->distinct_count) {
        json_t *one = request_to_json(request);
        put(&one, "count", json_count(true, request->count));
        put(&one, "wavefronts", json_count(true, request->wavefronts));
        put(&one, "ideal", json_count(true, request->ideal));
        put(&one, "sectors", json_count(true, request->sectors));
        put(&one, "ideal_sectors", json_count(true, request->ideal_sectors));
        push(&out, one);
    }
    return out;
}

static json_t *frames_to_json(const smp_frame *frames, uint32_t count) {
    json_t *out = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_t *frame = json_object();
        put(&frame, "file", json_text_or_null(frames[i].file));
        put(&frame, "line", json_count(true, frames[i].line));
        push(&out, frame);
    }
    return out;
}

static void put_costs(json_t **out, const smp_profile_site *site) {
    const bool known = !site->not_modelled, banks = known && smp_space_has_banks(site->space);
    const bool sectors = smp_site_has_sectors(site);
    put(out, "requests", json_count(true, site->requests));
    put(out, "wavefronts", json_count(banks, site->wavefronts));
    put(out, "ideal", json_count(banks, site->ideal));
    put(out, "excess", json_count(banks, site->wavefronts - site->ideal));
    put(out, "ways", json_count(banks, site->ways));
    put(out, "sectors", json_count(sectors, site->sectors));
    put(out, "ideal_sectors", json_count(sectors, site->ideal_sectors));
    put(out, "modelled", json_boolean(known));
}

static json_t *site_to_json(const smp_profile_site *site, smp_profile_detail detail) {
    const smp_frame *user = smp_site_user_frame(site);
    json_t *out = json_object();
    put(&out, "offset", json_count(true, site->offset_bytes));
    put(&out, "opcode", json_text_or_null(site->opcode));
    put(&out, "file", json_text_or_null(user ? user->file : NULL));
    put(&out, "line", json_count(user, user ? user->line : 0));
    put(&out, "inlined", frames_to_json(site->frames, site->frame_count));
    put(&out, "space", json_string(smp_site_space_name(site)));
    put(&out, "op",
        site->op < SMP_OP_COUNT ? json_string(smp_ops(NULL)[site->op].name) : json_null());
    put(&out, "width_bytes", json_count(true, site->width_bytes));
    put_costs(&out, site);
    put(&out, "worst", site->worst.mask != 0 ? request_to_json(&site->worst) : json_null());
    put(&out, "not_modelled", json_text_or_null(site->not_modelled));
    put(&out, "lanes", json_count(true, site->lanes));
    if (detail == SMP_PROFILE_WHOLE) {
        put(&out, "operands", json_text_or_null(site->operands));
        put(&out, "worst_wavefronts", json_count(true, site->worst.wavefronts));
        put(&out, "worst_ideal", json_count(true, site->worst.ideal));
        put(&out, "worst_sectors", json_count(true, site->worst.sectors));
        put(&out, "worst_ideal_sectors", json_count(true, site->worst.ideal_sectors));
        put(&out, "distinct", distinct_to_json(site));
        put(&out, "requests_lost", json_count(true, site->requests_lost));
    }
    return out;
}

static json_t *arrays_to_json(const smp_kernel_profile *kernel) {
    json_t *out = json_array();
    EACH(const smp_shared_array, array, kernel->arrays, kernel->array_count) {
        json_t *one = json_object();
        put(&one, "name", json_text_or_null(array->name));
        put(&one, "type", json_text_or_null(array->type));
        put(&one, "offset", json_count(true, array->offset_bytes));
        put(&one, "size_bytes", json_count(array->size_bytes > 0, array->size_bytes));
        push(&out, one);
    }
    return out;
}

static json_t *triple(const uint32_t value[3]) {
    json_t *out = json_array();
    for (unsigned i = 0; i < 3; i++)
        push(&out, json_count(true, value[i]));
    return out;
}

/* ---- Findings ---- */

static void put_place(json_t **out, const smp_finding_place *at) {
    json_t *instruction = json_null();
    if (at->instruction)
        instruction = json_pack("{s:I, s:o}", "offset", (json_int_t)at->offset_bytes, "text",
                                json_text_of(at->instruction));
    put(out, "file", json_text_or_null(at->file));
    put(out, "line", json_count(at->file, at->line));
    put(out, "instruction", instruction);
    put(out, "block", at->has_thread ? triple(at->block) : json_null());
    put(out, "thread", at->has_thread ? triple(at->thread) : json_null());
}

json_t *smp_finding_to_json(const smp_profile_finding *finding) {
    json_t *out = json_object(), *other = finding->has_other ? json_object() : json_null();
    if (finding->has_other)
        put_place(&other, &finding->other);
    put(&out, "kind", json_string(smp_finding_kind_name(finding->kind)));
    put(&out, "severity", json_string(finding->is_note ? "note" : "error"));
    put(&out, "message", json_text_or_null(finding->message));
    put(&out, "kernel", json_text_or_null(finding->kernel));
    put_place(&out, &finding->at);
    put(&out, "address", json_count(finding->has_address, finding->address));
    put(&out, "array", json_text_or_null(finding->array));
    put(&out, "count", json_count(true, finding->count));
    put(&out, "missing", json_text_or_null(finding->missing));
    put(&out, "other", other);
    return out;
}

/* ---- Kernels ---- */

static json_t *texts_to_json(char *const *texts, uint32_t count) {
    json_t *out = json_array();
    for (uint32_t i = 0; i < count; i++)
        push(&out, json_text_of(texts[i]));
    return out;
}

static json_t *scaled_to_json(const smp_scaled_sums *sums) {
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "blocks", sums->blocks, "wavefronts",
                     sums->wavefronts, "ideal", sums->ideal, "sectors", sums->sectors,
                     "ideal_sectors", sums->ideal_sectors);
}

json_t *smp_kernel_to_json(const smp_kernel_profile *kernel, smp_profile_detail detail) {
    json_t *out = json_object(), *instructions = json_array();
    char hash[20];
    (void)snprintf(hash, sizeof hash, "%016llx", (unsigned long long)kernel->code_hash);
    put(&out, "name", json_text_or_null(kernel->name));
    put(&out, "demangled", json_text_or_null(kernel->demangled));
    put(&out, "arch", json_text_or_null(kernel->arch ? kernel->arch->name : NULL));
    put(&out, "code_hash", json_string(hash));
    put(&out, "launches", json_count(true, kernel->launches));
    put(&out, "launches_skipped", json_count(true, kernel->launches_skipped));
    put(&out, "blocks", json_count(kernel->blocks > 0, kernel->blocks));
    put(&out, "blocks_skipped",
        json_count(kernel->blocks > 0 || kernel->blocks_skipped > 0, kernel->blocks_skipped));
    if (kernel->scaled.blocks > 0)
        put(&out, "scaled", scaled_to_json(&kernel->scaled));
    put(&out, "grid", triple(kernel->grid));
    put(&out, "block", triple(kernel->block));
    put(&out, "shared_bytes", json_count(true, kernel->shared_bytes));
    put(&out, "not_seen", json_text_or_null(kernel->not_seen));
    put(&out, "time_us", kernel->time_us > 0 ? json_real(kernel->time_us) : json_null());
    put(&out, "stage_us", kernel->stage_us > 0 ? json_real(kernel->stage_us) : json_null());
    put(&out, "gain_us", kernel->stage_us > 0 ? json_real(kernel->gain_us) : json_null());
    put(&out, "callers", frames_to_json(kernel->callers, kernel->caller_count));
    put(&out, "described", texts_to_json(kernel->described, kernel->described_count));
    if (kernel->range_count > 0)
        put(&out, "nvtx", texts_to_json(kernel->ranges, kernel->range_count));
    if (detail == SMP_PROFILE_WHOLE) {
        put(&out, "barriers", json_text_or_null(kernel->barriers));
        put(&out, "calls", json_text_or_null(kernel->calls));
    }
    put(&out, "arrays", arrays_to_json(kernel));
    for (uint32_t i = 0; i < kernel->site_count; i++)
        push(&instructions, site_to_json(&kernel->sites[i], detail));
    put(&out, "instructions", instructions);
    return out;
}
