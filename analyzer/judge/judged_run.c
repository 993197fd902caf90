/* SPDX-License-Identifier: MIT */
/* Compiles and runs one candidate, and compares its memory with the reference's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assumed_launch.h"
#include "judged.h"
#include "list.h"
#include "text_file.h"
#include "tool.h"

static const char *const verdict_names[] = {
#define VERDICT_NAME(id, name) name,
    JUDGED_VERDICTS(VERDICT_NAME)
#undef VERDICT_NAME
};

const char *judged_verdict_name(judged_verdict verdict) {
    return verdict_names[verdict];
}

static bool is_source(const judged_candidate *of) {
    return of && of->path && smp_name_ends(of->path, ".cu");
}

static smp_status check_readable(const char *path, smp_error *error) {
    return access(path, R_OK) == 0
               ? SMP_OK
               : smp_error_set(error, SMP_E_READ, -1, "%.200s: cannot be read: %s", path,
                               strerror(errno));
}

smp_status judge_files_find(const judge_job *job, smp_error *error) {
    bool compiles = is_source(job->reference);
    if (job->reference && check_readable(job->reference->path, error))
        return error->status;
    for (size_t i = 0; i < job->count; i++) {
        if (check_readable(job->candidates[i].path, error))
            return error->status;
        compiles |= is_source(&job->candidates[i]);
    }
    return smp_tools_find(compiles, error);
}

static void keep_note(void *user, const char *line) {
    judged *of = user;
    if (of->note_count < sizeof of->notes / sizeof *of->notes)
        of->notes[of->note_count++] = strdup(line);
}

static void end_as(judged *of, judged_verdict verdict, const char *why) {
    of->verdict = verdict;
    (void)snprintf(of->why, sizeof of->why, "%s", why);
}

/* ---- What a kernel left ---- */

static void made(void *user, const smp_function *function, const smp_launch_arguments *arguments,
                 smp_emu_memory *memory) {
    const judged *of = user;
    judged_arrays_unset(arguments, memory);
    if (of->reference)
        judged_arrays_bound(of->reference, smp_function_full_name(function), arguments, memory);
}

static void take_left(void *user, const smp_target_left *left) {
    judged *of = user;
    if (!LIST_ROOM(of->kernels, of->count)) {
        of->has_failed = true;
        return;
    }
    judged_kernel *to = &of->kernels[of->count++];
    to->threads = proof_kernel_take(&to->ran, of->arch, left, left->launch);
    to->instructions = left->done->warp_instructions;
    memcpy(to->arrays, left->arguments->arrays, sizeof to->arrays);
    to->assumed = strdup(left->assumed);
    of->has_failed |= !to->assumed || to->threads == 0;
}

void judged_clear(judged *of) {
    for (uint32_t i = 0; i < of->count; i++) {
        free(of->kernels[i].assumed);
        free(of->kernels[i].ran.name);
        free(of->kernels[i].ran.launch);
        smp_emu_memory_clear(&of->kernels[i].ran.memory);
        smp_emu_memory_clear(&of->kernels[i].before);
    }
    free(of->kernels);
    for (unsigned i = 0; i < of->note_count; i++)
        free(of->notes[i]);
    smp_profile_clear(&of->profile);
    smp_code_close(of->code);
    memset(of, 0, sizeof *of);
}

/* ---- Compiled and run ---- */

typedef struct compiler_flags {
    const char **list; /* malloc'ed */
    uint32_t count;
} compiler_flags;

static smp_status open_code(const judge_job *job, const compiler_flags *flags, judged *out,
                            const char *kernel, smp_error *error) {
    const note_sink notes = {keep_note, out};
    const smp_program_file file = {.path = out->candidate->path,
                                   .flags = flags->list,
                                   .flag_count = flags->count,
                                   .arch = job->arch,
                                   .kernel = kernel,
                                   .notes = &notes};
    return smp_target_open(&file, &out->code, error);
}

/* Joins the flags of the job and of the candidate. */
static smp_status join_flags(const judge_job *job, const judged_candidate *of, compiler_flags *out,
                             smp_error *error) {
    out->count = job->flag_count + of->flag_count;
    out->list = calloc((size_t)out->count + 1, sizeof *out->list);
    if (!out->list)
        return smp_error_memory(error);
    if (job->flag_count > 0)
        memcpy(out->list, job->flags, job->flag_count * sizeof *out->list);
    if (of->flag_count > 0)
        memcpy(out->list + job->flag_count, of->flags, of->flag_count * sizeof *out->list);
    return SMP_OK;
}

