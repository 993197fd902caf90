/* SPDX-License-Identifier: MIT */
/*
 * Types: one row a name. Sizes and alignments of the vector types are those of CUDA's
 * vector_types.h and of the half, bfloat16 and fp8 headers on 64-bit Linux (CUDA C++ Programming
 * Guide, "Built-in Vector Types"): three-component types are aligned like one component, and no
 * type more than 16 bytes.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

#define NAMED(text) .name = text, .length = sizeof text - 1

/* clang-format off */
#define INTEGER(id, text, bytes, bit_count, sign) \
    static const smp_type id = {NAMED(text), .size = bytes, .align = bytes, .integer = {bit_count, sign}}
#define FLOATING(id, text, bytes) \
    static const smp_type id = {NAMED(text), .size = bytes, .align = bytes, .is_float = true}
#define VECTOR(text, of, count, alignment)                                     \
    {NAMED(text), .size = (count) * sizeof_##of, .align = alignment, .element = &of, .lanes = count}
/* Vectors of 1 to 4 of a type of `bytes` bytes. */
#define VECTORS(text, of, bytes)                                               \
    VECTOR(text "1", of, 1, bytes), VECTOR(text "2", of, 2, (bytes) * 2),      \
    VECTOR(text "3", of, 3, bytes),                                            \
    VECTOR(text "4", of, 4, (bytes) * 4 < 16 ? (bytes) * 4 : 16)

INTEGER(type_bool, "bool", 1, 1, false);
INTEGER(type_char, "char", 1, 8, true);
INTEGER(type_schar, "signed char", 1, 8, true);
INTEGER(type_uchar, "unsigned char", 1, 8, false);
INTEGER(type_short, "short", 2, 16, true);
INTEGER(type_ushort, "unsigned short", 2, 16, false);
INTEGER(type_int, "int", 4, 32, true);
INTEGER(type_uint, "unsigned", 4, 32, false);
INTEGER(type_long, "long", 8, 64, true);
INTEGER(type_ulong, "unsigned long", 8, 64, false);
INTEGER(type_longlong, "long long", 8, 64, true);
INTEGER(type_ulonglong, "unsigned long long", 8, 64, false);
FLOATING(type_float, "float", 4);
FLOATING(type_double, "double", 8);
FLOATING(type_half, "half", 2);
FLOATING(type_bfloat16, "__nv_bfloat16", 2);
FLOATING(type_e4m3, "__nv_fp8_e4m3", 1);
FLOATING(type_e5m2, "__nv_fp8_e5m2", 1);

enum {
    sizeof_type_schar = 1, sizeof_type_uchar = 1, sizeof_type_short = 2, sizeof_type_ushort = 2,
    sizeof_type_int = 4, sizeof_type_uint = 4, sizeof_type_long = 8, sizeof_type_ulong = 8,
    sizeof_type_longlong = 8, sizeof_type_ulonglong = 8, sizeof_type_float = 4,
    sizeof_type_double = 8, sizeof_type_half = 2, sizeof_type_bfloat16 = 2, sizeof_type_e4m3 = 1,
    sizeof_type_e5m2 = 1
};

static const smp_type vectors[] = {
    VECTORS("char", type_schar, 1), VECTORS("uchar", type_uchar, 1),
    VECTORS("short", type_short, 2), VECTORS("ushort", type_ushort, 2),
    VECTORS("int", type_int, 4), VECTORS("uint", type_uint, 4),
    VECTORS("long", type_long, 8), VECTORS("ulong", type_ulong, 8),
    VECTORS("longlong", type_longlong, 8), VECTORS("ulonglong", type_ulonglong, 8),
    VECTORS("float", type_float, 4), VECTORS("double", type_double, 8),
    VECTOR("half2", type_half, 2, 4), VECTOR("__half2", type_half, 2, 4),
    VECTOR("__nv_bfloat162", type_bfloat16, 2, 4), VECTOR("nv_bfloat162", type_bfloat16, 2, 4),
    VECTOR("__nv_fp8x2_e4m3", type_e4m3, 2, 2), VECTOR("__nv_fp8x4_e4m3", type_e4m3, 4, 4),
    VECTOR("__nv_fp8x2_e5m2", type_e5m2, 2, 2), VECTOR("__nv_fp8x4_e5m2", type_e5m2, 4, 4),
};

typedef struct scalar_row {
    const char *name;
    const smp_type *type;
} scalar_row;

/* On 64-bit Linux. */
static const scalar_row scalars[] = {
    {"bool", &type_bool}, {"uchar", &type_uchar}, {"int8_t", &type_schar},
    {"uint8_t", &type_uchar}, {"ushort", &type_ushort}, {"int16_t", &type_short},
    {"uint16_t", &type_ushort}, {"uint", &type_uint}, {"int32_t", &type_int},
    {"uint32_t", &type_uint}, {"ulong", &type_ulong}, {"int64_t", &type_long},
    {"uint64_t", &type_ulong}, {"size_t", &type_ulong}, {"ptrdiff_t", &type_long},
    {"intptr_t", &type_long}, {"uintptr_t", &type_ulong}, {"clock_t", &type_long}, {"float", &type_float},
    {"double", &type_double}, {"half", &type_half}, {"__half", &type_half},
    {"__nv_bfloat16", &type_bfloat16}, {"nv_bfloat16", &type_bfloat16},
    {"__nv_fp8_e4m3", &type_e4m3}, {"__nv_fp8_e5m2", &type_e5m2},
};
/* clang-format on */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

uint64_t smp_shape_size(smp_shape shape) {
    uint64_t size = shape.type->size;
    for (uint32_t d = 0; d < shape.dim_count; d++)
        size *= shape.dims[d];
    return size;
}

/* ---- C's integer words -------------------------------------------------------------------- */

static const char *const words[] = {"unsigned", "signed", "char", "short", "int", "long"};
enum { UNSIGNED, SIGNED, CHAR, SHORT, INT, LONG, WORD_COUNT };

static unsigned find_word(const ct_parser *parser) {
    unsigned word = 0;
    while (word < WORD_COUNT && !ct_parser_is_name(parser, words[word]))
        word++;
    return word;
}

static void skip_qualifiers(ct_parser *parser, ct_type_use *out) {
    static const char *const others[] = {"volatile", "register", "typename", "inline"};
    for (bool again = true; again;) {
        again = false;
        if (ct_parser_accept_name(parser, "const") || ct_parser_accept_name(parser, "constexpr"))
            out->is_const = again = true;
        for (size_t i = 0; i < COUNT(others); i++)
            again |= ct_parser_accept_name(parser, others[i]);
    }
}

/* "unsigned long long" and its like. */
static bool parse_words(ct_parser *parser, ct_type_use *use) {
    size_t position = parser->token.position;
    unsigned seen[WORD_COUNT] = {0}, word;
    while ((word = find_word(parser)) < WORD_COUNT) {
        seen[word]++;
        ct_parser_next(parser);
        skip_qualifiers(parser, use);
    }
    if (seen[LONG] == 1 && ct_parser_accept_name(parser, "double")) {
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "there is no long double here");
    }
    unsigned sizes = seen[CHAR] + seen[SHORT] + (seen[LONG] > 0);
    bool sound = sizes <= 1 && seen[INT] <= 1 && seen[LONG] <= 2 &&
                 seen[UNSIGNED] + seen[SIGNED] <= 1 && seen[CHAR] + seen[INT] <= 1;
    if (!sound)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "these words are not a type");
    bool is_unsigned = seen[UNSIGNED] > 0;
    use->type = seen[CHAR]        ? (is_unsigned    ? &type_uchar
                                     : seen[SIGNED] ? &type_schar
                                                    : &type_char)
                : seen[SHORT]     ? (is_unsigned ? &type_ushort : &type_short)
                : seen[LONG] == 2 ? (is_unsigned ? &type_ulonglong : &type_longlong)
                : seen[LONG] == 1 ? (is_unsigned ? &type_ulong : &type_long)
                                  : (is_unsigned ? &type_uint : &type_int);
    return parser->status == SMP_OK;
}

