/* SPDX-License-Identifier: MIT */
/*
 * From sites to the requests of one array, and from a repair to words.
 */
#include "profile_fix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_rank.h"

typedef struct gather {
    uint32_t first, end; /* bytes of the array; end 0: open */
    smp_seen_request *requests;
    size_t count;
} gather;

static bool lies_in(const gather *in, const smp_profile_request *request) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const uint64_t at = request->offset_bytes[lane];
        if ((request->mask >> lane & 1) && (at < in->first || (in->end > 0 && at >= in->end)))
            return false;
    }
    return true;
}

static void add_site(gather *in, const smp_profile_site *site) {
    for (uint32_t i = 0; i < site->distinct_count; i++) {
        const smp_profile_request *request = &site->distinct[i];
        if (!lies_in(in, request))
            continue;
        smp_seen_request *seen = &in->requests[in->count++];
        seen->count = request->count;
        seen->access.op = site->op;
        seen->access.width_bytes = site->width_bytes;
        seen->access.active_mask = request->mask;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            seen->access.offset_bytes[lane] =
                request->mask >> lane & 1 ? (uint32_t)request->offset_bytes[lane] - in->first : 0;
    }
}

static bool takes_part(const smp_profile_site *site) {
    return site->space == SMP_SPACE_SHARED && site->op < SMP_OP_COUNT && !site->not_modelled;
}

static uint32_t type_bytes(const char *type) {
    static const struct {
        const char *name;
        uint32_t bytes;
    } types[] = {{"double", 8}, {"float", 4}, {"long long", 8}, {"int", 4},
                 {"short", 2},  {"half", 2},  {"bf16", 2},      {"char", 1}};
    for (size_t i = 0; type && i < sizeof types / sizeof types[0]; i++) {
        const size_t length = strlen(type), wanted = strlen(types[i].name);
        if (length >= wanted && strcmp(type + length - wanted, types[i].name) == 0)
            return types[i].bytes;
    }
    return 0;
}

static uint32_t room_of(const smp_kernel_profile *kernel) {
    const uint32_t most = kernel->arch->shared_block_kib * 1024u;
    return most > kernel->shared_bytes ? most - kernel->shared_bytes : 0;
}

smp_status smp_profile_fix_site(const smp_kernel_profile *kernel, const smp_profile_site *site,
                                smp_profile_fix *out, smp_error *error) {
    gather in = {0};
    size_t room = 0;
    memset(out, 0, sizeof *out);
    if (!kernel->arch || !takes_part(site))
        return SMP_OK;
    smp_wider_find(kernel, site, &out->wider);
    out->array = smp_site_array(kernel, site);
    in.first = out->array ? out->array->offset_bytes : 0;
    in.end = out->array && out->array->size_bytes > 0 ? in.first + out->array->size_bytes : 0;
    for (uint32_t i = 0; i < kernel->site_count; i++)
        room += takes_part(&kernel->sites[i]) ? kernel->sites[i].distinct_count : 0;
    in.requests = calloc(room + 1, sizeof *in.requests);
    if (!in.requests)
        return smp_error_memory(error);
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        const size_t before = in.count;
        if (takes_part(&kernel->sites[i]))
            add_site(&in, &kernel->sites[i]);
        out->site_count += in.count > before;
        out->requests_lost += in.count > before ? kernel->sites[i].requests_lost : 0;
    }
    const smp_seen_array array = {in.first, in.end > 0 ? in.end - in.first : 0, room_of(kernel)};
    smp_fix_seen(kernel->arch, in.requests, in.count, &array, &out->padding, &out->swizzle);
    free(in.requests);
    return SMP_OK;
}

/* Rows in elements of the array's type; where that is unknown, in words of 4 bytes. */
static int padding_words(const smp_seen_fix *fix, const char *type, char *text, size_t size) {
    uint32_t bytes = type_bytes(type);
    const bool is_known = bytes > 0 && fix->row_bytes % bytes == 0 && fix->pad_bytes % bytes == 0;
    bytes = is_known ? bytes : 4;
    return snprintf(text, size,
                    "rows of %" PRIu32 " %s instead of %" PRIu32 " (%" PRIu32
                    " bytes behind every %" PRIu32 ")",
                    (fix->row_bytes + fix->pad_bytes) / bytes, is_known ? type : "words",
                    fix->row_bytes / bytes, fix->pad_bytes, fix->row_bytes);
}

size_t smp_profile_fix_words(const smp_profile_fix *from, const smp_seen_fix *fix, char *text,
                             size_t size) {
    int length;
    if (fix->kind == SMP_SEEN_PAD)
        length = padding_words(fix, from->array ? from->array->type : NULL, text, size);
    else
        length = snprintf(text, size,
                          "byte offset ^ (offset / %" PRIu32 " & %" PRIu32 ") * %" PRIu32
                          ", no byte more",
                          fix->row_bytes, fix->xor_mask, fix->unit_bytes);
    return length > 0 ? (size_t)length : 0;
}

bool smp_profile_fix_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                            const smp_profile_request *request, const smp_profile_fix *from,
                            const smp_seen_fix *fix, smp_report *out) {
    const uint32_t first = from->array ? from->array->offset_bytes : 0;
    if (!smp_request_report(kernel, site, request, out))
        return false;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint32_t *offset = &out->access.offset_bytes[lane];
        if ((out->access.active_mask >> lane & 1) && *offset >= first)
            *offset = first + smp_seen_map(fix, *offset - first);
    }
    out->status = smp_predict(&out->arch, &out->access, &out->counts);
    return out->status == SMP_OK;
}
