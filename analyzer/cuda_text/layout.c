/* SPDX-License-Identifier: MIT */
/*
 * A layout as a whole, and what the layout language has besides CUDA's own statements:
 *
 *   shared float tile[32][33]        global float A[1024][1024]     (declaration.c)
 *   block 32x8                       grid 4x4          blockIdx 1,2
 *   define N = 32                    let k = 2 * threadIdx.x
 *   data A = random:0:255            (data.c)
 *   arch sm_70, sm_90                expect ways <= 1
 *   for j = 0:32:8 ... end           (range_loop.c)
 *   ld tile[threadIdx.x][j]          (access_text.c)
 *
 * Comments begin with '#' or '//'. A statement ends with its line or with ';'.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

#define LINE_MAX_BYTES 65536u
#define BLOCK_THREADS_MAX 1024u
#define GRID_MAX INT64_C(2147483647)

/* A name that the preprocessor meets. */
static ct_outside find_outside(const void *user, const char *name, size_t length, int64_t *value) {
    const smp_layout *layout = user;
    const ct_symbol *symbol = ct_scope_find(&layout->scope, name, length);
    if (!symbol)
        return smp_array_find(layout, name, length) >= 0 ? CT_IS_ARRAY : CT_IS_NOTHING;
    *value = symbol->value;
    return symbol->meaning == CT_MEANS_CONSTANT ? CT_IS_VALUE : CT_IS_NAME;
}

smp_layout *smp_layout_new(void) {
    smp_layout *layout = malloc(sizeof *layout);
    if (!layout)
        return NULL;
    memset(layout, 0, offsetof(smp_layout, source));
    memset(&layout->kernel, 0, offsetof(ct_kernel, statements[1]));
    ct_source_init(&layout->source, find_outside, layout);
    layout->kernel.slot_count = CT_SLOT_FREE;
    layout->kernel.statement_count = 1; /* the block that holds all */
    for (int i = 0; i < 3; i++)
        layout->kernel.block[i] = layout->kernel.grid[i] = 1;
    layout->kernel.block[0] = SMP_LANES;
    return layout;
}

void smp_layout_free(smp_layout *layout) {
    for (uint32_t i = 0; layout && i < layout->kernel.data_count; i++)
        ct_data_clear(&layout->kernel.data[i]);
    if (layout) {
        ct_source_clear(&layout->source);
        free(layout->expects);
        free(layout->kernel.code.items);
    }
    free(layout);
}

void smp_layout_read_headers(smp_layout *layout, const char *name) {
    layout->source.beside = ct_source_keep(&layout->source, name, strlen(name));
}

/* ---- Names ----------------------------------------------------------------------------- */

/* "N = 32", "N 32", or "T = float". */
static bool parse_define(ct_parser *parser) {
    ct_token name = parser->token;
    int64_t value;
    ct_kind kind;
    if (name.kind == CT_TOKEN_NAME && ct_function_find(name.text, name.length))
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position, "'%.*s' already has a meaning",
                              CT_TOKEN_TEXT(name));
    if (!ct_new_name_parse(parser, &name))
        return false;
    ct_parser_accept(parser, '=');
    if (ct_type_starts(parser)) {
        ct_alias alias = {.name = name.text, .length = name.length};
        return ct_type_use_parse(parser, &alias.use) &&
               ct_alias_add(parser, &alias, name.position) && ct_parser_expect_end(parser);
    }
    return ct_expr_constant(parser, &value, &kind) && ct_parser_expect_end(parser) &&
           ct_constant_add(parser, &name, value, kind);
}

/* "{ A, B = 4 }": constants, of which *type is the first type that holds all. */
static bool parse_enumerators(ct_parser *parser, const smp_type **type) {
    int64_t value = 0, least = 0, most = 0;
    ct_kind kind;
    ct_scope *scope = &parser->layout->scope;
    const size_t first = scope->count;
    while (!ct_parser_is(parser, '}')) {
        ct_token name;
        const size_t position = parser->token.position;
        if (!ct_new_name_parse(parser, &name) ||
            (ct_parser_accept(parser, '=') && !ct_expr_constant(parser, &value, &kind)) ||
            !ct_constant_add_as(parser, &name, value, CT_I64, *type))
            return false;
        if (value == INT64_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "this is too large");
        least = value < least ? value : least;
        most = value > most ? value : most;
        value++;
        if (!ct_parser_accept(parser, ','))
            break;
    }
    if (*type)
        return true;
    kind = least >= INT32_MIN && most <= INT32_MAX ? CT_I32
           : least >= 0 && most <= UINT32_MAX      ? CT_U32
                                                   : CT_I64;
    *type = ct_type_of_kind(kind);
    for (size_t i = first; i < scope->count; i++)
        scope->symbols[i].kind = kind;
    return true;
}

