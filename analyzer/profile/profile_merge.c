/* SPDX-License-Identifier: MIT */
/*
 * Profiles brought into one order, and several into one. What the parts disagree on (a launch's
 * grid, say) is decided by value and never by which came first, so any order gives the same.
 */
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "profile_order.h"

static int compare_runs(const void *left, const void *right) {
    return smp_run_compare(left, right);
}

static int compare_sites(const void *left, const void *right) {
    const smp_profile_site *a = left, *b = right;
    COMPARE_NUMBERS(a->offset_bytes, b->offset_bytes);
    COMPARE_NUMBERS(a->space, b->space);
    COMPARE_NUMBERS(a->is_local, b->is_local);
    COMPARE_NUMBERS(a->op, b->op);
    COMPARE_NUMBERS(a->width_bytes, b->width_bytes);
    return 0;
}

static int compare_kernels(const void *left, const void *right) {
    const smp_kernel_profile *a = left, *b = right;
    int order = text_compare(a->name, b->name);
    if (order != 0)
        return order;
    COMPARE_NUMBERS(a->code_hash, b->code_hash);
    return text_compare(a->arch ? a->arch->name : NULL, b->arch ? b->arch->name : NULL);
}

static int compare_arrays(const void *left, const void *right) {
    const smp_shared_array *a = left, *b = right;
    COMPARE_NUMBERS(a->offset_bytes, b->offset_bytes);
    return text_compare(a->name, b->name);
}

/* Takes over a text that `into` lacks; of two, the one that sorts first stays. */
static void fold_text(char **into, char **from) {
    if (!*into || (*from && strcmp(*from, *into) < 0)) {
        char *swapped = *into;
        *into = *from;
        *from = swapped;
    }
}

static int compare_frames(const smp_profile_site *a, const smp_profile_site *b) {
    COMPARE_NUMBERS(a->frame_count, b->frame_count);
    for (uint32_t i = 0; i < a->frame_count; i++) {
        const int order = text_compare(a->frames[i].file, b->frames[i].file);
        if (order != 0)
            return order;
        COMPARE_NUMBERS(a->frames[i].line, b->frames[i].line);
    }
    return 0;
}

static void fold_frames(smp_profile_site *into, smp_profile_site *from) {
    if (compare_frames(into, from) >= 0)
        return;
    const smp_profile_site swapped = *into;
    into->frames = from->frames;
    into->frame_count = from->frame_count;
    from->frames = swapped.frames;
    from->frame_count = swapped.frame_count;
}

/* Copies that were made, and not all sectors are known. */
static bool lacks_sectors(const smp_profile_site *site) {
    return site->op == SMP_CP_ASYNC && site->requests > 0 && !smp_site_has_sectors(site);
}

static smp_status fold_site(smp_profile_site *into, smp_profile_site *from) {
    into->lacks_sectors = lacks_sectors(into) || lacks_sectors(from);
    into->requests += from->requests;
    into->lanes += from->lanes;
    into->wavefronts += from->wavefronts;
    into->ideal += from->ideal;
    into->sectors += from->sectors;
    into->ideal_sectors += from->ideal_sectors;
    into->requests_lost += from->requests_lost;
    into->ways = from->ways > into->ways ? from->ways : into->ways;
    smp_site_offer_worst(into, &from->worst);
    fold_text(&into->opcode, &from->opcode);
    fold_text(&into->operands, &from->operands);
    fold_text(&into->not_modelled, &from->not_modelled);
    fold_frames(into, from);
    smp_status status = SMP_OK;
    for (uint32_t i = 0; status == SMP_OK && i < from->distinct_count; i++)
        status = smp_site_add_distinct(into, &from->distinct[i]);
    smp_site_clear(from);
    return status;
}

static void fold_launch(smp_kernel_profile *into, const smp_kernel_profile *from) {
    uint32_t a[7], b[7];
    memcpy(a, into->grid, sizeof into->grid);
    memcpy(a + 3, into->block, sizeof into->block);
    memcpy(b, from->grid, sizeof from->grid);
    memcpy(b + 3, from->block, sizeof from->block);
    a[6] = into->shared_bytes;
    b[6] = from->shared_bytes;
    for (unsigned i = 0; i < 7; i++) {
        if (a[i] > b[i])
            return;
        if (a[i] < b[i])
            break;
    }
    memcpy(into->grid, from->grid, sizeof into->grid);
    memcpy(into->block, from->block, sizeof into->block);
    into->shared_bytes = from->shared_bytes;
}

static smp_status move_sites(smp_kernel_profile *into, smp_kernel_profile *from) {
    for (uint32_t i = 0; i < from->site_count; i++) {
        smp_profile_site *site = smp_kernel_add_site(into);
        if (!site)
            return SMP_E_MEMORY;
        *site = from->sites[i];
        memset(&from->sites[i], 0, sizeof from->sites[i]);
    }
    for (uint32_t i = 0; i < from->array_count; i++) {
        smp_shared_array *array = smp_kernel_add_array(into);
        if (!array)
            return SMP_E_MEMORY;
        *array = from->arrays[i];
        memset(&from->arrays[i], 0, sizeof from->arrays[i]);
    }
    return SMP_OK;
}

/* Of what is known: the slower GPU bounds a time from above. */
static void fold_smaller(uint32_t *into, uint32_t from) {
    if (*into == 0 || (from != 0 && from < *into))
        *into = from;
}

