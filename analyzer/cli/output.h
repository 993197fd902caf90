/* SPDX-License-Identifier: MIT */
/*
 * Where the answer goes: standard output or the file of -o, in which format and in which style.
 */
#pragma once

#include "command.h"
#include "format.h"
#include "new_file.h"
#include "style.h"

/* Where the answer goes. */
typedef struct output {
    FILE *stream;
    FILE *under;      /* of a text whose lines are broken for a terminal: what it goes to */
    const char *path; /* NULL: standard output */
    new_file file;
    smp_format format;
    smp_style style;
} output;

/* What --format or the ending of -o's file names, of the command's formats; else the first. */
smp_status output_choose_format(const arguments *args, smp_format *out, smp_error *error);
/* The same of the formats that are `known`. */
smp_status output_choose_format_of(const arguments *args, const char *known, smp_format *out,
                                   smp_error *error);
smp_status output_open(const arguments *args, output *out, smp_error *error);
/* The same in `format`, whatever the options and the file's ending say. */
smp_status output_open_as(const arguments *args, smp_format format, output *out, smp_error *error);
/* Without a file: to `to` in place of standard output. */
void output_to(output *out, FILE *to);
/* Completes the file, or throws it away if `keep` is false. Reports a full disk or a closed pipe.
 */
smp_status output_close(output *out, bool keep, smp_error *error);
/* The same after work that ended with `status`: keeps it if that is SMP_OK. Returns `status`, or
 * what closing says. */
smp_status output_close_after(output *out, smp_status status, smp_error *error);
/* Closes it (a file stays where `status` is SMP_OK) and says what failed: `error` of `status`, or
 * the closing. The exit status: of what failed, else `found`. */
int output_end(output *out, smp_status status, const smp_error *error, int found);
/* The same, and the file stays if `keep` says so. */
int output_end_kept(output *out, bool keep, smp_status status, const smp_error *error, int found);
/* The same of what went to standard output without an `output`. */
smp_status output_finish(smp_error *error);
enum { FORMAT_FROM_MAX = 64 };
/* What --format names, or else the ending of -o's file without its point; NULL if neither is there.
 * `from` is how a message calls it: "--format csv" or "-o FILE.csv". */
const char *output_format_name(const arguments *args, char from[FORMAT_FROM_MAX]);
/* What --format, --color and -o say, without opening anything: asked before any long work. */
smp_status output_words_check(const arguments *args, smp_error *error);
/* SMP_E_EXISTS if `path` (NULL: none) is there and --force is not, SMP_E_WRITE if it can't be made:
 * asked before any long work. */
smp_status output_check(const arguments *args, const char *path, smp_error *error);
/* Says of SMP_E_EXISTS how to overwrite; returns `status`. */
smp_status output_hint(smp_status status, smp_error *error);
/* Whether a text is in colours that goes to a terminal or elsewhere and of which no option says it.
 */
bool output_wants_color(bool is_terminal);

/* A name that says where it comes from: %h is the host, %q{VAR} an environment
 * variable, %p `process`, %% a percent sign. SMP_E_USAGE for another letter, a variable that is not
 * set or holds a '/', and a name that gets too long. */
enum { OUTPUT_NAME_MAX = 4096 };
smp_status output_name_expand(const char *pattern, uint64_t process, char out[OUTPUT_NAME_MAX],
                              smp_error *error);
/* True if there is a %p in it. */
bool output_name_has_process(const char *pattern);
