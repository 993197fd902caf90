/* SPDX-License-Identifier: MIT */
/*
 * Every kernel of a source: its launch, the blocks that are looked at, and what its requests cost.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "source_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "looked_at.h"
#include "profile_filter.h"
#include "text_buffer.h"

/* Of a grid with more requests some blocks are looked at; a block with so many is too much. */
enum { REQUESTS_MOST = 1000000, BLOCK_MOST = 2 * REQUESTS_MOST };

typedef struct source_target {
    const smp_source_job *job;
    char *text; /* of host_text_make */
    source_data data;
} source_target;

/* ---- What requests cost ---- */

typedef struct look {
    const source_target *of;
    const smp_layout *layout;
    smp_kernel_profile *kernel; /* a site an access */
    uint64_t requests, before;  /* all; of the blocks before this one */
} look;

static smp_status note_why(smp_profile_site *site, const char *why, smp_error *error) {
    if (site->not_modelled == NULL && (site->not_modelled = strdup(why)) == NULL)
        return smp_error_memory(error);
    return SMP_OK;
}

/* As a profile keeps them: smp_profile_request says from where they count. */
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
    if (l->requests - l->before >= BLOCK_MOST)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "more than %d requests in one block",
                             BLOCK_MOST);
    if (seen->ranks)
        smp_access_place_in_blocks(&access, seen->ranks);
    const smp_status status = smp_predict(l->of->job->arch, &access, &counts);
    if (status != SMP_OK && status != SMP_E_NOT_MODELLED)
        return smp_access_check(l->of->job->arch, &access, error) != SMP_OK
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

static char *copy_text(const char *text, size_t length) {
    return strndup(text, length);
}

static bool add_sites(const source_target *of, const smp_layout *layout, smp_kernel_profile *to) {
    bool is_fine = true;
    for (size_t i = 0; i < smp_layout_access_count(layout) && is_fine; i++) {
        const smp_request *request = smp_layout_request(layout, i);
        smp_profile_site *site = smp_kernel_add_site(to);
        smp_frame *frame = site ? smp_site_add_frame(site) : NULL;
        if (frame == NULL)
            return false;
        site->offset_bytes = (uint32_t)i;
        site->op = request->op;
        site->space = smp_ops(NULL)[request->op].space;
        site->width_bytes = request->width_bytes;
        site->opcode = strdup(smp_ops(NULL)[request->op].name);
        site->operands = copy_text(request->text, request->length);
        frame->file = strdup(of->job->file.path);
        frame->line = request->line;
        is_fine = site->opcode && site->operands && frame->file;
    }
    return is_fine;
}

static bool add_arrays(const smp_layout *layout, smp_kernel_profile *to) {
    for (uint32_t i = 0; i < smp_layout_array_count(layout); i++) {
        const smp_array *array = smp_layout_array(layout, i);
        smp_shared_array *out = array->space == SMP_SPACE_SHARED ? smp_kernel_add_array(to) : NULL;
        if (array->space != SMP_SPACE_SHARED)
            continue;
        if (out == NULL)
            return false;
        out->name = copy_text(array->name, array->length);
        out->type = copy_text(array->type->name, array->type->length);
        out->offset_bytes = (uint32_t)smp_array_base(layout, array);
        out->size_bytes = (uint32_t)array->size_bytes;
        if (!out->name || !out->type)
            return false;
    }
    return true;
}

/* Accesses that no thread of the blocks made are no rows. */
static void drop_unused(smp_kernel_profile *kernel) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        if (kernel->sites[i].requests > 0)
            kernel->sites[kept++] = kernel->sites[i];
        else
            smp_site_clear(&kernel->sites[i]);
    }
    kernel->site_count = kept;
}

/* ---- Blocks ---- */

static smp_status look_at(look *l, source_layout *made, uint64_t block, smp_error *error) {
    const smp_layout_stream stream = {made->layout, &made->line};
    made->line = 0;
    l->before = l->requests;
    smp_layout_go_to_block(made->layout, block);
    return smp_stream_layout.visit(&stream, take, l, error);
}

/* Some blocks first; all others where that does not take long. *seen: how many. */
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

static smp_status fill(const source_target *of, source_layout *made,
                       const smp_assumed_launch *launch, smp_kernel_profile *out,
                       smp_error *error) {
    uint64_t seen = 0, count = 0;
    look l = {.of = of, .layout = made->layout, .kernel = out};
    if (!add_sites(of, made->layout, out) || !add_arrays(made->layout, out))
        return smp_error_memory(error);
    const smp_status status = look_at_blocks(&l, made, launch, &seen, &count, error);
    drop_unused(out);
    out->arch = of->job->arch;
    out->launches = 1;
    out->shared_bytes = (uint32_t)smp_layout_shared_bytes(made->layout) + launch->dynamic_bytes;
    out->not_seen = looked_at_text(seen, count);
    memcpy(out->grid, launch->grid, sizeof out->grid);
    memcpy(out->block, launch->block, sizeof out->block);
    return status;
}