static smp_status fold_kernel(smp_kernel_profile *into, smp_kernel_profile *from) {
    into->launches += from->launches;
    into->launches_skipped += from->launches_skipped;
    into->blocks += from->blocks;
    into->rounds += from->rounds;
    into->time_us += from->time_us;
    into->stage_us += from->stage_us;
    into->gain_us += from->gain_us;
    fold_smaller(&into->multiprocessors, from->multiprocessors);
    fold_smaller(&into->clock_khz, from->clock_khz);
    fold_launch(into, from);
    fold_text(&into->demangled, &from->demangled);
    fold_text(&into->not_seen, &from->not_seen);
    fold_text(&into->barriers, &from->barriers);
    fold_text(&into->calls, &from->calls);
    smp_status status = SMP_OK;
    for (uint32_t i = 0; status == SMP_OK && i < from->caller_count; i++)
        status = smp_kernel_add_caller(into, from->callers[i].file, from->callers[i].line);
    for (uint32_t i = 0; status == SMP_OK && i < from->described_count; i++)
        status = smp_kernel_add_described(into, from->described[i]);
    if (status == SMP_OK)
        status = move_sites(into, from);
    smp_kernel_clear(from);
    return status;
}

static smp_status sort_sites(smp_kernel_profile *kernel) {
    uint32_t kept = 0;
    smp_status status = SMP_OK;
    if (kernel->site_count > 1)
        qsort(kernel->sites, kernel->site_count, sizeof *kernel->sites, compare_sites);
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        smp_profile_site *last = kept > 0 ? &kernel->sites[kept - 1] : NULL;
        if (last && status == SMP_OK && compare_sites(last, &kernel->sites[i]) == 0)
            status = fold_site(last, &kernel->sites[i]);
        else
            kernel->sites[kept++] = kernel->sites[i];
    }
    kernel->site_count = kept;
    return status;
}

static void sort_arrays(smp_kernel_profile *kernel) {
    uint32_t kept = 0;
    if (kernel->array_count > 1)
        qsort(kernel->arrays, kernel->array_count, sizeof *kernel->arrays, compare_arrays);
    for (uint32_t i = 0; i < kernel->array_count; i++) {
        smp_shared_array *last = kept > 0 ? &kernel->arrays[kept - 1] : NULL;
        if (last && compare_arrays(last, &kernel->arrays[i]) == 0) {
            last->size_bytes = kernel->arrays[i].size_bytes > last->size_bytes
                                   ? kernel->arrays[i].size_bytes
                                   : last->size_bytes;
            free(kernel->arrays[i].name);
            free(kernel->arrays[i].type);
        } else {
            kernel->arrays[kept++] = kernel->arrays[i];
        }
    }
    kernel->array_count = kept;
}

smp_status smp_profile_sort(smp_profile *profile, smp_error *error) {
    uint32_t kept = 0;
    smp_status status = SMP_OK;
    if (profile->run_count > 1)
        qsort(profile->runs, profile->run_count, sizeof *profile->runs, compare_runs);
    if (profile->kernel_count > 1)
        qsort(profile->kernels, profile->kernel_count, sizeof *profile->kernels, compare_kernels);
    profile->finding_count = smp_findings_sort(profile->findings, profile->finding_count);
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        smp_kernel_profile *last = kept > 0 ? &profile->kernels[kept - 1] : NULL;
        if (last && status == SMP_OK && compare_kernels(last, &profile->kernels[i]) == 0)
            status = fold_kernel(last, &profile->kernels[i]);
        else
            profile->kernels[kept++] = profile->kernels[i];
    }
    profile->kernel_count = kept;
    for (uint32_t i = 0; status == SMP_OK && i < kept; i++) {
        status = sort_sites(&profile->kernels[i]);
        sort_arrays(&profile->kernels[i]);
    }
    return status == SMP_OK ? SMP_OK : smp_error_memory(error);
}

static smp_status move_findings(smp_profile *into, smp_profile *from) {
    for (uint32_t i = 0; i < from->finding_count; i++) {
        smp_profile_finding *finding = smp_profile_add_finding(into);
        if (!finding)
            return SMP_E_MEMORY;
        *finding = from->findings[i];
        memset(&from->findings[i], 0, sizeof from->findings[i]);
    }
    into->findings_hidden += from->findings_hidden;
    return SMP_OK;
}

smp_status smp_profile_merge(smp_profile *into, smp_profile *from, smp_error *error) {
    smp_status status = SMP_OK;
    for (uint32_t i = 0; status == SMP_OK && i < from->run_count; i++) {
        smp_run *run = smp_profile_add_run(into);
        status = run ? SMP_OK : SMP_E_MEMORY;
        if (run) {
            *run = from->runs[i];
            memset(&from->runs[i], 0, sizeof from->runs[i]);
        }
    }
    for (uint32_t i = 0; status == SMP_OK && i < from->kernel_count; i++) {
        smp_kernel_profile *kernel = smp_profile_add_kernel(into);
        status = kernel ? SMP_OK : SMP_E_MEMORY;
        if (kernel) {
            *kernel = from->kernels[i];
            memset(&from->kernels[i], 0, sizeof from->kernels[i]);
        }
    }
    if (status == SMP_OK)
        status = move_findings(into, from);
    smp_profile_clear(from);
    if (status != SMP_OK)
        return smp_error_memory(error);
    return smp_profile_sort(into, error);
}
