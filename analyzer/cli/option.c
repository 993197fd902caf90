/* SPDX-License-Identifier: MIT */
/* Parses options with getopt_long and the rows of option_rows.h. */
#include <getopt.h>
#include <string.h>

#include "command.h"
#include "format.h"
#include "say.h"
#include "suggest.h"

const option_row option_rows[OPTION_COUNT] = {
#define OPTION_ROW(id, name, argument, help) [OPTION_##id] = {name, argument, help},
    SMP_OPTION_LIST(OPTION_ROW)
#undef OPTION_ROW
};

enum { LONG_BASE = 256 };

static void fill_long_options(const command_row *command, struct option *out) {
    for (unsigned i = 0; i < command->option_count; i++) {
        const option_row *row = &option_rows[command->options[i]];
        out[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL,
                                 LONG_BASE + (int)command->options[i]};
    }
    out[command->option_count] = (struct option){0};
}

static smp_status unknown_option(const command_row *command, const char *word, smp_error *error) {
    const char *names[OPTION_COUNT];
    char bare[64];
    size_t length = strcspn(word, "=");
    for (unsigned i = 0; i < command->option_count; i++)
        names[i] = option_rows[command->options[i]].name;
    (void)snprintf(bare, sizeof bare, "%.*s", (int)length, word);
    const char *dashless = bare + strspn(bare, "-");
    for (const option_words *at = command->refused; at && at->help; at++)
        if (strcmp(option_rows[at->option].name, dashless) == 0)
            return usage_error(error, "--%s: %s", dashless, at->help);
    if (smp_format_find("json csv md html sarif github junit", dashless) != SMP_FORMAT_COUNT)
        return usage_error(error, "%s has no option '%s'; --format %s writes that format",
                           command->name, bare, dashless);
    const char *guess = suggest(dashless, names, command->option_count);
    if (guess && strcmp(guess, dashless) == 0 && word[length] == '=')
        return usage_error(error, "%s: --%s takes no value", word, guess);
    if (guess)
        return usage_error(error, "%s has no option '%s'; did you mean '--%s'?", command->name,
                           bare, guess);
    if (bare[1] != '-' && command->usage && strstr(command->usage, "FLAGS"))
        return usage_error(error, "%s has no option '%s'; flags of the compiler follow --",
                           command->name, bare);
    return usage_error(error, "%s has no option '%s' (smemprobe %s --help)", command->name, bare,
                       command->name);
}

/* "-o -" means standard output, which is the default. */
static smp_status keep_value(arguments *out, smp_option option, const char *value,
                             smp_error *error) {
    if (option == OPTION_OUTPUT && strcmp(value, "-") == 0)
        return SMP_OK;
    if (out->count[option] == VALUES_MAX)
        return usage_error(error, "--%s was given more than %d times", option_rows[option].name,
                           VALUES_MAX);
    out->value[option][out->count[option]++] = value;
    return SMP_OK;
}

static smp_status keep_positional(arguments *out, const char *word, smp_error *error) {
    if (out->positional_count == POSITIONALS_MAX && !out->command->many_words)
        return usage_error(error, "more than %d arguments", POSITIONALS_MAX);
    out->positional[out->positional_count++] = word;
    return SMP_OK;
}

/* Refuses abbreviated names, which getopt_long accepts: a new option could make one ambiguous and
 * break a script. */
static bool is_spelled_out(const char *word, smp_option option) {
    size_t length = strcspn(word, "=");
    size_t wanted = strlen("--") + strlen(option_rows[option].name);
    return length == wanted || strncmp(word, "--", 2) != 0;
}

/* Handles one result of getopt_long. */
static smp_status take(const command_row *command, int result, const char *word, arguments *out,
                       smp_error *error) {
    switch (result) {
    case 1:
        return keep_positional(out, optarg, error);
    case 'h':
        out->short_help = true;
        return SMP_OK;
    case 'o':
        return keep_value(out, OPTION_OUTPUT, optarg, error);
    case ':':
        return usage_error(error, "%s needs a value", word);
    case '?':
        return unknown_option(command, word, error);
    default:
        if (!is_spelled_out(word, (smp_option)(result - LONG_BASE)))
            return unknown_option(command, word, error);
        return keep_value(out, (smp_option)(result - LONG_BASE), optarg, error);
    }
}

smp_status arguments_parse(const command_row *command, int argc, char **argv, arguments *out,
                           smp_error *error) {
    struct option options[OPTION_COUNT + 1];
    memset(out, 0, sizeof *out);
    out->command = command;
    out->positional = (const char **)(uintptr_t)argv; /* earlier entries are no longer needed */
    fill_long_options(command, options);
    opterr = 0;
    optind = 0;
    for (;;) {
        int at = optind > 0 ? optind : 1;
        int result = getopt_long(argc, argv, "-:ho:", options, NULL);
        if (result == -1)
            break;
        const char *word = at < argc ? argv[at] : "";
        smp_status status = take(command, result, word, out, error);
        if (status != SMP_OK)
            return status;
    }
    out->before_dashes = out->positional_count;
    for (; optind < argc; optind++) {
        smp_status status = keep_positional(out, argv[optind], error);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

const char *option_words_find(const option_words *words, smp_option option) {
    for (; words && words->help; words++)
        if (words->option == option)
            return words->help;
    return NULL;
}

const char *option_help(const command_row *command, smp_option option, char text[OPTION_HELP_MAX]) {
    if (option == OPTION_FORMAT)
        return smp_formats_text(command->formats, " or ", text);
    const char *own = option_words_find(command->words, option);
    return own ? own : option_rows[option].help;
}

const char *last_value(const arguments *args, smp_option option) {
    return args->count[option] ? args->value[option][args->count[option] - 1] : NULL;
}

const char *value_or(const arguments *args, smp_option option, const char *fallback) {
    return has(args, option) ? last_value(args, option) : fallback;
}
