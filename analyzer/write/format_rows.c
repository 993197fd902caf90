/* SPDX-License-Identifier: MIT */
/*
 * The table of documents and formats. To add a format, write its file, declare its functions and
 * add a row here, its name in base/format.h, and behind the documents in write_format.h.
 */
#include "write_format.h"

static const smp_format_row rows[SMP_FORMAT_COUNT] = {
    [SMP_FORMAT_TEXT] = {.name = "text",
                         .report = smp_report_text_any,
                         .layout = smp_layout_text_any,
                         .comparison = compare_put_text_all,
                         .table = smp_table_text,
                         .explained = ncu_explain_text,
                         .fix = fix_text,
                         .check = smp_check_text,
                         .profile = smp_profile_text,
                         .measured = smp_sweep_text,
                         .verified = smp_verify_text,
                         .examined = smp_doctor_text},
    [SMP_FORMAT_JSON] = {.name = "json",
                         .report = smp_report_json_any,
                         .layout = smp_layout_json_any,
                         .comparison = compare_put_json,
                         .table = smp_table_json,
                         .explained = ncu_explain_json,
                         .fix = fix_json,
                         .check = smp_check_json,
                         .profile = smp_profile_json,
                         .measured = smp_sweep_json,
                         .verified = smp_verify_json,
                         .examined = smp_doctor_json},
    [SMP_FORMAT_CSV] = {.name = "csv",
                        .report = smp_report_csv_any,
                        .layout = smp_layout_csv_any,
                        .comparison = compare_put_csv,
                        .table = smp_table_csv,
                        .explained = ncu_explain_csv,
                        .fix = fix_csv,
                        .profile = smp_profile_csv,
                        .measured = smp_sweep_csv,
                        .verified = smp_verify_csv,
                        .batch = &smp_batch_csv},
    [SMP_FORMAT_MD] = {.name = "md",
                       .report = smp_report_md,
                       .layout = smp_layout_md,
                       .comparison = compare_put_md,
                       .table = smp_table_md},
    [SMP_FORMAT_HTML] = {.name = "html", .profile = smp_profile_html},
    [SMP_FORMAT_JSONL] = {.name = "jsonl", .batch = &smp_batch_jsonl},
    [SMP_FORMAT_GITHUB] = {.name = "github",
                           .check = smp_check_github,
                           .profile = smp_profile_github},
    [SMP_FORMAT_JUNIT] = {.name = "junit", .check = smp_check_junit, .profile = smp_profile_junit},
    [SMP_FORMAT_SARIF] = {.name = "sarif", .check = smp_check_sarif, .profile = smp_profile_sarif},
    [SMP_FORMAT_GITLAB] = {.name = "gitlab",
                           .check = smp_check_gitlab,
                           .profile = smp_profile_gitlab},
    [SMP_FORMAT_GCC] = {.name = "gcc", .check = smp_check_gcc, .profile = smp_profile_gcc},
    [SMP_FORMAT_SMP] = {.name = "smp", .code = smp_fix_write_layout},
    [SMP_FORMAT_CUDA] = {.name = "cuda", .code = smp_fix_write_cuda},
    [SMP_FORMAT_CUTE] = {.name = "cute", .code = smp_fix_write_cute},
};

const smp_format_row *smp_format_row_of(smp_format format) {
    return &rows[format];
}
