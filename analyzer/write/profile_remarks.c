/* SPDX-License-Identifier: MIT */
/* Findings and costly lines of a profile as remarks on the source. */
#include <inttypes.h>

#include "json_text.h"
#include "profile_json.h"
#include "profile_words.h"
#include "remark.h"
#include "text_buffer.h"

enum { REMARKS_SHOWN = 100 };

static json_t *figures_json(const smp_profile_line *line) {
    const smp_profile_sums *sums = &line->sums;
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "kernel",
                     json_text_of(line->kernel->name), "requests", (json_int_t)sums->requests,
                     "wavefronts", (json_int_t)sums->wavefronts, "ideal", (json_int_t)sums->ideal,
                     "ways", (json_int_t)sums->ways, "sectors", (json_int_t)sums->sectors,
                     "ideal_sectors", (json_int_t)sums->ideal_sectors);
}

/* Adds repairs: a change of the array, or a wider access. */
static void add_repairs(text_buffer *text, const smp_profile_fix *fix) {
    const smp_seen_fix *const changes[] = {&fix->padding, &fix->swizzle};
    const char *joint = " Advice: ";
    char words[512];
    for (size_t i = 0; i < 2; i++) {
        if (changes[i]->kind == SMP_SEEN_NONE)
            continue;
        (void)smp_profile_fix_words(fix, changes[i], words, sizeof words);
        text_add(text, "%s%s: %s wavefront%s of its array instead of %s", joint, words,
                 count_text(changes[i]->after), plural(changes[i]->after),
                 count_text(changes[i]->before));
        joint = "; or ";
    }
    if (fix->obstacle[0] != '\0')
        text_add(text, " No layout of the array is suggested: %s.", fix->obstacle);
    if (fix->wider.site_count == 0)
        return;
    (void)smp_wider_words(&fix->wider, words, sizeof words);
    text_add(text, "%s%s: %s wavefront%s instead of %s", joint, words, count_text(fix->wider.after),
             plural(fix->wider.after), count_text(fix->wider.before));
}

static void add_words(text_buffer *text, const smp_profile_line *line, const char *kernel,
                      const smp_profile_fix *fix) {
    const smp_profile_sums *sums = &line->sums;
    const uint64_t waves = smp_sums_excess(sums), sectors = smp_sums_excess_sectors(sums);
    char why[512];
    smp_prediction report;
    if (waves > 0)
        text_add(text, "%" PRIu32 "-way bank conflict in %s: %s of %s wavefronts are excess. ",
                 sums->ways, kernel, count_text(waves), count_text(sums->wavefronts));
    if (sectors > 0)
        text_add(text, "%s of %s sectors that %s moves here are excess. ", count_text(sectors),
                 count_text(sums->sectors), kernel);
    if (smp_site_report(line->kernel, line->sites[0], &report) &&
        smp_prediction_why(&report, why, sizeof why) > 0)
        text_add(text, "The worst request: %s", why);
    if (fix)
        add_repairs(text, fix);
}

static void add_line(smp_remarks *to, const smp_profile_view *view, const smp_profile_line *line,
                     const smp_profile_fix *fix) {
    const bool is_waves = smp_sums_excess(&line->sums) >= smp_sums_excess_sectors(&line->sums);
    const bool is_above = smp_gate_breaks(view->gate, line);
    char kernel[200];
    smp_remark remark = {
        .rule = is_waves ? SMP_REMARK_BANK_CONFLICT : SMP_REMARK_EXCESS_SECTORS,
        .level = is_above ? SMP_REMARK_ERROR : SMP_REMARK_WARNING,
        .file = line->frame ? line->frame->file : NULL,
        .line = line->frame ? line->frame->line : 0,
        .column = -1,
        .where = smp_kernel_full_name(line->kernel),
        .figures = figures_json(line),
    };
    text_buffer text = TEXT_BUFFER(remark.message);
    smp_kernel_title(view->ranking, line->kernel, kernel, sizeof kernel);
    if (is_above) {
        char above[300];
        (void)smp_gate_words(view->gate, line, above, sizeof above);
        text_add(&text, "%s. ", above);
    }
    add_words(&text, line, kernel, fix);
    smp_remark_add(to, &remark);
}

static void add_finding(smp_remarks *to, const smp_profile *profile,
                        const smp_profile_finding *finding) {
    const smp_kernel_profile *kernel = smp_finding_kernel_of(profile, finding);
    char detail[900];
    smp_remark remark = {
        .rule = (smp_remark_rule)(SMP_REMARK_FIRST_FINDING + (int)finding->kind),
        .level = finding->is_note ? SMP_REMARK_NOTE : SMP_REMARK_ERROR,
        .file = finding->at.file,
        .line = finding->at.line,
        .column = -1,
        .where = kernel && kernel->demangled ? kernel->demangled : finding->kernel,
        .figures = smp_finding_to_json(finding),
        .other = finding->has_other && finding->other.file ? &finding->other : NULL,
    };
    (void)snprintf(remark.key, sizeof remark.key, "0x%" PRIx32 " 0x%" PRIx32,
                   finding->at.offset_bytes, finding->other.offset_bytes);
    text_buffer text = TEXT_BUFFER(remark.message);
    smp_finding_detail(profile, finding, detail, sizeof detail);
    text_add(&text, "%s: %.255s (%s)", smp_finding_kind_name(finding->kind), finding->message,
             detail);
    smp_remark_add(to, &remark);
}

/* Writes the hundred worst lines, and every line above the gate, even if it has no excess. */
static void put_remarks(FILE *out, const smp_profile_view *view, smp_format form) {
    const smp_ranking *ranking = view->ranking;
    smp_remarks to = smp_remarks_begin(out, form);
    for (uint32_t i = 0; i < view->profile->finding_count; i++)
        add_finding(&to, view->profile, &view->profile->findings[i]);
    for (uint32_t i = 0; i < ranking->worst_count; i++) {
        const smp_profile_line *line = smp_ranking_worst(ranking, i);
        if (i < REMARKS_SHOWN || smp_gate_breaks(view->gate, line))
            add_line(&to, view, line, i < view->worst_lines ? &view->fixes[i] : NULL);
    }
    EACH(const smp_profile_line, line, ranking->lines, ranking->line_count)
        if (smp_sums_loss(&line->sums) == 0 && smp_gate_breaks(view->gate, line))
            add_line(&to, view, line, NULL);
    smp_remarks_end(&to);
}

#define PROFILE_REMARKS(name, id)                                                       \
    void smp_profile_##name(FILE *out, const smp_profile_view *view, smp_style style) { \
        (void)style;                                                                    \
        put_remarks(out, view, SMP_FORMAT_##id);                                        \
    }
SMP_REMARK_FORMS(PROFILE_REMARKS)
