/* SPDX-License-Identifier: MIT */
#include "front_trace.h"

#include <stdio.h>
#include <string.h>

#include "smp_layout.h"
#include "suite.h"

typedef struct words {
    const smp_layout *layout;
    char text[SMP_LANES][512];
} words;

static smp_status show(void *user, size_t index, uint32_t mask,
                       const int64_t offset_bytes[SMP_LANES]) {
    words *out = user;
    smp_layout_access access;
    smp_layout_access_at(out->layout, index, &access);
    bool loads = access.op == SMP_LD_SHARED || access.op == SMP_LD_GLOBAL;
    bool stores = access.op == SMP_ST_SHARED || access.op == SMP_ST_GLOBAL;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        size_t length = strlen(out->text[l]);
        if (mask >> l & 1)
            (void)snprintf(out->text[l] + length, sizeof out->text[l] - length, "%s%c%lld",
                           length > 0 ? " " : "",
                           loads    ? 'L'
                           : stores ? 'S'
                                    : 'A',
                           (long long)offset_bytes[l]);
    }
    return SMP_OK;
}

/* The accesses of the first warp, one after the other. */
static smp_status run(const char *text, words *out, unsigned *line, smp_error *error) {
    memset(out, 0, sizeof *out);
    smp_layout *layout = smp_layout_new();
    ck_assert_ptr_nonnull(layout);
    out->layout = layout;
    smp_status status = smp_layout_add_lines(layout, text, strlen(text), line, error);
    if (status == SMP_OK)
        status = smp_layout_trace(layout, 0, show, out, line, error);
    for (size_t i = 0; i < smp_layout_access_count(layout) && status == SMP_OK; i++) {
        smp_totals totals;
        status = smp_layout_evaluate(layout, smp_arch_find("sm_90"), i, &totals, line, error);
    }
    smp_layout_free(layout);
    return status;
}

void front_check_trace(const trace_row *row) {
    static words out;
    smp_error error = {.message = ""};
    unsigned line = 0;
    smp_status status = run(row->text, &out, &line, &error);
    ck_assert_msg(status == SMP_OK, "%s: %u:%d: %s", row->name, line, error.position,
                  error.message);
    ck_assert_msg(strcmp(out.text[1], row->lane1) == 0, "%s: lane 1: '%s', not '%s'", row->name,
                  out.text[1], row->lane1);
    ck_assert_msg(strcmp(out.text[31], row->lane31) == 0, "%s: lane 31: '%s', not '%s'", row->name,
                  out.text[31], row->lane31);
}

void front_check_refused(const refused_row *row) {
    static words out;
    smp_error error = {.message = "", .position = -1};
    unsigned line = 0;
    smp_status status = run(row->text, &out, &line, &error);
    ck_assert_msg(status != SMP_OK, "%s is accepted", row->name);
    ck_assert_msg(strstr(error.message, row->says), "%s: %s", row->name, error.message);
    ck_assert_msg(line == row->line && (row->position < 0 || error.position == row->position),
                  "%s: %u:%d, not %u:%d: %s", row->name, line, error.position, row->line,
                  row->position, error.message);
}
