/* SPDX-License-Identifier: MIT */
/*
 * trace_face.c: sizes of what smp_trace.h declares, for bindings that mirror it.
 */
#include <string.h>

#include "smp_trace.h"

size_t smp_trace_abi_size(const char *type);

size_t smp_trace_abi_size(const char *type) {
    return strcmp(type, "smp_trace_block") == 0  ? sizeof(smp_trace_block)
           : strcmp(type, "smp_trace_loss") == 0 ? sizeof(smp_trace_loss)
                                                 : 0;
}
