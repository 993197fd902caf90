/* SPDX-License-Identifier: MIT */
/* Options for launches: values, blocks and grids of assumed ones, and given ones. */

#include <string.h>

#include "ask.h"
#include "launch_text.h"
#include "say.h"
#include "source_line.h"

smp_status ask_defines(const arguments *args, smp_launch_wish *out, smp_error *error) {
    for (unsigned i = 0; i < args->count[OPTION_DEFINE]; i++) {
        const char *text = args->value[OPTION_DEFINE][i], *equals = strchr(text, '=');
        host_name *to = &out->known[out->known_count++];
        const size_t length = equals ? (size_t)(equals - text) : 0;
        uint64_t value;
        if (length == 0 || length >= sizeof to->name)
            return smp_error_set(error, SMP_E_SYNTAX, -1, "--define %.60s: expected NAME=INTEGER",
                                 text);
        if (number_parse(equals + 1, "define", INT64_MAX, &value, error) != SMP_OK)
            return smp_error_set(error, SMP_E_SYNTAX, -1,
                                 "--define %.60s: expected a decimal number", text);
        memcpy(to->name, text, length);
        to->value = (int64_t)value;
    }
    return SMP_OK;
}

/* Parses one size of "32x8" at *text and advances *text; 0 if it is invalid. */
static uint32_t take_size(const char **text, uint32_t most) {
    char part[24];
    uint64_t value = 0;
    smp_error ignored;
    const size_t length = strcspn(*text, "x");
    if (length == 0 || length >= sizeof part)
        return 0;
    memcpy(part, *text, length);
    part[length] = '\0';
    *text += length + ((*text)[length] == 'x');
    return number_parse(part, "", most, &value, &ignored) == SMP_OK ? (uint32_t)value : 0;
}

/* "32", "32x8", "32x8x1". */
static smp_status ask_shape(const arguments *args, smp_option option, uint32_t most,
                            uint32_t out[3], smp_error *error) {
    const char *given = last_value(args, option), *text = given;
    if (!given)
        return SMP_OK;
    for (unsigned i = 0; i < 3; i++)
        out[i] = i > 0 && *text == '\0' ? 1 : take_size(&text, most);
    return out[0] > 0 && out[1] > 0 && out[2] > 0 && *text == '\0' &&
                   given[strlen(given) - 1] != 'x'
               ? SMP_OK
               : smp_error_set(error, SMP_E_SYNTAX, -1,
                               "--%s %.40s: expected XxYxZ such as 32x8, each from 1 to %u",
                               option_rows[option].name, given, most);
}

smp_status ask_launch_wish(const arguments *args, smp_launch_wish *out, smp_error *error) {
    smp_status status = ask_defines(args, out, error);
    if (status == SMP_OK)
        status = ask_shape(args, OPTION_BLOCK, 1024, out->block, error);
    if (status == SMP_OK)
        status = ask_shape(args, OPTION_GRID, INT32_MAX, out->grid, error);
    return status;
}

smp_status refuse_launch_wish(const arguments *args, const smp_launch_wish *wish,
                              smp_error *error) {
    if (wish->known_count > 0)
        return usage_error(error, "--define %s: the values are part of --launch",
                           wish->known[0].name);
    return has(args, OPTION_BLOCK) || has(args, OPTION_GRID)
               ? usage_error(error, "--%s: the shape is part of --launch",
                             has(args, OPTION_BLOCK) ? "block" : "grid")
               : SMP_OK;
}

smp_status ask_launch(const arguments *args, const char **launch, smp_launch_wish *wish,
                      smp_error *error) {
    smp_launch_text text = {0};
    *launch = last_value(args, OPTION_LAUNCH);
    smp_status status = ask_launch_wish(args, wish, error);
    if (status != SMP_OK || !*launch)
        return status;
    status = smp_launch_check(*launch, &text, error);
    smp_launch_clear(&text);
    if (status == SMP_OK && strstr(*launch, "->"))
        status = usage_error(error, "--launch: %s saves no arrays (-> FILE); emulate does",
                             args->command->name);
    return status == SMP_OK ? refuse_launch_wish(args, wish, error) : status;
}

int complain_launch(const arguments *args, const smp_error *error) {
    const char *launch = last_value(args, OPTION_LAUNCH);
    const int status = complain(error);
    if (launch && error->position >= 0 && error->status == SMP_E_SYNTAX)
        smp_caret_print(stderr, launch, strlen(launch), error->position);
    return status;
}
