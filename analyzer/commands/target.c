/* SPDX-License-Identifier: MIT */
/* The front door: a source, machine code, a profile or a program instead of a command. */
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask.h"
#include "compile_flags.h"
#include "device_text.h"
#include "host_text.h"
#include "profile_show.h"
#include "say.h"
#include "source_run.h"
#include "text_file.h"
#include "tool.h"

typedef struct words {
    char **word;
    int count;
} words;

static void put(words *to, const char *word) {
    to->word[to->count++] = (char *)(uintptr_t)word;
}

/* Index of "--" from `at` on; argc if there is none. */
static int find_dashes(int argc, char **argv, int at) {
    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    return at;
}

/* Room for the words of argv and some more. */
static smp_status start(words *out, int argc, smp_error *error) {
    *out = (words){.word = calloc((size_t)argc + 8, sizeof(char *))};
    return out->word ? SMP_OK : smp_error_memory(error);
}

/* Runs the command with the same arguments, except for --no-gpu: the kernels of a file run on the
 * CPU in any case. */
static int run_file(const command_row *command, int argc, char **argv) {
    words as;
    smp_error error;
    const int dashes = find_dashes(argc, argv, 1);
    if (start(&as, argc, &error) != SMP_OK)
        return complain(&error);
    put(&as, command->name);
    for (int i = 1; i < argc; i++)
        if (i > dashes || command == &command_report || strcmp(argv[i], "--no-gpu") != 0)
            put(&as, argv[i]);
    const int status = command_run(command, as.count, as.word);
    free(as.word);
    return status;
}

