/* SPDX-License-Identifier: MIT */
/* Evaluates integers and shapes in host code, following names to their definitions. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host_text.h"
#include "integer_text.h"
#include "parameter_type.h"

enum { DEPTH_MAX = 24, NESTED_MAX = 4, CALLS_MOST = 4, ALIASES_MAX = 4, SHAPE_MOST = 0x7fffffff };

/* An expression being read. */
typedef struct reader {
    integer_text in;
    host_scope *scope;
    unsigned depth; /* of definitions */
} reader;

static bool take(reader *r, const char *what) {
    const size_t length = strlen(what);
    integer_skip_blanks(&r->in);
    if ((size_t)(r->in.end - r->in.at) < length || memcmp(r->in.at, what, length) != 0)
        return false;
    r->in.at += length;
    return true;
}

static int64_t fail(reader *r) {
    return (int64_t)integer_refuse(&r->in, "not an integer that is known");
}

static int64_t read_all(reader *r) {
    const __int128 value = integer_read(&r->in);
    return value > INT64_MAX ? fail(r) : (int64_t)value;
}

/* ---- Names ---- */

static const host_name *find(const host_name *names, unsigned count, host_span name) {
    return FIND(one, names, count, host_is(name, one->name));
}

/* The same, but not for a member. */
static bool is_at(const char *text, const char *at, host_span name) {
    return host_is_word_at(text, at, name) && (at == text || at[-1] != '.');
}

/* The text up to one of `ends`, or the end of the brackets around it. */
static host_span until(const char *at, const char *ends) {
    return host_between(at, host_until(at, ends));
}

static const char *line_of(const char *text, const char *at) {
    return host_behind_last(text, at, "\n");
}

/* The name that the #define line around `at` defines; NULL if it is none. */
static const char *macro_of_line(const char *text, const char *at) {
    return host_directive(line_of(text, at), "define");
}

/* Whether `at` is between template < and >, where "= 3" is only a default. */
static bool is_of_template(const char *text, const char *at) {
    at = host_behind_last(text, at, ";{}<");
    if (at == text || at[-1] != '<')
        return false;
    at = host_before_blanks(text, at - 1);
    return at - text >= 8 && memcmp(at - 8, "template", 8) == 0;
}

/* Whether a type precedes `at`, as in "unsigned N = 4", unlike "struct N". */
static bool is_declared(const char *text, const char *at) {
    static const char *const others[] = {"struct", "class",  "union",     "enum", "else",
                                         "new",    "return", "namespace", NULL};
    const char *end = host_before_blanks(text, at);
    const host_span word = host_word_before(text, end);
    return word.length > 0 && end < at && !host_is_one_of(word, others);
}

/* Reads the definition after `name` at `at`: "= EXPR", "{EXPR}", "(EXPR)" of a dim3, or "EXPR" of
 * a #define. */
static bool definition_at(const host_scope *scope, const char *at, host_span name, bool of_shape,
                          host_span *out) {
    const char *text = scope->text;
    const char *macro = macro_of_line(text, at), *behind = at + name.length;
    const bool is_in_same = macro && macro != at && line_of(text, scope->at) == line_of(text, at);
    if (macro && !is_in_same) { /* names defined inside a macro are visible there */
        if (macro != at || !strchr(" \t\v", *behind))
            return false;
        *out = until(behind, "\n)]}");
        return out->length > 0;
    }
    behind += strspn(behind, " \t\v");
    if (*behind == '=' && behind[1] != '=' && !is_of_template(text, at)) {
        *out = until(behind + 1, ",;)]}");
        return out->length > 0;
    }
    if (!of_shape && *behind == '{' && is_declared(text, at)) {
        *out = until(behind + 1, ",;)]}");
        return out->length > 0 && behind[1 + strcspn(behind + 1, ",;}")] == '}';
    }
    if (!of_shape || (*behind != '(' && *behind != '{'))
        return false;
    *out = until(behind, ";,)]}");
    return out->length > 0;
}

