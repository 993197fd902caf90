/* SPDX-License-Identifier: MIT */
/*
 * inject_variables.c: the variables of a module whose launch is kept: __device__ ones, an array
 * each, and constant memory, one array.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "inject_capture.h"

static void add_variable(void *user, const cubin_variable *from) {
    inject_variables *to = user;
    inject_variable *grown = realloc(to->list, (to->count + 1) * sizeof *grown);
    if (grown == NULL)
        return;
    to->list = grown;
    grown[to->count] = (inject_variable){.symbol = from->symbol,
                                         .is_constant = from->is_constant,
                                         .name = strdup(from->name),
                                         .bytes = from->bytes,
                                         .value = from->value,
                                         .home = from->home,
                                         .home_bytes = from->home_bytes};
    to->count += grown[to->count].name != NULL;
}

void inject_variables_list(const cubin_image *image, inject_variables *out) {
    inject_cubin_variables(image, add_variable, out);
}

void inject_variables_find(void *module, inject_variables *variables) {
    int (*find)(uint64_t * address, size_t * bytes, void *module, const char *name);
    void *symbol = inject_driver_symbol("cuModuleGetGlobal_v2");
    memcpy(&find, &symbol, sizeof find);
    for (size_t i = 0; symbol != NULL && i < variables->count; i++) {
        inject_variable *variable = &variables->list[i];
        size_t bytes;
        if (variable->address == 0 && find(&variable->address, &bytes, module, variable->name) != 0)
            variable->address = 0;
    }
}

bool inject_variables_copy(const inject_variables *from, inject_variables *out) {
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

void inject_variables_clear(inject_variables *variables) {
    for (size_t i = 0; i < variables->count; i++)
        free(variables->list[i].name);
    free(variables->list);
    memset(variables, 0, sizeof *variables);
}
