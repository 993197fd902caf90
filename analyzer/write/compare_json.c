/* SPDX-License-Identifier: MIT */
/* A comparison as JSON and CSV. Fields that were not measured are null or empty. */
#include <inttypes.h>
#include <jansson.h>

#include "json_text.h"
#include "put.h"
#include "write_format.h"

static void set_integer(json_t *object, const char *name, uint64_t value) {
    json_set(object, name, json_integer((json_int_t)value));
}

static void set_time(json_t *object, const char *name, double value) {
    json_set(object, name, value > 0 ? json_real(value) : json_null());
}

static json_t *traffic_json(const smp_traffic *traffic) {
    json_t *object = json_object();
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++)
        set_integer(object, smp_traffic_rows()[i].name, traffic->count[i]);
    return object;
}

static json_t *site_json(const smp_site *site) {
    json_t *object = json_pack("{s:s, s:s, s:i, s:I}", "name", site->name, "op",
                               smp_ops(NULL)[site->op].name, "width_bytes", (int)site->width_bytes,
                               "requests", (json_int_t)site->sum.requests);
    if (smp_ops(NULL)[site->op].space == SMP_SPACE_SHARED) {
        set_integer(object, "ways", site->sum.ways);
        set_integer(object, "wavefronts", site->sum.wavefronts_max);
        set_integer(object, "ideal", site->sum.ideal);
        set_integer(object, "excess", site->sum.excess);
    } else {
        set_integer(object, "sectors", site->sum.transactions);
        set_integer(object, "ideal_sectors", site->sum.ideal_sectors);
    }
    return object;
}

static json_t *forecast_json(const smp_forecast *forecast) {
    json_t *object = traffic_json(&forecast->traffic), *sites = json_array();
    for (size_t i = 0; i < forecast->site_count; i++)
        json_push(sites, site_json(&forecast->sites[i]));
    set_integer(object, "ideal", forecast->shared.ideal);
    set_integer(object, "excess", forecast->shared.excess);
    set_integer(object, "ideal_sectors", forecast->global.ideal_sectors);
    set_integer(object, "ways", forecast->shared.ways);
    json_set(object, "not_modelled",
             forecast->status == SMP_OK ? json_null() : json_string(forecast->why));
    json_set(object, "sites", sites);
    return object;
}

static json_t *result_json(const comparison *c, const compare_row *row) {
    const smp_kernel_result *m = &row->measured;
    if (row->origin == SMP_NOT_MEASURED)
        return json_null();
    json_t *object = m->is_counted ? traffic_json(&m->counted) : json_object();
    json_set(object, "source", json_string(row->origin == SMP_LIVE ? "live" : "recorded"));
    json_set(object, "provenance", json_text_of(c->provenance));
    json_set(object, "counted", json_boolean(m->is_counted));
    json_set(object, "agrees", m->is_counted ? json_boolean(compare_is_exact(row)) : json_null());
    set_time(object, "time_us", m->time_us);
    json_set(object, "time_spread_us", json_real(m->time_spread_us));
    set_time(object, "copy_us", m->copy_us);
    set_time(object, "baseline_us", m->baseline_us);
    set_time(object, "copies_us", m->copies_us);
    set_time(object, "gb_per_s", compare_gb_per_s(c, row));
    set_time(object, "share", m->time_us > 0 ? m->baseline_us / m->time_us : 0);
    const smp_gain gain = compare_gain(c, row);
    json_set(object, "gain_us", gain.stage_us > 0 ? json_real(gain.most_us) : json_null());
    json_set(object, "gain_about_us", gain.stage_us > 0 ? json_real(gain.about_us) : json_null());
    set_integer(object, "runs", m->runs);
    if (m->residency.blocks > 0) {
        set_integer(object, "blocks_per_sm", (uint64_t)m->residency.blocks);
        set_integer(object, "registers", (uint64_t)m->residency.registers);
    }
    return object;
}

