/* SPDX-License-Identifier: MIT */
/*
 * .debug_line of a cubin. All of it is run once, into rows; what inlines a row's code is another
 * row, by its number among those of its sequence, which is a function's.
 */
#include "line_program.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"

enum {
    OP_COPY = 1,
    OP_ADVANCE_PC,
    OP_ADVANCE_LINE,
    OP_SET_FILE,
    OP_SET_COLUMN,
    OP_NEGATE,
    OP_BASIC_BLOCK,
    OP_CONST_ADD_PC,
    OP_FIXED_ADVANCE_PC,
    EXTENDED_END = 1,
    EXTENDED_ADDRESS = 2,
    EXTENDED_INLINED_CALL = 0x90,
    EXTENDED_FUNCTION_NAME = 0x91,
    CHAIN_MAX = 64,
    INSTRUCTION_BYTES = 16,
};

typedef struct line_row {
    uint64_t address; /* in its section */
    uint32_t section; /* 0: of no function */
    uint32_t line;
    uint32_t sequence_first;
    uint32_t called_at; /* number of the row that inlines it, from 1; 0: none */
    const char *file;
} line_row;

struct cubin_lines {
    line_row *rows;
    size_t count;
    bool is_unread; /* something in it is not read here */
    bool is_full;
};

/* One unit as it is run. */
typedef struct unit {
    smp_code *code;
    cubin_lines *out;
    const uint8_t *section, *at, *end;
    uint32_t section_index;
    const char **directories, **files;
    size_t directory_count, file_count;
    uint8_t minimum_bytes, line_range, opcode_base;
    int8_t line_base;
    const uint8_t *lengths;
    line_row row;
    bool is_bad;
} unit;

static uint64_t fixed(unit *u, unsigned count) {
    uint64_t value = 0;
    if ((size_t)(u->end - u->at) < count) {
        u->is_bad = true;
        return 0;
    }
    memcpy(&value, u->at, count);
    u->at += count;
    return value;
}

static uint64_t leb(unit *u, bool is_signed) {
    uint64_t value = 0;
    for (unsigned shift = 0; u->at < u->end && shift < 64; shift += 7) {
        const uint8_t byte = *u->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        if (is_signed && byte & 0x40 && shift + 7 < 64)
            value |= ~(uint64_t)0 << (shift + 7);
        return value;
    }
    u->is_bad = true;
    return 0;
}

/* A name of the header, which ends there. */
static const char *name(unit *u) {
    const char *text = (const char *)u->at;
    const uint8_t *end = memchr(u->at, 0, (size_t)(u->end - u->at));
    if (end == NULL) {
        u->is_bad = true;
        return "";
    }
    u->at = end + 1;
    return text;
}

static bool add_directory(unit *u, const char *text) {
    if (!LIST_ROOM(u->directories, u->directory_count))
        return false;
    u->directories[u->directory_count++] = text;
    return true;
}

static bool add_file(unit *u, const char *text, uint64_t directory) {
    const char *folder =
        directory > 0 && directory <= u->directory_count ? u->directories[directory - 1] : NULL;
    const size_t length = strlen(text), before = folder == NULL ? 0 : strlen(folder) + 1;
    char *path = smp_code_alloc(u->code, before + length + 1);
    if (path == NULL || !LIST_ROOM(u->files, u->file_count))
        return false;
    if (before > 0) {
        memcpy(path, folder, before - 1);
        path[before - 1] = '/';
    }
    memcpy(path + before, text, length);
    u->files[u->file_count++] = path;
    u->is_bad |= directory > u->directory_count;
    return true;
}

