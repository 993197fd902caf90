/* SPDX-License-Identifier: MIT */
/*
 * compare: the variants of one kernel side by side, predicted for the whole launch and measured.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { ROWS_MAX = 32 };

static const smp_option options[] = {OPTION_SIZE,   OPTION_VARIANTS, OPTION_DEVICE,
                                     OPTION_RECORD, OPTION_FORMAT,   OPTION_OUTPUT,
                                     OPTION_FORCE,  OPTION_COLOR,    OPTION_HELP};

/* What a launch asks of memory, by the model. */
typedef struct traffic {
    const smp_arch *arch;
    uint64_t wavefronts_ld, wavefronts_st, ideal;
    uint64_t sectors_ld, sectors_st, ideal_sectors;
    unsigned ways; /* of the worst access of shared memory */
    smp_status status;
} traffic;

typedef struct compare_row {
    const smp_kernel_variant *variant;
    traffic predicted;
    smp_source source;
    smp_kernel_result measured;
} compare_row;

typedef struct comparison {
    smp_kernel_size size;
    compare_row rows[ROWS_MAX];
    size_t count;
    char provenance[256];
    smp_error why;            /* nothing was measured now */
    const smp_device *device; /* that it was measured on, NULL if none; of the probe */
} comparison;

static bool add_access(void *user, const char *site, const smp_access *access, uint64_t times) {
    traffic *sum = user;
    smp_counts counts;
    (void)site;
    sum->status = smp_predict(sum->arch, access, &counts);
    if (sum->status != SMP_OK)
        return false;
    const smp_op_row *op = &smp_ops(NULL)[access->op];
    uint64_t waves = counts.wavefronts_max * times, sectors = counts.transactions * times;
    uint64_t asked = ((uint64_t)counts.active_lanes * access->width_bytes + 31) / 32 * times;
    *(op->is_load ? &sum->wavefronts_ld : &sum->wavefronts_st) += waves;
    *(op->is_load ? &sum->sectors_ld : &sum->sectors_st) += sectors;
    sum->ideal += counts.ideal * times;
    sum->ideal_sectors += op->space == SMP_SPACE_GLOBAL ? asked : 0;
    sum->ways = counts.ways > sum->ways ? counts.ways : sum->ways;
    return true;
}

static void row_key(const comparison *c, const smp_kernel_variant *variant, char text[128]) {
    (void)snprintf(text, 128, "%s %s %ux%u", variant->family, variant->name, c->size.rows,
                   c->size.columns);
}

static bool recorded_field(const char *key, const char *field, const char *cc, double *out,
                           smp_record *record) {
    bool found = smp_recorded_find(key, field, cc, record);
    *out = found ? record->value : 0;
    return found;
}

/* The recorded result of a row, if all of it is there. */
static bool find_recorded(comparison *c, compare_row *row) {
    static const char *const fields[] = {"wavefronts_ld", "wavefronts_st", "sectors_ld",
                                         "sectors_st",    "time_us",       "time_spread_us",
                                         "copy_us",       "runs"};
    double value[8];
    char key[128];
    smp_record record;
    row_key(c, row->variant, key);
    for (size_t i = 0; i < 8; i++) {
        if (!recorded_field(key, fields[i], "9.0", &value[i], &record))
            return false;
    }
    row->measured = (smp_kernel_result){.wavefronts_ld = (uint64_t)value[0],
                                        .wavefronts_st = (uint64_t)value[1],
                                        .sectors_ld = (uint64_t)value[2],
                                        .sectors_st = (uint64_t)value[3],
                                        .time_us = value[4],
                                        .time_spread_us = value[5],
                                        .copy_us = value[6],
                                        .runs = (uint32_t)value[7]};
    row->source = SMP_RECORDED;
    (void)snprintf(c->provenance, sizeof c->provenance, "recorded on %s, driver %s, CUDA %s, %s",
                   record.gpu, record.driver, record.cuda, record.date);
    return true;
}

static uint64_t waves_predicted(const compare_row *row) {
    return row->predicted.wavefronts_ld + row->predicted.wavefronts_st;
}

static uint64_t waves_measured(const compare_row *row) {
    return row->measured.wavefronts_ld + row->measured.wavefronts_st;
}

static double bytes_moved(const comparison *c) {
    return 2.0 * sizeof(float) * c->size.rows * c->size.columns;
}

static double gigabytes_a_second(const comparison *c, double time_us) {
    return bytes_moved(c) / time_us / 1e3;
}

/* Measured wavefronts in excess of the predicted: warps that lost arbitration are counted again. */
static double surplus(const compare_row *row) {
    double expected = (double)waves_predicted(row);
    return expected > 0 ? 100.0 * ((double)waves_measured(row) - expected) / expected : 0;
}

