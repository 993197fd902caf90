/* SPDX-License-Identifier: MIT */
/* doctor: shows what works on this machine, and one line that fixes each gap. */
#include "ask_measure.h"
#include "doctor.h"
#include "output.h"
#include "say.h"
#include "write_format.h"

enum { COMMANDS_MAX = 64 };

static const smp_option options[] = {OPTION_DEVICE, OUTPUT_OPTIONS};

static int run(const arguments *args) {
    static doctor d;
    smp_error error;
    output out;
    int device = 0;
    if (args->positional_count > 0)
        return complain_of(SMP_E_USAGE, "doctor takes no argument, but '%.40s' was given",
                           args->positional[0]);
    if (ask_device(args, &device, &error) || output_open(args, &out, &error))
        return complain(&error);
    size_t count;
    const char *names[COMMANDS_MAX];
    const command_row *const *rows = command_rows(&count);
    for (size_t i = 0; i < count && i < COMMANDS_MAX; i++)
        names[i] = rows[i]->name;
    doctor_examine(device, out.style, names, count < COMMANDS_MAX ? count : COMMANDS_MAX, &d);
    smp_format_row_of(out.format)->doctor(out.stream, &d, out.style);
    return output_end(&out, SMP_OK, NULL, 0);
}

const command_row command_doctor = {
    .name = "doctor",
    .summary = "show what works on this machine, and how to add the rest",
    .usage = "[OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = SMP_FORMATS(SMP_DOCTOR_FORMS),
    .run = run,
};
