/* SPDX-License-Identifier: MIT */
/*
 * Addresses: "[R2.64+UR4+-0x10]", "desc[UR6][R2.64]", "[R9.X4+0x100]", "[UR4]".
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

/* ".64", ".X4", ".U32" after the register. */
static bool read_suffixes(const char *text, memory_address *out, register_file file) {
    while (*text == '.') {
        size_t length = strcspn(++text, ".");
        if (length == 2 && strncmp(text, "64", 2) == 0) {
            *(file == FILE_UNIFORM ? &out->is_uniform_wide : &out->is_wide) = true;
        } else if (length == 3 && strncmp(text, "U32", 3) == 0) {
            out->is_base_unsigned = true;
        } else if (length >= 2 && text[0] == 'X') {
            long scale = strtol(text + 1, NULL, 10);
            if (scale != 4 && scale != 8 && scale != 16)
                return false;
            out->scale = (uint8_t)__builtin_ctz((unsigned)scale);
        } else {
            return false;
        }
        text += length;
    }
    return *text == '\0';
}

static bool read_term(decoder *d, const char *term, memory_address *out) {
    register_file file;
    const char *rest = "";
    int index = parse_register(term, &file, &rest);
    if (index < 0) {
        char *end;
        out->offset_bytes += strtoll(term, &end, 0);
        return end != term && *end == '\0';
    }
    if (!read_suffixes(rest, out, file))
        return false;
    bool is_uniform = file == FILE_UNIFORM;
    unsigned rows = (is_uniform ? out->is_uniform_wide : out->is_wide) ? 2 : 1;
    emu_operand *to = is_uniform ? &out->uniform : &out->base;
    if (to->rows != 0)
        return false;
    *to = register_operand(d, file, index, rows);
    return true;
}

void want_address(decoder *d, memory_address *out) {
    char text[WORD_BYTES];
    strcpy(text, next_operand(d));
    char *at = text;
    *out = (memory_address){.scale = 0};
    if (strncmp(at, "desc[", 5) == 0)
        at = strchr(at, ']') == NULL ? at : strchr(at, ']') + 1;
    size_t length = strlen(at);
    if (at[0] != '[' || length < 3 || at[length - 1] != ']') {
        d->is_unknown = true;
        return;
    }
    at[length - 1] = '\0';
    for (at++; at != NULL;) {
        char *plus = strchr(at, '+');
        if (plus != NULL)
            *plus++ = '\0';
        if (!read_term(d, at, out))
            d->is_unknown = true;
        at = plus;
    }
}
