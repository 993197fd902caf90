/* SPDX-License-Identifier: MIT */
/*
 * What `nvdisasm -gi -c` prints, line by line:
 *     .section .text.NAME,"ax",@progbits          a function begins
 *     //## File "a.cu", line 3 inlined at ...     where the next instructions come from, with the
 *     //## File "a.cu", line 7                    line that inlined it below
 *     .L_x_1:                                     a label: the offset of the next instruction
 *     /.00a0./ @P0 BRA `(.L_x_1) ;          an instruction
 * (the dots of the last stand for asterisks). Labels in operands become offsets. Lines that are
 * none of these are skipped: the text is for people, and has more in it than is asked for here.
 * Offsets outside the function are an error.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "list.h"

enum { CHAIN_MAX = 64 };

typedef struct label {
    const char *name;
    uint32_t offset_bytes;
} label;

typedef struct reader {
    smp_code *code;
    smp_function *function; /* NULL: between functions */
    uint32_t next_bytes;    /* offset after the last instruction */
    smp_source_line chain[CHAIN_MAX];
    uint32_t chain_length;
    bool is_open;                  /* the chain continues on the next line */
    const smp_source_line *frames; /* the stored chain; NULL: not stored yet */
    label *labels;
    size_t label_count;
} reader;

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static char *skip_blanks(char *text) {
    return text + strspn(text, " \t");
}

static void cut_blanks(char *text) {
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
}

/* Terminates the first word; returns what follows it. */
static char *end_word(char *text) {
    text += strcspn(text, " \t");
    if (*text != '\0')
        *text++ = '\0';
    return skip_blanks(text);
}

/* ---- Lines of the source ---- */

static bool is_octal(const char *digits) {
    return digits[0] >= '2' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7' &&
           digits[2] >= '0' && digits[2] <= '7';
}

/* nvcc writes bytes of UTF-8 as "\303\266", and ptxas takes the last backslash for a slash. Puts
 * the bytes back and returns the new length. */
static size_t unescape(char *name, size_t length) {
    size_t to = 0, awaited = 0; /* bytes of a character that has begun */
    for (size_t at = 0; at < length; at++) {
        const bool is_byte = (name[at] == '\\' || (name[at] == '/' && awaited > 0)) &&
                             at + 3 < length && is_octal(name + at + 1);
        unsigned char byte = (unsigned char)name[at];
        if (is_byte) {
            byte = (unsigned char)strtoul((char[]){name[at + 1], name[at + 2], name[at + 3], '\0'},
                                          NULL, 8);
            at += 3;
        }
        awaited = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : awaited - (awaited > 0);
        name[to++] = (char)byte;
    }
    return to;
}

static smp_status read_source_line(reader *r, char *line, smp_error *error) {
    char *name = strchr(line, '"');
    char *end = name ? strstr(name + 1, "\", line ") : NULL;
    if (!end)
        return SMP_OK;
    char *rest;
    unsigned long number = strtoul(end + strlen("\", line "), &rest, 10);
    if (!r->is_open)
        r->chain_length = 0;
    r->is_open = strstr(rest, "inlined at");
    r->frames = NULL;
    if (r->chain_length >= CHAIN_MAX)
        return SMP_OK;
    smp_source_line *frame = &r->chain[r->chain_length];
    const size_t length = unescape(name + 1, (size_t)(end - name - 1));
    frame->line = (uint32_t)number;
    frame->file = smp_code_copy(r->code, name + 1, length);
    if (!frame->file)
        return smp_error_memory(error);
    r->chain_length++;
    return SMP_OK;
}

static bool keep_chain(reader *r) {
    if (r->frames || r->chain_length == 0)
        return true;
    size_t bytes = r->chain_length * sizeof(*r->chain);
    smp_source_line *kept = smp_code_alloc(r->code, bytes);
    if (kept)
        memcpy(kept, r->chain, bytes);
    r->frames = kept;
    return kept;
}

/* ---- Labels ---- */

static int label_order(const void *a, const void *b) {
    return strcmp(((const label *)a)->name, ((const label *)b)->name);
}

static smp_status add_label(reader *r, const char *name, smp_error *error) {
    if (!LIST_ROOM(r->labels, r->label_count))
        return smp_error_memory(error);
    r->labels[r->label_count++] = (label){name, r->next_bytes};
    return SMP_OK;
}

/* Replaces one "`(name)" in the operands by an offset, if it is a label of the function. */
static char *replace_labels(reader *r, const char *operands) {
    char text[1024];
    size_t length = 0;
    for (const char *at = operands; *at != '\0' && length < sizeof(text) - 16;) {
        const char *end = at[0] == '`' && at[1] == '(' ? strchr(at, ')') : NULL;
        char name[1024];
        const label *found = NULL;
        if (end && (size_t)(end - at) < sizeof(name)) {
            memcpy(name, at + 2, (size_t)(end - at - 2));
            name[end - at - 2] = '\0';
            found =
                bsearch(&(label){name, 0}, r->labels, r->label_count, sizeof(label), label_order);
        }
        if (!found) {
            text[length++] = *at++;
            continue;
        }
        length += (size_t)sprintf(text + length, "0x%x", found->offset_bytes);
        at = end + 1;
    }
    return smp_code_copy(r->code, text, length);
}

