/* SPDX-License-Identifier: MIT */
/* Runs a command, or prints its help, from its arguments. */
#include <stdio.h>

#include "ask_measure.h"
#include "command.h"
#include "help.h"
#include "output.h"
#include "say.h"

int command_printed(void) {
    smp_error error;
    return output_finish(&error) == SMP_OK ? 0 : complain(&error);
}

int command_version(void) {
    puts("smemprobe " SMP_VERSION);
    return command_printed();
}

int command_run(const command_row *command, int argc, char **argv) {
    arguments args;
    smp_error error;
    if (arguments_parse(command, argc, argv, &args, &error) != SMP_OK)
        return complain(&error);
    if (has(&args, OPTION_VERSION))
        return command_version();
    if (args.short_help || has(&args, OPTION_HELP)) {
        help_print(command, args.positional_count > 0 ? args.positional[0] : NULL,
                   has(&args, OPTION_HELP));
        return command_printed();
    }
    if (ask_recorded(&args, &error) != SMP_OK)
        return complain(&error);
    return command->run(&args);
}
