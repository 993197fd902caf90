/* SPDX-License-Identifier: MIT */
/*
 * plot compare: the variants of one kernel side by side, from the data of `compare FAMILY --format
 * csv`.
 */
#include <string.h>

#include "list.h"
#include "plot.h"
#include "write_format.h"

static const char *family(size_t index) {
    size_t count;
    const smp_kernel_family *const *rows = smp_kernel_families(&count);
    return index < count ? rows[index]->name : NULL;
}

static const char digit[] = "0123456789";

static bool has_long_number(const char *text) {
    size_t longest = 0;
    for (; *text != '\0'; text += strcspn(text, digit)) {
        const size_t digits = strspn(text, digit);
        longest = digits > longest ? digits : longest;
        text += digits;
    }
    return longest > 4;
}

/* Formats "1024x16777216" as "1,024 x 16,777,216", also within other text; "4096x4096" stays. `out`
 * must hold twice the length of `text`. */
static void group_digits(const char *text, char *out) {
    const bool is_grouped = has_long_number(text);
    while (*text != '\0') {
        const size_t digits = strspn(text, digit);
        for (size_t i = 0; i < digits; i++) {
            if (is_grouped && i > 0 && (digits - i) % 3 == 0)
                *out++ = ',';
            *out++ = *text++;
        }
        if (digits > 0 && is_grouped && text[0] == 'x' && strspn(text + 1, digit) > 0) {
            memcpy(out, " x ", 3);
            out += 3;
            text++;
        } else if (*text != '\0' && digits == 0) {
            *out++ = *text++;
        }
    }
    *out = '\0';
}

static void describe(plot *out, const comparison *c) {
    char problem[SMP_CASE_TEXT_MAX], grouped[2 * SMP_CASE_TEXT_MAX];
    bool is_timed = false, is_remote = false, is_measured = false, has_yardstick = false;
    for (size_t i = 0; i < c->count; i++) {
        const uint64_t *n = c->rows[i].forecast.traffic.count;
        is_measured = is_measured || c->rows[i].origin != SMP_NOT_MEASURED;
        is_timed = is_timed || c->rows[i].measured.is_timed;
        has_yardstick = has_yardstick || c->rows[i].measured.baseline_us > 0;
        is_remote = is_remote || n[SMP_CLUSTER_LD] + n[SMP_CLUSTER_ST] + n[SMP_CLUSTER_ATOM] > 0;
    }
    (void)smp_kernel_case_format(&c->problem, c->family->is_matrix, problem);
    group_digits(problem, grouped);
    PLOT_TEXT(out->title, "%.20s of %.80s by variant, whole launch on %.20s", c->family->name,
              grouped, c->arch->name);
    PLOT_TEXT(out->subtitle, "the mark is the ideal%s%.100s%s",
              !has_yardstick        ? ""
              : c->family->baseline ? "; for the time, "
                                    : "; for the time, the ",
              has_yardstick ? c->family->baseline_name : "",
              has_yardstick ? " of the same run" : "");
    PLOT_TEXT(out->provenance, "smemprobe %s, model%s%.250s", SMP_VERSION, is_measured ? "; " : "",
              is_measured ? c->provenance : "; not measured");
    plot_set(out, "variants", "%zu", c->count);
    plot_set(out, "timed", "%d", is_timed);
    plot_set(out, "yardstick", "%d", has_yardstick);
    plot_set(out, "remote", "%d", is_remote);
}

/* Uses `compare`. */
static smp_status fill(plot *out, smp_error *error) {
    static comparison c;
    memset(&c, 0, sizeof c);
    if (compare_fill(&out->ask->compare, &c, error))
        return error->status;
    if (EVERY(one, c.rows, c.count, one->variant->host)) /* which accesses no GPU memory */
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "plot compare: variants that run on the host have nothing to draw");
    describe(out, &c);
    smp_compare_csv(out->data, &c, 1);
    return SMP_OK;
}

#define LOADS_STORES_ATOMICS(what) what "_ld+" what "_st+" what "_atom"
#define SECTORS(what) what "_ld+" what "_st+" what "_red"

static const plot_panel panels[] = {
    {.form = PLOT_BARS,
     .x = "variant",
     .series = {{.name = "time, us",
                 .value = "time_us",
                 .mark = "baseline_us",
                 .busy = LOADS_STORES_ATOMICS("wavefronts") "+" SECTORS("sectors"),
                 .idle = "(host)",
                 .none = "not timed",
                 .is_exceptions = true,
                 .is_wide = true},
                {.name = "shared wavefronts",
                 .value = LOADS_STORES_ATOMICS("wavefronts"),
                 .counted = LOADS_STORES_ATOMICS("counted_wavefronts"),
                 .mark = "ideal"},
                {.name = "global sectors",
                 .value = SECTORS("sectors"),
                 .counted = SECTORS("counted_sectors"),
                 .mark = "ideal_sectors"},
                {.name = "remote sectors",
                 .value = LOADS_STORES_ATOMICS("cluster"),
                 .is_exceptions = true}}},
    {.form = PLOT_END}};

const plot_kind plot_compare = {
    .name = "compare",
    .summary = "variants of one kernel: time, wavefronts and sectors",
    .operands = "FAMILY",
    .operands_max = 1,
    .operand = family,
    .fill = fill,
    .panels = panels,
};
