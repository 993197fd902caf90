/* SPDX-License-Identifier: MIT */
/* Runs every kernel of a file, with launches from the file or assumed ones. */
#include "target_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assumed_launch.h"
#include "budget.h"
#include "device_text.h"
#include "list.h"
#include "text_file.h"

/* In warp instructions: the limit of a launch; the cost of beginning a block; of telling a race. */
enum { STEPS_MOST = 60000000, STEPS_OF_BLOCK = 100, STEPS_OF_RACE = 10 };
enum { LAUNCHES_MOST = 4 /* of a kernel */ };

typedef struct target {
    const smp_target_job *of;
    smp_launch_wish wish; /* of->wish, and names defined by compiler flags */
    char *text;           /* from host_text_make; NULL without a source */
} target;

static uint64_t blocks_of(const smp_launch *launch) {
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] /
           ((uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2]);
}

/* A launch that was tried. */
typedef struct trial {
    smp_assumed_launch assumed;
    smp_launch_text text;
    smp_launch_arguments arguments;
    smp_emu_memory memory; /* memory after the run */
    smp_kernel_profile kernel;
    smp_emulation done;
    uint64_t blocks;
} trial;

/* Runs the launch once, with new arrays. */
static smp_status run_once(const target *job, const smp_function *function, smp_launch *launch,
                           trial *out, smp_error *error) {
    memset(&out->done, 0, sizeof out->done);
    smp_emu_memory_clear(&out->memory);
    smp_launch_arguments_clear(&out->arguments);
    smp_status status =
        smp_launch_arguments_make(&out->text, function, &out->memory, &out->arguments, error);
    launch->parameters = out->arguments.bytes;
    if (status == SMP_OK && job->text)
        launch_arguments_name(job->text, smp_function_full_name(function), &out->memory);
    if (status == SMP_OK && job->of->made)
        job->of->made(job->of->user, function, &out->arguments, &out->memory);
    if (status == SMP_OK)
        status = smp_emulate(job->of->code, function, &out->memory, launch, &out->kernel,
                             &out->done, error);
    return status;
}

/* Whether all blocks would take too long, judging by some of them. Looking for races and telling
 * them takes time, too. */
static bool is_long(const smp_emulation *some, uint64_t blocks, bool races) {
    double steps = (double)some->warp_instructions * (races ? 2 : 1);
    for (uint32_t i = 0; i < some->finding_count; i++)
        steps += (double)some->findings[i].count * STEPS_OF_RACE;
    return some->clusters_begun > 0 &&
           (steps / (double)some->clusters_begun + STEPS_OF_BLOCK) * (double)blocks > STEPS_MOST;
}

/* Whether blocks of the kernel may wait for each other: its text calls this_grid(). */
static bool waits_for_grid(const target *job, const smp_function *function) {
    host_kernel kernel;
    host_scope scope;
    return job->text && function->demangled &&
           smp_launch_scope(function->demangled, job->text, &kernel, &scope) &&
           host_has_word(kernel.body, "this_grid");
}

static smp_launch launch_of(const target *job, const smp_function *function,
                            const smp_launch_text *text) {
    smp_launch launch = {.arch = job->of->arch,
                         .run = job->of->run,
                         .threads = job->of->threads,
                         .reach = job->of->reach,
                         .is_cooperative = waits_for_grid(job, function),
                         .dynamic_shared_bytes = text->dynamic_shared_bytes,
                         .stop = emulate_budget_stop()};
    memcpy(launch.grid, text->grid, sizeof launch.grid);
    memcpy(launch.block, text->block, sizeof launch.block);
    for (unsigned i = 0; i < 3; i++)
        launch.cluster[i] = function->cluster[i] > 0 ? function->cluster[i] : 1;
    return launch;
}

static bool has_errors(const smp_emulation *done) {
    return ANY(one, done->findings, done->finding_count, !one->is_note);
}

/* Races don't end a launch, and the block that ends it may have more of them. */
static bool has_only_races(const smp_emulation *done) {
    return EVERY(one, done->findings, done->finding_count, one->kind == SMP_FINDING_RACE);
}

