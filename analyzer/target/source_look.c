/* SPDX-License-Identifier: MIT */
/*
 * Evaluates a layout block by block, in the form of profiles of machine code: each access of the
 * text is a site.
 */
#include "source_run.h"

#include <string.h>

#include "target_run.h"

/* Above the first, only some blocks of a grid are evaluated; a block above the second is too
 * large. */
enum { REQUESTS_MOST = 1000000, BLOCK_MOST = 2 * REQUESTS_MOST };

/* ---- What requests cost ---- */

typedef struct look {
    const smp_arch *arch;
    const smp_layout *layout;
    smp_kernel_profile *kernel; /* one site per access */
    uint64_t requests, before;  /* all requests; those of earlier blocks */
} look;

static smp_status note_why(smp_profile_site *site, const char *why, smp_error *error) {
    if (!site->not_modelled && !(site->not_modelled = strdup(why)))
        return smp_error_memory(error);
    return SMP_OK;
}

/* Stores offsets as in a profile (see smp_profile_request). */
static void set_offsets(const smp_access *access, smp_profile_request *out) {
    const bool is_global = smp_ops(NULL)[access->op].space == SMP_SPACE_GLOBAL;
    const uint64_t from = access->address_bytes[__builtin_ctz(out->mask)] & ~UINT64_C(255);
    out->has_source = smp_ops(NULL)[access->op].space == SMP_SPACE_COPY;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (!(out->mask >> l & 1))
            continue;
        out->offset_bytes[l] =
            is_global ? access->address_bytes[l] - from : access->offset_bytes[l];
        if (out->has_source)
            out->source_bytes[l] = access->address_bytes[l];
    }
}

static smp_status take(void *user, const smp_occurrence *seen, smp_error *error) {
    look *l = user;
    smp_profile_site *site = &l->kernel->sites[seen->index];
    smp_access access = *seen->access;
    smp_profile_request request = {.mask = smp_access_lanes(&access), .count = seen->times};
    smp_counts counts;
    access.op = site->op;
    if (l->requests - l->before >= BLOCK_MOST)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "more than %d requests in one block",
                             BLOCK_MOST);
    if (seen->ranks)
        smp_access_place_in_blocks(&access, seen->ranks);
    const smp_status status = smp_predict(l->arch, &access, &counts);
    if (status != SMP_OK && status != SMP_E_NOT_MODELLED)
        return smp_access_check(l->arch, &access, error) != SMP_OK
                   ? error->status
                   : smp_error_set(error, status, -1, "%s", smp_status_message(status));
    const char *why = smp_layout_request(l->layout, seen->index)->not_modelled;
    if (!why && status != SMP_OK)
        why = counts.note ? counts.note : smp_status_message(status);
    if (counts.valid & SMP_HAS_WAVEFRONTS && !why) {
        request.wavefronts = counts.wavefronts_max;
        request.ideal = counts.ideal;
    }
    if (counts.valid & SMP_HAS_TRANSACTIONS) {
        const uint32_t least =
            ((uint32_t)__builtin_popcount(request.mask) * access.width_bytes + 31) / 32;
        request.sectors = counts.transactions;
        request.ideal_sectors = least < counts.transactions ? least : counts.transactions;
    }
    set_offsets(&access, &request);
    l->requests += seen->times;
    if (smp_site_add(site, &request, counts.valid & SMP_HAS_WAVEFRONTS && !why ? counts.ways : 0))
        return smp_error_memory(error);
    return why ? note_why(site, why, error) : SMP_OK;
}

/* ---- A kernel of a profile ---- */

/* The operation that nvcc makes of the request. */
static smp_op op_of(const smp_arch *arch, const smp_request *request) {
    const smp_access increment = {
        .op = SMP_RED_SHARED_INC, .width_bytes = request->width_bytes, .active_mask = 1};
    smp_error ignored;
    return request->is_increment && request->op == SMP_RED_SHARED &&
                   smp_access_check(arch, &increment, &ignored) == SMP_OK
               ? SMP_RED_SHARED_INC
               : request->op;
}

static bool add_sites(const smp_arch *arch, const char *path, const smp_layout *layout,
                      smp_kernel_profile *to) {
    bool is_fine = true;
    for (size_t i = 0; i < smp_layout_access_count(layout) && is_fine; i++) {
        const smp_request *request = smp_layout_request(layout, i);
        smp_profile_site *site = smp_kernel_add_site(to);
        smp_frame *frame = site ? smp_site_add_frame(site) : NULL;
        if (!frame)
            return false;
        site->offset_bytes = (uint32_t)i;
        site->op = op_of(arch, request);
        site->space = smp_ops(NULL)[site->op].space;
        site->width_bytes = request->width_bytes;
        site->opcode = strdup(smp_ops(NULL)[site->op].name);
        site->operands = strndup(request->text, request->length);
        frame->file = strdup(path);
        frame->line = request->line;
        is_fine = site->opcode && site->operands && frame->file;
    }
    return is_fine;
}

