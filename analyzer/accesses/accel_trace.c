/* SPDX-License-Identifier: MIT */
/* Reads lines of an Accel-Sim trace: words separated by blanks, with counts before lists. */
#include "accel_trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX_WORDS = 4, CORE_WORDS = 2, MASK_DIGITS = 8, REGISTERS_MAX = 16 };
enum { LIST_ALL, BASE_STRIDE, BASE_DELTA };

struct smp_accel_reader {
    FILE *in;
    char *line;
    size_t room;
    uint64_t number;    /* current line, from 1 */
    bool is_kept;       /* the line has been read ahead: the first after the head */
    bool has_no_prefix; /* inside a block, tracer version 3 or later */
    bool in_block;
    unsigned version;
    uint64_t expected; /* remaining instructions of the warp */
};

/* ---- Words ---- */

typedef struct words {
    char *at;
} words;

/* The next word, terminated, or NULL. */
static char *next_word(words *w) {
    while (*w->at == ' ' || *w->at == '\t')
        w->at++;
    if (*w->at == '\0')
        return NULL;
    char *start = w->at;
    while (*w->at != ' ' && *w->at != '\t' && *w->at != '\0')
        w->at++;
    if (*w->at != '\0')
        *w->at++ = '\0';
    return start;
}

static bool number(const char *word, int base, uint64_t *out) {
    char *end;
    if (!word || (!isxdigit((unsigned char)word[0]) && word[0] != '-'))
        return false;
    *out = word[0] == '-' ? (uint64_t)strtoll(word, &end, base) : strtoull(word, &end, base);
    return *end == '\0';
}

static bool next_number(words *w, int base, uint64_t *out) {
    return number(next_word(w), base, out);
}

/* Skips `count` registers: "R5 R255". */
static bool skip_registers(words *w, uint64_t count) {
    if (count > REGISTERS_MAX)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const char *word = next_word(w);
        if (!word || word[0] != 'R')
            return false;
    }
    return true;
}

/* ---- Addresses ---- */

/* Reads the addresses of the active lanes: all of them, or the first and the distance to the next,
 * once (BASE_STRIDE) or for each lane (BASE_DELTA). False if the line is too short. */
static bool read_lanes(words *w, uint64_t form, smp_accel_row *out) {
    uint64_t at = 0, step = 0;
    bool is_first = true;
    if ((form != LIST_ALL && !next_number(w, 16, &at)) ||
        (form == BASE_STRIDE && !next_number(w, 10, &step)))
        return false;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (!(out->mask >> lane & 1))
            continue;
        if ((form == LIST_ALL && !next_number(w, 16, &at)) ||
            (form == BASE_DELTA && !is_first && !next_number(w, 10, &step)))
            return false;
        at += is_first ? 0 : step;
        is_first = false;
        out->address[lane] = at;
    }
    return true;
}

/* Returns NULL or the error. */
static const char *read_addresses(words *w, smp_accel_row *out) {
    uint64_t form;
    if (!next_number(w, 10, &form))
        return "the form of its addresses is missing";
    if (form > BASE_DELTA)
        return "unknown form of addresses (0, 1 and 2 are known)";
    memset(out->address, 0, sizeof out->address);
    return read_lanes(w, form, out) ? NULL : "fewer addresses than active lanes";
}

/* ---- Lines ---- */

/* Reads PC and mask, which may follow the numbers of block, warp and core. */
static bool read_place(const smp_accel_reader *r, words *w, smp_accel_row *out) {
    uint64_t value, pc;
    char *word = NULL;
    for (unsigned i = 0; !r->has_no_prefix && i < PREFIX_WORDS; i++)
        if (!next_number(w, 10, &value))
            return false;
    for (unsigned i = 0; i <= CORE_WORDS; i++) {
        if (!next_number(w, 16, &pc))
            return false;
        words ahead = *w;
        while (*ahead.at == ' ')
            ahead.at++;
        const size_t length = strcspn(ahead.at, " \t");
        if (length == MASK_DIGITS || r->has_no_prefix)
            break;
    }
    word = next_word(w);
    if (!word || strlen(word) != MASK_DIGITS || !number(word, 16, &value) || pc > UINT32_MAX)
        return false;
    out->pc = (uint32_t)pc;
    out->mask = (uint32_t)value;
    return true;
}

