/* SPDX-License-Identifier: MIT */
/* Options of charts: which ones each kind uses, and their defaults. */
#include <string.h>

#include "ask_chart.h"
#include "ask_measure.h"
#include "say.h"
#include "smp_accesses.h"

/* The request for a chart: options, and the arguments after its kind. */
typedef struct asked {
    const arguments *args;
    const char *const *words;
    unsigned count;
} asked;

static smp_status read_files(const char *const *words, unsigned count, smp_error *error) {
    smp_status status = SMP_OK;
    for (unsigned i = 0; status == SMP_OK && i < count; i++)
        status = recorded_read("", words[i], error);
    return status;
}

static smp_status ask_stride(const asked *by, chart_ask *out, smp_error *error) {
    smp_axes *axes = &out->plain.axes;
    if (ask_one_arch(by->args,
                     "plot stride needs one architecture; plot heatmap and plot archs show "
                     "them all",
                     &out->plain.arch, error) ||
        ask_axes(by->args, "0:64", "4,8,16", axes, error))
        return error->status;
    for (size_t i = 1; i < axes->op_count; i++)
        if (axes->ops[i] != axes->ops[0])
            return usage_error(error, "--op: plot stride draws one operation");
    return SMP_OK;
}

static smp_status ask_heatmap(const asked *by, chart_ask *out, smp_error *error) {
    smp_axes *axes = &out->plain.axes;
    bool all;
    if (ask_arch(by->args, &out->plain.arch, &all, error) ||
        ask_base(by->args, &axes->base, error) ||
        ask_strides(by->args, "0:33", UINT16_MAX, PLOT_HEATMAP_STRIDES, axes, error))
        return error->status;
    out->plain.is_every_arch = all || !has(by->args, OPTION_ARCH);
    return SMP_OK;
}

/* Stride 2 by default: generations differ most there. */
static smp_status ask_archs(const asked *by, chart_ask *out, smp_error *error) {
    smp_prediction *access = &out->plain.access;
    if (has(by->args, OPTION_ACCESS))
        return ask_access_line(by->args, &access->access, error);
    if (ask_pattern(by->args, &access->pattern, error))
        return error->status;
    access->has_pattern = true;
    if (!has(by->args, OPTION_STRIDE))
        access->pattern.stride = 2;
    return smp_pattern_access(&access->pattern, &access->access, error);
}

/* The default is a padded tile read by column. Reports errors. */
static int ask_bankmap(const arguments *args, const char *const *words, unsigned count,
                       chart_ask *out) {
    static const char *const example[] = {"ld tile[threadIdx.x][0]"};
    smp_error error;
    const bool is_example = count == 0 && !has(args, OPTION_SHARED);
    int exit_status = is_example
                          ? layout_source_example(args, "float tile[32][33]", example, &out->from)
                          : layout_source_read(args, words, count, &out->from);
    if (exit_status == 0 &&
        ask_one_arch(args, "plot bankmap needs one architecture", &out->plain.arch, &error))
        exit_status = complain(&error);
    out->plain.layout = out->from.layout;
    return exit_status;
}

static smp_status ask_agreement(const asked *by, chart_ask *out, smp_error *error) {
    (void)out;
    return read_files(by->words, by->count, error);
}

/* The corresponding operation on remote memory. */
static const smp_op_row *remote_of(const smp_op_row *op) {
    char name[48];
    (void)snprintf(name, sizeof name, "%.30s::cluster", op->name);
    const smp_op_row *row = smp_op_find(name);
    return op->space == SMP_SPACE_SHARED && row ? row : NULL;
}

/* Compares both operations over strides; recordings may be in files. */
static smp_status ask_cluster(const asked *by, chart_ask *out, smp_error *error) {
    plot_ask *plain = &out->plain;
    smp_pattern base;
    if (ask_one_arch(by->args, "plot cluster needs one architecture", &plain->arch, error) ||
        read_files(by->words, by->count, error) || ask_base(by->args, &base, error))
        return error->status;
    const smp_op_row *own = &smp_ops(NULL)[base.op], *remote = remote_of(own);
    if (!remote)
        return usage_error(
            error, "--op %.40s: does not exist for another block's memory; ld, st and atom do",
            own->name);
    if (smp_op_evidence(&plain->arch, remote->op, base.width_bytes) == SMP_ABSENT)
        return smp_error_set(error, SMP_E_OP_UNAVAILABLE, -1, "%s does not exist on %s",
                             remote->name, plain->arch.name);
    plain->axes.base = base;
    plain->axes.ops[0] = own->op;
    plain->axes.ops[1] = remote->op;
    plain->axes.op_count = 2;
    plain->axes.widths[0] = base.width_bytes;
    plain->axes.width_count = 1;
    (void)snprintf(plain->again, sizeof plain->again, "--op %s,%s --width %.8s --stride %.20s",
                   own->name, remote->name, value_or(by->args, OPTION_WIDTH, "4"),
                   value_or(by->args, OPTION_STRIDE, "0:64"));
    return ask_strides(by->args, "0:33", UINT32_MAX, SMP_AXIS_STRIDES_MAX, &plain->axes, error);
}

static smp_status ask_kernels(const asked *by, chart_ask *out, smp_error *error) {
    return ask_compare(by->args, by->words, by->count, &out->plain.compare, error);
}

typedef struct chart_row {
    const plot_kind *kind;
    option_set options;        /* the options that this kind uses */
    const option_words *words; /* help texts that differ from plot's own, or NULL */
    smp_status (*ask)(const asked *by, chart_ask *out, smp_error *error); /* NULL for source text */
} chart_row;

