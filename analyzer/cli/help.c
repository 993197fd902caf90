/* SPDX-License-Identifier: MIT */
/* The help of the program and of a command, from their rows. */
#include "help.h"
#include "put.h"

#include <string.h>

#include "embedded.h"
#include "list.h"
#include "style.h"

/* ---- Texts of commands ---- */

static const char *text_of(const command_row *command) {
    char file[40];
    (void)snprintf(file, sizeof file, "%s.txt", command->name);
    return FIND(one, smp_help_files, smp_help_file_count, strcmp(one->name, file) == 0)->text;
}

const char *help_examples(const command_row *command) {
    return strstr(text_of(command), "\n\n") + 2;
}

void help_description(const command_row *command, char *out, size_t size) {
    const char *text = text_of(command);
    (void)snprintf(out, size, "%.*s", (int)(help_examples(command) - text) - 2, text);
    for (char *c = out; (c = strchr(c, '\n'));)
        *c = ' ';
}

/* ---- Help ---- */

static const char *exit_label(int status, char label[8]) {
    (void)snprintf(label, 8, "  %3d ", status);
    return label;
}

static void print_statuses(void) {
    puts("\nexit status:");
#define EXIT_ROW(status, meaning) smp_wrapped_print(stdout, exit_label(status, label), meaning);
    char label[8];
    CLI_EXIT_LIST(EXIT_ROW)
#undef EXIT_ROW
}

/* Prints a word or option with its meaning, wrapped. */
static void put_row(const char *left, const char *help) {
    char label[64];
    (void)snprintf(label, sizeof label, "  %-24s ", left);
    smp_wrapped_print(stdout, label, help);
}

/* Prints the words that may come first, if the command lists them. */
static void print_words(const command_row *command) {
    const char *summary = "", *word;
    for (size_t i = 0; command->word && (word = command->word(i, &summary)); i++)
        put_row(word, summary);
    if (command->word)
        puts("");
}

/* Prints a command line, broken with backslashes at blanks outside quotes. */
static void put_command_line(const char *line, int length, int columns) {
    int at = 2;
    char quote = '\0';
    fputs("  ", stdout);
    for (int from = 0, end = 0; from < length; from = end) {
        for (end = from; end < length && (end == from || quote || line[end] != ' '); end++)
            if (quote ? line[end] == quote : line[end] == '\'' || line[end] == '"')
                quote = quote ? '\0' : line[end];
        if (at > 2 && at + end - from > columns - 2)
            at = printf(" \\\n     ") - 3;
        at += printf("%.*s", end - from, line + from);
    }
    puts("");
}

/* Prints a line of the examples: "command   meaning", or a sentence. Lines that fit are
 * unchanged. */
static void put_example(const char *line, int length) {
    const int columns = smp_columns(stdout);
    char text[200];
    const char *begin = line + strspn(line, " "), *gap = strstr(begin, "  ");
    const int command = gap && gap < line + length ? (int)(gap - line) : length;
    if (length <= columns) {
        printf("%.*s\n", length, line);
        return;
    }
    if (strncmp(line, "  ", 2) != 0) {
        put_wrapped(stdout, "", "%.*s", length, line);
        return;
    }
    if (begin - line > 2) /* continues the line above */
        printf("      %.*s\n", (int)(line + command - begin), begin);
    else
        put_command_line(begin, (int)(line + command - begin), columns);
    (void)snprintf(text, sizeof text, "%.*s", length - command, line + command);
    if (text[0] != '\0')
        smp_wrapped_print(stdout, "      ", text);
}

/* Prints the examples that contain `part`. */
static void print_examples(const char *examples, const char *part) {
    bool has_any = false;
    for (const char *end; *examples != '\0'; examples = end + (*end == '\n')) {
        end = examples + strcspn(examples, "\n");
        const char *found = strstr(examples, part);
        if (!found || (found >= end && *part != '\0'))
            continue;
        fputs(has_any ? "" : "\nexamples:\n", stdout);
        put_example(examples, (int)(end - examples));
        has_any = true;
    }
}

static void print_commands(const command_row *const *commands, size_t count) {
    smp_wrapped_print(stdout,
                      "smemprobe: ", "what CUDA memory accesses cost, why, and how to repair them");
    puts("\nusage: smemprobe TARGET [OPTIONS]\n       smemprobe COMMAND [OPTIONS]\n\ntargets:");
#define TARGET_ROW(target, meaning) put_row(target, meaning);
    CLI_TARGET_LIST(TARGET_ROW)
#undef TARGET_ROW
    for (size_t i = 0; i < count; i++) {
        char label[32];
        if (commands[i]->heading)
            printf("\n%s:\n", commands[i]->heading);
        (void)snprintf(label, sizeof label, "  %-16s ", commands[i]->name);
        smp_wrapped_print(stdout, label, commands[i]->summary);
    }
    print_examples(CLI_EXAMPLES, "");
    puts("");
    smp_wrapped_print(
        stdout, "",
        "smemprobe help language describes accesses, help launch launches; smemprobe COMMAND -h "
        "lists a command's options, --help adds examples.");
}

static void print_options(const command_row *command, const word_help *word) {
    char help[OPTION_HELP_MAX];
    for (unsigned i = 0; i < command->option_count; i++) {
        const smp_option option = command->options[i];
        const option_row *row = &option_rows[option];
        char left[48];
        const char *letter = option == OPTION_OUTPUT ? "-o, " : option == OPTION_HELP ? "-h, " : "";
        (void)snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
                       row->argument ? row->argument : "");
        const char *own = word ? option_words_find(word->words, option) : NULL;
        if (!word || word->options[option])
            put_row(left, own ? own : option_help(command, option, help));
    }
}

void help_print(const command_row *command, const char *first, bool with_examples) {
    char title[80], part[48];
    word_help own;
    const word_help *word = first && command->help && command->help(first, &own) ? &own : NULL;
    (void)snprintf(part, sizeof part, "%s%s%.30s", command->name, word ? " " : "",
                   word ? first : "");
    (void)snprintf(title, sizeof title, "smemprobe %s: ", part);
    smp_wrapped_print(stdout, title, word ? word->summary : command->summary);
    (void)snprintf(title, sizeof title, "usage: smemprobe %s ", command->name);
    puts("");
    smp_wrapped_print(stdout, title, word ? word->usage : command->usage);
    puts("");
    if (!word)
        print_words(command);
    print_options(command, word);
    if (!with_examples) {
        puts("");
        put_wrapped(stdout, "", "smemprobe %s --help adds examples and exit statuses.", part);
        return;
    }
    print_examples(help_examples(command), word ? part : "");
    print_statuses();
}

void help_print_all(const command_row *const *commands, size_t count, bool is_long) {
    print_commands(commands, count);
    if (!is_long)
        return;
    puts("");
    help_print(commands[0], NULL, true);
}
