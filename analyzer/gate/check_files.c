/* SPDX-License-Identifier: MIT */
/*
 * Reads layout files and judges them: one case per expectation, access of its line and
 * architecture, one per limit of the command line and access, one per broken file.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check_case.h"
#include "layout_cost.h"
#include "layout_view.h"
#include "list.h"
#include "text_file.h"

/* ---- Judging ---- */

/* A file being judged. */
typedef struct judgement {
    smp_check *check;
    const char *name;
    const smp_layout *layout;
    bool *is_unjudged; /* one per access */
    size_t judged;     /* cases */
} judgement;

static smp_status add_about(judgement *j, smp_verdict verdict, size_t access, const smp_arch *arch,
                            smp_case **out) {
    smp_layout_access about;
    smp_case *added = *out = smp_check_add(j->check, verdict);
    if (!added)
        return SMP_E_MEMORY;
    smp_layout_access_at(j->layout, access, &about);
    added->file = j->name;
    added->line = about.line;
    added->arch = arch;
    added->access = about.text;
    added->access_length = about.length;
    j->judged += verdict != SMP_NOT_JUDGED;
    return SMP_OK;
}

/* Judges one expectation for one access of its line. */
static smp_status judge_promise(judgement *j, const smp_layout_prediction *report,
                                const smp_arch *arch, size_t index, size_t access) {
    char reason[sizeof((smp_case *)0)->message] = "";
    smp_layout_expect expect;
    smp_case *added;
    bool holds =
        smp_layout_expect_holds(j->layout, index, &report->totals[access], reason, sizeof reason);
    smp_status status = add_about(j, holds ? SMP_HOLDS : SMP_VIOLATED, access, arch, &added);
    if (status != SMP_OK)
        return status;
    smp_layout_expect_at(j->layout, index, &expect);
    added->line = expect.line;
    added->rule = expect.text;
    added->rule_length = expect.length;
    (void)snprintf(added->message, sizeof added->message, "%s", reason);
    return SMP_OK;
}

/* Judges each access of the line that has the expected count; the last one if none has. */
static smp_status judge_expectation(judgement *j, const smp_layout_prediction *report,
                                    const smp_arch *arch, size_t index) {
    smp_layout_expect expect;
    smp_status status = SMP_OK;
    const size_t before = j->judged;
    smp_layout_expect_at(j->layout, index, &expect);
    for (size_t i = expect.first; i <= expect.access && status == SMP_OK; i++) {
        bool is_forced = i == expect.access && j->judged == before;
        if (is_forced || smp_layout_expect_concerns(j->layout, index, i))
            status = judge_promise(j, report, arch, index, i);
    }
    return status;
}

/* Expectations for every architecture apply only if `is_chosen`. */
static smp_status judge_expectations(judgement *j, const smp_layout_prediction *report,
                                     const smp_arch *arch, bool is_chosen) {
    smp_status status = SMP_OK;
    for (size_t i = 0; i < smp_layout_expect_count(j->layout) && status == SMP_OK; i++) {
        smp_layout_expect expect;
        smp_layout_expect_at(j->layout, i, &expect);
        if (expect.arch ? expect.arch == arch : is_chosen)
            status = judge_expectation(j, report, arch, i);
    }
    return status;
}

/* Judges one limit of the command line for one access. */
static smp_status judge_bound(judgement *j, const smp_layout_prediction *report,
                              const smp_arch *arch, size_t index, char rule[40], const char *count,
                              uint64_t value, int64_t bound) {
    const smp_totals *totals = &report->totals[index];
    const smp_space space = smp_ops(NULL)[totals->worst.op].space;
    const bool is_known = totals->valid & SMP_HAS_WAVEFRONTS;
    const bool has_ways = space == SMP_SPACE_SHARED || space == SMP_SPACE_COPY;
    if (bound < 0 || (!is_known && (!has_ways || totals->requests == 0)))
        return SMP_OK;
    smp_case *added;
    smp_status status = add_about(j,
                                  !is_known                  ? SMP_NOT_JUDGED
                                  : value <= (uint64_t)bound ? SMP_HOLDS
                                                             : SMP_VIOLATED,
                                  index, arch, &added);
    if (status != SMP_OK)
        return status;
    smp_check_bound(added, rule, count, value, bound);
    if (added->verdict == SMP_NOT_JUDGED)
        (void)snprintf(added->message, sizeof added->message, "%s unknown: %s", count,
                       totals->note ? totals->note : "not modelled");
    j->is_unjudged[index] |= !is_known;
    return SMP_OK;
}