/* "enum [class] E [: unsigned char] { A, B = 4 };": E is another name of its integer type. */
static bool parse_enum(ct_parser *parser) {
    ct_type_use use = {0};
    const bool is_class =
        ct_parser_accept_name(parser, "class") || ct_parser_accept_name(parser, "struct");
    const ct_token name = parser->token;
    if (name.kind == CT_TOKEN_NAME)
        ct_parser_next(parser);
    const size_t position = parser->token.position;
    if (ct_parser_accept(parser, ':') && !ct_type_use_parse(parser, &use))
        return false;
    if (use.type && !smp_type_is_integer(use.type))
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "expected an integer type");
    if (is_class && !use.type)
        use.type = ct_type_of_kind(CT_I32);
    if (!ct_parser_expect(parser, '{') || !parse_enumerators(parser, &use.type) ||
        !ct_parser_expect(parser, '}'))
        return false;
    const ct_alias alias = {.name = name.text, .length = name.length, .use = use};
    return (name.kind != CT_TOKEN_NAME || ct_alias_add(parser, &alias, name.position)) &&
           ct_parser_expect_end(parser);
}

static bool parse_using(ct_parser *parser) {
    const ct_token next = ct_parser_peek(parser, 1);
    if (ct_parser_accept_name(parser, "namespace") ||
        ct_token_is_punct(&next, CT_PUNCT2(':', ':'))) { /* "using std::min;" */
        while (!ct_parser_at_end(parser))
            ct_parser_next(parser);
        return ct_parser_expect_end(parser);
    }
    return ct_alias_parse(parser) && ct_parser_expect_end(parser);
}

/* "namespace cg = cooperative_groups;", "namespace a::b {": names are understood without what
 * stands before "::". */
static bool parse_namespace(ct_parser *parser) {
    while (parser->token.kind == CT_TOKEN_NAME || ct_parser_is(parser, CT_PUNCT2(':', ':')))
        ct_parser_next(parser);
    if (ct_parser_accept(parser, '{')) {
        parser->namespaces++;
        return parser->status == SMP_OK;
    }
    if (!ct_parser_expect(parser, '='))
        return false;
    while (!ct_parser_at_end(parser))
        ct_parser_next(parser);
    return ct_parser_expect_end(parser);
}

static bool parse_typedef(ct_parser *parser) {
    return ct_typedef_parse(parser) && ct_parser_expect_end(parser);
}

/* ---- Block and grid -------------------------------------------------------------------- */

/* "32x8" as tokens without blanks: a number, then names "x8"; nothing is taken if it is none. */
static bool parse_product(ct_parser *parser, int64_t dims[3], unsigned *count) {
    ct_token first = parser->token, next = ct_parser_peek(parser, 1);
    bool is_product = first.kind == CT_TOKEN_NUMBER && next.kind == CT_TOKEN_NAME &&
                      next.position == first.end && next.text[0] == 'x';
    if (!is_product)
        return false;
    dims[0] = first.value > GRID_MAX ? GRID_MAX + 1 : (int64_t)first.value;
    *count = 1;
    for (size_t at = 0; at < next.length;) {
        int64_t value = 0;
        size_t digits = ++at;
        while (at < next.length && next.text[at] >= '0' && next.text[at] <= '9' && at - digits < 10)
            value = value * 10 + (next.text[at++] - '0');
        if (at == digits || *count == 3 || (at < next.length && next.text[at] != 'x'))
            return false;
        dims[(*count)++] = value;
    }
    ct_parser_next(parser);
    ct_parser_next(parser);
    return true;
}

