/* SPDX-License-Identifier: MIT */
/*
 * Shared arrays of a kernel. Compiled with -G, they are symbols of .nv.shared.NAME. Else their
 * names are only in the PTX that -lineinfo embeds: ptxas lays out those of the kernel's own body,
 * then those of the module that it uses, each in the order of declaration and at its alignment
 * (seen in what it makes for CC 8.0 and 9.0). That is believed only if it ends where
 * .nv.shared.NAME ends.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "list.h"

enum { SYMBOL_OBJECT = 1, NAME_MAX_BYTES = 1024, SECTION_ALIGN = 16 };

typedef struct ptx_text {
    const char *at, *end;
} ptx_text;

typedef struct ptx_array {
    char name[NAME_MAX_BYTES];
    const char *type;
    uint64_t align, size_bytes;
    bool is_extern;
} ptx_array;

typedef struct ptx_type {
    const char *ptx, *name;
    uint32_t bytes;
} ptx_type;

static const ptx_type types[] = {
    {".b8", NULL, 1},
    {".u8", "unsigned char", 1},
    {".s8", "signed char", 1},
    {".b16", NULL, 2},
    {".u16", "unsigned short", 2},
    {".s16", "short", 2},
    {".f16", "__half", 2},
    {".b32", NULL, 4},
    {".u32", "unsigned", 4},
    {".s32", "int", 4},
    {".f32", "float", 4},
    {".b64", NULL, 8},
    {".u64", "unsigned long long", 8},
    {".s64", "long long", 8},
    {".f64", "double", 8},
};

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* The next word, or single other character; false at the end. Line ends are NUL in the section. */
static bool next_word(ptx_text *text, const char **word, size_t *length) {
    while (text->at < text->end && (*text->at == '\0' || isspace((unsigned char)*text->at)))
        text->at++;
    if (text->at >= text->end)
        return false;
    *word = text->at++;
    if (text->end - *word >= 2 && (*word)[0] == '/' && (*word)[1] == '/') {
        while (text->at < text->end && *text->at != '\n' && *text->at != '\0')
            text->at++;
        return next_word(text, word, length);
    }
    if (is_name(**word))
        while (text->at < text->end && is_name(*text->at))
            text->at++;
    *length = (size_t)(text->at - *word);
    return true;
}

static bool word_is(const char *word, size_t length, const char *text) {
    return length == strlen(text) && memcmp(word, text, length) == 0;
}

static const ptx_type *type_of(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (word_is(word, length, types[i].ptx))
            return &types[i];
    return NULL;
}

static uint64_t word_number(const char *word, size_t length) {
    uint64_t value = 0;
    for (size_t i = 0; i < length && isdigit((unsigned char)word[i]) && value < UINT32_MAX; i++)
        value = value * 10 + (uint64_t)(word[i] - '0');
    return value;
}

/* What follows ".shared", to the semicolon. */
static bool read_declaration(ptx_text *text, ptx_array *out) {
    const char *word;
    size_t length;
    const ptx_type *type = NULL;
    bool is_array = false;
    uint64_t elements = 1;
    *out = (ptx_array){.align = 0};
    while (next_word(text, &word, &length) && *word != ';') {
        if (word_is(word, length, ".align") && next_word(text, &word, &length))
            out->align = word_number(word, length);
        else if (type == NULL && type_of(word, length) != NULL)
            type = type_of(word, length);
        else if (out->name[0] == '\0' && is_name(*word) && length < NAME_MAX_BYTES)
            memcpy(out->name, word, length);
        else if (isdigit((unsigned char)*word) && (is_array = true))
            elements *= word_number(word, length);
        else if (*word == '[')
            is_array = true;
        else if (*word != ']')
            return false;
        if (elements > UINT32_MAX)
            return false;
    }
    if (type == NULL || out->name[0] == '\0')
        return false;
    out->type = is_array && type->bytes == 1 ? NULL : type->name;
    out->size_bytes = elements * type->bytes;
    if (out->align == 0)
        out->align = type->bytes;
    return out->align <= 4096;
}

/* The body of `.entry name`, between its braces; empty if it is not there. */
static ptx_text body_of(ptx_text text, const char *name) {
    const char *word;
    size_t length;
    int depth = 0;
    bool is_named = false;
    ptx_text body = {NULL, NULL};
    while (next_word(&text, &word, &length)) {
        if (word_is(word, length, ".entry") && next_word(&text, &word, &length))
            is_named = word_is(word, length, name);
        if (*word == '{' && depth++ == 0 && is_named)
            body.at = text.at;
        if (*word == '}' && --depth == 0 && is_named) {
            body.end = word;
            return body;
        }
    }
    return (ptx_text){NULL, NULL};
}