static bool has_gpu(void) {
    return access("/dev/nvidia0", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

/* Reads the words after a command's name. The caller frees out->positional in any case; it has room
 * for `more` words. */
static smp_status read_words(const command_row *command, words given, int more, arguments *out,
                             smp_error *error) {
    words as;
    out->positional = NULL;
    if (start(&as, given.count + more, error) != SMP_OK)
        return error->status;
    put(&as, command->name);
    for (int i = 0; i < given.count; i++)
        put(&as, given.word[i]);
    return arguments_parse(command, as.count, as.word, out, error);
}

static void add(arguments *to, words from) {
    for (int i = 0; i < from.count; i++)
        to->positional[to->positional_count++] = from.word[i];
}

/* Seconds that a program may run on the CPU, if nothing else is asked for; fix allows as many. */
#define SECONDS_ON_CPU "300"

/* Chooses the CPU without a GPU, or for an option that needs it. */
static void choose_engine(arguments *args) {
    if (has_gpu() && !profile_needs_cpu(args))
        return;
    args->count[OPTION_NO_GPU] = 1;
    if (!has(args, OPTION_BUDGET))
        args->value[OPTION_BUDGET][args->count[OPTION_BUDGET]++] = SECONDS_ON_CPU;
}

static int run_program(words options, words program, words more) {
    arguments args;
    smp_error error;
    const smp_status status =
        read_words(&command_profile, options, program.count + more.count, &args, &error);
    if (status == SMP_OK) {
        choose_engine(&args);
        add(&args, program);
        add(&args, more);
    }
    const int exit_status = status == SMP_OK ? command_run_parsed(&args) : complain(&error);
    free(args.positional);
    return exit_status;
}

/* Profiles FILE OPTIONS -- ARGS under its interpreter. */
static int run_with_arguments(char *interpreter, int argc, char **argv) {
    const int dashes = find_dashes(argc, argv, 2);
    char *program[] = {interpreter, argv[1]};
    return run_program((words){argv + 2, dashes - 2},
                       (words){program + !interpreter, 1 + !!interpreter},
                       (words){argv + dashes + 1, dashes < argc ? argc - dashes - 1 : 0});
}

/* ---- A source ---- */

enum { ARCHS_TEXT = 512 };

/* Reads --arch, and writes its list with "all" expanded to `names`. */
static smp_status choose_archs(const arguments *args, arch_list *out, char names[ARCHS_TEXT],
                               smp_error *error) {
    text_buffer text = text_buffer_over(names, ARCHS_TEXT);
    if (ask_arch_list(args, out, error) ||
        (out->all && smp_program_keep_archs(out->rows, &out->count, error)))
        return error->status;
    for (size_t i = 0; i < out->count; i++)
        text_join(&text, ",", "%s", out->rows[i].name);
    return SMP_OK;
}

static smp_program_file file_of(int argc, char **argv) {
    const int dashes = find_dashes(argc, argv, 2);
    return (smp_program_file){.path = argv[1],
                              .flags = (const char *const *)argv + dashes + 1,
                              .flag_count = dashes < argc ? (uint32_t)(argc - dashes - 1) : 0,
                              .kernel = "",
                              .notes = &say_notes_once};
}

static smp_status link_source(const smp_program_file *file, const arch_list *archs, char *program,
                              size_t size, smp_error *error) {
    compile_flags room;
    smp_program_file built = *file;
    smp_status status = compile_database_use(&built, &room, error);
    if (status == SMP_OK)
        status = smp_program_link(&built, archs->rows, archs->count, program, size, error);
    compile_flags_clear(&room);
    return status;
}

/* Profiles the compiled program with its arguments, under the name of the source file. */
static int run_linked(const smp_program_file *file, char *program, arguments *args) {
    char command[1024];
    text_buffer shown = TEXT_BUFFER(command);
    add(args, (words){&program, 1});
    text_add(&shown, "smemprobe");
    text_add_word(&shown, file->path);
    text_add(&shown, "%s", file->argument_count > 0 ? " -- --" : "");
    for (uint32_t i = 0; i < file->argument_count; i++) {
        args->positional[args->positional_count++] = file->arguments[i];
        text_add_word(&shown, file->arguments[i]);
    }
    profile_show_as(command);
    const int status = command_run_parsed(args);
    profile_show_as(NULL);
    return status;
}

/* Whether a part of the program is elsewhere, which its kernels may not need. */
static bool is_part(const smp_error *error) {
    return error->status == SMP_E_READ && strstr(error->message, " is defined in another source");
}

/* Reports mistakes in the options before compiling anything. */
static bool check_options(arguments *args, char **file, int *status) {
    add(args, (words){file, 1});
    const bool is_right = profile_check(args, status);
    args->positional_count--;
    return is_right;
}

/* Compiles, runs and removes the program. If headers, sources or libraries are missing, only the
 * kernels run. */
static int compile_and_run(const smp_program_file *file, bool has_kernels, int argc, char **argv,
                           arguments *args) {
    char program[4096], names[ARCHS_TEXT];
    smp_error error;
    arch_list archs;
    int status;
    if (choose_archs(args, &archs, names, &error) != SMP_OK)
        return complain(&error);
    for (int i = 2; archs.all && i < argc; i++)
        if (argv[i] == last_value(args, OPTION_ARCH))
            argv[i] = names;
    if (archs.all)
        args->value[OPTION_ARCH][args->count[OPTION_ARCH] - 1] = names;
    choose_engine(args);
    if (!check_options(args, argv + 1, &status))
        return status;
    if (link_source(file, &archs, program, sizeof program, &error) != SMP_OK) {
        const bool is_known = device_part_is_next(&error); /* emulate says what is missing */
        if (file->argument_count > 0 || !(is_known || (has_kernels && is_part(&error))))
            return complain(&error);
        if (!is_known) {
            say_line("smemprobe: %s", error.message);
            say_line("smemprobe: it does not run as a program, so only its kernels are run");
        }
        return run_file(&command_emulate, argc, argv);
    }
    status = run_linked(file, program, args);
    smp_tool_file_remove(program);
    return status;
}

static int run_compiled(const smp_program_file *file, bool has_kernels, int argc, char **argv) {
    arguments args;
    smp_error error;
    const words options = {argv + 2, find_dashes(argc, argv, 2) - 2};
    const int status = read_words(&command_profile, options, argc, &args, &error) == SMP_OK
                           ? compile_and_run(file, has_kernels, argc, argv, &args)
                           : complain(&error);
    free(args.positional);
    return status;
}

/* Whether the program has run without a kernel, as for want of arguments, and emulate takes the
 * same options. */
static bool is_idle(const smp_program_file *file, int argc, char **argv) {
    arguments args;
    smp_error error;
    if (!profile_show_was_empty() || file->argument_count > 0)
        return false;
    const bool is_taken =
        read_words(&command_emulate, (words){argv + 1, argc - 1}, 0, &args, &error) == SMP_OK;
    const bool is_plain = is_taken && !has(&args, OPTION_OUTPUT) && !has(&args, OPTION_FORMAT);
    free(args.positional);
    return is_plain;
}

/* Options that mean the same to fix. */
static bool is_of_fix(const char *word) {
    static const smp_option same[] = {OPTION_LAUNCH, OPTION_DEFINE, OPTION_ARCH};
    return ANY(one, same, sizeof same / sizeof *same,
               strncmp(word, "--", 2) == 0 && strcmp(word + 2, option_rows[*one].name) == 0);
}

/* Suggests "smemprobe fix FILE.cu" with the options, flags and arguments given here. */
static const char *repair_of(int argc, char **argv) {
    static char command[1024];
    text_buffer out = TEXT_BUFFER(command);
    text_add(&out, "smemprobe fix");
    text_add_word(&out, argv[1]);
    const int dashes = find_dashes(argc, argv, 2);
    for (int i = 2; i < argc; i++)
        if (i >= dashes || is_of_fix(argv[i]) || is_of_fix(argv[i - 1]))
            text_add_word(&out, argv[i]);
    return command;
}

/* Whether this option takes the next argument as its value. */
static bool takes_value(const char *word) {
    if (strcmp(word, "-o") == 0)
        return true;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, option_rows[i].name) == 0)
            return option_rows[i].argument;
    return false;
}