/* Runs some blocks first, then all of them if that does not take long. */
static smp_status run_blocks(const target *job, const smp_function *function, trial *out,
                             smp_error *error) {
    uint64_t only[LOOKED_AT];
    smp_launch launch = launch_of(job, function, &out->text);
    smp_status status = SMP_OK;
    out->blocks = blocks_of(&launch);
    if (out->blocks > LOOKED_AT && !job->of->is_whole && !launch.is_cooperative) {
        launch.only = only;
        launch.only_count = looked_at_blocks(launch.grid[0] / launch.cluster[0], out->blocks, only);
        status = run_once(job, function, &launch, out, error);
        if (status != SMP_OK || is_long(&out->done, out->blocks, job->of->run.races) ||
            !out->done.is_whole || !has_only_races(&out->done) || out->done.ran_together)
            return status;
        smp_kernel_clear(&out->kernel);
    }
    launch.only = NULL;
    launch.output = job->of->is_quiet ? NULL : stderr;
    return run_once(job, function, &launch, out, error);
}

/* ---- What machine code says ---- */

/* Whether its code, or that of a function that it calls, has such an operand. */
static bool code_reads(const smp_function *f, const char *operand) {
    uint32_t count;
    const smp_instruction *all = smp_function_code(f, &count);
    return ANY(one, all, count, one->operands && strstr(one->operands, operand));
}

static bool has_opcode(const smp_function *f, const char *const *opcodes, size_t count) {
    return ANY(one, f->instructions, f->instruction_count,
               ANY(name, opcodes, count, strncmp(one->opcode, *name, strlen(*name)) == 0));
}

/* Whether it uses shared memory without a static array. */
static bool uses_dynamic(const smp_function *f) {
    static const char *const opcodes[] = {"LDS", "STS", "ATOMS", "LDGSTS", "UBLKCP", "UTMALDG"};
    return f->shared_bytes == 0 && has_opcode(f, opcodes, sizeof opcodes / sizeof opcodes[0]);
}

static smp_launch_subject subject_of(const smp_function *f) {
    return (smp_launch_subject){
        .name = smp_function_full_name(f),
        .threads_most = f->max_threads[0] * (f->max_threads[1] ? f->max_threads[1] : 1) *
                        (f->max_threads[2] ? f->max_threads[2] : 1),
        .threads_fit =
            f->registers > 0 ? REGISTERS_OF_SM / ((f->registers * 32 + 255) / 256 * 256) * 32 : 0,
        .shared_bytes = f->shared_bytes,
        .reads_rows = code_reads(f, "SR_TID.Y"),
        .reads_blocks = {code_reads(f, "SR_CTAID.X"), code_reads(f, "SR_CTAID.Y")},
        .uses_dynamic = uses_dynamic(f),
        .parameters = f->parameters,
        .parameter_count = f->parameter_count};
}

static void trial_clear(trial *t) {
    free(t->assumed.launch);
    free(t->assumed.assumed);
    smp_launch_clear(&t->text);
    smp_launch_arguments_clear(&t->arguments);
    smp_emu_memory_clear(&t->memory);
    smp_kernel_clear(&t->kernel);
    memset(t, 0, sizeof *t);
}

/* Takes the launch of an earlier run, with the dynamic shared bytes that the file now gives. */
static smp_status take_launch(const char *launch, trial *out, smp_error *error) {
    const uint32_t dynamic_bytes = out->text.dynamic_shared_bytes;
    if (!launch)
        return SMP_OK;
    smp_launch_clear(&out->text);
    const smp_status status = smp_launch_parse(launch, &out->text, error);
    out->text.dynamic_shared_bytes = dynamic_bytes;
    return status;
}

/* Takes the launch of the job, in which nothing is assumed. */
static smp_status take_given(const target *job, trial *out, smp_error *error) {
    out->assumed.launch = strdup(job->of->launch);
    out->assumed.assumed = strdup("");
    if (!out->assumed.launch || !out->assumed.assumed)
        return smp_error_memory(error);
    return smp_launch_parse(job->of->launch, &out->text, error);
}

