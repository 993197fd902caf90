/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a launch, whose arguments are laid out for a kernel of three parameters. Inputs that
 * name files or large numbers are left out: they may be slow by right.
 */
#include "fuzz.h"
#include "launch_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 4 };

static bool may_be_slow(const uint8_t *data, size_t size) {
    size_t run = 0;
    for (size_t i = 0; i < size; i++) {
        run = isxdigit(data[i]) ? run + 1 : 0;
        if (run > DIGITS_MAX || data[i] == '@' || data[i] == '*')
            return true;
    }
    return false;
}

static void lay_out(const smp_launch_text *launch) {
    smp_parameter parameters[] = {
        {.offset_bytes = 0, .size_bytes = 8},
        {.offset_bytes = 8, .size_bytes = 8},
        {.offset_bytes = 16, .size_bytes = 4},
    };
    const smp_function function = {.name = "k",
                                   .demangled = "k(float *, T, int)",
                                   .parameters = parameters,
                                   .parameter_count = 3,
                                   .parameter_bytes = 20};
    smp_emu_memory memory = {0};
    smp_launch_arguments out = {0};
    smp_error error;
    (void)smp_launch_arguments_make(launch, &function, &memory, &out, &error);
    smp_launch_arguments_clear(&out);
    smp_emu_memory_clear(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    smp_launch_text launch;
    smp_error error;
    char *text = may_be_slow(data, size) ? NULL : malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    memset(&launch, 0, sizeof launch);
    if (smp_launch_parse(text, &launch, &error) == SMP_OK)
        lay_out(&launch);
    smp_launch_clear(&launch);
    free(text);
    return 0;
}
