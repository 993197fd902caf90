/* SPDX-License-Identifier: MIT */
/*
 * Shared by profile, report and emulate: what part of a profile is shown, how and where, and the
 * gate.
 */
#pragma once

#include "command.h"
#include "profile.h"
#include "profile_filter.h"
#include "profile_gate.h"
#include "trace_file.h"
#include "write_format.h"

/* The options for showing profiles, for the lists of commands. */
#define PROFILE_SHOW_OPTIONS                                                                 \
    OPTION_KERNEL, OPTION_SOURCE_FILE, OPTION_SOURCE_LINE, OPTION_WORST, OPTION_LINES,       \
        OPTION_INSTRUCTIONS, OPTION_MAX_WAYS, OPTION_MAX_EXCESS, OPTION_GATE, OPTION_FORMAT, \
        OPTION_OUTPUT, OPTION_FORCE, OPTION_SOURCE_ROOT, OPTION_COLOR, OPTION_HELP

#define PROFILE_SHOW_WORDS                                                                     \
    {OPTION_MAX_WAYS, "fail if a line has more than an N-way conflict"},                       \
        {OPTION_MAX_EXCESS, "fail if a line has more than N excess wavefronts"}, {             \
        OPTION_OUTPUT, "write to FILE: .html for a browser, .smprof for report, .json, .csv, " \
                       "..."                                                                   \
    }

/* And the profile itself, for report. */
#define PROFILE_SHOW_FORMATS (SMP_PROFILE_FORMS(SMP_FORM_NAME, ) " smprof" + 1)

struct smp_spread; /* profile_many.h */

typedef struct profile_show {
    smp_profile_filter filter;
    uint32_t worst, lines;
    bool all_lines, instructions;
    smp_profile_gate gate;
    char *rules;     /* text of the gate file */
    bool is_verdict; /* the format is read as a gate, even without limits */
    bool is_part;    /* one of several documents: does not report that it saw nothing */
    /* How several files differ, and the outlier; NULL if not shown. */
    struct smp_spread *spread;
    smp_profile *odd;
} profile_show;

/* Reads the options and the file of --gate, before anything runs. Always clear *out. */
smp_status profile_show_ask(const arguments *args, profile_show *out, smp_error *error);
/* --memory for what ran on the CPU, where all kinds are recorded: shows only the requested one. */
smp_status profile_show_memory(const arguments *args, profile_show *out, smp_error *error);
void profile_show_clear(profile_show *how);

/* Adds a profile file to *into ("-" for standard input) and reports the parts that could not be
 * read. */
smp_status profile_show_read(const char *path, smp_profile *into, smp_error *error);
/* Reports on stderr the parts of a file that could not be read. */
struct smp_profile_loss;
void profile_show_loss(const char *path, const struct smp_profile_loss *loss);
/* Also reports files that are left out. */
extern const struct smp_profile_told profile_show_told;
/* The exit status of a command that reads profiles: `status`, or that of wrong content if a file
 * was damaged or ended early. The output is right for what was read, but a gate has not seen the
 * rest. */
int profile_show_exit(int status);

/* Checks --trace before anything runs: refuses an existing file without --force, and the file of
 * -o. */
smp_status profile_trace_check(const arguments *args, smp_error *error);
/* Opens the file of --trace, if given. End it after use. */
smp_status profile_trace_open(const arguments *args, trace_file *out, smp_error *error);
/* Closes the trace, keeping it if `status` is SMP_OK. Returns `status`, or the error of closing. */
smp_status profile_trace_end(trace_file *file, smp_status status, smp_error *error);

/* Sets the command with which later runs are shown and saved, for a program compiled in a temporary
 * place. The caller owns the text. */
void profile_show_as(const char *command);
/* NULL for the command of each run. */
const char *profile_shown_as(void);
/* Sets the command that repairs the source, suggested after a profile with conflicts; NULL for
 * none. The caller owns the text. */
void profile_show_repair(const char *command);
/* Whether the profile that was shown last had no kernel, before filters. */
bool profile_show_was_empty(void);
/* Sorts, filters and shows *profile, on `fallback` without -o. Returns the exit status: 1 for
 * findings or lines above the gate, 3 if the gate had nothing to judge, each with a message on
 * stderr. An empty profile prints nothing to stderr. */
int profile_show_run(const arguments *args, const profile_show *how, smp_profile *profile,
                     FILE *fallback);

/* The exit status if no kernel was seen and nothing is shown. */
int profile_show_nothing(const profile_show *how);
/* Sorts and filters both, shows what changed, and returns the exit status for *after alone. */
int profile_show_against(const arguments *args, const profile_show *how, smp_profile *before,
                         smp_profile *after);