static smp_status assume_launch(const target *job, const smp_function *function,
                                const smp_launch_wish *wish, trial *out, smp_error *error) {
    if (job->of->launch)
        return take_given(job, out, error);
    smp_launch_subject subject = subject_of(function);
    subject.shared_most = 1024u * job->of->arch->shared_block_kib;
    smp_launch_wish own = *wish;
    if (job->of->wish_of)
        job->of->wish_of(job->of->user, function, &own);
    smp_status status =
        smp_launch_assume(&subject, job->text ? job->text : "", &own, &out->assumed, error);
    if (status == SMP_OK)
        status = smp_launch_parse(out->assumed.launch, &out->text, error);
    if (status == SMP_OK && job->of->launch_of)
        status = take_launch(job->of->launch_of(job->of->user, function), out, error);
    return status;
}

static smp_status try_launch(const target *job, const smp_function *function,
                             const smp_launch_wish *wish, trial *out, smp_error *error) {
    const smp_status status = assume_launch(job, function, wish, out, error);
    return status == SMP_OK ? run_blocks(job, function, out, error) : status;
}

/* Runs the kernel as `wish` says. True if it is complete without a finding; then it replaces
 * *first. The first that is complete and has races becomes *racing. */
static bool try_wish(const target *job, const smp_function *function, const smp_launch_wish *wish,
                     trial *first, trial *racing) {
    smp_error ignored;
    trial other = {0};
    const bool is_whole = try_launch(job, function, wish, &other, &ignored) == SMP_OK &&
                          other.done.is_whole && has_only_races(&other.done),
               is_better = is_whole && !has_errors(&other.done);
    trial *to = is_better ? first : is_whole && !racing->assumed.launch ? racing : &other;
    if (to != &other) {
        trial_clear(to);
        *to = other;
    } else {
        trial_clear(&other);
    }
    return is_better;
}

/* Findings may come from a wrong assumed block, or from sizes too large for the arrays of a block.
 * Takes the first alternative without findings, else the first with only races. Races that go away
 * with another block may be real: they stay if the text suggests their block, else a note tells
 * them; sizes rarely cause them. */
static bool try_others(const target *job, const smp_function *function, const smp_launch_wish *as,
                       trial *first) {
    const smp_assumed_launch assumed = first->assumed;
    const bool is_race = has_errors(&first->done) && has_only_races(&first->done);
    smp_launch_wish wish;
    trial racing = {0};
    int64_t extent = 0;
    bool is_found = false;
    char *was = is_race ? strdup(assumed.assumed) : NULL;
    for (unsigned i = 0; !is_found && smp_launch_wish_other(&assumed, as, i, &wish); i++) {
        extent = i == 0 ? wish.extent : extent;
        if (is_race &&
            (!assumed.is_block_assumed || assumed.is_block_shown || wish.extent != extent))
            break;
        is_found = try_wish(job, function, &wish, first, &racing);
    }
    const char *raced = was ? was : racing.assumed.assumed;
    if (is_found && raced)
        note_add(job->of->notes,
                 "%s has races with %s; if that is right: --define, --block or --launch",
                 first->text.name, raced);
    if (!is_found && !is_race && racing.assumed.launch) {
        trial_clear(first);
        *first = racing;
        racing = (trial){0};
        is_found = true;
    }
    trial_clear(&racing);
    free(was);
    return is_found;
}

/* Whether findings may come from an assumption, because other launches have none. */
static bool is_doubtful(const trial *t) {
    return has_errors(&t->done) && t->assumed.assumed[0];
}

/* Whether it accessed no memory at all, for instance because a size is 0. */
static bool did_nothing(const smp_function *f, const trial *t) {
    static const char *const opcodes[] = {"LDG", "STG", "LDS", "STS", "ATOM", "RED"};
    return !ANY(one, t->kernel.sites, t->kernel.site_count, one->requests > 0) &&
           t->done.is_whole && t->done.finding_count == 0 &&
           has_opcode(f, opcodes, sizeof opcodes / sizeof opcodes[0]);
}

static void note_assumed(const target *job, const smp_function *function, const trial *t) {
    if (t->assumed.assumed[0] && did_nothing(function, t))
        note_add(job->of->notes,
                 "%s accessed no memory, perhaps because of an assumption about its launch; "
                 "correct it with --define or --launch",
                 t->text.name);
    if (t->assumed.assumed[0])
        note_add(job->of->notes, "assumed: %s; another launch: --launch '%s'", t->assumed.assumed,
                 t->assumed.launch);
    if (is_doubtful(t))
        note_add(job->of->notes,
                 "the findings of %s may come from an assumption about its launch; correct it with "
                 "--define, --block or --launch",
                 t->text.name);
}

