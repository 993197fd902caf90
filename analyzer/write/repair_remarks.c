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
#include "visible_text.h"
#include "write_format.h"

/* The file of a change: that of the report, or a header beside it. */
static const char *file_of(const smp_repair_shown *shown, const repair_change *one) {
    return strcmp(smp_base_name(shown->path), smp_base_name(one->file)) == 0 ? shown->path
                                                                             : one->file;
}

/* SARIF 2.1.0, 3.55 fix, 3.57 replacement: an empty region is an insertion. */
static json_t *fixes_json(const smp_repair_shown *shown, const char *words) {
    json_t *files = json_array(), *list = NULL;
    const char *before = "";
    EACH(const repair_change, one, shown->found->changes, shown->found->change_count) {
        json_t *region =
            json_pack("{s:i, s:i, s:i, s:i}", "startLine", (int)one->first, "startColumn", 1,
                      "endLine", (int)(one->first + one->count), "endColumn", 1);
        if (strcmp(one->file, before) != 0) {
            list = json_array();
            json_push(files, json_pack("{s:{s:o}, s:o}", "artifactLocation", "uri",
                                       smp_remark_uri(file_of(shown, one)), "replacements", list));
            before = one->file;
        }
        json_push(list, json_pack("{s:o, s:{s:o}}", "deletedRegion", region, "insertedContent",
                                  "text", json_text_of(one->text)));
    }
    return json_pack("[{s:{s:o}, s:o}]", "description", "text", json_text_of(words),
                     "artifactChanges", files);
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
static void add_suggestion(smp_remarks *to, const smp_repair_shown *shown,
                           const repair_change *one) {
    smp_remark remark = remark_of(shown, one->first, is_global_repair(shown->found));
    text_buffer text = TEXT_BUFFER(remark.message);
    remark.file = file_of(shown, one);
    remark.level = SMP_REMARK_NOTE;
    remark.last_line = one->count > 1 ? one->first + one->count - 1 : 0;
    (void)snprintf(remark.key, sizeof remark.key, "repair");
    add_words(&text, shown);
    if (strlen(remark.message) + strlen(one->text) + 60 > sizeof remark.message)
        text_add(&text, "; the lines are too long to be shown here: fix -o FILE.patch");
    else if (one->count == 0)
        text_add(&text, "\ninsert before this line:\n```\n%s```", one->text);
    else
        text_add(&text, "\n```suggestion\n%s```", one->text);
    smp_remark_add(to, &remark);
}

static void add_repair(smp_remarks *to, const smp_repair_shown *shown) {
    const repair_change *changes = shown->found->changes;
    if (to->form != SMP_FORMAT_SARIF) {
        EACH(const repair_change, one, changes, shown->found->change_count)
            add_suggestion(to, shown, one);
        return;
    }
    smp_remark remark = remark_of(shown, changes[0].first, is_global_repair(shown->found));
    text_buffer text = TEXT_BUFFER(remark.message);
    (void)snprintf(remark.key, sizeof remark.key, "repair");
    remark.file = file_of(shown, &changes[0]);
    add_words(&text, shown);
    remark.fixes = fixes_json(shown, remark.message);
    smp_remark_add(to, &remark);
}

static void put_remarks(FILE *out, const smp_repair_shown *shown, smp_format form) {
    const repair *found = shown->found;
    smp_remarks to = smp_remarks_begin(out, form);
    if (found->change_count > 0)
        add_repair(&to, shown);
    EACH(const repair_advice, one, found->advice, found->advice_count) {
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

#define REPAIR_REMARKS(name, id)                                       \
    void smp_repair_##name(FILE *out, const smp_repair_shown *shown) { \
        put_remarks(out, shown, SMP_FORMAT_##id);                      \
    }
REPAIR_REMARKS(sarif, SARIF)
REPAIR_REMARKS(github, GITHUB)
