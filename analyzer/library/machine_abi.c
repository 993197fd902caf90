/* SPDX-License-Identifier: MIT */
/* Sizes of the structs in the headers of libsmemprobe_machine, for bindings that mirror them. */
#include <string.h>

#include "smp_machine.h"
#include "smp_trace.h"

typedef struct size_row {
    const char *type;
    size_t bytes;
} size_row;

#define SIZE(type) \
    { #type, sizeof(type) }

static const size_row rows[] = {
    SIZE(smp_machine_value), SIZE(smp_machine_launch), SIZE(smp_machine_options),
    SIZE(smp_machine_end),   SIZE(smp_profile_damage), SIZE(smp_profile_row),
    SIZE(smp_fault),         SIZE(smp_profile_bounds), SIZE(smp_profile_verdict),
    SIZE(smp_trace_block),   SIZE(smp_trace_loss),
};

size_t smp_machine_abi_size(const char *type) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].type, type) == 0)
            return rows[i].bytes;
    return 0;
}