static void tell_left(const target *job, const smp_function *function, trial *t) {
    const smp_target_left left = {.function = function,
                                  .launch = t->assumed.launch,
                                  .assumed = t->assumed.assumed,
                                  .memory = &t->memory,
                                  .arguments = &t->arguments,
                                  .done = &t->done,
                                  .blocks = t->blocks};
    if (job->of->left)
        job->of->left(job->of->user, &left);
}

/* ---- The launches of a kernel ---- */

/* Adds the trial to the kernel's sums in the profile. */
static smp_status take_trial(const target *job, const smp_function *function, trial *t,
                             smp_profile *profile, smp_error *error) {
    smp_kernel_profile *kernel = smp_profile_add_kernel(profile);
    if (!kernel)
        return smp_error_memory(error);
    const char *lacks = job->of->launch
                            ? NULL
                            : unknown_argument_take(t->text.name, &t->assumed, function, &t->memory,
                                                    &t->done, job->of->notes);
    note_assumed(job, function, t);
    *kernel = t->kernel;
    memset(&t->kernel, 0, sizeof t->kernel);
    tell_left(job, function, t);
    emulate_end end = {.of = t->text.name,
                       .why = "an assumed launch cannot have; run a program that makes one: "
                              "smemprobe profile --no-gpu -- ./PROGRAM",
                       .not_seen = "which an assumed launch cannot have",
                       .notes = job->of->notes};
    if (t->done.is_whole)
        kernel->not_seen = looked_at_text(t->done.cluster_count, t->blocks);
    const smp_status status = emulate_take_end(&end, function, &t->done, profile, error);
    kernel = &profile->kernels[profile->kernel_count - 1];
    if (status == SMP_OK && lacks && !t->done.is_whole) {
        free(kernel->not_seen);
        kernel->not_seen = strdup(lacks);
    }
    return status;
}

/* Whether the block is impossibly large, or a product of sizes overflows. */
static bool is_impossible(const smp_error *error) {
    return error->status == SMP_E_RANGE || error->status == SMP_E_SYNTAX;
}

/* Runs a launch of the file. If assumptions in it fail, tries others. */
static smp_status run_launch(const target *job, const smp_function *function,
                             const smp_launch_wish *wish, trial *out, smp_error *error) {
    const smp_status status = run_blocks(job, function, out, error);
    const bool is_wrong = status == SMP_OK ? has_errors(&out->done) : is_impossible(error);
    return is_wrong && out->assumed.assumed[0] && !job->of->launch_of &&
                   try_others(job, function, wish, out)
               ? SMP_OK
               : status;
}

static bool is_as_before(const trial *all, unsigned count, const trial *t) {
    return ANY(one, all, count,
               one->assumed.launch && strcmp(one->assumed.launch, t->assumed.launch) == 0);
}

/* Runs every other launch in the file, and skips those that cannot run. Where the caller takes what
 * one launch leaves, that is the first without doubt, and the others are only counted. */
static unsigned run_others(const target *job, const smp_function *function, trial *all) {
    const unsigned said = all[0].assumed.launch_count;
    unsigned count = 1, left = 0;
    smp_error ignored;
    for (unsigned i = 1; i < said && !job->of->launch_of; i++) {
        smp_launch_wish wish = job->wish;
        trial *t = &all[count];
        wish.launch = i;
        if (count == LAUNCHES_MOST) {
            left++;
            continue;
        }
        const bool is_new = assume_launch(job, function, &wish, t, &ignored) == SMP_OK &&
                            !is_as_before(all, count, t);
        const bool is_run = is_new && (!job->of->left || is_doubtful(all)) &&
                            run_launch(job, function, &wish, t, &ignored) == SMP_OK;
        left += is_new && job->of->left;
        if (is_run && job->of->left && !is_doubtful(t)) {
            const trial doubtful = all[0];
            all[0] = *t;
            *t = doubtful;
        }
        if (is_run && !job->of->left)
            count++;
        else
            trial_clear(t);
    }
    if (left > 0)
        note_add(job->of->notes, "%s: %u of its %u launches in the file %s not run", all->text.name,
                 left, said, left == 1 ? "was" : "were");
    return count;
}

