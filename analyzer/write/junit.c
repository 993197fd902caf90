/* SPDX-License-Identifier: MIT */
/* JUnit XML, which most CI systems display: the results of `check`, and of a gate on a profile. */
#include <inttypes.h>

#include "profile_words.h"
#include "write_format.h"

enum { WORDS_MAX = 400 };

/* Writes markup; the texts in it are escaped. */
#define XML(out, ...) put_escaped(out, xml_put, __VA_ARGS__)

typedef struct counts {
    size_t tests, failures, errors, skipped;
} counts;

static void put_counts(FILE *out, const counts *sum) {
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", sum->tests,
            sum->failures, sum->errors, sum->skipped);
}

/* Writes the first lines of a command's document. */
static void put_head(FILE *out, const char *command, const counts *all) {
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"smemprobe %s",
            command);
    put_counts(out, all);
}

/* ---- Check ---- */

/* Each file is a test suite and each expectation a test case. A violated expectation is a failure;
 * a broken or empty file is an error; a case is skipped if a limit applies to an access without a
 * rule. */

static void put_checked(FILE *out, const smp_case *found) {
    static const char *const elements[] = {
        [SMP_VIOLATED] = "failure", [SMP_BROKEN] = "error", [SMP_NOT_JUDGED] = "skipped"};
    XML(out, "    <testcase classname=\"%s\" file=\"%s\" line=\"%u\" name=\"line %u%s%s%s%.*s",
        found->file, found->file, found->line, found->line, found->arch ? " on " : "",
        found->arch ? found->arch->name : "", found->rule_length > 0 ? ": " : "",
        (int)found->rule_length, found->rule);
    if (smp_case_is_quiet(found))
        fputs("\"/>\n", out);
    else
        XML(out, "\">\n      <%s message=\"%s\">%.*s</%s>\n    </testcase>\n",
            elements[found->verdict], found->message, (int)found->access_length, found->access,
            elements[found->verdict]);
}

/* The cases of a file are consecutive: [first, end). */
static size_t end_of_file(const smp_check *check, size_t first) {
    size_t end = first + 1;
    while (end < check->count && check->cases[end].file == check->cases[first].file)
        end++;
    return end;
}

static void put_suite(FILE *out, const smp_check *check, size_t first, size_t end) {
    counts own = {.tests = end - first};
    for (size_t i = first; i < end; i++) {
        own.failures += check->cases[i].verdict == SMP_VIOLATED;
        own.errors += check->cases[i].verdict == SMP_BROKEN;
        own.skipped += check->cases[i].verdict == SMP_NOT_JUDGED;
    }
    XML(out, "  <testsuite name=\"%s", check->cases[first].file);
    put_counts(out, &own);
    for (size_t i = first; i < end; i++)
        put_checked(out, &check->cases[i]);
    fputs("  </testsuite>\n", out);
}

void smp_check_junit(FILE *out, const smp_check *check, smp_style style) {
    const counts all = {check->count, check->violated, check->broken, check->skipped};
    (void)style;
    put_head(out, "check", &all);
    for (size_t first = 0, end; first < check->count; first = end) {
        end = end_of_file(check, first);
        put_suite(out, check, first, end);
    }
    fputs("</testsuites>\n", out);
}

/* ---- Profiles ---- */

/* Findings form one test suite; each is a failure unless it is a note. Each kernel is another
 * suite, with a test case for each source line (or instruction, without line information): a
 * failure if it exceeds its limit, skipped if none of its instructions has a rule. If nothing could
 * be judged, that is an error, because a suite without cases looks like success. */

static void put_name(FILE *out, const smp_profile_view *view, const smp_kernel_profile *kernel) {
    const bool has_arch = view->ranking->arch_count > 1 && kernel->arch;
    XML(out, "%s%s%s", smp_kernel_full_name(kernel), has_arch ? " on " : "",
        has_arch ? kernel->arch->name : "");
}

static bool is_skipped(const smp_profile_line *line) {
    return line->sums.not_modelled > 0 && line->sums.not_modelled == line->sums.requests;
}

static void put_place(FILE *out, const smp_profile_line *line) {
    const smp_profile_site *site = line->sites[0];
    const char *file = line->frame && line->frame->file ? line->frame->file : "?";
    if (line->frame)
        XML(out, "\" file=\"%s\" line=\"%" PRIu32 "\" name=\"%s:%" PRIu32, file, line->frame->line,
            file, line->frame->line);
    else
        XML(out, "\" name=\"+0x%" PRIx32 " %s", site->offset_bytes,
            site->opcode ? site->opcode : smp_site_space_name(site));
}

