/* SPDX-License-Identifier: MIT */
/*
 * generate: writes man pages and shell completions from the same rows as the parser and --help. The
 * build runs it to make the installed files.
 */
#include "help.h"
#include "output.h"
#include "say.h"

static const smp_option options[] = {OPTION_OUTPUT, OPTION_FORCE, OPTION_COLOR, OPTION_HELP};

typedef struct kind_row {
    const char *name, *summary;
    void (*put)(FILE *out, const command_row *const *commands, size_t count);
} kind_row;

static const kind_row kinds[] = {
    {"man", "the man page; also man COMMAND, man language, man launch", manual_put_program},
    {"bash", "completions for bash", completion_put_bash},
    {"zsh", "completions for zsh", completion_put_zsh},
    {"fish", "completions for fish", completion_put_fish},
};

static const option_words words[] = {{OPTION_OUTPUT, "write to FILE"}, {OPTION_COUNT, NULL}};

static const char *word(size_t index, const char **summary) {
    if (index >= sizeof kinds / sizeof kinds[0])
        return NULL;
    *summary = kinds[index].summary;
    return kinds[index].name;
}

/* What follows "man": a topic, a command, or nothing. */
typedef struct page {
    const manual_topic *topic;
    const command_row *command;
} page;

static smp_status choose(const arguments *args, const kind_row **kind, page *asked,
                         smp_error *error) {
    size_t at;
    const char *name = args->positional_count ? args->positional[0] : "";
    *asked = (page){0};
    if (word_find("generate", "kind", word, name, &at, error))
        return error->status;
    *kind = &kinds[at];
    const bool is_man = kinds[at].put == manual_put_program;
    if (args->positional_count > (is_man ? 2u : 1u))
        return usage_error(error, "generate %s: unexpected word '%.40s'", name,
                           args->positional[is_man ? 2 : 1]);
    if (args->positional_count < 2)
        return SMP_OK;
    name = args->positional[1];
    *asked = (page){manual_topic_find(name), command_find(name)};
    return asked->topic || asked->command
               ? SMP_OK
               : usage_error(error,
                             "generate man %.40s: no such command or page ('language', 'launch')",
                             name);
}

static int run(const arguments *args) {
    smp_error error;
    output out;
    size_t count;
    page asked;
    const kind_row *kind = kinds;
    const command_row *const *commands = command_rows(&count);
    if (choose(args, &kind, &asked, &error) != SMP_OK)
        return complain(&error);
    if (output_open_as(args, SMP_FORMAT_TEXT, &out, &error) != SMP_OK) /* whatever its name */
        return complain(&error);
    if (asked.topic)
        manual_put_topic(out.stream, asked.topic);
    else if (asked.command)
        manual_put_command(out.stream, asked.command);
    else
        kind->put(out.stream, commands, count);
    return output_end(&out, SMP_OK, NULL, 0);
}

const command_row command_generate = {
    .name = "generate",
    .summary = "write man pages, and completions for bash, zsh and fish",
    .usage = "KIND [COMMAND] [OPTIONS]",
    COMMAND_OPTIONS(options),
    .words = words,
    .word = word,
    .run = run,
};
