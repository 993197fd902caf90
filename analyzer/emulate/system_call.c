/* SPDX-License-Identifier: MIT */
/*
 * Calls of driver functions: printf, assert, malloc and free. Their addresses come from constant
 * bank 4 or from a relocation of the call. Arguments and results are in registers from R4 on, as in
 * the CUDA ABI.
 */
#include "system_call.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap.h"
#include "poison.h"
#include "visible_text.h"

/* WIDTH_MAX limits widths and precisions: a double has 309 digits before its point. */
enum { TEXT_BYTES = 1024, SPEC_BYTES = 32, STEP = 16, WIDTH_MAX = 1024, PIECE_BYTES = 2048 };

static const char *const names[] = {"vprintf", "__assertfail", "malloc", "free"};

enum { CALL_VPRINTF, CALL_ASSERTFAIL, CALL_MALLOC, CALL_FREE, CALLS };

uint64_t emu_system_address(const char *name) {
    for (unsigned i = 0; i < CALLS; i++)
        if (strcmp(name, names[i]) == 0)
            return EMU_SYSTEM_WINDOW + (uint64_t)i * STEP;
    return 0;
}

/* ---- What the arguments point at ---- */

typedef struct caller {
    emu_warp *warp;
    const uop *u;
    unsigned lane;
} caller;

static uint32_t argument(const caller *c, unsigned word) {
    return c->warp->rows[(4 + word) * ROW + c->lane];
}

static uint64_t wide_argument(const caller *c, unsigned word) {
    return argument(c, word) | (uint64_t)argument(c, word + 1) << 32;
}

/* Returns the bytes at a generic address and how many there are; NULL if there are none. */
static const uint8_t *reach(const caller *c, uint64_t address, uint64_t *size) {
    const emu_block *block = c->warp->block;
    const emu_run *run = block->worker->run;
    if (address - EMU_LOCAL_WINDOW < run->local_bytes) {
        *size = run->local_bytes - (address - EMU_LOCAL_WINDOW);
        return block->local + (size_t)(c->warp->index * SMP_LANES + c->lane) * run->local_bytes +
               (address - EMU_LOCAL_WINDOW);
    }
    if (address - EMU_SHARED_WINDOW < block->shared_bytes) {
        *size = block->shared_bytes - (address - EMU_SHARED_WINDOW);
        return block->shared + (address - EMU_SHARED_WINDOW);
    }
    const smp_emu_array *array = smp_emu_memory_find(run->memory, address);
    if (!array || !array->bytes)
        return NULL;
    *size = array->size_bytes - (address - array->address);
    return array->bytes + (address - array->address);
}

/* Reads a string of the program; false if it does not end. */
static bool read_text(const caller *c, uint64_t address, char out[TEXT_BYTES]) {
    uint64_t size;
    const uint8_t *bytes = reach(c, address, &size);
    if (!bytes)
        return false;
    uint64_t length = 0;
    while (length < size && length < TEXT_BYTES - 1 && bytes[length] != 0)
        length++;
    memcpy(out, bytes, length);
    out[length] = '\0';
    return length < size;
}

/* ---- What kernels print ---- */

enum { PENDING_BYTES = 1 << 16, MOST_USUAL = 1 << 20 };

struct emu_output {
    FILE *to;
    bool is_terminal, is_counted; /* is_counted: the current call counts as dropped */
    uint64_t used, most, dropped;
    size_t pending;
    char bytes[PENDING_BYTES];
};

struct emu_output *emu_output_new(FILE *to, uint64_t most) {
    struct emu_output *out = calloc(1, sizeof(*out));
    if (!out)
        return NULL;
    out->to = to;
    out->most = most > 0 ? most : MOST_USUAL;
    const int number = fileno(to);
    out->is_terminal = number >= 0 && isatty(number) != 0;
    return out;
}

/* Escapes control characters other than newline and tab: they could control a terminal. */
static void put_visible(FILE *to, const char *bytes, size_t size) {
    for (size_t start = 0; start < size;) {
        size_t end = start;
        while (end < size && bytes[end] != '\n' && bytes[end] != '\t')
            end++;
        smp_visible_put(to, bytes + start, end - start);
        if (end < size)
            (void)fputc(bytes[end++], to);
        start = end;
    }
}

static void flush(struct emu_output *out) {
    if (out->is_terminal)
        put_visible(out->to, out->bytes, out->pending);
    else
        (void)fwrite(out->bytes, 1, out->pending, out->to);
    out->pending = 0;
}

