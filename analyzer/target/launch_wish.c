/* SPDX-License-Identifier: MIT */
/* What is given for a launch, by the user or by a launch of a program: checks it, and varies what
 * remains. */
#include <string.h>

#include "assumed_launch.h"

smp_status smp_launch_wish_check(const smp_launch_wish *wish, const char *text, const char *path,
                                 smp_error *error) {
    EACH(const host_name, given, wish->known, wish->known_count) {
        if (!text || !host_has_name(text, given->name))
            return smp_error_set(error, SMP_E_USAGE, -1, "--define %s: %.160s has no such name",
                                 given->name, path);
        if (host_is_macro(text, given->name))
            return smp_error_set(error, SMP_E_USAGE, -1,
                                 "--define %s: that is a macro of the file: give its value to the "
                                 "compiler, as -D%s=%lld after --, if the file has #ifndef",
                                 given->name, given->name, (long long)given->value);
    }
    return SMP_OK;
}

bool smp_launch_wish_other(const smp_assumed_launch *first, const smp_launch_wish *wish,
                           unsigned index, smp_launch_wish *out) {
    static const uint32_t lines[][3] = {{256, 1, 1},  {512, 1, 1}, {128, 1, 1},
                                        {1024, 1, 1}, {64, 1, 1},  {32, 1, 1}},
                          rows[][3] = {{32, 8, 1}, {16, 16, 1}, {32, 32, 1},
                                       {8, 8, 1},  {32, 4, 1},  {16, 8, 1}};
    static const int64_t extents[] = {1024, 512, 256, 32};
    const unsigned shapes = first->is_block_assumed ? sizeof rows / sizeof rows[0] : 1;
    if (index >= shapes * (sizeof extents / sizeof extents[0]))
        return false;
    *out = *wish;
    out->is_try = first->is_block_assumed;
    out->extent = extents[index / shapes];
    if (out->is_try)
        memcpy(out->block, first->is_block_of_rows ? rows[index % shapes] : lines[index % shapes],
               sizeof out->block);
    return true;
}

const uint8_t *smp_launch_wish_bytes(const smp_launch_wish *wish, const smp_launch_subject *subject,
                                     unsigned index, uint32_t offset) {
    if (!wish->parameters || !subject->parameters)
        return NULL;
    const smp_parameter *one = &subject->parameters[index];
    return (uint64_t)one->offset_bytes + one->size_bytes <= wish->parameter_bytes
               ? wish->parameters + one->offset_bytes + offset
               : NULL;
}

double smp_launch_wish_real(const uint8_t *bytes, const smp_element_type *type) {
    float single;
    double real;
    memcpy(&single, bytes, sizeof single);
    if (type->bytes == sizeof real)
        memcpy(&real, bytes, sizeof real);
    return type->bytes == sizeof real ? real : (double)single;
}

int64_t smp_launch_wish_integer(const uint8_t *bytes, const smp_element_type *type) {
    int64_t value = 0;
    memcpy(&value, bytes, type->bytes);
    const unsigned rest = 64 - 8u * type->bytes;
    return type->is_unsigned ? value : (int64_t)((uint64_t)value << rest) >> rest;
}