/* ---- One kernel after the other ---- */

static bool has_word(host_span in, const char *word) {
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= in.length; i++)
        if (memcmp(in.text + i, word, length) == 0)
            return true;
    return false;
}

/* "__launch_bounds__(256, 2)": 256. */
static uint32_t bound_of(const char *text, const host_kernel *kernel) {
    static const char word[] = "__launch_bounds__";
    host_scope scope = {.text = text, .at = kernel->body.text};
    const char *at = strstr(kernel->words.text, word);
    host_span part;
    int64_t value;
    if (!at || at >= kernel->name.text || (at = strchr(at, '(')) == NULL)
        return 0;
    const host_span list = {at + 1, (size_t)(kernel->name.text - at - 1)};
    const size_t length = strcspn(list.text, ",)");
    part = (host_span){list.text, length < list.length ? length : list.length};
    return host_value(&scope, part, &value) && value > 0 && value < UINT32_MAX ? (uint32_t)value
                                                                               : 0;
}

static smp_launch_subject subject_of(const char *text, const source_kernel *kernel) {
    smp_launch_subject out = {.name = kernel->name, .threads_most = bound_of(text, &kernel->of)};
    host_span part;
    out.reads_rows = has_word(kernel->of.body, "threadIdx.y");
    out.reads_blocks[0] = has_word(kernel->of.body, "blockIdx.x");
    out.reads_blocks[1] = has_word(kernel->of.body, "blockIdx.y");
    while (host_part(kernel->of.parameters, out.parameter_count, &part))
        out.parameter_count++;
    return out;
}

static void add_shape(text_buffer *to, const char *option, const uint32_t shape[3]) {
    text_add(to, " --%s %u", option, shape[0]);
    for (unsigned i = 1; i < 3 && (shape[1] > 1 || shape[2] > 1); i++)
        if (i == 1 || shape[2] > 1)
            text_add(to, "x%u", shape[i]);
}

static void note_assumed(const source_target *of, const source_kernel *kernel,
                         const smp_assumed_launch *launch) {
    char say[2048];
    text_buffer words = TEXT_BUFFER(say);
    for (unsigned i = 0; i < launch->value_count; i++)
        if (launch->is_value_assumed[i])
            text_add(&words, " --define %s=%lld", launch->values[i].name,
                     (long long)launch->values[i].value);
    if (launch->is_block_assumed)
        add_shape(&words, "block", launch->block);
    if (launch->is_grid_assumed)
        add_shape(&words, "grid", launch->grid);
    for (unsigned i = 0; i < kernel->argument_count; i++)
        if (kernel->is_assumed[i])
            note_add(of->job->notes, "assumed: %s of %s is %s", kernel->parameter[i], kernel->name,
                     kernel->argument[i]);
    if (launch->assumed[0])
        note_add(of->job->notes, "assumed of %s: %s%s%s", kernel->name, launch->assumed,
                 say[0] ? "; say" : "", say);
}

/* One line: the place in the file, which kernel, and what of it is not understood. */
static void note_refused(const source_target *of, const source_kernel *kernel, unsigned line,
                         const smp_error *error) {
    const char *path = of->job->file.path;
    if (line > 0)
        note_add(of->job->notes, "%s:%u:%d: %s is left out: %s", path, line, error->position + 1,
                 kernel->name, error->message);
    else
        note_add(of->job->notes, "%s: %s is left out: %s", path, kernel->name, error->message);
}

/* A launch that was tried. */
typedef struct source_trial {
    smp_assumed_launch launch;
    smp_kernel_profile kernel;
    unsigned line; /* of the error; 0: of no line */
} source_trial;

static void trial_clear(source_trial *t) {
    free(t->launch.launch);
    free(t->launch.assumed);
    smp_kernel_clear(&t->kernel);
    memset(t, 0, sizeof *t);
}

static smp_status try_kernel(source_target *of, const source_kernel *kernel, source_data *data,
                             source_trial *out, smp_error *error) {
    source_layout made;
    smp_status status =
        source_layout_make(&of->job->file, kernel, &out->launch, data, &made, error);
    if (status == SMP_OK)
        status = fill(of, &made, &out->launch, &out->kernel, error);
    if (status == SMP_OK && (out->kernel.name = strdup(kernel->name)) == NULL)
        status = smp_error_memory(error);
    out->line = made.line;
    source_layout_clear(&made);
    return status;
}

