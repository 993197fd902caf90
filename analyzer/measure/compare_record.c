/* SPDX-License-Identifier: MIT */
/*
 * Results of kernels as recorded rows. The key is family, variant and case: "transpose padded
 * 4096x4096 float". Fields not measured are omitted.
 */

#include "compare.h"
#include "text_buffer.h"

enum { KEY_MAX = 192, FIELDS_MAX = SMP_TRAFFIC_COUNT + 12 };

typedef struct time_row {
    const char *name;
    size_t offset; /* in smp_kernel_result */
} time_row;

static const time_row times[] = {
    {"time_us", offsetof(smp_kernel_result, time_us)},
    {"time_spread_us", offsetof(smp_kernel_result, time_spread_us)},
    {"copies_us", offsetof(smp_kernel_result, copies_us)},
    {"copy_us", offsetof(smp_kernel_result, copy_us)},
    {"baseline_us", offsetof(smp_kernel_result, baseline_us)},
};

enum { TIMES = sizeof times / sizeof times[0] };

static void row_key(const comparison *c, const compare_row *row, char text[KEY_MAX]) {
    char problem[SMP_CASE_TEXT_MAX];
    (void)snprintf(text, KEY_MAX, "%s %s %s", c->family->name, row->variant->name,
                   smp_kernel_case_format(&c->problem, c->family->is_matrix, problem));
}

static bool find_field(const comparison *c, const char *key, const char *field, double *value,
                       smp_record *record) {
    char cc[16];
    (void)snprintf(cc, sizeof cc, "%u.%u", c->arch->cc_major, c->arch->cc_minor);
    bool found = smp_recorded_find(key, field, cc, record);
    *value = found ? record->value : 0;
    return found;
}

static void find_residency(const comparison *c, const char *key, smp_residency *out) {
    double blocks, registers, threads, shared_bytes;
    smp_record record;
    bool found = find_field(c, key, "blocks", &blocks, &record) &&
                 find_field(c, key, "registers", &registers, &record) &&
                 find_field(c, key, "threads", &threads, &record) &&
                 find_field(c, key, "shared_bytes", &shared_bytes, &record);
    if (found)
        *out =
            (smp_residency){(int)blocks, (int)registers, (uint32_t)threads, (uint32_t)shared_bytes};
}

/* Fills everything except the origin of a row; false if it is not recorded. */
static bool find_result(const comparison *c, compare_row *row, smp_record *record) {
    char key[KEY_MAX];
    smp_record any;
    double value;
    smp_kernel_result *m = &row->measured;
    row_key(c, row, key);
    if (!find_field(c, key, "time_us", &value, record))
        return false;
    for (size_t i = 0; i < TIMES; i++) {
        (void)find_field(c, key, times[i].name, &value, &any);
        *(double *)((char *)m + times[i].offset) = value;
    }
    /* Older recordings, without a baseline, have the copy's time here. */
    if (c->family->baseline && m->baseline_us == m->copy_us)
        m->baseline_us = 0;
    m->is_timed = m->is_counted = true;
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++) {
        m->is_counted &= find_field(c, key, smp_traffic_rows()[i].name, &value, &any);
        m->counted.count[i] = (uint64_t)value;
    }
    (void)find_field(c, key, "runs", &value, &any);
    m->runs = (uint32_t)value;
    find_residency(c, key, &m->residency);
    return true;
}

bool compare_find_recorded(comparison *c, compare_row *row) {
    smp_record record;
    if (!find_result(c, row, &record))
        return false;
    row->origin = SMP_RECORDED;
    (void)snprintf(c->provenance, sizeof c->provenance, "recorded on %s, driver %s, CUDA %s, %s",
                   record.gpu, record.driver, record.cuda, record.date);
    (void)snprintf(c->gpu, sizeof c->gpu, "%s", record.gpu);
    return true;
}

bool compare_take_earlier(const comparison *c, compare_row *row, const smp_device *device,
                          const char *command) {
    smp_record record;
    compare_row earlier = *row;
    if (!find_result(c, &earlier, &record) || !record_is_of(&record, device, command))
        return false;
    *row = earlier;
    row->origin = SMP_LIVE;
    return true;
}

static size_t fill_fields(const compare_row *row, smp_record_field fields[FIELDS_MAX]) {
    const smp_kernel_result *m = &row->measured;
    size_t count = 0;
    for (int i = 0; i < SMP_TRAFFIC_COUNT && m->is_counted; i++)
        fields[count++] =
            (smp_record_field){smp_traffic_rows()[i].name, (double)m->counted.count[i]};
    for (size_t i = 0; i < TIMES; i++) {
        const double value = *(const double *)((const char *)m + times[i].offset);
        if (value > 0)
            fields[count++] = (smp_record_field){times[i].name, value};
    }
    fields[count++] = (smp_record_field){"runs", m->runs};
    if (m->residency.blocks == 0)
        return count;
    fields[count++] = (smp_record_field){"blocks", m->residency.blocks};
    fields[count++] = (smp_record_field){"registers", m->residency.registers};
    fields[count++] = (smp_record_field){"threads", m->residency.threads};
    fields[count++] = (smp_record_field){"shared_bytes", m->residency.shared_bytes};
    return count;
}

/* Lists the counters in order: "A.sum, B.sum". */
static void name_counters(char *text, size_t size) {
    text_buffer list = text_buffer_over(text, size);
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++)
        text_join(&list, ", ", "%s", smp_counter_of(smp_traffic_rows()[i].op)->metric);
}

static bool write_case(FILE *file, const comparison *c) {
    char key[KEY_MAX];
    bool ok = true;
    for (size_t i = 0; ok && i < c->count; i++) {
        smp_record_field fields[FIELDS_MAX];
        if (c->rows[i].origin != SMP_LIVE)
            continue;
        row_key(c, &c->rows[i], key);
        ok = smp_record_write_row(file, key, fields, fill_fields(&c->rows[i], fields)) == SMP_OK;
    }
    return ok;
}

bool compare_write_records(FILE *file, const void *user) {
    const compare_recording *recording = user;
    char counters[1024];
    name_counters(counters, sizeof counters);
    bool ok = smp_record_write_header(file, recording->device, recording->command) == SMP_OK &&
              smp_record_write_counter(file, counters) == SMP_OK;
    for (size_t i = 0; ok && i < recording->count; i++)
        ok = write_case(file, &recording->cases[i]);
    return ok;
}
