/* SPDX-License-Identifier: MIT */
/*
 * The table of documents and formats. To add a format, write its file, declare its functions and
 * add a row here, its name in base/format.h, and behind the documents in write_format.h.
 */
#include "write_format.h"

static const smp_format_row rows[SMP_FORMAT_COUNT] = {
    [SMP_FORMAT_TEXT] = {"text", smp_report_text_any, smp_layout_text_any, compare_put_text_all,
                         smp_table_text, ncu_explain_text, fix_text, smp_check_text,
                         smp_profile_text},
    [SMP_FORMAT_JSON] = {"json", smp_report_json_any, smp_layout_json_any, compare_put_json,
                         smp_table_json, ncu_explain_json, fix_json, smp_check_json,
                         smp_profile_json},
    [SMP_FORMAT_CSV] = {"csv", smp_report_csv_any, smp_layout_csv_any, compare_put_csv,
                        smp_table_csv, ncu_explain_csv, fix_csv, NULL, smp_profile_csv},
    [SMP_FORMAT_MD] = {"md", smp_report_md, smp_layout_md, compare_put_md, smp_table_md, NULL},
    [SMP_FORMAT_HTML] = {"html", .profile = smp_profile_html},
    [SMP_FORMAT_GITHUB] = {"github", .check = smp_check_github},
    [SMP_FORMAT_SARIF] = {"sarif", .check = smp_check_sarif, .profile = smp_profile_sarif},
    [SMP_FORMAT_GITLAB] = {"gitlab", .check = smp_check_gitlab, .profile = smp_profile_gitlab},
    [SMP_FORMAT_JUNIT] = {"junit", .check = smp_check_junit},
};

const smp_format_row *smp_format_row_of(smp_format format) {
    return &rows[format];
}