/* "32x8", "32, 8", "(32, 8)" or "dim3(32, 8)"; missing ones are `rest`. */
static bool parse_dims(ct_parser *parser, int64_t least, int64_t most, uint32_t rest,
                       uint32_t out[3]) {
    int64_t dims[3];
    unsigned count;
    size_t position = parser->token.position;
    if (!parse_product(parser, dims, &count)) {
        bool is_call = ct_parser_accept_name(parser, "dim3");
        bool is_list = ct_parser_accept(parser, '(') || is_call;
        count = 0;
        do {
            if (!ct_expr_constant_in(parser, "the size", least, most, &dims[count++]))
                return false;
        } while (count < 3 && ct_parser_accept(parser, ','));
        if (is_list && !ct_parser_expect(parser, ')'))
            return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        int64_t value = i < count ? dims[i] : rest;
        if (value > GRID_MAX) /* parse_product counts no further */
            return ct_parser_fail(parser, SMP_E_RANGE, position, "too large: must be %lld to %lld",
                                  (long long)least, (long long)most);
        if (value < least || value > most)
            return ct_parser_fail(parser, SMP_E_RANGE, position,
                                  "%lld is out of range (%lld to %lld)", (long long)value,
                                  (long long)least, (long long)most);
        out[i] = (uint32_t)value;
    }
    return ct_parser_expect_end(parser);
}

static bool fail_repeated(ct_parser *parser) {
    return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "this is already given");
}

static bool parse_block(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    size_t position = parser->token.position;
    if (layout->has_block)
        return fail_repeated(parser);
    if (!parse_dims(parser, 1, BLOCK_THREADS_MAX, 1, layout->kernel.block))
        return false;
    uint64_t threads =
        (uint64_t)layout->kernel.block[0] * layout->kernel.block[1] * layout->kernel.block[2];
    if (threads > BLOCK_THREADS_MAX || layout->kernel.block[2] > 64)
        return ct_parser_fail(parser, SMP_E_RANGE, position,
                              "a block has at most %u threads, and 64 in z", BLOCK_THREADS_MAX);
    layout->has_block = true;
    return true;
}

static bool parse_grid(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    if (layout->has_grid)
        return fail_repeated(parser);
    layout->has_grid = true;
    return parse_dims(parser, 1, GRID_MAX, 1, layout->kernel.grid);
}

static bool parse_block_index(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    if (layout->has_block_index)
        return fail_repeated(parser);
    layout->has_block_index = true;
    layout->block_index_line =
        ct_parser_line(parser, parser->token.position, &layout->block_index_column);
    return parse_dims(parser, 0, GRID_MAX, 0, layout->kernel.block_index);
}

/* ---- Keywords -------------------------------------------------------------------------- */

static bool parse_shared(ct_parser *parser) {
    return ct_declaration_parse(parser, SMP_SPACE_SHARED);
}

static bool parse_global(ct_parser *parser) {
    return ct_declaration_parse(parser, SMP_SPACE_GLOBAL);
}

/* What lies in constant memory is read by another way than what is counted here. */
static bool parse_constant_memory(ct_parser *parser) {
    return ct_variables_parse(parser);
}

/* "__device__ float table[256];" lies in global memory. */
static bool parse_device_variable(ct_parser *parser) {
    ct_parser_accept_name(parser, "__device__"); /* behind "static" */
    if (ct_parser_accept_name(parser, "__constant__"))
        return parse_constant_memory(parser);
    return ct_declaration_parse(parser, SMP_SPACE_GLOBAL);
}

/* "struct P { ... };", or a declaration of a variable. */
static bool parse_struct(ct_parser *parser) {
    const smp_type *type;
    if (!ct_struct_starts(parser))
        return ct_variables_parse(parser);
    return ct_struct_parse(parser, &type) && ct_parser_expect_end(parser);
}

/* Names of architectures hold points ("9.0"): they are read up to the comma. */
static bool parse_archs(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    do {
        const smp_arch *arch;
        if (!ct_arch_parse(parser, &arch))
            return false;
        if (layout->arch_count == CT_LAYOUT_ARCHS_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                  "more than %d architectures", CT_LAYOUT_ARCHS_MAX);
        layout->archs[layout->arch_count++] = arch;
    } while (ct_parser_accept(parser, ','));
    return ct_parser_expect_end(parser);
}

