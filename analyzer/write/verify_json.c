/* SPDX-License-Identifier: MIT */
/*
 * verify_json.c: the same as one object, and its rows as CSV.
 */
#include <inttypes.h>
#include <jansson.h>

#include "json_text.h"
#include "smp_accesses.h"
#include "smp_prediction.h"
#include "write_format.h"

static bool is_assumed(const smp_arch *arch, smp_op op, uint32_t width_bytes) {
    return smp_op_evidence(arch, op, width_bytes) == SMP_ASSUMED;
}

static json_t *mismatch_json(const smp_verify_shown *c) {
    const smp_verify_result *result = c->result;
    char smallest[SMP_BATCH_TEXT_MAX], found[SMP_BATCH_TEXT_MAX];
    if (!result->differs)
        return json_null();
    (void)smp_batch_format(&result->smallest, smallest);
    (void)smp_batch_format(&result->found, found);
    return json_pack("{s:s, s:s, s:b, s:I, s:I, s:s}", "smallest", smallest, "found", found,
                     "only_in_group", (int)result->only_in_group, "predicted",
                     (json_int_t)result->predicted, "measured", (json_int_t)result->measured,
                     "counter",
                     c->by_clocks ? "clocks" : smp_counter_of(result->smallest.op)->metric);
}

void smp_verify_json(FILE *out, const smp_verify_shown *c, smp_style style) {
    (void)style;
    json_t *rows = json_array();
    for (size_t i = 0; i < c->job->row_count; i++) {
        const smp_verify_row *row = &c->job->rows[i];
        json_push(rows, json_pack("{s:s, s:i, s:I, s:b}", "op", smp_ops(NULL)[row->op].name,
                                  "width_bytes", (int)row->width_bytes, "accesses",
                                  (json_int_t)row->accesses, "assumed",
                                  (int)is_assumed(c->arch, row->op, row->width_bytes)));
    }
    json_t *root = json_pack(
        "{s:i, s:{s:s, s:s, s:s}, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:b, s:o, s:o}",
        "schema_version", SMP_SCHEMA_VERSION, "device", "name", c->device->name, "driver",
        c->device->driver, "cuda", c->device->cuda, "arch", c->arch->name, "witness",
        c->by_clocks ? "clocks" : "counters", "seed", (json_int_t)c->job->seed, "accesses",
        (json_int_t)c->result->accesses, "groups", (json_int_t)c->result->groups, "unconfirmed",
        (json_int_t)c->result->unconfirmed, "seconds", c->result->seconds, "interrupted",
        (int)c->interrupted, "rows", rows, "mismatch", mismatch_json(c));
    json_put(out, root, JSON_REAL_PRECISION(6));
}

void smp_verify_csv(FILE *out, const smp_verify_shown *c, smp_style style) {
    const smp_verify_job *job = c->job;
    (void)style;
    fputs("op,width_bytes,accesses\n", out);
    for (size_t i = 0; i < job->row_count; i++)
        fprintf(out, "%s,%u,%" PRIu64 "\n", smp_ops(NULL)[job->rows[i].op].name,
                (unsigned)job->rows[i].width_bytes, job->rows[i].accesses);
}
