/* SPDX-License-Identifier: MIT */
/* fix FILE.cu: the options of a proven patch, and its output. */
#define _XOPEN_SOURCE 700
#include "fix_patch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask_fix.h"
#include "budget.h"
#include "compile_flags.h"
#include "device_text.h"
#include "launch_text.h"
#include "leftover.h"
#include "output.h"
#include "profile_show.h"
#include "progress.h"
#include "repair.h"
#include "say.h"
#include "seconds.h"
#include "source_line.h"
#include "target.h"
#include "text_file.h"
#include "tool.h"
#include "write_format.h"

enum { SECONDS_USUAL = 300 };

static const char formats[] = "text json patch html sarif github";

/* Options that only the source model has. */
static const smp_option of_source[] = {
    OPTION_SHARED, OPTION_GLOBAL,  OPTION_BLOCK,      OPTION_GRID,   OPTION_KERNEL_NAME,
    OPTION_DATA,   OPTION_FOR,     OPTION_BANK_MODE,  OPTION_SPACE,  OPTION_EMIT,
    OPTION_PROBE,  OPTION_EXPLAIN, OPTION_TIMES_FROM, OPTION_DEVICE, OPTION_RECORD};

static bool is_profile(const char *word) {
    return smp_name_ends(word, ".smprof") && access(word, F_OK) == 0;
}

/* Whether only the source model writes the requested format. */
static bool is_foreign_format(const arguments *args) {
    char from[FORMAT_FROM_MAX];
    const char *name = output_format_name(args, from);
    if (!name || has(args, OPTION_APPLY))
        return false;
    return has(args, OPTION_FORMAT)
               ? smp_format_find(formats, name) == SMP_FORMAT_COUNT
               : smp_format_of_ending(SMP_CODE_FORMATS " csv", name) != SMP_FORMAT_COUNT;
}

/* Whether `word` names an existing file with one of the endings. */
static bool is_there(const char *word, const char *const *endings) {
    while (*endings && !smp_name_ends(word, *endings))
        endings++;
    return *endings && access(word, F_OK) == 0;
}

/* One source file or profile, and no option of the source model. */
static bool is_patch(const arguments *args) {
    static const char *const sources[] = {".cu", ".cuh", ".smprof", NULL};
    if (!is_there(args->positional[0], sources) ||
        (args->positional_count > 1 && args->positional[1][0] != '-') || is_foreign_format(args))
        return false;
    return EVERY(one, of_source, sizeof of_source / sizeof *of_source, !has(args, *one));
}

fix_way fix_way_of(const arguments *args) {
    static const char *const not_programs[] = {".cu",    ".cuh", ".py",     ".ptx",
                                               ".cubin", ".smp", ".smprof", NULL};
    static const char *const without_source[] = {".cubin", ".ptx", ".py", NULL};
    const char *word = args->positional_count > 0 ? args->positional[0] : "";
    const char *const *other = not_programs;
    while (*other && !smp_name_ends(word, *other))
        other++;
    return args->positional_count == 0                                 ? FIX_ACCESSES
           : !*other && target_is_program(word)                        ? FIX_PROGRAM
           : is_patch(args)                                            ? FIX_PATCH
           : is_there(word, without_source) || target_is_program(word) ? FIX_REFUSED
                                                                       : FIX_ACCESSES;
}

bool fix_needs_proof(const arguments *args) {
    char from[FORMAT_FROM_MAX];
    const char *format = output_format_name(args, from);
    return has(args, OPTION_APPLY) || has(args, OPTION_RACES) || has(args, OPTION_LAUNCH) ||
           has(args, OPTION_KEEP_ANYWAY) ||
           (format && (strcmp(format, "patch") == 0 || strcmp(format, "sarif") == 0 ||
                       strcmp(format, "github") == 0));
}

