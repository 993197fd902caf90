/* SPDX-License-Identifier: MIT */
/*
 * One mistake for each function that can fail: its status, and the same without somebody who wants
 * the message.
 */
#define _GNU_SOURCE /* fmemopen */
#include <smemprobe.h>
#include <stdio.h>
#include <string.h>

static const smp_arch *hopper(void) {
    return smp_arch_find("sm_90");
}

static smp_access access_of(uint32_t width, uint32_t mask) {
    smp_access out = {.op = SMP_LD_SHARED, .width_bytes = width, .active_mask = mask};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out.offset_bytes[lane] = 4 * lane;
    return out;
}

static smp_status no_lanes(smp_error *error) {
    const smp_access access = access_of(4, 0);
    return smp_access_check(hopper(), &access, error);
}

static smp_status no_width(smp_error *error) {
    const smp_access access = access_of(5, SMP_ALL_LANES);
    return smp_access_check(hopper(), &access, error);
}

static smp_status not_aligned(smp_error *error) {
    const smp_access access = access_of(8, SMP_ALL_LANES);
    return smp_access_check(hopper(), &access, error);
}

static smp_status far_pattern(smp_error *error) {
    smp_pattern pattern = smp_pattern_default();
    smp_access access;
    pattern.stride = UINT32_MAX;
    return smp_pattern_access(&pattern, &access, error);
}

static smp_status no_pattern(smp_error *error) {
    smp_pattern pattern;
    return smp_pattern_parse("--stride x", &pattern, error);
}

static smp_status no_line(smp_error *error) {
    static const char line[] = "ld.shared 4 0000000f 0 4";
    smp_access access;
    bool is_empty;
    return smp_batch_parse(line, strlen(line), &access, &is_empty, error);
}

/* ---- Layouts ---- */

static smp_status layout_of(const char *text, smp_layout **out, smp_error *error) {
    unsigned line;
    *out = smp_layout_new();
    return smp_layout_add_lines(*out, text, strlen(text), &line, error);
}

static smp_status no_statement(smp_error *error) {
    smp_layout *layout;
    const smp_status status = layout_of("shared float t[32\n", &layout, error);
    smp_layout_free(layout);
    return status;
}

static smp_status no_value(smp_error *error) {
    smp_layout *layout;
    smp_totals totals;
    unsigned line;
    smp_status status = layout_of("shared float t[4]\nld t[threadIdx.x]\n", &layout, error);
    if (status == SMP_OK)
        status = smp_layout_evaluate(layout, hopper(), 0, &totals, &line, error);
    smp_layout_free(layout);
    return status;
}

static smp_status no_access(smp_error *error) {
    smp_layout *layout;
    smp_totals totals;
    unsigned line;
    smp_status status = layout_of("shared float t[32]\nld t[threadIdx.x]\n", &layout, error);
    if (status == SMP_OK)
        status = smp_layout_evaluate(layout, hopper(), 7, &totals, &line, error);
    smp_layout_free(layout);
    return status;
}

static smp_status no_room(smp_error *error) {
    smp_layout *layout;
    smp_status status = layout_of("shared float t[1000000]\nld t[threadIdx.x]\n", &layout, error);
    if (status == SMP_OK)
        status = smp_layout_check_memory(layout, hopper(), error);
    smp_layout_free(layout);
    return status;
}

static smp_status no_expression(smp_error *error) {
    smp_layout *layout;
    int64_t values[SMP_LANES];
    const char *type;
    smp_status status = layout_of("block 32\n", &layout, error);
    if (status == SMP_OK)
        status = smp_layout_value(layout, 0, "threadIdx.x +", 13, values, &type, error);
    smp_layout_free(layout);
    return status;
}

static smp_status fix_with(const char *text, const smp_arch *archs, size_t count,
                           smp_error *error) {
    const smp_fix_options options = {.archs = archs, .arch_count = count};
    smp_fix *fix = NULL;
    unsigned line;
    const smp_status status = smp_fix_solve(text, strlen(text), &options, &fix, &line, error);
    smp_fix_free(fix);
    return status;
}

static smp_status no_archs(smp_error *error) {
    return fix_with("shared float t[32][32]\nld t[threadIdx.x][0]\n", NULL, 0, error);
}

static smp_status nothing_to_fix(smp_error *error) {
    return fix_with("shared float t[32\n", hopper(), 1, error);
}

/* ---- Each, once with and once without its message ---- */

typedef struct mistake {
    const char *name;
    smp_status (*call)(smp_error *error);
    smp_status status;
} mistake;

#define MISTAKE(function, status) \
    { #function, function, status }

static const mistake mistakes[] = {
    MISTAKE(no_lanes, SMP_E_MASK),          MISTAKE(no_width, SMP_E_WIDTH),
    MISTAKE(not_aligned, SMP_E_MISALIGNED), MISTAKE(far_pattern, SMP_E_OVERFLOW),
    MISTAKE(no_pattern, SMP_E_SYNTAX),      MISTAKE(no_line, SMP_E_SYNTAX),
    MISTAKE(no_statement, SMP_E_SYNTAX),    MISTAKE(no_value, SMP_E_RANGE),
    MISTAKE(no_access, SMP_E_USAGE),        MISTAKE(no_room, SMP_E_RANGE),
    MISTAKE(no_expression, SMP_E_SYNTAX),   MISTAKE(no_archs, SMP_E_USAGE),
    MISTAKE(nothing_to_fix, SMP_E_SYNTAX),
};

int main(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        smp_error error = {.message = ""};
        const smp_status told = mistakes[i].call(&error), quiet = mistakes[i].call(NULL);
        const bool is_right = told == mistakes[i].status && quiet == told && error.status == told &&
                              error.message[0] != '\0';
        if (!is_right)
            printf("%s: %s, and %s without a message, should be %s: %s\n", mistakes[i].name,
                   smp_status_name(told), smp_status_name(quiet),
                   smp_status_name(mistakes[i].status), error.message);
        failed |= !is_right;
    }
    return failed;
}
