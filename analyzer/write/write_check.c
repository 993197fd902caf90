/* SPDX-License-Identifier: MIT */
/*
 * Results of `check`: as text one line for each violated case, beginning with "file:line: " as
 * compilers do; as JSON; and as remarks on the layout files.
 */
#include <string.h>

#include "json_text.h"
#include "put.h"
#include "remark.h"
#include "text_buffer.h"
#include "write_format.h"

static void put_place(FILE *out, const smp_case *found, smp_style style) {
    fputs(smp_paint(style, "\033[1m"), out);
    put_visible(out, "%s", found->file);
    if (found->line > 0)
        fprintf(out, ":%u", found->line);
    if (found->line > 0 && found->column >= 0)
        fprintf(out, ":%d", found->column + 1);
    fprintf(out, ":%s ", smp_paint(style, "\033[0m"));
}

static void put_reason(FILE *out, const smp_case *found, smp_style style) {
    if (found->arch)
        fprintf(out, "%s: ", found->arch->name);
    fputs(smp_paint(style, "\033[1;31m"), out);
    put_visible(out, "%s", found->message);
    fputs(smp_paint(style, "\033[0m"), out);
    if (found->verdict == SMP_VIOLATED)
        put_visible(out, ", but expected %.*s, for '%.*s'", (int)found->rule_length, found->rule,
                    (int)found->access_length, found->access);
}

/* The command itself names files without expectations on standard error. */
static void put_sum(FILE *out, const smp_check *check) {
    const size_t judged = check->count - check->broken - check->skipped,
                 files = check->file_count + check->source_count;
    fprintf(out, "%zu file%s, %zu access%s, %zu expectation%s: ", files, plural(files),
            check->accesses, check->accesses == 1 ? "" : "es", judged, plural(judged));
    if (check->violated + check->broken == 0)
        fputs(check->known > 0 ? "nothing new" : "all hold", out);
    else
        fprintf(out, "%zu violated, %zu in error", check->violated, check->broken - check->empty);
    if (check->known > 0)
        fprintf(out, "; %zu known", check->known);
    if (check->empty > 0)
        fprintf(out, "; %zu file%s with nothing to check", check->empty, plural(check->empty));
    if (check->unjudged > 0)
        fprintf(out, "; %zu access%s not modelled, and not judged", check->unjudged,
                check->unjudged == 1 ? " is" : "es are");
    fputc('\n', out);
}

void smp_check_text(FILE *out, const smp_check *check, smp_style style) {
    EACH(const smp_case, found, check->cases, check->count) {
        if ((found->verdict != SMP_VIOLATED && found->verdict != SMP_BROKEN) || found->is_empty)
            continue;
        put_place(out, found, style);
        put_reason(out, found, style);
        fputc('\n', out);
    }
    put_sum(out, check);
}

static json_t *text_or_null(const char *text, size_t length) {
    return text ? json_text(text, length) : json_null();
}

static json_t *case_json(const smp_case *found) {
    static const char *const verdicts[] = {"holds", "violated", "error", "not judged", "known"};
    const char *rule = found->rule_length > 0 ? found->rule : NULL;
    return json_pack("{s:o, s:o, s:o, s:s?, s:s, s:o, s:o, s:o}", "file", json_text_of(found->file),
                     "line", json_count(found->line > 0, found->line), "column",
                     json_count(found->column >= 0, (uint64_t)(found->column + 1)), "arch",
                     found->arch ? found->arch->name : NULL, "verdict", verdicts[found->verdict],
                     "rule", text_or_null(rule, found->rule_length), "access",
                     text_or_null(found->access, found->access_length), "message",
                     json_text_or_null(found->message[0] ? found->message : NULL));
}

void smp_check_json(FILE *out, const smp_check *check, smp_style style) {
    (void)style;
    json_t *cases = json_array();
    for (size_t i = 0; i < check->count; i++)
        json_push(cases, case_json(&check->cases[i]));
    json_t *root =
        json_pack("{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "schema_version", SMP_SCHEMA_VERSION,
                  "files", (json_int_t)(check->file_count + check->source_count), "accesses",
                  (json_int_t)check->accesses, "violated", (json_int_t)check->violated, "errors",
                  (json_int_t)check->broken, "not_judged", (json_int_t)check->skipped, "known",
                  (json_int_t)check->known, "cases", cases);
    json_put(out, root, JSON_ENSURE_ASCII);
}

static void add_case(smp_remarks *to, const smp_case *found) {
    const bool is_violated = found->verdict == SMP_VIOLATED;
    const smp_remark_level unjudged = /* GitHub displays notices less prominently than these need */
        to->form == SMP_FORMAT_GITHUB ? SMP_REMARK_WARNING : SMP_REMARK_NOTE;
    smp_remark remark = {
        .rule = is_violated                    ? SMP_REMARK_EXPECTATION
                : found->verdict == SMP_BROKEN ? SMP_REMARK_UNREADABLE
                                               : SMP_REMARK_NOT_JUDGED,
        .level = found->verdict == SMP_NOT_JUDGED ? unjudged : SMP_REMARK_ERROR,
        .file = strcmp(found->file, "-") == 0 ? NULL : found->file,
        .line = found->line,
        .column = found->column,
    };
    text_buffer text = TEXT_BUFFER(remark.message), key = TEXT_BUFFER(remark.key);
    text_add(&key, "%s %.*s", found->arch ? found->arch->name : "", (int)found->rule_length,
             found->rule_length > 0 ? found->rule : "");
    if (found->arch)
        text_add(&text, "%s: ", found->arch->name);
    text_add(&text, "%s", found->message);
    if (is_violated)
        text_add(&text, ", but expected %.*s, for '%.*s'", (int)found->rule_length, found->rule,
                 (int)found->access_length, found->access);
    smp_remark_add(to, &remark);
}

static void put_remarks(FILE *out, const smp_check *check, smp_format form) {
    smp_remarks to = smp_remarks_begin(out, form);
    for (size_t i = 0; i < check->count; i++)
        if (!smp_case_is_quiet(&check->cases[i]))
            add_case(&to, &check->cases[i]);
    smp_remarks_end(&to);
}

#define CHECK_REMARKS(name, id)                                                 \
    void smp_check_##name(FILE *out, const smp_check *check, smp_style style) { \
        (void)style;                                                            \
        put_remarks(out, check, SMP_FORMAT_##id);                               \
    }
SMP_REMARK_FORMS(CHECK_REMARKS)