/* Whether a kernel is skipped because its launch cannot be assumed; the others are run. */
static bool is_left_out(const target *job, const smp_function *function, const trial *t,
                        const smp_error *error) {
    const bool is_assumed = t->assumed.assumed && t->assumed.assumed[0];
    if (!is_impossible(error) || job->of->launch || job->of->left || !is_assumed)
        return false;
    note_add(job->of->notes, "%.200s is skipped: %s; assumed: %s", smp_function_full_name(function),
             error->message, t->assumed.assumed);
    return true;
}

/* Sets *left_out if the kernel was skipped; *error gives the reason. */
static smp_status run_kernel(const target *job, const smp_function *function, smp_profile *profile,
                             bool *left_out, smp_error *error) {
    trial *all = calloc(LAUNCHES_MOST + 1, sizeof *all);
    if (!all)
        return smp_error_memory(error);
    unsigned count = 1, doubtful = 0;
    smp_status status = assume_launch(job, function, &job->wish, all, error);
    if (status == SMP_OK)
        status = run_launch(job, function, &job->wish, all, error);
    *left_out = status != SMP_OK && is_left_out(job, function, all, error);
    if (status == SMP_OK)
        count = run_others(job, function, all);
    for (unsigned i = 0; i < count; i++)
        doubtful += is_doubtful(&all[i]);
    for (unsigned i = 0; i < count; i++) {
        if (status == SMP_OK && (doubtful == count || !is_doubtful(&all[i])))
            status = take_trial(job, function, &all[i], profile, error);
        trial_clear(&all[i]);
    }
    free(all);
    return *left_out ? SMP_OK : status;
}

static smp_status disassemble_kernels(const char *path, smp_code *code, smp_error *error) {
    size_t count, used = 0;
    const smp_function *functions = smp_code_functions(code, &count);
    const char **names = malloc((count + 1) * sizeof *names);
    if (!names)
        return smp_error_memory(error);
    for (size_t i = 0; i < count; i++)
        if (functions[i].is_kernel)
            names[used++] = functions[i].name;
    smp_status status = used > 0 ? smp_code_disassemble(code, names, used, error)
                                 : smp_error_set(error, SMP_E_SYNTAX, -1,
                                                 "%.160s: no kernel: it has no __global__ "
                                                 "function, or only templates without an instance",
                                                 path);
    free(names);
    return status;
}

/* Compiles the file without its host code, if the compiler refuses that. */
static smp_status open_part(const smp_program_file *file, device_part *part, smp_code **code,
                            smp_error *error) {
    const bool is_header = strncmp(error->message, "nvcc: ", 6) != 0;
    if (!device_part_is_next(error) || !device_part_open(file, error, part, code))
        return error->status;
    if (!is_header)
        note_add(file->notes, "%s", error->message);
    note_add(file->notes,
             "%.*s%s, so the kernels are compiled alone and their launches read from the text",
             is_header ? (int)strcspn(error->message, " ") : 0, error->message,
             is_header ? " is missing" : "nvcc refuses the host code");
    return SMP_OK;
}

smp_status smp_target_open(const smp_program_file *file, smp_code **code, smp_error *error) {
    device_part part = {.path = ""};
    smp_status status = smp_program_open(file, code, error);
    if (status != SMP_OK)
        status = open_part(file, &part, code, error);
    if (status == SMP_OK)
        status = smp_assume_instances(file->path, part.flags ? &part.file : file, part.flags, code,
                                      error);
    device_part_clear(&part);
    return status == SMP_OK ? disassemble_kernels(file->path, *code, error) : status;
}

/* NULL for machine code, or if the file cannot be read. */
static char *read_source(const smp_target_job *job) {
    return smp_name_ends(job->path, ".cu") || smp_name_ends(job->path, ".cuh")
               ? host_text_read(job->path, job->flags, job->flag_count)
               : NULL;
}