/* Escapes control characters if the output is a terminal. */
static void put_output(struct emu_output *out, const char *bytes, size_t size) {
    if (size > out->most - out->used) {
        size = (size_t)(out->most - out->used);
        out->dropped += !out->is_counted;
        out->is_counted = true;
    }
    out->used += size;
    while (size > 0) {
        const size_t room = PENDING_BYTES - out->pending, part = size < room ? size : room;
        memcpy(out->bytes + out->pending, bytes, part);
        out->pending += part;
        bytes += part;
        size -= part;
        if (out->pending == PENDING_BYTES)
            flush(out);
    }
}

void emu_output_free(struct emu_output *out, smp_emulation *done) {
    if (!out)
        return;
    flush(out);
    done->output_bytes = out->used;
    done->output_dropped = out->dropped;
    free(out);
}

/* ---- printf ---- */

typedef struct printer {
    const caller *c;
    struct emu_output *to;
    uint64_t arguments; /* address of the next one */
    int count;          /* conversions so far */
    bool is_broken;
} printer;

/* One conversion: "%-08.3lld". */
typedef struct conversion {
    char flags[8];
    int width, precision; /* precision -1: none */
    unsigned longs;       /* number of `l` before the letter */
    char letter;
} conversion;

/* Arguments are contiguous, each aligned to its size. */
static uint64_t next_argument(printer *p, unsigned bytes) {
    uint64_t size, value = 0;
    p->arguments = (p->arguments + bytes - 1) / bytes * bytes;
    const uint8_t *at = reach(p->c, p->arguments, &size);
    p->arguments += bytes;
    if (!at || size < bytes)
        p->is_broken = true;
    else
        memcpy(&value, at, bytes);
    return value;
}

/* Reads digits, or '*' for an argument, up to WIDTH_MAX. */
static int take_number(printer *p, const char **at) {
    int64_t value = 0;
    if (**at == '*') {
        ++*at;
        value = (int32_t)(uint32_t)next_argument(p, 4);
    }
    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value > WIDTH_MAX ? value : 10 * value + (**at - '0');
    return (int)(value > WIDTH_MAX ? WIDTH_MAX : value < -WIDTH_MAX ? -WIDTH_MAX : value);
}

/* Parses a conversion after its percent sign; returns where the format continues. */
static const char *take_conversion(printer *p, const char *at, conversion *out) {
    size_t flags = 0;
    *out = (conversion){.precision = -1};
    for (; *at != '\0' && strchr("-+ #0", *at); at++)
        if (!strchr(out->flags, *at))
            out->flags[flags++] = *at;
    out->width = take_number(p, &at);
    if (*at == '.') {
        at++;
        out->precision = take_number(p, &at);
    }
    for (; *at != '\0' && strchr("hljzt", *at); at++)
        out->longs += *at != 'h';
    out->letter = *at;
    return *at == '\0' ? at : at + 1;
}

static const char *print_one(printer *p, const char *at) {
    char spec[SPEC_BYTES], text[TEXT_BYTES], piece[PIECE_BYTES] = "";
    conversion of;
    at = take_conversion(p, at, &of);
    if (of.letter == '\0')
        return at;
    const bool is_integer = strchr("diouxX", of.letter);
    const bool is_float = strchr("eEfFgGaA", of.letter);
    (void)snprintf(spec, sizeof(spec), "%%%s*.*%s%c", of.flags, is_integer ? "ll" : "", of.letter);
    p->count++;
    if (is_integer) {
        const uint64_t bits = next_argument(p, of.longs > 0 ? 8 : 4);
        const bool is_narrow = of.longs == 0 && (of.letter == 'd' || of.letter == 'i');
        (void)snprintf(piece, sizeof(piece), spec, of.width, of.precision,
                       is_narrow ? (long long)(int32_t)bits : (long long)bits);
    } else if (is_float) {
        double value;
        const uint64_t bits = next_argument(p, 8);
        memcpy(&value, &bits, sizeof(value));
        (void)snprintf(piece, sizeof(piece), spec, of.width, of.precision, value);
    } else if (of.letter == 's') {
        p->is_broken |= !read_text(p->c, next_argument(p, 8), text);
        (void)snprintf(piece, sizeof(piece), spec, of.width, of.precision,
                       p->is_broken ? "" : text);
    } else if (of.letter == 'c') {
        piece[0] = (char)next_argument(p, of.longs > 0 ? 8 : 4);
    } else if (of.letter == 'p') {
        (void)snprintf(piece, sizeof(piece), "0x%llx", (unsigned long long)next_argument(p, 8));
    } else {
        (void)snprintf(piece, sizeof(piece), "%%%c", of.letter);
    }
    put_output(p->to, piece, of.letter == 'c' ? 1 : strlen(piece));
    return at;
}

