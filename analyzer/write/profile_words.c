/* SPDX-License-Identifier: MIT */
#include "profile_words.h"

#include <inttypes.h>
#include <string.h>

unsigned smp_percent(uint64_t part, uint64_t whole) {
    return whole > 0 ? (unsigned)((double)part * 100.0 / (double)whole + 0.5) : 0;
}

void smp_kernel_title(const smp_ranking *ranking, const smp_kernel_profile *kernel, char *text,
                      size_t size) {
    smp_kernel_short_name(kernel, text, size);
    const size_t length = strlen(text);
    if (kernel->arch && ranking->has_archs)
        (void)snprintf(text + length, size - length, " on %s", kernel->arch->name);
}

void smp_change_text(const smp_profile_fix *from, const smp_seen_fix *fix, char *text,
                     size_t size) {
    char change[200];
    (void)smp_profile_fix_words(from, fix, change, sizeof change);
    (void)snprintf(text, size, "%s: %s wavefronts instead of %s", change, count_text(fix->after),
                   count_text(fix->before));
}

void smp_wider_text(const smp_wider *wider, char *text, size_t size) {
    char words[200];
    (void)smp_wider_words(wider, words, sizeof words);
    (void)snprintf(text, size,
                   "%s: %s wavefronts instead of %s, if nothing between them needs them apart",
                   words, count_text(wider->after), count_text(wider->before));
}

/* ---- Where ---- */

void smp_frame_put(FILE *out, const smp_frame *frame) {
    smp_visible_text(out, smp_base_name(frame->file ? frame->file : "?"));
    fprintf(out, ":%" PRIu32, frame->line);
}

void smp_place_put(FILE *out, const smp_profile_line *line) {
    const smp_profile_site *site = line->sites[0];
    if (line->frame)
        smp_frame_put(out, line->frame);
    else
        fprintf(out, "+0x%" PRIx32, site->offset_bytes);
}

void smp_named_put(FILE *out, const char *label, const char *text) {
    fputs(label, out);
    smp_visible_text(out, text);
    fputc('\n', out);
}