static smp_status run_kernels(const judge_job *job, const compiler_flags *flags, const char *launch,
                              judged *out, smp_error *error) {
    const note_sink notes = {keep_note, out};
    out->arch = job->arch ? job->arch : smp_code_arch(out->code, error);
    if (!out->arch)
        return error->status;
    const smp_target_job target = {.path = out->candidate->path,
                                   .code = out->code,
                                   .arch = out->arch,
                                   .wish = job->wish,
                                   .flags = flags->list,
                                   .flag_count = flags->count,
                                   .launch = launch,
                                   .is_whole = true,
                                   .threads = out->is_reference ? 0 : 1,
                                   .run = job->run,
                                   .reach = out->is_reference,
                                   .notes = &notes,
                                   .is_quiet = true,
                                   .left = take_left,
                                   .made = made,
                                   .user = out};
    if (!smp_profile_begin_run(&out->profile, SMP_ENGINE_EMULATED, out->candidate->path, NULL))
        return smp_error_memory(error);
    const smp_status status = smp_target_run(&target, &out->profile, error);
    return status == SMP_OK && out->has_failed ? smp_error_memory(error) : status;
}

/* Returns true if it ran. */
static bool compile_and_run(const judge_job *job, judged *out, smp_error *error) {
    const char *launch = out->candidate->launch ? out->candidate->launch : job->launch;
    smp_launch_text text = {0};
    compiler_flags flags = {0};
    /* "matmul<64>" of "matmul<64><<<...": the instance to compile. */
    smp_status status = launch ? smp_launch_parse(launch, &text, error) : SMP_OK;
    if (status == SMP_OK)
        status = join_flags(job, out->candidate, &flags, error);
    if (status == SMP_OK)
        status = open_code(job, &flags, out, text.name ? text.name : "", error);
    out->is_compiled = status == SMP_OK;
    if (status == SMP_OK)
        status = run_kernels(job, &flags, launch, out, error);
    free(flags.list);
    smp_launch_clear(&text);
    return status == SMP_OK;
}

/* ---- The verdict ---- */

static void judge_findings(judged *out) {
    EACH(const smp_profile_finding, one, out->profile.findings, out->profile.finding_count) {
        char why[JUDGED_WHY];
        if (one->is_note)
            continue;
        (void)snprintf(why, sizeof why, "%s: %.300s", smp_finding_kind_name(one->kind),
                       one->message);
        end_as(out, JUDGED_FINDING, why);
        return;
    }
}

/* Writes the first differing element, "sums[3]", or "argument 2 [3]" if the file does not name it.
 */
static void name_first(const judged *of, char *out, size_t size) {
    const judged_results *found = &of->results;
    char *text =
        host_text_read(of->candidate->path, of->candidate->flags, of->candidate->flag_count);
    host_kernel kernel;
    host_scope scope;
    host_span name = {0};
    if (text && smp_launch_scope(found->kernel, text, &kernel, &scope) &&
        host_part(kernel.parameters, found->argument - 1, &name))
        name = host_declared_name(name);
    if (name.length > 0)
        (void)snprintf(out, size, "%.*s[%llu]", SPAN(name), (unsigned long long)found->index);
    else
        (void)snprintf(out, size, "argument %u [%llu]", found->argument,
                       (unsigned long long)found->index);
    free(text);
}

static void judge_results(const judge_job *job, const judged *reference, judged *out) {
    judged_results *found = &out->results;
    char why[JUDGED_WHY], first[120];
    judged_compare(reference, out, job->tolerance, found);
    out->has_results = true;
    if (!found->why_not[0] && found->differ == 0)
        return;
    name_first(out, first, sizeof first);
    if (found->why_not[0])
        (void)snprintf(why, sizeof why, "%s", found->why_not);
    else
        (void)snprintf(why, sizeof why, "%llu of %llu values differ: %s is %.9g and should be %.9g",
                       (unsigned long long)found->differ, (unsigned long long)found->values, first,
                       found->is, found->should);
    end_as(out, JUDGED_DIFFERS, why);
}

/* Returns false if the run ended early and no finding says why. */
static bool has_ended(judged *out) {
    for (uint32_t i = 0; i < out->profile.kernel_count; i++)
        if (out->profile.kernels[i].not_seen) {
            end_as(out, JUDGED_NOT_RUN, out->profile.kernels[i].not_seen);
            return false;
        }
    return true;
}

void judged_run(const judge_job *job, const judged_candidate *candidate, const judged *reference,
                bool is_reference, judged *out) {
    smp_error error;
    *out = (judged){.candidate = candidate,
                    .reference = reference,
                    .is_reference = is_reference,
                    .arch = job->arch,
                    .looks_for_races = job->run.races};
    out->has_run = compile_and_run(job, out, &error);
    if (!out->has_run) {
        end_as(out, out->is_compiled ? JUDGED_NOT_RUN : JUDGED_NOT_COMPILED, error.message);
        return;
    }
    out->figures = judged_figures_of(out);
    judge_findings(out);
    if (out->verdict == JUDGED_OK && has_ended(out) && reference)
        judge_results(job, reference, out);
}
