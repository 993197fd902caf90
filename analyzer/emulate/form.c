/* SPDX-License-Identifier: MIT */
#include "form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In order. */
static const char *const recorded[] = {
#include "recorded_forms.inc"
};

static void add(char *out, size_t size, const char *text, size_t length) {
    const size_t used = strlen(out);
    if (used + length + 1 < size)
        snprintf(out + used, size - used, "%.*s", (int)length, text);
}

/* Behind the bracket that `at` is up to, and what it holds. */
static const char *behind_brackets(const char *at) {
    unsigned depth = 0;
    for (at += strcspn(at, "("); *at != '\0'; at++) {
        depth += *at == '(';
        if (*at == ')' && --depth == 0)
            return at + 1;
    }
    return at;
}

/* Registers of both kinds, numbers and constants are read by code that all instructions share, and
 * so are addresses that a linker or the driver puts there ("32@lo(name)", "`(name)"): each is "x",
 * with its sign marks and suffixes; predicates are "P". "[R2.64+UR4+-0x8]" is "[x.64+x]".
 */
static void shape_of(const char *operands, char *out, size_t size) {
    for (const char *at = operands; *at != '\0';) {
        bool is_digit = *at >= '0' && *at <= '9';
        size_t name = strspn(at, "URP");
        if (strncmp(at, ".reuse", 6) == 0) {
            at += 6;
        } else if (*at == '!') {
            at++;
        } else if (strncmp(at, "32@", 3) == 0 || strncmp(at, "`(", 2) == 0) {
            add(out, size, "x", 1);
            at = behind_brackets(at);
        } else if (strncmp(at, "c[", 2) == 0 || strncmp(at, "cx[", 3) == 0) {
            add(out, size, "x", 1);
            at += strcspn(at, "]");
            at += strspn(at, "] ");
            at += strcspn(at, "]");
            at += *at == ']';
        } else if (strncmp(at, "gdesc[", 6) == 0) {
            add(out, size, "gdesc", 5);
            at += strcspn(at, "]");
            at += *at == ']';
        } else if (strncmp(at, "gsb0", 4) == 0) {
            add(out, size, "gsb0", 4);
            at += 4;
        } else if (strncmp(at, "desc[", 5) == 0) {
            at += strcspn(at, "]");
            at += *at == ']';
        } else if (strncmp(at, "+0x", 3) == 0 || strncmp(at, "+-0x", 4) == 0) {
            at += 2 + (at[1] == '-');
            at += 1 + strspn(at + 1, "0123456789abcdef");
        } else if (is_digit || strncmp(at, "-0x", 3) == 0 ||
                   (*at == '-' && at[1] >= '0' && at[1] <= '9')) {
            at += strspn(at, "-0123456789abcdefx.+");
            add(out, size, "x", 1);
        } else if (strncmp(at, "+INF", 4) == 0 || strncmp(at, "-INF", 4) == 0 ||
                   strncmp(at, "+QNAN", 5) == 0 || strncmp(at, "-QNAN", 5) == 0) {
            at += strcspn(at, " ,");
            add(out, size, "x", 1);
        } else if (name > 0 &&
                   (at[name] == 'Z' || at[name] == 'T' || (at[name] >= '0' && at[name] <= '9'))) {
            add(out, size, at[name - 1] == 'P' ? "P" : "x", 1);
            at += name;
            at += *at == 'Z' || *at == 'T' ? 1 : strspn(at, "0123456789");
        } else {
            add(out, size, *at == ' ' ? "" : at, *at == ' ' ? 0 : 1);
            at++;
        }
    }
}

const char *emu_form_text(const smp_instruction *instruction, char out[EMU_FORM_BYTES]) {
    const char *opcode = instruction->opcode;
    const bool is_uniform =
        opcode[0] == 'U' && strncmp(opcode, "UBLK", 4) != 0 && strncmp(opcode, "UTMA", 4) != 0;
    (void)snprintf(out, EMU_FORM_BYTES, "%s%s", opcode + is_uniform,
                   instruction->operands[0] != '\0' ? " " : "");
    shape_of(instruction->operands, out, EMU_FORM_BYTES);
    return out;
}

static int by_text(const void *form, const void *row) {
    return strcmp(form, *(const char *const *)row);
}

bool emu_form_is_recorded(const char *form) {
    return bsearch(form, recorded, sizeof recorded / sizeof *recorded, sizeof *recorded, by_text) !=
           NULL;
}