/* A flag of the compiler before "--"; NULL if there is none. */
static const char *early_flag(int argc, char **argv) {
    const int dashes = find_dashes(argc, argv, 2);
    for (int i = 2; i < dashes; i++)
        if (argv[i][0] == '-' && !strchr("-oh", argv[i][1]) && !takes_value(argv[i - 1]))
            return argv[i];
    return NULL;
}

/* Another source before "--"; NULL if there is none. A word behind an option is its value. */
static const char *second_source(int argc, char **argv) {
    const int dashes = find_dashes(argc, argv, 2);
    for (int i = 2; i < dashes; i++)
        if (argv[i - 1][0] != '-' && argv[i][0] != '-' && smp_name_ends(argv[i], ".cu"))
            return argv[i];
    return NULL;
}

static int run_source(int argc, char **argv) {
    char nvcc[4096];
    smp_error error;
    bool has_main = false, has_kernels = false;
    const char *second = second_source(argc, argv);
    if (second)
        return complain_of(SMP_E_USAGE,
                           "%.80s and %.80s: give one file at a time (check --max-ways N takes "
                           "many); other sources of the program follow --",
                           argv[1], second);
    const char *flag = early_flag(argc, argv);
    if (flag)
        return complain_of(SMP_E_USAGE, "%.80s: flags of nvcc follow --: smemprobe %.80s -- %.80s",
                           flag, argv[1], flag);
    smp_program_file file = file_of(argc, argv);
    if (source_look_at(argv[1], &has_main, &has_kernels, &error) != SMP_OK ||
        smp_program_split_words(&file, &error) != SMP_OK)
        return complain(&error);
    if (smp_tool_find("nvcc", nvcc, sizeof nvcc, &error) != SMP_OK) {
        say_line("smemprobe: nvcc not found, so this answer comes from the source text; nvcc comes "
                 "with pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-cuda-runtime "
                 "nvidia-nvvm (from source: script/bootstrap --cuda)");
        return run_file(&command_source, argc, argv);
    }
    if ((has_main && has_gpu() ? smp_compiler_find(nvcc, sizeof nvcc, &error)
                               : smp_tools_find(true, &error)) != SMP_OK) {
        say_line("smemprobe: %s", error.message);
        say_line("smemprobe: so this answer comes from the source text");
        return run_file(&command_source, argc, argv);
    }
    profile_show_repair(repair_of(argc, argv));
    int status = has_main ? run_compiled(&file, has_kernels, argc, argv)
                          : run_file(&command_emulate, argc, argv);
    if (has_main && has_kernels && is_idle(&file, argc, argv)) {
        say_line("smemprobe: its kernels are run alone, with the launches in its text");
        status = run_file(&command_emulate, argc, argv);
    }
    profile_show_repair(NULL);
    return status;
}