static const option_words of_stride[] = {
    {OPTION_STRIDE, "elements between lanes: 33, 1,2,4, 0:64 (default) or 0:64:2"},
    {OPTION_WIDTH, "bytes per lane, one row each: 1, 2, 4, 8, 16 (default 4,8,16)"},
    {OPTION_COUNT, NULL}};
static const option_words of_heatmap[] = {
    {OPTION_STRIDE, "elements between lanes: 33, 1,2,4, 0:33 (default) or 0:64:2"},
    {OPTION_ARCH, "one of them (default: all): sm_90, 9.0, hopper, GH100 ..."},
    {OPTION_COUNT, NULL}};
static const option_words of_archs[] = {
    {OPTION_STRIDE, "elements between lanes (default 2)"},
    {OPTION_WIDTH, "bytes per lane: 1, 2, 4, 8 or 16 (default 4)"},
    {OPTION_COUNT, NULL}};
static const option_words of_cluster[] = {
    {OPTION_STRIDE, "elements between lanes: 33, 1,2,4, 0:33 (default) or 0:64:2"},
    {OPTION_WIDTH, "bytes per lane: 1, 2, 4, 8 or 16 (default 4)"},
    {OPTION_OP, "own memory compared with ::cluster: ld, st or atom (default ld)"},
    {OPTION_ARCH, "sm_90, 9.0, hopper, GH100 ..."},
    {OPTION_COUNT, NULL}};
/* One architecture. */
static const option_words of_one[] = {{OPTION_ARCH, "sm_90, 9.0, hopper, GH100 ..."},
                                      {OPTION_COUNT, NULL}};

#define TAKES(option) [OPTION_##option] = true

static const chart_row rows[] = {
    {&plot_stride,
     {TAKES(STRIDE), TAKES(WIDTH), TAKES(OP), TAKES(OFFSET), TAKES(LANES), TAKES(ARCH),
      TAKES(BANK_MODE)},
     of_stride,
     ask_stride},
    {&plot_heatmap,
     {TAKES(STRIDE), TAKES(OP), TAKES(OFFSET), TAKES(LANES), TAKES(ARCH), TAKES(BANK_MODE)},
     of_heatmap,
     ask_heatmap},
    {&plot_archs,
     {TAKES(STRIDE), TAKES(WIDTH), TAKES(OP), TAKES(OFFSET), TAKES(LANES), TAKES(ACCESS)},
     of_archs,
     ask_archs},
    {&plot_bankmap,
     {TAKES(SHARED), TAKES(BLOCK), TAKES(DEFINE), TAKES(FOR), TAKES(ARCH), TAKES(BANK_MODE)},
     of_one,
     NULL},
    {&plot_agreement, {0}, NULL, ask_agreement},
    {&plot_cluster, {TAKES(STRIDE), TAKES(WIDTH), TAKES(OP), TAKES(ARCH)}, of_cluster, ask_cluster},
    {&plot_compare,
     {TAKES(VARIANTS), TAKES(TYPE), TAKES(SIZE), TAKES(CLUSTER), TAKES(ARCH), TAKES(DEVICE)},
     of_one,
     ask_kernels},
};

static const chart_row *find_row(const plot_kind *kind) {
    size_t i = 0;
    while (rows[i].kind != kind)
        i++;
    return &rows[i];
}

const option_words *chart_words(const plot_kind *kind) {
    return find_row(kind)->words;
}

int ask_chart(const plot_kind *kind, const arguments *args, const char *const *words,
              unsigned count, chart_ask *out) {
    const chart_row *row = find_row(kind);
    smp_error error;
    memset(out, 0, sizeof *out);
    if (!row->ask)
        return ask_bankmap(args, words, count, out);
    const asked by = {args, words, count};
    return row->ask(&by, out, &error) == SMP_OK ? 0 : complain(&error);
}

void chart_ask_clear(chart_ask *ask) {
    layout_source_clear(&ask->from);
}

/* ---- Which chart ---- */

const char *chart_kind_word(size_t index, const char **summary) {
    size_t count;
    const plot_kind *const *kinds = plot_kinds(&count);
    if (index > count)
        return NULL;
    *summary = index < count ? kinds[index]->summary
                             : "every chart, or the named kinds, with an index, into -o DIR";
    return index < count ? kinds[index]->name : "all";
}

smp_status chart_kind_find(const char *name, const plot_kind **out, smp_error *error) {
    size_t count, index;
    const plot_kind *const *kinds = plot_kinds(&count);
    if (word_find("plot", "kind", chart_kind_word, name, &index, error))
        return error->status;
    *out = index < count ? kinds[index] : NULL;
    return SMP_OK;
}

bool chart_takes(const plot_kind *kind, smp_option option) {
    static const option_set always = {
        [OPTION_OUTPUT] = true, [OPTION_FORMAT] = true, [OPTION_FORCE] = true,
        [OPTION_THEME] = true,  [OPTION_COLOR] = true,  [OPTION_HELP] = true};
    return always[option] || (kind && find_row(kind)->options[option]);
}

smp_status check_chart_options(const plot_kind *kind, const arguments *args,
                               const plot_operands *operands, smp_error *error) {
    for (unsigned option = 0; option < OPTION_COUNT; option++)
        if (has(args, (smp_option)option) && !chart_takes(kind, (smp_option)option))
            return usage_error(error, "plot %s does not take --%s", kind ? kind->name : "all",
                               option_rows[option].name);
    if (kind && operands->count > kind->operands_max)
        return usage_error(error, "plot %s: '%.60s' is one argument too many", kind->name,
                           operands->words[kind->operands_max]);
    return SMP_OK;
}
