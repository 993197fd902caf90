/* SPDX-License-Identifier: MIT */
/* Saves arrays of a launch in NumPy's format, and compares them with files of expected values. */
#include "launch_text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "text_file.h"
#include "tool.h"

/* ---- NumPy's files: magic, version, size of the header, header, bytes ---- */

size_t smp_npy_head(const uint8_t *bytes, size_t size) {
    if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return 0;
    const size_t head = bytes[6] == 1 ? 10u + bytes[8] + 256u * bytes[9]
                                      : 12u + bytes[8] + 256u * bytes[9] + 65536u * bytes[10];
    return head <= size ? head : 0;
}

/* "<f4"; bfloat16, which NumPy lacks, as its bits. */
static void type_code(const smp_launch_array *array, char out[8]) {
    const char letter = array->kind == SMP_ELEMENT_INTEGER ? (array->is_unsigned ? 'u' : 'i')
                        : array->kind == SMP_ELEMENT_BF16  ? 'u'
                                                           : 'f';
    (void)snprintf(out, 8, "%c%c%u", array->element_bytes == 1 ? '|' : '<', letter,
                   array->element_bytes);
}

static bool write_head(FILE *file, const smp_launch_array *array, uint64_t size_bytes) {
    char text[192], code[8];
    uint8_t head[10] = "\x93NUMPY\x01";
    type_code(array, code);
    int length =
        snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }",
                 code, (unsigned long long)(size_bytes / array->element_bytes));
    while ((10 + length + 1) % 64 != 0)
        text[length++] = ' ';
    text[length++] = '\n';
    head[8] = (uint8_t)length;
    return fwrite(head, 1, sizeof(head), file) == sizeof(head) &&
           fwrite(text, 1, (size_t)length, file) == (size_t)length;
}

static bool save(const char *path, const smp_launch_array *of, const smp_emu_array *array) {
    FILE *file = fopen(path, "wb");
    bool is_written =
        file && (!smp_name_ends(path, ".npy") || write_head(file, of, array->size_bytes));
    is_written =
        is_written && fwrite(array->bytes, 1, array->size_bytes, file) == array->size_bytes;
    return file && fclose(file) == 0 && is_written;
}

smp_status smp_launch_save(const smp_launch_arguments *arguments, const smp_emu_memory *memory,
                           smp_error *error) {
    EACH(const smp_saved_array, saved, arguments->saved, arguments->saved_count) {
        const smp_launch_array *of = &arguments->arrays[saved->argument];
        if (!save(saved->path, of, &memory->arrays[of->array]))
            return smp_error_set(error, SMP_E_WRITE, -1, "%.160s could not be written",
                                 saved->path);
    }
    return SMP_OK;
}

/* ---- Elements as numbers ---- */

double smp_launch_element(const smp_launch_array *array, const uint8_t *at) {
    uint64_t bits = 0;
    double number;
    memcpy(&bits, at, array->element_bytes);
    if (array->kind == SMP_ELEMENT_HALF || array->kind == SMP_ELEMENT_BF16)
        return (double)smp_short_to_float((uint16_t)bits, array->kind == SMP_ELEMENT_BF16);
    if (array->kind == SMP_ELEMENT_FLOAT && array->element_bytes == 4)
        return (double)lanes_float((uint32_t)bits);
    if (array->kind == SMP_ELEMENT_FLOAT) {
        memcpy(&number, at, 8);
        return number;
    }
    const unsigned spare = 64 - 8u * array->element_bytes;
    return array->is_unsigned ? (double)bits : (double)((int64_t)(bits << spare) >> spare);
}

/* True if the bits are equal or the numbers differ by at most the tolerance, relative to the
 * larger. */
