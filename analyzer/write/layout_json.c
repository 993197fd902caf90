/* SPDX-License-Identifier: MIT */
/*
 * The report of a layout as JSON: arch, block, and an object for each access with its totals and
 * its worst request.
 */
#include <stdio.h>

#include "json_text.h"
#include "write_format.h"
#include "write_prediction.h"

static json_t *worst_json(const smp_layout_prediction *report, const smp_totals *totals) {
    json_t *worst = json_object(), *loops = json_object();
    const smp_request_place *place = &totals->worst_place;
    for (unsigned i = 0; i < SMP_LAYOUT_LOOPS_MAX; i++) {
        size_t length;
        if (!(place->loops >> i & 1))
            continue;
        const char *name = smp_layout_loop_name(report->layout, i, &length);
        json_t *key = json_stringn(name, length); /* jansson 2.13 takes whole strings only */
        json_set(loops, json_string_value(key), json_integer(place->values[i]));
        json_decref(key);
    }
    json_set(worst, "warp", json_integer(place->warp));
    json_set(worst, "part", json_integer(place->part));
    json_set(worst, "loops", loops);
    json_set(worst, "offsets", smp_offsets_json(&totals->worst));
    return worst;
}

static json_t *spread_json(const smp_totals *totals) {
    const smp_request_spread *spread = &totals->spread;
    double mean, deviation;
    if (!smp_layout_spread(totals, &mean, &deviation))
        return json_null();
    const char *unit = totals->valid & SMP_HAS_WAVEFRONTS ? "wavefronts" : "transactions";
    return json_pack("{s:s, s:f, s:f, s:i, s:i, s:i}", "unit", unit, "mean", mean, "deviation",
                     deviation, "least", (int)spread->least, "most", (int)spread->most, "draws",
                     (int)spread->draws);
}

static json_t *access_json(const smp_layout_prediction *report, size_t index) {
    const smp_totals *t = &report->totals[index];
    smp_layout_access access;
    smp_prediction worst;
    smp_layout_access_at(report->layout, index, &access);
    bool waves = t->valid & SMP_HAS_WAVEFRONTS, moved = t->valid & SMP_HAS_TRANSACTIONS;
    json_t *range = json_object(), *out = json_object();
    json_set(range, "min", json_count(waves, t->wavefronts_min));
    json_set(range, "max", json_count(waves, t->wavefronts_max));
    json_set(out, "line", json_integer(access.line));
    json_set(out, "text", json_stringn(access.text, access.length));
    json_set(out, "op", json_string(smp_ops(NULL)[access.op].name));
    json_set(out, "width_bytes", json_integer(access.width_bytes));
    json_set(out, "instructions", json_integer(access.parts));
    json_set(out, "requests", json_integer((json_int_t)t->requests));
    json_set(out, "wavefronts", range);
    json_set(out, "ideal", json_count(waves, t->ideal));
    json_set(out, "excess", json_count(waves, t->excess));
    json_set(out, "ways", json_count(waves, t->ways));
    json_set(out, "transactions", json_count(moved, t->transactions));
    json_set(out, "bytes", json_count(moved, t->bytes));
    json_set(out, "spread", spread_json(t));
    json_set(out, "active_warps", json_integer(t->active_warps));
    json_set(out, "warps_alike", json_boolean(t->warps_alike));
    json_set(out, "worst", worst_json(report, t));
    smp_layout_prediction_worst(report, index, &worst);
    json_set(out, "measured", smp_measured_json(&worst));
    json_set(out, "status", json_string(smp_status_message(t->status)));
    json_set(out, "evidence", json_string(smp_evidence_name(t->evidence)));
    json_set(out, "note", t->note ? json_string(t->note) : json_null());
    return out;
}

static json_t *report_json(const smp_layout_prediction *report) {
    uint32_t block[3];
    smp_layout_block(report->layout, block);
    json_t *accesses = json_array(), *out = json_object();
    for (size_t i = 0; i < report->count; i++)
        json_push(accesses, access_json(report, i));
    json_set(out, "schema_version", json_integer(SMP_SCHEMA_VERSION));
    json_set(out, "arch", smp_arch_json(&report->arch));
    json_set(out, "block", json_pack("[i, i, i]", (int)block[0], (int)block[1], (int)block[2]));
    json_set(out, "shared_bytes",
             json_integer((json_int_t)smp_layout_shared_bytes(report->layout)));
    json_set(out, "accesses", accesses);
    return out;
}

void smp_layout_json(FILE *out, const smp_layout_prediction *reports, size_t count,
                     const smp_layout_show *show) {
    (void)show;
    json_t *root = count == 1 ? report_json(&reports[0]) : json_array();
    for (size_t i = 0; i < count && count > 1; i++)
        json_push(root, report_json(&reports[i]));
    json_put(out, root, JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
}
