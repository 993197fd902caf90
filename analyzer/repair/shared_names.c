/* SPDX-License-Identifier: MIT */
/*
 * Following an array through pointers and calls, as far as one file shows them.
 */
#include "shared_names.h"

#include <string.h>

/* What a use stands in. */
typedef struct context {
    size_t begin;   /* of the statement, or behind the comma before its part */
    size_t equals;  /* of the '=' outside of brackets that it stands behind; 0: none */
    size_t open;    /* of the bracket of a call that it stands in; 0: none */
    unsigned index; /* of the argument there */
    bool is_taken;  /* its address is: &tile[0][0] */
} context;

static bool is_blank(char c) {
    return isspace((unsigned char)c);
}

static size_t before_blanks(const char *text, size_t at) {
    while (at > 0 && is_blank(text[at - 1]))
        at--;
    return at;
}

static bool is_assignment(const char *text, size_t at) {
    return text[at] == '=' && text[at + 1] != '=' && at > 0 &&
           !strchr("=<>!+-*/|&^%", text[at - 1]);
}

/* A bracket behind a name is a call's, unless the name is that of something else. */
static bool is_call(const char *text, size_t open) {
    static const char *const others[] = {"if", "while", "for", "switch", "sizeof", "return"};
    size_t end = before_blanks(text, open), begin;
    if (end > 0 && text[end - 1] == '>') /* f<32>(...), and static_cast<float *>(...) */
        while (end > 0 && text[end - 1] != '<' && text[end - 1] != ';')
            end--;
    end -= end > 0 && text[end - 1] == '<';
    for (begin = end; begin > 0 && host_is_word(text[begin - 1]);)
        begin--;
    const host_span name = {text + begin, end - begin};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (host_is(name, others[i]))
            return false;
    const bool is_cast = name.length > 5 && memcmp(text + end - 5, "_cast", 5) == 0;
    return name.length > 0 && !is_cast;
}

static context context_of(const char *text, const shared_use *use) {
    context out = {.begin = 0};
    int depth = 0;
    const size_t front = before_blanks(text, use->begin);
    out.is_taken = front > 1 && text[front - 1] == '&' && text[front - 2] != '&';
    for (size_t at = use->begin; at > 0; at--) {
        const char c = text[at - 1];
        if (c == ';' || c == '{' || c == '}') {
            out.begin = at;
            break;
        }
        if (strchr(")]", c))
            depth++;
        if (strchr("([", c) && depth-- == 0) {
            depth = 0;
            if (c == '(' && out.open == 0 && is_call(text, at - 1))
                out.open = at - 1;
            else if (c == '[')
                return out; /* an index of something else */
        }
        if (c == ',' && depth == 0 && out.open == 0)
            out.index++;
        if (depth == 0 && out.open == 0 && is_assignment(text, at - 1))
            out.equals = at - 1;
    }
    return out;
}

/* "float *a", "const float *__restrict__ a", "auto a": the pointer's name; nothing: it is none. */
static host_span pointer_name(const char *text, const context *in, host_span *type) {
    const host_span left = {text + in->begin, in->equals - in->begin};
    const host_span name = host_declared_name(left);
    const size_t length = (size_t)(name.text - left.text);
    const char *star = length > 0 ? memchr(left.text, '*', length) : NULL;
    *type = host_trim((host_span){left.text, star ? (size_t)(star - left.text) : length});
    const bool is_auto = host_is(*type, "auto");
    const bool is_plain = memchr(left.text, '[', left.length) == NULL;
    return (star || is_auto) && is_plain && type->length > 0 ? name : (host_span){text, 0};
}

static size_t end_of_statement(const char *text, size_t at) {
    while (text[at] != '\0' && text[at] != ';')
        at = strchr("([{", text[at]) ? shared_behind(text, at) : at + 1;
    return at;
}

static void add(shared_names *to, const shared_declaration *name) {
    for (unsigned i = 0; i < to->count; i++)
        if (to->list[i].name.text == name->name.text)
            return;
    if (to->count < SHARED_NAMES_MAX)
        to->list[to->count++] = *name;
}