static void put_row(FILE *out, const comparison *c, const compare_row *row) {
    fprintf(out, "%-8s %5u %11" PRIu64, row->variant->name, row->predicted.ways,
            waves_predicted(row));
    if (row->source == SMP_NOT_MEASURED) {
        fprintf(out, " %11s %7s %11" PRIu64 "\n", "-", "-",
                row->predicted.sectors_ld + row->predicted.sectors_st);
        return;
    }
    fprintf(out, " %11" PRIu64 " %+6.1f%% %9" PRIu64 " %8.1f %5.1f %6.0f %5.0f%%\n",
            waves_measured(row), surplus(row), row->measured.sectors_ld + row->measured.sectors_st,
            row->measured.time_us, row->measured.time_spread_us,
            gigabytes_a_second(c, row->measured.time_us),
            100.0 * row->measured.copy_us / row->measured.time_us);
}

static const compare_row *find_row(const comparison *c, const char *name) {
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->rows[i].variant->name, name) == 0)
            return &c->rows[i];
    }
    return NULL;
}

/* In words: what padding removes, and what is left. */
static void put_verdict(FILE *out, const comparison *c) {
    const compare_row *tiled = find_row(c, "tiled"), *padded = find_row(c, "padded");
    if (!tiled || !padded || waves_predicted(padded) == 0)
        return;
    fprintf(out, "\npadding removes %u of %u wavefronts of every column read",
            tiled->predicted.ways - padded->predicted.ways, tiled->predicted.ways);
    if (padded->source != SMP_NOT_MEASURED && tiled->source != SMP_NOT_MEASURED)
        fprintf(
            out,
            "; the padded tile is %.1f times faster\nand runs at %.0f%% of a device-to-device copy",
            tiled->measured.time_us / padded->measured.time_us,
            100.0 * padded->measured.copy_us / padded->measured.time_us);
    fputs(".\n", out);
}

static bool is_exact(const compare_row *row) {
    return row->measured.wavefronts_ld == row->predicted.wavefronts_ld &&
           row->measured.wavefronts_st == row->predicted.wavefronts_st &&
           row->measured.sectors_ld == row->predicted.sectors_ld &&
           row->measured.sectors_st == row->predicted.sectors_st;
}

static void put_text(FILE *out, const comparison *c) {
    fprintf(out, "%s of %ux%u floats, whole launch\n%s\n\n", c->rows[0].variant->family,
            c->size.rows, c->size.columns, c->provenance);
    fprintf(out, "%-8s %5s %11s %11s %7s %9s %8s %5s %6s %6s\n", "variant", "ways", "predicted",
            "measured", "surplus", "sectors", "us", "+-", "GB/s", "copy");
    bool all_exact = true;
    for (size_t i = 0; i < c->count; i++) {
        put_row(out, c, &c->rows[i]);
        all_exact = all_exact && (c->rows[i].source == SMP_NOT_MEASURED || is_exact(&c->rows[i]));
    }
    put_verdict(out, c);
    if (!all_exact)
        fputs("surplus: wavefronts that the counter adds when many warps contend for the data "
              "stage;\n"
              "the addresses cause none of them (small launches have none).\n",
              out);
}

static json_t *result_json(const comparison *c, const compare_row *row) {
    if (row->source == SMP_NOT_MEASURED)
        return json_null();
    const smp_kernel_result *m = &row->measured;
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:i}", "source",
                     row->source == SMP_LIVE ? "live" : "recorded", "provenance", c->provenance,
                     "wavefronts_ld", (json_int_t)m->wavefronts_ld, "wavefronts_st",
                     (json_int_t)m->wavefronts_st, "sectors_ld", (json_int_t)m->sectors_ld,
                     "sectors_st", (json_int_t)m->sectors_st, "time_us", m->time_us,
                     "time_spread_us", m->time_spread_us, "copy_us", m->copy_us, "gb_per_s",
                     gigabytes_a_second(c, m->time_us), "runs", (int)m->runs);
}

