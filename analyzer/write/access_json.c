/* SPDX-License-Identifier: MIT */
/*
 * Accesses as JSON, single or from a source text. The names, order and types of the fields are
 * promises (SMP_SCHEMA_VERSION).
 */
#include <jansson.h>
#include <string.h>

#include "json_text.h"
#include "write_format.h"

static json_t *range_json(bool known, uint32_t low, uint32_t high) {
    return known ? json_pack("{s:i, s:i}", "min", (int)low, "max", (int)high) : json_null();
}

static json_t *mask_json(uint32_t mask) {
    char text[16];
    (void)snprintf(text, sizeof text, "%08x", mask);
    return json_string(text);
}

static json_t *arch_json(const smp_arch *arch) {
    char cc[8];
    (void)snprintf(cc, sizeof cc, "%u.%u", arch->cc_major, arch->cc_minor);
    return json_pack("{s:s, s:s, s:i, s:i, s:s}", "name", arch->name, "cc", cc, "banks",
                     (int)arch->banks, "bank_bytes", (int)arch->bank_bytes, "evidence",
                     smp_evidence_name(arch->evidence));
}

static json_t *lanes_of_mask(uint32_t mask) {
    json_t *lanes = json_array();
    for (int lane = 0; lane < SMP_LANES; lane++)
        if (mask >> lane & 1)
            json_push(lanes, json_integer(lane));
    return lanes;
}

static json_t *groups_json(const smp_counts *counts) {
    json_t *groups = json_array();
    for (unsigned i = 0; i < counts->group_count; i++) {
        const smp_group *group = &counts->groups[i];
        json_push(groups,
                  json_pack("{s:o, s:i, s:o}", "lanes", lanes_of_mask(group->lanes), "ways",
                            (int)group->ways, "wavefronts",
                            range_json(true, group->wavefronts_min, group->wavefronts_max)));
    }
    return groups;
}

json_t *smp_offsets_json(const smp_access *access) {
    bool is_global = smp_ops(NULL)[access->op].space == SMP_SPACE_GLOBAL;
    json_t *offsets = json_array();
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint64_t value = is_global ? access->address_bytes[lane] : access->offset_bytes[lane];
        bool active = access->active_mask >> lane & 1;
        json_push(offsets, json_count(active, value));
    }
    return offsets;
}

static json_t *lanes_json(const smp_prediction *report) {
    smp_lane lanes[SMP_LANES];
    json_t *array = json_array();
    if (smp_lanes(&report->arch, &report->access, lanes) != SMP_OK)
        return array;
    uint32_t active = smp_access_lanes(&report->access);
    for (int lane = 0; lane < SMP_LANES; lane++) {
        if ((active >> lane & 1) == 0)
            continue;
        json_push(array,
                  json_pack("{s:i, s:I, s:i, s:I, s:i}", "lane", lane, "offset",
                            (json_int_t)lanes[lane].offset_bytes, "bank", (int)lanes[lane].bank,
                            "row", (json_int_t)lanes[lane].row, "group", (int)lanes[lane].group));
    }
    return array;
}

static json_t *measured_json(const smp_prediction *report) {
    static const char *const origin[] = {"none", "live", "recorded"};
    const smp_measured *m = &report->measured;
    if (m->origin == SMP_NOT_MEASURED)
        return json_null();
    bool waves = smp_op_counts_wavefronts(report->access.op);
    bool by_clocks = strcmp(m->counter, "clocks") == 0;
    bool is_exact = !m->is_at_most && m->count != SMP_NOT_COUNTED;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o}", "source", origin[m->origin], "device",
        json_text_of(m->device), "driver", json_text_of(m->driver), "cuda", json_text_of(m->cuda),
        "counter", json_text_of(m->counter), waves ? "wavefronts" : "transactions",
        json_count(is_exact, m->count), "date", json_text_of(m->date), "witness",
        by_clocks ? "clocks" : "counters", "at_most", json_count(m->is_at_most, m->count), "cycles",
        m->has_cycles ? json_real(m->cycles) : json_null());
}

static json_t *l1_json(const smp_l1_counts *l1) {
    return json_pack("{s:i, s:i, s:i}", "tag_wavefronts", (int)l1->tag_wavefronts, "hit_wavefronts",
                     (int)l1->hit_wavefronts, "miss_wavefronts", (int)l1->miss_wavefronts);
}

