/* SPDX-License-Identifier: MIT */
/*
 * The batch format, one access per line:
 *
 * OP WIDTH MASK OFF0 OFF1 ... OFF31 [: GOFF0 ... GOFF31]
 *
 * `smemprobe batch` spends most of its time parsing, so numbers are read eight characters at a
 * time: arithmetic on all eight finds the first non-digit, and three multiplications join the
 * digits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "smp_accesses.h"

typedef struct cursor {
    const char *start, *at, *end;
    smp_error *error;
} cursor;

#define EIGHT(byte) (0x0101010101010101u * (uint64_t)(byte))

static smp_status fail(const cursor *in, const char *at, smp_status status, const char *what) {
    return smp_error_set(in->error, status, (int)(at - in->start), "%s", what);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(cursor *in) {
    while (in->at < in->end && is_blank(*in->at))
        in->at++;
}

static bool at_end(const cursor *in) {
    return in->at == in->end || *in->at == '#';
}

/* True if a word ends here: blank, end of line, comment or colon. */
static bool at_word_end(const cursor *in) {
    return at_end(in) || is_blank(*in->at) || *in->at == ':';
}

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* The number of leading digits, 0 .. 8, of eight characters; the first is in the low byte. */
static unsigned count_digits(uint64_t text) {
    uint64_t low = text ^ EIGHT('0');                           /* digits become 0 .. 9 */
    uint64_t other = ((low & EIGHT(0x7f)) + EIGHT(0x76)) | low; /* bit 7 of every byte above 9 */
    other &= EIGHT(0x80);
    return other == 0 ? 8 : (unsigned)__builtin_ctzll(other) / 8;
}

/* The value of the first `digits` of eight characters. */
static uint32_t join_digits(uint64_t text, unsigned digits) {
    uint64_t d = digits == 0 ? 0 : (text & EIGHT(0x0f)) << (64 - 8 * digits);
    d = d * 10 + (d >> 8); /* pairs, in every other byte */
    d = (d & 0x000000ff000000ff) * (100 + (1000000ull << 32)) +
        (d >> 16 & 0x000000ff000000ff) * (1 + (10000ull << 32));
    return (uint32_t)(d >> 32);
}

static uint64_t load_eight(const char *at) {
    uint64_t text;
    memcpy(&text, at, sizeof text);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    text = __builtin_bswap64(text);
#endif
    return text;
}

static smp_status read_long_number(cursor *in, uint64_t limit, uint64_t *out) {
    const char *start = in->at;
    uint64_t value = 0;
    for (; in->at < in->end && is_digit(*in->at); in->at++) {
        uint64_t digit = (uint64_t)(*in->at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return fail(in, start, SMP_E_OVERFLOW, "number too large");
        value = value * 10 + digit;
    }
    if (in->at == start)
        return fail(in, start, SMP_E_SYNTAX, "expected a decimal number");
    if (!at_word_end(in))
        return fail(in, in->at, SMP_E_SYNTAX, "unexpected character in a number");
    if (value > limit)
        return fail(in, start, SMP_E_OVERFLOW, "number too large");
    *out = value;
    return SMP_OK;
}

/* Reads a decimal number up to `limit` that ends its word. */
static inline smp_status read_number(cursor *in, uint64_t limit, uint64_t *out) {
    if (in->end - in->at > 8) {
        uint64_t text = load_eight(in->at);
        unsigned digits = count_digits(text);
        if (digits != 0 && digits != 8 && in->at[digits] == ' ') {
            *out = join_digits(text, digits);
            in->at += digits;
            return SMP_OK;
        }
    }
    return read_long_number(in, limit, out);
}

static smp_status read_op(cursor *in, smp_access *out) {
    const char *start = in->at;
    char name[32];
    /* A name may contain colons: ld.shared::cluster. */
    while (!at_end(in) && !is_blank(*in->at))
        in->at++;
    size_t length = (size_t)(in->at - start);
    if (length >= sizeof name || memchr(start, '\0', length))
        return fail(in, start, SMP_E_UNKNOWN_OP, "unknown operation");
    memcpy(name, start, length);
    name[length] = '\0';
    const smp_op_row *row = smp_op_find(name);
    if (!row)
        return smp_error_set(in->error, SMP_E_UNKNOWN_OP, (int)(start - in->start),
                             "unknown operation '%s' (smemprobe list ops)", name);
    out->op = row->op;
    return SMP_OK;
}

static smp_status read_width(cursor *in, smp_access *out) {
    const char *start = in->at;
    uint64_t width;
    smp_status status = read_long_number(in, UINT32_MAX, &width);
    if (status != SMP_OK)
        return status;
    const smp_op_row *row = &smp_ops(NULL)[out->op];
    bool is_power = width != 0 && (width & (width - 1)) == 0;
    if (!is_power || width > 16 || (row->widths & width) == 0)
        return smp_error_set(in->error, SMP_E_WIDTH, (int)(start - in->start),
                             "%s has no form of %" PRIu64 " bytes per lane", row->name, width);
    out->width_bytes = (uint32_t)width;
    return SMP_OK;
}

static int hex_digit(char c) {
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static smp_status read_mask(cursor *in, smp_access *out) {
    const char *start = in->at;
    uint32_t mask = 0;
    unsigned digits = 0;
    if (in->end - in->at > 2 && in->at[0] == '0' && (in->at[1] | 0x20) == 'x')
        in->at += 2;
    for (; in->at < in->end && hex_digit(*in->at) >= 0; in->at++, digits++)
        mask = mask << 4 | (uint32_t)hex_digit(*in->at);
    if (digits != 8 || !at_word_end(in))
        return fail(in, start, SMP_E_SYNTAX, "expected a lane mask of 8 hexadecimal digits");
    if (mask == 0)
        return fail(in, start, SMP_E_MASK, "the mask is 0: no lane is active");
    out->active_mask = mask;
    return SMP_OK;
}

/* The offset of one lane, or "-" if it is inactive. */
static smp_status read_offset(cursor *in, bool active, uint64_t limit, uint64_t *out) {
    skip_blanks(in);
    if (at_end(in) || *in->at == ':')
        return fail(in, in->at, SMP_E_SYNTAX, "expected 32 offsets, one per lane");
    if (*in->at != '-')
        return read_number(in, limit, out);
    const char *dash = in->at++;
    *out = 0;
    if (!at_word_end(in))
        return fail(in, dash, SMP_E_SYNTAX, "an offset cannot be negative");
    if (active)
        return fail(in, dash, SMP_E_SYNTAX, "an active lane needs an offset");
    return SMP_OK;
}

/* Reads a number for each lane into `offsets`, or into `addresses` if that is NULL. */
static inline smp_status read_list(cursor *in, uint32_t mask, uint32_t *offsets,
                                   uint64_t *addresses) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint64_t value;
        smp_status status =
            read_offset(in, mask >> lane & 1, offsets ? UINT32_MAX : INT64_MAX, &value);
        if (status != SMP_OK)
            return status;
        if (offsets)
            offsets[lane] = (uint32_t)value;
        else
            addresses[lane] = value;
    }
    return SMP_OK;
}

