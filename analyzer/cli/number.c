/* SPDX-License-Identifier: MIT */
/* Strict parsers for numbers, ranges and lane lists of the command line. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "say.h"

/* Reads a decimal number at *at and advances *at. */
static smp_status take_number(const char **at, const char *text, const char *option, uint64_t limit,
                              uint64_t *out, smp_error *error) {
    if (**at == '-')
        return usage_error(error, "--%s %s: must not be negative%s", option, text,
                           strcmp(option, "stride") == 0
                               ? "; for descending addresses write 'ld s[31 - threadIdx.x]'"
                               : "");
    if (!isdigit((unsigned char)**at))
        return usage_error(error, "--%s %s: expected a decimal number", option, text);
    char *end;
    errno = 0;
    unsigned long long value = strtoull(*at, &end, 10);
    if (errno == ERANGE || value > limit)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "--%s %s: too large, the limit is %" PRIu64,
                             option, text, limit);
    *at = end;
    *out = value;
    return SMP_OK;
}

smp_status number_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                        smp_error *error) {
    const char *at = text;
    if (take_number(&at, text, option, limit, out, error))
        return error->status;
    return *at == '\0' ? SMP_OK
                       : usage_error(error, "--%s %s: expected a decimal number", option, text);
}

typedef struct span {
    uint64_t first, last, step;
} span;

/* "FIRST", "FIRST:LAST" or "FIRST:LAST:STEP". */
static smp_status take_span(const char **at, const char *text, const char *option, uint64_t limit,
                            span *out, smp_error *error) {
    smp_status status = take_number(at, text, option, limit, &out->first, error);
    out->last = out->first;
    out->step = 1;
    if (status != SMP_OK || **at != ':')
        return status;
    ++*at;
    status = take_number(at, text, option, limit, &out->last, error);
    if (status == SMP_OK && **at == ':') {
        ++*at;
        status = take_number(at, text, option, limit, &out->step, error);
    }
    if (status == SMP_OK && (out->last < out->first || out->step == 0))
        return usage_error(error, "--%s %s: the range is empty", option, text);
    return status;
}

smp_status numbers_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                         size_t capacity, size_t *count, smp_error *error) {
    const char *at = text;
    *count = 0;
    for (;;) {
        span part;
        if (take_span(&at, text, option, limit, &part, error))
            return error->status;
        for (uint64_t value = part.first; value <= part.last; value += part.step) {
            if (*count == capacity)
                return smp_error_set(error, SMP_E_OVERFLOW, -1, "--%s %s: more than %zu values",
                                     option, text, capacity);
            out[(*count)++] = value;
        }
        if (*at == '\0')
            return SMP_OK;
        if (*at++ != ',')
            return usage_error(error,
                               "--%s %s: expected numbers, FIRST:LAST[:STEP] or a list with commas",
                               option, text);
    }
}

static smp_status mask_parse(const char *text, uint32_t *mask, smp_error *error) {
    char *end;
    unsigned long long value = strtoull(text, &end, 16);
    if (*end != '\0' || value > UINT32_MAX || end == text + 2)
        return usage_error(error, "--lanes %s: a mask has at most 8 hexadecimal digits", text);
    *mask = (uint32_t)value;
    return SMP_OK;
}

/* "0-7,16-23,31" */
static smp_status list_parse(const char *text, uint32_t *mask, smp_error *error) {
    const char *at = text;
    for (;;) {
        uint64_t first, last;
        smp_status status = take_number(&at, text, "lanes", SMP_LANES - 1, &first, error);
        last = first;
        if (status == SMP_OK && *at == '-') {
            at++;
            status = take_number(&at, text, "lanes", SMP_LANES - 1, &last, error);
        }
        if (status != SMP_OK)
            return status;
        if (last < first)
            return usage_error(error, "--lanes %s: a range must ascend: %u-%u", text,
                               (unsigned)last, (unsigned)first);
        for (uint64_t lane = first; lane <= last; lane++)
            *mask |= 1u << lane;
        if (*at == '\0')
            return SMP_OK;
        if (*at++ != ',')
            return usage_error(
                error, "--lanes %s: expected a count, a list 0-7,16 or a mask 0x0000ffff", text);
    }
}

smp_status lanes_parse(const char *text, uint32_t *mask, smp_error *error) {
    smp_status status = SMP_OK;
    *mask = 0;
    if (strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0) {
        status = mask_parse(text, mask, error);
    } else if (strpbrk(text, ",-") && text[0] != '-') {
        status = list_parse(text, mask, error);
    } else {
        uint64_t count;
        status = number_parse(text, "lanes", SMP_LANES, &count, error);
        if (status == SMP_OK)
            *mask = (uint32_t)((UINT64_C(1) << count) - 1);
    }
    if (status == SMP_OK && *mask == 0)
        return smp_error_set(error, SMP_E_MASK, -1, "--lanes %s: no lane is active", text);
    return status;
}
