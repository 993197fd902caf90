/* SPDX-License-Identifier: MIT */
/*
 * explain-counters: reads an export of Nsight Compute and says for each kernel which of its bank
 * conflicts come from addresses.
 */

#include "output.h"
#include "say.h"
#include "write_format.h"

static const smp_option options[] = {OUTPUT_OPTIONS};

static int run(const arguments *args) {
    const char *path = args->positional[0];
    smp_error error, cause;
    ncu_export read;
    output out;
    if (args->positional_count != 1)
        return complain_of(SMP_E_USAGE,
                           "explain-counters reads one file, made by: ncu --set full --page raw "
                           "--csv --log-file counters.csv ./program");
    if (output_open(args, &out, &error))
        return complain(&error);
    const smp_status status = ncu_export_read(path, &read, &cause);
    if (status == SMP_OK)
        smp_format_row_of(out.format)->explain(out.stream, &read, out.style);
    else
        (void)smp_error_set(&error, status, -1, "%.60s: %.190s", path, cause.message);
    ncu_export_free(&read);
    return output_end(&out, status, &error, 0);
}

const command_row command_explain_counters = {
    .name = "explain-counters",
    .summary = "explain where a profiler's bank conflicts come from",
    .usage = "FILE.csv|- [OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = SMP_FORMATS(SMP_EXPLAIN_FORMS),
    .run = run,
};
