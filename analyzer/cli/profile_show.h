/* SPDX-License-Identifier: MIT */
/*
 * What profile, report and emulate have in common: which part of a profile is shown, how, where,
 * and what the gate says of it.
 */
#pragma once

#include "command.h"
#include "profile.h"
#include "profile_filter.h"
#include "profile_gate.h"
#include "trace_file.h"
#include "write_format.h"

/* The options of it, for the lists of commands. */
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

/* And the profile itself: all of it, for report. */
#define PROFILE_SHOW_FORMATS (SMP_PROFILE_FORMS(SMP_FORM_NAME, ) " smprof" + 1)

struct smp_spread; /* profile_many.h */

typedef struct profile_show {
    smp_profile_filter filter;
    uint32_t worst, lines;
    bool all_lines, instructions;
    smp_profile_gate gate;
    char *rules;     /* text of the gate's file */
    bool is_verdict; /* the format is read as a gate's, also where there are no bounds */
    bool is_part;    /* one of several documents: that it saw nothing is not told here */
    /* Of several files: how they differ, and what the odd one holds; NULL: not shown. */
    struct smp_spread *spread;
    smp_profile *odd;
} profile_show;

/* Reads the options, and the file of --gate: before anything is run. Clear *out, also after
 * failure. */
smp_status profile_show_ask(const arguments *args, profile_show *out, smp_error *error);
/* --memory of what ran on the CPU, where all kinds are seen: shows the one that is asked for. */
smp_status profile_show_memory(const arguments *args, profile_show *out, smp_error *error);
void profile_show_clear(profile_show *how);

/* Adds a profile file to *into ("-": standard input); reports what could not be read. */
smp_status profile_show_read(const char *path, smp_profile *into, smp_error *error);
/* Reports on stderr the parts of a file that could not be read. */
struct smp_profile_loss;
void profile_show_loss(const char *path, const struct smp_profile_loss *loss);
/* Says so of files that are left out, too. */
extern const struct smp_profile_told profile_show_told;
/* The exit status of a command that reads profiles: `status`, or that of wrong content where a file
 * was damaged or ended early, as for lines and traces of batch. The output is right for what was
 * read, but a gate has not seen the rest. */
int profile_show_exit(int status);

/* --trace, before anything is run: refuses a file that is there without --force, and that of -o. */
smp_status profile_trace_check(const arguments *args, smp_error *error);
/* Opens what --trace names, if it names anything; what is opened must be ended. */
smp_status profile_trace_open(const arguments *args, trace_file *out, smp_error *error);
/* Closes it; it stays where `status` is SMP_OK. Returns `status`, or what closing says. */
smp_status profile_trace_end(trace_file *file, smp_status status, smp_error *error);

/* From here on, the command that runs are shown and saved with: for a program that was compiled in
 * a temporary place. The words stay the caller's. */
void profile_show_as(const char *command);
/* NULL: as each run was started. */
const char *profile_shown_as(void);
/* From here on, a profile whose shared memory conflicts is followed by this command, which repairs
 * the source. The words stay the caller's; NULL: by nothing. */
void profile_show_repair(const char *command);
/* Sorts, filters and shows *profile, on `fallback` where -o names no file, and returns the exit
 * status: 1 where it holds findings or the gate found something, 3 where the gate had nothing to
 * judge; each is said on stderr. Nothing at all is no text on stderr. */
int profile_show_run(const arguments *args, const profile_show *how, smp_profile *profile,
                     FILE *fallback);

/* The exit status where no kernel was seen at all, and nothing is shown. */
int profile_show_nothing(const profile_show *how);
/* Sorts and filters both, shows what changed as text, and returns the exit status as for *after
 * alone. */
int profile_show_against(const arguments *args, const profile_show *how, smp_profile *before,
                         smp_profile *after);
