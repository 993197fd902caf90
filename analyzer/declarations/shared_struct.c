/* SPDX-License-Identifier: MIT */
/* Structs in shared memory: their definitions, arguments and array members. */
#include <string.h>

#include "launch_found.h"
#include "layout_factor.h"
#include "shared_source.h"
#include "source_words.h"

/* Whether the range names a struct, outside template parameters. */
static bool is_struct(const char *text, size_t begin, size_t end) {
    static const host_span words[] = {{"struct", 6}, {"union", 5}, {"class", 5}};
    int depth = 0;
    for (size_t i = begin; i < end; i++) {
        depth += (text[i] == '<') - (text[i] == '>');
        for (size_t k = 0; k < sizeof words / sizeof *words && depth <= 0; k++)
            if (source_is_word_at(text, i, words[k]))
                return true;
    }
    return false;
}

bool shared_struct_body(const char *text, host_span name, host_span *body) {
    host_struct of;
    if (!host_struct_find(text, name, &of))
        return false;
    *body = of.body;
    return true;
}

/* Reads "__shared__ TYPE name", with or without extents, where the type may be defined. */
static bool find_declared(const char *text, const char *name, host_span *type, host_span *body) {
    static const host_span word = {"__shared__", 10};
    const size_t end = strlen(text);
    for (size_t at = 0; (at = source_next_word(text, word, at, end)) < end; at++) {
        const size_t begin = at + word.length, open = begin + strcspn(text + begin, ";[={}");
        const size_t behind = text[open] == '{' ? shared_behind(text, open) : begin;
        const size_t stop = behind + strcspn(text + behind, ";[={}");
        const host_span last = source_word_before(text, source_before_blanks(text, stop));
        if (last.text < text + behind || !host_is(last, name))
            continue;
        if (behind > begin) { /* __shared__ struct { ... } name; */
            *type = host_between(text + begin, text + open);
            *body = (host_span){text + open + 1, behind - open - 2};
            return true;
        }
        const host_span given =
            host_name_base((host_span){text + begin, (size_t)(last.text - text) - begin});
        *type = given;
        if (type->length == 0 || shared_struct_body(text, *type, body))
            return type->length > 0;
        if (!host_alias(text, given, type))
            return false;
        *type = host_name_base(*type);
        return type->length > 0 && shared_struct_body(text, *type, body);
    }
    return false;
}

/* "(TYPE *)name", "reinterpret_cast<TYPE *>(name)" */
static bool find_cast(const char *text, const char *name, host_span *type, host_span *body) {
    const host_span word = {name, strlen(name)};
    const size_t end = strlen(text);
    for (size_t at = 1; (at = source_next_word(text, word, at, end)) < end; at++) {
        size_t star = at;
        while (star > 0 && strchr("(&>) \n", text[star - 1]))
            star--;
        if (star == 0 || text[star - 1] != '*')
            continue;
        size_t begin = --star;
        while (begin > 0 && !strchr("(;{}=", text[begin - 1]) &&
               !(text[begin - 1] == '<' && text[star - 1] != '>'))
            begin--;
        *type = host_name_base((host_span){text + begin, star - begin});
        if (type->length > 0 && shared_struct_body(text, *type, body))
            return true;
    }
    return false;
}

bool shared_struct_of(const char *text, const char *name, host_span *type, host_span *body) {
    return find_declared(text, name, type, body) || find_cast(text, name, type, body);
}

/* ---- Types with arguments ---- */

/* The argument for the template parameter that the extent names, of the alias at `at`. */
static host_span given_for(const char *text, size_t at, host_span type, host_span extent) {
    host_span parameter, argument;
    const size_t end = source_before_blanks(text, at);
    const size_t begin = source_behind_last(text, end, ";{}");
    const host_span list = host_template_list((host_span){text + begin, end - begin});
    for (unsigned i = 0; host_part(list, i, &parameter); i++)
        if (host_same(host_declared_name(parameter), extent) &&
            host_part(host_template_list(type), i, &argument))
            return host_trim(argument);
    return extent;
}

