/* SPDX-License-Identifier: MIT */
/*
 * Converts JSON to a profile. Whatever a file contains gives a struct whose numbers are in range,
 * or an error that names the field.
 */
#include <stdlib.h>
#include <string.h>

#include "profile_json.h"

/* The current place, and the first error. */
typedef struct reader {
    smp_status status;
    smp_error *error;
} reader;

static void wrong(reader *in, const char *field, const char *what) {
    if (in->status == SMP_OK)
        in->status = smp_error_set(in->error, SMP_E_SYNTAX, -1, "'%s' %s", field, what);
}

static void no_memory(reader *in) {
    if (in->status == SMP_OK)
        in->status = smp_error_memory(in->error);
}

static uint64_t take_number(reader *in, const json_t *from, const char *field, uint64_t most) {
    const json_t *value = json_object_get(from, field);
    if (json_is_null(value))
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > most) {
        wrong(in, field, "is not a number in range");
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static uint32_t take_u32(reader *in, const json_t *from, const char *field) {
    return (uint32_t)take_number(in, from, field, UINT32_MAX);
}

static uint64_t take_u64(reader *in, const json_t *from, const char *field) {
    return take_number(in, from, field, INT64_MAX);
}

static char *take_text(reader *in, const json_t *from, const char *field) {
    const json_t *value = json_object_get(from, field);
    if (json_is_null(value))
        return NULL;
    if (!json_is_string(value)) {
        wrong(in, field, "is not text");
        return NULL;
    }
    char *copy = malloc(json_string_length(value) + 1);
    if (!copy)
        no_memory(in);
    else
        memcpy(copy, json_string_value(value), json_string_length(value) + 1);
    return copy;
}

static const json_t *take_array(reader *in, const json_t *from, const char *field) {
    const json_t *value = json_object_get(from, field);
    if (!json_is_array(value))
        wrong(in, field, "is not a list");
    return value;
}

smp_status smp_run_from_json(const json_t *from, smp_run *out, smp_error *error) {
    reader in = {SMP_OK, error};
    const char *source = json_string_value(json_object_get(from, "source"));
    out->engine = SMP_ENGINE_GPU;
    while (out->engine < SMP_ENGINES && source && strcmp(source, smp_engine_name(out->engine)) != 0)
        out->engine++;
    if (!source || out->engine == SMP_ENGINES)
        wrong(&in, "source", "is neither gpu nor emulated nor source");
    out->command = take_text(&in, from, "command");
    out->device = take_text(&in, from, "device");
    out->driver = take_text(&in, from, "driver");
    out->date = take_text(&in, from, "date");
    out->host = take_text(&in, from, "host");
    out->process = take_u64(&in, from, "process");
    out->memory = take_text(&in, from, "memory");
    out->ended = take_text(&in, from, "ended");
    return in.status;
}

/* Reads a number for each lane of `mask`, null for the others. */
static void take_lanes(reader *in, const json_t *from, const char *field, uint32_t mask,
                       uint64_t out[SMP_LANES]) {
    const json_t *list = take_array(in, from, field);
    if (in->status == SMP_OK && json_array_size(list) != SMP_LANES)
        wrong(in, field, "does not have 32 entries");
    for (unsigned lane = 0; in->status == SMP_OK && lane < SMP_LANES; lane++) {
        const json_t *value = json_array_get(list, lane);
        const bool active = mask >> lane & 1;
        if (active ? !json_is_integer(value) : !json_is_null(value))
            wrong(in, field, "does not fit its mask");
        else
            out[lane] = active ? (uint64_t)json_integer_value(value) : 0;
    }
}

/* An ideal is never above its actual value: their difference would underflow. */
static void check_least(reader *in, const char *field, uint64_t least, uint64_t all) {
    if (least > all)
        wrong(in, field, "is more than what there was");
}

/* Absent in older files, and in those from GPUs. */
static void take_request(reader *in, const json_t *from, smp_profile_request *out) {
    out->mask = take_u32(in, from, "mask");
    take_lanes(in, from, "offsets", out->mask, out->offset_bytes);
    out->has_source = json_object_get(from, "sources");
    if (out->has_source)
        take_lanes(in, from, "sources", out->mask, out->source_bytes);
}

static void take_distinct(reader *in, const json_t *from, smp_profile_site *site) {
    const json_t *list = take_array(in, from, "distinct");
    for (size_t i = 0; in->status == SMP_OK && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        smp_profile_request request = {0};
        take_request(in, one, &request);
        request.count = take_u64(in, one, "count");
        request.wavefronts = take_u32(in, one, "wavefronts");
        request.ideal = take_u32(in, one, "ideal");
        request.sectors = take_u32(in, one, "sectors");
        request.ideal_sectors = take_u32(in, one, "ideal_sectors");
        check_least(in, "ideal", request.ideal, request.wavefronts);
        check_least(in, "ideal_sectors", request.ideal_sectors, request.sectors);
        if (in->status == SMP_OK && smp_site_add_distinct(site, &request) != SMP_OK)
            no_memory(in);
    }
}

static void take_worst(reader *in, const json_t *from, smp_profile_site *site) {
    const json_t *worst = json_object_get(from, "worst");
    if (json_is_null(worst))
        return;
    take_request(in, worst, &site->worst);
    site->worst.count = 1;
    site->worst.wavefronts = take_u32(in, from, "worst_wavefronts");
    site->worst.ideal = take_u32(in, from, "worst_ideal");
    site->worst.sectors = take_u32(in, from, "worst_sectors");
    site->worst.ideal_sectors = take_u32(in, from, "worst_ideal_sectors");
    check_least(in, "worst_ideal", site->worst.ideal, site->worst.wavefronts);
    check_least(in, "worst_ideal_sectors", site->worst.ideal_sectors, site->worst.sectors);
}

static void take_frames(reader *in, const json_t *from, smp_profile_site *site) {
    const json_t *list = take_array(in, from, "inlined");
    for (size_t i = 0; in->status == SMP_OK && i < json_array_size(list); i++) {
        smp_frame *frame = smp_site_add_frame(site);
        if (!frame) {
            no_memory(in);
            return;
        }
        frame->file = take_text(in, json_array_get(list, i), "file");
        frame->line = take_u32(in, json_array_get(list, i), "line");
    }
}

static void take_space(reader *in, const json_t *from, smp_profile_site *site) {
    const char *name = json_string_value(json_object_get(from, "space"));
    for (unsigned i = 0; name && i <= SMP_SPACE_CLUSTER; i++) {
        site->space = (smp_space)i;
        site->is_local = false;
        if (strcmp(smp_site_space_name(site), name) == 0)
            return;
    }
    site->space = SMP_SPACE_GLOBAL;
    site->is_local = name && strcmp(name, "local") == 0;
    if (!site->is_local)
        wrong(in, "space", "is unknown");
}

static void take_op(reader *in, const json_t *from, smp_profile_site *site) {
    const json_t *value = json_object_get(from, "op");
    site->op = SMP_OP_COUNT;
    if (json_is_null(value))
        return;
    const smp_op_row *row = json_is_string(value) ? smp_op_find(json_string_value(value)) : NULL;
    if (row)
        site->op = row->op;
    else
        wrong(in, "op", "is not a known operation");
}

static void take_site(reader *in, const json_t *from, smp_profile_site *site) {
    site->offset_bytes = take_u32(in, from, "offset");
    site->opcode = take_text(in, from, "opcode");
    site->operands = take_text(in, from, "operands");
    site->width_bytes = take_u32(in, from, "width_bytes");
    site->not_modelled = take_text(in, from, "not_modelled");
    site->requests = take_u64(in, from, "requests");
    site->lanes = take_u64(in, from, "lanes");
    site->wavefronts = take_u64(in, from, "wavefronts");
    site->ideal = take_u64(in, from, "ideal");
    site->ways = take_u32(in, from, "ways");
    site->sectors = take_u64(in, from, "sectors");
    site->ideal_sectors = take_u64(in, from, "ideal_sectors");
    check_least(in, "ideal", site->ideal, site->wavefronts);
    check_least(in, "ideal_sectors", site->ideal_sectors, site->sectors);
    take_space(in, from, site);
    take_op(in, from, site);
    take_frames(in, from, site);
    take_worst(in, from, site);
    take_distinct(in, from, site);
    site->requests_lost = take_u64(in, from, "requests_lost");
}

static void take_triple(reader *in, const json_t *from, const char *field, uint32_t out[3]) {
    const json_t *list = take_array(in, from, field);
    for (unsigned i = 0; in->status == SMP_OK && i < 3; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            json_integer_value(value) > UINT32_MAX)
            wrong(in, field, "is not three numbers");
        else
            out[i] = (uint32_t)json_integer_value(value);
    }
}