static bool is_equal(const smp_launch_array *array, const uint8_t *is, const uint8_t *should,
                     double tolerance) {
    if (memcmp(is, should, array->element_bytes) == 0)
        return true;
    const double a = smp_launch_element(array, is), b = smp_launch_element(array, should);
    if (a == b)
        return true;
    return tolerance > 0 && fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

/* ---- "2=@expected.npy~1e-6" ---- */

typedef struct request {
    uint32_t argument; /* from 0 */
    char path[1024];
    double tolerance;
} request;

static smp_status wrong(smp_error *error, const char *text, const char *what) {
    return smp_error_set(error, SMP_E_USAGE, -1, "--compare %.80s: %s", text, what);
}

static smp_status parse(const char *text, request *out, smp_error *error) {
    const char *start = text + (*text == '$');
    char *end;
    const unsigned long number = strtoul(start, &end, 10);
    if (!isdigit((unsigned char)*start) || number == 0 || number > SMP_ARGUMENTS_MAX ||
        end[0] != '=' || end[1] != '@' || end[2] == '\0')
        return wrong(error, text,
                     "expected N=@FILE: argument N (from 1), and a file, raw or .npy; "
                     "N=@FILE~1e-6 for a tolerance");
    out->argument = (uint32_t)number - 1;
    out->tolerance = 0;
    (void)snprintf(out->path, sizeof(out->path), "%s", end + 2);
    char *tilde = strrchr(out->path, '~');
    if (!tilde)
        return SMP_OK;
    out->tolerance = strtod(tilde + 1, &end);
    if (end == tilde + 1 || *end != '\0' || !(out->tolerance >= 0))
        return wrong(error, text, "expected a relative tolerance after ~, such as 1e-6");
    *tilde = '\0';
    return SMP_OK;
}

/* True if the elements of a NumPy file are of this type. */
static bool fits_type(const smp_launch_array *array, const char *head, size_t size) {
    char code[8], text[256];
    type_code(array, code);
    (void)snprintf(text, sizeof(text), "%.*s", (int)(size < 255 ? size : 255), head);
    return strstr(text, code + 1) && !strchr(text, '>');
}

static void compare_bytes(const request *want, const smp_launch_array *of,
                          const smp_emu_array *array, const uint8_t *bytes, smp_difference *out) {
    const uint64_t count = array->size_bytes / of->element_bytes;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *is = array->bytes + i * of->element_bytes;
        const uint8_t *should = bytes + i * of->element_bytes;
        if (is_equal(of, is, should, want->tolerance))
            continue;
        if (out->count++ > 0)
            continue;
        *out = (smp_difference){want->argument + 1,
                                1,
                                count,
                                i,
                                smp_launch_element(of, is),
                                smp_launch_element(of, should)};
    }
}

smp_status smp_launch_compare(const char *text, const smp_launch_arguments *arguments,
                              const smp_emu_memory *memory, smp_difference *out, smp_error *error) {
    request want;
    char *bytes;
    size_t size;
    memset(out, 0, sizeof(*out));
    smp_status status = parse(text, &want, error);
    if (status != SMP_OK)
        return status;
    const smp_launch_array *of = &arguments->arrays[want.argument];
    if (of->element_bytes == 0)
        return wrong(error, text, "this argument is not an array of the launch");
    const smp_emu_array *array = &memory->arrays[of->array];
    status = smp_tool_read(want.path, &bytes, &size, error);
    if (status != SMP_OK)
        return status;
    const size_t head = smp_npy_head((const uint8_t *)bytes, size);
    if (head > 10 && !fits_type(of, bytes + 10, head - 10))
        status =
            smp_error_set(error, SMP_E_READ, -1, "%.120s has elements of another type", want.path);
    else if (size - head != array->size_bytes)
        status = smp_error_set(
            error, SMP_E_READ, -1, "%.120s has %zu bytes, but argument %u has %llu", want.path,
            size - head, want.argument + 1, (unsigned long long)array->size_bytes);
    else
        compare_bytes(&want, of, array, (const uint8_t *)bytes + head, out);
    free(bytes);
    return status;
}

smp_status smp_launch_compare_check(const char *text, smp_error *error) {
    request want;
    if (parse(text, &want, error) != SMP_OK)
        return error->status;
    FILE *file = fopen(want.path, "rb");
    if (!file)
        return smp_error_set(error, SMP_E_READ, -1, "%.160s: %s", want.path, strerror(errno));
    (void)fclose(file);
    return SMP_OK;
}
