/* SPDX-License-Identifier: MIT */
/* Fills an array of a launch: zero, iota, random:LOW:HIGH[:SEED] or the bytes of a file. */
#include "launch_fill.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lanes.h"
#include "launch_text.h"
#include "random_form.h"
#include "smp_accesses.h"
#include "tool.h"

void smp_launch_put_number(uint8_t *at, const smp_element_type *type, double number,
                           uint64_t integer) {
    const float single = (float)number;
    if (type->kind == SMP_ELEMENT_INTEGER) {
        memcpy(at, &integer, type->bytes);
    } else if (type->kind != SMP_ELEMENT_FLOAT) {
        const uint16_t half = smp_short_of_double(number, type->kind == SMP_ELEMENT_BF16);
        memcpy(at, &half, 2);
    } else if (type->bytes == 4) {
        memcpy(at, &single, 4);
    } else {
        memcpy(at, &number, 8);
    }
}

static smp_status wrong(const launch_fill *f, const char *at, const char *what) {
    return smp_error_set(f->error, SMP_E_SYNTAX, f->column + (int)(at - f->how),
                         "launch: argument %u, '%.60s': %s", f->argument, f->how, what);
}

/* ---- Random values ---- */

typedef struct range {
    __int128 low, high, seed; /* for integers */
    double real_low, real_high;
} range;

static bool is_integer(const launch_fill *f) {
    return f->type->kind == SMP_ELEMENT_INTEGER;
}

/* "random:SEED" and "random:SEED:LIMIT" are old forms with another meaning. */
static smp_status refuse_form(const launch_fill *f, const range *given, bool has_limit) {
    char what[160];
    const char *low = is_integer(f) ? "0" : "-1";
    const unsigned long long seed = (unsigned long long)given->low;
    const __int128 most = is_integer(f) && has_limit ? given->high - 1 : is_integer(f) ? 1023 : 1;
    (void)snprintf(what, sizeof what,
                   "random values are " SMP_RANDOM_FORM ", both included, as random:%s:%lld:%llu",
                   low, (long long)most, seed);
    return wrong(f, f->how, what);
}

/* Reads a bound of the range at *at and moves *at past it. */
static const char *read_bound(const launch_fill *f, const char **at, __int128 *integer,
                              double *real) {
    char *end;
    if (is_integer(f))
        return smp_launch_integer(at, false, integer);
    *real = strtod(*at, &end);
    if (end == *at || !(*real >= -1e300 && *real <= 1e300))
        return "a number is expected here";
    *integer = *real >= 0 && *real < 1e18 ? (__int128)*real : 0;
    *at = end;
    return NULL;
}

static const char *check_type(const launch_fill *f, const range *given) {
    const unsigned bits = f->type->is_bool ? 1 : 8 * f->type->bytes;
    const bool is_signed = !f->type->is_unsigned && !f->type->is_bool;
    const __int128 count = (__int128)1 << bits, least = is_signed ? -count / 2 : 0;
    return given->low < least || given->high >= least + count ? "the type cannot hold this range"
                                                              : NULL;
}

static smp_status read_range(const launch_fill *f, range *out) {
    const char *at = f->how + strlen("random:"), *why;
    why = read_bound(f, &at, &out->low, &out->real_low);
    if (!why && *at != ':')
        return *at == '\0' ? refuse_form(f, out, false) : wrong(f, at, "':' is expected here");
    if (!why) {
        at++;
        why = read_bound(f, &at, &out->high, &out->real_high);
    }
    if (!why && (is_integer(f) ? out->high < out->low : out->real_high < out->real_low))
        return refuse_form(f, out, true);
    out->seed = SMP_RANDOM_SEED;
    if (!why && *at == ':') {
        at++;
        why = smp_launch_integer(&at, false, &out->seed);
    }
    if (!why && *at != '\0')
        why = "nothing more is expected here";
    if (!why && is_integer(f))
        why = check_type(f, out);
    return why ? wrong(f, at, why) : SMP_OK;
}

static smp_status fill_random(const launch_fill *f) {
    range of = {0};
    const smp_status status = read_range(f, &of);
    if (status != SMP_OK || f->is_check)
        return status;
    smp_random random = {(uint64_t)of.seed};
    uint8_t *at = f->array->bytes,
            *end = at + f->array->size_bytes / f->type->bytes * f->type->bytes;
    const int64_t low = (int64_t)of.low, high = (int64_t)of.high;
    const bool is_word = is_integer(f) && f->type->bytes == 4; /* the common case: twice as fast */
    for (; is_word && at < end; at += 4) {
        const int64_t value = smp_random_between(smp_random_next(&random), low, high);
        memcpy(at, &(uint32_t){(uint32_t)value}, 4);
    }
    for (; at < end; at += f->type->bytes) {
        const uint64_t bits = smp_random_next(&random);
        const double part = (double)(bits >> 11) * 0x1p-53;
        smp_launch_put_number(at, f->type, of.real_low + part * (of.real_high - of.real_low),
                              (uint64_t)smp_random_between(bits, low, high));
    }
    return SMP_OK;
}

/* ---- The others ---- */

static smp_status fill_from_file(const launch_fill *f) {
    const char *path = f->how + 1;
    char *bytes;
    size_t size;
    if (f->is_check && access(path, R_OK) == 0)
        return SMP_OK;
    smp_status status = smp_tool_read(path, &bytes, &size, f->error);
    if (status != SMP_OK)
        return status;
    const size_t head = smp_npy_head((const uint8_t *)bytes, size);
    if (size - head == f->array->size_bytes)
        memcpy(f->array->bytes, bytes + head, f->array->size_bytes);
    else
        status =
            smp_error_set(f->error, SMP_E_READ, f->column,
                          "launch: argument %u: %.80s has %zu bytes, but the array has %" PRIu64,
                          f->argument, path, size - head, f->array->size_bytes);
    free(bytes);
    return status;
}

static void fill_iota(const launch_fill *f) {
    const uint32_t bytes = f->type->bytes;
    for (uint64_t i = 0; !f->is_check && (i + 1) * bytes <= f->array->size_bytes; i++)
        smp_launch_put_number(f->array->bytes + i * bytes, f->type, (double)i, i);
}

smp_status smp_launch_fill(const launch_fill *f) {
    if (*f->how == '@')
        return fill_from_file(f);
    if (strncmp(f->how, "random:", strlen("random:")) == 0)
        return fill_random(f);
    if (strcmp(f->how, "iota") == 0)
        fill_iota(f);
    else if (strcmp(f->how, "zero") != 0)
        return wrong(f, f->how, "arrays are filled by zero, iota, " SMP_RANDOM_FORM " or @FILE");
    return SMP_OK;
}
