/* SPDX-License-Identifier: MIT */
/*
 * Which forms of instructions (form.h) files have, and what stands behind their meaning.
 *
 *   list_forms -r FILE.cubin...      all of them, sorted: the contents of recorded_forms.txt
 *   list_forms [-a] FILE.cubin...    how often each is there, and an example:
 *       recorded    its results are held against a GPU's in the tests (recorded_forms.txt)
 *       described   understood, by its description only
 *       unknown     not understood: it poisons what it writes
 *     without -a those that are not recorded, and sums
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disassembly.h"
#include "engine.h"
#include "form.h"

enum { BANK_BYTES = 65536 };

typedef struct form {
    char *text, *example;
    unsigned count;
    bool is_recorded, is_unknown;
} form;

static form *forms;
static size_t form_count, form_room;

static int by_text(const void *a, const void *b) {
    return strcmp(((const form *)a)->text, ((const form *)b)->text);
}

static form *find(const char *text) {
    const form key = {.text = (char *)text};
    return form_count == 0 ? NULL : bsearch(&key, forms, form_count, sizeof(*forms), by_text);
}

static form *made(const char *text, const char *example) {
    form *found = find(text);
    if (found)
        return found;
    if (form_count == form_room) {
        form_room = 2 * form_room + 256;
        forms = realloc(forms, form_room * sizeof(*forms));
        if (!forms)
            abort();
    }
    forms[form_count++] = (form){.text = strdup(text), .example = strdup(example)};
    qsort(forms, form_count, sizeof(*forms), by_text);
    return find(text);
}

static void count(const smp_function *function, const emu_program *program) {
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const smp_instruction *instruction = &function->instructions[i];
        char text[EMU_FORM_BYTES], example[512];
        emu_form_text(instruction, text);
        snprintf(example, sizeof example, "%s %s", instruction->opcode, instruction->operands);
        form *f = made(text, example);
        f->count++;
        f->is_recorded = emu_form_is_recorded(text);
        f->is_unknown |= program->uops[i].kind == UOP_UNKNOWN;
    }
}

/* Every constant is known, and zero. */
static bool fill_banks(emu_program *program) {
    for (unsigned i = 0; i < EMU_BANKS; i++) {
        emu_bank *bank = &program->banks[i];
        bank->bytes = calloc(2, BANK_BYTES);
        bank->size_bytes = BANK_BYTES;
        if (!bank->bytes)
            return false;
        memset(bank->bytes + BANK_BYTES, 1, BANK_BYTES);
    }
    return true;
}

static int read_file(const char *path) {
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
        count(function, &program);
        emu_program_clear(&program);
    }
    smp_code_close(code);
    return 0;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"recorded", "described", "unknown"};
    unsigned long sums[3] = {0}, kinds[3] = {0};
    const bool all = argc > 1 && strcmp(argv[1], "-a") == 0;
    const bool bare = argc > 1 && strcmp(argv[1], "-r") == 0;
    for (int i = all || bare ? 2 : 1; i < argc; i++)
        if (read_file(argv[i]) != 0)
            return 1;
    for (size_t i = 0; i < form_count; i++) {
        const form *f = &forms[i];
        const unsigned which = f->is_recorded ? 0 : f->is_unknown ? 2 : 1;
        sums[which] += f->count;
        kinds[which]++;
        if (bare)
            puts(f->text);
        else if (which != 0 || all)
            printf("%-10s %8u  %s\n", names[which], f->count, f->example);
    }
    for (unsigned i = 0; i < 3 && !bare; i++)
        printf("# %s: %lu forms, %lu instructions\n", names[i], kinds[i], sums[i]);
    return 0;
}
