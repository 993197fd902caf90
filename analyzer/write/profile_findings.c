/* SPDX-License-Identifier: MIT */
/* Findings as text. */

#include <inttypes.h>
#include <string.h>

#include "profile_words.h"
#include "source_line.h"
#include "text_buffer.h"

enum { FINDINGS_SHOWN = 20, WORDS = 1024 };

void smp_finding_kernel(const smp_profile *profile, const smp_profile_finding *finding, char *text,
                        size_t size) {
    const smp_kernel_profile *kernel = smp_finding_kernel_of(profile, finding);
    if (kernel)
        smp_kernel_short_name(kernel, text, size);
    else
        (void)snprintf(text, size, "%s", finding->kernel);
}

static void add_thread(text_buffer *text, const smp_finding_place *at) {
    if (at->has_thread)
        text_add(text,
                 "thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") of block (%" PRIu32 ",%" PRIu32
                 ",%" PRIu32 ")",
                 at->thread[0], at->thread[1], at->thread[2], at->block[0], at->block[1],
                 at->block[2]);
}

static void add_instruction(text_buffer *text, const smp_finding_place *at) {
    if (at->instruction)
        text_add(text, ", at 0x%" PRIx32 ": %.200s", at->offset_bytes, at->instruction);
}

/* Adds the thread that shows the finding, and how often it occurred. */
static void add_example(text_buffer *out, const smp_profile *profile,
                        const smp_profile_finding *finding) {
    char kernel[200];
    smp_finding_kernel(profile, finding, kernel, sizeof kernel);
    add_thread(out, &finding->at);
    text_add(out, "%s%s", out->length > 0 ? " of " : "", kernel);
    add_instruction(out, &finding->at);
    if (finding->array && finding->message && !strstr(finding->message, finding->array))
        text_add(out, "; array %.100s", finding->array);
    if (finding->count > 1)
        text_add(out, "; %s times", count_text(finding->count));
}

static void add_other(text_buffer *out, const smp_finding_place *other) {
    if (other->file)
        text_add(out, "%.300s:%" PRIu32 "%s", smp_source_shown(other->file), other->line,
                 other->has_thread ? ", " : "");
    add_thread(out, other);
    add_instruction(out, other);
}

void smp_finding_detail(const smp_profile *profile, const smp_profile_finding *finding, char *text,
                        size_t size) {
    text_buffer out = text_buffer_over(text, size);
    add_example(&out, profile, finding);
    if (finding->missing)
        text_add(&out, "; missing: %.300s", finding->missing);
    if (finding->has_other) {
        text_add(&out, "; the other access: ");
        add_other(&out, &finding->other);
    }
}

void smp_findings_count_text(const smp_profile *profile, char *text, size_t size) {
    uint32_t limits = 0;
    for (uint32_t i = 0; i < profile->finding_count; i++)
        limits += profile->findings[i].kind == SMP_FINDING_UNKNOWN && !profile->findings[i].is_note;
    const uint32_t faults = smp_findings_errors(profile->findings, profile->finding_count);
    const uint32_t errors = faults - limits, notes = profile->finding_count - faults;
    text_buffer out = text_buffer_over(text, size);
    if (errors > 0 || profile->finding_count == 0)
        text_add(&out, "%" PRIu32 " error%s", errors, plural(errors));
    if (notes > 0)
        text_add(&out, "%s%" PRIu32 " note%s", errors > 0 ? " and " : "", notes, plural(notes));
    if (errors > 0 || notes > 0 || profile->finding_count == 0)
        text_add(&out, " found in the kernels");
    if (limits > 0)
        text_add(&out, "%s%" PRIu32 " limit%s of the emulator reached",
                 errors > 0 || notes > 0 ? "; " : "", limits, plural(limits));
}

/* ---- Text ---- */

/* Whether both are the same at two instructions of a line, such as those of an unrolled loop. */
static bool is_alike(const smp_profile_finding *a, const smp_profile_finding *b) {
    return a->kind == b->kind && a->is_note == b->is_note && a->at.file && b->at.file &&
           a->at.line == b->at.line && strcmp(a->at.file, b->at.file) == 0 &&
           strcmp(a->kernel, b->kernel) == 0 && !a->has_other && !b->has_other;
}

/* Whether an earlier finding that is alike is shown for it. */
static bool is_shown_before(const smp_profile *profile, uint32_t number) {
    bool out = false;
    for (uint32_t i = 0; i < number && !out; i++)
        out = is_alike(&profile->findings[i], &profile->findings[number]);
    return out;
}

static void put_finding(FILE *out, const smp_profile *profile, const smp_profile_finding *finding) {
    const smp_finding_place *at = &finding->at;
    const smp_frame frame = {at->file, at->line};
    char text[WORDS];
    if (at->file)
        put_visible(out, "  %s:%" PRIu32 ": ", smp_source_shown(at->file), at->line);
    put_visible(out, "%s%s%s: %s\n", at->file ? "" : "  ", finding->is_note ? "note: " : "",
                smp_finding_kind_name(finding->kind), finding->message);
    smp_source_put(out, "      ", &frame, finding->array);
    text_buffer words = TEXT_BUFFER(text);
    add_example(&words, profile, finding);
    uint32_t more = 0;
    for (const smp_profile_finding *one = finding + 1;
         one < profile->findings + profile->finding_count; one++)
        more += is_alike(finding, one);
    if (more > 0)
        text_add(&words, "; the same at %" PRIu32 " more instruction%s of the line", more,
                 plural(more));
    smp_wrapped_print(out, "    ", text);
    if (finding->missing)
        smp_wrapped_print(out, "    missing: ", finding->missing);
    words = TEXT_BUFFER(text);
    add_other(&words, &finding->other);
    if (finding->has_other)
        smp_wrapped_print(out, "    other:   ", text);
}

void smp_findings_text(FILE *out, const smp_profile *profile, smp_style style) {
    char text[100];
    if (profile->finding_count == 0)
        return;
    smp_findings_count_text(profile, text, sizeof text);
    fprintf(out, "%s%s%s\n", smp_paint(style, "\033[1;31m"), text, smp_paint(style, "\033[0m"));
    uint32_t lines = 0;
    for (uint32_t i = 0; i < profile->finding_count; i++)
        if (!is_shown_before(profile, i) && lines++ < FINDINGS_SHOWN)
            put_finding(out, profile, &profile->findings[i]);
    if (lines > FINDINGS_SHOWN)
        fprintf(out, "  %" PRIu32 " more (--format json has all)\n", lines - FINDINGS_SHOWN);
    fputc('\n', out);
}