/* ---- Names --------------------------------------------------------------------------------- */

static bool is_same(const ct_token *token, const char *name, size_t length) {
    return token->kind == CT_TOKEN_NAME && token->length == length && length > 0 &&
           memcmp(token->text, name, length) == 0;
}

static const ct_alias *find_alias(const ct_parser *parser) {
    const ct_type_table *table = &parser->layout->types;
    for (uint32_t i = table->alias_count; i-- > 0;) {
        if (is_same(&parser->token, table->aliases[i].name, table->aliases[i].length))
            return &table->aliases[i];
    }
    return NULL;
}

static const smp_type *find_type(const ct_parser *parser) {
    const ct_type_table *table = &parser->layout->types;
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->classes[i].head == 0 &&
            is_same(&parser->token, table->structs[i].name, table->structs[i].length))
            return &table->structs[i];
    }
    for (size_t i = 0; i < COUNT(scalars); i++) {
        if (ct_parser_is_name(parser, scalars[i].name))
            return scalars[i].type;
    }
    for (size_t i = 0; i < COUNT(vectors); i++) {
        if (ct_parser_is_name(parser, vectors[i].name))
            return &vectors[i];
    }
    return NULL;
}

/* Tokens of "std::", "a::b::" before a type's name. */
static uint32_t scope_length(const ct_parser *parser) {
    const ct_token *tokens = &parser->tokens[parser->at];
    uint32_t count = 0;
    while (tokens[count].kind == CT_TOKEN_NAME &&
           ct_token_is_punct(&tokens[count + 1], CT_PUNCT2(':', ':')))
        count += 2;
    return count;
}