/* Runs the kernel that job->launch names. */
static smp_status run_named(const target *of, smp_profile *profile, smp_error *error) {
    smp_launch_text text = {0};
    const smp_function *function;
    bool ignored;
    smp_status status = smp_launch_parse(of->of->launch, &text, error);
    if (status == SMP_OK)
        status = smp_launch_kernel(of->of->code, text.name, &function, error);
    smp_launch_clear(&text);
    return status == SMP_OK ? run_kernel(of, function, profile, &ignored, error) : status;
}

/* Adds integers from "-DTILE=8" or "-D" "TILE=8" to the known names. */
static void add_defined(target *of) {
    for (uint32_t i = 0; i < of->of->flag_count; i++) {
        const char *word = of->of->flags[i];
        if (strncmp(word, "-D", 2) != 0)
            continue;
        const char *name = word[2] || i + 1 == of->of->flag_count ? word + 2 : of->of->flags[++i];
        const char *equals = strchr(name, '=');
        char *end;
        const long long value = equals ? strtoll(equals + 1, &end, 0) : 1;
        if (!equals || (end != equals + 1 && *end == '\0'))
            host_name_add(of->wish.known, &of->wish.known_count,
                          (host_span){name, equals ? (size_t)(equals - name) : strlen(name)},
                          value);
    }
}

/* Whether it comes from the toolkit's headers, which launch it by internal tables; no launch is
 * assumed. */
static bool is_of_toolkit(const smp_function *f) {
    const char *name = f->demangled ? f->demangled : "";
    name += strncmp(name, "void ", 5) == 0 ? 5 : 0;
    return strncmp(name, "cub::", 5) == 0 || strncmp(name, "thrust::", 8) == 0;
}

static smp_status tell_toolkit(const smp_target_job *job, size_t left, bool is_all,
                               smp_error *error) {
    static const char how[] = "to see what they cost, run a program that calls them: smemprobe "
                              "profile --no-gpu -- ./PROGRAM";
    if (is_all && left > 0)
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "%.160s: all its kernels belong to cub or thrust; %s", job->path, how);
    if (left > 0)
        note_add(job->notes, "%zu kernel%s of cub or thrust %s skipped; %s", left,
                 left == 1 ? "" : "s", left == 1 ? "is" : "are", how);
    return SMP_OK;
}

smp_status smp_target_run(const smp_target_job *job, smp_profile *profile, smp_error *error) {
    target of = {.of = job, .wish = job->wish, .text = job->launch ? NULL : read_source(job)};
    size_t count, left = 0, ran = 0;
    smp_error why = {SMP_OK, -1, ""};
    if (job->launch)
        return run_named(&of, profile, error);
    smp_status status = smp_launch_wish_check(&job->wish, of.text, job->path, error);
    const smp_function *functions = smp_code_functions(job->code, &count);
    add_defined(&of);
    for (size_t i = 0; i < count && status == SMP_OK; i++) {
        if (!functions[i].is_kernel)
            continue;
        if (of.text && is_of_toolkit(&functions[i])) {
            left++;
            continue;
        }
        bool is_left_out = false;
        ran++;
        status = run_kernel(&of, &functions[i], profile, &is_left_out, error);
        if (is_left_out)
            why = *error;
    }
    free(of.text);
    if (status == SMP_OK && why.status != SMP_OK && profile->kernel_count == 0) {
        *error = why;
        return why.status;
    }
    return status == SMP_OK ? tell_toolkit(job, left, ran == 0, error) : status;
}

/* ---- Blocks of a large grid ---- */

uint32_t looked_at_blocks(uint64_t row, uint64_t count, uint64_t out[LOOKED_AT]) {
    const uint64_t middle = row * (count / row / 2) + row / 2;
    const uint64_t wanted[LOOKED_AT] = {0, middle / 2, middle, middle + (count - middle) / 2,
                                        count - 1};
    uint32_t used = 0;
    for (uint32_t i = 0; i < LOOKED_AT; i++)
        if (used == 0 || wanted[i] > out[used - 1])
            out[used++] = wanted[i];
    return used;
}

char *looked_at_text(uint64_t seen, uint64_t count) {
    char text[96];
    if (seen >= count)
        return NULL;
    (void)snprintf(text, sizeof text, "%llu of %llu blocks were run: the first%s",
                   (unsigned long long)seen, (unsigned long long)count,
                   seen < LOOKED_AT ? "" : ", the last, some between");
    return strdup(text);
}
