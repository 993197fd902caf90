/* SPDX-License-Identifier: MIT */
/* Finds commands by name, runs them, prints their help, and runs "help". */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ask_measure.h"
#include "command.h"
#include "help.h"
#include "output.h"
#include "say.h"
#include "suggest.h"

static const command_row *const *rows;
static size_t row_count;

void command_rows_set(const command_row *const *all, size_t count) {
    rows = all;
    row_count = count;
}

const command_row *const *command_rows(size_t *count) {
    *count = row_count;
    return rows;
}

const command_row *command_find(const char *name) {
    const command_row *const *found = FIND(row, rows, row_count, strcmp((*row)->name, name) == 0);
    return found ? *found : NULL;
}

/* What other tools call a command, and what does it here. */
static const struct {
    const char *words, *instead;
} elsewhere[] = {
    {" race races racecheck synccheck memcheck ", "; smemprobe FILE.cu --races reports races"},
    {" explain analyze analyse run show lint ",
     "; smemprobe FILE.cu reports on a file, and says why"},
    {" repair patch autofix ", "; smemprobe fix FILE.cu repairs a file"},
};

static const char *said_elsewhere(const char *word) {
    char one[40];
    (void)snprintf(one, sizeof one, " %.30s ", word);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strstr(elsewhere[i].words, one))
            return elsewhere[i].instead;
    return NULL;
}

int command_unknown(const char *word) {
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    char guess[SUGGEST_TEXT_MAX];
    size_t count = 0;
    const char *instead = said_elsewhere(word);
    struct stat found;
    if (instead)
        return complain_of(SMP_E_USAGE, "unknown command '%.40s'%s", word, instead);
    if (stat(word, &found) == 0 && S_ISDIR(found.st_mode))
        return complain_of(SMP_E_USAGE,
                           "%.60s is a folder: smemprobe check --max-ways 2 %.60s judges its files",
                           word, word);
    for (; count < row_count && count < NAMES_MAX; count++)
        names[count] = rows[count]->name;
    return complain_of(SMP_E_USAGE, "unknown command '%.40s'%s", word,
                       suggest_text(word, names, count, " (smemprobe --help lists them)", guess));
}

static int too_many(const char *what, const char *word) {
    return complain_of(SMP_E_USAGE, "%s '%.40s'", what, word);
}

static int print_topic(const char *name) {
    const manual_topic *topic = manual_topic_find(name);
    if (!topic)
        return command_unknown(name);
    manual_print_topic(stdout, topic);
    return command_printed();
}

int help_run(int argc, char **argv) {
    if (argc < 2 || (argc == 2 && strcmp(argv[1], "help") == 0)) {
        help_print_all(rows, row_count, false);
        return command_printed();
    }
    const command_row *command = command_find(argv[1]);
    word_help own;
    const bool has_words = argc == 3 && command && command->help;
    const bool has_word = has_words && command->help(argv[2], &own);
    if (has_words && !has_word)
        return too_many("unknown word for that command:", argv[2]);
    if (argc > 2 && !has_word)
        return too_many("help shows one command at a time; unexpected", argv[2]);
    if (!command)
        return print_topic(argv[1]);
    help_print(command, argc > 2 ? argv[2] : NULL, false);
    return command_printed();
}

/* ---- Running one ---- */

int command_printed(void) {
    smp_error error;
    return output_finish(&error) == SMP_OK ? 0 : complain(&error);
}

int command_version(void) {
    puts("smemprobe " SMP_VERSION);
    return command_printed();
}

bool command_tells(const arguments *args, int *status) {
    if (has(args, OPTION_VERSION))
        *status = command_version();
    else if (args->short_help || has(args, OPTION_HELP)) {
        help_print(args->command, args->positional_count > 0 ? args->positional[0] : NULL,
                   has(args, OPTION_HELP));
        *status = command_printed();
    } else
        return false;
    return true;
}

int command_run_parsed(const arguments *args) {
    smp_error error;
    int status;
    if (command_tells(args, &status))
        return status;
    return ask_recorded(args, &error) == SMP_OK ? args->command->run(args) : complain(&error);
}

int command_run(const command_row *command, int argc, char **argv) {
    arguments args;
    smp_error error;
    return arguments_parse(command, argc, argv, &args, &error) == SMP_OK ? command_run_parsed(&args)
                                                                         : complain(&error);
}