/* Whether the brace before `end` closes an enum, whose names belong to the outer scope. */
static bool ends_enum(const char *text, const char *end) {
    const char *open = host_around(text, end - 1, "{}", "");
    return host_is(host_word(host_behind_blanks(host_behind_last(text, open ? open : text, ";{}"))),
                   "enum");
}

typedef struct function_parameter {
    host_span function; /* its name; empty for a lambda; text NULL: there is no parameter */
    unsigned index;
    bool is_shape; /* a dim3 */
} function_parameter;

/* The parameter of that name if the block that opens at `brace` is of a function that has it. */
static function_parameter parameter_at(const char *text, const char *brace, host_span name) {
    static const char *const others[] = {"if", "for", "while", "switch", "catch", NULL};
    const char *end = host_before_blanks(text, brace), *open;
    host_span part;
    if (end > text && end[-1] == ')' && (open = host_around(text, end - 1, "()", ""))) {
        const host_span function = host_word_before(text, host_before_blanks(text, open)),
                        list = host_between(open + 1, end - 1);
        for (unsigned i = 0; host_part(list, i, &part); i++) {
            const host_span declared = host_declared_name(part);
            if (host_same(declared, name) && declared.text > part.text &&
                !host_is_one_of(function, others))
                return (function_parameter){function, i, host_has_word(part, "dim3")};
        }
    }
    return (function_parameter){.function = {NULL, 0}};
}

/* Finds the nearest definition before scope->at that is not inside a block which has ended.
 * Returns the place of the name, or NULL if there is none, or if *of, a parameter, is nearer. */
static const char *find_in_scope(const host_scope *scope, host_span name, bool of_shape,
                                 host_span *out, function_parameter *of) {
    unsigned closed = 0;
    for (const char *at = scope->at; at > scope->text; at--) {
        const char c = at[-1];
        if (c == '}' && (closed > 0 || !ends_enum(scope->text, at)))
            closed++;
        if (c == '{' && closed == 0 &&
            (*of = parameter_at(scope->text, at - 1, name)).function.text)
            return NULL;
        closed -= c == '{' && closed > 0;
        if (c == *name.text && is_at(scope->text, at - 1, name) &&
            definition_at(scope, at - 1, name, of_shape, out) &&
            (closed == 0 || macro_of_line(scope->text, at - 1)))
            return at - 1;
    }
    return NULL;
}

/* Finds a definition before the name in the expansion of a macro that contains the name. Returns
 * the place of the call, or NULL. */
static const char *find_in_expansion(const host_scope *scope, host_span name, bool of_shape,
                                     host_span *out) {
    const char *first = strchr(scope->text, HOST_EXPANDED);
    if (!first || name.text <= first || name.text >= first + strlen(first))
        return NULL;
    for (const char *at = name.text; at[-1] != HOST_EXPANDED; at--)
        if (is_at(scope->text, at - 1, name) && definition_at(scope, at - 1, name, of_shape, out))
            return host_place(scope->text, at - 1);
    return NULL;
}

/* Finds the nearest definition in scope; see find_in_scope. */
static const char *find_near(const host_scope *scope, host_span name, bool of_shape, host_span *out,
                             function_parameter *of) {
    of->function.text = NULL;
    const char *found = name.length > 0 ? find_in_expansion(scope, name, of_shape, out) : NULL;
    return found || name.length == 0 ? found : find_in_scope(scope, name, of_shape, out, of);
}

/* Finds a definition elsewhere in the file, which may show what a caller passes. */
static const char *find_elsewhere(const host_scope *scope, host_span name, bool of_shape,
                                  host_span *out) {
    if (scope->is_strict)
        return NULL;
    const char *mark = strchr(scope->text, HOST_OWN), *own = mark ? mark : scope->text;
    for (const char *at = scope->at; at > own; at--)
        if (is_at(scope->text, at - 1, name) && definition_at(scope, at - 1, name, of_shape, out))
            return at - 1;
    for (const char *at = scope->at; *at != '\0' && !of_shape; at++)
        if (is_at(scope->text, at, name) && definition_at(scope, at, name, of_shape, out))
            return at;
    return NULL;
}

