/* SPDX-License-Identifier: MIT */
/* The predicted memory traffic of a kernel, summed by site. */
#include <string.h>

#include "progress.h"
#include "smp_forecast.h"
#include "smp_probes.h"

typedef struct forecast {
    const smp_arch *arch;
    smp_forecast *out;
    smp_site *last; /* the latest site, often used again */
} forecast;

/* NULL if there are too many. */
static smp_site *find_site(forecast *f, const char *name, const smp_access *access) {
    smp_forecast *out = f->out;
    if (f->last && f->last->op == access->op && strcmp(f->last->name, name) == 0)
        return f->last;
    f->last = NULL;
    for (size_t i = 0; i < out->site_count && !f->last; i++)
        if (strcmp(out->sites[i].name, name) == 0 && out->sites[i].op == access->op)
            f->last = &out->sites[i];
    if (f->last || out->site_count == SMP_SITES_MAX)
        return f->last;
    f->last = &out->sites[out->site_count++];
    (void)snprintf(f->last->name, sizeof f->last->name, "%s", name);
    f->last->op = access->op;
    f->last->width_bytes = access->width_bytes;
    return f->last;
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

/* Copies of 16 bytes (`bypasses`) count as loads of their sectors; no counter sees their shared
 * memory side, which takes no wavefront. */
static void add(forecast *f, smp_site *site, const smp_counts *counts, uint64_t times,
                bool bypasses) {
    const smp_op op = bypasses ? SMP_LD_GLOBAL : site->op;
    const smp_space space = smp_ops(NULL)[op].space;
    const int kind = traffic_of(op);
    smp_tally sum = {0};
    smp_tally_take(&sum, counts, site->width_bytes, times);
    smp_tally_add(&site->sum, &sum, 1);
    if (space == SMP_SPACE_SHARED)
        smp_tally_add(&f->out->shared, &sum, 1);
    if (space == SMP_SPACE_GLOBAL)
        smp_tally_add(&f->out->global, &sum, 1);
    if (kind >= 0)
        f->out->traffic.count[kind] +=
            space == SMP_SPACE_SHARED ? sum.wavefronts_max : sum.transactions;
    else
        not_modelled(f, site->name, "no counter sees it alone");
}

static smp_status add_access(void *user, const smp_occurrence *seen, smp_error *error) {
    forecast *f = user;
    const smp_access *access = seen->access;
    smp_counts counts;
    if (!progress_goes_on()) /* some kernels take seconds */
        return smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
    const smp_status status = smp_predict(f->arch, access, &counts);
    if (status == SMP_E_OP_UNAVAILABLE)
        return smp_error_set(error, status, -1, "%s does not exist on %s",
                             smp_ops(NULL)[access->op].name, f->arch->name);
    if (status != SMP_OK && status != SMP_E_NOT_MODELLED)
        return smp_error_set(error, status, -1, "%s: %s", seen->site, smp_status_message(status));
    smp_site *site = find_site(f, seen->site, access);
    if (!site)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "more than %d access sites", SMP_SITES_MAX);
    if (status == SMP_E_NOT_MODELLED)
        not_modelled(f, site->name, counts.note);
    add(f, site, &counts, seen->times,
        status == SMP_OK && smp_op_bypasses_l1(access->op, access->width_bytes));
    return SMP_OK;
}

/* SMP_E_OP_UNAVAILABLE if the architecture lacks something the variant needs. */
static smp_status provide(const smp_arch *arch, smp_kernel_need needs, smp_error *error) {
    if (needs == SMP_NEEDS_ASYNC_COPIES && smp_op_evidence(arch, SMP_CP_ASYNC, 16) == SMP_ABSENT)
        return smp_error_set(error, SMP_E_OP_UNAVAILABLE, -1, "cp.async does not exist on %s",
                             arch->name);
    if (needs == SMP_NEEDS_WGMMA && !arch->wgmma_source)
        return smp_error_set(error, SMP_E_OP_UNAVAILABLE, -1, "wgmma does not exist on %s",
                             arch->name);
    return SMP_OK;
}

smp_status smp_kernel_forecast(const smp_arch *arch, const smp_kernel_family *family,
                               const smp_kernel_variant *variant, const smp_kernel_case *problem,
                               const void *in, smp_forecast *out, smp_error *error) {
    memset(out, 0, sizeof *out);
    const smp_kernel_stream stream = {family, variant, problem, in};
    forecast f = {.arch = arch, .out = out};
    const smp_status status = provide(arch, variant->needs, error);
    if (status != SMP_OK)
        return status;
    return smp_stream_kernel.visit(&stream, add_access, &f, error);
}