typedef struct patch_job {
    repair_job repair;
    compile_flags flags;
    smp_launch_text launch; /* --launch */
    smp_arch arch;
    smp_profile profile; /* in which the source file was found */
    char *path;          /* path of the profile; NULL if the source was named */
    char *text;
    size_t length;
    joined joined;
    char name[PATCH_NAME_BYTES];
    progress_line line;
} patch_job;

static bool show_step(void *user, const char *what) {
    (void)user;
    if (!progress_goes_on())
        return false;
    progress_say("trying %s", what);
    return true;
}

/* Takes the source from a profile, and the architecture unless --arch is given. */
static smp_status find_source(const arguments *args, patch_job *out, smp_error *error) {
    const char *name = args->positional[0];
    const smp_arch *arch = NULL;
    if (ask_one_arch(args, "a patch is tested for one architecture; name one", &out->arch, error))
        return error->status;
    if (!is_profile(name)) {
        smp_source_allow_all();
        return SMP_OK;
    }
    if (profile_show_read(name, &out->profile, error) ||
        applied_file_of_profile(&out->profile, name, &out->path, &arch, error))
        return error->status;
    if (!has(args, OPTION_ARCH))
        out->arch = *arch;
    say_line("smemprobe: of %s: %s", name, out->path);
    out->repair.profiled = &out->profile;
    return SMP_OK;
}

/* Repairs the file with its headers, or by itself. */
static void use_text(patch_job *job, bool is_joined) {
    repair_job *to = &job->repair;
    to->text = is_joined ? job->joined.text : job->text;
    to->length = is_joined ? job->joined.length : job->length;
    to->joined = is_joined ? &job->joined : NULL;
    to->proof.is_joined = is_joined;
}

static smp_status ask(const arguments *args, patch_job *out, smp_error *error) {
    uint64_t seconds = SECONDS_USUAL;
    repair_job *job = &out->repair;
    if (find_source(args, out, error))
        return error->status;
    const char *path = out->path ? out->path : args->positional[0];
    job->proof.file = (smp_program_file){.path = path,
                                         .flags = args->positional + 1,
                                         .flag_count = args->positional_count - 1,
                                         .kernel = "", /* all kernels; --launch names one */
                                         .notes = &say_notes_once};
    job->proof.notes = &say_notes_once;
    if (smp_program_split_words(&job->proof.file, error) ||
        smp_launch_check(last_value(args, OPTION_LAUNCH), &out->launch, error) ||
        ask_defines(args, &job->proof.wish, error) ||
        ask_number(args, OPTION_SECONDS, 1000000, &seconds, error) ||
        ask_max_bytes(args, &job->max_bytes, error) ||
        output_check(args, last_value(args, OPTION_OUTPUT), error) ||
        (has(args, OPTION_APPLY) && applied_file_check(path, has(args, OPTION_FORCE), error)) ||
        smp_text_read_marked(path, &out->text, &out->length, error))
        return error->status;
    job->proof.launch = last_value(args, OPTION_LAUNCH);
    if (job->proof.launch)
        job->proof.file.kernel = out->launch.name;
    job->proof.arch = job->proof.file.arch = &out->arch;
    job->seconds = (double)seconds;
    job->proof.seconds = seconds;
    emulate_budget_start(seconds, "--time");
    if (compile_database_use(&job->proof.file, &out->flags, error))
        return error->status;
    if (!job->profiled) /* its lines and code are those of the file */
        joined_make(path, out->text, out->length, job->proof.file.flags, job->proof.file.flag_count,
                    "__shared__", &out->joined);
    use_text(out, out->joined.text);
    job->proof.races = has(args, OPTION_RACES);
    job->keep = args->value[OPTION_KEEP];
    job->keep_count = args->count[OPTION_KEEP];
    job->keeps_slower = has(args, OPTION_KEEP_ANYWAY);
    job->goes_on = show_step;
    patch_name_of(path, out->name);
    job->name = out->name;
    char *blank = host_text_make(job->text, job->length);
    job->proof.has_main = blank && host_has_main(blank) && !job->proof.launch;
    free(blank);
    return SMP_OK;
}

