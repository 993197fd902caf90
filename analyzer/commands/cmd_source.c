/* SPDX-License-Identifier: MIT */
/*
 * FILE.cu without a compiler: shows its kernels by the source model, in the form of machine code.
 * It has no command name; target.c calls it.
 */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "compile_flags.h"
#include "output.h"
#include "profile_show.h"
#include "say.h"
#include "source_line.h"
#include "source_run.h"
#include "text_buffer.h"
#include "text_file.h"

static const smp_option options[] = {OPTION_ARCH,   OPTION_DEFINE, OPTION_BLOCK,        OPTION_GRID,
                                     OPTION_MEMORY, OPTION_BUDGET, PROFILE_SHOW_OPTIONS};

static const option_words words[] = {{OPTION_MEMORY, "shared, global or all (default)"},
                                     {OPTION_BUDGET, "no effect, because nothing is run"},
                                     PROFILE_SHOW_WORDS,
                                     {OPTION_HELP, NULL}};

#define NEEDS_NVCC "needs nvcc: without it the source is read, and nothing runs"

static const option_words refused[] = {{OPTION_RACES, NEEDS_NVCC},   {OPTION_LAUNCH, NEEDS_NVCC},
                                       {OPTION_LIMIT, NEEDS_NVCC},   {OPTION_STACK, NEEDS_NVCC},
                                       {OPTION_COMPARE, NEEDS_NVCC}, {OPTION_TRACE, NEEDS_NVCC},
                                       {OPTION_CAPTURE, NEEDS_NVCC}, {0}};

typedef struct source_command {
    smp_source_job job;
    smp_arch arch;
    bool all; /* architectures */
    unsigned refused;
} source_command;

/* Evaluates the kernels for every architecture that emulate supports. */
static smp_status read_for_all(source_command *c, smp_profile *profile, smp_error *error) {
    size_t count;
    const smp_arch *archs = smp_archs(&count);
    smp_status status = SMP_OK;
    for (size_t i = 0; i < count && status == SMP_OK; i++) {
        if (smp_op_evidence(&archs[i], SMP_CP_ASYNC, 4) == SMP_ABSENT)
            continue;
        c->job.arch = &archs[i];
        status = smp_source_run(&c->job, profile, &c->refused, error);
        c->job.notes = NULL; /* notes repeat for each architecture */
    }
    return status;
}

static smp_status read_kernels(const arguments *args, source_command *c, smp_profile *profile,
                               smp_error *error) {
    char command[1024], *text = NULL;
    compile_flags room = {0};
    source_file *to = &c->job.file;
    smp_program_file file = {.path = args->positional[0],
                             .flags = args->positional + 1,
                             .flag_count = args->positional_count - 1,
                             .notes = &say_notes};
    text_buffer shown = TEXT_BUFFER(command);
    text_add(&shown, "smemprobe");
    text_add_word(&shown, file.path);
    smp_status status = smp_program_split_words(&file, error);
    if (file.argument_count > 0)
        say_line("smemprobe: the program is not run, so its arguments are ignored");
    if (has(args, OPTION_BUDGET))
        say_line("smemprobe: the program is not run, so --budget limits nothing");
    if (status == SMP_OK)
        status = smp_text_read(file.path, &text, &to->length, error);
    if (status == SMP_OK)
        status = compile_database_use(&file, &room, error);
    to->path = file.path;
    to->text = text;
    to->flags = file.flags;
    to->flag_count = file.flag_count;
    if (status == SMP_OK && !smp_profile_begin_run(profile, SMP_ENGINE_SOURCE, command,
                                                   c->all ? "all architectures" : c->arch.name))
        status = smp_error_memory(error);
    if (status == SMP_OK)
        status = c->all ? read_for_all(c, profile, error)
                        : smp_source_run(&c->job, profile, &c->refused, error);
    compile_flags_clear(&room);
    free(text);
    return status;
}

static int run(const arguments *args) {
    smp_error error;
    profile_show how = {0};
    smp_profile profile = {0};
    source_command c = {.job = {.notes = &say_notes}};
    int exit_status = 0;
    c.job.arch = &c.arch;
    c.job.kernels = last_value(args, OPTION_KERNEL);
    smp_source_allow_all();
    if (profile_show_ask(args, &how, &error) || profile_show_memory(args, &how, &error) ||
        ask_arch(args, &c.arch, &c.all, &error) || ask_launch_wish(args, &c.job.wish, &error) ||
        output_words_check(args, &error) || read_kernels(args, &c, &profile, &error))
        exit_status = complain(&error);
    else if (profile.kernel_count > 0 || c.refused == 0)
        exit_status = profile_show_run(args, &how, &profile, stdout);
    if (exit_status == 0 && c.refused > 0)
        exit_status = 3;
    profile_show_clear(&how);
    smp_profile_clear(&profile);
    return exit_status;
}

const command_row command_source = {
    .name = "FILE.cu",
    .summary = "its kernels, read from the source, because there is no nvcc",
    .usage = "[OPTIONS] [-- -DNAME=VALUE...]",
    COMMAND_OPTIONS(options),
    .words = words,
    .refused = refused,
    .formats = PROFILE_SHOW_FORMATS,
    .run = run,
};