static smp_status judge_bounds(judgement *j, const smp_layout_prediction *report,
                               const smp_arch *arch) {
    smp_check *check = j->check;
    smp_status status = SMP_OK;
    for (size_t i = 0; i < report->count && status == SMP_OK; i++) {
        const smp_totals *totals = &report->totals[i];
        status = judge_bound(j, report, arch, i, check->max_ways_text, "ways", totals->ways,
                             check->max_ways);
        if (status == SMP_OK)
            status = judge_bound(j, report, arch, i, check->max_excess_text, "excess",
                                 totals->excess, check->max_excess);
    }
    return status;
}

static smp_status judge_arch(judgement *j, const smp_arch *arch, bool is_chosen) {
    smp_layout_prediction report;
    smp_error error = {.position = -1};
    unsigned line;
    smp_status status =
        smp_layout_prediction_fill(&report, j->name, j->layout, arch, &line, &error);
    if (status == SMP_OK) {
        status = judge_expectations(j, &report, arch, is_chosen);
        if (status == SMP_OK && is_chosen)
            status = judge_bounds(j, &report, arch);
    } else if (status != SMP_E_MEMORY) {
        status = smp_check_add_broken(j->check, j->name, line, arch, &error);
        j->judged++;
    }
    smp_layout_prediction_clear(&report);
    return status;
}

/* ---- Architectures ---- */

/* The architectures of the command line, else of the file, else the default. */
static bool is_chosen(const judgement *j, const smp_arch *arch) {
    const smp_check *check = j->check;
    const size_t own = smp_layout_arch_count(j->layout);
    if (check->arch_count == 0 && own == 0)
        return arch == check->default_arch;
    for (size_t i = 0; i < check->arch_count; i++)
        if (strcmp(check->archs[i].name, arch->name) == 0)
            return true;
    for (size_t i = 0; i < own && check->arch_count == 0; i++)
        if (arch == smp_layout_arch(j->layout, i))
            return true;
    return false;
}

/* An expectation "on sm_80" is checked on sm_80, whatever --arch says. */
static bool is_promised(const judgement *j, const smp_arch *arch) {
    for (size_t i = 0; i < smp_layout_expect_count(j->layout); i++) {
        smp_layout_expect expect;
        smp_layout_expect_at(j->layout, i, &expect);
        if (expect.arch == arch)
            return true;
    }
    return false;
}

static smp_status judge_archs(judgement *j) {
    size_t count;
    const smp_arch *rows = smp_archs(&count);
    smp_status status = SMP_OK;
    for (size_t i = 0; i < count && status == SMP_OK; i++)
        if (is_chosen(j, &rows[i]))
            status = judge_arch(j, &rows[i], true);
    for (size_t i = 0; i < count && status == SMP_OK; i++)
        if (!is_chosen(j, &rows[i]) && is_promised(j, &rows[i]))
            status = judge_arch(j, &rows[i], false);
    return status;
}

static const char *why_empty(const smp_check *check, const smp_layout *layout) {
    return smp_layout_access_count(layout) == 0 ? "it contains no access"
           : check->max_ways >= 0 || check->max_excess >= 0
               ? "no access that the limits apply to, and no 'expect' line"
               : "no 'expect' line, and no --max-ways or --max-excess";
}

static smp_status judge_file(smp_check *check, const char *name, const smp_layout *layout) {
    judgement j = {.check = check, .name = name, .layout = layout};
    const size_t count = smp_layout_access_count(layout);
    j.is_unjudged = calloc(count + 1, sizeof *j.is_unjudged);
    smp_status status = !j.is_unjudged ? SMP_E_MEMORY : count > 0 ? judge_archs(&j) : SMP_OK;
    if (status == SMP_OK && j.judged == 0)
        status = smp_check_add_empty(check, name, why_empty(check, layout));
    check->accesses += count;
    for (size_t i = 0; i < count && status == SMP_OK; i++)
        check->unjudged += j.is_unjudged[i];
    free(j.is_unjudged);
    return status;
}

static smp_status check_file(smp_check *check, const char *name) {
    if (!LIST_ROOM(check->files, check->file_count))
        return SMP_E_MEMORY;
    smp_checked_file *file = &check->files[check->file_count++];
    size_t length = 0;
    unsigned line = 0;
    smp_error error = {.position = -1};
    file->text = NULL;
    file->layout = smp_layout_new();
    if (!file->layout)
        return SMP_E_MEMORY;
    const bool is_wrong = smp_text_read(name, &file->text, &length, &error) ||
                          (check->kernel && smp_layout_add(file->layout, "kernel", check->kernel,
                                                           strlen(check->kernel), 0, &error)) ||
                          smp_layout_add_lines(file->layout, file->text, length, &line, &error);
    if (is_wrong && error.status == SMP_E_MEMORY)
        return SMP_E_MEMORY;
    check->has_kernel |= smp_layout_has_kernel(file->layout);
    return is_wrong ? smp_check_add_broken(check, name, line, NULL, &error)
                    : judge_file(check, name, file->layout);
}

