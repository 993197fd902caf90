/* SPDX-License-Identifier: MIT */
/* The NVTX ranges in which kernels are launched, recorded once each. */
#define _GNU_SOURCE
#include <string.h>

#include "host_part.h"
#include "nvtx_ranges.h"

bool host_is_inside_ranges(void) {
    return nvtx_ranges_fit(attach.settings.nvtx);
}

uint64_t host_ranges_hash(void) {
    char path[NVTX_PATH_BYTES];
    return nvtx_ranges_now(path) ? host_fingerprint(path, strlen(path)) | 1 : 0;
}

void host_note_ranges(host_function *function) {
    char path[NVTX_PATH_BYTES];
    if (function->range_count == RANGES_MAX || !nvtx_ranges_now(path))
        return;
    const uint64_t hash = host_fingerprint(path, strlen(path));
    for (uint32_t i = 0; i < function->range_count; i++)
        if (function->ranges[i] == hash)
            return;
    function->ranges[function->range_count++] = hash;
    const instrument_range record = {.function = function->index};
    (void)instrument_write(&attach.writer, INSTRUMENT_RANGE,
                           (instrument_piece[]){{&record, sizeof record}, {path, strlen(path)}}, 2);
}
