/* SPDX-License-Identifier: MIT */
/*
 * Statements of a layout, one a line of a .smp file:
 *
 *   shared float tile[32][33]        global float A[1024][1024]     (declaration.c)
 *   block 32x8                       grid 4x4          blockIdx 1,2
 *   define N = 32                    #define N 32
 *   int tx = threadIdx.x             a value of each thread (also: let, unsigned, ...)
 *   for j = 0:32:8                   from 0 to below 32; steps -1, *2 and /2 are fine
 *   for (int j = 0; j < 32; j += 8)  the same, in C
 *   end                              ends the latest loop (C: a brace, or the next access)
 *   arch sm_70, sm_90                expect ways <= 1
 *   __syncthreads()                  passed over
 *
 * and accesses (access_text.c), also as assignments (assignment.c). Comments begin with '#' or
 * '//'. A loop runs around all accesses that follow it, until its end.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

#define LINE_MAX_BYTES 65536u
#define BLOCK_THREADS_MAX 1024u
#define GRID_MAX INT64_C(2147483647)

typedef bool (*statement_fn)(smp_parser *parser, smp_layout *layout, unsigned line);

smp_layout *smp_layout_new(void) {
    smp_layout *layout = calloc(1, sizeof *layout);
    if (!layout)
        return NULL;
    layout->slot_count = SMP_SLOT_FREE;
    for (int i = 0; i < 3; i++)
        layout->block[i] = layout->grid[i] = 1;
    layout->block[0] = SMP_LANES;
    return layout;
}

void smp_layout_free(smp_layout *layout) {
    if (layout)
        free(layout->expects);
    free(layout);
}

/* ---- Names ----------------------------------------------------------------------------- */

static smp_symbol symbol_of(const smp_parser *parser, const smp_token *name) {
    return (smp_symbol){.name = parser->text + name->position, .length = name->length};
}

static bool parse_define(smp_parser *parser, smp_layout *layout, unsigned line) {
    (void)line;
    smp_token name;
    if (!smp_new_name_parse(parser, layout, &name))
        return false;
    smp_symbol symbol = symbol_of(parser, &name);
    symbol.is_constant = true;
    smp_parser_accept(parser, '=');
    return smp_expr_constant(parser, &symbol.value, &symbol.kind) &&
           smp_parser_expect_end(parser) && smp_symbol_add(parser, layout, symbol, name.position);
}

/* "name = expression" of a variable; with `type`, the value is converted to it. */
static bool parse_variable(smp_parser *parser, smp_layout *layout, const smp_integer_type *type,
                           unsigned line) {
    smp_token name;
    if (!smp_new_name_parse(parser, layout, &name) || !smp_parser_expect(parser, '='))
        return false;
    if (layout->variable_count == SMP_VARIABLES_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, name.position, "more than %d variables",
                               SMP_VARIABLES_MAX);
    smp_variable *variable = &layout->variables[layout->variable_count];
    *variable = (smp_variable){.slot = (uint16_t)layout->slot_count, .line = line};
    if (!smp_expr_program(parser, &variable->program))
        return false;
    smp_symbol symbol = symbol_of(parser, &name);
    symbol.slot = variable->slot;
    symbol.kind = variable->program.kind;
    if (type && !smp_expr_cast(parser, *type, name.position, &symbol.kind))
        return false;
    variable->program.count = layout->code.count - variable->program.start;
    if (!smp_symbol_add(parser, layout, symbol, name.position))
        return false;
    layout->variable_count++;
    layout->slot_count++;
    return true;
}

static bool parse_let(smp_parser *parser, smp_layout *layout, unsigned line) {
    return parse_variable(parser, layout, NULL, line) && smp_parser_expect_end(parser);
}

/* "const int tx = threadIdx.x, ty = threadIdx.y;" */
static bool parse_typed(smp_parser *parser, smp_layout *layout, unsigned line) {
    smp_integer_type type = {32, true};
    smp_parser_accept_name(parser, "const");
    bool is_auto = smp_parser_accept_name(parser, "auto");
    if (!is_auto && !smp_integer_type_parse(parser, &type))
        return false;
    do {
        if (!parse_variable(parser, layout, is_auto ? NULL : &type, line))
            return false;
    } while (smp_parser_accept(parser, ','));
    return smp_parser_expect_end(parser);
}

