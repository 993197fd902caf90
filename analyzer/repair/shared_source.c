/* SPDX-License-Identifier: MIT */
/*
 * Finding declarations and uses of shared arrays.
 */
#include "shared_source.h"

#include <string.h>

#include "launch_type.h"

static size_t skip_blanks(const char *text, size_t at) {
    while (isspace((unsigned char)text[at]))
        at++;
    return at;
}

size_t shared_behind(const char *text, size_t at) {
    int depth = 0;
    for (; text[at] != '\0'; at++) {
        depth += strchr("([{", text[at]) != NULL;
        depth -= strchr(")]}", text[at]) != NULL;
        if (depth == 0)
            return at + 1;
    }
    return at;
}

size_t shared_block_end(const char *text, size_t at) {
    int depth = 0;
    for (; text[at] != '\0'; at++) {
        depth += (text[at] == '{') - (text[at] == '}');
        if (depth < 0)
            return at;
    }
    return at;
}

static bool find_word(const char *text, const char *word, size_t from, size_t end, size_t *at) {
    const size_t length = strlen(word);
    for (size_t i = from; i + length <= end; i++)
        if (memcmp(text + i, word, length) == 0 && (i == 0 || !host_is_word(text[i - 1])) &&
            !host_is_word(text[i + length])) {
            *at = i;
            return true;
        }
    return false;
}

/* The brackets behind a name that ends at `at`. */
static size_t read_indices(const char *text, size_t at, unsigned most,
                           host_span index[SHARED_DIMS_MAX], unsigned *count) {
    size_t end = at, next = skip_blanks(text, at);
    for (*count = 0; *count < most && text[next] == '['; next = skip_blanks(text, end)) {
        const size_t close = shared_behind(text, next);
        if (text[close - 1] != ']' || close < next + 2)
            break;
        index[(*count)++] = host_trim((host_span){text + next + 1, close - next - 2});
        end = close;
    }
    return end;
}

/* Behind `extern` in front of it, its own beginning is that. */
static size_t begin_of(const char *text, size_t at, bool *is_extern) {
    size_t begin = at;
    while (begin > 0 && isspace((unsigned char)text[begin - 1]))
        begin--;
    *is_extern = begin >= 6 && memcmp(text + begin - 6, "extern", 6) == 0;
    return *is_extern ? begin - 6 : at;
}

/* The name of a declarator, which ends in '[', ',' or ';' outside of other brackets. */
static size_t end_of_declarator(const char *text, size_t at) {
    while (text[at] != '\0' && !strchr("[,;={}", text[at]))
        at = text[at] == '(' ? shared_behind(text, at) : at + 1;
    return at;
}

static bool read_declaration(const char *text, const char *name, size_t shared, size_t behind_this,
                             shared_declaration *out) {
    const size_t from = skip_blanks(text, shared + strlen("__shared__"));
    size_t at = from;
    for (bool is_first = true;; is_first = false) {
        const size_t begin = at;
        at = end_of_declarator(text, at);
        if (text[at] == '{' || text[at] == '}' || text[at] == '\0')
            return false;
        const host_span before = {text + begin, at - begin};
        const host_span word = host_declared_name(before);
        if (is_first)
            out->type = host_trim((host_span){text + from, (size_t)(word.text - text) - from});
        unsigned dims;
        out->end = read_indices(text, at, SHARED_DIMS_MAX, out->extent, &dims);
        if (out->end > behind_this && dims > 0 && word.length > 0 &&
            (!name || host_is(word, name))) {
            out->name = word;
            out->dims = dims;
            return true;
        }
        for (at = out->end > at ? out->end : at;
             text[at] != '\0' && text[at] != ',' && text[at] != ';';)
            at = strchr("([{", text[at]) ? shared_behind(text, at) : at + 1;
        if (text[at] != ',')
            return false;
        at++;
    }
}

bool shared_declaration_next(const char *text, const char *name, size_t *at,
                             shared_declaration *out) {
    size_t shared, from = *at;
    while (from > 0 && !strchr(";{}", text[from - 1])) /* there may be others in the statement */
        from--;
    for (; find_word(text, "__shared__", from, strlen(text), &shared); from = shared + 1) {
        memset(out, 0, sizeof *out);
        out->begin = begin_of(text, shared, &out->is_extern);
        if (read_declaration(text, name, shared, *at, out)) {
            out->scope_end = shared_block_end(text, out->end);
            *at = out->end;
            return true;
        }
    }
    return false;
}

bool shared_use_next(const char *text, const shared_declaration *of, size_t *at, shared_use *out) {
    char name[128];
    if (of->name.length >= sizeof name)
        return false;
    memcpy(name, of->name.text, of->name.length);
    name[of->name.length] = '\0';
    while (find_word(text, name, *at, of->scope_end, &out->begin)) {
        const size_t begin = out->begin;
        *at = begin + of->name.length;
        const bool is_member =
            begin > 0 && (text[begin - 1] == '.' ||
                          (begin > 1 && text[begin - 1] == '>' && text[begin - 2] == '-'));
        if (is_member)
            continue;
        out->end = read_indices(text, *at, of->dims, out->index, &out->count);
        return true;
    }
    return false;
}

/* Without "__align__(16)", const and volatile. */
static host_span bare_type(host_span type) {
    static const char *const words[] = {"const", "volatile", "static"};
    for (size_t i = 0; i < type.length; i++)
        if (type.text[i] == ')')
            return bare_type((host_span){type.text + i + 1, type.length - i - 1});
    type = host_trim(type);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (type.length > length && memcmp(type.text, words[i], length) == 0 &&
            isspace((unsigned char)type.text[length]))
            return bare_type((host_span){type.text + length, type.length - length});
    }
    return type;
}

uint32_t shared_element_bytes(host_span type) {
    smp_element_type known;
    type = bare_type(type);
    return smp_element_type_named(type.text, type.length, &known)
               ? (uint32_t)known.bytes * known.components
               : 0;
}

unsigned shared_line(const char *text, size_t at) {
    unsigned line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n' || text[i] == '\v';
    return line;
}
