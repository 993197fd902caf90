/* SPDX-License-Identifier: MIT */
/*
 * smemprobe: the command rows, their help, and the way to them.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask_measure.h"
#include "manual.h"
#include "suggest.h"

static const command_row *const commands[] = {
#define COMMAND_ADDRESS(name) &command_##name,
    SMP_COMMAND_LIST(COMMAND_ADDRESS)
#undef COMMAND_ADDRESS
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

const command_row *const *command_rows(size_t *count) {
    *count = COMMAND_COUNT;
    return commands;
}

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

/* A word or option and what it means, wrapped. */
static void put_row(const char *left, const char *help) {
    char label[64];
    (void)snprintf(label, sizeof label, "  %-24s ", left);
    smp_wrapped_print(stdout, label, help);
}

/* What may come first, of commands that have a list of it. */
static void print_words(const command_row *command) {
    const char *summary = "", *word;
    for (size_t i = 0; command->word && (word = command->word(i, &summary)); i++)
        put_row(word, summary);
    if (command->word)
        puts("");
}

/* A command line, broken where a shell takes it: at blanks outside of quotes, behind a backslash.
 */
static void put_command_line(const char *line, int length, int columns) {
    int at = 2;
    char quote = '\0';
    fputs("  ", stdout);
    for (int from = 0, end = 0; from < length; from = end) {
        for (end = from; end < length && (end == from || quote || line[end] != ' '); end++) {
            if (quote ? line[end] == quote : line[end] == '\'' || line[end] == '"')
                quote = quote ? '\0' : line[end];
        }
        if (at > 2 && at + end - from > columns - 2)
            at = printf(" \\\n     ") - 3;
        at += printf("%.*s", end - from, line + from);
    }
    puts("");
}

/* A line of the examples: "  command   what it is", or a sentence. Those that fit stay as they
 * are. */
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
        (void)snprintf(text, sizeof text, "%.*s", length, line);
        smp_wrapped_print(stdout, "", text);
        return;
    }
    if (begin - line > 2) /* goes on with the line above */
        printf("      %.*s\n", (int)(line + command - begin), begin);
    else
        put_command_line(begin, (int)(line + command - begin), columns);
    (void)snprintf(text, sizeof text, "%.*s", length - command, line + command);
    if (text[0] != '\0')
        smp_wrapped_print(stdout, "      ", text);
}

/* Those that have `part` in them. */
static void print_examples(const char *examples, const char *part) {
    bool has_any = false;
    for (const char *end; *examples != '\0'; examples = end + (*end == '\n')) {
        end = examples + strcspn(examples, "\n");
        const char *found = strstr(examples, part);
        if (!found || found >= end)
            continue;
        fputs(has_any ? "" : "\nexamples:\n", stdout);
        put_example(examples, (int)(end - examples));
        has_any = true;
    }
}

/* What stands above a command in the list of them, or NULL. */
static const char *heading_of(const command_row *command) {
    return command == &command_predict   ? "an access, a layout, a kernel's source"
           : command == &command_probe   ? "the same on a GPU, under its counters"
           : command == &command_profile ? "a whole program, with or without a GPU"
           : command == &command_plot    ? "and"
                                         : NULL;
}

static void print_commands(void) {
    smp_wrapped_print(
        stdout, "smemprobe: ", "does a CUDA memory access conflict, how badly, why, on which GPU?");
    puts("\nusage: smemprobe [COMMAND] [OPTIONS]");
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        char label[32];
        if (heading_of(commands[i]))
            printf("\n%s:\n", heading_of(commands[i]));
        (void)snprintf(label, sizeof label, "  %-16s ", commands[i]->name);
        smp_wrapped_print(stdout, label, commands[i]->summary);
    }
    print_examples("  smemprobe --stride 33 --width 4     one access by its stride\n"
                   "  smemprobe 'ld t[threadIdx.x][0]' --shared 'float t[32][33]'  as in the code\n"
                   "  smemprobe kernel.cu --kernel sum --block 256       a kernel as it stands\n"
                   "  smemprobe fix 'ld t[threadIdx.x][0]' --shared 'float t[32][32]'\n"
                   "  smemprobe profile -- ./program      where a program loses time, and why\n",
                   "");
    puts("");
    smp_wrapped_print(stdout, "",
                      "Without a COMMAND it is predict. smemprobe help COMMAND tells more, and "
                      "smemprobe help language what may stand in an access.");
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