static bool typed_starts(const smp_parser *parser) {
    return smp_parser_is_name(parser, "const") || smp_parser_is_name(parser, "auto") ||
           smp_integer_type_starts(parser);
}

/* ---- Loops ----------------------------------------------------------------------------- */

/* "end" or "}". */
static bool parse_end(smp_parser *parser, smp_layout *layout, unsigned line) {
    (void)line;
    if (layout->open_loops == 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, 0, "no loop is open here");
    smp_loop_close(layout);
    return smp_parser_expect_end(parser);
}

/* "{" in a line of its own, behind a C loop. */
static bool parse_brace(smp_parser *parser, smp_layout *layout) {
    smp_loop *loop = smp_loop_latest(layout);
    if (!loop || !loop->is_single)
        return smp_parser_fail(parser, SMP_E_SYNTAX, 0, "no loop begins here");
    loop->is_single = false;
    return smp_parser_expect_end(parser);
}

/* ---- Block and grid -------------------------------------------------------------------- */

/* "32x8", as one or more tokens without blanks; false if the text is not of that form. */
static bool scan_product(const smp_parser *parser, int64_t dims[3], unsigned *count, size_t *end) {
    size_t at = parser->token.position;
    *count = 0;
    for (;;) {
        int64_t value = 0;
        size_t digits = at;
        while (at < parser->length && parser->text[at] >= '0' && parser->text[at] <= '9' &&
               at - digits < 10)
            value = value * 10 + (parser->text[at++] - '0');
        if (at == digits || *count == 3)
            return false;
        dims[(*count)++] = value;
        bool more = at < parser->length && parser->text[at] == 'x';
        *end = at;
        if (!more)
            return *count > 1;
        at++;
    }
}

/* "32x8", "32, 8", "(32, 8)" or "dim3(32, 8)"; missing ones are `rest`. */
static bool parse_dims(smp_parser *parser, int64_t least, int64_t most, uint32_t rest,
                       uint32_t out[3]) {
    int64_t dims[3];
    unsigned count;
    size_t end;
    size_t position = parser->token.position;
    if (scan_product(parser, dims, &count, &end)) {
        smp_parser_seek(parser, end);
    } else {
        bool is_call = smp_parser_accept_name(parser, "dim3");
        bool is_list = smp_parser_accept(parser, '(') || is_call;
        count = 0;
        do {
            if (!smp_expr_constant_in(parser, "the size", least, most, &dims[count++]))
                return false;
        } while (count < 3 && smp_parser_accept(parser, ','));
        if (is_list && !smp_parser_expect(parser, ')'))
            return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        int64_t value = i < count ? dims[i] : rest;
        if (value < least || value > most)
            return smp_parser_fail(parser, SMP_E_RANGE, position,
                                   "%lld is out of range (%lld to %lld)", (long long)value,
                                   (long long)least, (long long)most);
        out[i] = (uint32_t)value;
    }
    return smp_parser_expect_end(parser);
}

static bool fail_repeated(smp_parser *parser) {
    return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "this is already given");
}

static bool parse_block(smp_parser *parser, smp_layout *layout, unsigned line) {
    (void)line;
    size_t position = parser->token.position;
    if (layout->has_block)
        return fail_repeated(parser);
    if (!parse_dims(parser, 1, BLOCK_THREADS_MAX, 1, layout->block))
        return false;
    uint64_t threads = (uint64_t)layout->block[0] * layout->block[1] * layout->block[2];
    if (threads > BLOCK_THREADS_MAX || layout->block[2] > 64)
        return smp_parser_fail(parser, SMP_E_RANGE, position,
                               "a block has at most %u threads, and 64 in z", BLOCK_THREADS_MAX);
    layout->has_block = true;
    return true;
}

static bool parse_grid(smp_parser *parser, smp_layout *layout, unsigned line) {
    (void)line;
    if (layout->has_grid)
        return fail_repeated(parser);
    layout->has_grid = true;
    return parse_dims(parser, 1, GRID_MAX, 1, layout->grid);
}