static void put_json(FILE *out, const comparison *c) {
    json_t *rows = json_array();
    for (size_t i = 0; i < c->count; i++) {
        const compare_row *row = &c->rows[i];
        const traffic *p = &row->predicted;
        json_t *item = json_pack(
            "{s:i, s:s, s:s, s:i, s:i, s:{s:I, s:I, s:I, s:I, s:I, s:I, s:i}, s:o}",
            "schema_version", SMP_SCHEMA_VERSION, "family", row->variant->family, "variant",
            row->variant->name, "rows", (int)c->size.rows, "columns", (int)c->size.columns,
            "predicted", "wavefronts_ld", (json_int_t)p->wavefronts_ld, "wavefronts_st",
            (json_int_t)p->wavefronts_st, "ideal", (json_int_t)p->ideal, "sectors_ld",
            (json_int_t)p->sectors_ld, "sectors_st", (json_int_t)p->sectors_st, "ideal_sectors",
            (json_int_t)p->ideal_sectors, "ways", (int)p->ways, "measured", result_json(c, row));
        (void)json_array_append_new(rows, item);
    }
    (void)json_dumpf(rows, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    fputc('\n', out);
    json_decref(rows);
}

static void put_csv(FILE *out, const comparison *c) {
    fputs("family,variant,rows,columns,ways,predicted_wavefronts_ld,predicted_wavefronts_st,ideal,"
          "predicted_sectors_ld,predicted_sectors_st,ideal_sectors,measured_source,"
          "measured_wavefronts_ld,measured_wavefronts_st,measured_sectors_ld,measured_sectors_st,"
          "time_us,time_spread_us,copy_us,gb_per_s,runs\n",
          out);
    for (size_t i = 0; i < c->count; i++) {
        const compare_row *row = &c->rows[i];
        const traffic *p = &row->predicted;
        const smp_kernel_result *m = &row->measured;
        fprintf(out,
                "%s,%s,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%" PRIu64,
                row->variant->family, row->variant->name, c->size.rows, c->size.columns, p->ways,
                p->wavefronts_ld, p->wavefronts_st, p->ideal, p->sectors_ld, p->sectors_st,
                p->ideal_sectors);
        if (row->source == SMP_NOT_MEASURED)
            fputs(",,,,,,,,,,\n", out);
        else
            fprintf(out,
                    ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.3f,%.3f,%.3f,%.1f,%u\n",
                    row->source == SMP_LIVE ? "live" : "recorded", m->wavefronts_ld,
                    m->wavefronts_st, m->sectors_ld, m->sectors_st, m->time_us, m->time_spread_us,
                    m->copy_us, gigabytes_a_second(c, m->time_us), m->runs);
    }
}

static smp_status parse_size(const arguments *args, smp_kernel_size *out, smp_error *error) {
    const char *text = last_value(args, OPTION_SIZE);
    char *end;
    *out = (smp_kernel_size){4096, 4096};
    if (!text)
        return SMP_OK;
    unsigned long rows = strtoul(text, &end, 10);
    unsigned long columns = *end == 'x' && text[0] != '-' ? strtoul(end + 1, &end, 10) : 0;
    if (*end != '\0' || rows == 0 || columns == 0 || rows > 1000000 || columns > 1000000 ||
        rows > 2000000000 / columns)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--size %.40s: expected ROWSxCOLUMNS, e.g. 2048x1536, of at most 2e9 "
                             "elements",
                             text);
    *out = (smp_kernel_size){(uint32_t)rows, (uint32_t)columns};
    return SMP_OK;
}

/* True if `name` is in the list with commas `list`, or there is none. */
static bool is_wanted(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at && *at != '\0'; at += strspn(at, ",")) {
        size_t here = strcspn(at, ",");
        if (here == length && strncmp(at, name, length) == 0)
            return true;
        at += here;
    }
    return list == NULL;
}

