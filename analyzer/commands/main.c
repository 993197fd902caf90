/* SPDX-License-Identifier: MIT */
/* smemprobe: the command rows, and the choice of one from the command line. */
#include <fcntl.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "help.h"
#include "new_file.h"
#include "page.h"
#include "say.h"
#include "target.h"

static const command_row *const commands[] = {
#define COMMAND_ADDRESS(name) &command_##name,
    SMP_COMMAND_LIST(COMMAND_ADDRESS)
#undef COMMAND_ADDRESS
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* A first word that is not an option, an access or a file names a command. */
static bool names_command(const char *word) {
    return word[0] != '-' && !strpbrk(word, " [(.");
}

/* Whether `word` is the only argument. */
static bool is_only(int argc, char **argv, const char *word) {
    return argc == 2 && strcmp(argv[1], word) == 0;
}

/* Opens closed standard streams on /dev/null the wrong way round, so that no file of ours gets
 * their number and writing still fails. */
static void hold_standard_streams(void) {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0)
            (void)open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int run(int argc, char **argv) {
    if (is_only(argc, argv, "-V") || is_only(argc, argv, "version"))
        return command_version();
    if (is_only(argc, argv, "-h") || is_only(argc, argv, "--help")) {
        help_print_all(commands, COMMAND_COUNT, argv[1][1] == '-');
        return command_printed();
    }
    if (argc < 2)
        say_line("smemprobe: no arguments, so this is --stride 1; smemprobe -h lists the commands");
    if (argc >= 2 && is_target(argv[1]))
        return target_run(argc, argv);
    if (argc >= 3 && target_is_command(argc, argv))
        return target_run_command(argc, argv);
    if (argc >= 3 && target_put_first(argc, argv))
        return target_run(argc, argv);
    if (argc >= 2 && is_target_missing(argv[1]))
        return complain_of(SMP_E_READ, "%.180s: no such file", argv[1]);
    if (argc < 2 || !names_command(argv[1]))
        return command_run(&command_predict, argc, argv);
    if (strcmp(argv[1], "version") == 0)
        return complain_of(SMP_E_USAGE, "version takes no argument, but '%.40s' was given",
                           argv[2]);
    if (strcmp(argv[1], "help") == 0)
        return help_run(argc - 1, argv + 1);
    const command_row *command = command_find(argv[1]);
    return command ? command_run(command, argc - 1, argv + 1) : command_unknown(argv[1]);
}

int main(int argc, char **argv) {
    static char
        room[1 << 16]; /* large, so that most write errors occur at the end, with their cause */
    hold_standard_streams();
    (void)setvbuf(stdout, room, _IOFBF, sizeof room);
    (void)setlocale(LC_CTYPE, "");
    new_file_guard();
    command_rows_set(commands, COMMAND_COUNT);
    smp_page_set_command(argc, argv);
    return failure_report(argc, argv, run(argc, argv));
}