static bool parse_block_index(smp_parser *parser, smp_layout *layout, unsigned line) {
    (void)line;
    if (layout->has_block_index)
        return fail_repeated(parser);
    layout->has_block_index = true;
    return parse_dims(parser, 0, GRID_MAX, 0, layout->block_index);
}

/* ---- The rest -------------------------------------------------------------------------- */

static bool parse_shared(smp_parser *parser, smp_layout *layout, unsigned line) {
    return smp_declaration_parse(parser, layout, SMP_SPACE_SHARED, line);
}

static bool parse_global(smp_parser *parser, smp_layout *layout, unsigned line) {
    return smp_declaration_parse(parser, layout, SMP_SPACE_GLOBAL, line);
}

static bool parse_struct(smp_parser *parser, smp_layout *layout, unsigned line) {
    (void)line;
    const smp_type *type;
    return smp_struct_parse(parser, &layout->types, &type) && smp_parser_expect_end(parser);
}

/* Loops without braces end behind their statement. */
static void close_single_loops(smp_layout *layout) {
    for (smp_loop *loop = smp_loop_latest(layout); loop && loop->is_single;
         loop = smp_loop_latest(layout))
        smp_loop_close(layout);
}

/* "__syncthreads();" accesses nothing. */
static bool parse_barrier(smp_parser *parser, smp_layout *layout, unsigned line) {
    (void)line;
    if (!smp_parser_expect(parser, '(') || !smp_parser_expect(parser, ')') ||
        !smp_parser_expect_end(parser))
        return false;
    close_single_loops(layout);
    return true;
}

/* Names of architectures hold points ("9.0"): they are read up to the comma. */
static bool parse_archs(smp_parser *parser, smp_layout *layout, unsigned line) {
    (void)line;
    do {
        const smp_arch *arch;
        if (!smp_arch_parse(parser, &arch))
            return false;
        if (layout->arch_count == SMP_LAYOUT_ARCHS_MAX)
            return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                   "more than %d architectures", SMP_LAYOUT_ARCHS_MAX);
        layout->archs[layout->arch_count++] = arch;
    } while (smp_parser_accept(parser, ','));
    return smp_parser_expect_end(parser);
}

typedef struct statement_row {
    const char *keyword;
    bool keeps_keyword; /* it belongs to what is parsed */
    statement_fn parse;
} statement_row;

static const statement_row statements[] = {
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
    {"let", false, parse_let},
    {"for", false, smp_loop_parse},
    {"end", false, parse_end},
    {"arch", false, parse_archs},
    {"expect", false, smp_expectation_parse},
    {"struct", true, parse_struct},
    {"__syncthreads", false, parse_barrier},
    {"__syncwarp", false, parse_barrier},
};

/* An access or an assignment. */
static bool parse_access(smp_parser *parser, smp_layout *layout, unsigned line) {
    smp_request form = {
        .line = line, .loops = layout->open_loops, .variable_count = layout->variable_count};
    bool sound = smp_request_starts(parser) ? smp_request_parse(parser, layout, line)
                                            : smp_assignment_parse(parser, layout, &form);
    if (sound)
        close_single_loops(layout);
    return sound;
}

static bool parse_statement(smp_parser *parser, smp_layout *layout, unsigned line) {
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (!smp_parser_is_name(parser, statements[i].keyword))
            continue;
        if (!statements[i].keeps_keyword)
            smp_parser_next(parser);
        return statements[i].parse(parser, layout, line);
    }
    if (smp_parser_accept(parser, '}'))
        return parse_end(parser, layout, line);
    if (smp_parser_accept(parser, '{'))
        return parse_brace(parser, layout);
    if (smp_request_starts(parser) || smp_assignment_starts(parser, layout))
        return parse_access(parser, layout, line);
    if (typed_starts(parser))
        return parse_typed(parser, layout, line);
    return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                           "expected a statement: shared, global, block, for, define, ld, st, "
                           "expect ...");
}

static bool parse_keyword(smp_parser *parser, smp_layout *layout, const char *keyword,
                          unsigned line) {
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (strcmp(statements[i].keyword, keyword) == 0)
            return statements[i].parse(parser, layout, line);
    }
    return smp_parser_fail(parser, SMP_E_USAGE, 0, "unknown statement '%s'", keyword);
}

