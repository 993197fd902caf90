/* SPDX-License-Identifier: MIT */
/* compare: predicts and measures whole launches of variants of kernels, side by side. */
#include <stdlib.h>

#include "ask_measure.h"
#include "list.h"
#include "output.h"
#include "say.h"
#include "write_format.h"

static const smp_option options[] = {OPTION_VARIANTS, OPTION_TYPE,     OPTION_SIZE,
                                     OPTION_CLUSTER,  OPTION_ARCH,     OPTION_DEVICE,
                                     OPTION_RECORD,   OPTION_RECORDED, OUTPUT_OPTIONS};

static const option_words words[] = {
    {OPTION_TYPE, "element types: float, double, half, byte, int, unsigned or several"},
    {OPTION_SIZE, "problem sizes: rows and columns, or elements; or several"},
    {OPTION_CLUSTER, "blocks per thread block cluster; or several"},
    {OPTION_ARCH, "sm_90, 9.0, hopper, GH100 ..."},
    {0}};

static const char *family_word(size_t index, const char **summary) {
    size_t count;
    const smp_kernel_family *const *families = smp_kernel_families(&count);
    if (index >= count)
        return NULL;
    *summary = families[index]->summary;
    return families[index]->name;
}

static bool any_differs(const comparison *cases, size_t count) {
    return ANY(c, cases, count, ANY(row, c->rows, c->count, compare_differs(c, row)));
}

static int run(const arguments *args) {
    static compare_ask ask;
    comparison *cases = NULL;
    size_t count = 0, done = 0;
    smp_error error;
    output out;
    if (output_open(args, &out, &error))
        return complain(&error);
    const smp_status status =
        ask_compare(args, args->positional, args->positional_count, &ask, &error) ||
                compare_cases(&ask, &cases, &count, &error) ||
                compare_run(&ask, cases, count, &done, &error)
            ? error.status
            : SMP_OK;
    if (done > 0)
        smp_format_row_of(out.format)->compare(out.stream, cases, done);
    const bool differs = any_differs(cases, done);
    free(cases);
    return output_end_kept(&out, done > 0, status, &error, differs);
}

const command_row command_compare = {
    .name = "compare",
    .summary = "predict and measure variants of a kernel side by side",
    .usage = "FAMILY... [OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = SMP_FORMATS(SMP_COMPARE_FORMS),
    .words = words,
    .word = family_word,
    .run = run,
};
