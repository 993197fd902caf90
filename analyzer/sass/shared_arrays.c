/* SPDX-License-Identifier: MIT */
/*
 * Shared arrays of a kernel. With -G they are symbols of .nv.shared.NAME. Otherwise their names are
 * only in the PTX that -lineinfo embeds: ptxas places those of the kernel's body, then the module's
 * arrays that it uses, each in declaration order and at its alignment (observed for CC 8.0 and
 * 9.0). The layout counts only if it ends where .nv.shared.NAME ends.
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

typedef struct ptx_word {
    const char *text; /* within the PTX */
    size_t length;
} ptx_word;

typedef struct ptx_array {
    ptx_word name;
    const char *type;
    uint64_t align, size_bytes;
    bool is_extern;
} ptx_array;

typedef struct ptx_entry {
    ptx_word name;
    ptx_text body; /* between its braces */
} ptx_entry;

/* The PTX of a cubin, parsed once for all kernels. */
typedef struct ptx_index {
    ptx_entry *entries; /* sorted by name */
    size_t entry_count;
    ptx_array *outside; /* of the module, in declaration order */
    size_t outside_count;
    const ptx_array **by_name;
    bool is_bad; /* a declaration of the module could not be parsed */
} ptx_index;

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

/* The next word or other character; false at the end. Line ends are NUL in the section. */
static bool next_word(ptx_text *text, ptx_word *word) {
    while (text->at < text->end && (*text->at == '\0' || isspace((unsigned char)*text->at)))
        text->at++;
    if (text->at >= text->end)
        return false;
    const char *begin = word->text = text->at++;
    if (text->end - begin >= 2 && begin[0] == '/' && begin[1] == '/') {
        while (text->at < text->end && *text->at != '\n' && *text->at != '\0')
            text->at++;
        return next_word(text, word);
    }
    if (is_name(*begin))
        while (text->at < text->end && is_name(*text->at))
            text->at++;
    word->length = (size_t)(text->at - begin);
    return true;
}

