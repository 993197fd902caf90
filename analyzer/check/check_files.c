/* SPDX-License-Identifier: MIT */
/*
 * Reads layout files and judges them: one case for each expectation on each architecture, one for
 * each bound of the command line and access, one for whatever is wrong with a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_files.h"
#include "layout_cost.h"
#include "text_file.h"

/* Room for one more element; false: out of memory. */
static bool grow(void **items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return true;
    size_t more = *capacity > 0 ? 2 * *capacity : 16;
    void *bigger = realloc(*items, more * size);
    if (!bigger)
        return false;
    *items = bigger;
    *capacity = more;
    return true;
}

static smp_case *add_case(smp_check *check, smp_verdict verdict) {
    if (!grow((void **)&check->cases, check->count, &check->capacity, sizeof *check->cases))
        return NULL;
    smp_case *added = &check->cases[check->count++];
    *added = (smp_case){.verdict = verdict, .column = -1, .rule = ""};
    check->violated += verdict == SMP_VIOLATED;
    check->broken += verdict == SMP_BROKEN;
    return added;
}

static smp_status add_broken(smp_check *check, const char *file, unsigned line,
                             const smp_arch *arch, const smp_error *error) {
    smp_case *added = add_case(check, SMP_BROKEN);
    if (!added)
        return SMP_E_MEMORY;
    added->file = file;
    added->line = line;
    added->column = error->position;
    added->arch = arch;
    (void)snprintf(added->message, sizeof added->message, "%s", error->message);
    return SMP_OK;
}

/* ---- Judging --------------------------------------------------------------------------- */

static smp_status judge_expectations(smp_check *check, const smp_layout_report *report,
                                     const smp_arch *arch) {
    for (size_t i = 0; i < smp_layout_expect_count(report->layout); i++) {
        smp_layout_expect expect;
        smp_layout_access access;
        char reason[256] = "";
        smp_layout_expect_at(report->layout, i, &expect);
        if (expect.arch && expect.arch != arch)
            continue;
        bool holds = smp_layout_expect_holds(report->layout, i, &report->totals[expect.access],
                                             reason, sizeof reason);
        smp_case *added = add_case(check, holds ? SMP_HOLDS : SMP_VIOLATED);
        if (!added)
            return SMP_E_MEMORY;
        smp_layout_access_at(report->layout, expect.access, &access);
        added->file = report->file;
        added->line = expect.line;
        added->arch = arch;
        added->rule = expect.text;
        added->rule_length = expect.length;
        added->access = access.text;
        added->access_length = access.length;
        (void)snprintf(added->message, sizeof added->message, "%s", reason);
    }
    return SMP_OK;
}

/* One bound of the command line for one access. */
static smp_status judge_bound(smp_check *check, const smp_layout_report *report,
                              const smp_arch *arch, size_t index, const char *rule,
                              const char *count, uint64_t value, int64_t bound) {
    bool is_known = report->totals[index].valid & SMP_HAS_WAVEFRONTS;
    if (bound < 0 || !is_known)
        return SMP_OK;
    bool holds = value <= (uint64_t)bound;
    smp_case *added = add_case(check, holds ? SMP_HOLDS : SMP_VIOLATED);
    if (!added)
        return SMP_E_MEMORY;
    smp_layout_access access;
    smp_layout_access_at(report->layout, index, &access);
    added->file = report->file;
    added->line = access.line;
    added->arch = arch;
    added->rule = rule;
    added->rule_length = strlen(rule);
    added->access = access.text;
    added->access_length = access.length;
    if (!holds)
        (void)snprintf(added->message, sizeof added->message, "%s is %llu", count,
                       (unsigned long long)value);
    return SMP_OK;
}

/* Accesses that bounds are about, but whose cost is not known. */
static size_t count_unjudged(const smp_check *check, const smp_layout_report *report) {
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++) {
        const smp_totals *totals = &report->totals[i];
        smp_space space = smp_ops(NULL)[totals->worst.op].space;
        bool has_ways = space == SMP_SPACE_SHARED || space == SMP_SPACE_COPY;
        count += has_ways && totals->requests > 0 && !(totals->valid & SMP_HAS_WAVEFRONTS);
    }
    return check->max_ways >= 0 || check->max_excess >= 0 ? count : 0;
}

static smp_status judge(smp_check *check, const smp_layout_report *report, const smp_arch *arch) {
    smp_status status = judge_expectations(check, report, arch);
    for (size_t i = 0; i < report->count && status == SMP_OK; i++) {
        const smp_totals *totals = &report->totals[i];
        status = judge_bound(check, report, arch, i, check->max_ways_text, "ways", totals->ways,
                             check->max_ways);
        if (status == SMP_OK)
            status = judge_bound(check, report, arch, i, check->max_excess_text, "excess",
                                 totals->excess, check->max_excess);
    }
    check->accesses += report->count;
    check->unjudged += count_unjudged(check, report);
    return status;
}

static smp_status check_arch(smp_check *check, const char *name, const smp_layout *layout,
                             const smp_arch *arch) {
    smp_layout_report report;
    smp_error error = {.position = -1};
    unsigned line;
    smp_status status = smp_layout_report_fill(&report, name, layout, arch, &line, &error);
    if (status == SMP_OK)
        status = judge(check, &report, arch);
    else if (status != SMP_E_MEMORY)
        status = add_broken(check, name, line, arch, &error);
    smp_layout_report_clear(&report);
    return status;
}

static smp_status check_archs(smp_check *check, const char *name, const smp_layout *layout) {
    size_t own = smp_layout_arch_count(layout);
    size_t count = check->arch_count > 0 ? check->arch_count : own > 0 ? own : 1;
    smp_status status = SMP_OK;
    for (size_t i = 0; i < count && status == SMP_OK; i++) {
        const smp_arch *arch = check->arch_count > 0 ? check->archs[i]
                               : own > 0             ? smp_layout_arch(layout, i)
                                                     : check->default_arch;
        status = check_arch(check, name, layout, arch);
    }
    return status;
}

smp_status smp_check_file(smp_check *check, const char *name) {
    if (!grow((void **)&check->files, check->file_count, &check->file_capacity,
              sizeof *check->files))
        return SMP_E_MEMORY;
    smp_checked_file *file = &check->files[check->file_count++];
    size_t length = 0;
    unsigned line = 0;
    smp_error error = {.position = -1};
    file->text = NULL;
    file->layout = smp_layout_new();
    if (!file->layout)
        return SMP_E_MEMORY;
    smp_status status = smp_text_read(name, &file->text, &length, &error);
    if (status == SMP_OK)
        status = smp_layout_add_lines(file->layout, file->text, length, &line, &error);
    if (status == SMP_E_MEMORY)
        return status;
    return status == SMP_OK ? check_archs(check, name, file->layout)
                            : add_broken(check, name, line, NULL, &error);
}

void smp_check_clear(smp_check *check) {
    for (size_t i = 0; i < check->file_count; i++) {
        free(check->files[i].text);
        smp_layout_free(check->files[i].layout);
    }
    free(check->files);
    free(check->cases);
    check->files = NULL;
    check->cases = NULL;
    check->count = check->capacity = check->file_count = check->file_capacity = 0;
}