static void read_header(unit *u) {
    const uint64_t version = fixed(u, 2), bytes = fixed(u, 4);
    const bool is_inside = bytes <= (uint64_t)(u->end - u->at);
    const uint8_t *program = is_inside ? u->at + bytes : u->end;
    u->is_bad |= version < 2 || version > 3 || !is_inside;
    u->minimum_bytes = (uint8_t)fixed(u, 1);
    (void)fixed(u, 1); /* is_stmt */
    u->line_base = (int8_t)fixed(u, 1);
    u->line_range = (uint8_t)fixed(u, 1);
    u->opcode_base = (uint8_t)fixed(u, 1);
    u->lengths = u->at;
    u->is_bad |= u->line_range == 0 || u->opcode_base == 0;
    for (unsigned i = 1; !u->is_bad && i < u->opcode_base; i++)
        (void)fixed(u, 1);
    while (!u->is_bad && u->at < u->end && *u->at != 0)
        u->out->is_full |= !add_directory(u, name(u));
    (void)fixed(u, 1);
    while (!u->is_bad && u->at < u->end && *u->at != 0) {
        const char *text = name(u);
        const uint64_t directory = leb(u, false);
        (void)leb(u, false);
        (void)leb(u, false);
        u->out->is_full |= !add_file(u, text, directory);
    }
    u->at = u->is_bad ? u->end : program;
}

/* ---- The program ---- */

static void begin_sequence(unit *u) {
    u->row = (line_row){.line = 1, .sequence_first = (uint32_t)u->out->count};
    u->row.file = u->file_count > 0 ? u->files[0] : NULL;
}

static void add_row(unit *u) {
    if (!LIST_ROOM(u->out->rows, u->out->count)) {
        u->out->is_full = true;
        return;
    }
    u->out->rows[u->out->count++] = u->row;
}

/* An address of the program is that of a symbol, by a relocation. */
static void set_address(unit *u) {
    const uint64_t offset = (uint64_t)(u->at - u->section);
    uint64_t address = fixed(u, 8);
    cubin_cursor cursor = {0, 0};
    cubin_relocation named;
    u->row.section = 0;
    while (smp_cubin_relocation(u->code, u->section_index, &cursor, &named)) {
        if (named.offset != offset || named.symbol >= u->code->symbol_count)
            continue;
        const cubin_symbol *symbol = &u->code->symbols[named.symbol];
        u->row.section = symbol->section;
        address += symbol->value + named.add;
        break;
    }
    u->row.address = address;
}

static void run_extended(unit *u) {
    const uint64_t length = leb(u, false);
    if (length == 0) /* ptxas begins with these */
        return;
    if (length > (uint64_t)(u->end - u->at)) {
        u->is_bad = true;
        return;
    }
    const uint8_t *const end = u->at + length;
    const unsigned opcode = (unsigned)fixed(u, 1);
    if (opcode == EXTENDED_END) {
        begin_sequence(u);
    } else if (opcode == EXTENDED_ADDRESS && length == 9) {
        set_address(u);
    } else if (opcode == EXTENDED_INLINED_CALL) {
        u->row.called_at = (uint32_t)leb(u, false);
        (void)leb(u, false); /* the function's name */
    } else if (opcode != EXTENDED_FUNCTION_NAME) {
        u->is_bad = true;
    }
    u->at = end;
}

static void run_standard(unit *u, unsigned opcode) {
    switch (opcode) {
    case OP_COPY:
        add_row(u);
        break;
    case OP_ADVANCE_PC:
        u->row.address += leb(u, false) * u->minimum_bytes;
        break;
    case OP_ADVANCE_LINE:
        u->row.line += (uint32_t)leb(u, true);
        break;
    case OP_SET_FILE: {
        const uint64_t number = leb(u, false);
        u->is_bad |= number == 0 || number > u->file_count;
        u->row.file = u->is_bad ? NULL : u->files[number - 1];
        break;
    }
    case OP_NEGATE:
    case OP_BASIC_BLOCK:
        break;
    case OP_CONST_ADD_PC:
        u->row.address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->minimum_bytes;
        break;
    case OP_FIXED_ADVANCE_PC:
        u->row.address += fixed(u, 2);
        break;
    default: /* what it is is in the header: how many operands */
        for (unsigned i = u->lengths[opcode - 1]; i > 0; i--)
            (void)leb(u, false);
    }
}

static void run_program(unit *u) {
    begin_sequence(u);
    while (u->at < u->end && !u->is_bad && !u->out->is_full) {
        const unsigned opcode = *u->at++;
        if (opcode == 0) {
            run_extended(u);
        } else if (opcode < u->opcode_base) {
            run_standard(u, opcode);
        } else {
            const unsigned step = opcode - u->opcode_base;
            u->row.address += (uint64_t)(step / u->line_range) * u->minimum_bytes;
            u->row.line += (uint32_t)(u->line_base + (int)(step % u->line_range));
            add_row(u);
        }
    }
}