static void take_arrays(reader *in, const json_t *from, smp_kernel_profile *out) {
    const json_t *list = take_array(in, from, "arrays");
    for (size_t i = 0; in->status == SMP_OK && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        smp_shared_array *array = smp_kernel_add_array(out);
        if (!array) {
            no_memory(in);
            return;
        }
        array->name = take_text(in, one, "name");
        array->type = take_text(in, one, "type");
        array->offset_bytes = take_u32(in, one, "offset");
        array->size_bytes = take_u32(in, one, "size_bytes");
    }
}

/* Absent in older files. */
static void take_callers(reader *in, const json_t *from, smp_kernel_profile *out) {
    const json_t *list = json_object_get(from, "callers");
    for (size_t i = 0; in->status == SMP_OK && i < json_array_size(list); i++) {
        char *file = take_text(in, json_array_get(list, i), "file");
        const uint32_t line = take_u32(in, json_array_get(list, i), "line");
        if (!file && in->status == SMP_OK)
            wrong(in, "file", "is missing");
        if (in->status == SMP_OK && smp_kernel_add_caller(out, file, line) != SMP_OK)
            no_memory(in);
        free(file);
    }
}

/* Texts of the kernel; absent in older files. */
static void take_texts(reader *in, const json_t *from, const char *name,
                       smp_status (*add)(smp_kernel_profile *, const char *),
                       smp_kernel_profile *out) {
    const json_t *list = json_object_get(from, name);
    for (size_t i = 0; in->status == SMP_OK && i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text)
            wrong(in, name, "is not texts");
        else if (add(out, text) != SMP_OK)
            no_memory(in);
    }
}

