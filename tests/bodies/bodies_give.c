/* SPDX-License-Identifier: MIT */
/*
 * Arrays whose data decide addresses, for both sides of a body: the library reads files, the
 * compiler initialisers. In C++ they are volatile, so that each read which is written there is
 * made.
 */
#include "bodies.h"

static const given_array given[] = {
    {"global", "int", "K", 256, INT32_MIN, INT32_MAX, false},
    {"shared", "unsigned char", "B", 64, 0, UINT8_MAX, false},
    {"shared", "short", "H", 128, INT16_MIN, INT16_MAX, false},
    {"global", "long long", "N", 32, -5, 40, false},
    {"global", "unsigned", "R", 65, 10, 0, true},
};

static int64_t value_of(const given_array *array, int64_t before) {
    if (array->is_rising)
        return before + (int64_t)bodies_chance(4);
    if (bodies_chance(2) == 0) /* small ones: lanes that agree */
        return (int64_t)bodies_chance(40);
    const uint64_t span = (uint64_t)(array->high - array->low);
    return array->low + (int64_t)(bodies_chance(UINT32_MAX) % (span + 1));
}

bool bodies_give(const char *stem, char *lines, size_t size, FILE *cpp) {
    size_t length = 0;
    for (size_t i = 0; i < sizeof given / sizeof given[0] && length < size; i++) {
        const given_array *array = &given[i];
        char name[FILENAME_MAX];
        (void)snprintf(name, sizeof name, "%s.%s", stem, array->name);
        FILE *file = fopen(name, "w");
        if (!file)
            return false;
        length += (size_t)snprintf(lines + length, size - length, "%s %s %s[%u]\ndata %s = @%s\n",
                                   array->space, array->type, array->name, array->count,
                                   array->name, name);
        fprintf(cpp, "static volatile %s %s[%u] = {", array->type, array->name, array->count);
        int64_t value = array->low;
        for (unsigned k = 0; k < array->count; k++) {
            value = value_of(array, value);
            fprintf(file, "%lld\n", (long long)value);
            fprintf(cpp, "%lld, ", (long long)value);
        }
        fprintf(cpp, "};\n");
        if (fclose(file) != 0)
            return false;
    }
    return length < size;
}
