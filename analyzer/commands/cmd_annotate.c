/* SPDX-License-Identifier: MIT */
/* annotate: shows the source of a profile with the cost of each line in the margin. */
#include <stdlib.h>

#include "output.h"
#include "profile_show.h"
#include "say.h"

static const smp_option options[] = {OPTION_KERNEL,      OPTION_SOURCE_LINE, OPTION_WORST,
                                     OPTION_FORMAT,      OPTION_OUTPUT,      OPTION_FORCE,
                                     OPTION_SOURCE_ROOT, OPTION_COLOR,       OPTION_HELP};

static const option_words words[] = {{OPTION_SOURCE_LINE, "show only these source lines"},
                                     {OPTION_WORST, "how many lines to explain, with repair "
                                                    "(default 10)"},
                                     {OPTION_HELP, NULL}};

enum { WORST_SHOWN = 10 };

/* annotate_text.c begins each hot line with '>'. */
static const char hot_line[] = "^>";

static smp_status write_to_pager(FILE *pager, const output *out, const smp_annotate_view *view,
                                 smp_error *error) {
    const int columns = smp_columns_known(stdout);
    FILE *folded = columns > 0 ? fold_open(pager, columns) : NULL;
    smp_format_row_of(out->format)->annotate(folded ? folded : pager, view, out->style);
    if (folded)
        (void)fclose(folded);
    return pager_close(pager, error);
}

static smp_status write_view(const arguments *args, const smp_annotate_view *view,
                             smp_error *error) {
    output out;
    if (output_open(args, &out, error))
        return error->status;
    FILE *pager = !out.path && out.format == SMP_FORMAT_TEXT
                      ? pager_open(view->annotation->most > 0 ? hot_line : NULL)
                      : NULL;
    if (pager)
        return write_to_pager(pager, &out, view, error);
    smp_format_row_of(out.format)->annotate(out.stream, view, out.style);
    return output_close(&out, true, error);
}

static smp_status annotate(const arguments *args, const profile_show *how,
                           const smp_profile *profile, const smp_ranking *ranking,
                           smp_error *error) {
    const char *file = args->positional_count > 1 ? args->positional[1] : NULL;
    const uint32_t wanted = has(args, OPTION_WORST) ? how->worst : WORST_SHOWN;
    smp_profile_view shown = {.profile = profile,
                              .ranking = ranking,
                              .worst_lines =
                                  wanted < ranking->worst_count ? wanted : ranking->worst_count,
                              .gate = &how->gate};
    smp_profile_fix *fixes = NULL;
    smp_annotation annotation;
    if (smp_annotate(ranking, file, &annotation, error))
        return error->status;
    smp_status status = smp_profile_fixes(ranking, shown.worst_lines, &fixes, error);
    shown.fixes = fixes;
    const smp_annotate_view view = {&annotation, &shown, how->filter.first_line,
                                    how->filter.last_line};
    if (status == SMP_OK)
        status = write_view(args, &view, error);
    free(fixes);
    smp_annotation_clear(&annotation);
    return status;
}

static int run(const arguments *args) {
    smp_error error;
    profile_show how = {0};
    smp_profile profile = {0};
    smp_ranking ranking;
    if (args->positional_count == 0 || args->positional_count > 2)
        return complain_of(SMP_E_USAGE,
                           "annotate needs a profile, and optionally a source file: smemprobe "
                           "annotate run.smprof kernel.cu");
    bool has_failed = profile_show_ask(args, &how, &error) ||
                      profile_show_read(args->positional[0], &profile, &error);
    /* --line limits what is shown; it takes nothing out of the profile. */
    smp_profile_filter all = how.filter;
    all.first_line = all.last_line = 0;
    has_failed = has_failed || smp_profile_rank(&all, &profile, &ranking, &error);
    if (!has_failed) {
        has_failed = smp_profile_fits(&all, profile.kernel_count > 0, &error) ||
                     annotate(args, &how, &profile, &ranking, &error);
        smp_ranking_clear(&ranking);
    }
    profile_show_clear(&how);
    smp_profile_clear(&profile);
    return profile_show_exit(has_failed ? complain(&error) : 0);
}

const command_row command_annotate = {
    .name = "annotate",
    .summary = "show a profile's source with the cost of each line",
    .usage = "[OPTIONS] FILE.smprof [SOURCE]",
    COMMAND_OPTIONS(options),
    .words = words,
    .formats = SMP_FORMATS(SMP_ANNOTATE_FORMS),
    .run = run,
};