bool host_definition(const host_scope *scope, host_span name, host_span *out) {
    function_parameter of;
    return name.length > 0 && find_in_scope(scope, name, false, out, &of);
}

/* Finds the next call from *at on that passes something for the parameter, and moves *at behind
 * its name, which it returns; NULL if there is none. */
static const char *next_passed(const host_scope *scope, const char **at, function_parameter of,
                               host_span *out) {
    host_span list;
    for (; of.function.length > 0 && **at != '\0'; ++*at) {
        const char *name = *at;
        if (!host_is_word_at(scope->text, name, of.function) || is_declared(scope->text, name))
            continue;
        const char *open = host_behind_blanks(name + of.function.length);
        if (*open == '<' && host_angle_list(open, &list))
            open = host_behind_blanks(list.text + list.length + 1);
        if (*open == '(' && host_inside(open, &list) && host_part(list, of.index, out)) {
            *at += of.function.length;
            return name;
        }
    }
    return NULL;
}

static __int128 read_operand(integer_text *in);

/* Evaluates `text` as seen from `at`. */
static bool read_at(host_scope *scope, const char *at, host_span text, unsigned depth,
                    int64_t *out) {
    const char *before = scope->at;
    reader r = {{.at = text.text, .end = text.text + text.length, .operand = read_operand},
                scope,
                depth + 1};
    r.in.user = &r;
    scope->at = at;
    *out = depth < DEPTH_MAX ? read_all(&r) : fail(&r);
    scope->at = before;
    scope->was_real = r.in.is_real;
    scope->had_rest = r.in.has_rest;
    integer_skip_blanks(&r.in);
    return !r.in.wrong && !r.in.is_lost && r.in.at == r.in.end;
}

/* Reads what the first calls pass for a parameter, where no name must be assumed. If they differ,
 * the first counts as assumed. */
static bool read_passed(reader *r, host_span name, function_parameter of, int64_t *out) {
    host_scope *scope = r->scope;
    const char *at = scope->text, *place;
    host_span argument;
    unsigned found = 0;
    bool differs = false;
    if (scope->is_strict || scope->nested == NESTED_MAX)
        return false;
    scope->nested++;
    for (unsigned i = 0; i < CALLS_MOST && (place = next_passed(scope, &at, of, &argument)); i++) {
        const unsigned before = scope->assumed_count;
        int64_t value;
        const bool is_known = read_at(scope, place, argument, r->depth, &value) && !scope->had_rest;
        if (is_known && scope->assumed_count == before) {
            differs |= found > 0 && value != *out;
            *out = found++ > 0 ? *out : value;
        }
        scope->assumed_count = before;
    }
    scope->nested--;
    if (differs)
        host_name_add(scope->assumed, &scope->assumed_count, name, *out);
    return found > 0;
}

/* Names that are known in every host text. */
static const host_name constants[] = {
    {"true", 1},          {"false", 0},          {"INT_MAX", INT_MAX}, {"UINT_MAX", UINT_MAX},
    {"INT_MIN", INT_MIN}, {"RAND_MAX", INT_MAX},
};

/* Whether only a kernel has it. */
static bool is_of_kernel(host_span name) {
    static const char *const words[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};
    return host_is_one_of(name, words);
}

static bool is_real_type(host_span name) {
    static const char *const types[] = {"float", "double", NULL};
    return host_is_one_of(name, types);
}

static bool is_type(host_span name) {
    static const char *const types[] = {"int",      "unsigned", "long",    "size_t", "uint32_t",
                                        "int32_t",  "uint64_t", "int64_t", "uint",   "short",
                                        "uint16_t", "const",    "signed",  NULL};
    return host_is_one_of(name, types) || is_real_type(name);
}

/* Takes over whether the expression that was just read is a floating-point number. */
static void take_real(reader *r) {
    r->in.is_real |= r->scope->was_real;
    r->in.has_rest |= r->scope->had_rest;
}