/* "E::A" is no type, whatever E is. */
static bool starts_scoped(const ct_parser *parser, uint32_t length) {
    ct_parser behind = *parser;
    ct_parser_return(&behind, parser->at + length);
    return ct_type_starts(&behind);
}

/* "P<...>" of a class template; *behind: what follows it. */
static bool is_instance(const ct_parser *parser, uint32_t *behind) {
    const ct_token *tokens = parser->tokens;
    const uint32_t at = parser->at;
    if (tokens[at].kind != CT_TOKEN_NAME || !ct_token_is_punct(&tokens[at + 1], '<') ||
        !ct_class_is_template(parser, &tokens[at]))
        return false;
    *behind = ct_behind_bracket(tokens, at + 1, '<', '>');
    return true;
}

bool ct_type_starts(const ct_parser *parser) {
    static const char *const others[] = {"const", "volatile", "constexpr", "struct",
                                         "auto",  "void",     "register",  "typename"};
    if (parser->token.kind != CT_TOKEN_NAME)
        return false;
    for (size_t i = 0; i < COUNT(others); i++) {
        if (ct_parser_is_name(parser, others[i]))
            return true;
    }
    const uint32_t scope = scope_length(parser);
    if (scope > 0)
        return starts_scoped(parser, scope);
    if (ct_scope_find(&parser->layout->scope, parser->token.text, parser->token.length))
        return false;
    uint32_t behind;
    if (is_instance(parser, &behind)) /* else it is what follows */
        return !ct_token_is_punct(&parser->tokens[behind], CT_PUNCT2(':', ':'));
    return find_word(parser) < WORD_COUNT || find_type(parser) != NULL ||
           find_alias(parser) != NULL;
}

const smp_type *ct_type_find(const ct_parser *parser) {
    const ct_alias *alias = find_alias(parser);
    return alias ? alias->use.type : find_type(parser);
}

/* A name where a type stands is one that the text does not say. */
static bool fail_type(ct_parser *parser) {
    const ct_token *name = &parser->token;
    if (name->kind != CT_TOKEN_NAME || name->starts_line)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name->position,
                              "expected a type such as float, half or float4");
    const ct_token *tokens = parser->tokens;
    for (uint32_t at = 0; tokens[at].kind != CT_TOKEN_END; at++) {
        const bool is_struct = ct_token_is(&tokens[at], "struct") ||
                               ct_token_is(&tokens[at], "class") ||
                               ct_token_is(&tokens[at], "union");
        if (is_struct && is_same(&tokens[at + 1], name->text, name->length))
            return ct_parser_fail(parser, SMP_E_SYNTAX, name->position,
                                  "the struct '%.*s' is not understood: 'emulate' runs the "
                                  "machine code",
                                  CT_TOKEN_TEXT(*name));
    }
    return ct_parser_fail(parser, SMP_E_SYNTAX, name->position,
                          "'%.*s' is no type that is known here: define %.*s = float, or what it "
                          "is",
                          CT_TOKEN_TEXT(*name), CT_TOKEN_TEXT(*name));
}

static bool parse_name(ct_parser *parser, ct_type_use *out) {
    const ct_alias *alias = find_alias(parser);
    uint32_t behind;
    if (alias) {
        bool is_const = out->is_const;
        *out = alias->use;
        out->is_const |= is_const;
    } else if (ct_parser_is_name(parser, "auto")) {
        out->is_auto = true;
    } else if (ct_parser_is_name(parser, "void")) {
        out->is_void = true;
    } else if (is_instance(parser, &behind)) {
        return ct_class_parse(parser, &out->type);
    } else {
        out->type = parser->token.kind == CT_TOKEN_NAME ? find_type(parser) : NULL;
        if (!out->type)
            return fail_type(parser);
    }
    ct_parser_next(parser);
    return true;
}

bool ct_type_use_parse(ct_parser *parser, ct_type_use *out) {
    *out = (ct_type_use){0};
    skip_qualifiers(parser, out);
    if (!ct_parser_accept_name(parser, "struct"))
        ct_parser_accept_name(parser, "enum");
    for (uint32_t scope = scope_length(parser); scope > 0; scope--)
        ct_parser_next(parser);
    bool is_words = parser->token.kind == CT_TOKEN_NAME && find_word(parser) < WORD_COUNT;
    if (!(is_words ? parse_words(parser, out) : parse_name(parser, out)))
        return false;
    skip_qualifiers(parser, out);
    return parser->status == SMP_OK;
}