/* Length without comment, trailing blanks and carriage return. "#define" is no comment. */
static size_t significant(const char *text, size_t length) {
    size_t end = 0;
    for (size_t i = 0; i < length; i++) {
        bool is_define = text[i] == '#' && length - i > 8 && memcmp(text + i, "#define ", 8) == 0;
        bool is_slashes = text[i] == '/' && i + 1 < length && text[i + 1] == '/';
        if ((text[i] == '#' && !is_define) || is_slashes)
            break;
        bool is_last_return = text[i] == '\r' && i + 1 == length;
        if (text[i] != ' ' && text[i] != '\t' && !is_last_return)
            end = i + 1;
    }
    return end;
}

smp_status smp_layout_add(smp_layout *layout, const char *keyword, const char *text, size_t length,
                          unsigned line, smp_error *error) {
    if (length > LINE_MAX_BYTES)
        return smp_error_set(error, SMP_E_SYNTAX, (int)LINE_MAX_BYTES, "line longer than %u bytes",
                             LINE_MAX_BYTES);
    length = significant(text, length);
    if (length == 0 && !keyword)
        return SMP_OK;
    smp_parser parser;
    size_t start = 0;
    while (start < length && (text[start] == ' ' || text[start] == '\t'))
        start++;
    bool is_define = start < length && text[start] == '#';
    smp_parser_init(&parser, text, is_define ? 0 : length, &layout->scope, &layout->code, error);
    if (is_define) {
        parser.length = length;
        smp_parser_seek(&parser, start + 1);
    }
    if (parser.status == SMP_OK && keyword)
        parse_keyword(&parser, layout, keyword, line);
    else if (parser.status == SMP_OK)
        parse_statement(&parser, layout, line);
    return parser.status;
}

smp_status smp_layout_add_lines(smp_layout *layout, const char *text, size_t length, unsigned *line,
                                smp_error *error) {
    *line = 0;
    while (length > 0) {
        const char *newline = memchr(text, '\n', length);
        size_t size = newline ? (size_t)(newline - text) : length;
        ++*line;
        smp_status status = smp_layout_add(layout, NULL, text, size, *line, error);
        if (status != SMP_OK)
            return status;
        size_t step = newline ? size + 1 : size;
        text += step;
        length -= step;
    }
    return SMP_OK;
}

/* ---- What it holds --------------------------------------------------------------------- */

size_t smp_layout_access_count(const smp_layout *layout) {
    return layout->access_count;
}

size_t smp_layout_arch_count(const smp_layout *layout) {
    return layout->arch_count;
}

const smp_arch *smp_layout_arch(const smp_layout *layout, size_t index) {
    return layout->archs[index];
}

void smp_layout_block(const smp_layout *layout, uint32_t block[3]) {
    memcpy(block, layout->block, sizeof layout->block);
}

smp_status smp_layout_check_memory(const smp_layout *layout, const smp_arch *arch,
                                   smp_error *error) {
    uint64_t bytes = smp_layout_shared_size(layout);
    uint64_t limit = (uint64_t)arch->shared_block_kib * 1024;
    if (bytes <= limit)
        return SMP_OK;
    return smp_error_set(error, SMP_E_RANGE, -1,
                         "the arrays take %" PRIu64
                         " bytes, but a block on %s has at most %" PRIu64,
                         bytes, arch->name, limit);
}

uint64_t smp_layout_shared_bytes(const smp_layout *layout) {
    return smp_layout_shared_size(layout);
}

void smp_layout_access_at(const smp_layout *layout, size_t index, smp_layout_access *out) {
    const smp_request *request = &layout->accesses[index];
    *out = (smp_layout_access){.text = request->text,
                               .length = request->length,
                               .is_implied = request->is_implied,
                               .line = request->line,
                               .op = request->op,
                               .width_bytes = request->width_bytes,
                               .parts = request->parts};
}

const char *smp_layout_loop_name(const smp_layout *layout, unsigned loop, size_t *length) {
    *length = layout->loops[loop].length;
    return layout->loops[loop].name;
}