static void read_units(smp_code *code, uint32_t index, cubin_lines *out) {
    const cubin_section *section = &code->sections[index];
    const uint8_t *at = section->bytes, *end = at + section->size_bytes;
    while (end - at >= 4 && !out->is_full) {
        uint32_t length;
        memcpy(&length, at, sizeof(length));
        if (length > (uint64_t)(end - at - 4)) {
            out->is_unread = true;
            return;
        }
        unit u = {.code = code,
                  .out = out,
                  .section = section->bytes,
                  .section_index = index,
                  .at = at + 4,
                  .end = at + 4 + length};
        at = u.end;
        read_header(&u);
        run_program(&u);
        out->is_unread |= u.is_bad;
        free(u.directories);
        free(u.files);
    }
}

/* From the list's memory into the code's, which frees them. */
static bool keep_rows(smp_code *code, cubin_lines *lines) {
    line_row *kept = smp_code_alloc(code, lines->count * sizeof(*kept) + 1);
    if (kept != NULL && lines->count > 0)
        memcpy(kept, lines->rows, lines->count * sizeof(*kept));
    free(lines->rows);
    lines->rows = kept;
    lines->count = kept == NULL ? 0 : lines->count;
    return kept != NULL;
}

static cubin_lines *lines_of(smp_code *code) {
    if (code->lines != NULL)
        return code->lines;
    code->lines = smp_code_alloc(code, sizeof(*code->lines));
    for (uint32_t i = 0; code->lines != NULL && i < code->section_count; i++)
        if (strcmp(code->sections[i].name, ".debug_line") == 0 && code->sections[i].bytes != NULL)
            read_units(code, i, code->lines);
    if (code->lines != NULL && !keep_rows(code, code->lines))
        code->lines->is_full = true;
    return code->lines;
}

/* ---- Frames ---- */

/* The row with what it is inlined in. False: no room; a chain that goes wrong ends. */
static bool frames_of(smp_code *code, const cubin_lines *lines, const line_row *row,
                      smp_instruction *out) {
    smp_source_line chain[CHAIN_MAX];
    uint32_t count = 0;
    for (; row != NULL && row->file != NULL && count < CHAIN_MAX; count++) {
        chain[count] = (smp_source_line){row->file, row->line};
        const size_t next = (size_t)row->sequence_first + row->called_at - 1;
        row = row->called_at == 0 || next >= lines->count ? NULL : &lines->rows[next];
    }
    smp_source_line *kept = smp_code_alloc(code, count * sizeof(*chain) + 1);
    if (kept == NULL)
        return false;
    memcpy(kept, chain, count * sizeof(*chain));
    out->frames = count == 0 ? NULL : kept;
    out->frame_count = count;
    return true;
}

/* Where only what it is inlined in changes, nvdisasm goes on with what it said before; so do
 * reports, whoever read the code. */
static bool is_line(const smp_instruction *before, const line_row *row) {
    return before->frame_count > 0 && row->file != NULL && before->frames[0].line == row->line &&
           strcmp(before->frames[0].file, row->file) == 0;
}

bool smp_line_program_read(smp_code *code, smp_function *function, bool *is_full) {
    const cubin_lines *lines = lines_of(code);
    const uint32_t count = function->instruction_count;
    const line_row **last = calloc((size_t)count + 1, sizeof(const line_row *));
    *is_full = lines == NULL || last == NULL || lines->is_full;
    const bool is_read = !*is_full && !lines->is_unread;
    for (size_t i = 0; is_read && i < lines->count; i++) {
        const line_row *row = &lines->rows[i];
        const uint64_t at = row->address / INSTRUCTION_BYTES;
        if (row->section == function->section_index && at < count)
            last[at] = row;
    }
    for (uint32_t i = 0; is_read && !*is_full && i < count; i++) {
        smp_instruction *to = &function->instructions[i];
        if (last[i] != NULL && !(i > 0 && is_line(&to[-1], last[i]))) {
            *is_full = !frames_of(code, lines, last[i], to);
        } else if (i > 0) {
            to->frames = to[-1].frames;
            to->frame_count = to[-1].frame_count;
        }
    }
    free(last);
    return is_read && !*is_full;
}