/* Adds the extents of the type if the statement at `at` declares it. */
static bool read_alias(const char *text, size_t at, size_t behind, host_span type,
                       shared_declaration *out) {
    const host_span said = {text + behind, strcspn(text + behind, ";{")};
    const char *equals = memchr(said.text, '=', said.length);
    const char *open = memchr(said.text, '[', said.length);
    const host_span name = host_declared_name(said);
    if (!open || !host_same(name, host_name_base(type)))
        return false;
    const char *from = equals ? equals + 1 : said.text, *to = equals ? open : name.text;
    if (to <= from)
        return false;
    for (size_t next = (size_t)(open - text); text[next] == '[' && out->dims < SHARED_DIMS_MAX;) {
        const size_t close = shared_behind(text, next);
        const host_span extent = host_between(text + next + 1, text + close - 1);
        out->extent[out->dims++] = given_for(text, at, type, extent);
        next = source_behind_blanks(text, close);
    }
    out->type = host_between(from, to);
    return true;
}

bool shared_array_type(const char *text, host_span type, shared_declaration *out) {
    static const host_span words[] = {{"typedef", 7}, {"using", 5}};
    const size_t end = strlen(text);
    for (unsigned i = 0; i < 2 && host_name_base(type).length > 0; i++)
        for (size_t at = 0; (at = source_next_word(text, words[i], at, end)) < end; at++)
            if (read_alias(text, at, at + words[i].length, type, out)) {
                (void)(out->dims < SHARED_DIMS_MAX && shared_array_type(text, out->type, out));
                return true;
            }
    return false;
}

/* Finds the next "__shared__ TYPE name" from *at on, up to `end`: *at becomes its place, `type` the
 * text between, and `stop` the end of the name. */
static bool next_variable(const char *text, size_t end, const char *name, size_t *at,
                          host_span *type, size_t *stop) {
    static const host_span word = {"__shared__", 10};
    for (; (*at = source_next_word(text, word, *at, end)) < end; ++*at) {
        const char *begin = text + *at + word.length;
        *stop = (size_t)(begin - text) + strcspn(begin, ";[={}(");
        const host_span last = source_name_before(text, *stop);
        if (last.text <= begin || !host_is(last, name))
            continue;
        *type = host_between(begin, last.text);
        return true;
    }
    return false;
}

/* Reads "__shared__ TYPE name" after `from`, else anywhere, and resolves an alias of the type. */
static bool read_variable(const char *text, const char *name, size_t from,
                          shared_declaration *out) {
    host_span type;
    size_t at = from, stop;
    if (!next_variable(text, strlen(text), name, &at, &type, &stop))
        return from > 0 && read_variable(text, name, 0, out);
    *out = (shared_declaration){.begin = at, .name = source_name_before(text, stop), .end = stop};
    out->type = type;
    out->scope_end = shared_block_end(text, stop);
    if (!memchr(type.text, '<', type.length))
        (void)host_alias(text, host_name_base(type), &out->type);
    return true;
}

bool shared_is_variable(host_span body, const char *name) {
    host_span type;
    size_t at = 0, stop;
    return next_variable(body.text, body.length, name, &at, &type, &stop);
}

/* Whether the word is a template argument and an integer. */
static bool is_integer(const host_scope *scope, host_span type, host_span word) {
    int64_t value;
    const char *next = word.text + word.length + strspn(word.text + word.length, " ");
    return next < type.text + type.length && strchr(",>", *next) &&
           shared_element_bytes(word) == 0 && layout_value(scope, word, &value) && value > 1;
}

/* Finds integer argument *number at that nesting level, from the end; counts *number down. */
static bool find_integer(const host_scope *scope, host_span type, int level, unsigned *number,
                         host_span *out) {
    int depth = 0;
    for (size_t i = type.length; i > 0; i--) {
        depth += (type.text[i - 1] == '>') - (type.text[i - 1] == '<');
        *out = source_word_before(type.text, i);
        if (out->length == 0 || (i < type.length && text_is_word(type.text[i])) || depth != level ||
            !is_integer(scope, type, *out))
            continue;
        if ((*number)-- == 0)
            return true;
    }
    return false;
}

host_span shared_element_type(const host_scope *scope, const char *name) {
    shared_declaration of = {.dims = 0};
    (void)read_variable(scope->text, name, (size_t)(scope->at - scope->text), &of);
    for (size_t i = of.type.length; i > 0; i--) {
        const host_span word = source_word_before(of.type.text, i);
        if (shared_element_bytes(word) > 0)
            return word;
    }
    return of.type;
}

