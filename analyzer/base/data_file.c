/* SPDX-License-Identifier: MIT */
/*
 * Reads files of integers. Messages never show what is in the file, since it may be confidential.
 *
 * Source of the format: NumPy, numpy/lib/format.py (NEP 1).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data_file.h"
#include "text_file.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = sizeof magic - 1, HEAD_V1_BYTES = MAGIC_BYTES + 4 };

typedef struct npy_type {
    size_t bytes;
    bool is_signed, is_reversed;
} npy_type;

static smp_status fail(smp_error *error, const char *name, const char *why) {
    return smp_error_set(error, SMP_E_READ, -1, "%.100s: %s", name, why);
}

/* ---- .npy ---- */

/* The text behind "'key':", without blanks before it; NULL if there is none. */
static const char *find_key(const char *head, const char *key) {
    const char *at = strstr(head, key);
    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, " :");
}

/* "'<i4'": order, kind, bytes. */
static bool parse_type(const char *head, npy_type *out) {
    const char *at = find_key(head, "'descr'");
    if (!at || at[0] != '\'' || !strchr("<>|=", at[1]) || !strchr("iub", at[2]))
        return false;
    out->bytes = (size_t)(at[3] - '0');
    out->is_signed = at[2] == 'i';
    out->is_reversed = at[1] == '>';
    const bool is_size = out->bytes == 1 || out->bytes == 2 || out->bytes == 4 || out->bytes == 8;
    return is_size && at[4] == '\'';
}

static int64_t read_value(const unsigned char *at, const npy_type *type) {
    uint64_t value = 0;
    for (size_t i = 0; i < type->bytes; i++)
        value |= (uint64_t)at[type->is_reversed ? type->bytes - 1 - i : i] << 8 * i;
    const unsigned unused = (unsigned)(64 - 8 * type->bytes);
    return type->is_signed ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

static smp_status read_npy(const char *name, const char *text, size_t length, int64_t **values,
                           size_t *count, smp_error *error) {
    const unsigned char *bytes = (const unsigned char *)text;
    const bool is_v1 = length > MAGIC_BYTES && bytes[MAGIC_BYTES] == 1;
    const size_t start = is_v1 ? HEAD_V1_BYTES : HEAD_V1_BYTES + 2;
    char head[4096];
    npy_type type;
    if (length < start)
        return fail(error, name, "the .npy file ends inside its header");
    size_t size = (size_t)bytes[MAGIC_BYTES + 2] | (size_t)bytes[MAGIC_BYTES + 3] << 8;
    if (!is_v1)
        size |= (size_t)bytes[MAGIC_BYTES + 4] << 16 | (size_t)bytes[MAGIC_BYTES + 5] << 24;
    if (size >= sizeof head || size > length - start)
        return fail(error, name, "the .npy file ends inside its header");
    memcpy(head, text + start, size);
    head[size] = '\0';
    const char *order = find_key(head, "'fortran_order'");
    if (!parse_type(head, &type))
        return fail(error, name, "its elements are not integers");
    if (!order || strncmp(order, "False", 5) != 0)
        return fail(error, name, "its elements are in Fortran order: save it in C order");
    *count = (length - start - size) / type.bytes;
    *values = malloc((*count + 1) * sizeof **values);
    if (!*values)
        return smp_error_memory(error);
    for (size_t i = 0; i < *count; i++)
        (*values)[i] = read_value(bytes + start + size + i * type.bytes, &type);
    return SMP_OK;
}

/* ---- Text ---- */

static smp_status read_numbers(const char *name, char *text, size_t length, int64_t **values,
                               size_t *count, smp_error *error) {
    static const char between[] = " \t\r\n,;";
    char *at = text, *end = text + length;
    *values = malloc((length / 2 + 1) * sizeof **values);
    if (!*values)
        return smp_error_memory(error);
    *end = '\0';
    for (at += strspn(at, between); at < end; at += strspn(at, between)) {
        char *after;
        errno = 0;
        const long long value = strtoll(at, &after, 10);
        if (after == at || errno != 0 || (*after != '\0' && !strchr(between, *after)))
            return smp_error_set(error, SMP_E_READ, -1,
                                 "%.100s: integer number %zu cannot be read (byte %zu)", name,
                                 *count + 1, (size_t)(at - text));
        (*values)[(*count)++] = value;
        at = after;
    }
    return SMP_OK;
}

smp_status smp_data_file_read(const char *name, int64_t **values, size_t *count, smp_error *error) {
    struct stat found;
    char *text = NULL;
    size_t length;
    *values = NULL;
    *count = 0;
    if (stat(name, &found) != 0)
        return fail(error, name, strerror(errno));
    if (!S_ISREG(found.st_mode))
        return fail(error, name, "not a regular file");
    smp_status status = smp_text_read(name, &text, &length, error);
    if (status != SMP_OK) {
        char reason[128];
        (void)snprintf(reason, sizeof reason, "%.120s", error->message);
        (void)fail(error, name, reason);
    } else if (length >= MAGIC_BYTES && memcmp(text, magic, MAGIC_BYTES) == 0) {
        status = read_npy(name, text, length, values, count, error);
    } else {
        status = read_numbers(name, text, length, values, count, error);
    }
    free(text);
    if (status == SMP_OK && *count == 0)
        status = fail(error, name, "it contains no integer");
    return status;
}
