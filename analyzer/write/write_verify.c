/* SPDX-License-Identifier: MIT */
/*
 * Results of verify: as text the rows, the verdict and the access that differs; as JSON; and the
 * rows as CSV.
 */
#include <inttypes.h>
#include <jansson.h>

#include "json_text.h"
#include "put.h"
#include "smp_prediction.h"
#include "write_format.h"

static const char *unit_of(const smp_access *access, uint64_t count) {
    if (smp_op_counts_wavefronts(access->op))
        return count == 1 ? "wavefront" : "wavefronts";
    return count == 1 ? "sector" : "sectors";
}

static bool is_assumed(const smp_arch *arch, smp_op op, uint32_t width_bytes) {
    return smp_op_evidence(arch, op, width_bytes) == SMP_ASSUMED;
}

static void put_rows(FILE *out, const smp_verify_job *job) {
    fprintf(out, "%-24s %5s %12s\n", "operation", "bytes", "accesses");
    EACH(const smp_verify_row, row, job->rows, job->row_count) {
        if (row->accesses == 0)
            continue;
        fprintf(out, "%-24s %5u %12s%s\n", smp_ops(NULL)[row->op].name, (unsigned)row->width_bytes,
                count_text(row->accesses),
                is_assumed(job->arch, row->op, row->width_bytes) ? "  assumed rule" : "");
    }
}

void smp_verify_mismatch_text(FILE *out, const smp_verify_shown *c, smp_style style) {
    const smp_verify_result *result = c->result;
    char line[SMP_BATCH_TEXT_MAX];
    const smp_access *access = &result->smallest;
    const char *bad = style.color ? "\033[1;31m" : "", *plain = style.color ? "\033[0m" : "";
    if (result->only_in_group) {
        fprintf(out,
                "\n%sMISMATCH%s  %d accesses of %s, %u bytes, cost %" PRIu64
                " together, not %" PRIu64 ";\n          each alone costs as predicted\n",
                bad, plain, (int)c->job->group, smp_ops(NULL)[access->op].name,
                (unsigned)access->width_bytes, result->measured, result->predicted);
        return;
    }
    (void)smp_batch_format(access, line);
    fprintf(out,
            "\n%sMISMATCH%s  the smallest access that differs:\n\n%s\n\n"
            "  predicted  %" PRIu64 " %s\n  measured   %" PRIu64 " %s (%s)\n\n",
            bad, plain, line, result->predicted, unit_of(access, result->predicted),
            result->measured, unit_of(access, result->measured),
            c->by_clocks ? "by clocks" : smp_counter_of(access->op)->metric);
    if (is_assumed(c->arch, access->op, access->width_bytes))
        fprintf(out, "The rule is only assumed on %s. ", c->arch->name);
    fputs("Save the line and run 'smemprobe probe FILE' to see it again; please report it.\n", out);
}

static void put_verdict(FILE *out, const smp_verify_shown *c) {
    const smp_verify_result *result = c->result;
    const double rate = (double)result->accesses / result->seconds;
    fprintf(out, "\n%s random accesses in %.1f s (%s a second), seed %" PRIu64 ": %s\n",
            count_text(result->accesses), result->seconds, count_text((uint64_t)rate), c->job->seed,
            result->differs  ? "mismatch"
            : c->interrupted ? "none differs so far"
                             : "none differs");
    if (result->unconfirmed > 0)
        fprintf(out,
                "%" PRIu64 " of %" PRIu64
                " sums read differently once and agreed when measured again\n",
                result->unconfirmed, result->groups);
}

void smp_verify_text(FILE *out, const smp_verify_shown *c, smp_style style) {
    fprintf(out, "%s, driver %s, CUDA %s, against the rules of %s\n", c->device->name,
            c->device->driver, c->device->cuda, c->arch->name);
    fprintf(out, "smemprobe %s, %s, seed %" PRIu64 ", ", SMP_VERSION, c->date, c->job->seed);
    if (c->by_clocks)
        fputs("one by one, by clocks\n\n", out);
    else
        fprintf(out, "sums of %d accesses, by counters\n\n", (int)c->job->group);
    put_rows(out, c->job);
    put_verdict(out, c);
    if (c->result->differs)
        smp_verify_mismatch_text(out, c, style);
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
