/* SPDX-License-Identifier: MIT */
/* The destination of the answer: standard output or the file of -o, its format and style. */
#pragma once

#include "command.h"
#include "format.h"
#include "new_file.h"
#include "style.h"

/* The destination of the answer. */
typedef struct output {
    FILE *stream;
    FILE *under;      /* the stream below `stream` if lines are folded for a terminal */
    const char *path; /* NULL for standard output */
    new_file file;
    smp_format format;
    smp_style style;
} output;

/* Opens the output in the format of --format or of the extension of -o, else in the command's
 * first. */
smp_status output_choose_format(const arguments *args, smp_format *out, smp_error *error);
/* The same with the formats in `known`. */
smp_status output_choose_format_of(const arguments *args, const char *known, smp_format *out,
                                   smp_error *error);
smp_status output_open(const arguments *args, output *out, smp_error *error);
/* The same in `format`, ignoring the options and the extension. */
smp_status output_open_as(const arguments *args, smp_format format, output *out, smp_error *error);
/* Without a file it writes to `to` instead of standard output. */
void output_to(output *out, FILE *to);
/* Completes the file, or throws it away if `keep` is false. Reports a full disk or a closed pipe.
 */
smp_status output_close(output *out, bool keep, smp_error *error);
/* The same after work that ended with `status`: keeps the file if that is SMP_OK. Returns `status`,
 * or the error of closing. */
smp_status output_close_after(output *out, smp_status status, smp_error *error);
/* Closes the output, keeping a file if `status` is SMP_OK, and reports what failed: `error`, or
 * closing. Returns the exit status of the failure, else `found`. */
int output_end(output *out, smp_status status, const smp_error *error, int found);
/* The same, but `keep` decides whether the file stays. */
int output_end_kept(output *out, bool keep, smp_status status, const smp_error *error, int found);
/* The same for text printed to standard output without an `output`. */
smp_status output_finish(smp_error *error);
enum { FORMAT_FROM_MAX = 64 };
/* The name given by --format, else the extension of -o without its dot; NULL without both. `from`
 * names it in messages: "--format csv" or "-o FILE.csv". */
const char *output_format_name(const arguments *args, char from[FORMAT_FROM_MAX]);
/* Checks --format, --color and -o without opening anything, before any long work. */
smp_status output_words_check(const arguments *args, smp_error *error);
/* SMP_E_EXISTS if `path` (may be NULL) exists without --force, SMP_E_WRITE if it cannot be created.
 * Call it before any long work. */
smp_status output_check(const arguments *args, const char *path, smp_error *error);
/* Adds to SMP_E_EXISTS how to overwrite. Returns `status`. */
smp_status output_hint(smp_status status, smp_error *error);
/* Whether a text is in colours that goes to a terminal or elsewhere and of which no option says it.
 */
bool output_wants_color(bool is_terminal);

/* Expands a file name: %h is the host, %q{VAR} an environment variable, %p `process`, %% a percent
 * sign. SMP_E_USAGE for another letter, a variable that is not set or contains '/', and a name that
 * becomes too long. */
enum { OUTPUT_NAME_MAX = 4096 };
smp_status output_name_expand(const char *pattern, uint64_t process, char out[OUTPUT_NAME_MAX],
                              smp_error *error);
/* Whether the name contains %p. */
bool output_name_has_process(const char *pattern);