static void take_identity(reader *in, const json_t *from, smp_kernel_profile *out) {
    const char *hash = json_string_value(json_object_get(from, "code_hash"));
    const json_t *arch = json_object_get(from, "arch");
    char *end = NULL;
    out->name = take_text(in, from, "name");
    out->demangled = take_text(in, from, "demangled");
    out->code_hash = hash ? strtoull(hash, &end, 16) : 0;
    if (!hash || *end != '\0' || strlen(hash) != 16)
        wrong(in, "code_hash", "is no 16 hexadecimal digits");
    if (!out->name)
        wrong(in, "name", "is missing");
    out->arch = json_is_string(arch) ? smp_arch_find(json_string_value(arch)) : NULL;
    if (!json_is_null(arch) && !out->arch)
        wrong(in, "arch", "is not a known architecture");
}

static void take_place(reader *in, const json_t *from, smp_finding_place *out) {
    const json_t *instruction = json_object_get(from, "instruction");
    out->file = take_text(in, from, "file");
    out->line = take_u32(in, from, "line");
    if (!json_is_null(instruction)) {
        out->instruction = take_text(in, instruction, "text");
        out->offset_bytes = take_u32(in, instruction, "offset");
    }
    out->has_thread = !json_is_null(json_object_get(from, "thread"));
    if (!out->has_thread)
        return;
    take_triple(in, from, "block", out->block);
    take_triple(in, from, "thread", out->thread);
}