static void put_case(FILE *out, const smp_profile_view *view, const smp_profile_line *line) {
    const char *why = line->sites[0]->not_modelled;
    char words[WORDS_MAX];
    fputs("    <testcase classname=\"", out);
    put_name(out, view, line->kernel);
    put_place(out, line);
    if (is_skipped(line)) {
        XML(out, "\">\n      <skipped message=\"not modelled: %s\"/>\n    </testcase>\n",
            why ? why : "no rule");
    } else if (smp_gate_breaks(view->gate, line)) {
        (void)smp_gate_words(view->gate, line, words, sizeof words);
        XML(out,
            "\">\n      <failure message=\"%s\">%" PRIu64 " requests, %" PRIu64
            " wavefronts, ideal %" PRIu64 "</failure>\n    </testcase>\n",
            words, line->sums.requests, line->sums.wavefronts, line->sums.ideal);
    } else {
        fputs("\"/>\n", out);
    }
}

static counts count(const smp_profile_view *view, uint32_t first, uint32_t end) {
    counts sum = {0};
    for (uint32_t i = first; i < end; i++) {
        const smp_profile_line *line = &view->ranking->lines[i];
        sum.tests++;
        sum.skipped += is_skipped(line);
        sum.failures += !is_skipped(line) && smp_gate_breaks(view->gate, line);
    }
    return sum;
}

static void put_finding(FILE *out, const smp_profile *profile, const smp_profile_finding *finding) {
    const char *kind = smp_finding_kind_name(finding->kind);
    char kernel[200], detail[1024];
    smp_finding_kernel(profile, finding, kernel, sizeof kernel);
    smp_finding_detail(profile, finding, detail, sizeof detail);
    XML(out, "    <testcase classname=\"%s", kernel);
    if (finding->at.file)
        XML(out, "\" file=\"%s\" line=\"%" PRIu32, finding->at.file, finding->at.line);
    XML(out, "\" name=\"%s at 0x%" PRIx32 "\">\n", kind, finding->at.offset_bytes);
    if (finding->is_note)
        XML(out, "      <system-out>note: %s; %s</system-out>\n", finding->message, detail);
    else
        XML(out, "      <failure message=\"%s: %s\">%s</failure>\n", kind, finding->message,
            detail);
    fputs("    </testcase>\n", out);
}

static void put_findings(FILE *out, const smp_profile *profile) {
    const counts own = {.tests = profile->finding_count,
                        .failures = smp_findings_errors(profile->findings, profile->finding_count)};
    if (own.tests == 0)
        return;
    fputs("  <testsuite name=\"findings", out);
    put_counts(out, &own);
    for (uint32_t i = 0; i < profile->finding_count; i++)
        put_finding(out, profile, &profile->findings[i]);
    fputs("  </testsuite>\n", out);
}

static void put_unseen(FILE *out, const char *what) {
    const counts own = {.tests = 1, .errors = 1};
    fputs("  <testsuite name=\"gate", out);
    put_counts(out, &own);
    XML(out,
        "    <testcase classname=\"gate\" name=\"something was judged\">\n      <error "
        "message=\"%s\">nothing was judged</error>\n    </testcase>\n  </testsuite>\n",
        what);
}

void smp_profile_junit(FILE *out, const smp_profile_view *view, smp_style style) {
    const smp_ranking *ranking = view->ranking;
    const smp_profile *profile = view->profile;
    counts all = count(view, 0, ranking->line_count);
    char unseen[WORDS_MAX];
    (void)style;
    all.errors = smp_gate_unseen(view->gate, ranking, unseen, sizeof unseen) > 0;
    all.tests += all.errors + profile->finding_count;
    all.failures += smp_findings_errors(profile->findings, profile->finding_count);
    put_head(out, "profile", &all);
    if (all.errors > 0)
        put_unseen(out, unseen);
    put_findings(out, profile);
    EACH(const smp_profile_kernel_rank, kernel, ranking->kernels, ranking->kernel_count) {
        const uint32_t end = kernel->first_line + kernel->line_count;
        const counts own = count(view, kernel->first_line, end);
        fputs("  <testsuite name=\"", out);
        put_name(out, view, kernel->kernel);
        put_counts(out, &own);
        for (uint32_t j = kernel->first_line; j < end; j++)
            put_case(out, view, &ranking->lines[j]);
        fputs("  </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
}
