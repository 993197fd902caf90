/* SPDX-License-Identifier: MIT */
/*
 * Rows of the batch command. They are formatted without printf, which is too slow for millions of
 * rows.
 */
#include <string.h>

#include "write_format.h"

static char *put_number(char *at, uint64_t value) {
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

static char *put_string(char *at, const char *text) {
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

/* Writes a comma, and the number if it is known. */
static char *put_field(char *at, bool known, uint64_t value) {
    *at++ = ',';
    return known ? put_number(at, value) : at;
}

static char *put_csv(char *at, uint64_t line, const smp_access *access, const smp_counts *c) {
    bool waves = c->valid & SMP_HAS_WAVEFRONTS, moved = c->valid & SMP_HAS_TRANSACTIONS;
    at = put_number(at, line);
    *at++ = ',';
    at = put_string(at, smp_ops(NULL)[access->op].name);
    at = put_field(at, true, access->width_bytes);
    at = put_field(at, true, (uint64_t)__builtin_popcount(access->active_mask));
    at = put_field(at, waves, c->wavefronts_min);
    at = put_field(at, waves, c->wavefronts_max);
    at = put_field(at, waves, c->ideal);
    at = put_field(at, waves, c->ways);
    at = put_field(at, moved, c->transactions);
    at = put_field(at, moved, c->bytes);
    *at++ = '\n';
    return at;
}

static char *put_member(char *at, const char *name, bool known, uint64_t value) {
    at = put_string(at, ",\"");
    at = put_string(at, name);
    at = put_string(at, "\":");
    return known ? put_number(at, value) : put_string(at, "null");
}

static char *put_jsonl(char *at, uint64_t line, const smp_access *access, const smp_counts *c) {
    bool waves = c->valid & SMP_HAS_WAVEFRONTS, moved = c->valid & SMP_HAS_TRANSACTIONS;
    at = put_string(at, "{\"line\":");
    at = put_number(at, line);
    at = put_string(at, ",\"op\":\"");
    at = put_string(at, smp_ops(NULL)[access->op].name);
    *at++ = '"';
    at = put_member(at, "width_bytes", true, access->width_bytes);
    at = put_member(at, "active_lanes", true, (uint64_t)__builtin_popcount(access->active_mask));
    at = put_member(at, "wavefronts_min", waves, c->wavefronts_min);
    at = put_member(at, "wavefronts_max", waves, c->wavefronts_max);
    at = put_member(at, "ideal", waves, c->ideal);
    at = put_member(at, "ways", waves, c->ways);
    at = put_member(at, "transactions", moved, c->transactions);
    at = put_member(at, "bytes", moved, c->bytes);
    return put_string(at, "}\n");
}

const smp_batch_form smp_batch_csv = {"line,op,width_bytes,active_lanes,wavefronts_min,wavefronts_"
                                      "max,ideal,ways,transactions,bytes\n",
                                      put_csv};
const smp_batch_form smp_batch_jsonl = {"", put_jsonl};