static bool word_is(ptx_word word, const char *text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static const ptx_type *type_of(ptx_word word) {
    return FIND(one, types, sizeof(types) / sizeof(*types), word_is(word, one->ptx));
}

static uint64_t word_number(ptx_word word) {
    uint64_t value = 0;
    for (size_t i = 0;
         i < word.length && isdigit((unsigned char)word.text[i]) && value < UINT32_MAX; i++)
        value = value * 10 + (uint64_t)(word.text[i] - '0');
    return value;
}

/* Parses what follows ".shared", up to the semicolon. */
static bool read_declaration(ptx_text *text, ptx_array *out) {
    ptx_word word;
    const ptx_type *type = NULL;
    bool is_array = false;
    uint64_t elements = 1;
    *out = (ptx_array){.align = 0};
    while (next_word(text, &word) && *word.text != ';') {
        if (word_is(word, ".align") && next_word(text, &word))
            out->align = word_number(word);
        else if (!type && type_of(word))
            type = type_of(word);
        else if (!out->name.text && is_name(*word.text) && word.length < NAME_MAX_BYTES)
            out->name = word;
        else if (isdigit((unsigned char)*word.text) && (is_array = true))
            elements *= word_number(word);
        else if (*word.text == '[')
            is_array = true;
        else if (*word.text != ']')
            return false;
        if (elements > UINT32_MAX)
            return false;
    }
    if (!type || !out->name.text)
        return false;
    out->type = is_array && type->bytes == 1 ? NULL : type->name;
    out->size_bytes = elements * type->bytes;
    if (out->align == 0)
        out->align = type->bytes;
    return out->align <= 4096;
}

/* ---- The index ---- */

static int name_order(const ptx_word *a, const ptx_word *b) {
    const int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static int entry_order(const void *left, const void *right) {
    return name_order(&((const ptx_entry *)left)->name, &((const ptx_entry *)right)->name);
}

static int array_order(const void *left, const void *right) {
    return name_order(&(*(const ptx_array *const *)left)->name,
                      &(*(const ptx_array *const *)right)->name);
}

static bool add_outside(ptx_index *index, ptx_text *text, bool is_extern) {
    ptx_array array;
    if (!read_declaration(text, &array)) {
        index->is_bad = true;
        return true;
    }
    array.is_extern = is_extern;
    if (!LIST_ROOM(index->outside, index->outside_count))
        return false;
    index->outside[index->outside_count++] = array;
    return true;
}

/* Collects kernels and the module's declarations; false if out of memory. */
static bool read_module(ptx_index *index, ptx_text text) {
    ptx_word word;
    int depth = 0;
    bool is_extern = false, ok = true;
    ptx_entry entry = {.name = {NULL, 0}};
    while (ok && next_word(&text, &word)) {
        bool is_shared = word_is(word, ".shared");
        if (depth == 0 && word_is(word, ".entry") && next_word(&text, &word))
            entry.name = word;
        if (is_shared && depth == 0)
            ok = add_outside(index, &text, is_extern);
        else if (*word.text == '{' && depth++ == 0)
            entry.body.at = text.at;
        else if (*word.text == '}' && --depth == 0 && entry.name.text) {
            entry.body.end = word.text;
            ok = LIST_ROOM(index->entries, index->entry_count);
            if (ok)
                index->entries[index->entry_count++] = entry;
            entry.name.text = NULL;
        }
        is_extern = word_is(word, ".extern");
    }
    return ok;
}

static bool make_index(ptx_index *index, ptx_text text) {
    bool ok = read_module(index, text);
    index->by_name = calloc(index->outside_count + 1, sizeof(*index->by_name));
    if (!ok || !index->by_name)
        return false;
    for (size_t i = 0; i < index->outside_count; i++)
        index->by_name[i] = &index->outside[i];
    if (index->outside_count > 1)
        qsort(index->by_name, index->outside_count, sizeof(*index->by_name), array_order);
    if (index->entry_count > 1)
        qsort(index->entries, index->entry_count, sizeof(*index->entries), entry_order);
    return true;
}

static void free_index(ptx_index *index) {
    free(index->entries);
    free(index->outside);
    free(index->by_name);
}

static const ptx_entry *entry_of(const ptx_index *index, const char *name) {
    const ptx_entry wanted = {.name = {name, strlen(name)}};
    return index->entry_count == 0
               ? NULL
               : bsearch(&wanted, index->entries, index->entry_count, sizeof(wanted), entry_order);
}

/* Marks the module's arrays that a body mentions. */
static void mark_used(const ptx_index *index, ptx_text body, bool *is_used) {
    ptx_array wanted;
    const ptx_array *const key = &wanted;
    while (index->outside_count > 0 && next_word(&body, &wanted.name)) {
        const ptx_array **found = bsearch(&key, index->by_name, index->outside_count,
                                          sizeof(*index->by_name), array_order);
        if (found)
            is_used[*found - index->outside] = true;
    }
}

/* ---- Arrays ---- */

/* "transpose(float*, int)::tile" becomes "tile". */
static const char *last_name(const char *demangled) {
    const char *last = demangled;
    for (const char *at = demangled; (at = strstr(at, "::"));)
        last = at += 2;
    return last;
}

static bool add_array(smp_code *code, smp_function *function, const ptx_array *array,
                      uint64_t offset) {
    char plain[NAME_MAX_BYTES] = "";
    if (!LIST_ROOM(function->arrays, function->array_count))
        return false;
    smp_code_array *added = &function->arrays[function->array_count++];
    memcpy(plain, array->name.text, array->name.length);
    char *demangled;
    if (smp_demangle(plain, &demangled, NULL) != SMP_OK)
        return false;
    const char *name = demangled ? last_name(demangled) : plain;
    *added = (smp_code_array){
        .name = smp_code_copy(code, name, strlen(name)),
        .type = array->type ? smp_code_copy(code, array->type, strlen(array->type)) : NULL,
        .offset_bytes = (uint32_t)offset,
        .size_bytes = array->is_extern ? 0 : (uint32_t)array->size_bytes,
    };
    free(demangled);
    return added->name;
}

static void forget_arrays(smp_function *function) {
    free(function->arrays);
    function->arrays = NULL;
    function->array_count = 0;
}

/* Positions of the arrays in one pass over the declarations. */
typedef struct placing {
    smp_code *code;
    smp_function *function;
    uint64_t end;
    bool is_dynamic; /* pass over the dynamic arrays, which come last */
} placing;

/* False if the kernel has less memory than that. */
static bool place(placing *p, const ptx_array *array) {
    if (array->is_extern != p->is_dynamic)
        return true;
    uint64_t offset = (p->end + array->align - 1) / array->align * array->align;
    if (!array->is_extern)
        p->end = offset + array->size_bytes;
    return p->end <= p->function->shared_bytes && offset <= UINT32_MAX &&
           add_array(p->code, p->function, array, offset);
}

static bool place_own(placing *p, ptx_text body) {
    ptx_word word;
    ptx_array array;
    bool is_extern = false;
    while (next_word(&body, &word)) {
        if (word_is(word, ".shared")) {
            if (!read_declaration(&body, &array))
                return false;
            array.is_extern = is_extern;
            if (!place(p, &array))
                return false;
        }
        is_extern = word_is(word, ".extern");
    }
    return true;
}

static bool place_all(placing *p, const ptx_index *index, ptx_text body, const bool *is_used) {
    bool ok = place_own(p, body);
    for (size_t i = 0; ok && i < index->outside_count; i++)
        ok = !is_used[i] || place(p, &index->outside[i]);
    return ok;
}

/* The section ends at the start of dynamic memory, which is aligned for all kernels. */
static uint64_t section_align(const ptx_index *index) {
    uint64_t align = SECTION_ALIGN;
    EACH(const ptx_array, array, index->outside, index->outside_count)
        if (array->is_extern && array->align > align)
            align = array->align;
    return align;
}

static void arrays_from_ptx(smp_code *code, smp_function *function, const ptx_index *index) {
    placing p = {code, function, 0, false};
    const ptx_entry *entry = entry_of(index, function->name);
    bool *is_used = calloc(index->outside_count + 1, sizeof(*is_used));
    bool is_known = entry && !index->is_bad && is_used;
    if (is_known) {
        mark_used(index, entry->body, is_used);
        const uint64_t align = section_align(index);
        is_known = place_all(&p, index, entry->body, is_used) &&
                   (p.end + align - 1) / align * align == function->shared_bytes;
        p.end = function->shared_bytes;
        p.is_dynamic = true;
        is_known = is_known && place_all(&p, index, entry->body, is_used);
    }
    if (!is_known)
        forget_arrays(function);
    free(is_used);
}

static void arrays_from_symbols(smp_code *code, smp_function *function) {
    EACH(const cubin_symbol, symbol, code->symbols, code->symbol_count) {
        const char *section = code->sections[symbol->section].name;
        if (symbol->type != SYMBOL_OBJECT || strncmp(section, ".nv.shared.", 11) != 0 ||
            strcmp(section + 11, function->name) != 0 || strlen(symbol->name) >= NAME_MAX_BYTES ||
            symbol->value < function->shared_reserved_bytes ||
            symbol->value - function->shared_reserved_bytes > function->shared_bytes ||
            symbol->size_bytes > function->shared_bytes)
            continue;
        const ptx_array array = {.name = {symbol->name, strlen(symbol->name)},
                                 .size_bytes = symbol->size_bytes};
        if (!add_array(code, function, &array, symbol->value - function->shared_reserved_bytes))
            return;
    }
}

void smp_code_use_ptx(smp_code *code, const char *ptx, size_t size) {
    ptx_index index = {.entries = NULL};
    bool is_indexed = ptx && make_index(&index, (ptx_text){ptx, ptx + size});
    EACH(smp_function, function, code->functions, code->function_count) {
        if (function->array_count == 0 && code->section_count > 0)
            arrays_from_symbols(code, function);
        if (function->array_count == 0 && is_indexed)
            arrays_from_ptx(code, function, &index);
    }
    free_index(&index);
}
