/* SPDX-License-Identifier: MIT */
#include "form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sass_parse.h"

/* Sorted. */
static const char *const recorded[] = {
#include "recorded_forms.inc"
};

static void add(char out[EMU_FORM_BYTES], const char *text) {
    const size_t used = strlen(out);
    (void)snprintf(out + used, EMU_FORM_BYTES - used, "%s", text);
}

/* A name with each number replaced by "x": ".H0_H0" and ".H1_H1" run the same code. */
static void add_name(char out[EMU_FORM_BYTES], const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        const bool is_next = is_digit && i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
        const char letter[] = {is_digit ? 'x' : text[i], '\0'};
        add(out, is_next ? "" : letter);
    }
}

/* "[R2.64+UR4+-0x8]" is "[x.x+x]". */
static void add_address(char out[EMU_FORM_BYTES], const sass_address *at) {
    add(out, at->base >= 0 || at->uniform < 0 ? "[x" : "[");
    add(out, at->is_wide ? ".x" : "");
    add(out, at->is_base_unsigned ? ".Ux" : "");
    add(out, at->scale > 0 ? ".Xx" : "");
    if (at->uniform >= 0)
        add(out, at->base >= 0 ? "+x" : "x");
    add(out, at->is_uniform_wide ? ".x]" : "]");
}

/* All instructions share the code that reads registers of both kinds, numbers, constants and
 * relocated addresses ("32@lo(name)", "`(name)"), so each is "x" with its sign marks and suffixes;
 * predicates are "P". */
static void add_operand(char out[EMU_FORM_BYTES], const sass_operand *operand) {
    const char *bar = operand->is_absolute ? "|" : "";
    switch ((sass_kind)operand->kind) {
    case OPERAND_DESCRIPTOR:
        return;
    case OPERAND_ADDRESS:
        add_address(out, &operand->at);
        return;
    case OPERAND_BARRIER:
    case OPERAND_NAME:
    case OPERAND_OTHER:
        add_name(out, operand->text, operand->length);
        return;
    case OPERAND_PREDICATE:
        add(out, "P");
        break;
    case OPERAND_PLACE:
        add(out, "xx");
        break;
    case OPERAND_MATRICES:
        add(out, "gdesc");
        break;
    default:
        add(out, operand->is_negated ? "-" : operand->is_inverted ? "~" : "");
        add(out, bar);
        add(out, "x");
        add(out, bar);
    }
    for (unsigned i = 0; i < operand->suffix_count; i++) {
        const char *suffix = smp_sass_name_text(operand->suffix[i]);
        add(out, ".");
        add_name(out, suffix, strlen(suffix));
    }
}

const char *emu_form_text(const smp_instruction *instruction, char out[EMU_FORM_BYTES]) {
    sass_instruction words;
    const bool is_read = smp_sass_parse(instruction, &words);
    out[0] = '\0';
    add(out, instruction->opcode + words.is_uniform);
    for (unsigned i = 0; is_read && i < words.operand_count; i++) {
        add(out, i == 0 ? " " : ",");
        add_operand(out, &words.operands[i]);
    }
    return out;
}

static int by_text(const void *form, const void *row) {
    return strcmp(form, *(const char *const *)row);
}

bool emu_form_is_recorded(const char *form) {
    return bsearch(form, recorded, sizeof recorded / sizeof *recorded, sizeof *recorded, by_text) !=
           NULL;
}
