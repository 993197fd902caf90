/* SPDX-License-Identifier: MIT */
/*
 * FILE.cu where there is no compiler: its kernels by the source model, shown as those of its
 * machine code are. It is no command with a name: the front door asks it.
 */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "ask_launch.h"
#include "compile_database.h"
#include "output.h"
#include "profile_show.h"
#include "program_file.h"
#include "say.h"
#include "source_line.h"
#include "source_run.h"
#include "text_file.h"

static const smp_option options[] = {OPTION_ARCH, OPTION_DEFINE, OPTION_BLOCK,
                                     OPTION_GRID, OPTION_MEMORY, PROFILE_SHOW_OPTIONS};

static const option_words words[] = {
    {OPTION_MEMORY, "shared, global or all (default)"}, PROFILE_SHOW_WORDS, {OPTION_HELP, NULL}};

static smp_status read_kernels(const arguments *args, smp_source_job *job, smp_profile *profile,
                               unsigned *refused, smp_error *error) {
    char command[1024], *text = NULL;
    compile_flags room = {0};
    smp_program_file file = {.path = args->positional[0],
                             .flags = args->positional + 1,
                             .flag_count = args->positional_count - 1,
                             .notes = &say_notes};
    (void)snprintf(command, sizeof command, "smemprobe %s", file.path);
    smp_status status = smp_text_read(file.path, &text, &job->file.length, error);
    if (status == SMP_OK)
        status = compile_database_use(&file, &room, error);
    job->file.path = file.path;
    job->file.text = text;
    job->file.flags = file.flags;
    job->file.flag_count = file.flag_count;
    if (status == SMP_OK &&
        !smp_profile_begin_run(profile, SMP_ENGINE_SOURCE, command, job->arch->name))
        status = smp_error_memory(error);
    if (status == SMP_OK)
        status = smp_source_run(job, profile, refused, error);
    compile_flags_clear(&room);
    free(text);
    return status;
}

static int run(const arguments *args) {
    smp_error error;
    smp_arch arch;
    profile_show how = {0};
    smp_profile profile = {0};
    smp_source_job job = {.arch = &arch, .notes = &say_notes};
    unsigned refused = 0;
    smp_source_allow_all();
    int exit_status = 0;
    if (profile_show_ask(args, &how, &error) || profile_show_memory(args, &how, &error) ||
        ask_one_arch(args, "a file is judged by one", &arch, &error) ||
        ask_launch_wish(args, &job.wish, &error) || output_words_check(args, &error) ||
        read_kernels(args, &job, &profile, &refused, &error))
        exit_status = complain(&error);
    else if (profile.kernel_count > 0)
        exit_status = profile_show_run(args, &how, &profile, stdout);
    if (exit_status == 0 && refused > 0)
        exit_status = 3;
    profile_show_clear(&how);
    smp_profile_clear(&profile);
    return exit_status;
}

const command_row command_source = {
    .name = "FILE.cu",
    .summary = "its kernels, read from the source: there is no nvcc",
    .usage = "[OPTIONS] [-- -DNAME=VALUE...]",
    COMMAND_OPTIONS(options),
    .words = words,
    .formats = PROFILE_SHOW_FORMATS,
    .examples = "  smemprobe reduce.cu                      every kernel, as the file launches it\n"
                "  smemprobe reduce.cu --define n=4096      a value that was assumed\n"
                "  smemprobe predict reduce.cu --explain    access by access\n",
    .run = run,
};