/* ---- Folders ---- */

/* "folder/name", kept until the check is cleared; NULL if out of memory. */
static const char *keep_name(smp_check *check, const char *folder, const char *name) {
    const bool has_slash = folder[0] != '\0' && folder[strlen(folder) - 1] == '/';
    return smp_check_keep(check, folder, has_slash ? "" : "/", name);
}

static bool is_folder(const char *name) {
    struct stat found;
    return stat(name, &found) == 0 && S_ISDIR(found.st_mode);
}

/* A link to a folder may lead in circles. */
static bool is_linked(const char *name) {
    struct stat found;
    return lstat(name, &found) == 0 && S_ISLNK(found.st_mode);
}

/* A source contains no expectations, so its kernels are judged only by limits. */
static bool has_bounds(const smp_check *check) {
    return check->max_ways >= 0 || check->max_excess >= 0;
}

static smp_status check_found(smp_check *check, const char *name) {
    return smp_name_ends(name, ".smp")                       ? check_file(check, name)
           : has_bounds(check) && smp_name_ends(name, ".cu") ? smp_check_source(check, name, false)
                                                             : SMP_OK;
}

static smp_status check_folder(smp_check *check, const char *folder, unsigned depth) {
    enum { DEPTH_MAX = 64 };
    struct dirent **entries;
    smp_status status = SMP_OK;
    smp_error error;
    const int count = scandir(folder, &entries, smp_is_visible, alphasort);
    if (count < 0 || depth > DEPTH_MAX) {
        (void)smp_error_set(&error, SMP_E_READ, -1, "cannot be read: %s",
                            strerror(count < 0 ? errno : ELOOP));
        status = smp_check_add_broken(check, folder, 0, NULL, &error);
    }
    for (int i = 0; i < count; i++) {
        const char *name = status == SMP_OK ? keep_name(check, folder, entries[i]->d_name) : NULL;
        free(entries[i]);
        if (status != SMP_OK)
            continue;
        status = !name ? SMP_E_MEMORY
                 : is_folder(name)
                     ? (is_linked(name) ? SMP_OK : check_folder(check, name, depth + 1))
                     : check_found(check, name);
    }
    if (count >= 0)
        free(entries);
    return status;
}

/* Files that another command judges: nothing to check here. NULL for others. */
static const char *judged_elsewhere(const char *name) {
    return smp_name_ends(name, ".smprof") ? "smemprobe report --max-ways N judges a profile"
           : smp_name_ends(name, ".cubin") || smp_name_ends(name, ".ptx")
               ? "smemprobe emulate --max-ways N judges machine code"
               : NULL;
}

smp_status smp_check_path(smp_check *check, const char *name) {
    const size_t before = check->file_count + check->source_count + check->broken;
    if (judged_elsewhere(name))
        return smp_check_add_empty(check, name, judged_elsewhere(name));
    if (!is_folder(name))
        return smp_name_ends(name, ".cu") ? smp_check_source(check, name, true)
                                          : check_file(check, name);
    smp_status status = check_folder(check, name, 0);
    if (status != SMP_OK || check->file_count + check->source_count + check->broken > before)
        return status;
    return smp_check_add_empty(check, name,
                               has_bounds(check)
                                   ? "no .smp or .cu file in this folder"
                                   : "no .smp file in this folder; .cu files need --max-ways");
}

smp_status smp_check_end(smp_check *check, const char *name) {
    const bool is_told = check->kernel && !check->has_kernel;
    return check->count > 0 || is_told
               ? SMP_OK
               : smp_check_add_empty(check, name, "no access to shared memory was seen");
}

void smp_check_clear(smp_check *check) {
    for (smp_kept_name *next; check->names; check->names = next) {
        next = check->names->next;
        free(check->names);
    }
    for (size_t i = 0; i < check->file_count; i++) {
        free(check->files[i].text);
        smp_layout_free(check->files[i].layout);
    }
    free(check->files);
    free(check->cases);
    check->files = NULL;
    check->cases = NULL;
    check->count = check->file_count = 0;
}