static smp_status read_lists(cursor *in, smp_access *out) {
    smp_space space = smp_ops(NULL)[out->op].space;
    if (space == SMP_SPACE_GLOBAL)
        return read_list(in, out->active_mask, NULL, out->address_bytes);
    smp_status status = read_list(in, out->active_mask, out->offset_bytes, NULL);
    if (status != SMP_OK || space != SMP_SPACE_COPY)
        return status;
    skip_blanks(in);
    if (at_end(in) || *in->at != ':')
        return fail(in, in->at, SMP_E_SYNTAX, "expected ':' and 32 global addresses");
    in->at++;
    return read_list(in, out->active_mask, NULL, out->address_bytes);
}

static smp_status read_line(cursor *in, smp_access *out) {
    smp_status status = read_op(in, out);
    skip_blanks(in);
    if (status == SMP_OK)
        status = read_width(in, out);
    skip_blanks(in);
    if (status == SMP_OK)
        status = read_mask(in, out);
    if (status == SMP_OK)
        status = read_lists(in, out);
    skip_blanks(in);
    if (status == SMP_OK && !at_end(in))
        return fail(in, in->at, SMP_E_SYNTAX, "unexpected text after the last offset");
    return status;
}

smp_status smp_batch_parse(const char *line, size_t length, smp_access *out, bool *is_empty,
                           smp_error *error) {
    cursor in = {line, line, line + length, error};
    skip_blanks(&in);
    *is_empty = at_end(&in);
    if (*is_empty)
        return SMP_OK;
    /* Some operations use only one of the two lists; clear the other. */
    out->op = SMP_LD_SHARED;
    smp_status status = read_line(&in, out);
    if (status != SMP_OK)
        return status;
    smp_space space = smp_ops(NULL)[out->op].space;
    if (space == SMP_SPACE_GLOBAL)
        memset(out->offset_bytes, 0, sizeof out->offset_bytes);
    else if (space != SMP_SPACE_COPY)
        memset(out->address_bytes, 0, sizeof out->address_bytes);
    return SMP_OK;
}

static char *put_text(char *at, const char *text) {
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

static char *put_lane(char *at, bool active, uint64_t value) {
    if (!active)
        return put_text(at, " -");
    return at + sprintf(at, " %" PRIu64, value);
}

size_t smp_batch_format(const smp_access *access, char *text) {
    const smp_op_row *row = &smp_ops(NULL)[access->op];
    char *at = put_text(text, row->name);
    at += sprintf(at, " %u %08" PRIx32, access->width_bytes, access->active_mask);
    for (unsigned lane = 0; row->space != SMP_SPACE_GLOBAL && lane < SMP_LANES; lane++)
        at = put_lane(at, access->active_mask >> lane & 1, access->offset_bytes[lane]);
    if (row->space == SMP_SPACE_COPY)
        at = put_text(at, " :");
    bool has_addresses = row->space == SMP_SPACE_COPY || row->space == SMP_SPACE_GLOBAL;
    for (unsigned lane = 0; has_addresses && lane < SMP_LANES; lane++)
        at = put_lane(at, access->active_mask >> lane & 1, access->address_bytes[lane]);
    *at = '\0';
    return (size_t)(at - text);
}