static int64_t read_name(reader *r, host_span name) {
    host_scope *scope = r->scope;
    host_span text;
    int64_t value;
    const host_name *known = find(scope->known, scope->known_count, name);
    if (!known)
        known = find(scope->assumed, scope->assumed_count, name);
    if (!known)
        known = find(constants, sizeof constants / sizeof constants[0], name);
    if (known)
        return known->value;
    /* Evaluates the definition at its own place, so that the n in `n = n + 1` is an earlier one. */
    function_parameter of;
    const char *at = find_near(scope, name, false, &text, &of);
    if (of.function.text && of.is_shape)
        return fail(r);
    if (of.function.text && read_passed(r, name, of, &value))
        return value;
    if (!at)
        at = find_elsewhere(scope, name, false, &text);
    const unsigned before =
        scope->assumed_count; /* assumes nothing about text that is not understood */
    if (at && read_at(scope, at < scope->at ? at : scope->at, text, r->depth, &value)) {
        const host_span type = host_word_before(scope->text, host_before_blanks(scope->text, at));
        scope->was_real |= is_real_type(type);
        if (!is_type(type) || is_real_type(type)) /* to an integer it is rounded down */
            take_real(r);
        if (of.function.text)
            host_name_add(scope->assumed, &scope->assumed_count, name, value);
        return value;
    }
    scope->assumed_count = before;
    if (is_of_kernel(name))
        return fail(r);
    value = host_assumed_value(scope, name);
    host_name_add(scope->assumed, &scope->assumed_count, name, value);
    return value;
}

/* ---- Expressions ---- */

static host_span read_word(reader *r) {
    const char *from = r->in.at;
    while (r->in.at < r->in.end &&
           (text_is_word(*r->in.at) || (*r->in.at == ':' && r->in.at + 1 < r->in.end)))
        r->in.at++;
    return (host_span){from, (size_t)(r->in.at - from)};
}

static int64_t size_of(const char *text, host_span type) {
    smp_element_type known;
    host_span meant;
    for (unsigned i = 0; i < ALIASES_MAX && host_alias(text, type, &meant); i++)
        type = meant;
    if (host_is(type, "T"))
        return 4;
    return smp_element_type_named(type.text, type.length, &known)
               ? (int64_t)known.bytes * known.components
               : structure_bytes(text, type);
}

/* Evaluates name(a, b): functions by which host code rounds sizes, under any name. */
static int64_t read_call(reader *r, host_span name) {
    const host_span list = until(r->in.at, ")]}");
    host_span part;
    int64_t value[2] = {0, 0};
    unsigned count = 0;
    r->in.at += list.length;
    if (!take(r, ")"))
        return fail(r);
    if (host_is(name, "sizeof"))
        return size_of(r->scope->text, list) > 0 ? size_of(r->scope->text, list) : fail(r);
    for (; count < 2 && host_part(list, count, &part); count++)
        if (!read_at(r->scope, r->scope->at, part, r->depth, &value[count]) ||
            (r->scope->had_rest && list.length > part.length))
            return fail(r);
    const bool has_rest = r->scope->had_rest;
    if (count == 2 && (host_is(name, "min") || host_is(name, "std::min")))
        return value[0] < value[1] ? value[0] : value[1];
    if (count == 2 && (host_is(name, "max") || host_is(name, "std::max")))
        return value[0] > value[1] ? value[0] : value[1];
    char small[HOST_LOWER_BYTES];
    host_lower(name, small);
    if (count == 2 && value[1] > 0 && (strstr(small, "div") || strstr(small, "ceil")))
        return (value[0] + value[1] - 1) / value[1];
    if (count == 1 && strstr(small, "ceil"))
        return value[0] + has_rest;
    if (count == 1 && (is_type(name) || strstr(small, "cast"))) {
        r->in.is_real |= is_real_type(name);
        r->in.has_rest |= has_rest && r->in.is_real;
        return value[0];
    }
    return count == 1 && (strstr(small, "floor") || (strstr(small, "round") && !has_rest))
               ? value[0]
               : fail(r);
}

/* Evaluates "block.x" of a dim3. For a kernel launched by a kernel, takes the launch by the first
 * thread. */
