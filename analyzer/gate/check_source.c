/* SPDX-License-Identifier: MIT */
/*
 * Judges a .cu file by the limits of a gate: its kernels run alone, with launches found in the file
 * or assumed ones. No host code runs. A finding is a violation, too, unless the launch is assumed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_case.h"
#include "compile_flags.h"
#include "list.h"
#include "profile_filter.h"
#include "source_line.h"
#include "source_run.h"
#include "target_run.h"
#include "text_file.h"
#include "tool.h"

enum { LAUNCH_MOST = 2000000000 /* warp instructions, so that a gate ends */ };

/* Kernels whose launches are assumed, fully or in part. */
typedef struct assumed_kernels {
    smp_check *check; /* owns their names */
    const char **names;
    size_t count;
} assumed_kernels;

static void keep_assumed(void *user, const smp_target_left *left) {
    assumed_kernels *to = user;
    if (left->assumed[0] && LIST_ROOM(to->names, to->count))
        to->names[to->count++] = smp_check_keep(to->check, left->function->name, "", "");
}

static bool is_assumed(const assumed_kernels *of, const char *kernel) {
    return LIST_FIND(of->names, of->count, kernel);
}

static smp_status run_code(assumed_kernels *assumed, const char *name, const smp_arch *arch,
                           smp_profile *profile, smp_error *error) {
    const smp_check *check = assumed->check;
    compile_flags room = {0};
    smp_code *code = NULL;
    smp_program_file file = {.path = name,
                             .kernel = "",
                             .arch = arch,
                             .flags = check->flags,
                             .flag_count = check->flag_count,
                             .notes = check->notes};
    smp_status status = compile_database_use(&file, &room, error);
    if (status == SMP_OK)
        status = smp_target_open(&file, &code, error);
    const smp_target_job job = {.path = name,
                                .code = code,
                                .arch = arch,
                                .launch = check->launch,
                                .is_whole = check->launch,
                                .wish = check->wish,
                                .flags = file.flags,
                                .flag_count = file.flag_count,
                                .run.launch_limit = LAUNCH_MOST,
                                .is_quiet = true,
                                .left = keep_assumed,
                                .user = assumed,
                                .notes = check->notes};
    if (status == SMP_OK)
        status = smp_target_run(&job, profile, error);
    smp_code_close(code);
    compile_flags_clear(&room);
    return status;
}

/* A pattern for smp_profile_filter that matches the kernel's whole name, with or without
 * arguments. */
static const char *pattern_of(const smp_check *check, char pattern[256]) {
    (void)snprintf(pattern, 256, "(^|[ :])%.200s($|[(<])", check->kernel ? check->kernel : "");
    return check->kernel ? pattern : NULL;
}

static smp_status run_source(smp_check *check, const char *name, const smp_arch *arch,
                             smp_profile *profile, smp_error *error) {
    unsigned refused = 0;
    if (check->launch)
        return smp_error_set(error, SMP_E_READ, -1,
                             "--launch needs nvcc, nvdisasm and sm_75 or later");
    if (!check->is_source_noted)
        note_add(check->notes, "%s: judged from the source; the compiler may join accesses", name);
    check->is_source_noted = true;
    char *text = NULL, pattern[256];
    compile_flags room = {0};
    smp_program_file file = {.path = name,
                             .flags = check->flags,
                             .flag_count = check->flag_count,
                             .notes = check->notes};
    smp_source_job job = {
        .file = {.path = name}, .arch = arch, .wish = check->wish, .notes = check->notes};
    job.kernels = pattern_of(check, pattern);
    smp_status status = smp_text_read(name, &text, &job.file.length, error);
    if (status == SMP_OK)
        status = compile_database_use(&file, &room, error);
    job.file.text = text;
    job.file.flags = file.flags;
    job.file.flag_count = file.flag_count;
    if (status == SMP_OK)
        status = smp_source_run(&job, profile, &refused, error);
    compile_flags_clear(&room);
    free(text);
    return status == SMP_OK && refused > 0
               ? smp_error_set(error, SMP_E_SYNTAX, -1,
                               "%u kernel%s in the source cannot be judged without nvcc", refused,
                               refused == 1 ? "" : "s")
               : status;
}

/* ---- Lines before the bounds ---- */

typedef struct judged_line {
    const char *file, *text; /* kept by the check */
    unsigned line;
    const smp_arch *arch;
} judged_line;

/* The file as named by the user, if the compiler's full path means the same file. */
static const char *name_of(const char *name, const char *file) {
    const char *base = strrchr(name, '/');
    return smp_path_ends(file, base ? base + 1 : name) ? name : file;
}

/* A line of `file`, or of the kernel if NULL. The check keeps its texts. SMP_E_MEMORY. */
static smp_status find_line(smp_check *check, const char *name, const char *file, unsigned line,
                            const smp_kernel_profile *kernel, judged_line *out) {
    char text[200] = "";
    if (!file || !smp_source_line_read(file, line, text, sizeof text))
        smp_kernel_short_name(kernel, text, sizeof text);
    const char *named = file ? name_of(name, file) : name;
    *out = (judged_line){.file = named == name ? name : smp_check_keep(check, named, "", ""),
                         .text = smp_check_keep(check, text, "", ""),
                         .line = line,
                         .arch = kernel->arch};
    return out->file && out->text ? SMP_OK : SMP_E_MEMORY;
}