/* Without what stands in arrays, where that suffices; else with numbers at random there. */
static smp_status try_launch(source_target *of, const source_kernel *kernel,
                             const smp_launch_wish *wish, source_trial *out, smp_error *error) {
    const smp_launch_subject subject = subject_of(of->text, kernel);
    smp_status status = smp_launch_assume(&subject, of->text, wish, &out->launch, error);
    if (status == SMP_OK)
        status = try_kernel(of, kernel, NULL, out, error);
    if (status == SMP_OK || status == SMP_E_MEMORY || status == SMP_E_OVERFLOW ||
        out->launch.array_count == 0)
        return status;
    smp_kernel_clear(&out->kernel);
    memset(&out->kernel, 0, sizeof out->kernel);
    return try_kernel(of, kernel, &of->data, out, error);
}

/* Sizes that were assumed may make more requests than anybody waits for. */
static bool wish_smaller(const smp_launch_wish *wish, unsigned index, smp_launch_wish *out) {
    static const int64_t extents[] = {128, 32};
    *out = *wish;
    if (index < sizeof extents / sizeof extents[0])
        out->extent = extents[index];
    return index < sizeof extents / sizeof extents[0];
}

/* A block or a size that was assumed may be too large for the kernel's arrays. */
static smp_status try_others(source_target *of, const source_kernel *kernel, source_trial *first,
                             smp_error *error) {
    const bool is_long = error->status == SMP_E_OVERFLOW;
    smp_launch_wish wish;
    smp_error ignored;
    for (unsigned i = 0; is_long ? wish_smaller(&of->job->wish, i, &wish)
                                 : smp_launch_wish_other(&first->launch, &of->job->wish, i, &wish);
         i++) {
        source_trial other = {.line = 0};
        const smp_status status = try_launch(of, kernel, &wish, &other, &ignored);
        if (status == SMP_OK) {
            trial_clear(first);
            *first = other;
            return SMP_OK;
        }
        trial_clear(&other);
    }
    return error->status;
}

static smp_status run_kernel(source_target *of, const source_kernel *kernel, smp_profile *profile,
                             bool *is_refused, smp_error *error) {
    source_trial t = {.line = 0};
    smp_status status =
        kernel->is_special
            ? smp_error_set(error, SMP_E_SYNTAX, -1, "bodies of specializations are not understood")
            : try_launch(of, kernel, &of->job->wish, &t, error);
    if ((status == SMP_E_RANGE || status == SMP_E_OVERFLOW) && t.launch.assumed[0])
        status = try_others(of, kernel, &t, error);
    smp_kernel_profile *to = status == SMP_OK ? smp_profile_add_kernel(profile) : NULL;
    *is_refused = status != SMP_OK && status != SMP_E_MEMORY;
    if (*is_refused) {
        note_refused(of, kernel, t.line, error);
    } else if (to) {
        note_assumed(of, kernel, &t.launch);
        *to = t.kernel;
        memset(&t.kernel, 0, sizeof t.kernel);
    } else {
        status = smp_error_memory(error);
    }
    trial_clear(&t);
    return *is_refused ? SMP_OK : status;
}

static bool is_wanted(const smp_source_job *job, const char *name) {
    smp_profile one = {0};
    smp_error ignored; /* an expression that is none was told before */
    const smp_profile_filter filter = {.kernel = job->kernels};
    smp_kernel_profile *kernel = smp_profile_add_kernel(&one);
    if (kernel)
        kernel->name = strdup(name);
    const bool is_kept = kernel && kernel->name &&
                         smp_profile_keep(&one, &filter, &ignored) == SMP_OK &&
                         one.kernel_count > 0;
    smp_profile_clear(&one);
    return is_kept;
}

smp_status smp_source_run(const smp_source_job *job, smp_profile *profile, unsigned *refused,
                          smp_error *error) {
    source_target of = {.job = job, .text = host_text_make(job->file.text, job->file.length)};
    source_kernel *kernels = NULL;
    size_t count = 0;
    *refused = 0;
    smp_status status =
        of.text ? source_kernels_find(of.text, &kernels, &count, error) : smp_error_memory(error);
    if (status == SMP_OK && count == 0)
        status = smp_error_set(
            error, SMP_E_SYNTAX, -1,
            "%.160s: there is no kernel in it: no __global__ function with a body", job->file.path);
    if (status == SMP_OK)
        status = smp_launch_wish_check(&job->wish, of.text, job->file.path, error);
    for (size_t i = 0; i < count && status == SMP_OK; i++) {
        bool is_refused = false;
        if (!is_wanted(job, kernels[i].name))
            continue;
        status = run_kernel(&of, &kernels[i], profile, &is_refused, error);
        *refused += is_refused;
    }
    if (status == SMP_OK && *refused > 0)
        note_add(job->notes,
                 "nvcc answers what is left out (%u of %zu kernels); without it, change that line "
                 "and ask smemprobe predict %s --kernel NAME",
                 *refused, count, job->file.path);
    source_data_clear(&of.data);
    free(kernels);
    free(of.text);
    return status;
}
