/* SPDX-License-Identifier: MIT */
/*
 * Stride patterns and their canonical text, which is also used in recorded files: "--op ld
 * --width 4 --stride 33".
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"
#include "text_buffer.h"

smp_pattern smp_pattern_default(void) {
    return (smp_pattern){
        .op = SMP_LD_SHARED, .width_bytes = 4, .stride = 1, .active_mask = SMP_ALL_LANES};
}

smp_status smp_pattern_access(const smp_pattern *pattern, smp_access *out, smp_error *error) {
    smp_access access = {.op = pattern->op,
                         .width_bytes = pattern->width_bytes,
                         .active_mask = pattern->active_mask};
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint64_t step = (uint64_t)pattern->stride * pattern->width_bytes;
        uint64_t offset = pattern->offset_bytes + lane * step;
        bool counts = pattern->active_mask >> lane & 1;
        if (counts && offset > UINT32_MAX)
            return smp_error_set(error, SMP_E_OVERFLOW, (int)lane,
                                 "stride %u puts lane %u at offset %" PRIu64
                                 "; a stride ends at 4294967295, the batch format does not",
                                 pattern->stride, lane, offset);
        access.offset_bytes[lane] = counts ? (uint32_t)offset : 0;
        access.address_bytes[lane] = counts ? offset : 0;
    }
    *out = access;
    return SMP_OK;
}

/* Shared operations have short names. */
static const char *short_op_name(smp_op op) {
    static const char *const names[] = {"ld", "st", "atom", "red", "cas"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (smp_op_find(names[i])->op == op)
            return names[i];
    return smp_ops(NULL)[op].name;
}

size_t smp_pattern_format(const smp_pattern *pattern, char text[SMP_PATTERN_TEXT_MAX]) {
    text_buffer out = text_buffer_over(text, SMP_PATTERN_TEXT_MAX);
    text_add(&out, "--op %s --width %u --stride %u", short_op_name(pattern->op),
             pattern->width_bytes, pattern->stride);
    if (pattern->offset_bytes != 0)
        text_add(&out, " --offset %u", pattern->offset_bytes);
    if (pattern->active_mask != SMP_ALL_LANES)
        text_add(&out, " --lanes 0x%08" PRIx32, pattern->active_mask);
    return out.length;
}

/* ---- Reading ---- */

typedef struct reader {
    const char *text, *at;
    smp_error *error;
    unsigned given; /* bit i: field i was read */
} reader;

static smp_status fail(const reader *r, smp_status status, const char *what) {
    return smp_error_set(r->error, status, (int)(r->at - r->text), "%s", what);
}

/* Reads a number of at most 32 bits that ends at a blank or the end of the text. */
static smp_status take_number(reader *r, int base, uint32_t *out) {
    char *end;
    if (!isxdigit((unsigned char)*r->at)) /* strtoull would skip blanks and take signs */
        return fail(r, SMP_E_SYNTAX, "expected a number");
    unsigned long long value = strtoull(r->at, &end, base);
    if (*end != ' ' && *end != '\0')
        return fail(r, SMP_E_SYNTAX, "expected a number");
    if (value > UINT32_MAX)
        return fail(r, SMP_E_OVERFLOW, "more than 32 bits");
    r->at = end;
    *out = (uint32_t)value;
    return SMP_OK;
}

static smp_status take_op(reader *r, smp_op *out) {
    char name[40];
    size_t length = strcspn(r->at, " ");
    if (length < sizeof name) {
        memcpy(name, r->at, length);
        name[length] = '\0';
        const smp_op_row *row = smp_op_find(name);
        if (row) {
            r->at += length;
            *out = row->op;
            return SMP_OK;
        }
    }
    return fail(r, SMP_E_UNKNOWN_OP, "no such operation");
}

static smp_status take_mask(reader *r, uint32_t *out) {
    if (strncmp(r->at, "0x", 2) != 0)
        return fail(r, SMP_E_SYNTAX, "expected a mask such as 0x0000ffff");
    r->at += 2;
    smp_status status = take_number(r, 16, out);
    return status == SMP_OK && *out == 0 ? fail(r, SMP_E_MASK, "no lane is active") : status;
}

/* "--width 4": the word and its value. */
static smp_status take_field(reader *r, smp_pattern *out) {
    static const char *const words[] = {"--op ", "--width ", "--stride ", "--offset ", "--lanes "};
    unsigned field = 0, count = sizeof words / sizeof words[0];
    while (field < count && strncmp(r->at, words[field], strlen(words[field])) != 0)
        field++;
    if (field == count || (r->given >> field & 1))
        return fail(r, SMP_E_SYNTAX, "expected a word of a pattern, once");
    r->given |= 1u << field;
    r->at += strlen(words[field]);
    uint32_t *const numbers[] = {NULL, &out->width_bytes, &out->stride, &out->offset_bytes};
    return field == 0   ? take_op(r, &out->op)
           : field == 4 ? take_mask(r, &out->active_mask)
                        : take_number(r, 10, numbers[field]);
}

smp_status smp_pattern_parse(const char *text, smp_pattern *out, smp_error *error) {
    reader r = {text, text, error, 0};
    *out = smp_pattern_default();
    for (;;) {
        smp_status status = take_field(&r, out);
        if (status != SMP_OK)
            return status;
        if (*r.at == '\0')
            break;
        r.at++;
    }
    const smp_op_row *row = &smp_ops(NULL)[out->op];
    const bool is_power = out->width_bytes != 0 && (out->width_bytes & (out->width_bytes - 1)) == 0;
    if (is_power && (row->widths & out->width_bytes))
        return SMP_OK;
    return smp_error_set(error, SMP_E_WIDTH, -1, "%s has no width of %" PRIu32 " bytes", row->name,
                         out->width_bytes);
}

/* ---- Every combination of operations, widths and strides ---- */

typedef struct walk {
    smp_visit_fn visit;
    void *user;
    smp_error *error;
    size_t index, shown;
} walk;

static smp_status show(walk *w, const smp_pattern *pattern) {
    smp_access access;
    const smp_occurrence seen = {
        .access = &access, .times = 1, .index = w->index++, .pattern = pattern};
    if (smp_pattern_access(pattern, &access, w->error) != SMP_OK)
        return SMP_OK;
    w->shown++;
    return w->visit(w->user, &seen, w->error);
}

static smp_status visit_strides(const void *from, smp_visit_fn visit, void *user,
                                smp_error *error) {
    const smp_axes *axes = from;
    smp_pattern pattern = axes->base;
    walk w = {.visit = visit, .user = user, .error = error};
    const size_t of_op = axes->width_count * axes->stride_count;
    for (size_t i = 0; i < axes->op_count * of_op; i++) {
        pattern.op = axes->ops[i / of_op];
        pattern.width_bytes = (uint32_t)axes->widths[i % of_op / axes->stride_count];
        pattern.stride = (uint32_t)axes->strides[i % axes->stride_count];
        const smp_status status = show(&w, &pattern);
        if (status != SMP_OK)
            return status;
    }
    return w.shown > 0 || w.index == 0 ? SMP_OK : error->status;
}

const smp_stream smp_stream_strides = {"strides", visit_strides};
