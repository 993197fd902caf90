/* SPDX-License-Identifier: MIT */
/*
 * A command is a row: name, options, help and the function that runs it. To add one, write
 * cmd_<name>.c and add its name to SMP_COMMAND_LIST.
 */
#pragma once

#include "option_rows.h"
#include "smp_model.h"

enum { VALUES_MAX = 16, POSITIONALS_MAX = 1024 };

/* The parsed command line. Strings point into argv. */
typedef struct arguments {
    const struct command_row *command;
    unsigned count[OPTION_COUNT]; /* how often each was given */
    const char *value[OPTION_COUNT][VALUES_MAX];
    const char **positional; /* inside argv */
    unsigned positional_count;
    unsigned before_dashes; /* positionals before "--"; all if there is none */
    bool short_help;
} arguments;

/* A command's own help for an option. */
typedef struct option_words {
    smp_option option;
    const char *help; /* NULL after the last */
} option_words;

/* The help of one word of a command. */
typedef struct word_help {
    const char *summary;
    char usage[80];            /* what follows the command's name */
    const bool *options;       /* option_set of the options that apply */
    const option_words *words; /* help that differs from the command's, or NULL */
} word_help;

/* Its description and examples are in commands/help/NAME.txt. */
typedef struct command_row {
    const char *name, *summary;
    const char *heading; /* above it in the list of commands, or NULL */
    const char *usage;   /* what follows the name: "[OPTIONS] [FILE|-]" */
    const smp_option *options;
    unsigned option_count;
    bool many_words;           /* takes more than POSITIONALS_MAX arguments, after the options */
    const char *formats;       /* of --format, separated by blanks, the default first */
    const option_words *words; /* help that differs from the option's row, or NULL */
    const option_words
        *refused; /* options of other commands, and why they do not apply here, or NULL */
    /* Word `index` that may come first, and its meaning; NULL after the last. NULL if any word
     * may. */
    const char *(*word)(size_t index, const char **summary);
    /* The help of a word; false if it has none of its own. NULL if no word has any. */
    bool (*help)(const char *word, word_help *out);
    int (*run)(const arguments *args); /* returns the exit status */
} command_row;

/* The options for output, with which most commands end. */
#define OUTPUT_OPTIONS OPTION_FORMAT, OPTION_OUTPUT, OPTION_FORCE, OPTION_COLOR, OPTION_HELP
/* Help of commands that run the kernels of a file. */
#define LAUNCH_WORDS                                                               \
    {OPTION_DEFINE, "without --launch: a value that the file leaves open"},        \
        {OPTION_BLOCK, "without --launch: threads per block, for every kernel"}, { \
        OPTION_GRID, "without --launch: blocks in the grid, for every kernel"      \
    }
#define COMMAND_OPTIONS(rows) .options = rows, .option_count = sizeof(rows) / sizeof((rows)[0])

/* One row per command, in the order of the help; the first is the default. */
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
/* FILE.cu without a compiler; it has no name on the command line. */
extern const command_row command_source;

/* option.c */
smp_status arguments_parse(const command_row *command, int argc, char **argv, arguments *out,
                           smp_error *error);
static inline bool has(const arguments *args, smp_option option) {
    return args->count[option] > 0;
}
/* The help of `option` for `command`, in `text`. */
#define OPTION_HELP_MAX 96
const char *option_help(const command_row *command, smp_option option, char text[OPTION_HELP_MAX]);
/* The text for `option` in the list, or NULL. */
const char *option_words_find(const option_words *words, smp_option option);
/* The last value given, or NULL. */
const char *last_value(const arguments *args, smp_option option);
/* The last value given, or `fallback`. */
const char *value_or(const arguments *args, smp_option option, const char *fallback);

/* Runs a command with the arguments from argv[1] on. Returns the exit status. */
int command_run(const command_row *command, int argc, char **argv);
int command_run_parsed(const arguments *args);
/* Whether the arguments only ask for help or the version, which is printed. */
bool command_tells(const arguments *args, int *status);
/* Prints the version; flushes what was only printed. Both return the exit status. */
int command_version(void);
int command_printed(void);
/* find_command.c: sets all command rows (by main.c); the first is the default. */
void command_rows_set(const command_row *const *rows, size_t count);
const command_row *const *command_rows(size_t *count);
/* The command of that name, or NULL; and the error for an unknown one. */
const command_row *command_find(const char *name);
int command_unknown(const char *word);