bool ct_arch_parse(ct_parser *parser, const smp_arch **out) {
    char name[32] = "";
    size_t start = parser->token.position, length = 0, end = start;
    if (ct_parser_at_end(parser))
        return ct_parser_fail_expected(parser, "an architecture");
    while (!ct_parser_at_end(parser) && !ct_parser_is(parser, ',') &&
           (end == start || parser->token.position == end)) {
        for (size_t i = 0; i < parser->token.length && length + 1 < sizeof name; i++)
            name[length++] = parser->token.text[i];
        end = parser->token.end;
        ct_parser_next(parser);
    }
    *out = length > 0 && length + 1 < sizeof name ? smp_arch_find(name) : NULL;
    return *out != NULL || ct_parser_fail(parser, SMP_E_UNKNOWN_ARCH, start,
                                          "unknown architecture (see 'list archs')");
}

typedef struct keyword_row {
    const char *keyword;
    bool keeps_keyword; /* it belongs to what is parsed */
    ct_keyword_fn parse;
} keyword_row;

static const keyword_row keywords[] = {
    {"shared", false, parse_shared},
    {"__shared__", false, parse_shared},
    {"extern", true, parse_shared},
    {"global", false, parse_global},
    {"block", false, parse_block},
    {"blockDim", false, parse_block},
    {"grid", false, parse_grid},
    {"gridDim", false, parse_grid},
    {"blockIdx", false, parse_block_index},
    {"define", false, parse_define},
    {"kernel", false, ct_kernel_choose},
    {"__constant__", false, parse_constant_memory},
    {"__device__", false, parse_device_variable},
    {"data", false, ct_data_parse},
    {"let", false, ct_let_parse},
    {"arch", false, parse_archs},
    {"expect", false, ct_expectation_parse},
    {"struct", true, parse_struct},
    {"class", true, parse_struct},
    {"enum", false, parse_enum},
    {"using", false, parse_using},
    {"typedef", false, parse_typedef},
    {"namespace", false, parse_namespace},
    {"for", false, ct_loop_parse},
};

/* A variable may have the name of a keyword; what follows shows which is meant. */
static bool is_expression(const ct_parser *parser) {
    ct_token next = ct_parser_peek(parser, 1);
    bool is_punct = next.kind == CT_TOKEN_PUNCT && !next.starts_line;
    bool opens = next.code == '{' || next.code == '(' || next.code == '*';
    return is_punct && !opens && next.code != CT_PUNCT2(':', ':');
}

ct_keyword_fn ct_keyword_find(const ct_parser *parser, bool *keeps_keyword) {
    const ct_token *token = &parser->token;
    if (token->kind != CT_TOKEN_NAME || is_expression(parser) ||
        ct_scope_find(&parser->layout->scope, token->text, token->length))
        return NULL;
    const bool is_static = ct_token_is(token, "static");
    ct_token next = ct_parser_peek(parser, 1);
    if (is_static && ct_token_is(&next, "__shared__")) {
        *keeps_keyword = true;
        return parse_shared;
    }
    if (is_static && (ct_token_is(&next, "__device__") || ct_token_is(&next, "__constant__")))
        return parse_device_variable;
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (!ct_token_is(token, keywords[i].keyword) || ct_token_is(token, "for"))
            continue;
        *keeps_keyword = keywords[i].keeps_keyword;
        return keywords[i].parse;
    }
    return NULL;
}

/* ---- Texts ----------------------------------------------------------------------------- */

/* What is left to say when a text has been read: about places that may come in any order. */
static bool check_launch(ct_parser *parser) {
    const smp_layout *layout = parser->layout;
    if (layout->kernel_length > 0 && !layout->has_kernel && layout->other_kernels[0]) {
        parser->error_line = 0; /* of the text as a whole */
        parser->status =
            smp_error_set(parser->error, SMP_E_SYNTAX, -1, "no kernel '%.*s' here; there %s %s",
                          (int)layout->kernel_length, layout->kernel_name,
                          strchr(layout->other_kernels, ',') ? "are" : "is", layout->other_kernels);
        return false;
    }
    for (int i = 0; i < 3 && layout->has_block_index && layout->has_grid; i++) {
        if (layout->kernel.block_index[i] < layout->kernel.grid[i])
            continue;
        parser->error_line = layout->block_index_line;
        parser->status =
            smp_error_set(parser->error, SMP_E_RANGE, layout->block_index_column,
                          "block %u is not in a grid of %u in %c", layout->kernel.block_index[i],
                          layout->kernel.grid[i], "xyz"[i]);
        return false;
    }
    return parser->status == SMP_OK;
}

