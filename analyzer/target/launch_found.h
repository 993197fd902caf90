/* SPDX-License-Identifier: MIT */
/*
 * Which <<<>>> of a file launch a kernel: of a template, those whose arguments have the values of
 * its instance where they stand.
 */
#pragma once

#include "host_text.h"

/* "void ns::reduce<float, 4>(float*, int)": "reduce", "float, 4", "float*, int". */
typedef struct kernel_name {
    host_span base, instance, signature;
} kernel_name;

kernel_name kernel_name_split(const char *demangled);

typedef struct found_launch {
    host_launch of;
    bool is_other; /* of another instance: its grid, block and bytes say nothing of this one */
} found_launch;

enum { FOUND_LAUNCHES_MAX = 16 };

/* The launches that fit best, in the text's order; their count. */
unsigned found_launches(const host_scope *scope, const kernel_name *name,
                        found_launch out[FOUND_LAUNCHES_MAX]);

/* "k" of "ns::k<TILE, float>". */
host_span host_name_base(host_span name);
/* "TILE, float" of "k<TILE, float>". */
host_span host_template_list(host_span name);
/* Names of a template's parameters, "typename T, int TILE", or of a launch's arguments, "T, TILE",
 * get the instance's values, "float, 32", where they have none in scope. */
void host_scope_bind(host_scope *scope, host_span names, host_span instance);