static int64_t read_member(reader *r, host_span name) {
    uint32_t shape[3];
    const host_span member = read_word(r);
    if (host_is(name, "threadIdx") || host_is(name, "blockIdx"))
        return 0;
    const unsigned which = member.length == 1 ? (unsigned)(*member.text - 'x') : 3;
    if (which >= 3 || r->scope->nested == NESTED_MAX)
        return fail(r);
    r->scope->nested++;
    const bool is_known = host_shape(r->scope, name, shape);
    r->scope->nested--;
    return is_known ? shape[which] : fail(r);
}

/* Skips "<unsigned int>". */
static void skip_list(reader *r) {
    const char *end = r->in.at < r->in.end && *r->in.at == '<'
                          ? memchr(r->in.at, '>', (size_t)(r->in.end - r->in.at))
                          : NULL;
    r->in.is_real |= end && is_real_type(host_trim(host_between(r->in.at + 1, end)));
    r->in.at = end ? end + 1 : r->in.at;
}

/* "256", "0x100u", "1e6", "256.0f". */
static int64_t read_digits(reader *r) {
    char *end;
    int64_t value = (int64_t)strtoull(r->in.at, &end, 0);
    if (*end == '.' || *end == 'e') {
        const double real = strtod(r->in.at, &end);
        r->in.is_real = true;
        if (!(real < 0x1p62) || real != (double)(int64_t)real)
            return fail(r);
        value = (int64_t)real;
    }
    r->in.at = end + strspn(end, "uUlLfF");
    return value;
}

static int64_t read_primary(reader *r);

/* Evaluates what a cast is applied to; an integer is rounded down. */
static int64_t read_cast(reader *r, bool to_real) {
    const bool is_real = r->in.is_real, has_rest = r->in.has_rest;
    const int64_t value = read_primary(r);
    r->in.is_real = to_real || is_real;
    r->in.has_rest = to_real ? r->in.has_rest : has_rest;
    return value;
}

static int64_t read_primary(reader *r) {
    integer_skip_blanks(&r->in);
    if (r->in.at == r->in.end || r->in.wrong)
        return fail(r);
    if (isdigit((unsigned char)*r->in.at))
        return read_digits(r);
    if (take(r, "(")) {
        const char *before = r->in.at;
        integer_skip_blanks(&r->in);
        host_span word = read_word(r);
        while (is_type(word)) {
            const bool to_real = is_real_type(word);
            integer_skip_blanks(&r->in);
            if (take(r, ")"))
                return read_cast(r, to_real);
            word = read_word(r);
        }
        r->in.at = before;
        const int64_t value = read_all(r);
        return take(r, ")") ? value : fail(r);
    }
    if (take(r, "-")) {
        const int64_t value = read_primary(r);
        r->in.is_lost |= r->in.has_rest;
        return -value;
    }
    if (!text_is_word(*r->in.at))
        return fail(r);
    const host_span name = read_word(r);
    if (host_is(name, "static_cast") || host_is(name, "std::min") || host_is(name, "std::max"))
        skip_list(r);
    if (take(r, "("))
        return read_call(r, name);
    if (host_is(name, "sizeof")) /* of an object whose type is unknown */
        return fail(r);
    if (r->in.at < r->in.end && *r->in.at == '.') {
        r->in.at++;
        return read_member(r, name);
    }
    return r->in.at < r->in.end && (*r->in.at == '[' || *r->in.at == '-') &&
                   r->in.at + 1 < r->in.end && (*r->in.at == '[' || r->in.at[1] == '>')
               ? fail(r)
               : read_name(r, name);
}

static __int128 read_operand(integer_text *in) {
    return read_primary(in->user);
}

bool host_value(host_scope *scope, host_span expression, int64_t *out) {
    expression = host_trim(expression);
    return expression.length > 0 && read_at(scope, scope->at, expression, 0, out);
}

/* ---- Shapes ---- */

