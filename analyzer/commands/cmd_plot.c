/* SPDX-License-Identifier: MIT */
/*
 * plot: charts by gnuplot, from scripts that are written by hand (plots/) and data that are
 * written here. Nothing of how a chart looks is decided in C.
 */
#include <string.h>

#include "ask_chart.h"
#include "output.h"
#include "say.h"
#include "suggest.h"

/* What may follow `plot`: the kinds, and all of them. */
static const char *word(size_t index, const char **summary) {
    size_t count;
    const plot_kind *const *kinds = plot_kinds(&count);
    if (index > count)
        return NULL;
    *summary = index < count ? kinds[index]->summary
                             : "every chart, or the kinds named, and an index, into -o DIR";
    return index < count ? kinds[index]->name : "all";
}

/* ---- The command ---- */

static const smp_option options[] = {
    OPTION_OUTPUT,   OPTION_FORMAT, OPTION_FORCE,     OPTION_THEME,   OPTION_COLOR,  OPTION_ARCH,
    OPTION_RECORDED, OPTION_STRIDE, OPTION_WIDTH,     OPTION_OP,      OPTION_OFFSET, OPTION_LANES,
    OPTION_ACCESS,   OPTION_SHARED, OPTION_BANK_MODE, OPTION_BLOCK,   OPTION_DEFINE, OPTION_FOR,
    OPTION_VARIANTS, OPTION_TYPE,   OPTION_SIZE,      OPTION_CLUSTER, OPTION_DEVICE, OPTION_HELP};

static const option_words words[] = {
    {OPTION_STRIDE, "elements between lanes: for archs one (default 2), else a set: 0:64"},
    {OPTION_WIDTH, "bytes per lane (default 4); stride draws a set (default 4,8,16)"},
    {OPTION_COUNT, NULL}};

static smp_status find_kind(const char *name, const plot_kind **out, smp_error *error) {
    enum { NAMES_MAX = 32 };
    const char *names[NAMES_MAX], *summary;
    char known[200];
    text_buffer list = TEXT_BUFFER(known);
    size_t count;
    const plot_kind *const *kinds = plot_kinds(&count);
    *out = NULL;
    for (size_t i = 0; i <= count && i < NAMES_MAX; i++) {
        names[i] = word(i, &summary);
        text_join(&list, ", ", "%s", names[i]);
        if (i < count && strcmp(name, names[i]) == 0)
            *out = kinds[i];
    }
    if (*out || strcmp(name, "all") == 0)
        return SMP_OK;
    const char *guess = suggest(name, names, count + 1);
    if (guess)
        return usage_error(error, "plot has no '%.40s'; did you mean '%s'?", name, guess);
    return usage_error(error, "plot what? %s", known);
}

/* Whether `plot all` (`kind` NULL) or a kind takes it. */
static bool takes(const plot_kind *kind, smp_option option) {
    static const option_set always = {
        [OPTION_OUTPUT] = true, [OPTION_FORMAT] = true, [OPTION_FORCE] = true,
        [OPTION_THEME] = true,  [OPTION_COLOR] = true,  [OPTION_HELP] = true};
    return always[option] || (kind && chart_has_option(kind, option));
}

/* An option that the kind does not look at must not seem to have worked. */
static smp_status check_options(const plot_kind *kind, const arguments *args,
                                const plot_operands *operands, smp_error *error) {
    for (unsigned option = 0; option < OPTION_COUNT; option++)
        if (has(args, (smp_option)option) && !takes(kind, (smp_option)option))
            return usage_error(error, "plot %s does not take --%s", kind ? kind->name : "all",
                               option_rows[option].name);
    if (kind && operands->count > kind->operands_max)
        return usage_error(error, "plot %s: '%.60s' is one argument too many", kind->name,
                           operands->words[kind->operands_max]);
    return SMP_OK;
}

static bool help(const char *name, word_help *out) {
    static option_set shown;
    const plot_kind *kind;
    smp_error error;
    if (find_kind(name, &kind, &error) != SMP_OK)
        return false;
    for (unsigned option = 0; option < OPTION_COUNT; option++)
        shown[option] = takes(kind, (smp_option)option);
    shown[OPTION_COLOR] = kind != NULL;
    const char *operands = kind ? kind->operands : "[KIND|FILE]...";
    (void)snprintf(out->usage, sizeof out->usage, "%.20s%s%.40s [OPTIONS]", name,
                   operands[0] ? " " : "", operands);
    out->summary = kind ? kind->summary : "every chart, or the kinds named, and an index";
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
    if (find_kind(args->positional_count ? args->positional[0] : "", &kind, &error))
        return complain(&error);
    const plot_operands operands = {args->positional + 1, args->positional_count - 1};
    if (check_options(kind, args, &operands, &error))
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
    .summary = "charts: PNG, SVG, PDF or in the terminal",
    .description = "Draws a chart of the model, of recorded measurements or of an access: in "
                   "the terminal, or into a file by gnuplot.",
    .usage = "KIND [OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = SMP_CHART_FORMATS,
    .words = words,
    .examples = "  smemprobe plot stride                 in the terminal\n"
                "  smemprobe plot stride -o stride.png   or .svg, .pdf; .csv: the numbers\n"
                "  smemprobe plot bankmap --shared 'float t[32][33]' 'ld t[threadIdx.x][0]'\n"
                "  smemprobe plot all -o gallery\n",
    .word = word,
    .help = help,
    .run = run,
};
