/* SPDX-License-Identifier: MIT */
/*
 * A proven patch as remarks: in SARIF a result whose fix holds all replacements, on GitHub a
 * suggestion for each. Advice that is not proven is a remark without a fix.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "remark.h"
#include "text_buffer.h"
#include "write_format.h"

/* `count` source lines from `first` are replaced by `text`; 0 lines: `text` is inserted before
 * `first`. */
typedef struct replacement {
    uint32_t first, count;
    char *text;
    size_t length;
} replacement;

/* Reads the next replacement of a patch from *at; *line is the current source line, 0 before the
 * first hunk. Returns false at the end. */
static bool next_replacement(const char **at, uint32_t *line, replacement *out) {
    *out = (replacement){.first = 0};
    FILE *file = open_memstream(&out->text, &out->length);
    bool is_there = false;
    while (file && **at != '\0') {
        const char *begin = *at;
        const size_t length = strcspn(begin, "\n");
        const bool is_change = *line > 0 && (*begin == '-' || *begin == '+'); /* not a file name */
        if (is_there && !is_change && *begin != '\\')
            break;
        *at = begin + length + (begin[length] == '\n');
        if (*begin == '@')
            *line = (uint32_t)strtoul(begin + strcspn(begin, "-") + 1, NULL, 10);
        if (is_change && !is_there)
            out->first = *line;
        is_there |= is_change;
        out->count += is_change && *begin == '-';
        *line += *begin == ' ' || (is_change && *begin == '-');
        if (is_change && *begin == '+')
            fprintf(file, "%.*s\n", (int)length - 1, begin + 1);
    }
    if (file)
        (void)fclose(file);
    if (!is_there) {
        free(out->text);
        out->text = NULL;
    }
    return is_there;
}

/* SARIF 2.1.0, 3.55 fix, 3.57 replacement: an empty region is an insertion. */
static json_t *fixes_json(const repair *found, const char *uri_of, const char *words) {
    json_t *list = json_array();
    const char *at = found->patch;
    uint32_t line = 0;
    for (replacement one; next_replacement(&at, &line, &one); free(one.text)) {
        json_t *region =
            json_pack("{s:i, s:i, s:i, s:i}", "startLine", (int)one.first, "startColumn", 1,
                      "endLine", (int)(one.first + one.count), "endColumn", 1);
        json_push(list, json_pack("{s:o, s:{s:o}}", "deletedRegion", region, "insertedContent",
                                  "text", json_text_of(one.text)));
    }
    return json_pack("[{s:{s:o}, s:[{s:{s:o}, s:o}]}]", "description", "text", json_text_of(words),
                     "artifactChanges", "artifactLocation", "uri", smp_remark_uri(uri_of),
                     "replacements", list);
}

/* Returns true if the patch saves only sectors. */
static bool is_global_repair(const repair *found) {
    return found->before.wavefronts == found->after.wavefronts;
}

static void add_words(text_buffer *to, const smp_repair_shown *shown) {
    const repair *found = shown->found;
    if (shown->of_races)
        text_add(to, "Proven repair: %" PRIu32 " -> %" PRIu32 " races", found->races_before,
                 found->races_after);
    else if (is_global_repair(found))
        text_add(
            to, "Proven repair: sectors of global memory %" PRIu64 " -> %" PRIu64 ", outputs equal",
            found->before.sectors, found->after.sectors);
    else
        text_add(to,
                 "Proven repair: %" PRIu32 " -> %" PRIu32 " ways, wavefronts %" PRIu64
                 " -> %" PRIu64 ", outputs equal",
                 found->before.ways, found->after.ways, found->before.wavefronts,
                 found->after.wavefronts);
    for (size_t i = 0; i < found->try_count; i++)
        if (found->tries[i].is_kept)
            text_add(to, "; %s (%s)", found->tries[i].change, found->tries[i].kernel);
}

static smp_remark remark_of(const smp_repair_shown *shown, uint32_t line, bool is_global) {
    return (smp_remark){.rule = shown->of_races ? SMP_REMARK_FIRST_FINDING + SMP_FINDING_RACE
                                : is_global     ? SMP_REMARK_EXCESS_SECTORS
                                                : SMP_REMARK_BANK_CONFLICT,
                        .level = SMP_REMARK_WARNING,
                        .file = shown->path,
                        .line = line,
                        .column = -1};
}

/* Adds a suggestion for a review comment. A text too long for it is only in the patch. */
static void add_suggestion(smp_remarks *to, const smp_repair_shown *shown, const replacement *one) {
    smp_remark remark = remark_of(shown, one->first, is_global_repair(shown->found));
    text_buffer text = TEXT_BUFFER(remark.message);
    remark.level = SMP_REMARK_NOTE;
    remark.last_line = one->count > 1 ? one->first + one->count - 1 : 0;
    (void)snprintf(remark.key, sizeof remark.key, "repair");
    add_words(&text, shown);
    if (strlen(remark.message) + one->length + 60 > sizeof remark.message)
        text_add(&text, "; the lines are too long to be shown here: fix -o FILE.patch");
    else if (one->count == 0)
        text_add(&text, "\ninsert before this line:\n```\n%s```", one->text);
    else
        text_add(&text, "\n```suggestion\n%s```", one->text);
    smp_remark_add(to, &remark);
}

static void add_repair(smp_remarks *to, const smp_repair_shown *shown) {
    const repair *found = shown->found;
    const char *at = found->patch;
    replacement one;
    uint32_t line = 0;
    if (to->form != SMP_FORMAT_SARIF) {
        for (; next_replacement(&at, &line, &one); free(one.text))
            add_suggestion(to, shown, &one);
        return;
    }
    if (!next_replacement(&at, &line, &one))
        return;
    smp_remark remark = remark_of(shown, one.first, is_global_repair(found));
    text_buffer text = TEXT_BUFFER(remark.message);
    (void)snprintf(remark.key, sizeof remark.key, "repair");
    add_words(&text, shown);
    remark.fixes = fixes_json(found, shown->path, remark.message);
    smp_remark_add(to, &remark);
    free(one.text);
}

static void put_remarks(FILE *out, const smp_repair_shown *shown, smp_format form) {
    const repair *found = shown->found;
    smp_remarks to = smp_remarks_begin(out, form);
    if (found->patch)
        add_repair(&to, shown);
    for (size_t i = 0; i < found->advice_count; i++) {
        const repair_advice *one = &found->advice[i];
        smp_remark remark = remark_of(shown, one->line, one->is_global);
        (void)snprintf(remark.key, sizeof remark.key, "%s", one->array);
        (void)snprintf(remark.message, sizeof remark.message, "%s in %s, not repaired: %s",
                       one->is_global  ? "global memory"
                       : one->array[0] ? one->array
                                       : "shared memory",
                       one->kernel, one->text);
        remark.where = one->kernel;
        smp_remark_add(&to, &remark);
    }
    smp_remarks_end(&to);
}

void smp_repair_sarif(FILE *out, const smp_repair_shown *shown) {
    put_remarks(out, shown, SMP_FORMAT_SARIF);
}

void smp_repair_github(FILE *out, const smp_repair_shown *shown) {
    put_remarks(out, shown, SMP_FORMAT_GITHUB);
}
