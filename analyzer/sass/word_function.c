/* SPDX-License-Identifier: MIT */
/*
 * Functions whose words are all known, without nvdisasm.
 */
#include <string.h>

#include "cubin.h"
#include "line_program.h"
#include "sass_split.h"
#include "word_text.h"

enum { INSTRUCTION_BYTES = 16, TEXT_BYTES = 512 };

static smp_word word_at(const uint8_t *bytes) {
    smp_word word;
    memcpy(&word.low, bytes, 8);
    memcpy(&word.high, bytes + 8, 8);
    return word;
}

/* What is put into its code later is printed by name. */
static bool has_relocations(const smp_code *code, const smp_function *function) {
    cubin_cursor cursor = {0, 0};
    cubin_relocation any;
    return smp_cubin_relocation(code, function->section_index, &cursor, &any);
}

/* False: not known, or (*is_full) no memory. */
static bool read_word(smp_code *code, const smp_function *function, uint32_t index,
                      smp_instruction *out, bool *is_full) {
    char text[TEXT_BYTES];
    const uint32_t offset = index * INSTRUCTION_BYTES;
    if (!smp_word_text(code->cc, word_at(function->code + offset), offset, text, sizeof(text)))
        return false;
    char *kept = smp_code_copy(code, text, strlen(text));
    *is_full = kept == NULL;
    if (kept == NULL)
        return false;
    smp_sass_split(kept, out);
    out->offset_bytes = offset;
    return true;
}

smp_status smp_word_function_read(smp_code *code, smp_function *function, smp_error *error) {
    const uint32_t count = function->code_bytes / INSTRUCTION_BYTES;
    bool is_full = false, is_known = smp_word_knows(code->cc) && !has_relocations(code, function);
    if (!is_known)
        return SMP_OK;
    function->instructions = smp_code_alloc(code, ((size_t)count + 1) * sizeof(smp_instruction));
    function->instruction_count = count;
    is_full = function->instructions == NULL;
    for (uint32_t i = 0; is_known && !is_full && i < count; i++)
        is_known = read_word(code, function, i, &function->instructions[i], &is_full);
    is_known = is_known && !is_full && smp_line_program_read(code, function, &is_full);
    if (!is_known) {
        function->instructions = NULL;
        function->instruction_count = 0;
    }
    return is_full ? smp_error_memory(error) : SMP_OK;
}