static int exit_of(const repair *found, bool of_races) {
    if (found->end == REPAIR_INTERRUPTED)
        return smp_status_exit(SMP_E_INTERRUPTED);
    if (of_races)
        return found->refused[0] != '\0' || found->races_after > 0;
    return found->refused[0] != '\0' || found->after.wavefronts > found->after.ideal;
}

/* patch(1) refuses names outside its folder, so the patch names headers there without theirs. */
static void say_outside(const patch_job *job, const repair *found) {
    char name[PATCH_NAME_BYTES], mark[PATCH_NAME_BYTES + 16];
    for (unsigned i = 0; found->patch && i < job->joined.count; i++) {
        patch_name_of(job->joined.paths[i], name);
        (void)snprintf(mark, sizeof mark, "+++ b/%s\n", name);
        if (strcmp(name, smp_path_from_here(job->joined.paths[i])) != 0 &&
            strstr(found->patch, mark))
            say_line("smemprobe: %s is not below this folder, where patch -p1 would look for it: "
                     "use --apply, or run fix in a folder above it",
                     job->joined.paths[i]);
    }
}

/* Says what was repaired, which a patch does not. */
static void say_head(const smp_repair_shown *shown) {
    FILE *out = say_open();
    smp_repair_head(out, shown);
    say_close(out);
}

static int show(const arguments *args, const patch_job *job, const repair *found) {
    smp_error error;
    output out;
    smp_format format;
    if (output_choose_format_of(args, formats, &format, &error) ||
        output_open_as(args, format, &out, &error))
        return complain(&error);
    const smp_repair_shown shown = {found, job->repair.proof.file.path, job->arch.name, out.style,
                                    job->repair.proof.races};
    smp_format_row_of(format)->repair(out.stream, &shown);
    if (output_close(&out, true, &error) != SMP_OK)
        return complain(&error);
    if (format == SMP_FORMAT_PATCH)
        say_head(&shown);
    if (has(args, OPTION_APPLY) && found->text) {
        if (applied_file_write(&job->repair, found, has(args, OPTION_FORCE), &error) != SMP_OK)
            return complain(&error);
        for (const char *at = found->patch; (at = strstr(at, "+++ b/")); at++)
            say_line("smemprobe: changed %.*s", (int)strcspn(at + 6, "\t\r\n"), at + 6);
    }
    if (!has(args, OPTION_APPLY))
        say_outside(job, found);
    if (found->end == REPAIR_OUT_OF_TIME)
        say_line("smemprobe: stopped with changes left to try; --time allows more");
    if (found->end == REPAIR_INTERRUPTED)
        say_line("smemprobe: interrupted%s",
                 found->text ? "; these changes were proven so far" : "");
    return exit_of(found, job->repair.proof.races);
}

void fix_say_advice(const smp_error *why) {
    if (!why) {
        say_line("smemprobe: without nvcc nothing is compiled or tested; this is advice from the "
                 "source");
        return;
    }
    say_line("smemprobe: %s", why->message);
    say_line("smemprobe: so nothing is tested; this is advice from the source");
}

/* Whether the compiler found a mistake in the source, with or without its host code. */
static bool is_wrong(const smp_error *error) {
    return strncmp(error->message, "nvcc: ", 6) == 0 && strstr(error->message, "): error") &&
           !device_part_is_next(error);
}

/* If a source does not compile, there is only advice, unless a patch was requested. */
static bool is_advised(const arguments *args, const smp_error *error) {
    char from[FORMAT_FROM_MAX];
    const char *name = output_format_name(args, from);
    if (error->status != SMP_E_READ || is_wrong(error) || has(args, OPTION_APPLY) ||
        has(args, OPTION_RACES) || (name && strcmp(name, "patch") == 0))
        return false;
    fix_say_advice(error);
    return true;
}

/* After Ctrl-C compilers and emulations end at once. */
static void stop(void) {
    emulate_budget_end();
    leftover_stop_groups();
}