static smp_case *add_case(smp_check *check, const judged_line *at, smp_verdict verdict) {
    smp_case *added = smp_check_add(check, verdict);
    if (!added)
        return NULL;
    added->file = at->file;
    added->line = at->line;
    added->arch = at->arch;
    added->access = at->text;
    added->access_length = strlen(at->text);
    return added;
}

static smp_status judge_bound(smp_check *check, const judged_line *at, char rule[40],
                              const char *count, uint64_t value, int64_t bound) {
    if (bound < 0)
        return SMP_OK;
    smp_case *added = add_case(check, at, value <= (uint64_t)bound ? SMP_HOLDS : SMP_VIOLATED);
    if (!added)
        return SMP_E_MEMORY;
    smp_check_bound(added, rule, count, value, bound);
    return SMP_OK;
}

static smp_status judge_line(smp_check *check, const char *name, const smp_profile_line *line) {
    judged_line at;
    if (!line->frame || !line->frame->file || line->sums.wavefronts == 0)
        return SMP_OK; /* global memory only, which has no ways */
    check->accesses += line->site_count;
    if (find_line(check, name, line->frame->file, line->frame->line, line->kernel, &at))
        return SMP_E_MEMORY;
    const smp_status status =
        judge_bound(check, &at, check->max_ways_text, "ways", line->sums.ways, check->max_ways);
    return status == SMP_OK ? judge_bound(check, &at, check->max_excess_text, "excess",
                                          smp_sums_excess(&line->sums), check->max_excess)
                            : status;
}

static smp_status judge_findings(smp_check *check, const char *name, const assumed_kernels *assumed,
                                 const smp_profile *profile) {
    static const char rule[] = "no finding";
    EACH(const smp_profile_finding, found, profile->findings, profile->finding_count) {
        const smp_kernel_profile *kernel = smp_finding_kernel_of(profile, found);
        smp_case *added;
        judged_line at;
        if (found->is_note || !kernel || is_assumed(assumed, found->kernel))
            continue;
        if (find_line(check, name, found->at.file, found->at.line, kernel, &at) ||
            !(added = add_case(check, &at, SMP_VIOLATED)))
            return SMP_E_MEMORY;
        added->rule = rule;
        added->rule_length = sizeof rule - 1;
        (void)snprintf(added->message, sizeof added->message, "%s: %.220s",
                       smp_finding_kind_name(found->kind), found->message);
    }
    return SMP_OK;
}

/* Judges the lines of the named kernel, or of all. */
static smp_status judge_profile(const assumed_kernels *assumed, const char *name, bool is_named,
                                smp_profile *profile, smp_error *error) {
    smp_check *check = assumed->check;
    const size_t before = check->count;
    char pattern[256], why[300];
    const smp_profile_filter filter = {.kernel = pattern_of(check, pattern)};
    smp_ranking ranking;
    smp_status status = smp_profile_rank(&filter, profile, &ranking, error);
    if (status != SMP_OK)
        return status;
    for (uint32_t i = 0; i < ranking.line_count && status == SMP_OK; i++)
        status = judge_line(check, name, &ranking.lines[i]);
    smp_ranking_clear(&ranking);
    if (status == SMP_OK)
        status = judge_findings(check, name, assumed, profile);
    if (status != SMP_OK || check->count > before)
        return status;
    if (profile->kernel_count > 0)
        return SMP_OK; /* without shared memory */
    (void)snprintf(why, sizeof why, "it has no kernel '%.200s'",
                   check->kernel ? check->kernel : "");
    return is_named ? smp_check_add_empty(check, name, why) : SMP_OK;
}

static smp_status judge_arch(smp_check *check, const char *name, bool is_named,
                             const smp_arch *arch) {
    const bool is_code = smp_tools_find(true, NULL) == SMP_OK &&
                         10u * arch->cc_major + arch->cc_minor >= EMULATED_CC_LEAST;
    assumed_kernels assumed = {.check = check};
    smp_profile profile = {0};
    smp_error error = {.position = -1};
    smp_status status = is_code ? run_code(&assumed, name, arch, &profile, &error)
                                : run_source(check, name, arch, &profile, &error);
    if (status == SMP_E_READ && is_code &&
        check->arch_count > 1) /* this nvcc does not support it */
        status = run_source(check, name, arch, &profile, &error);
    status = status != SMP_OK && status != SMP_E_MEMORY
                 ? smp_check_add_broken(check, name, 0, arch, &error)
             : status == SMP_OK ? judge_profile(&assumed, name, is_named, &profile, &error)
                                : status;
    check->has_kernel |= profile.kernel_count > 0;
    smp_profile_clear(&profile);
    free(assumed.names);
    return status;
}

smp_status smp_check_source(smp_check *check, const char *name, bool is_named) {
    smp_status status = SMP_OK;
    check->source_count++;
    if (check->max_ways < 0 && check->max_excess < 0)
        return smp_check_add_empty(check, name, "no --max-ways and no --max-excess");
    if (check->arch_count == 0)
        return judge_arch(check, name, is_named, check->default_arch);
    for (size_t i = 0; i < check->arch_count && status == SMP_OK; i++)
        status = judge_arch(check, name, is_named, smp_arch_find(check->archs[i].name));
    return status;
}