/* Returns NULL or the error. *is_memory: the instruction accesses memory with some lane. */
static const char *read_row(const smp_accel_reader *r, smp_accel_row *out, bool *is_memory) {
    words w = {r->line};
    uint64_t count, width;
    *is_memory = false;
    if (!read_place(r, &w, out))
        return "expected a PC and a mask of 8 digits, as Accel-Sim's tracer writes them";
    if (out->pc >= SMP_ACCEL_PC_MAX)
        return "a PC beyond 64 MiB";
    if (!next_number(&w, 10, &count) || !skip_registers(&w, count))
        return "expected the number of destinations and their registers";
    const char *opcode = next_word(&w);
    if (!opcode || strlen(opcode) >= sizeof out->opcode || !isalpha((unsigned char)opcode[0]))
        return "expected an opcode";
    (void)snprintf(out->opcode, sizeof out->opcode, "%s", opcode);
    if (!next_number(&w, 10, &count) || !skip_registers(&w, count))
        return "expected the number of sources and their registers";
    if (!next_number(&w, 10, &width))
        return "expected the width of its memory access, or 0";
    *is_memory = width > 0 && out->mask != 0;
    return *is_memory ? read_addresses(&w, out) : NULL;
}

static bool read_line(smp_accel_reader *r) {
    if (r->is_kept) {
        r->is_kept = false;
        return true;
    }
    const ssize_t length = getline(&r->line, &r->room, r->in);
    if (length < 0)
        return false;
    r->number++;
    r->line[strcspn(r->line, "\r\n")] = '\0';
    return true;
}

static smp_status wrong(const smp_accel_reader *r, const char *what, smp_error *error) {
    return smp_error_set(error, SMP_E_SYNTAX, (int)(r->number - 1), "%s", what);
}

/* Handles a line between instructions; returns NULL or the error. */
static const char *take_mark(smp_accel_reader *r, bool *is_mark) {
    uint64_t left = r->expected;
    *is_mark = true;
    if (strncmp(r->line, "#BEGIN_TB", 9) == 0 || strncmp(r->line, "#END_TB", 7) == 0) {
        const bool begins = r->line[1] == 'B', is_out_of_turn = begins == r->in_block;
        r->in_block = begins;
        r->has_no_prefix = begins && r->version >= 3;
        r->expected = 0;
        return is_out_of_turn ? "a block begins or ends twice"
               : left > 0     ? "a warp has fewer instructions than it says"
                              : NULL;
    }
    if (strncmp(r->line, "insts = ", 8) == 0) {
        r->expected = strtoull(r->line + 8, NULL, 10);
        return left > 0 ? "a warp has fewer instructions than it says" : NULL;
    }
    *is_mark = r->line[0] == '\0' || r->line[0] == '#' || r->line[0] == '-' ||
               strncmp(r->line, "warp = ", 7) == 0 || strncmp(r->line, "thread block = ", 15) == 0;
    return NULL;
}

smp_status smp_accel_next(smp_accel_reader *r, smp_accel_row *out, bool *at_end, smp_error *error) {
    *at_end = false;
    while (read_line(r)) {
        bool is_mark, is_memory;
        const char *what = take_mark(r, &is_mark);
        if (what)
            return wrong(r, what, error);
        if (is_mark)
            continue;
        r->expected -= r->expected > 0;
        what = read_row(r, out, &is_memory);
        if (what)
            return wrong(r, what, error);
        if (is_memory)
            return SMP_OK;
    }
    *at_end = true;
    if (ferror(r->in))
        return smp_error_set(error, SMP_E_READ, -1, "the trace could not be read");
    const bool is_cut = r->in_block;
    r->in_block = false;
    return is_cut ? wrong(r, "the file ends inside a block", error) : SMP_OK;
}