/* Leaves the search what the program left of its time. */
static void take_rest(repair_job *job, double begun) {
    if (job->seconds > 0) {
        const double rest = job->seconds - (seconds_now() - begun);
        job->seconds = rest > 1 ? rest : 1;
    }
    emulate_budget_start((uint64_t)job->seconds, "--time");
}

static smp_status find_repair(patch_job *job, repair *found, smp_error *error) {
    const smp_status status = repair_find(&job->repair, found, error);
    if (status != SMP_E_READ || !job->repair.joined || !progress_goes_on())
        return status;
    repair_clear(found); /* it may not compile as one text */
    use_text(job, false);
    return repair_find(&job->repair, found, error);
}

bool fix_patch_run(const arguments *args, int *exit_status) {
    smp_error error;
    patch_job job = {.text = NULL};
    repair found = {.text = NULL};
    progress_on_interrupt(stop);
    progress_begin(&job.line, NULL, 0);
    const double begun = seconds_now();
    smp_status status = ask(args, &job, &error);
    if (status == SMP_OK)
        status = find_repair(&job, &found, &error);
    const bool is_part = status == SMP_E_READ && !is_wrong(&error); /* of a larger program */
    const bool is_idle = status == SMP_OK && found.kernels == 0 &&
                         job.repair.proof.file.argument_count == 0 &&
                         strstr(job.text, "__global__");
    if (job.repair.proof.has_main && (is_part || is_idle) && progress_goes_on()) {
        if (is_idle)
            say_line("smemprobe: %s", found.refused);
        else if (!device_part_is_next(&error)) /* else said again with what is done about it */
            say_line("smemprobe: %s", error.message);
        say_line("smemprobe: %s",
                 is_idle ? "its kernels are run alone, with the launches in its text"
                         : "it does not run as a program, so only its kernels are run");
        job.repair.proof.has_main = false;
        take_rest(&job.repair, begun);
        repair_clear(&found);
        status = find_repair(&job, &found, &error);
    }
    progress_clear();
    const bool is_interrupted = !progress_goes_on();
    progress_end(&job.line);
    progress_on_interrupt(NULL);
    if (status != SMP_OK && is_interrupted)
        status = smp_error_set(&error, SMP_E_INTERRUPTED, -1,
                               "interrupted before the original file had run");
    const bool is_done = status == SMP_OK || job.path || is_profile(args->positional[0]) ||
                         !is_advised(args, &error);
    if (is_done)
        *exit_status = status == SMP_OK ? show(args, &job, &found) : complain(&error);
    repair_clear(&found);
    compile_flags_clear(&job.flags);
    smp_launch_clear(&job.launch);
    smp_profile_clear(&job.profile);
    free(job.path);
    free(job.text);
    joined_clear(&job.joined);
    return is_done;
}

/* ---- Of a program ---- */

int fix_program_run(const arguments *args) {
    smp_error error;
    char path[4096];
    int exit_status = 0;
    const bool is_command = args->before_dashes == 0;
    const unsigned count = is_command ? args->positional_count : args->before_dashes;
    const char **words = calloc(args->positional_count + (size_t)1, sizeof *words);
    smp_status status = words ? smp_tool_file("", 0, ".smprof", path, sizeof path, &error)
                              : smp_error_memory(&error);
    if (status != SMP_OK) {
        free(words);
        return complain(&error);
    }
    say_line("smemprobe: profiling %s on the CPU first", args->positional[0]);
    status = program_profile_make(args->positional, count, path, &error);
    if (status == SMP_OK) {
        arguments profiled = *args;
        words[0] = path;
        for (unsigned i = count; i < args->positional_count; i++)
            words[i - count + 1] = args->positional[i];
        profiled.positional = words;
        profiled.positional_count = args->positional_count - count + 1;
        profiled.before_dashes = 1;
        (void)fix_patch_run(&profiled, &exit_status);
    } else {
        exit_status = complain(&error);
    }
    smp_tool_file_remove(path);
    free(words);
    return exit_status;
}
