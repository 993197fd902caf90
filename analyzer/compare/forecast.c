/* SPDX-License-Identifier: MIT */
/*
 * forecast.c: what a run of a kernel asks of memory, predicted from its script, one class of blocks
 * at a time, or from the trace of its accesses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "smp_forecast.h"
#include "smp_layout.h"
#include "smp_probes.h"

typedef struct forecast {
    const smp_arch *arch;
    smp_forecast *out;
    smp_error *error;
    smp_status status;
} forecast;

/* ---- Sums ------------------------------------------------------------------------------ */

static smp_site *find_site(forecast *f, const char *name, size_t length, smp_op op,
                           uint32_t width_bytes) {
    smp_forecast *out = f->out;
    char text[SMP_SITE_NAME_MAX];
    (void)snprintf(text, sizeof text, "%.*s", (int)length, name);
    for (size_t i = 0; i < out->site_count; i++)
        if (strcmp(out->sites[i].name, text) == 0 && out->sites[i].op == op)
            return &out->sites[i];
    if (out->site_count == SMP_SITES_MAX) {
        f->status = smp_error_set(f->error, SMP_E_OVERFLOW, -1, "more than %d sites of access",
                                  SMP_SITES_MAX);
        return NULL;
    }
    smp_site *site = &out->sites[out->site_count++];
    memcpy(site->name, text, sizeof text);
    site->op = op;
    site->width_bytes = width_bytes;
    return site;
}

/* The counter that sees `op`, or -1. */
static int traffic_of(smp_op op) {
    const smp_counter *counter = smp_counter_of(op);
    for (int i = 0; i < SMP_TRAFFIC_COUNT && counter; i++)
        if (strcmp(smp_counter_of(smp_traffic_rows()[i].op)->metric, counter->metric) == 0)
            return i;
    return -1;
}

static void not_modelled(forecast *f, const char *site, const char *note) {
    f->out->status = SMP_E_NOT_MODELLED;
    (void)snprintf(f->out->why, sizeof f->out->why, "%.48s: %.100s", site,
                   note ? note : "not modelled");
}

/* Adds `sum`, which holds for one block or warp, `times` times to a site. */
static void add(forecast *f, smp_site *site, const smp_site *sum, uint64_t times) {
    smp_forecast *out = f->out;
    const smp_space space = smp_ops(NULL)[site->op].space;
    const int kind = traffic_of(site->op);
    site->requests += sum->requests * times;
    if (kind >= 0)
        out->traffic.count[kind] +=
            times * (space == SMP_SPACE_SHARED ? sum->wavefronts : sum->sectors);
    else
        not_modelled(f, site->name, "no counter sees it alone");
    if (space == SMP_SPACE_SHARED) {
        site->wavefronts += sum->wavefronts * times;
        site->ideal += sum->ideal * times;
        site->excess += sum->excess * times;
        site->ways = sum->ways > site->ways ? sum->ways : site->ways;
        out->wavefronts += sum->wavefronts * times;
        out->ideal += sum->ideal * times;
        out->excess += sum->excess * times;
        out->ways = sum->ways > out->ways ? sum->ways : out->ways;
        return;
    }
    site->sectors += sum->sectors * times;
    site->ideal_sectors += sum->ideal_sectors * times;
    out->sectors += space == SMP_SPACE_GLOBAL ? sum->sectors * times : 0;
    out->ideal_sectors += space == SMP_SPACE_GLOBAL ? sum->ideal_sectors * times : 0;
}

/* ---- Traces ---------------------------------------------------------------------------- */

/* Some kernels take seconds to follow. */
static smp_status check_patience(const forecast *f) {
    return progress_goes_on() ? SMP_OK
                              : smp_error_set(f->error, SMP_E_INTERRUPTED, -1, "interrupted");
}

static bool add_access(void *user, const char *name, const smp_access *access, uint64_t times) {
    forecast *f = user;
    smp_counts counts;
    f->status = check_patience(f);
    if (f->status != SMP_OK)
        return false;
    f->status = smp_predict(f->arch, access, &counts);
    if (f->status == SMP_E_NOT_MODELLED) {
        not_modelled(f, name, counts.note);
        f->status = SMP_OK;
        return true;
    }
    if (f->status != SMP_OK) {
        (void)smp_error_set(f->error, f->status, -1, "%s: %s", name, smp_status_message(f->status));
        return false;
    }
    smp_site *site = find_site(f, name, strlen(name), access->op, access->width_bytes);
    if (!site)
        return false;
    const smp_site sum = {.requests = 1,
                          .ways = counts.ways,
                          .wavefronts = counts.wavefronts_max,
                          .ideal = counts.ideal,
                          .excess = counts.excess,
                          .sectors = counts.transactions,
                          .ideal_sectors = smp_ideal_sectors(&counts, access->width_bytes)};
    add(f, site, &sum, times);
    return true;
}

