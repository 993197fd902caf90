/* SPDX-License-Identifier: MIT */
/*
 * The table of documents and formats. To add a format, write its functions, add its name to
 * base/format.h, and list it with its documents in write_format.h.
 */
#include "write_format.h"

#define SLOT(of, id, name) [SMP_FORMAT_##id].of = smp_##of##_##name,

static const smp_format_row rows[SMP_FORMAT_COUNT] = {[SMP_FORMAT_HTML].has_room = true,
                                                      [SMP_FORMAT_GITHUB].has_room = true,
                                                      [SMP_FORMAT_SARIF].has_room = true,
                                                      [SMP_FORMAT_GITLAB].has_room = true,
                                                      [SMP_FORMAT_GCC].has_room = true,
                                                      [SMP_FORMAT_JUNIT].is_verdict = true,
                                                      [SMP_FORMAT_CSV].batch = &smp_batch_csv,
                                                      [SMP_FORMAT_JSONL].batch = &smp_batch_jsonl,
                                                      [SMP_FORMAT_SMP].code = smp_fix_write_layout,
                                                      [SMP_FORMAT_CUDA].code = smp_fix_write_cuda,
                                                      [SMP_FORMAT_CUTE].code = smp_fix_write_cute,
                                                      SMP_DOCUMENT_FORMS(SLOT)};

const smp_format_row *smp_format_row_of(smp_format format) {
    return &rows[format];
}