static int print(const caller *c, struct emu_output *to) {
    char format[TEXT_BYTES] = "";
    printer p = {.c = c, .to = to, .arguments = wide_argument(c, 2)};
    p.is_broken = !read_text(c, wide_argument(c, 0), format);
    to->is_counted = false;
    for (const char *at = format; *at != '\0' && !p.is_broken;) {
        const size_t plain = strcspn(at, "%");
        put_output(to, at, plain);
        at += plain;
        if (*at != '%')
            continue;
        if (at[1] == '%') {
            put_output(to, "%", 1);
            at += 2;
        } else {
            at = print_one(&p, at + 1);
        }
    }
    if (p.is_broken)
        emu_found(c->warp, c->u, c->lane, SMP_FINDING_OUT_OF_BOUNDS,
                  "printf: its format or an argument is not in memory");
    return p.count;
}

/* ---- The call ---- */

static void fail_assertion(const caller *c) {
    char text[TEXT_BYTES], file[TEXT_BYTES];
    if (!read_text(c, wide_argument(c, 0), text) || !read_text(c, wide_argument(c, 2), file))
        text[0] = file[0] = '\0';
    emu_found(c->warp, c->u, c->lane, SMP_FINDING_ASSERTION, "%.100s:%u: `%.120s' failed", file,
              argument(c, 4), text);
}

static void give_result(const caller *c, uint64_t value, unsigned words) {
    for (unsigned i = 0; i < words; i++)
        c->warp->rows[(4 + i) * ROW + c->lane] = (uint32_t)(value >> (32 * i));
    if (c->warp->tracks_poison)
        emu_poison_set_rows(c->warp, 4 * ROW_BYTES, words, 1u << c->lane, NULL, 0, 0);
}

/* Runs malloc or free; false if that ended the launch. */
static bool use_heap(const caller *c, bool takes) {
    const smp_emu_memory *memory = c->warp->block->worker->run->memory;
    const uint64_t word = wide_argument(c, 0);
    uint64_t address = 0;
    const bool is_fine =
        takes ? emu_heap_take(memory, word, &address) : emu_heap_give(memory, word);
    if (!is_fine)
        emu_found(c->warp, c->u, c->lane, takes ? SMP_FINDING_OUT_OF_BOUNDS : SMP_FINDING_FREED,
                  takes ? "malloc: the heap's data between its blocks was overwritten"
                        : "free of 0x%llx, which malloc did not return or which is already free",
                  (unsigned long long)word);
    if (takes)
        give_result(c, address, 2);
    return is_fine;
}

static bool call(const caller *c, uint64_t which) {
    const emu_run *run = c->warp->block->worker->run;
    switch (which) {
    case CALL_ASSERTFAIL *STEP:
        fail_assertion(c);
        return false;
    case CALL_VPRINTF *STEP:
        give_result(c, run->output ? (uint64_t)print(c, run->output) : 0, 1);
        return true;
    case CALL_MALLOC *STEP:
    case CALL_FREE *STEP:
        return use_heap(c, which == CALL_MALLOC * STEP);
    default:
        emu_found(c->warp, c->u, c->lane, SMP_FINDING_UNKNOWN,
                  "a call of a function that has no code here (of the driver's, printf, assert, "
                  "malloc and free work; kernels cannot launch kernels)");
        return false;
    }
}

bool emu_system_call(emu_warp *warp, const uop *u, uint32_t exec) {
    emu_run *run = warp->block->worker->run;
    const uint32_t *low = emu_row_of(warp, &u->a), *high = low + ROW;
    EACH_LANE_OF(l, exec) {
        const caller c = {warp, u, l};
        const uint64_t address = low[l] | (uint64_t)high[l] << 32;
        pthread_mutex_lock(run->call_lock);
        const bool goes_on = call(&c, address - EMU_SYSTEM_WINDOW);
        pthread_mutex_unlock(run->call_lock);
        if (!goes_on)
            return false;
    }
    return true;
}