static smp_status choose_rows(const arguments *args, comparison *c, smp_error *error) {
    size_t count;
    const smp_kernel_variant *variants = smp_kernel_variants(&count);
    const char *family = args->positional_count ? args->positional[0] : "";
    const char *wanted = last_value(args, OPTION_VARIANTS);
    const char *names[ROWS_MAX];
    for (size_t i = 0; i < count && c->count < ROWS_MAX; i++) {
        names[i] = variants[i].family;
        if (strcmp(variants[i].family, family) == 0 && is_wanted(wanted, variants[i].name))
            c->rows[c->count++].variant = &variants[i];
    }
    if (c->count > 0)
        return SMP_OK;
    if (wanted && is_wanted("transpose", family))
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--variants %.40s: %s has none of these (smemprobe list kernels)",
                             wanted, family);
    const char *guess = suggest(family, names, count < ROWS_MAX ? count : ROWS_MAX);
    return smp_error_set(error, SMP_E_USAGE, -1, "compare which family? known: transpose%s%s%s",
                         guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

static smp_status predict_rows(comparison *c, const smp_arch *arch, smp_error *error) {
    for (size_t i = 0; i < c->count; i++) {
        traffic *sum = &c->rows[i].predicted;
        sum->arch = arch;
        (void)c->rows[i].variant->trace(c->size, add_access, sum);
        if (sum->status != SMP_OK)
            return smp_error_set(error, SMP_E_INTERNAL, -1, "%s: %s", c->rows[i].variant->name,
                                 smp_status_message(sum->status));
    }
    return SMP_OK;
}

static smp_status measure_rows(comparison *c, smp_probe *probe, smp_error *error) {
    const smp_device *device = smp_probe_device(probe);
    c->device = device;
    (void)snprintf(c->provenance, sizeof c->provenance, "measured on %s, driver %s, CUDA %s",
                   device->name, device->driver, device->cuda);
    for (size_t i = 0; i < c->count; i++) {
        compare_row *row = &c->rows[i];
        smp_status status = smp_measure_kernel(probe, row->variant, c->size, &row->measured, error);
        if (status != SMP_OK)
            return status;
        row->source = SMP_LIVE;
    }
    return SMP_OK;
}

static void look_up_rows(comparison *c) {
    (void)snprintf(c->provenance, sizeof c->provenance, "not measured: %.200s", c->why.message);
    for (size_t i = 0; i < c->count; i++)
        (void)find_recorded(c, &c->rows[i]);
}

/* `user` is a comparison that was measured. */
static bool write_records(FILE *file, const void *user) {
    const comparison *c = user;
    char key[128], command[256];
    (void)snprintf(command, sizeof command, "smemprobe compare %s --size %ux%u",
                   c->rows[0].variant->family, c->size.rows, c->size.columns);
    bool ok = smp_record_write_header(file, c->device, command) == SMP_OK &&
              smp_record_write_counter(
                  file, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum, _op_st.sum; "
                        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, _op_st.sum") == SMP_OK;
    for (size_t i = 0; ok && i < c->count; i++) {
        const smp_kernel_result *m = &c->rows[i].measured;
        smp_record_field fields[] = {{"wavefronts_ld", (double)m->wavefronts_ld},
                                     {"wavefronts_st", (double)m->wavefronts_st},
                                     {"sectors_ld", (double)m->sectors_ld},
                                     {"sectors_st", (double)m->sectors_st},
                                     {"time_us", m->time_us},
                                     {"time_spread_us", m->time_spread_us},
                                     {"copy_us", m->copy_us},
                                     {"runs", m->runs}};
        row_key(c, c->rows[i].variant, key);
        ok = smp_record_write_row(file, key, fields, sizeof fields / sizeof fields[0]) == SMP_OK;
    }
    return ok;
}

static smp_status fill(const arguments *args, comparison *c, smp_error *error) {
    uint64_t device = 0;
    smp_probe *probe = NULL;
    const smp_arch *arch = smp_arch_find("sm_90");
    smp_status status = parse_size(args, &c->size, error);
    if (status == SMP_OK)
        status = choose_rows(args, c, error);
    if (status == SMP_OK && has(args, OPTION_RECORD))
        status = output_check(args, last_value(args, OPTION_RECORD), error);
    if (status == SMP_OK && has(args, OPTION_DEVICE))
        status = number_parse(last_value(args, OPTION_DEVICE), "device", 1023, &device, error);
    if (status == SMP_OK && smp_probe_open((int)device, &probe, &c->why) == SMP_OK)
        arch = smp_arch_of_cc(smp_probe_device(probe)->cc_major, smp_probe_device(probe)->cc_minor);
    if (status == SMP_OK && !arch)
        status =
            smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1, "%s: this GPU has no row in the model",
                          smp_probe_device(probe)->name);
    if (status == SMP_OK)
        status = predict_rows(c, arch, error);
    if (status == SMP_OK && probe)
        status = measure_rows(c, probe, error);
    else if (status == SMP_OK)
        look_up_rows(c);
    if (status == SMP_OK && probe && has(args, OPTION_RECORD))
        status = output_write(args, last_value(args, OPTION_RECORD), write_records, c, error);
    smp_probe_close(probe);
    return status;
}

static int run(const arguments *args) {
    static comparison c;
    smp_error error;
    output out;
    memset(&c, 0, sizeof c);
    smp_status status = output_open(args, &out, &error);
    if (status != SMP_OK)
        return complain(&error);
    status = fill(args, &c, &error);
    if (status != SMP_OK) {
        smp_error closing;
        (void)output_close(&out, false, &closing);
        return complain(&error);
    }
    if (out.format == FORMAT_JSON)
        put_json(out.stream, &c);
    else if (out.format == FORMAT_CSV)
        put_csv(out.stream, &c);
    else
        put_text(out.stream, &c);
    return output_close(&out, true, &error) == SMP_OK ? 0 : complain(&error);
}

const command_row command_compare = {
    .name = "compare",
    .summary = "variants of one kernel side by side, predicted and measured",
    .usage = "FAMILY [OPTIONS]",
    COMMAND_OPTIONS(options),
    .examples = "  smemprobe compare transpose\n"
                "  smemprobe compare transpose --size 2048x1536 --variants tiled,padded\n",
    .run = run,
};