bool ct_type_parse(ct_parser *parser, ct_type_use *out) {
    size_t position = parser->token.position;
    if (!ct_type_use_parse(parser, out))
        return false;
    if (out->type)
        return true;
    if (!out->is_auto && !out->is_void)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "which type this is, is not known here: name it where the function "
                              "is called, as in f<float>(x)");
    return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                          "expected a type such as float, half or float4");
}

bool ct_alias_add(ct_parser *parser, const ct_alias *alias, size_t position) {
    ct_type_table *table = &parser->layout->types;
    if (alias->use.is_auto || alias->use.is_void)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "only names of plain types are understood here");
    if (table->alias_count == CT_ALIASES_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d type names",
                              CT_ALIASES_MAX);
    table->aliases[table->alias_count++] = *alias;
    return parser->status == SMP_OK;
}

bool ct_alias_parse(ct_parser *parser) {
    size_t position = parser->token.position;
    ct_alias alias = {.name = parser->token.text, .length = parser->token.length};
    if (parser->token.kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "expected a name");
    ct_parser_next(parser);
    return ct_parser_expect(parser, '=') && ct_type_use_parse(parser, &alias.use) &&
           ct_alias_add(parser, &alias, position);
}

bool ct_typedef_parse(ct_parser *parser) {
    ct_alias alias = {0};
    bool has_body = ct_struct_starts(parser);
    if (!(has_body ? ct_struct_parse(parser, &alias.use.type)
                   : ct_type_use_parse(parser, &alias.use)))
        return false;
    size_t position = parser->token.position;
    if (parser->token.kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "expected the name of a plain type");
    alias.name = parser->token.text;
    alias.length = parser->token.length;
    ct_parser_next(parser);
    return ct_alias_add(parser, &alias, position);
}

/* ---- Types of values ----------------------------------------------------------------------- */

bool smp_type_is_integer(const smp_type *type) {
    return type && type->integer.bits > 0;
}

const smp_type *ct_type_of_kind(ct_kind kind) {
    static const smp_type *const types[] = {&type_int, &type_uint, &type_longlong, &type_ulonglong};
    return kind == CT_DATA ? NULL : types[kind];
}

const smp_type *ct_type_bool(void) {
    return &type_bool;
}

const smp_type *ct_type_of_bytes(uint32_t bytes) {
    static const smp_type sixteen = {NAMED("uint4"), .size = 16, .align = 16, .element = &type_uint,
                                     .lanes = 4};
    static const smp_type *const types[] = {&type_uchar, &type_ushort, &type_uint, &type_ulonglong,
                                            &sixteen};
    for (size_t i = 0; i < COUNT(types); i++) {
        if (types[i]->size == bytes)
            return types[i];
    }
    return NULL;
}

const smp_type *ct_type_pointer(void) {
    static const smp_type pointer = {NAMED("pointer"), .size = 8, .align = 8};
    return &pointer;
}

const smp_type *ct_type_char(void) {
    return &type_char;
}

const smp_type *ct_type_float(bool is_double) {
    return is_double ? &type_double : &type_float;
}

static bool is_common(const smp_type *type, const smp_type *with) {
    return with == type || with == &type_float || smp_type_is_integer(with);
}

const smp_type *ct_type_common(const smp_type *a, const smp_type *b) {
    static const smp_type *const types[] = {&type_double, &type_float};
    for (size_t i = 0; i < COUNT(types); i++) {
        if ((a == types[i] && is_common(a, b)) || (b == types[i] && is_common(b, a)))
            return types[i];
    }
    return a == b && a && a->is_float ? a : NULL;
}

ct_kind ct_type_kind(const smp_type *type) {
    return smp_type_is_integer(type) ? ct_integer_kind(type->integer) : CT_DATA;
}

bool ct_type_member(const smp_type *type, const char *name, size_t length, smp_member *out) {
    static const char components[] = "xyzw";
    for (uint32_t i = 0; i < type->member_count; i++) {
        const smp_member *member = &type->members[i];
        if (member->length != length || memcmp(member->name, name, length) != 0)
            continue;
        *out = *member;
        return true;
    }
    for (uint8_t i = 0; length == 1 && i < type->lanes; i++) {
        if (name[0] != components[i])
            continue;
        *out = (smp_member){.shape = {.type = type->element}, .offset = i * type->element->size};
        return true;
    }
    return false;
}