/* Adds the loads of constants that take a request for each address, of which nothing is counted. */
static bool add_constants(const char *path, const smp_layout *layout, smp_kernel_profile *to) {
    size_t count;
    const smp_constant *all = smp_layout_constants(layout, &count);
    bool is_fine = true;
    for (size_t i = 0; i < count && is_fine; i++) {
        smp_profile_site *site = smp_kernel_add_site(to);
        smp_frame *frame = site ? smp_site_add_frame(site) : NULL;
        if (!frame)
            return false;
        site->offset_bytes = to->site_count - 1;
        site->op = SMP_OP_COUNT;
        site->space = SMP_SPACE_GLOBAL;
        site->opcode = strdup("ld.const");
        site->operands = strndup(all[i].text, all[i].length);
        site->not_modelled = strdup("load of constants at an address for each lane: each different "
                                    "address takes a request of its own");
        frame->file = strdup(path);
        frame->line = all[i].line;
        is_fine = site->opcode && site->operands && site->not_modelled && frame->file;
    }
    return is_fine;
}

static bool add_arrays(const smp_layout *layout, smp_kernel_profile *to) {
    for (uint32_t i = 0; i < smp_layout_array_count(layout); i++) {
        const smp_array *array = smp_layout_array(layout, i);
        smp_shared_array *out = array->space == SMP_SPACE_SHARED ? smp_kernel_add_array(to) : NULL;
        if (array->space != SMP_SPACE_SHARED)
            continue;
        if (!out)
            return false;
        out->name = strndup(array->name, array->length);
        out->type = strndup(array->type->name, array->type->length);
        out->offset_bytes = (uint32_t)smp_array_base(layout, array);
        out->size_bytes = (uint32_t)array->size_bytes;
        if (!out->name || !out->type)
            return false;
    }
    return true;
}

/* Removes accesses that no thread made. */
static void drop_unused(smp_kernel_profile *kernel) {
    DROP_IF(site, kernel->sites, kernel->site_count,
            site->requests == 0 && !site->not_modelled && (smp_site_clear(site), true));
}

/* ---- Blocks ---- */

static smp_status look_at(look *l, source_layout *made, uint64_t block, smp_error *error) {
    const smp_layout_stream stream = {made->layout, &made->line};
    made->line = 0;
    l->before = l->requests;
    smp_layout_go_to_block(made->layout, block);
    return smp_stream_layout.visit(&stream, take, l, error);
}

/* Evaluates some blocks first, then all others if that does not take long. *seen is their number.
 */
static smp_status look_at_blocks(look *l, source_layout *made, const smp_assumed_launch *launch,
                                 uint64_t *seen, uint64_t *count, smp_error *error) {
    uint64_t only[LOOKED_AT];
    *count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint32_t some = looked_at_blocks(launch->grid[0], *count, only);
    smp_status status = SMP_OK;
    for (*seen = 0; *seen < some && status == SMP_OK && l->requests < REQUESTS_MOST; ++*seen)
        status = look_at(l, made, only[*seen], error);
    if (status != SMP_OK || l->requests / *seen * *count > REQUESTS_MOST)
        return status;
    for (uint64_t block = 0, next = 0; block < *count && status == SMP_OK; block++) {
        if (next < some && block == only[next]) {
            next++;
            continue;
        }
        status = look_at(l, made, block, error);
        *seen += 1;
    }
    return status;
}

smp_status source_look(const smp_arch *arch, const char *path, source_layout *made,
                       const smp_assumed_launch *launch, smp_kernel_profile *out,
                       smp_error *error) {
    uint64_t seen = 0, count = 0;
    look l = {.arch = arch, .layout = made->layout, .kernel = out};
    if (!add_sites(arch, path, made->layout, out) || !add_constants(path, made->layout, out) ||
        !add_arrays(made->layout, out))
        return smp_error_memory(error);
    const smp_status status = look_at_blocks(&l, made, launch, &seen, &count, error);
    drop_unused(out);
    out->arch = arch;
    out->launches = 1;
    out->shared_bytes = (uint32_t)smp_layout_shared_bytes(made->layout) + launch->dynamic_bytes;
    out->not_seen = looked_at_text(seen, count);
    memcpy(out->grid, launch->grid, sizeof out->grid);
    memcpy(out->block, launch->block, sizeof out->block);
    return status;
}
