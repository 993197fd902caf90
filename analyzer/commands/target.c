/* SPDX-License-Identifier: MIT */
/*
 * The front door: a source, machine code, a profile or a program, without the name of a command.
 */
#define _POSIX_C_SOURCE 200809L
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "compile_database.h"
#include "host_text.h"
#include "profile_show.h"
#include "program_file.h"
#include "say.h"
#include "text_file.h"
#include "tool.h"

typedef struct words {
    char **word;
    int count;
} words;

static void put(words *to, const char *word) {
    to->word[to->count++] = (char *)(uintptr_t)word;
}

/* The place of "--" among the words; argc: there is none. */
static int find_dashes(int argc, char **argv) {
    int at = 2;
    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    return at;
}

static int run_as(const command_row *command, words *as) {
    const int status = command_run(command, as->count, as->word);
    free(as->word);
    return status;
}

static bool start(words *out, int argc) {
    smp_error error;
    *out = (words){.word = calloc((size_t)argc + 8, sizeof(char *))};
    if (out->word)
        return true;
    (void)smp_error_memory(&error);
    (void)complain(&error);
    return false;
}

/* The command with the words as they stand. */
static int run_file(const command_row *command, int argc, char **argv) {
    words as;
    if (!start(&as, argc))
        return 5;
    put(&as, command->name);
    for (int i = 1; i < argc; i++)
        put(&as, argv[i]);
    return run_as(command, &as);
}

static bool has_gpu(void) {
    return access("/dev/nvidia0", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

/* profile OPTIONS -- COMMAND... */
static int run_program(const char *interpreter, const char *program, int argc, char **argv,
                       bool takes_arguments) {
    words as;
    const int dashes = find_dashes(argc, argv);
    if (!start(&as, argc))
        return 5;
    put(&as, "profile");
    if (!has_gpu())
        put(&as, "--no-gpu");
    for (int i = 2; i < dashes; i++)
        put(&as, argv[i]);
    put(&as, "--");
    if (interpreter)
        put(&as, interpreter);
    put(&as, program);
    for (int i = dashes + 1; takes_arguments && i < argc; i++)
        put(&as, argv[i]);
    return run_as(&command_profile, &as);
}

/* ---- A source ---- */

static bool has_main(const char *path) {
    char *text, *blank;
    size_t length;
    smp_error error;
    if (smp_text_read(path, &text, &length, &error) != SMP_OK)
        return false;
    blank = host_text_make(text, length);
    const bool found = blank && host_has_main(blank);
    free(blank);
    free(text);
    return found;
}

/* Compiled, run, and gone. */
static int run_compiled(int argc, char **argv) {
    char program[4096];
    smp_error error;
    const int dashes = find_dashes(argc, argv);
    compile_flags room;
    smp_program_file file = {.path = argv[1],
                             .flags = (const char *const *)argv + dashes + 1,
                             .flag_count = dashes < argc ? (uint32_t)(argc - dashes - 1) : 0,
                             .kernel = "",
                             .notes = &say_notes};
    const bool is_made = compile_database_use(&file, &room, &error) == SMP_OK &&
                         smp_program_link(&file, program, sizeof program, &error) == SMP_OK;
    compile_flags_clear(&room);
    if (!is_made)
        return complain(&error);
    char command[1024];
    (void)snprintf(command, sizeof command, "smemprobe %s", argv[1]);
    profile_show_as(command);
    const int status = run_program(NULL, program, argc, argv, false);
    profile_show_as(NULL);
    smp_tool_file_remove(program);
    return status;
}

static int run_source(int argc, char **argv) {
    char nvcc[4096];
    smp_error error;
    if (smp_tool_find("nvcc", nvcc, sizeof nvcc, &error) != SMP_OK) {
        say_line("smemprobe: without nvcc the source model is asked: it may want values (--define "
                 "NAME=N, --block N), and the compiler may join accesses (pip install "
                 "nvidia-cuda-nvcc nvidia-cuda-crt nvidia-cuda-runtime "
                 "nvidia-nvvm gets one)");
        return run_file(&command_predict, argc, argv);
    }
    return has_main(argv[1]) ? run_compiled(argc, argv) : run_file(&command_emulate, argc, argv);
}

static int run_code(int argc, char **argv) {
    return run_file(&command_emulate, argc, argv);
}

static int run_profile_file(int argc, char **argv) {
    return run_file(&command_report, argc, argv);
}

static int run_script(int argc, char **argv) {
    return run_program("python3", argv[1], argc, argv, true);
}

static int run_executable(int argc, char **argv) {
    return run_program(NULL, argv[1], argc, argv, true);
}

/* ---- Which of them ---- */

typedef struct target_row {
    const char *ending;
    int (*run)(int argc, char **argv);
} target_row;

static const target_row targets[] = {
    {".cu", run_source},           {".ptx", run_code},  {".cubin", run_code},
    {".smprof", run_profile_file}, {".py", run_script},
};

static bool is_program(const char *word) {
    struct stat info;
    return strchr(word, '/') && stat(word, &info) == 0 && S_ISREG(info.st_mode) &&
           access(word, X_OK) == 0;
}

static const target_row *find_target(const char *word) {
    struct stat info;
    const size_t length = strlen(word);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        const size_t tail = strlen(targets[i].ending);
        if (length > tail && strcmp(word + length - tail, targets[i].ending) == 0 &&
            stat(word, &info) == 0)
            return &targets[i];
    }
    return NULL;
}

bool target_is(const char *word) {
    return word[0] != '-' && (find_target(word) || is_program(word));
}

int target_run(int argc, char **argv) {
    const target_row *target = find_target(argv[1]);
    return target ? target->run(argc, argv) : run_executable(argc, argv);
}
