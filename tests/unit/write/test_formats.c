/* SPDX-License-Identifier: MIT */
/*
 * test_formats.c: the formats that a document is said to have are those that can be written, and no
 * message names another.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "write_format.h"

typedef struct document {
    const char *name, *formats;
    size_t slot;
} document;

#define SLOT(member) offsetof(smp_format_row, member)

static const document documents[] = {
    {"report", SMP_REPORT_FORMATS, SLOT(report)},
    {"layout", SMP_REPORT_FORMATS, SLOT(layout)},
    {"comparison", SMP_COMPARE_FORMATS, SLOT(comparison)},
    {"table", SMP_TABLE_FORMATS, SLOT(table)},
    {"explained", SMP_EXPLAIN_FORMATS, SLOT(explained)},
    {"fix", SMP_FIX_FORMATS, SLOT(fix)},
    {"check", SMP_CHECK_FORMATS, SLOT(check)},
    {"annotated", SMP_ANNOTATE_FORMATS, SLOT(annotated)},
    {"profile", SMP_PROFILE_FORMATS, SLOT(profile)},
    {"against", SMP_AGAINST_FORMATS, SLOT(against)},
    {"kept", SMP_KEPT_FORMATS, SLOT(kept)},
    {"code", SMP_CODE_FORMATS, SLOT(code)},
    {"measured", SMP_SWEEP_FORMATS, SLOT(measured)},
    {"verified", SMP_VERIFY_FORMATS, SLOT(verified)},
    {"examined", SMP_DOCTOR_FORMATS, SLOT(examined)},
    {"batch", SMP_BATCH_FORMATS, SLOT(batch)},
    {"trace", SMP_TRACE_FORMATS, SLOT(trace)},
};

START_TEST(formats_are_those_with_a_writer) {
    const document *is = &documents[_i];
    char written[128] = "";
    for (smp_format format = 0; format < SMP_FORMAT_COUNT; format++) {
        void (*writer)(void);
        memcpy(&writer, (const char *)smp_format_row_of(format) + is->slot, sizeof writer);
        if (writer)
            snprintf(written + strlen(written), sizeof written - strlen(written), "%s%s",
                     *written ? " " : "", smp_format_name(format));
    }
    ck_assert_msg(strcmp(written, is->formats) == 0, "%s has '%s', written are '%s'", is->name,
                  is->formats, written);
}
END_TEST

START_TEST(rows_have_the_names_of_formats) {
    for (smp_format format = 0; format < SMP_FORMAT_COUNT; format++) {
        const char *name = smp_format_row_of(format)->name;
        ck_assert_msg(!name || strcmp(name, smp_format_name(format)) == 0, "%s", name);
    }
}
END_TEST

START_TEST(formats_are_found_among_those_known) {
    char text[SMP_FORMATS_TEXT_MAX];
    ck_assert_int_eq(smp_format_find("text csv", "csv"), SMP_FORMAT_CSV);
    ck_assert_int_eq(smp_format_find("text csv", "json"), SMP_FORMAT_COUNT);
    ck_assert_int_eq(smp_format_find("text csv", "xt"), SMP_FORMAT_COUNT);
    ck_assert_int_eq(smp_format_find("text csv", ""), SMP_FORMAT_COUNT);
    ck_assert_int_eq(smp_format_find("jsonl", "json"), SMP_FORMAT_COUNT);
    ck_assert_int_eq(smp_format_of_ending("text csv", "txt"), SMP_FORMAT_TEXT);
    ck_assert_int_eq(smp_format_of_ending("text csv", "text"), SMP_FORMAT_COUNT);
    ck_assert_int_eq(smp_format_of_ending("text junit", "xml"), SMP_FORMAT_JUNIT);
    ck_assert_int_eq(smp_format_of_ending("text csv", "xml"), SMP_FORMAT_COUNT);
    ck_assert_int_eq(smp_format_default("csv jsonl"), SMP_FORMAT_CSV);
    ck_assert_str_eq(smp_formats_text("text", " or ", text), "text");
    ck_assert_str_eq(smp_formats_text("text csv", " or ", text), "text or csv");
    ck_assert_str_eq(smp_formats_text("text json csv", " and ", text), "text, json and csv");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("formats");
    TCase *cases = tcase_create("formats");
    tcase_add_loop_test(cases, formats_are_those_with_a_writer, 0,
                        sizeof documents / sizeof documents[0]);
    tcase_add_test(cases, rows_have_the_names_of_formats);
    tcase_add_test(cases, formats_are_found_among_those_known);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
