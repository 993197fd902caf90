/* SPDX-License-Identifier: MIT */
/* What is written of a kept launch. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "host_capture.h"

/* Leaves out what need not be written: arrays of zeros, and variables that the driver does not
 * know.
 */
static bool complete(capture_launch *launch) {
    smp_kept_launch *out = &launch->of;
    for (uint32_t i = 0; i < out->array_count; i++) {
        smp_kept_array *array = &out->arrays[i];
        if (!array->before || !smp_kept_is_zero(array->before, array->size_bytes))
            continue;
        free(array->before);
        array->before = NULL;
    }
    out->variables = calloc(launch->variables.count + 1, sizeof *out->variables);
    for (size_t i = 0; out->variables && i < launch->variables.count; i++) {
        host_variable *variable = &launch->variables.list[i];
        if (variable->address == 0)
            continue;
        out->variables[out->variable_count++] =
            (smp_kept_variable){variable->symbol, variable->name, variable->address};
        variable->name = NULL;
    }
    return out->variables;
}

int host_kept_write(capture_launch *launch, char path[KEPT_PATH_BYTES]) {
    return complete(launch) ? smp_kept_put_new(attach.settings.capture, &launch->of, path) : ENOMEM;
}
