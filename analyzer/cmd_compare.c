/* SPDX-License-Identifier: MIT */
/*
 * compare: the variants of one kernel side by side, predicted for the whole launch and measured.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

static const smp_option options[] = {OPTION_VARIANTS, OPTION_TYPE,   OPTION_SIZE,   OPTION_CLUSTER,
                                     OPTION_ARCH,     OPTION_DEVICE, OPTION_RECORD, OPTION_RECORDED,
                                     OPTION_FORMAT,   OPTION_OUTPUT, OPTION_FORCE,  OPTION_HELP};

/* ---- What compare.h promises ----------------------------------------------------------- */

bool compare_is_exact(const compare_row *row) {
    return row->measured.is_counted && row->forecast.status == SMP_OK &&
           memcmp(&row->forecast.traffic, &row->measured.counted, sizeof(smp_traffic)) == 0;
}

uint64_t compare_counted_wavefronts(const compare_row *row) {
    const uint64_t *count = row->measured.counted.count;
    return count[SMP_WAVEFRONTS_LD] + count[SMP_WAVEFRONTS_ST] + count[SMP_WAVEFRONTS_ATOM];
}

uint64_t compare_counted_sectors(const compare_row *row) {
    const uint64_t *count = row->measured.counted.count;
    return count[SMP_SECTORS_LD] + count[SMP_SECTORS_ST] + count[SMP_SECTORS_RED];
}

double compare_gb_per_s(const comparison *c, const compare_row *row) {
    if (row->measured.time_us <= 0)
        return 0;
    return (double)c->family->bytes(&c->problem).moved / row->measured.time_us / 1e3;
}

const compare_row *compare_find(const comparison *c, const char *name) {
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->rows[i].variant->name, name) == 0)
            return &c->rows[i];
    return NULL;
}

static const char *family_word(size_t index, const char **summary) {
    size_t count;
    const smp_kernel_family *const *families = smp_kernel_families(&count);
    if (index >= count)
        return NULL;
    *summary = families[index]->summary;
    return families[index]->name;
}

/* ---- The case -------------------------------------------------------------------------- */

