/* SPDX-License-Identifier: MIT */
#include "profile_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "put.h"
#include "repair.h"
#include "source_line.h"
#include "text_file.h"

enum { EDITS_MAX = 12 };

const char *smp_percent(uint64_t part, uint64_t whole) {
    static _Thread_local char texts[4][8];
    static _Thread_local unsigned next;
    char *text = texts[next++ % 4];
    if (part >= whole) /* also of corrupt sums, which may overflow */
        return whole > 0 ? "100 %" : "0 %";
    const double percent = (double)part * 100.0 / (double)whole;
    if (part > 0 && percent < 1)
        return "under 1 %";
    if (percent > 99)
        return "over 99 %";
    (void)snprintf(text, sizeof texts[0], "%.0f %%", percent);
    return text;
}

void smp_kernel_title(const smp_ranking *ranking, const smp_kernel_profile *kernel, char *text,
                      size_t size) {
    smp_kernel_short_name(kernel, text, size);
    const size_t length = strlen(text);
    if (kernel->arch && ranking->arch_count > 1)
        (void)snprintf(text + length, size - length, " on %s", kernel->arch->name);
}

static bool has_equal_sums(const smp_arch_rank *a, const smp_arch_rank *b) {
    return a->kernel_count == b->kernel_count && a->function_count == b->function_count &&
           memcmp(&a->sums, &b->sums, sizeof a->sums) == 0;
}

uint32_t smp_archs_title(const smp_ranking *ranking, uint32_t first,
                         char text[SMP_ARCHS_TITLE_BYTES]) {
    const smp_arch_rank *ranks = ranking->archs;
    uint32_t last = first;
    while (last + 1 < ranking->arch_count && has_equal_sums(&ranks[first], &ranks[last + 1]))
        last++;
    (void)snprintf(text, SMP_ARCHS_TITLE_BYTES, "%s%s%s",
                   ranks[first].arch ? ranks[first].arch->name : "unknown",
                   last > first + 1 ? " to "
                   : last > first   ? ", "
                                    : "",
                   last > first ? ranks[last].arch->name : "");
    return last + 1;
}

void smp_change_text(const smp_profile_fix *from, const smp_seen_fix *fix, char *text,
                     size_t size) {
    char change[200];
    (void)smp_profile_fix_words(from, fix, change, sizeof change);
    (void)snprintf(text, size, "%s: %s wavefront%s instead of %s", change, count_text(fix->after),
                   plural(fix->after), count_text(fix->before));
}

void smp_wider_text(const smp_wider *wider, char *text, size_t size) {
    char words[200];
    (void)smp_wider_words(wider, words, sizeof words);
    (void)snprintf(text, size,
                   "%s: %s wavefront%s instead of %s, if nothing between them prevents it", words,
                   count_text(wider->after), plural(wider->after), count_text(wider->before));
}

static bool is_same_layout(const smp_seen_fix *a, const smp_seen_fix *b) {
    return a->kind == b->kind && a->row_bytes == b->row_bytes && a->pad_bytes == b->pad_bytes &&
           a->xor_mask == b->xor_mask && a->unit_bytes == b->unit_bytes;
}

static bool is_same_change(const smp_seen_fix *a, const smp_seen_fix *b) {
    return is_same_layout(a, b) && a->before == b->before && a->after == b->after;
}

bool smp_fix_edited_before(const smp_profile_view *view, uint32_t number) {
    const smp_frame *at = smp_ranking_worst(view->ranking, number)->frame;
    for (uint32_t i = 0; i < number && at && at->file; i++) {
        const smp_frame *other = smp_ranking_worst(view->ranking, i)->frame;
        if (other && other->file && other->line == at->line && strcmp(other->file, at->file) == 0 &&
            is_same_layout(&view->fixes[i].padding, &view->fixes[number].padding) &&
            is_same_layout(&view->fixes[i].swizzle, &view->fixes[number].swizzle))
            return true;
    }
    return false;
}

uint32_t smp_fix_shown_before(const smp_profile_view *view, uint32_t number) {
    const smp_profile_fix *fix = &view->fixes[number];
    for (uint32_t i = 0; i < number; i++) {
        const smp_profile_fix *other = &view->fixes[i];
        if ((fix->padding.kind != SMP_SEEN_NONE || fix->swizzle.kind != SMP_SEEN_NONE) &&
            other->array == fix->array && is_same_change(&other->padding, &fix->padding) &&
            is_same_change(&other->swizzle, &fix->swizzle))
            return i;
    }
    return number;
}

char *smp_change_patch(const smp_profile_line *line, const smp_profile_fix *from,
                       const smp_seen_fix *fix) {
    const char *file = line->frame ? line->frame->file : NULL;
    const bool is_shown = fix->kind != SMP_SEEN_NONE && file && smp_source_is_named(file);
    FILE *in = is_shown ? smp_source_open(file) : NULL;
    advised_source source = {.name = smp_base_name(file ? file : "")};
    char *text = NULL, *patch = NULL;
    if (in && smp_text_read_stream(in, &text, &source.length, NULL) == SMP_OK) {
        source.text = text;
        patch = advised_patch(&source, line->kernel, from->array, fix);
    }
    free(text);
    if (in)
        (void)fclose(in);
    return patch;
}

