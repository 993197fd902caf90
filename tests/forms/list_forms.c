/* SPDX-License-Identifier: MIT */
/*
 * list_forms [-a] RECORDED.cubin... -- FILE.cubin...: which forms of instructions (opcode,
 * modifiers, kinds and signs of operands) the files have, how often, and what stands behind their
 * meaning: recorded     a form of the first files, whose results are held against a GPU's in the
 * tests described    understood, by its description only unknown      not understood: it poisons
 * what it writes Prints those that are not recorded, and sums; -a: all.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disassembly.h"
#include "uop.h"

enum { BANK_BYTES = 65536 };

typedef struct form {
    char *text, *example;
    unsigned count;
    bool is_recorded, is_unknown;
} form;

static form *forms;
static size_t form_count, form_room;

static void add(char *out, size_t size, const char *text, size_t length) {
    size_t used = strlen(out);
    if (used + length + 1 < size)
        snprintf(out + used, size - used, "%.*s", (int)length, text);
}

/* Registers of both kinds, numbers and constants are read by code that all instructions share: each
 * is "x", with its sign marks and suffixes; predicates are "P". "[R2.64+UR4+-0x8]" is "[x.64+x]".
 */
static void shape_of(const char *operands, char *out, size_t size) {
    for (const char *at = operands; *at != '\0';) {
        bool is_digit = *at >= '0' && *at <= '9';
        size_t name = strspn(at, "URP");
        if (strncmp(at, ".reuse", 6) == 0) {
            at += 6;
        } else if (*at == '!') {
            at++;
        } else if (strncmp(at, "c[", 2) == 0 || strncmp(at, "cx[", 3) == 0) {
            add(out, size, "x", 1);
            at += strcspn(at, "]");
            at += strspn(at, "] ");
            at += strcspn(at, "]");
            at += *at == ']';
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

static int by_text(const void *a, const void *b) {
    return strcmp(((const form *)a)->text, ((const form *)b)->text);
}

static form *find(const char *text) {
    const form key = {.text = (char *)text};
    return bsearch(&key, forms, form_count, sizeof(*forms), by_text);
}

static form *made(const char *text, const char *example) {
    form *found = find(text);
    if (found != NULL)
        return found;
    if (form_count == form_room) {
        form_room = 2 * form_room + 256;
        forms = realloc(forms, form_room * sizeof(*forms));
        if (forms == NULL)
            abort();
    }
    forms[form_count++] = (form){.text = strdup(text), .example = strdup(example)};
    qsort(forms, form_count, sizeof(*forms), by_text);
    return find(text);
}

static void count(const smp_function *function, const emu_program *program, bool is_recorded) {
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const smp_instruction *instruction = &function->instructions[i];
        char text[512] = "", example[512];
        bool is_uniform = instruction->opcode[0] == 'U' &&
                          strncmp(instruction->opcode, "UBLK", 4) != 0 &&
                          strncmp(instruction->opcode, "UTMA", 4) != 0;
        snprintf(text, sizeof text, "%s ", instruction->opcode + is_uniform);
        shape_of(instruction->operands, text, sizeof text);
        snprintf(example, sizeof example, "%s %s", instruction->opcode, instruction->operands);
        form *f = made(text, example);
        f->count += !is_recorded;
        f->is_recorded |= is_recorded;
        f->is_unknown |= program->uops[i].kind == UOP_UNKNOWN;
    }
}

/* Every constant is known, and zero. */
static bool fill_banks(emu_program *program) {
    for (unsigned i = 0; i < EMU_BANKS; i++) {
        emu_bank *bank = &program->banks[i];
        bank->bytes = calloc(2, BANK_BYTES);
        bank->size_bytes = BANK_BYTES;
        if (bank->bytes == NULL)
            return false;
        memset(bank->bytes + BANK_BYTES, 1, BANK_BYTES);
    }
    return true;
}

static int read_file(const char *path, bool is_recorded) {
    smp_code *code;
    smp_error error;
    if (smp_code_open_file(path, &code, &error) != SMP_OK ||
        smp_code_disassemble(code, NULL, 0, &error) != SMP_OK) {
        fprintf(stderr, "list_forms: %s: %s\n", path, error.message);
        return 1;
    }
    size_t functions;
    const smp_function *function = smp_code_functions(code, &functions);
    for (size_t i = 0; i < functions; i++, function++) {
        emu_program program = {.code = code, .function = function, .cc = smp_code_cc(code)};
        if (!fill_banks(&program) || emu_decode(&program, &error) != SMP_OK)
            return 1;
        count(function, &program, is_recorded);
        emu_program_clear(&program);
    }
    smp_code_close(code);
    return 0;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"recorded", "described", "unknown"};
    unsigned long sums[3] = {0}, kinds[3] = {0};
    bool is_recorded = true, all = false;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-a") == 0)
            all = true;
        else if (strcmp(argv[i], "--") == 0)
            is_recorded = false;
        else if (read_file(argv[i], is_recorded) != 0)
            return 1;
    for (size_t i = 0; i < form_count; i++) {
        const form *f = &forms[i];
        unsigned which = f->is_recorded ? 0 : f->is_unknown ? 2 : 1;
        if (f->count == 0 && !all)
            continue;
        sums[which] += f->count;
        kinds[which]++;
        if (which != 0 || all)
            printf("%-10s %8u  %s\n", names[which], f->count, f->example);
    }
    for (unsigned i = 0; i < 3; i++)
        printf("# %s: %lu forms, %lu instructions\n", names[i], kinds[i], sums[i]);
    return 0;
}
