/* SPDX-License-Identifier: MIT */
/* The formats listed for a document are those that can be written, and no message names another. */
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
    {"prediction", SMP_FORMATS(SMP_PREDICTION_FORMS), SLOT(prediction)},
    {"layout", SMP_FORMATS(SMP_LAYOUT_FORMS), SLOT(layout)},
    {"compare", SMP_FORMATS(SMP_COMPARE_FORMS), SLOT(compare)},
    {"table", SMP_FORMATS(SMP_TABLE_FORMS), SLOT(table)},
    {"explain", SMP_FORMATS(SMP_EXPLAIN_FORMS), SLOT(explain)},
    {"fix", SMP_FORMATS(SMP_FIX_FORMS), SLOT(fix)},
    {"check", SMP_FORMATS(SMP_CHECK_FORMS), SLOT(check)},
    {"annotate", SMP_FORMATS(SMP_ANNOTATE_FORMS), SLOT(annotate)},
    {"profile", SMP_FORMATS(SMP_PROFILE_FORMS), SLOT(profile)},
    {"against", SMP_FORMATS(SMP_AGAINST_FORMS), SLOT(against)},
    {"code", SMP_CODE_FORMATS, SLOT(code)},
    {"sweep", SMP_FORMATS(SMP_SWEEP_FORMS), SLOT(sweep)},
    {"verify", SMP_FORMATS(SMP_VERIFY_FORMS), SLOT(verify)},
    {"doctor", SMP_FORMATS(SMP_DOCTOR_FORMS), SLOT(doctor)},
    {"batch", "csv jsonl", SLOT(batch)},
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
    return SUITE("formats", TEST_EACH(formats_are_those_with_a_writer, COUNT_OF(documents)),
                 TEST(formats_are_found_among_those_known));
}