static json_t *report_json(const smp_prediction *report) {
    const smp_counts *c = &report->counts;
    bool waves = c->valid & SMP_HAS_WAVEFRONTS, moved = c->valid & SMP_HAS_TRANSACTIONS;
    char pattern[SMP_BATCH_TEXT_MAX + 16];
    (void)smp_prediction_pattern(report, pattern, sizeof pattern);
    json_t *root = json_object();
    json_set(root, "schema_version", json_integer(SMP_SCHEMA_VERSION));
    json_set(root, "arch", arch_json(&report->arch));
    json_set(root, "op", json_string(smp_ops(NULL)[report->access.op].name));
    json_set(root, "width_bytes", json_integer(report->access.width_bytes));
    json_set(root, "active_mask", mask_json(report->access.active_mask));
    json_set(root, "offsets", smp_offsets_json(&report->access));
    json_set(root, "groups", groups_json(c));
    json_set(root, "wavefronts", range_json(waves, c->wavefronts_min, c->wavefronts_max));
    json_set(root, "ideal", json_count(waves, c->ideal));
    json_set(root, "excess", json_count(waves, c->excess));
    json_set(root, "ways", json_count(waves, c->ways));
    json_set(root, "lanes", lanes_json(report));
    json_set(root, "measured", measured_json(report));
    json_set(root, "pattern", json_string(pattern));
    json_set(root, "transactions", json_count(moved, c->transactions));
    json_set(root, "bytes", json_count(moved, c->bytes));
    if (report->has_l1)
        json_set(root, "l1", l1_json(&report->l1));
    json_set(root, "status", json_string(smp_status_message(report->status)));
    json_set(root, "evidence", json_string(smp_evidence_name(c->evidence)));
    json_set(root, "note", c->note ? json_string(c->note) : json_null());
    return root;
}

void smp_prediction_json_array(FILE *out, const smp_prediction *reports, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_push(array, report_json(&reports[i]));
    json_put(out, array, JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
}

void smp_prediction_json(FILE *out, const smp_prediction *reports, size_t count, smp_style style) {
    (void)style;
    if (count == 1)
        json_put(out, report_json(reports), JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
    else
        smp_prediction_json_array(out, reports, count);
}

/* ---- Source text ---- */

static json_t *worst_json(const smp_layout_prediction *report, const smp_totals *totals) {
    json_t *loops = json_object();
    const smp_request_place *place = &totals->worst_place;
    for (unsigned i = 0; i < SMP_LAYOUT_LOOPS_MAX; i++) {
        size_t length;
        if (!(place->loops >> i & 1))
            continue;
        const char *name = smp_layout_loop_name(report->layout, i, &length);
        json_t *key = json_stringn(name, length); /* jansson 2.13 takes terminated keys only */
        json_set(loops, json_string_value(key), json_integer(place->values[i]));
        json_decref(key);
    }
    return json_pack("{s:I, s:I, s:o, s:o}", "warp", (json_int_t)place->warp, "part",
                     (json_int_t)place->part, "loops", loops, "offsets",
                     smp_offsets_json(&totals->worst));
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
    json_set(out, "measured", measured_json(&worst));
    json_set(out, "status", json_string(smp_status_message(t->status)));
    json_set(out, "evidence", json_string(smp_evidence_name(t->evidence)));
    json_set(out, "note", t->note ? json_string(t->note) : json_null());
    return out;
}

static json_t *layout_json(const smp_layout_prediction *report) {
    uint32_t block[3];
    smp_layout_block(report->layout, block);
    json_t *accesses = json_array();
    for (size_t i = 0; i < report->count; i++)
        json_push(accesses, access_json(report, i));
    return json_pack("{s:i, s:o, s:[i, i, i], s:I, s:o}", "schema_version", SMP_SCHEMA_VERSION,
                     "arch", arch_json(&report->arch), "block", (int)block[0], (int)block[1],
                     (int)block[2], "shared_bytes",
                     (json_int_t)smp_layout_shared_bytes(report->layout), "accesses", accesses);
}

void smp_layout_json(FILE *out, const smp_layout_prediction *reports, size_t count,
                     const smp_layout_show *show) {
    (void)show;
    json_t *root = count == 1 ? layout_json(&reports[0]) : json_array();
    for (size_t i = 0; i < count && count > 1; i++)
        json_push(root, layout_json(&reports[i]));
    json_put(out, root, JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
}