/* The labels of a function are known at its end. */
static smp_status end_function(reader *r, smp_error *error) {
    smp_function *function = r->function;
    r->function = NULL;
    if (!function)
        return SMP_OK;
    if (r->label_count > 1)
        qsort(r->labels, r->label_count, sizeof(*r->labels), label_order);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        smp_instruction *instruction = &function->instructions[i];
        if (!instruction->opcode)
            return smp_error_set(error, SMP_E_READ, -1, "nvdisasm left out 0x%x of %.100s",
                                 i * INSTRUCTION_BYTES, function->name);
        if (r->label_count > 0 && strstr(instruction->operands, "`("))
            instruction->operands = replace_labels(r, instruction->operands);
        if (!instruction->operands)
            return smp_error_memory(error);
    }
    return SMP_OK;
}

static smp_status begin_function(reader *r, char *line, smp_error *error) {
    smp_status status = end_function(r, error);
    char *name = strstr(line, ".text.");
    if (status != SMP_OK || !name)
        return status;
    name += strlen(".text.");
    name[strcspn(name, ",\"")] = '\0';
    r->function = (smp_function *)smp_code_find(r->code, name);
    r->label_count = r->chain_length = r->next_bytes = 0;
    r->is_open = false;
    r->frames = NULL;
    if (!r->function || r->function->instructions) {
        r->function = NULL;
        return SMP_OK;
    }
    uint32_t count = r->function->code_bytes / INSTRUCTION_BYTES;
    r->function->instructions = smp_code_alloc(r->code, (count + 1) * sizeof(smp_instruction));
    if (!r->function->instructions)
        return smp_error_memory(error);
    r->function->instruction_count = count;
    return SMP_OK;
}

/* ---- Instructions ---- */

/* Splits "@P0 BRA `(.L_x_1) ;" in place; `out` points into it. Drops the comment and semicolon at
 * the end. */
static void split(char *text, smp_instruction *out) {
    text = skip_blanks(text);
    char *comment = strstr(text, "(*\"");
    char *end = comment ? comment : strrchr(text, ';');
    if (end)
        *end = '\0';
    cut_blanks(text);
    out->predicate = "";
    if (*text == '@') {
        out->predicate = text;
        text = end_word(text);
    }
    out->opcode = text;
    out->operands = end_word(text);
}

static smp_status read_instruction(reader *r, const char *line, smp_error *error) {
    char *end;
    unsigned long offset = strtoul(line + 2, &end, 16);
    if (!starts(end, "*/"))
        return SMP_OK;
    if (offset % INSTRUCTION_BYTES != 0 ||
        offset / INSTRUCTION_BYTES >= r->function->instruction_count)
        return smp_error_set(error, SMP_E_READ, -1, "nvdisasm: no instruction can be at 0x%lx",
                             offset);
    smp_instruction *out = &r->function->instructions[offset / INSTRUCTION_BYTES];
    char *text = smp_code_copy(r->code, end + 2, strlen(end + 2));
    if (!text || !keep_chain(r))
        return smp_error_memory(error);
    split(text, out);
    out->offset_bytes = (uint32_t)offset;
    out->frames = r->frames;
    out->frame_count = r->frames ? r->chain_length : 0;
    r->is_open = false;
    r->next_bytes = (uint32_t)offset + INSTRUCTION_BYTES;
    return SMP_OK;
}

static smp_status read_line(reader *r, char *line, smp_error *error) {
    line = skip_blanks(line);
    if (starts(line, ".section\t") || starts(line, ".section "))
        return begin_function(r, line, error);
    if (!r->function)
        return SMP_OK;
    if (starts(line, "//## File"))
        return read_source_line(r, line, error);
    if (starts(line, "/*"))
        return read_instruction(r, line, error);
    cut_blanks(line);
    size_t length = strlen(line);
    if (length < 2 || line[length - 1] != ':' || strpbrk(line, " \t"))
        return SMP_OK;
    line[length - 1] = '\0';
    return add_label(r, line, error);
}

smp_status smp_sass_text_read(smp_code *code, char *text, smp_error *error) {
    reader r = {.code = code};
    smp_status status = SMP_OK;
    while (status == SMP_OK && *text != '\0') {
        char *end = text + strcspn(text, "\n");
        char *next = *end == '\0' ? end : end + 1;
        *end = '\0';
        status = read_line(&r, text, error);
        text = next;
    }
    if (status == SMP_OK)
        status = end_function(&r, error);
    free(r.labels);
    return status;
}
