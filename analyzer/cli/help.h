/* SPDX-License-Identifier: MIT */
/*
 * The help of the program and of a command, on standard output.
 */
#pragma once

#include <stdio.h>

#include "command.h"

/* Every exit status that there is, for help, man page and tests: number, meaning. */
#define CLI_EXIT_LIST(X)                                                                           \
    X(0, "fine")                                                                                   \
    X(1, "a finding, a line above the gate, or predicted and measured differ")                     \
    X(2, "wrong words on the command line")                                                        \
    X(3, "wrong content, also of an argument; a file that cannot be read or written; a gate that " \
         "could judge nothing")                                                                    \
    X(4, "not permitted: the GPU's counters are locked")                                           \
    X(5, "internal or GPU error")                                                                  \
    X(77, "skipped: no GPU")                                                                       \
    X(130, "interrupted; what was finished stands")

/* What stands in the place of a command, and what is done with it. */
#define CLI_TARGET_LIST(X)                                                            \
    X("kernel.cu", "its kernels, or its main: the machine code is run")               \
    X("kernel.cu -- -O2 -- 99", "the same with flags of nvcc, arguments of its main") \
    X("kernel.ptx, .cubin", "its kernels, on the CPU")                                \
    X("./program, script.py", "profile: what its accesses cost, by source line")      \
    X("run.smprof", "report: a profile that was kept")                                \
    X("'tile[threadIdx.x][0]'", "predict: an access; or --stride 33 --width 4")

#define CLI_EXAMPLES                                                                   \
    "  smemprobe --stride 33 --width 4     one access by its stride\n"                 \
    "  smemprobe 't[threadIdx.x][0]' --shared 'float t[32][33]'  as in the code\n"     \
    "  smemprobe kernel.cu                 a file as it stands, by its machine code\n" \
    "  smemprobe fix 'ld t[threadIdx.x][0]' --shared 'float t[32][32]'\n"              \
    "  smemprobe profile -- ./program      where a program loses time, and why\n"

/* The program as a whole: its `count` commands and, in the long form, the help of the first. */
void help_print_all(const command_row *const *commands, size_t count, bool is_long);
/* A command, or what it does behind `first` (may be NULL) where that word has help of its own;
 * examples and exit statuses only in the long form. */
void help_print(const command_row *command, const char *first, bool is_long);
/* help_words.c: "help", "help COMMAND", "help plot KIND", "help language"; the exit status. */
int help_words(int argc, char **argv);

/* ---- manual.c, completion.c ---- */

/* smemprobe(1): what it is, its commands, exit statuses, environment. */
void manual_put_program(FILE *out, const command_row *const *commands, size_t count);
/* smemprobe-COMMAND(1). */
void manual_put_command(FILE *out, const command_row *command);
/* smemprobe-language(7), and the same for a terminal. */
void manual_put_language(FILE *out);
void manual_print_language(FILE *out);

/* completion.c */
void completion_put_bash(FILE *out, const command_row *const *commands, size_t count);
void completion_put_zsh(FILE *out, const command_row *const *commands, size_t count);
void completion_put_fish(FILE *out, const command_row *const *commands, size_t count);