static bool follow_pointer(const char *text, const shared_use *use, const context *in,
                           shared_names *to) {
    shared_declaration next = {.dims = 1};
    if (in->equals == 0 || in->open > 0 || to->list[0].dims > 1)
        return false;
    next.name = pointer_name(text, in, &next.type);
    if (next.name.length == 0)
        return false;
    next.begin = in->begin;
    next.end = end_of_statement(text, use->end);
    next.scope_end = shared_block_end(text, next.end);
    add(to, &next);
    return true;
}

/* "float (*tile)[32]", "float tile[][32]", "float *s": its name, and its last extent. */
static void read_parameter(host_span part, unsigned dims, shared_declaration *out) {
    const char *bracket = memchr(part.text, '[', part.length);
    size_t end = bracket ? (size_t)(bracket - part.text) : part.length;
    while (end > 0 && !host_is_word(part.text[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && host_is_word(part.text[begin - 1]))
        begin--;
    out->name = (host_span){part.text + begin, end - begin};
    out->type = host_trim((host_span){part.text, begin});
    while (out->type.length > 0 && strchr("*&( ", out->type.text[out->type.length - 1]))
        out->type.length--;
    out->dims = dims;
    const char *last = NULL;
    for (size_t i = 0; i < part.length; i++)
        last = part.text[i] == '[' ? part.text + i : last;
    const char *close = last ? memchr(last, ']', part.length - (size_t)(last - part.text)) : NULL;
    if (close)
        out->extent[dims - 1] = host_trim((host_span){last + 1, (size_t)(close - last - 1)});
}

/* The name in front of the bracket, without template arguments. */
static host_span called_name(const char *text, size_t open) {
    size_t end = before_blanks(text, open), begin;
    if (end > 0 && text[end - 1] == '>')
        while (end > 1 && text[end - 1] != '<')
            end--;
    end -= end > 0 && text[end - 1] == '<';
    for (begin = end; begin > 0 && host_is_word(text[begin - 1]);)
        begin--;
    return (host_span){text + begin, end - begin};
}

bool shared_use_call(const char *text, const shared_use *use, host_span *name,
                     host_span *arguments) {
    const context in = context_of(text, use);
    if (in.open == 0)
        return false;
    *name = called_name(text, in.open);
    *arguments = (host_span){text + in.open + 1, shared_behind(text, in.open) - in.open - 2};
    return true;
}

/* Of the function that has a body. */
static bool follow_call(const char *text, const context *in, shared_names *to) {
    host_span part;
    if (in->open == 0)
        return false;
    const host_span name = called_name(text, in->open);
    for (size_t at = 0; text[at] != '\0'; at++) {
        if (strncmp(text + at, name.text, name.length) != 0 ||
            (at > 0 && host_is_word(text[at - 1])))
            continue;
        size_t open = at + name.length;
        while (is_blank(text[open]))
            open++;
        const size_t close = text[open] == '(' ? shared_behind(text, open) : open;
        size_t body = close;
        while (is_blank(text[body]))
            body++;
        if (close == open || text[body] != '{' ||
            !host_part((host_span){text + open + 1, close - open - 2}, in->index, &part))
            continue;
        shared_declaration next = {
            .begin = open, .end = body, .scope_end = shared_behind(text, body)};
        read_parameter(part, to->list[0].dims, &next);
        if (next.name.length > 0)
            add(to, &next);
        return next.name.length > 0;
    }
    return false;
}

bool shared_use_passes(const char *text, const shared_declaration *of, const shared_use *use) {
    const context in = context_of(text, use);
    host_span type;
    return use->count < of->dims || (in.is_taken && of->dims == 1 && in.equals > 0 &&
                                     in.open == 0 && pointer_name(text, &in, &type).length > 0);
}

void shared_names_find(const char *text, const shared_declaration *of, shared_names *out) {
    *out = (shared_names){.list = {*of}, .count = 1};
    for (unsigned i = 0; i < out->count; i++) {
        const shared_declaration name = out->list[i];
        shared_use use;
        for (size_t at = name.end; shared_use_next(text, &name, &at, &use);) {
            const context in = context_of(text, &use);
            if (shared_use_passes(text, &name, &use) && !follow_pointer(text, &use, &in, out) &&
                !follow_call(text, &in, out) && out->lost == 0)
                out->lost = use.begin;
        }
    }
}
