/* SPDX-License-Identifier: MIT */
/*
 * A command is a row: name, options, help and the function that runs it. To add one, write
 * cmd_<name>.c and add its name to SMP_COMMAND_LIST.
 */
#pragma once

#include "option_rows.h"
#include "smp_model.h"

enum { VALUES_MAX = 16, POSITIONALS_MAX = 1024 };

/* What the command line said. All strings are those of argv. */
typedef struct arguments {
    const struct command_row *command;
    unsigned count[OPTION_COUNT]; /* how often */
    const char *value[OPTION_COUNT][VALUES_MAX];
    const char **positional; /* in argv's own place */
    unsigned positional_count;
    unsigned before_dashes; /* positionals before "--"; without it all */
    bool short_help;
} arguments;

/* What an option means to one command. */
typedef struct option_words {
    smp_option option;
    const char *help; /* NULL ends a list */
} option_words;

/* What a command's help says behind one of its words. */
typedef struct word_help {
    const char *summary;
    char usage[80];            /* what follows the command's name */
    const bool *options;       /* an option_set: those that count there */
    const option_words *words; /* where the command's help of an option does not fit; NULL: none */
} word_help;

typedef struct command_row {
    const char *name, *summary;
    const char *description; /* sentences, for the man page */
    const char *heading;     /* above it in the list of commands, or NULL */
    const char *usage;       /* what follows the name: "[OPTIONS] [FILE|-]" */
    const smp_option *options;
    unsigned option_count;
    bool many_words;           /* more than POSITIONALS_MAX of them, after the options */
    const char *formats;       /* of --format, separated by blanks; the first if nothing is said */
    const option_words *words; /* where the help of the option's row does not fit; NULL: none */
    const option_words *refused; /* options of others, and why they mean nothing here, or NULL */
    const char *examples;        /* whole lines, or NULL */
    /* Word `index` of those that may come first, and what it does; NULL after the last. NULL: any.
     */
    const char *(*word)(size_t index, const char **summary);
    /* Help of its own behind a word; false: the command's. NULL: no word has any. */
    bool (*help)(const char *word, word_help *out);
    int (*run)(const arguments *args); /* returns the exit status */
} command_row;

/* Where a document goes and how; most commands end with these. */
#define OUTPUT_OPTIONS OPTION_FORMAT, OPTION_OUTPUT, OPTION_FORCE, OPTION_COLOR, OPTION_HELP
#define COMMAND_OPTIONS(rows) .options = rows, .option_count = sizeof(rows) / sizeof((rows)[0])

/* One row a command, in the order of the help; the first is the default. */
#define SMP_COMMAND_LIST(X) \
    X(predict)              \
    X(fix)                  \
    X(check)                \
    X(profile)              \
    X(emulate)              \
    X(judge)                \
    X(report)               \
    X(annotate)             \
    X(plot)                 \
    X(list)                 \
    X(doctor)               \
    X(batch)                \
    X(probe)                \
    X(verify)               \
    X(compare)              \
    X(import)               \
    X(explain_counters)     \
    X(generate)

#define SMP_COMMAND_DECLARE(name) extern const command_row command_##name;
SMP_COMMAND_LIST(SMP_COMMAND_DECLARE)
#undef SMP_COMMAND_DECLARE
/* FILE.cu where there is no compiler; no word of the command line names it. */
extern const command_row command_source;

/* option.c */
smp_status arguments_parse(const command_row *command, int argc, char **argv, arguments *out,
                           smp_error *error);
static inline bool has(const arguments *args, smp_option option) {
    return args->count[option] > 0;
}
/* What `option` means to `command`; `text` is room for it. */
#define OPTION_HELP_MAX 96
const char *option_help(const command_row *command, smp_option option, char text[OPTION_HELP_MAX]);
/* What one of such a list says of it, or NULL. */
const char *option_words_find(const option_words *words, smp_option option);
/* The last value given, or NULL. */
const char *last_value(const arguments *args, smp_option option);
/* The same, or `fallback`. */
const char *value_or(const arguments *args, smp_option option, const char *fallback);

/* Runs a command with the words behind its name, argv[1] on; the exit status. */
int command_run(const command_row *command, int argc, char **argv);
/* Prints the version; ends what only prints. The exit status. */
int command_version(void);
int command_printed(void);
/* help_words.c: all command rows, which main.c says first; the first is the default. */
void command_rows_are(const command_row *const *rows, size_t count);
const command_row *const *command_rows(size_t *count);
/* The command of that name, or NULL; what is said of a word that is none. */
const command_row *command_find(const char *name);
int command_unknown(const char *word);