/* Finds the last "NAME.x = EXPR" before scope->at; returns its place, or NULL. */
static const char *find_member(const host_scope *scope, host_span name, char member,
                               host_span *out) {
    for (const char *at = scope->at; at > scope->text; at--) {
        const char *dot = at - 1 + name.length;
        if (!is_at(scope->text, at - 1, name) || *dot != '.' || dot[1] != member)
            continue;
        const char *equals = host_behind_blanks(dot + 2);
        *out = until(equals + 1, ",;)]}");
        if (*equals == '=' && equals[1] != '=')
            return at - 1;
    }
    return NULL;
}

/* Evaluates a dim3 whose members are set one by one; those not set are 1. */
static bool read_members(host_scope *scope, host_span name, uint32_t shape[3], unsigned depth) {
    bool has_any = false;
    for (unsigned i = 0; i < 3; i++) {
        host_span text;
        int64_t value = 1;
        const char *at = find_member(scope, name, (char)('x' + i), &text);
        if (at && (!read_at(scope, at, text, depth, &value) || value < 1 || value > SHAPE_MOST))
            return false;
        shape[i] = (uint32_t)value;
        has_any |= !!at;
    }
    return has_any;
}

static bool read_shape(host_scope *scope, host_span text, uint32_t shape[3], unsigned depth);

/* Reads the shape that the first call with a known one passes for a parameter or, if `assumes`,
 * with one that is known but for a name. */
static bool read_passed_shape(host_scope *scope, function_parameter of, bool assumes,
                              uint32_t shape[3], unsigned depth) {
    const char *const before = scope->at, *at = scope->text, *place;
    host_span argument;
    bool is_known = false;
    for (unsigned i = 0;
         i < CALLS_MOST && !is_known && (place = next_passed(scope, &at, of, &argument)); i++) {
        const unsigned assumed = scope->assumed_count;
        scope->at = place;
        is_known = read_shape(scope, argument, shape, depth + 1) &&
                   (assumes || scope->assumed_count == assumed);
        scope->assumed_count = is_known ? scope->assumed_count : assumed;
    }
    scope->at = before;
    return is_known;
}

static bool read_shape(host_scope *scope, host_span text, uint32_t shape[3], unsigned depth) {
    host_span inner, part;
    int64_t value;
    text = host_trim(text);
    if (text.length > 4 && memcmp(text.text, "dim3", 4) == 0 && !text_is_word(text.text[4]))
        text = host_trim((host_span){text.text + 4, text.length - 4});
    const bool is_list = text.length >= 2 && (*text.text == '(' || *text.text == '{') &&
                         host_inside(text.text, &inner) && inner.length == text.length - 2;
    inner = is_list ? inner : text;
    const host_span name = host_declared_name(text);
    const bool is_name = name.length == text.length && !isdigit((unsigned char)*name.text);
    host_span definition;
    function_parameter of = {.function = {NULL, 0}};
    const char *at = is_name && depth < 4 ? find_near(scope, name, true, &definition, &of) : NULL;
    if (of.function.text && (read_passed_shape(scope, of, false, shape, depth) ||
                             (of.is_shape && read_passed_shape(scope, of, true, shape, depth))))
        return true;
    if (!at && is_name && depth < 4)
        at = find_elsewhere(scope, name, true, &definition);
    if (at && (memchr(definition.text, ',', definition.length) || *definition.text == '(' ||
               *definition.text == '{' || strncmp(definition.text, "dim3", 4) == 0))
        return read_shape(scope, definition, shape, depth + 1);
    if (is_name && depth < 4 && read_members(scope, name, shape, depth))
        return true;
    if (is_list && depth < 4 && !host_part(inner, 1, &part)) /* "(dim3(32, 8))" of a macro */
        return read_shape(scope, inner, shape, depth + 1);
    shape[0] = shape[1] = shape[2] = 1;
    for (unsigned i = 0; host_part(inner, i, &part); i++) {
        if (i == 3 || !host_value(scope, part, &value) || value < 1 || value > SHAPE_MOST)
            return false;
        shape[i] = (uint32_t)value;
    }
    return inner.length > 0;
}

bool host_shape(host_scope *scope, host_span expression, uint32_t shape[3]) {
    return read_shape(scope, expression, shape, 0);
}