static smp_status follow_trace(forecast *f, const smp_kernel_family *family,
                               const smp_kernel_variant *variant, const smp_kernel_case *problem,
                               const void *in) {
    void *made = NULL;
    if (!in) {
        made = malloc((size_t)family->bytes(problem).in);
        if (!made)
            return smp_error_set(f->error, SMP_E_MEMORY, -1, "out of memory for the input");
        family->fill(problem, made);
        in = made;
    }
    smp_status status = variant->trace(problem, in, add_access, f);
    free(made);
    return f->status != SMP_OK ? f->status : status;
}

/* ---- Scripts --------------------------------------------------------------------------- */

/* The comment behind line `line` of a script, without '#' and blanks; else the access itself. */
static const char *site_name(const smp_kernel_script *script, const smp_layout_access *access,
                             size_t *length) {
    const char *at = script->text;
    for (unsigned line = 1; line < access->line && at; line++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    const char *end = at ? strchr(at, '\n') : NULL;
    const char *mark = at && end ? memchr(at, '#', (size_t)(end - at)) : NULL;
    *length = access->length;
    if (!mark)
        return access->text;
    for (mark++; mark < end && *mark == ' '; mark++)
        ;
    *length = (size_t)(end - mark);
    return mark;
}

static smp_status add_layout(forecast *f, const smp_kernel_script *script, const smp_layout *layout,
                             uint64_t times) {
    for (size_t i = 0; i < smp_layout_access_count(layout); i++) {
        smp_layout_access access;
        smp_totals totals;
        unsigned line;
        smp_error cause;
        smp_layout_access_at(layout, i, &access);
        smp_status status = smp_layout_evaluate(layout, f->arch, i, &totals, &line, &cause);
        if (status == SMP_E_MASK) /* no thread of this block takes part */
            continue;
        if (status == SMP_E_OP_UNAVAILABLE)
            return smp_error_set(f->error, status, -1, "%s does not exist on %s",
                                 smp_ops(NULL)[access.op].name, f->arch->name);
        if (status != SMP_OK)
            return smp_error_set(f->error, SMP_E_INTERNAL, -1, "script, line %u: %.200s", line,
                                 cause.message);
        size_t length;
        const char *name = site_name(script, &access, &length);
        smp_site *site = find_site(f, name, length, access.op, access.width_bytes);
        if (!site)
            return f->status;
        if (totals.status == SMP_E_NOT_MODELLED)
            not_modelled(f, site->name, totals.note);
        const smp_site sum = {.requests = totals.requests,
                              .ways = totals.ways,
                              .wavefronts = totals.wavefronts_max,
                              .ideal = totals.ideal,
                              .excess = totals.excess,
                              .sectors = totals.transactions,
                              .ideal_sectors = totals.ideal_sectors};
        add(f, site, &sum, times);
    }
    return SMP_OK;
}

static smp_status run_block(forecast *f, const smp_kernel_script *script,
                            const smp_script_block *block) {
    char index[24];
    unsigned line = 0;
    smp_error cause = {0};
    smp_layout *layout = smp_layout_new();
    if (!layout)
        return smp_error_set(f->error, SMP_E_MEMORY, -1, "out of memory");
    const int length = snprintf(index, sizeof index, "%u", (unsigned)block->index);
    smp_status status = smp_layout_add(layout, "blockIdx", index, (size_t)length, 0, &cause);
    if (status == SMP_OK)
        status = smp_layout_add_lines(layout, script->text, script->length, &line, &cause);
    if (status == SMP_OK)
        status = add_layout(f, script, layout, block->times);
    else
        status = smp_error_set(f->error, SMP_E_INTERNAL, -1, "script, line %u, column %d: %.180s",
                               line, cause.position, cause.message);
    smp_layout_free(layout);
    return status;
}

static smp_status run_scripts(forecast *f, const smp_kernel_variant *variant,
                              const smp_kernel_case *problem) {
    smp_kernel_script *script = malloc(sizeof *script);
    smp_status status =
        script ? SMP_OK : smp_error_set(f->error, SMP_E_MEMORY, -1, "out of memory");
    for (uint32_t kernel = 0; status == SMP_OK; kernel++) {
        script->length = script->block_count = 0;
        script->overflows = false;
        script->text[0] = '\0';
        if (!variant->script(problem, kernel, script))
            break;
        if (script->overflows)
            status = smp_error_set(f->error, SMP_E_INTERNAL, -1, "%s: the script is too long",
                                   variant->name);
        for (size_t i = 0; i < script->block_count && status == SMP_OK; i++) {
            status = check_patience(f);
            if (status == SMP_OK)
                status = run_block(f, script, &script->blocks[i]);
        }
    }
    free(script);
    return status;
}

smp_status smp_kernel_forecast(const smp_arch *arch, const smp_kernel_family *family,
                               const smp_kernel_variant *variant, const smp_kernel_case *problem,
                               const void *in, smp_forecast *out, smp_error *error) {
    memset(out, 0, sizeof *out);
    forecast f = {.arch = arch, .out = out, .error = error, .status = SMP_OK};
    smp_status status = smp_kernel_check(family, variant, problem, error);
    if (status != SMP_OK)
        return status;
    if (variant->script)
        status = run_scripts(&f, variant, problem);
    if (status == SMP_OK && variant->trace)
        status = follow_trace(&f, family, variant, problem, in);
    return status;
}