/* The argument for a parameter of the template, given or by default; false if there is none. */
static bool argument_of(host_span type, host_span parameter, unsigned index, host_span *out) {
    const char *equals = memchr(parameter.text, '=', parameter.length);
    if (!host_part(host_template_list(type), index, out)) {
        if (!equals)
            return false;
        *out = (host_span){equals + 1, parameter.length - (size_t)(equals + 1 - parameter.text)};
    }
    *out = host_trim(*out);
    return true;
}

/* Finds the 0 of parameter "int PAD = 0" of the type's class template, or the argument 0 in its
 * place: a pad that is not used. */
static bool find_pad(const char *text, host_span type, host_span *out) {
    host_struct of;
    host_span parameter;
    if (!host_struct_find(text, host_name_base(type), &of))
        return false;
    for (unsigned i = 0; host_part(of.templates, i, &parameter); i++)
        if (argument_of(type, parameter, i, out) && host_is(*out, "0") &&
            !host_has_word(parameter, "bool"))
            return true;
    return false;
}

bool shared_argument(const host_scope *scope, const char *name, unsigned number,
                     shared_declaration *out) {
    enum { DEEPEST = 4 };
    if (!read_variable(scope->text, name, (size_t)(scope->at - scope->text), out))
        return false;
    bool is_found = find_pad(scope->text, out->type, &out->extent[1]) && number-- == 0;
    for (int level = DEEPEST; level > 0 && !is_found; level--)
        is_found = find_integer(scope, out->type, level, &number, &out->extent[1]);
    if (!is_found)
        return false;
    out->type = shared_element_type(scope, name);
    out->extent[0] = out->extent[1];
    out->dims = 2;
    return true;
}

/* ---- Members ---- */

/* End of the member that begins at `at`: after its ';' or function body. */
static size_t end_of_member(const char *text, size_t at, size_t end) {
    while (at < end && text[at] != ';' && text[at] != '{')
        at = strchr("([", text[at]) ? shared_behind(text, at) : at + 1;
    return at < end && text[at] == '{' ? shared_behind(text, at) : at + 1;
}

/* "float" of "float a[4], b[5];", for any `at` in it. */
static host_span member_type(const char *text, size_t at) {
    at = source_behind_last(text, at, ";{}");
    const host_span first = {text + at, strcspn(text + at, "[,;")};
    const host_span name = host_declared_name(first);
    return host_between(first.text, name.text);
}

/* Finds the body of the base in "struct Tile : Base {". */
static bool base_body(const char *text, host_span body, host_span *base) {
    const size_t open = (size_t)(body.text - text) - 1;
    const size_t begin = source_behind_last(text, open, ";}:");
    const host_span name = host_name_base((host_span){text + begin, open - begin});
    return begin > 0 && text[begin - 1] == ':' && shared_struct_body(text, name, base) &&
           base->text < body.text;
}

static bool next_member(const char *text, host_span body, size_t *at, shared_declaration *out) {
    const size_t first = (size_t)(body.text - text), end = first + body.length;
    size_t from = *at > first ? *at : first;
    while (from < end) {
        const size_t begin = source_behind_blanks(text, from),
                     bracket = begin + strcspn(text + begin, "[;({}");
        if (text[bracket] == '}' || (text[bracket] == '{' && is_struct(text, begin, bracket))) {
            from = bracket + 1; /* enters or leaves a nested struct */
            continue;
        }
        *out = (shared_declaration){.begin = begin, .body = body};
        if (text[bracket] != '[') {
            from = end_of_member(text, begin, end);
            continue;
        }
        out->name = host_declared_name((host_span){text + begin, bracket - begin});
        out->type = member_type(text, begin);
        out->end = bracket;
        while (text[out->end] == '[' && out->dims < SHARED_DIMS_MAX) {
            const size_t close = shared_behind(text, out->end);
            out->extent[out->dims++] = host_between(text + out->end + 1, text + close - 1);
            out->end = close;
        }
        out->scope_end = strlen(text);
        *at = out->end + strcspn(text + out->end, ",;");
        *at += *at < end;
        return out->name.length > 0 && out->end <= end;
    }
    return false;
}

bool shared_member_next(const char *text, host_span body, size_t *at, shared_declaration *out) {
    host_span base;
    const size_t end = (size_t)(body.text - text) + body.length;
    const bool has_base = base_body(text, body, &base);
    if (has_base && *at < (size_t)(base.text - text) + base.length &&
        next_member(text, base, at, out)) {
        out->body.length =
            end - (size_t)(base.text - text); /* both structs may use it by its bare name */
        return true;
    }
    return next_member(text, body, at, out);
}