static json_t *row_json(const comparison *c, const compare_row *row) {
    const smp_kernel_shape shape = smp_kernel_shape_of(row->variant, &c->problem);
    json_t *object = json_pack(
        "{s:i, s:s, s:s, s:s, s:I, s:I, s:i, s:s, s:s}", "schema_version", SMP_SCHEMA_VERSION,
        "family", c->family->name, "variant", row->variant->name, "type",
        smp_element_info(c->problem.element)->name, "rows", (json_int_t)c->problem.rows, "columns",
        (json_int_t)c->problem.columns, "cluster", (int)c->problem.cluster, "arch", c->arch->name,
        "baseline", c->family->baseline_name);
    set_integer(object, "blocks", shape.blocks);
    set_integer(object, "threads_per_block", shape.threads);
    set_integer(object, "shared_bytes_per_block", shape.shared_bytes);
    set_integer(object, "blocks_per_sm", compare_predicted_blocks(c, row));
    json_set(object, "predicted", forecast_json(&row->forecast));
    json_set(object, "measured", result_json(c, row));
    json_set(object, "not_measured",
             row->origin == SMP_NOT_MEASURED ? json_string(row->why) : json_null());
    return object;
}

void smp_compare_json(FILE *out, const comparison *cases, size_t count) {
    json_t *rows = json_array();
    for (const comparison *c = cases; c < cases + count; c++)
        for (size_t i = 0; i < c->count; i++)
            json_push(rows, row_json(c, &c->rows[i]));
    json_put(out, rows, JSON_REAL_PRECISION(6));
}

/* ---- CSV ---- */

static void put_header(FILE *out) {
    fputs("family,variant,rows,columns,ways,predicted_wavefronts_ld,predicted_wavefronts_st,ideal,"
          "predicted_sectors_ld,predicted_sectors_st,ideal_sectors,measured_source,"
          "measured_wavefronts_ld,measured_wavefronts_st,measured_sectors_ld,measured_sectors_st,"
          "time_us,time_spread_us,copy_us,gb_per_s,runs,type,cluster,excess,baseline_us,share,"
          "copies_us",
          out);
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++) {
        const smp_traffic_row *row = &smp_traffic_rows()[i];
        fprintf(out, ",%s,counted_%s", row->name, row->name);
    }
    fputs(",gain_us,gain_about_us\n", out);
}

static void put_csv_row(FILE *out, const comparison *c, const compare_row *row) {
    static const char *const origins[] = {
        [SMP_NOT_MEASURED] = "", [SMP_LIVE] = "live", [SMP_RECORDED] = "recorded"};
    const smp_forecast *f = &row->forecast;
    const smp_kernel_result *m = &row->measured;
    const uint64_t *p = f->traffic.count, *n = m->counted.count;
    fprintf(out,
            "%s,%s,%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu64 ",%" PRIu64 ",%s",
            c->family->name, row->variant->name, c->problem.rows, c->problem.columns,
            f->shared.ways, p[SMP_WAVEFRONTS_LD], p[SMP_WAVEFRONTS_ST], f->shared.ideal,
            p[SMP_SECTORS_LD], p[SMP_SECTORS_ST], f->global.ideal_sectors, origins[row->origin]);
    put_csv_count(out, m->is_counted, n[SMP_WAVEFRONTS_LD]);
    put_csv_count(out, m->is_counted, n[SMP_WAVEFRONTS_ST]);
    put_csv_count(out, m->is_counted, n[SMP_SECTORS_LD]);
    put_csv_count(out, m->is_counted, n[SMP_SECTORS_ST]);
    put_csv_real(out, m->is_timed, m->time_us);
    put_csv_real(out, m->is_timed, m->time_spread_us);
    put_csv_real(out, m->copy_us > 0, m->copy_us);
    put_csv_real(out, m->is_timed, compare_gb_per_s(c, row));
    put_csv_count(out, m->is_timed, m->runs);
    fprintf(out, ",%s,%u,%" PRIu64, smp_element_info(c->problem.element)->name, c->problem.cluster,
            f->shared.excess);
    put_csv_real(out, m->baseline_us > 0, m->baseline_us);
    put_csv_real(out, m->baseline_us > 0, m->time_us > 0 ? m->baseline_us / m->time_us : 0);
    put_csv_real(out, m->copies_us > 0, m->copies_us);
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++) {
        put_csv_count(out, true, p[i]);
        put_csv_count(out, m->is_counted, n[i]);
    }
    const smp_gain gain = compare_gain(c, row);
    put_csv_real(out, gain.stage_us > 0, gain.most_us);
    put_csv_real(out, gain.stage_us > 0, gain.about_us);
    fputc('\n', out);
}

void smp_compare_csv(FILE *out, const comparison *cases, size_t count) {
    put_header(out);
    for (const comparison *c = cases; c < cases + count; c++)
        for (size_t i = 0; i < c->count; i++)
            put_csv_row(out, c, &c->rows[i]);
}
