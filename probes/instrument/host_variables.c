/* SPDX-License-Identifier: MIT */
/*
 * host_variables.c: the variables of a module whose launch is kept: __device__ ones, an array
 * each, and constant memory, one array.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "host_capture.h"

void host_variables_find(void *module, host_variables *variables) {
    int (*find)(uint64_t * address, size_t * bytes, void *module, const char *name);
    const bool is_there = host_driver_function("cuModuleGetGlobal_v2", &find);
    for (size_t i = 0; is_there && i < variables->count; i++) {
        host_variable *variable = &variables->list[i];
        size_t bytes;
        if (variable->address == 0 && find(&variable->address, &bytes, module, variable->name) != 0)
            variable->address = 0;
    }
}

bool host_variables_copy(const host_variables *from, host_variables *out) {
    memset(out, 0, sizeof *out);
    out->list = calloc(from->count + 1, sizeof *out->list);
    for (size_t i = 0; out->list && i < from->count; i++) {
        out->list[i] = from->list[i];
        out->list[i].name = strdup(from->list[i].name);
        if (out->list[i].name == NULL)
            return false;
        out->count++;
    }
    return out->list != NULL;
}

void host_variables_clear(host_variables *variables) {
    for (size_t i = 0; i < variables->count; i++)
        free(variables->list[i].name);
    free(variables->list);
    memset(variables, 0, sizeof *variables);
}
