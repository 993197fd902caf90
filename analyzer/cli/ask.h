/* SPDX-License-Identifier: MIT */
/*
 * From what the command line says to plain structs: the only files where an option's text is read
 * are ask_*.c. An option that is not given leaves what its function's comment says.
 */
#pragma once

#include "command.h"
#include "smp_accesses.h"

/* --arch: one row, or *all true; sm_90 if not given; in the mode of --bank-mode. */
smp_status ask_arch(const arguments *args, smp_arch *out, bool *all, smp_error *error);
/* Those of --arch, repeated or with commas, none twice; every row for "all"; none without it. */
enum { ARCHS_MAX = 64 };
typedef struct arch_list {
    smp_arch rows[ARCHS_MAX];
    size_t count;
    bool all;
} arch_list;
smp_status ask_arch_list(const arguments *args, arch_list *out, smp_error *error);
/* One more, unless it is there. */
smp_status ask_arch_more(const arguments *args, const char *name, arch_list *out, smp_error *error);
/* The same where `all` is no answer: `why` ends the message. */
smp_status ask_one_arch(const arguments *args, const char *why, smp_arch *out, smp_error *error);
/* The architecture of that name, in the mode of --bank-mode. */
smp_status ask_arch_named(const arguments *args, const char *name, smp_arch *out, smp_error *error);
/* --op, --width, --stride, --offset, --lanes; as smp_pattern_default. */
smp_status ask_pattern(const arguments *args, smp_pattern *out, smp_error *error);
/* --access, which must be given: a line of the batch format. */
smp_status ask_access_line(const arguments *args, smp_access *out, smp_error *error);
/* As ask_pattern without --stride, which is a list then. */
smp_status ask_base(const arguments *args, smp_pattern *out, smp_error *error);
/* Refuses the first of these options that is given: "--OPTION why". */
smp_status refuse_options(const arguments *args, const smp_option *some, size_t count,
                          const char *why, smp_error *error);
/* A number below `limit`, or `limit` itself; *out stays as it is. */
smp_status ask_number(const arguments *args, smp_option option, uint64_t limit, uint64_t *out,
                      smp_error *error);
/* --max-ways and --max-excess; -1 for one that is not given. */
smp_status ask_bounds(const arguments *args, uint64_t limit, int64_t *ways, int64_t *excess,
                      smp_error *error);
/* --lanes; *mask stays as it is. */
smp_status ask_lanes(const arguments *args, uint32_t *mask, smp_error *error);

/* --limit, "N" or "N:M": warp instructions of a block, and of all; both stay without it. */
smp_status ask_limits(const arguments *args, uint64_t *block, uint64_t *launch, smp_error *error);
/* --stack: bytes, at least 1; *out stays without it. */
smp_status ask_stack(const arguments *args, uint32_t *out, smp_error *error);
/* An option that takes one of few words (option_values.c): the index of the given one; *out stays
 * as it is without the option. */
smp_status ask_word(const arguments *args, smp_option option, unsigned *out, smp_error *error);
/* option_values.c: the words that an option takes, for completion, separated by blanks; "" if they
 * are not a few words. `command` NULL: of an option that means the same in each. */
enum { OPTION_VALUES_MAX = 8192 };
const char *option_values(const command_row *command, smp_option option,
                          char room[OPTION_VALUES_MAX]);
/* The next word of a list with commas (NULL: there is none), cut where it is too long; *list is
 * NULL behind the last. False: there is no other. */
enum { LIST_WORD_MAX = 64 };
bool list_word(const char **list, char word[LIST_WORD_MAX]);
/* The same, where a comma at the end has no word behind it. */
bool list_word_or_end(const char **list, char word[LIST_WORD_MAX]);

/* guess_arch.c: "'RTX 4090'", what may have been meant by a name that no architecture has; false:
 * no idea. */
enum { GUESS_MAX = 128 };
bool guess_arch(const char *name, char out[GUESS_MAX]);

/* ---- number.c ---- */

/* Strict decimal numbers and lists of them; the name of the option goes into messages. */
smp_status number_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                        smp_error *error);
/* "0:64", "0:64:2", "1,2,4" or "33": the numbers, both ends included. */
smp_status numbers_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                         size_t capacity, size_t *count, smp_error *error);
smp_status lanes_parse(const char *text, uint32_t *mask, smp_error *error);