static int run_other(int argc, char **argv) {
    smp_error error;
    (void)argc;
    (void)source_language_refuse(argv[1], source_language_named(argv[1]), &error);
    return complain(&error);
}

static int run_code(int argc, char **argv) {
    return run_file(&command_emulate, argc, argv);
}

static int run_profile_file(int argc, char **argv) {
    return run_file(&command_report, argc, argv);
}

static int run_script(int argc, char **argv) {
    static char interpreter[] = "python3";
    return run_with_arguments(interpreter, argc, argv);
}

/* ---- Which of them ---- */

typedef struct target_row {
    const char *ending;
    int (*run)(int argc, char **argv);
} target_row;

static const target_row targets[] = {
    {".cu", run_source},  {".cuh", run_source},          {".ptx", run_code},
    {".cubin", run_code}, {".smprof", run_profile_file}, {".py", run_script},
};

static const target_row other = {"", run_other};

bool target_is_program(const char *word) {
    struct stat info;
    return strchr(word, '/') && stat(word, &info) == 0 && S_ISREG(info.st_mode) &&
           access(word, X_OK) == 0;
}

/* Whether the name has the form of a target, whether or not the file exists. */
static const target_row *row_of(const char *word) {
    const target_row *row =
        FIND(one, targets, sizeof targets / sizeof targets[0], smp_name_ends(word, one->ending));
    return row || !source_language_named(word) ? row : &other;
}

static const target_row *find_target(const char *word) {
    struct stat info;
    return stat(word, &info) == 0 ? row_of(word) : NULL;
}

/* Index of the program in "OPTIONS -- PROGRAM ARGS"; 0 if there is none. After options it must be a
 * file, since an access may follow them, too. */
static int find_command(int argc, char **argv) {
    const int at = find_dashes(argc, argv, 1) + 1;
    return argv[1][0] == '-' && at < argc && (at == 2 || target_is_program(argv[at])) ? at : 0;
}

bool target_is_command(int argc, char **argv) {
    return find_command(argc, argv) > 0;
}

int target_run_command(int argc, char **argv) {
    const int at = find_command(argc, argv);
    return run_program((words){argv + 1, at - 2}, (words){argv + at, argc - at}, (words){0});
}

bool is_target(const char *word) {
    return word[0] != '-' && (find_target(word) || target_is_program(word));
}

bool is_target_missing(const char *word) {
    struct stat info;
    return word[0] != '-' && !strpbrk(word, " [(") && (strchr(word, '/') || row_of(word)) &&
           stat(word, &info) != 0;
}

bool target_put_first(int argc, char **argv) {
    const int dashes = find_dashes(argc, argv, 1);
    for (int at = 1; at < dashes; at++) {
        char *const word = argv[at];
        if (at > 1 && is_target(word)) {
            memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
            argv[1] = word;
            return true;
        }
        if (word[0] != '-')
            return false;
        at += takes_value(word);
    }
    return false;
}

int target_run(int argc, char **argv) {
    const target_row *target = find_target(argv[1]);
    return target ? target->run(argc, argv) : run_with_arguments(NULL, argc, argv);
}
