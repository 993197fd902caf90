/* SPDX-License-Identifier: MIT */
/*
 * smemprobe: the command rows, and the way from a command line to one of them.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "help.h"
#include "manual.h"
#include "new_file.h"
#include "say.h"
#include "suggest.h"
#include "target.h"

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

const command_row *command_find(const char *name) {
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static int unknown_command(const char *word) {
    const char *names[COMMAND_COUNT];
    char guess[SUGGEST_TEXT_MAX];
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    return complain_of(
        SMP_E_USAGE, "unknown command '%.40s'%s", word,
        suggest_text(word, names, COMMAND_COUNT, " (smemprobe --help lists them)", guess));
}

/* A first word that is neither option, access nor file names a command. */
static bool names_command(const char *word) {
    return word[0] != '-' && strpbrk(word, " [(.") == NULL;
}

static int too_many(const char *what, const char *word) {
    return complain_of(SMP_E_USAGE, "%s '%.40s'", what, word);
}

/* Whether a word is alone on the command line. */
static bool is_only(int argc, char **argv, const char *word) {
    return argc == 2 && strcmp(argv[1], word) == 0;
}

/* "help", "help COMMAND", "help plot KIND", "help language" */
static int run_help(int argc, char **argv) {
    const bool is_plain = argc < 2 || strcmp(argv[1], "help") == 0;
    const command_row *command = is_plain ? NULL : command_find(argv[1]);
    word_help own;
    const bool has_word = argc == 3 && command && command->help && command->help(argv[2], &own);
    if (argc == 3 && command && command->help && !has_word)
        return too_many("help shows what may follow such a command, and there is no", argv[2]);
    if (argc > 2 && !has_word)
        return too_many("help shows one command at a time, not also", argv[2]);
    if (is_only(argc, argv, "language")) {
        manual_print_language(stdout);
        return command_printed();
    }
    if (!is_plain && !command)
        return unknown_command(argv[1]);
    if (command)
        help_print(command, argc > 2 ? argv[2] : NULL, true);
    else
        help_print_all(commands, COMMAND_COUNT, true);
    return command_printed();
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
        return command_version();
    if (is_only(argc, argv, "-h") || is_only(argc, argv, "--help")) {
        help_print_all(commands, COMMAND_COUNT, argv[1][1] == '-');
        return command_printed();
    }
    if (argc < 2)
        say_line(
            "smemprobe: nothing was asked, so this is --stride 1; smemprobe -h shows what can be");
    if (argc >= 2 && target_is(argv[1]))
        return target_run(argc, argv);
    if (argc >= 3 && target_is_command(argc, argv))
        return target_run_command(argc, argv);
    if (argc < 2 || !names_command(argv[1]))
        return command_run(&command_predict, argc, argv);
    if (strcmp(argv[1], "version") == 0)
        return too_many("version takes no argument, not even", argv[2]);
    if (strcmp(argv[1], "help") == 0)
        return run_help(argc - 1, argv + 1);
    const command_row *command = command_find(argv[1]);
    return command ? command_run(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}