/* Of a command, or of what it does behind `first`, where that has help of its own. */
static void print_help(const command_row *command, const char *first, bool with_examples) {
    char title[80], part[48];
    word_help own;
    const word_help *word = first && command->help && command->help(first, &own) ? &own : NULL;
    (void)snprintf(part, sizeof part, "%s %.30s", command->name, word ? first : "");
    (void)snprintf(title, sizeof title, "smemprobe %s: ", word ? part : command->name);
    smp_wrapped_print(stdout, title, word ? word->summary : command->summary);
    (void)snprintf(title, sizeof title, "usage: smemprobe %s ", command->name);
    puts("");
    smp_wrapped_print(stdout, title, word ? word->usage : command->usage);
    puts("");
    if (!word)
        print_words(command);
    print_options(command, word);
    if (with_examples && command->examples)
        print_examples(command->examples, word ? part : "");
    if (with_examples)
        print_statuses();
}

/* Of the program as a whole: what it is, its commands, and in the long form the default one. */
static void print_top_help(bool is_long) {
    print_commands();
    if (!is_long)
        return;
    puts("");
    print_help(&command_predict, NULL, true);
}

static const command_row *find_command(const char *name) {
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static int unknown_command(const char *word) {
    const char *names[COMMAND_COUNT];
    smp_error error;
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    const char *guess = suggest(word, names, COMMAND_COUNT);
    (void)smp_error_set(&error, SMP_E_USAGE, -1, "unknown command '%.40s'%s%s%s", word,
                        guess ? "; did you mean '" : " (smemprobe --help lists them)",
                        guess ? guess : "", guess ? "'?" : "");
    return complain(&error);
}

/* A first word that is neither option, access nor file names a command. */
static bool names_command(const char *word) {
    return word[0] != '-' && strpbrk(word, " [(.") == NULL;
}

/* Ends what only prints. */
static int printed(void) {
    smp_error error;
    return output_finish(&error) == SMP_OK ? 0 : complain(&error);
}

static int too_many(const char *what, const char *word) {
    smp_error error;
    (void)smp_error_set(&error, SMP_E_USAGE, -1, "%s '%.40s'", what, word);
    return complain(&error);
}

static int print_version(void) {
    puts("smemprobe " SMP_VERSION);
    return printed();
}

/* Whether a word is alone on the command line. */
static bool is_only(int argc, char **argv, const char *word) {
    return argc == 2 && strcmp(argv[1], word) == 0;
}

/* "help", "help COMMAND", "help plot KIND", "help language" */
static int run_help(int argc, char **argv) {
    const bool is_plain = argc < 2 || strcmp(argv[1], "help") == 0;
    const command_row *command = is_plain ? NULL : find_command(argv[1]);
    word_help own;
    const bool has_word = argc == 3 && command && command->help && command->help(argv[2], &own);
    if (argc == 3 && command && command->help && !has_word)
        return too_many("help shows what may follow such a command, and there is no", argv[2]);
    if (argc > 2 && !has_word)
        return too_many("help shows one command at a time, not also", argv[2]);
    if (is_only(argc, argv, "language")) {
        manual_print_language(stdout);
        return printed();
    }
    if (!is_plain && !command)
        return unknown_command(argv[1]);
    if (command)
        print_help(command, argc > 2 ? argv[2] : NULL, true);
    else
        print_top_help(true);
    return printed();
}

static int run_command(const command_row *command, int argc, char **argv) {
    arguments args;
    smp_error error;
    if (arguments_parse(command, argc, argv, &args, &error) != SMP_OK)
        return complain(&error);
    if (has(&args, OPTION_VERSION))
        return print_version();
    if (args.short_help || has(&args, OPTION_HELP)) {
        print_help(command, args.positional_count > 0 ? args.positional[0] : NULL,
                   has(&args, OPTION_HELP));
        return printed();
    }
    if (ask_recorded(&args, &error) != SMP_OK)
        return complain(&error);
    return command->run(&args);
}

/* One that is closed is not to become a file of ours: there what is written fails, as before. */
static void hold_standard_streams(void) {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) < 0)
            (void)open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

int main(int argc, char **argv) {
    static char
        room[1 << 16]; /* so that most failures to write come at the end, with their cause */
    hold_standard_streams();
    (void)setvbuf(stdout, room, _IOFBF, sizeof room);
    (void)setlocale(LC_CTYPE, "");
    new_file_guard();
    if (is_only(argc, argv, "-V") || is_only(argc, argv, "version"))
        return print_version();
    if (is_only(argc, argv, "-h") || is_only(argc, argv, "--help")) {
        print_top_help(argv[1][1] == '-');
        return printed();
    }
    if (argc < 2)
        say_line(
            "smemprobe: nothing was asked, so this is --stride 1; smemprobe -h shows what can be");
    if (argc < 2 || !names_command(argv[1]))
        return run_command(&command_predict, argc, argv);
    if (strcmp(argv[1], "version") == 0)
        return too_many("version takes no argument, not even", argv[2]);
    if (strcmp(argv[1], "help") == 0)
        return run_help(argc - 1, argv + 1);
    const command_row *command = find_command(argv[1]);
    return command ? run_command(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}
