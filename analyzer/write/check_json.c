/* SPDX-License-Identifier: MIT */
/*
 * What `check` found, as one JSON document: counts, and an object for each case.
 */
#include <stdio.h>

#include "check_files.h"
#include "json_text.h"
#include "smp_prediction.h"
#include "write_format.h"

static json_t *text_or_null(const char *text, size_t length) {
    return text ? json_text(text, length) : json_null();
}

static json_t *case_json(const smp_case *found) {
    static const char *const verdicts[] = {"holds", "violated", "error", "not judged", "known"};
    json_t *out = json_object();
    json_set(out, "file", json_text_of(found->file));
    json_set(out, "line", found->line > 0 ? json_integer(found->line) : json_null());
    json_set(out, "column", found->column >= 0 ? json_integer(found->column + 1) : json_null());
    json_set(out, "arch", found->arch ? json_string(found->arch->name) : json_null());
    json_set(out, "verdict", json_string(verdicts[found->verdict]));
    json_set(out, "rule",
             text_or_null(found->rule_length > 0 ? found->rule : NULL, found->rule_length));
    json_set(out, "access", text_or_null(found->access, found->access_length));
    json_set(out, "message", found->message[0] ? json_text_of(found->message) : json_null());
    return out;
}

void smp_check_json(FILE *out, const smp_check *check, smp_style style) {
    (void)style;
    json_t *cases = json_array();
    for (size_t i = 0; i < check->count; i++)
        json_push(cases, case_json(&check->cases[i]));
    json_t *root = json_pack(
        "{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "schema_version", SMP_SCHEMA_VERSION, "files",
        (json_int_t)check->file_count, "accesses", (json_int_t)check->accesses, "violated",
        (json_int_t)check->violated, "errors", (json_int_t)check->broken, "not_judged",
        (json_int_t)check->skipped, "known", (json_int_t)check->known, "cases", cases);
    json_put(out, root, JSON_ENSURE_ASCII);
}