static smp_status choose_family(const arguments *args, comparison *c, smp_error *error) {
    enum { NAMES_MAX = 32 };
    const char *names[NAMES_MAX];
    char known[160] = "";
    size_t count, length = 0;
    const smp_kernel_family *const *families = smp_kernel_families(&count);
    const char *word = args->positional_count ? args->positional[0] : "";
    if (args->positional_count > 1)
        return smp_error_set(error, SMP_E_USAGE, -1, "compare takes one family, not %u",
                             args->positional_count);
    c->family = smp_kernel_family_find(word);
    if (c->family)
        return SMP_OK;
    for (size_t i = 0; i < count && i < NAMES_MAX && length < sizeof known; i++) {
        names[i] = families[i]->name;
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "",
                                   names[i]);
    }
    const char *guess = suggest(word, names, count < NAMES_MAX ? count : NAMES_MAX);
    return smp_error_set(error, SMP_E_USAGE, -1, "compare which family? known: %s%s%s%s", known,
                         guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

static smp_status parse_size(const char *text, const smp_kernel_family *family,
                             smp_kernel_case *out, smp_error *error) {
    char rows[32];
    const char *times = strchr(text, 'x');
    const size_t length = times ? (size_t)(times - text) : strlen(text);
    if (length >= sizeof rows)
        return smp_error_set(error, SMP_E_USAGE, -1, "--size %.40s: too long", text);
    memcpy(rows, text, length);
    rows[length] = '\0';
    smp_status status = number_parse(rows, "size", INT64_MAX, &out->rows, error);
    out->columns = out->rows;
    if (status == SMP_OK && times)
        status = number_parse(times + 1, "size", INT64_MAX, &out->columns, error);
    if (status == SMP_OK && !times && !family->is_matrix)
        out->rows = 1;
    return status;
}

static smp_status parse_type(const char *text, smp_kernel_case *out, smp_error *error) {
    const char *names[SMP_ELEMENT_COUNT];
    for (unsigned e = 0; e < SMP_ELEMENT_COUNT; e++) {
        names[e] = smp_element_info((smp_element)e)->name;
        if (strcmp(names[e], text) == 0) {
            out->element = (smp_element)e;
            return SMP_OK;
        }
    }
    const char *guess = suggest(text, names, SMP_ELEMENT_COUNT);
    return smp_error_set(
        error, SMP_E_USAGE, -1,
        "--type %.40s: known are float, double, half, byte, int and unsigned%s%s%s", text,
        guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

static smp_status parse_case(const arguments *args, comparison *c, smp_error *error) {
    const char *size = last_value(args, OPTION_SIZE), *type = last_value(args, OPTION_TYPE);
    uint64_t cluster = 0;
    c->problem = c->family->standard;
    smp_status status = size ? parse_size(size, c->family, &c->problem, error) : SMP_OK;
    if (status == SMP_OK && type)
        status = parse_type(type, &c->problem, error);
    if (status == SMP_OK && has(args, OPTION_CLUSTER))
        status = number_parse(last_value(args, OPTION_CLUSTER), "cluster", 16, &cluster, error);
    c->problem.cluster = (uint32_t)cluster;
    return status == SMP_OK ? smp_kernel_check(c->family, NULL, &c->problem, error) : status;
}

/* ---- The variants ---------------------------------------------------------------------- */

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

/* Every word of the list must be a variant. */
static smp_status check_wanted(const char *list, const smp_kernel_family *family,
                               smp_error *error) {
    for (const char *at = list; at && *at != '\0'; at += strspn(at, ",")) {
        char word[40];
        const char *names[COMPARE_ROWS_MAX];
        size_t here = strcspn(at, ",");
        (void)snprintf(word, sizeof word, "%.*s", (int)(here < 39 ? here : 39), at);
        at += here;
        if (smp_kernel_variant_find(family, word))
            continue;
        for (size_t i = 0; i < family->variant_count && i < COMPARE_ROWS_MAX; i++)
            names[i] = family->variants[i].name;
        const char *guess = suggest(word, names, family->variant_count);
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--variants: %s has no '%s'%s%s%s (smemprobe list kernels)",
                             family->name, word, guess ? "; did you mean '" : "",
                             guess ? guess : "", guess ? "'?" : "");
    }
    return SMP_OK;
}

static smp_status choose_rows(const arguments *args, comparison *c, smp_error *error) {
    const char *wanted = last_value(args, OPTION_VARIANTS);
    smp_status status = check_wanted(wanted, c->family, error);
    for (size_t i = 0; i < c->family->variant_count && c->count < COMPARE_ROWS_MAX; i++) {
        const smp_kernel_variant *variant = &c->family->variants[i];
        smp_error cause;
        if (!is_wanted(wanted, variant->name))
            continue;
        if (smp_kernel_check(c->family, variant, &c->problem, &cause) == SMP_OK)
            c->rows[c->count++].variant = variant;
        else if (wanted && status == SMP_OK)
            return smp_error_set(error, cause.status, -1, "%s", cause.message);
    }
    return status;
}

static smp_status predict_rows(comparison *c, smp_error *error) {
    void *in = malloc((size_t)c->family->bytes(&c->problem).in);
    smp_status status = SMP_OK;
    bool is_needed = false;
    for (size_t i = 0; i < c->count; i++)
        is_needed |= c->rows[i].variant->trace != NULL;
    if (in && is_needed)
        c->family->fill(&c->problem, in);
    for (size_t i = 0; i < c->count && status == SMP_OK; i++) {
        compare_row *row = &c->rows[i];
        smp_error cause;
        status = smp_kernel_forecast(c->arch, c->family, row->variant, &c->problem, in,
                                     &row->forecast, &cause);
        if (status != SMP_OK)
            status =
                smp_error_set(error, status, -1, "%s: %.200s", row->variant->name, cause.message);
    }
    free(in);
    return status;
}

static smp_status measure_rows(comparison *c, smp_probe *probe, smp_error *error) {
    const smp_device *device = smp_probe_device(probe);
    smp_bench *bench;
    c->device = device;
    (void)snprintf(c->provenance, sizeof c->provenance, "measured on %s, driver %s, CUDA %s",
                   device->name, device->driver, device->cuda);
    smp_status status = smp_bench_open(probe, c->family, &c->problem, &bench, error);
    for (size_t i = 0; i < c->count && status == SMP_OK; i++) {
        compare_row *row = &c->rows[i];
        status = smp_bench_run(bench, row->variant, &row->measured, error);
        row->source = SMP_LIVE;
    }
    smp_bench_close(bench);
    return status;
}

static void look_up_rows(comparison *c, const char *why) {
    (void)snprintf(c->provenance, sizeof c->provenance,
                   "not measured: %.180s; nothing is recorded of this case", why);
    for (size_t i = 0; i < c->count; i++)
        if (!compare_find_recorded(c, &c->rows[i]))
            (void)snprintf(c->rows[i].why, sizeof c->rows[i].why, "nothing is recorded of it");
}

/* ---- The command ----------------------------------------------------------------------- */

static void describe(const comparison *c, const arguments *args, char *text, size_t size) {
    size_t length = (size_t)snprintf(text, size, "smemprobe compare %s", c->family->name);
    const smp_option told[] = {OPTION_SIZE, OPTION_TYPE, OPTION_CLUSTER, OPTION_VARIANTS};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (has(args, told[i]) && length < size)
            length += (size_t)snprintf(text + length, size - length, " --%s %s",
                                       option_rows[told[i]].name, last_value(args, told[i]));
}

/* Opens the GPU, unless another architecture is asked for than its own; sets c->arch. */
static smp_status choose_arch(const arguments *args, comparison *c, smp_probe **probe,
                              smp_error *why, smp_error *error) {
    uint64_t index = 0;
    smp_arch wanted;
    bool all = false;
    smp_status status = arguments_arch(args, &wanted, &all, error);
    if (status == SMP_OK && all)
        return smp_error_set(error, SMP_E_USAGE, -1, "compare takes one architecture");
    if (status == SMP_OK && has(args, OPTION_DEVICE))
        status = number_parse(last_value(args, OPTION_DEVICE), "device", 1023, &index, error);
    if (status != SMP_OK)
        return status;
    c->arch = smp_arch_of_cc(wanted.cc_major, wanted.cc_minor);
    if (smp_probe_open((int)index, probe, why) != SMP_OK)
        return SMP_OK;
    const smp_device *device = smp_probe_device(*probe);
    const smp_arch *own = smp_arch_of_cc(device->cc_major, device->cc_minor);
    if (has(args, OPTION_ARCH) && own != c->arch) {
        (void)smp_error_set(why, SMP_E_NO_GPU, -1, "the GPU here is no %s", c->arch->name);
        smp_probe_close(*probe);
        *probe = NULL;
        return SMP_OK;
    }
    c->arch = own;
    if (own)
        return SMP_OK;
    return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1, "%s: this GPU has no row in the model",
                         device->name);
}

smp_status compare_fill(const arguments *args, comparison *c, smp_error *error) {
    smp_error why = {0};
    smp_probe *probe = NULL;
    smp_status status = choose_family(args, c, error);
    if (status == SMP_OK)
        status = parse_case(args, c, error);
    if (status == SMP_OK)
        status = choose_rows(args, c, error);
    if (status == SMP_OK && has(args, OPTION_RECORD))
        status = output_check(args, last_value(args, OPTION_RECORD), error);
    if (status == SMP_OK)
        status = choose_arch(args, c, &probe, &why, error);
    if (status == SMP_OK)
        status = predict_rows(c, error);
    if (status == SMP_OK && probe)
        status = measure_rows(c, probe, error);
    else if (status == SMP_OK)
        look_up_rows(c, why.message);
    if (status == SMP_OK && probe && has(args, OPTION_RECORD)) {
        describe(c, args, c->command, sizeof c->command);
        status =
            output_write(args, last_value(args, OPTION_RECORD), compare_write_records, c, error);
    }
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
    status = compare_fill(args, &c, &error);
    if (status != SMP_OK) {
        smp_error closing;
        (void)output_close(&out, false, &closing);
        return complain(&error);
    }
    if (out.format == FORMAT_JSON)
        compare_put_json(out.stream, &c);
    else if (out.format == FORMAT_CSV)
        compare_put_csv(out.stream, &c);
    else
        compare_put_text(out.stream, &c);
    return output_close(&out, true, &error) == SMP_OK ? 0 : complain(&error);
}

const command_row command_compare = {
    .name = "compare",
    .summary = "variants of one kernel side by side, predicted and measured",
    .usage = "FAMILY [OPTIONS]",
    COMMAND_OPTIONS(options),
    .examples = "  smemprobe compare transpose\n"
                "  smemprobe compare transpose --size 2048x1536 --variants tiled32,padded\n"
                "  smemprobe compare transpose --type double --format json -o transpose.json\n",
    .word = family_word,
    .run = run,
};