void smp_wider_put(FILE *out, const smp_wider *wider, const char *label) {
    char words[400];
    if (wider->site_count == 0)
        return;
    smp_wider_text(wider, words, sizeof words);
    smp_wrapped_print(out, label, words);
}

/* ---- Where ---- */

enum { PLACE_MAX = 300 };

static char *next_place(void) {
    static _Thread_local char places[4][PLACE_MAX];
    static _Thread_local unsigned next;
    return places[next++ % 4];
}

const char *smp_frame_text(const smp_frame *frame) {
    char *text = next_place();
    (void)snprintf(text, PLACE_MAX, "%s:%" PRIu32, smp_base_name(frame->file ? frame->file : "?"),
                   frame->line);
    return text;
}

const char *smp_place_text(const smp_profile_line *line) {
    if (line->frame)
        return smp_frame_text(line->frame);
    char *text = next_place();
    (void)snprintf(text, PLACE_MAX, "+0x%" PRIx32, line->sites[0]->offset_bytes);
    return text;
}

/* Returns where the index to show begins. */
static size_t index_of(const char *text, const char *about) {
    const size_t length = about ? strlen(about) : 0;
    for (const char *at = text; length > 0 && (at = strstr(at, about)); at += length)
        if (at[length] == '[')
            return (size_t)(at - text);
    return strcspn(text, "[") < strlen(text) ? strcspn(text, "[") : 0;
}

/* Moves back to the start of a UTF-8 character. */
static size_t begin_of(const char *text, size_t at) {
    while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80)
        at--;
    return at;
}

void smp_cut_put(FILE *out, const char *indent, const char *text, const char *about) {
    static const char gap[] = "...";
    enum { FILE_COLUMNS = 512 }; /* code of one long line is cut in files, too */
    const size_t length = strlen(text), missing = sizeof gap - 1;
    const int known = smp_columns_known(out), columns = known > 0 ? known : FILE_COLUMNS;
    const size_t taken = strlen(indent) + 1 + 2 * missing, index = index_of(text, about);
    size_t from = 0, to = length;
    if (columns > 0 && strlen(indent) + length >= (size_t)columns && (size_t)columns > taken) {
        const size_t room = (size_t)columns - taken;
        const size_t end = index + strcspn(text + index, ";");
        from = end <= room ? 0 : begin_of(text, index < length - room ? index : length - room);
        to = begin_of(text, from + room);
    }
    fprintf(out, "%s%s", indent, from > 0 ? gap : "");
    smp_visible_put(out, text + from, to - from);
    fprintf(out, "%s\n", to < length ? gap : "");
}

void smp_source_put(FILE *out, const char *indent, const smp_frame *at, const char *about) {
    char text[4096];
    if (at->file && smp_source_line_read(at->file, at->line, text, sizeof text))
        smp_cut_put(out, indent, text, about);
}

/* Writes the removed and added lines of a patch, without context. */
static void put_edits(FILE *out, const char *patch, const char *about, smp_style style) {
    unsigned number = 0, shown = 0;
    for (const char *at = patch; *at != '\0'; number++) {
        const size_t length = strcspn(at, "\n");
        const bool is_edit = number >= 2 && length > 1 && (*at == '+' || *at == '-');
        if (is_edit && shown++ < EDITS_MAX) {
            const size_t blank = 1 + strspn(at + 1, " \t");
            char indent[] = "    - ", text[1024];
            indent[4] = *at;
            (void)snprintf(text, sizeof text, "%.*s", (int)(length - blank), at + blank);
            for (char *c = text; *c != '\0'; c++)
                if (*c == '\t' || (*c == '\r' && c[1] == '\0'))
                    *c = *c == '\t' ? ' ' : '\0';
            fputs(put_diff_color(style, *at), out);
            smp_cut_put(out, indent, text, about);
            fputs(smp_paint(style, "\033[0m"), out);
        }
        at += length + (at[length] == '\n');
    }
    if (shown > EDITS_MAX)
        fprintf(out, "    %u more line%s (-o FILE.html shows all)\n", shown - EDITS_MAX,
                plural(shown - EDITS_MAX));
}

bool smp_changes_put(FILE *out, const smp_profile_fix *fix, const smp_profile_line *line,
                     const char *first, const char *other, smp_style style) {
    const smp_seen_fix *const changes[] = {&fix->padding, &fix->swizzle};
    bool has_any = false, has_code = !line;
    for (size_t i = 0; i < 2; i++) {
        char words[400];
        if (changes[i]->kind == SMP_SEEN_NONE)
            continue;
        smp_change_text(fix, changes[i], words, sizeof words);
        smp_wrapped_print(out, has_any ? other : first, words);
        has_any = true;
        char *patch = has_code ? NULL : smp_change_patch(line, fix, changes[i]);
        if (patch)
            put_edits(out, patch, fix->array->name, style);
        has_code |= !!patch;
        free(patch);
    }
    return has_any;
}

const char *smp_time_text(double us, char text[SMP_TIME_MAX]) {
    static const char *const units[] = {"us", "ms", "s"};
    unsigned unit = 0;
    for (; unit < 2 && us >= 999.5; unit++)
        us /= 1000;
    const int decimals = us < 9.995 ? 2 : us < 99.95;
    (void)snprintf(text, SMP_TIME_MAX, "%.*f %s", decimals, us, units[unit]);
    return text;
}
