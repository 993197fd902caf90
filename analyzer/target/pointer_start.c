/* SPDX-License-Identifier: MIT */
/* Arguments that point into an array: where a request begins decides how many sectors it takes. */
#include <stdio.h>

#include "assumed_launch.h"

/* Finds the 50 of "a + 50" or "&a[50]". In {&a, &b} of cudaLaunchKernel() & is no offset. */
static bool find_elements(const host_launch *launch, unsigned index, host_span *out) {
    host_span argument;
    if (!host_part(launch->arguments, index, &argument) || launch->arguments.text[-1] != '(')
        return false;
    const char *end = argument.text + argument.length;
    const bool is_element = argument.length > 0 && *argument.text == '&';
    const host_span name = host_word(host_behind_blanks(argument.text + is_element));
    const char *at = host_behind_blanks(name.text + name.length);
    if (name.length == 0 || at >= end || *at != (is_element ? '[' : '+'))
        return false;
    *out = host_between(at + 1, end);
    return !is_element || (host_inside(at, out) && out->text + out->length + 1 == end);
}

uint32_t pointer_start_add(smp_assumed_launch *to, host_scope *scope, const host_launch *launch,
                           unsigned index, host_span name, const char *type,
                           uint32_t element_bytes) {
    const unsigned before = scope->assumed_count;
    host_span elements;
    int64_t count = 0;
    const bool is_known = find_elements(launch, index, &elements) &&
                          host_value(scope, elements, &count) && scope->assumed_count == before;
    scope->assumed_count = before;
    if (!is_known || count < 0 || to->start_count == POINTER_STARTS_MOST)
        return 0;
    const uint32_t bytes = (uint32_t)((uint64_t)count * element_bytes % 256);
    pointer_start *start = &to->starts[to->start_count];
    unsigned added = 0;
    if (bytes > 0)
        host_name_add(&start->name, &added, name, bytes);
    (void)snprintf(start->type, sizeof start->type, "%s", type);
    to->start_count += added;
    return bytes;
}