smp_status smp_finding_from_json(const json_t *from, smp_profile_finding *out, smp_error *error) {
    reader in = {SMP_OK, error};
    const char *severity = json_string_value(json_object_get(from, "severity"));
    const json_t *other = json_object_get(from, "other");
    if (!smp_finding_kind_find(json_string_value(json_object_get(from, "kind")), &out->kind))
        wrong(&in, "kind", "is not a known kind of finding");
    if (!severity || (strcmp(severity, "error") != 0 && strcmp(severity, "note") != 0))
        wrong(&in, "severity", "is neither error nor note");
    else
        out->is_note = strcmp(severity, "note") == 0;
    out->message = take_text(&in, from, "message");
    out->kernel = take_text(&in, from, "kernel");
    if (in.status == SMP_OK && (!out->message || !out->kernel))
        wrong(&in, out->message ? "kernel" : "message", "is missing");
    take_place(&in, from, &out->at);
    out->has_address = !json_is_null(json_object_get(from, "address"));
    out->address = take_u64(&in, from, "address");
    out->array = take_text(&in, from, "array");
    out->count = take_u64(&in, from, "count");
    out->missing = take_text(&in, from, "missing");
    out->has_other = !json_is_null(other);
    if (out->has_other)
        take_place(&in, other, &out->other);
    return in.status;
}

/* Absent in older files. */
static double take_amount(const json_t *from, const char *field) {
    const json_t *value = json_object_get(from, field);
    return json_is_number(value) && json_number_value(value) > 0 ? json_number_value(value) : 0;
}

/* Absent in older files. */
static uint64_t take_blocks(const json_t *from, const char *field) {
    const json_t *value = json_object_get(from, field);
    return json_is_integer(value) && json_integer_value(value) > 0
               ? (uint64_t)json_integer_value(value)
               : 0;
}

smp_status smp_kernel_from_json(const json_t *from, smp_kernel_profile *out, smp_error *error) {
    reader in = {SMP_OK, error};
    take_identity(&in, from, out);
    out->launches = take_u64(&in, from, "launches");
    out->launches_skipped = take_u64(&in, from, "launches_skipped");
    out->blocks = take_blocks(from, "blocks");
    out->blocks_skipped = take_blocks(from, "blocks_skipped");
    take_triple(&in, from, "grid", out->grid);
    take_triple(&in, from, "block", out->block);
    out->shared_bytes = take_u32(&in, from, "shared_bytes");
    out->not_seen = take_text(&in, from, "not_seen");
    out->time_us = take_amount(from, "time_us");
    out->stage_us = take_amount(from, "stage_us");
    out->gain_us = take_amount(from, "gain_us");
    const json_t *scaled = json_object_get(from, "scaled");
    out->scaled =
        (smp_scaled_sums){take_amount(scaled, "blocks"), take_amount(scaled, "wavefronts"),
                          take_amount(scaled, "ideal"), take_amount(scaled, "sectors"),
                          take_amount(scaled, "ideal_sectors")};
    take_callers(&in, from, out);
    take_texts(&in, from, "described", smp_kernel_add_described, out);
    take_texts(&in, from, "nvtx", smp_kernel_add_range, out);
    take_arrays(&in, from, out);
    if (json_object_get(from, "barriers")) /* older files have neither */
        out->barriers = take_text(&in, from, "barriers");
    if (json_object_get(from, "calls"))
        out->calls = take_text(&in, from, "calls");
    const json_t *list = take_array(&in, from, "instructions");
    for (size_t i = 0; in.status == SMP_OK && i < json_array_size(list); i++) {
        smp_profile_site *site = smp_kernel_add_site(out);
        if (site)
            take_site(&in, json_array_get(list, i), site);
        else
            no_memory(&in);
    }
    return in.status;
}
