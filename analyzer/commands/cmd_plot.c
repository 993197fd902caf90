/* SPDX-License-Identifier: MIT */
/*
 * plot: draws charts with gnuplot, from hand-written scripts (plots/) and data written here. The C
 * code decides nothing about their looks.
 */

#include "ask_chart.h"
#include "output.h"
#include "say.h"

static const smp_option options[] = {
    OPTION_OUTPUT,   OPTION_FORMAT, OPTION_FORCE,     OPTION_THEME,   OPTION_COLOR,  OPTION_ARCH,
    OPTION_RECORDED, OPTION_STRIDE, OPTION_WIDTH,     OPTION_OP,      OPTION_OFFSET, OPTION_LANES,
    OPTION_ACCESS,   OPTION_SHARED, OPTION_BANK_MODE, OPTION_BLOCK,   OPTION_DEFINE, OPTION_FOR,
    OPTION_VARIANTS, OPTION_TYPE,   OPTION_SIZE,      OPTION_CLUSTER, OPTION_DEVICE, OPTION_HELP};

static const option_words words[] = {
    {OPTION_STRIDE, "elements between lanes: one for archs (default 2), otherwise a set: 0:64"},
    {OPTION_WIDTH, "bytes per lane (default 4); stride draws a set (default 4,8,16)"},
    {OPTION_COUNT, NULL}};

static bool help(const char *name, word_help *out) {
    static option_set shown;
    const plot_kind *kind;
    smp_error error;
    if (chart_kind_find(name, &kind, &error) != SMP_OK)
        return false;
    for (unsigned option = 0; option < OPTION_COUNT; option++)
        shown[option] = chart_takes(kind, (smp_option)option);
    shown[OPTION_COLOR] = kind;
    const char *operands = kind ? kind->operands : "[KIND|FILE]...";
    (void)snprintf(out->usage, sizeof out->usage, "%.20s%s%.40s [OPTIONS]", name,
                   operands[0] ? " " : "", operands);
    out->summary = kind ? kind->summary : "every chart, or the named kinds, with an index";
    out->options = shown;
    out->words = kind ? chart_words(kind) : NULL;
    return true;
}

static int run(const arguments *args) {
    static plot what;
    const plot_kind *kind;
    plot_target target;
    smp_format format;
    smp_error error;
    if (chart_kind_find(args->positional_count ? args->positional[0] : "", &kind, &error))
        return complain(&error);
    const plot_operands operands = {args->positional + 1, args->positional_count - 1};
    if (check_chart_options(kind, args, &operands, &error))
        return complain(&error);
    if (!kind)
        return plot_gallery(args, &operands);
    if (output_choose_format(args, &format, &error) ||
        plot_choose_target(args, format, &target, &error))
        return complain(&error);
    return plot_one(kind, args, &operands, &target, last_value(args, OPTION_OUTPUT), &what);
}

const command_row command_plot = {
    .name = "plot",
    .summary = "draw charts: PNG, SVG, PDF, or in the terminal",
    .usage = "KIND [OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = SMP_CHART_FORMATS,
    .words = words,
    .word = chart_kind_word,
    .help = help,
    .run = run,
};