static bool mentions(ptx_text body, const char *name) {
    const char *word;
    size_t length;
    while (next_word(&body, &word, &length))
        if (word_is(word, length, name))
            return true;
    return false;
}

/* "transpose(float*, int)::tile" -> "tile". */
static const char *last_name(const char *demangled) {
    const char *last = demangled;
    for (const char *at = demangled; (at = strstr(at, "::")) != NULL;)
        last = at += 2;
    return last;
}

static bool add_array(smp_code *code, smp_function *function, const ptx_array *array,
                      uint64_t offset) {
    if (!LIST_ROOM(function->arrays, function->array_count))
        return false;
    smp_code_array *added = &function->arrays[function->array_count++];
    char *demangled = smp_demangle(array->name);
    const char *name = demangled == NULL ? array->name : last_name(demangled);
    *added = (smp_code_array){
        .name = smp_code_copy(code, name, strlen(name)),
        .type = array->type == NULL ? NULL : smp_code_copy(code, array->type, strlen(array->type)),
        .offset_bytes = (uint32_t)offset,
        .size_bytes = array->is_extern ? 0 : (uint32_t)array->size_bytes,
    };
    free(demangled);
    return added->name != NULL;
}

static void forget_arrays(smp_function *function) {
    free(function->arrays);
    function->arrays = NULL;
    function->array_count = 0;
}

/* Where the declarations of one pass put the arrays; false: not as the code has it. */
typedef struct placing {
    smp_code *code;
    smp_function *function;
    ptx_text body;
    uint64_t end;
    bool is_dynamic; /* pass over the arrays sized at the launch, which come last */
} placing;

static bool place(placing *p, const ptx_array *array, bool is_outside) {
    if (array->is_extern != p->is_dynamic || (is_outside && !mentions(p->body, array->name)))
        return true;
    uint64_t offset = (p->end + array->align - 1) / array->align * array->align;
    if (!array->is_extern)
        p->end = offset + array->size_bytes;
    return p->end <= p->function->shared_bytes && offset <= UINT32_MAX &&
           add_array(p->code, p->function, array, offset);
}

static bool place_declared(placing *p, ptx_text text, bool is_outside) {
    const char *word;
    size_t length;
    int depth = 0;
    bool is_extern = false;
    while (next_word(&text, &word, &length)) {
        depth += *word == '{' ? 1 : *word == '}' ? -1 : 0;
        if (word_is(word, length, ".extern"))
            is_extern = true;
        else if (!word_is(word, length, ".shared"))
            is_extern = false;
        ptx_array array;
        if (!word_is(word, length, ".shared") || (is_outside && depth != 0))
            continue;
        if (!read_declaration(&text, &array))
            return false;
        array.is_extern = is_extern;
        is_extern = false;
        if (!place(p, &array, is_outside))
            return false;
    }
    return true;
}

static void arrays_from_ptx(smp_code *code, smp_function *function, ptx_text text) {
    placing p = {code, function, body_of(text, function->name), 0, false};
    if (p.body.at == NULL)
        return;
    bool is_known =
        place_declared(&p, p.body, false) && place_declared(&p, text, true) &&
        (p.end + SECTION_ALIGN - 1) / SECTION_ALIGN * SECTION_ALIGN == function->shared_bytes;
    p.end = function->shared_bytes;
    p.is_dynamic = true;
    is_known = is_known && place_declared(&p, p.body, false) && place_declared(&p, text, true);
    if (!is_known)
        forget_arrays(function);
}

static void arrays_from_symbols(smp_code *code, smp_function *function) {
    for (uint32_t i = 0; i < code->symbol_count; i++) {
        const cubin_symbol *symbol = &code->symbols[i];
        const char *section = code->sections[symbol->section].name;
        if (symbol->type != SYMBOL_OBJECT || strncmp(section, ".nv.shared.", 11) != 0 ||
            strcmp(section + 11, function->name) != 0 || strlen(symbol->name) >= NAME_MAX_BYTES ||
            symbol->value < function->shared_reserved_bytes ||
            symbol->value - function->shared_reserved_bytes > function->shared_bytes ||
            symbol->size_bytes > function->shared_bytes)
            continue;
        ptx_array array = {.size_bytes = symbol->size_bytes};
        strcpy(array.name, symbol->name);
        if (!add_array(code, function, &array, symbol->value - function->shared_reserved_bytes))
            return;
    }
}

void smp_cubin_arrays(smp_code *code, smp_function *function, const char *ptx, size_t size) {
    if (function->array_count == 0 && code->section_count > 0)
        arrays_from_symbols(code, function);
    if (function->array_count == 0 && ptx != NULL)
        arrays_from_ptx(code, function, (ptx_text){ptx, ptx + size});
}
