/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a profile file: behind its header, or, if the first byte is odd, each line as a
 * block that is packed as it should be. What comes out is merged, written, and read again; judged,
 * and shown in every format of the library.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "fuzz.h"
#include "profile_file.h"
#include "smp_profile.h"

enum { HEADER = 16, ROOM = 1 << 20 };
static const uint8_t header[HEADER] = {0x50, 0x2a, 0x4d, 0x18, 8,   0,   0, 0,
                                       's',  'm',  'p',  'r',  'o', 'f', 0, SMP_PROFILE_VERSION};

/* A whole block around a line; returns its bytes, 0: it has no room. */
static size_t wrap(const uint8_t *line, size_t size, uint8_t *out, size_t room) {
    static const uint8_t frame[8] = {0x51, 0x2a, 0x4d, 0x18, 8, 0, 0, 0};
    const size_t packed =
        room > HEADER ? ZSTD_compress(out + HEADER, room - HEADER, line, size, 1) : 0;
    if (packed == 0 || ZSTD_isError(packed))
        return 0;
    memcpy(out, frame, sizeof frame);
    for (unsigned i = 0; i < 4; i++) {
        out[8 + i] = (uint8_t)(packed >> 8 * i);
        out[12 + i] = (uint8_t)(size >> 8 * i);
    }
    return HEADER + packed;
}

static size_t wrap_lines(const uint8_t *data, size_t size, uint8_t *out, size_t room) {
    size_t length = 0;
    for (size_t start = 0; start < size;) {
        const uint8_t *newline = memchr(data + start, '\n', size - start);
        const size_t end = newline ? (size_t)(newline - data) + 1 : size;
        const size_t made = wrap(data + start, end - start, out + length, room - length);
        if (made == 0)
            return length;
        length += made;
        start = end;
    }
    return length;
}

static void write_and_read(const smp_profile *profile) {
    char *bytes = NULL;
    size_t size = 0;
    smp_profile again = {0};
    smp_profile_loss loss;
    smp_error error;
    FILE *out = open_memstream(&bytes, &size);
    if (!out || smp_profile_write(out, profile, &error) != SMP_OK || fclose(out) != 0)
        abort();
    FILE *in = fmemopen(bytes, size, "rb");
    if (!in || smp_profile_read(in, &again, &loss, &error) != SMP_OK || loss.blocks > 0 ||
        loss.cut || again.kernel_count != profile->kernel_count ||
        again.finding_count != profile->finding_count || again.run_count != profile->run_count)
        abort();
    (void)fclose(in);
    smp_profile_clear(&again);
    free(bytes);
}

static void show(const smp_profile *profile) {
    static const char *const formats[] = {"text",  "json",  "csv",    "md",  "html", "github",
                                          "junit", "sarif", "gitlab", "gcc", NULL};
    const smp_profile_bounds bounds = {.max_ways = 1, .max_excess = 0};
    smp_profile_verdict verdict;
    smp_profile_row row;
    smp_fault fault;
    smp_error error;
    FILE *out = fopen("/dev/null", "w");
    if (!out || smp_profile_judge(profile, &bounds, NULL, NULL, &verdict, &error) != SMP_OK)
        abort();
    for (unsigned i = 0; formats[i]; i++)
        if (smp_profile_document(profile, formats[i], i % 2 ? &bounds : NULL, out, &error) !=
            SMP_OK)
            abort();
    (void)fclose(out);
    for (size_t i = 0; smp_profile_row_at(profile, i, &row); i++)
        ;
    for (size_t i = 0; smp_profile_fault_at(profile, i, &fault); i++)
        ;
}

static void read_bytes(uint8_t *bytes, size_t size) {
    smp_profile profile = {0}, sum = {0};
    smp_profile_loss loss;
    smp_error error;
    FILE *in = fmemopen(bytes, size, "rb");
    if (!in)
        return;
    if (smp_profile_read(in, &profile, &loss, &error) == SMP_OK &&
        smp_profile_sort(&profile, &error) == SMP_OK &&
        smp_profile_merge(&sum, &profile, &error) == SMP_OK) {
        write_and_read(&sum);
        show(&sum);
    }
    (void)fclose(in);
    smp_profile_clear(&profile);
    smp_profile_clear(&sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t bytes[ROOM];
    if (size == 0 || size > ROOM / 2)
        return 0;
    memcpy(bytes, header, HEADER);
    size_t length = size - 1;
    if (data[0] & 1)
        length = wrap_lines(data + 1, size - 1, bytes + HEADER, ROOM - HEADER);
    else
        memcpy(bytes + HEADER, data + 1, length);
    read_bytes(bytes, HEADER + length);
    return 0;
}
