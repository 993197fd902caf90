/* SPDX-License-Identifier: MIT */
/*
 * What `check` found, as remarks on the lines of the layout files.
 */
#include <string.h>

#include "remark.h"
#include "text_buffer.h"
#include "write_format.h"

static void add_case(smp_remarks *to, const smp_case *found) {
    const bool is_violated = found->verdict == SMP_VIOLATED;
    const smp_remark_level unjudged = /* GitHub shows notices less than these deserve */
        to->form == SMP_REMARK_GITHUB ? SMP_REMARK_WARNING : SMP_REMARK_NOTE;
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

static void put_remarks(FILE *out, const smp_check *check, smp_remark_form form) {
    smp_remarks to = smp_remarks_begin(out, form);
    for (size_t i = 0; i < check->count; i++) {
        if (!smp_case_is_quiet(&check->cases[i]))
            add_case(&to, &check->cases[i]);
    }
    smp_remarks_end(&to);
}

#define CHECK_REMARKS(name, id)                                                 \
    void smp_check_##name(FILE *out, const smp_check *check, smp_style style) { \
        (void)style;                                                            \
        put_remarks(out, check, SMP_REMARK_##id);                               \
    }
SMP_REMARK_FORMS(CHECK_REMARKS)
