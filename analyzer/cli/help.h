/* SPDX-License-Identifier: MIT */
/* The help of the program and of a command, on standard output. */
#pragma once

#include <stdio.h>

#include "command.h"

/* All exit statuses with their meanings, for help, man page and tests. */
#define CLI_EXIT_LIST(X)                                                                        \
    X(0, "success")                                                                             \
    X(1, "a finding, a line above the gate, or a measurement that differs from the prediction") \
    X(2, "a mistake on the command line")                                                       \
    X(3, "wrong content, in a file or an argument; a file that cannot be read or written; a "   \
         "gate with nothing to judge")                                                          \
    X(4, "not permitted: the GPU's counters are locked")                                        \
    X(5, "internal or GPU error")                                                               \
    X(77, "skipped: no GPU")                                                                    \
    X(130, "interrupted; finished results are valid")

/* The targets that replace a command, and what happens with them. */
#define CLI_TARGET_LIST(X)                                                             \
    X("kernel.cu", "compile it, run its kernels or its main, and report")              \
    X("kernel.cu -- -O2 -- 99", "the same, with nvcc flags and arguments of its main") \
    X("kernel.ptx, .cubin", "run its kernels on the CPU")                              \
    X("./program, script.py", "profile: show what its accesses cost, by source line")  \
    X("run.smprof", "report: show a kept profile")                                     \
    X("'tile[threadIdx.x][0]'", "predict: one access, with --shared; or --stride 33")

#define CLI_EXAMPLES                                                                       \
    "  smemprobe --stride 33 --width 4     one access by its stride\n"                     \
    "  smemprobe 't[threadIdx.x][0]' --shared 'float t[32][33]'  as in the code\n"         \
    "  smemprobe kernel.cu                 all kernels of a file, by their machine code\n" \
    "  smemprobe fix 'ld t[threadIdx.x][0]' --shared 'float t[32][32]'\n"                  \
    "  smemprobe profile -- ./program      where a program loses time, and why\n"

/* Prints the help of the program: its `count` commands and, if long, the help of the first. */
void help_print_all(const command_row *const *commands, size_t count, bool is_long);
/* Prints the help of a command, or of its word `first` (may be NULL) if that has its own; examples
 * and exit statuses only if long. */
void help_print(const command_row *command, const char *first, bool is_long);
/* What commands/help/NAME.txt says: the lines before the first empty one, joined, and those behind
 * it. */
void help_description(const command_row *command, char *out, size_t size);
const char *help_examples(const command_row *command);
/* find_command.c: "help", "help COMMAND", "help plot KIND", "help language", "help launch".
 * Returns the exit status. */
int help_run(int argc, char **argv);

/* ---- manual.c, completion.c ---- */

typedef struct manual_topic manual_topic; /* what several commands share */

/* smemprobe(1): commands, exit statuses, environment. */
void manual_put_program(FILE *out, const command_row *const *commands, size_t count);
/* smemprobe-COMMAND(1). */
void manual_put_command(FILE *out, const command_row *command);
/* "language" or "launch"; NULL if there is no such page. */
const manual_topic *manual_topic_find(const char *name);
/* smemprobe-NAME(7), and the same for a terminal. */
void manual_put_topic(FILE *out, const manual_topic *topic);
void manual_print_topic(FILE *out, const manual_topic *topic);

/* completion.c */
void completion_put_bash(FILE *out, const command_row *const *commands, size_t count);
void completion_put_zsh(FILE *out, const command_row *const *commands, size_t count);
void completion_put_fish(FILE *out, const command_row *const *commands, size_t count);
