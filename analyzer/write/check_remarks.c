/* SPDX-License-Identifier: MIT */
/*
 * What `check` found, as remarks on the lines of the layout files.
 */
#include <string.h>

#include "remark.h"
#include "text_buffer.h"
#include "write_check.h"

static void add_case(json_t *items, smp_remark_form form, const smp_case *found) {
    const bool is_violated = found->verdict == SMP_VIOLATED;
    smp_remark remark = {
        .rule = is_violated                    ? SMP_REMARK_EXPECTATION
                : found->verdict == SMP_BROKEN ? SMP_REMARK_UNREADABLE
                                               : SMP_REMARK_NOT_JUDGED,
        .level = found->verdict == SMP_NOT_JUDGED ? SMP_REMARK_NOTE : SMP_REMARK_ERROR,
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
    smp_remark_add(items, form, &remark);
}

static void put_remarks(FILE *out, const smp_check *check, smp_remark_form form) {
    json_t *items = json_array();
    for (size_t i = 0; i < check->count; i++) {
        if (!smp_case_is_quiet(&check->cases[i]))
            add_case(items, form, &check->cases[i]);
    }
    smp_remarks_put(out, form, items);
}

void smp_check_sarif(FILE *out, const smp_check *check, smp_style style) {
    (void)style;
    put_remarks(out, check, SMP_REMARK_SARIF);
}

void smp_check_gitlab(FILE *out, const smp_check *check, smp_style style) {
    (void)style;
    put_remarks(out, check, SMP_REMARK_GITLAB);
}

void smp_check_gcc(FILE *out, const smp_check *check, smp_style style) {
    (void)style;
    put_remarks(out, check, SMP_REMARK_GCC);
}
