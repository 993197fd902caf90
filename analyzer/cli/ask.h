/* SPDX-License-Identifier: MIT */
/*
 * From the command line to plain structs. Only ask_*.c read the text of options. Comments give the
 * result for an option that is missing.
 */
#pragma once

#include "assumed_launch.h"
#include "command.h"
#include "run_options.h"
#include "smp_accesses.h"

/* --arch: one row, or *all is true. Default sm_90; in the mode of --bank-mode. */
smp_status ask_arch(const arguments *args, smp_arch *out, bool *all, smp_error *error);
/* The architectures of --arch, repeated or separated by commas, without duplicates; all rows for
 * "all", none by default. */
enum { ARCHS_MAX = 64 };
typedef struct arch_list {
    smp_arch rows[ARCHS_MAX];
    size_t count;
    bool all;
} arch_list;
smp_status ask_arch_list(const arguments *args, arch_list *out, smp_error *error);
/* Adds an architecture unless the list has it. */
smp_status ask_arch_more(const arguments *args, const char *name, arch_list *out, smp_error *error);
/* The same if "all" is not allowed; `why` ends the error message. */
smp_status ask_one_arch(const arguments *args, const char *why, smp_arch *out, smp_error *error);
/* The architecture of that name, in the mode of --bank-mode. */
smp_status ask_arch_named(const arguments *args, const char *name, smp_arch *out, smp_error *error);
/* --op, --width, --stride, --offset, --lanes; defaults of smp_pattern_default. */
smp_status ask_pattern(const arguments *args, smp_pattern *out, smp_error *error);
/* --access, which must be given: a line of the batch format. */
smp_status ask_access_line(const arguments *args, smp_access *out, smp_error *error);
/* Like ask_pattern, without --stride. */
smp_status ask_base(const arguments *args, smp_pattern *out, smp_error *error);
/* Refuses the first of these options that was given, with the message "--OPTION why". */
smp_status refuse_options(const arguments *args, const smp_option *some, size_t count,
                          const char *why, smp_error *error);
/* A number up to `limit`; without the option *out is unchanged. */
smp_status ask_number(const arguments *args, smp_option option, uint64_t limit, uint64_t *out,
                      smp_error *error);
/* --max-ways and --max-excess; -1 by default. */
smp_status ask_bounds(const arguments *args, uint64_t limit, int64_t *ways, int64_t *excess,
                      smp_error *error);
/* --lanes; without it *mask is unchanged. */
smp_status ask_lanes(const arguments *args, uint32_t *mask, smp_error *error);

/* --limit "N" or "N:M": warp instructions of a block, and of all blocks; --stack: bytes, at least
 * 1; --races. */
smp_status ask_run(const arguments *args, smp_run_options *out, smp_error *error);
/* Index of the given word, for an option with a fixed set (option_values.c); without the option
 * *out is unchanged. */
smp_status ask_word(const arguments *args, smp_option option, unsigned *out, smp_error *error);
/* option_values.c: the words that an option takes, separated by blanks, for completion; "" if it
 * takes others. `command` may be NULL for an option that means the same in all commands. */
enum { OPTION_VALUES_MAX = 8192 };
const char *option_values(const command_row *command, smp_option option,
                          char room[OPTION_VALUES_MAX]);
/* The next word of a comma-separated list (may be NULL), cut if too long; *list is NULL after the
 * last word. False if there is none. */
enum { LIST_WORD_MAX = 64 };
bool list_word(const char **list, char word[LIST_WORD_MAX]);
/* The same, ignoring a trailing comma. */
bool list_word_or_end(const char **list, char word[LIST_WORD_MAX]);

/* guess_arch.c: what an unknown architecture name may have meant, such as "'RTX 4090'"; false
 * without a guess. */
enum { GUESS_MAX = 128 };
bool guess_arch(const char *name, char out[GUESS_MAX]);

/* ---- number.c ---- */

/* Strict decimal numbers and lists of them. Messages name the option. */
smp_status number_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                        smp_error *error);
/* "0:64", "0:64:2", "1,2,4" or "33": the numbers, both ends included. */
smp_status numbers_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                         size_t capacity, size_t *count, smp_error *error);
smp_status lanes_parse(const char *text, uint32_t *mask, smp_error *error);

/* ---- Launches that a file leaves open: ask_launch.c ---- */

/* --define NAME=INTEGER; leaves the rest of *out unchanged. */
smp_status ask_defines(const arguments *args, smp_launch_wish *out, smp_error *error);
/* The same for --block and --grid. */
smp_status ask_launch_wish(const arguments *args, smp_launch_wish *out, smp_error *error);
/* Refuses these options together with --launch. */
smp_status refuse_launch_wish(const arguments *args, const smp_launch_wish *wish, smp_error *error);
/* All of them, for a command that saves no arrays. *launch is --launch or NULL. */
smp_status ask_launch(const arguments *args, const char **launch, smp_launch_wish *wish,
                      smp_error *error);
/* Like complain; shows the place of a mistake in the launch. */
int complain_launch(const arguments *args, const smp_error *error);