static void parse_keyword(ct_parser *parser, const char *keyword) {
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (strcmp(keywords[i].keyword, keyword) != 0)
            continue;
        parser->is_option = true;
        (void)keywords[i].parse(parser);
        return;
    }
    (void)ct_parser_fail(parser, SMP_E_USAGE, 0, "unknown statement '%s'", keyword);
}

static smp_status add_text(smp_layout *layout, const char *keyword, const char *text, size_t length,
                           unsigned *line, smp_error *error) {
    ct_parser parser;
    bool sound = ct_parser_init(&parser, layout, text, length, *line, error);
    if (sound && keyword)
        parse_keyword(&parser, keyword);
    while (parser.status == SMP_OK && parser.token.kind != CT_TOKEN_END) {
        parser.access_start = parser.token.position;
        if (keyword)
            (void)ct_parser_expect_end(&parser);
        if (parser.namespaces > 0 && ct_parser_accept(&parser, '}'))
            parser.namespaces--;
        else if (parser.status == SMP_OK && parser.token.kind != CT_TOKEN_END) {
            bool has = false;
            if (!keyword && !ct_file_scope_parse(&parser, &has))
                break;
            if (!has && !ct_statement_parse(&parser))
                break;
        }
    }
    if (parser.status == SMP_OK)
        (void)check_launch(&parser);
    if (parser.status != SMP_OK)
        *line = parser.error_line;
    ct_parser_clear(&parser);
    return parser.status;
}

smp_status smp_layout_add(smp_layout *layout, const char *keyword, const char *text, size_t length,
                          unsigned line, smp_error *error) {
    if (length > LINE_MAX_BYTES)
        return smp_error_set(error, SMP_E_SYNTAX, (int)LINE_MAX_BYTES, "line longer than %u bytes",
                             LINE_MAX_BYTES);
    return add_text(layout, keyword, text, length, &line, error);
}

/* The first line that is too long, or 0. */
static unsigned find_long_line(const char *text, size_t length) {
    unsigned line = 1;
    while (length > 0) {
        const char *newline = memchr(text, '\n', length);
        size_t size = newline ? (size_t)(newline - text) : length;
        if (size > LINE_MAX_BYTES)
            return line;
        size_t step = newline ? size + 1 : size;
        text += step;
        length -= step;
        line++;
    }
    return 0;
}

smp_status smp_layout_add_lines(smp_layout *layout, const char *text, size_t length, unsigned *line,
                                smp_error *error) {
    *line = find_long_line(text, length);
    if (*line != 0)
        return smp_error_set(error, SMP_E_SYNTAX, (int)LINE_MAX_BYTES, "line longer than %u bytes",
                             LINE_MAX_BYTES);
    bool has_mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    *line = 1;
    smp_status status =
        add_text(layout, NULL, text + 3 * has_mark, length - 3 * has_mark, line, error);
    if (status == SMP_OK)
        status = ct_data_check(&layout->kernel, line, error);
    return status == SMP_OK ? ct_barriers_check(&layout->kernel, line, error) : status;
}

smp_status smp_layout_value(smp_layout *layout, uint32_t warp, const char *text, size_t length,
                            int64_t values[SMP_LANES], const char **type, smp_error *error) {
    static const char *const names[] = {"int", "unsigned", "long long", "unsigned long long",
                                        "float"};
    ct_parser parser;
    ct_program program;
    uint32_t before = layout->kernel.code.count, accesses = layout->kernel.access_count;
    size_t symbols = layout->scope.count;
    if (warp * SMP_LANES >=
        layout->kernel.block[0] * layout->kernel.block[1] * layout->kernel.block[2])
        return smp_error_set(error, SMP_E_RANGE, -1, "the block has no warp %u", warp);
    bool sound = ct_parser_init(&parser, layout, text, length, 1, error) &&
                 ct_expr_program(&parser, &program) && ct_parser_expect_end(&parser);
    smp_status status = parser.status;
    if (sound && parser.token.kind != CT_TOKEN_END)
        status = smp_error_set(error, SMP_E_SYNTAX, (int)parser.token.position,
                               "expected one expression");
    else if (sound)
        status = ct_program_value(&layout->kernel, warp, &program, values, error);
    if (status == SMP_OK)
        *type = names[program.kind];
    ct_parser_clear(&parser);
    layout->kernel.code.count = before;
    layout->kernel.access_count = accesses;
    layout->scope.count = symbols;
    return status;
}