/* ---- The head ---- */

static void take_fact(smp_accel_kernel *kernel, const char *line) {
    const char *value = strstr(line, " = ");
    if (!value)
        return;
    value += 3;
    if (strncmp(line, "-kernel name", 12) == 0)
        (void)snprintf(kernel->name, sizeof kernel->name, "%s", value);
    else if (strncmp(line, "-grid dim", 9) == 0)
        (void)sscanf(value, "(%" SCNu32 ",%" SCNu32 ",%" SCNu32 ")", &kernel->grid[0],
                     &kernel->grid[1], &kernel->grid[2]);
    else if (strncmp(line, "-block dim", 10) == 0)
        (void)sscanf(value, "(%" SCNu32 ",%" SCNu32 ",%" SCNu32 ")", &kernel->block[0],
                     &kernel->block[1], &kernel->block[2]);
    else if (strncmp(line, "-shmem = ", 9) == 0)
        kernel->shared_bytes = (uint32_t)strtoul(value, NULL, 10);
    else if (strncmp(line, "-binary version", 15) == 0)
        kernel->binary_version = (unsigned)strtoul(value, NULL, 10);
    else if (strncmp(line, "-shmem base_addr", 16) == 0)
        kernel->shared_base = strtoull(value, NULL, 16);
    else if (strncmp(line, "-local mem base_addr", 20) == 0)
        kernel->local_base = strtoull(value, NULL, 16);
    else if (strncmp(line, "-nvbit version", 14) == 0)
        (void)snprintf(kernel->nvbit, sizeof kernel->nvbit, "%.31s", value);
    else if (strncmp(line, "-accelsim tracer version", 24) == 0)
        kernel->tracer_version = (unsigned)strtoul(value, NULL, 10);
}

static smp_status read_head(smp_accel_reader *r, smp_accel_kernel *kernel, smp_error *error) {
    bool has_line = false;
    while (read_line(r)) {
        has_line = true;
        if (r->line[0] == '-') {
            take_fact(kernel, r->line);
        } else if ((r->line[0] != '\0' && r->line[0] != '#') ||
                   strncmp(r->line, "#BEGIN_TB", 9) == 0) {
            r->is_kept = true;
            break;
        }
    }
    if (!kernel->name[0] && has_line && strstr(r->line, "MEMTRACE:"))
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "NVBit's mem_trace does not print which lanes are active; use "
                             "Accel-Sim's tracer, which is also based on NVBit");
    if (!kernel->name[0])
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "not an Accel-Sim trace, which begins with '-kernel name = ...'");
    if (kernel->tracer_version > SMP_ACCEL_VERSION_MAX)
        return smp_error_set(
            error, SMP_E_SYNTAX, -1,
            "written by version %u of Accel-Sim's tracer; versions up to %u are supported",
            kernel->tracer_version, (unsigned)SMP_ACCEL_VERSION_MAX);
    r->version = kernel->tracer_version;
    return SMP_OK;
}

smp_status smp_accel_open(FILE *in, smp_accel_reader **out, smp_accel_kernel *kernel,
                          smp_error *error) {
    smp_accel_reader *r = calloc(1, sizeof *r);
    *kernel = (smp_accel_kernel){.grid = {0}};
    *out = NULL;
    if (!r)
        return smp_error_memory(error);
    r->in = in;
    const smp_status status = read_head(r, kernel, error);
    if (status == SMP_OK)
        *out = r;
    else
        smp_accel_free(r);
    return status;
}

void smp_accel_free(smp_accel_reader *reader) {
    if (!reader)
        return;
    free(reader->line);
    free(reader);
}
