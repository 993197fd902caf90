/* SPDX-License-Identifier: MIT */
/*
 * explain-counters: reads an export of Nsight Compute and says of each kernel which of its bank
 * conflicts come from addresses.
 */
#include <stdio.h>

#include "explain_counters.h"
#include "output.h"
#include "say.h"
#include "write_format.h"

static const smp_option options[] = {OPTION_FORMAT, OPTION_OUTPUT, OPTION_FORCE, OPTION_COLOR,
                                     OPTION_HELP};

static int complain_about(const char *file, const smp_error *error) {
    smp_error whole;
    (void)smp_error_set(&whole, error->status, -1, "%.60s: %s", file, error->message);
    return complain(&whole);
}

static int run(const arguments *args) {
    smp_error error;
    ncu_export read;
    output out;
    if (args->positional_count != 1) {
        (void)smp_error_set(&error, SMP_E_USAGE, -1,
                            "explain-counters reads one file, made by: ncu --set full --page raw "
                            "--csv --log-file counters.csv ./program");
        return complain(&error);
    }
    smp_status status = output_open(args, &out, &error);
    if (status != SMP_OK)
        return complain(&error);
    status = ncu_export_read(args->positional[0], &read, &error);
    if (status == SMP_OK)
        smp_format_row_of(out.format)->explained(out.stream, &read, out.style);
    ncu_export_free(&read);
    smp_error closing;
    const smp_status closed = output_close(&out, status == SMP_OK, &closing);
    if (status != SMP_OK)
        return complain_about(args->positional[0], &error);
    return closed == SMP_OK ? 0 : complain(&closing);
}

const command_row command_explain_counters = {
    .name = "explain-counters",
    .summary = "what a profiler's bank conflicts come from",
    .usage = "FILE.csv|- [OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = SMP_EXPLAIN_FORMATS,
    .examples = "  ncu --set full --page raw --csv --log-file counters.csv ./program\n"
                "  smemprobe explain-counters counters.csv\n",
    .run = run,
};
