/* SPDX-License-Identifier: MIT */
/*
 * batch: many accesses, one a line or as a trace, as a stream. Memory is a few fixed buffers
 * whatever the input; a bad line is reported and the rest goes on.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "progress.h"
#include "smp_trace.h"
#include "write_format.h"

enum { BLOCK_BYTES = 1 << 20, LINE_MAX_BYTES = 1 << 16 };
enum { MESSAGES_MAX = 20 }; /* of bad lines; of more it is said how many */

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static const smp_option options[] = {OPTION_ARCH,  OPTION_BANK_MODE, OPTION_FORMAT, OPTION_OUTPUT,
                                     OPTION_FORCE, OPTION_COLOR,     OPTION_HELP};

static const option_words words[] = {{OPTION_ARCH, "sm_90, 9.0, hopper, GH100 ..."}, {0}};

typedef struct stream {
    const char *name; /* of the input, for messages */
    int input;
    output *out;
    smp_arch arch;
    const smp_batch_form *form;
    smp_trace_writer *trace; /* in the place of rows */
    smp_status trace_status; /* of what was put there */
    smp_error trace_error;
    bool is_damaged; /* the trace that is read */
    uint64_t line;   /* number of the current one, from 1 */
    uint64_t bad_lines;
    char *block; /* BLOCK_BYTES + LINE_MAX_BYTES: the start of a line, then a block */
    char *rows;  /* BLOCK_BYTES of finished output */
    size_t row_bytes;
} stream;

static void flush_rows(stream *s) {
    (void)fwrite(s->rows, 1, s->row_bytes, s->out->stream);
    s->row_bytes = 0;
}

static void bad_line(stream *s, int position, const char *what) {
    flush_rows(s);
    if (++s->bad_lines <= MESSAGES_MAX)
        fprintf(stderr, "%s:%" PRIu64 ":%d: %s\n", s->name, s->line, position + 1, what);
}

static void long_line(stream *s) {
    bad_line(s, LINE_MAX_BYTES, "the line is longer than 65536 bytes");
}

/* The column of the number at fault in a line that parsed: of the lane that `error` names, behind
 * the colon if it is the source of a copy. The start of the line if no lane is at fault. */
static int fault_column(const char *line, size_t length, const smp_access *access, int lane) {
    const char *at = line, *end = line + length, *colon = memchr(line, ':', length);
    int first = 3;
    if (lane >= 0 && access->op == SMP_CP_ASYNC && colon &&
        access->address_bytes[lane] % access->width_bytes != 0 &&
        access->offset_bytes[lane] % access->width_bytes == 0) {
        at = colon + 1;
        first = 0;
    }
    for (int word = 0; lane >= 0; word++) {
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (at == end)
            return 0;
        if (word == lane + first)
            return (int)(at - line);
        while (at < end && *at != ' ' && *at != '\t')
            at++;
    }
    return 0;
}

static void put_row(stream *s, const smp_access *access, const smp_counts *counts) {
    if (s->trace) {
        if (s->trace_status == SMP_OK)
            s->trace_status = smp_trace_put(s->trace, access, &s->trace_error);
        return;
    }
    char *at = s->rows + s->row_bytes;
    at = s->form->row(at, s->line, access, counts);
    s->row_bytes = (size_t)(at - s->rows);
    if (s->row_bytes > BLOCK_BYTES - SMP_BATCH_ROW_MAX)
        flush_rows(s);
}

static void take_line(stream *s, const char *line, size_t length) {
    smp_access access;
    smp_counts counts;
    smp_error error;
    bool is_empty;
    s->line++;
    if (s->line == 1 && length >= strlen(BYTE_ORDER_MARK) &&
        memcmp(line, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
        line += strlen(BYTE_ORDER_MARK);
        length -= strlen(BYTE_ORDER_MARK);
    }
    if (length > LINE_MAX_BYTES) {
        long_line(s);
        return;
    }
    if (smp_batch_parse(line, length, &access, &is_empty, &error) != SMP_OK) {
        bad_line(s, error.position, error.message);
        return;
    }
    if (is_empty)
        return;
    smp_status status = smp_predict(&s->arch, &access, &counts);
    if (status != SMP_OK && status != SMP_E_NOT_MODELLED) {
        (void)smp_access_check(&s->arch, &access, &error);
        bad_line(s, fault_column(line, length, &access, error.position), error.message);
        return;
    }
    put_row(s, &access, &counts);
}

/* Takes the whole lines of a text; returns the bytes of the unfinished last one. */
static size_t take_lines(stream *s, const char *text, size_t length) {
    const char *at = text, *end = text + length;
    for (;;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return (size_t)(end - at);
        take_line(s, at, (size_t)(newline - at));
        at = newline + 1;
    }
}

/* Waits for input, or for Ctrl-C, since a read that has begun may last for ever. */
static bool wait_for_input(const stream *s) {
    enum { MILLISECONDS = 200 };
    struct pollfd input = {.fd = s->input, .events = POLLIN};
    while (progress_goes_on()) {
        const int ready = poll(&input, 1, MILLISECONDS);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return true;
    }
    return false;
}

/* Reads what fits behind the `kept` bytes of an unfinished line: SIZE_MAX on an error. Ctrl-C is
 * the end of the input. */
static size_t read_block(stream *s, size_t kept) {
    for (;;) {
        if (!wait_for_input(s))
            return 0;
        ssize_t got = read(s->input, s->block + kept, BLOCK_BYTES);
        if (got >= 0)
            return (size_t)got;
        if (errno != EINTR)
            return SIZE_MAX;
    }
}

/* Called with an unfinished line that is too long: skips the rest of it. Returns what is kept of
 * the line after it, which may be too long as well. */
static size_t skip_line(stream *s) {
    s->line++;
    long_line(s);
    for (;;) {
        size_t got = read_block(s, 0);
        if (got == 0 || got == SIZE_MAX)
            return 0;
        const char *newline = memchr(s->block, '\n', got);
        if (!newline)
            continue;
        size_t rest = got - (size_t)(newline + 1 - s->block);
        memmove(s->block, newline + 1, rest);
        size_t kept = take_lines(s, s->block, rest);
        memmove(s->block, s->block + rest - kept, kept);
        return kept;
    }
}

static smp_status interrupted(const stream *s, smp_error *error) {
    if (s->out->path)
        return smp_error_set(error, SMP_E_INTERRUPTED, -1,
                             "interrupted at line %" PRIu64 "; %.160s is not written", s->line,
                             s->out->path);
    return smp_error_set(error, SMP_E_INTERRUPTED, -1,
                         "interrupted at line %" PRIu64 "; what is printed stands", s->line);
}

/* ---- Traces ---------------------------------------------------------------------------- */

static void say_loss(stream *s, const smp_trace_loss *loss) {
    if (loss->offset == UINT64_MAX)
        return;
    flush_rows(s);
    s->is_damaged = true;
    fprintf(stderr, "%s: damaged at byte %" PRIu64, s->name, loss->offset);
    if (loss->rows > 0)
        fprintf(stderr, ": rows %" PRIu64 " to %" PRIu64 " are missing", loss->first_row + 1,
                loss->first_row + loss->rows);
    fputs(loss->is_cut ? "; the file ends before its end\n" : "\n", stderr);
}

static void bad_row(stream *s, const smp_trace_block *block, uint32_t row) {
    smp_row_counts counts;
    smp_error error;
    (void)smp_predict_many(&s->arch, &block->many, row, 1, &counts, NULL, &error);
    flush_rows(s);
    if (++s->bad_lines <= MESSAGES_MAX)
        fprintf(stderr, "%s:%" PRIu64 ": %s\n", s->name, s->line, error.message);
}

static smp_counts counts_of(const smp_row_counts *row) {
    return (smp_counts){.valid = row->valid,
                        .wavefronts_min = row->wavefronts_min,
                        .wavefronts_max = row->wavefronts_max,
                        .ideal = row->ideal,
                        .ways = row->ways,
                        .transactions = row->transactions,
                        .bytes = row->bytes};
}

static void take_block(stream *s, const smp_trace_block *block, smp_row_counts *rows) {
    (void)smp_predict_many(&s->arch, &block->many, 0, block->rows, rows, NULL, NULL);
    for (uint32_t i = 0; i < block->rows; i++) {
        smp_access access;
        s->line = block->first_row + i + 1;
        if (rows[i].status != SMP_OK && rows[i].status != SMP_E_NOT_MODELLED) {
            bad_row(s, block, i);
            continue;
        }
        const smp_counts counts = counts_of(&rows[i]);
        smp_trace_access(block, i, &access);
        put_row(s, &access, &counts);
    }
}

static smp_status take_blocks(stream *s, smp_trace_reader *reader, smp_row_counts *rows,
                              smp_error *error) {
    for (;;) {
        smp_trace_block block;
        smp_trace_loss loss;
        smp_status status = smp_trace_next(reader, &block, &loss, error);
        if (status != SMP_OK)
            return status;
        say_loss(s, &loss);
        if (!progress_goes_on())
            return interrupted(s, error);
        if (block.rows == 0)
            break;
        take_block(s, &block, rows);
        if (ferror(s->out->stream))
            return SMP_OK;
    }
    flush_rows(s);
    return SMP_OK;
}

/* `in` begins with the byte that showed that it is no text. */
static smp_status take_trace(stream *s, FILE *in, smp_error *error) {
    smp_trace_reader *reader;
    smp_error bare;
    smp_status status = smp_trace_open(in, &reader, &bare);
    if (status != SMP_OK)
        return smp_error_set(error, status, -1, "%.80s: %.160s", s->name, bare.message);
    smp_row_counts *rows = malloc(SMP_TRACE_ROWS_MAX * sizeof *rows);
    status = rows ? take_blocks(s, reader, rows, error) : smp_error_memory(error);
    free(rows);
    smp_trace_reader_free(reader);
    return status;
}

/* The rest of a text of which so many bytes are there. */
static smp_status take_text(stream *s, size_t kept, smp_error *error) {
    for (;;) {
        size_t got = read_block(s, kept);
        if (got == SIZE_MAX)
            return smp_error_set(error, SMP_E_READ, -1, "%s: %s", s->name, strerror(errno));
        size_t length = kept + got;
        if (got == 0)
            break;
        kept = take_lines(s, s->block, length);
        memmove(s->block, s->block + length - kept, kept);
        while (kept > LINE_MAX_BYTES)
            kept = skip_line(s);
        if (ferror(s->out->stream))
            return progress_goes_on() ? SMP_OK : interrupted(s, error);
    }
    if (kept > 0 && progress_goes_on())
        take_line(s, s->block, kept);
    flush_rows(s);
    return progress_goes_on() ? SMP_OK : interrupted(s, error);
}

/* No line of text begins as a trace does. */
static smp_status take_input(stream *s, smp_error *error) {
    enum { TRACE_BYTE = 0x50 };
    ssize_t got = -1;
    do
        got = wait_for_input(s) ? read(s->input, s->block, 1) : 0;
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return smp_error_set(error, SMP_E_READ, -1, "%s: %s", s->name, strerror(errno));
    if (got == 0 || s->block[0] != TRACE_BYTE)
        return take_text(s, take_lines(s, s->block, (size_t)got), error);
    const int copy = dup(s->input);
    FILE *in = copy >= 0 ? fdopen(copy, "rb") : NULL;
    if (!in && copy >= 0)
        (void)close(copy);
    if (!in)
        return smp_error_set(error, SMP_E_READ, -1, "%s: %s", s->name, strerror(errno));
    (void)ungetc(TRACE_BYTE, in);
    smp_status status = take_trace(s, in, error);
    (void)fclose(in);
    return status;
}

static smp_status open_input(const arguments *args, stream *s, smp_error *error) {
    if (args->positional_count > 1)
        return smp_error_set(error, SMP_E_USAGE, -1, "batch reads one file, not %u",
                             args->positional_count);
    const char *path = args->positional_count ? args->positional[0] : "-";
    s->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    s->input = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (s->input < 0)
        return smp_error_set(error, SMP_E_READ, -1, "%s: %s", path, strerror(errno));
    return SMP_OK;
}

static smp_status open_output(const arguments *args, stream *s, smp_error *error) {
    smp_status status = output_open(args, s->out, error);
    s->form = status == SMP_OK ? smp_format_row_of(s->out->format)->batch : NULL;
    if (status != SMP_OK || s->out->format != SMP_FORMAT_TRACE)
        return status;
    s->trace = smp_trace_writer_new(s->out->stream);
    if (s->trace)
        return SMP_OK;
    (void)output_close(s->out, false, error);
    return smp_error_set(error, SMP_E_WRITE, -1, "the trace could not be begun");
}

static smp_status prepare(const arguments *args, stream *s, smp_error *error) {
    bool all;
    smp_status status = ask_arch(args, &s->arch, &all, error);
    if (status == SMP_OK && all)
        return smp_error_set(error, SMP_E_USAGE, -1, "--arch all: batch needs one architecture");
    if (status == SMP_OK)
        status = open_input(args, s, error);
    s->block = malloc(BLOCK_BYTES + LINE_MAX_BYTES);
    s->rows = malloc(BLOCK_BYTES);
    if (status == SMP_OK && (!s->block || !s->rows))
        return smp_error_memory(error);
    return status == SMP_OK ? open_output(args, s, error) : status;
}

static smp_status finish_trace(stream *s, smp_error *error) {
    *error = s->trace_error;
    return s->trace_status == SMP_OK ? smp_trace_finish(s->trace, error) : s->trace_status;
}

static int run(const arguments *args) {
    output out;
    smp_error error, closing;
    progress_line line;
    stream s = {.out = &out, .input = -1};
    smp_status status = prepare(args, &s, &error);
    if (status == SMP_OK) {
        if (s.form)
            fputs(s.form->header, out.stream);
        progress_begin(&line, NULL, 0);
        status = take_input(&s, &error);
        if (s.trace && status == SMP_OK)
            status = finish_trace(&s, &error);
        progress_end(&line);
        if (output_close(&out, status == SMP_OK, &closing) != SMP_OK && status == SMP_OK) {
            status = closing.status;
            error = closing;
        }
    }
    if (s.input > STDIN_FILENO)
        (void)close(s.input);
    smp_trace_writer_free(s.trace);
    free(s.block);
    free(s.rows);
    if (status != SMP_OK)
        return complain(&error);
    if (s.bad_lines > MESSAGES_MAX)
        fprintf(stderr, "%s: %" PRIu64 " more lines are wrong, of %" PRIu64 "\n", s.name,
                s.bad_lines - MESSAGES_MAX, s.line);
    return s.bad_lines > 0 || s.is_damaged ? smp_status_exit(SMP_E_SYNTAX) : 0;
}

const command_row command_batch = {
    .name = "batch",
    .summary = "the same for many accesses, one a line, streaming",
    .usage = "[OPTIONS] [FILE|-]",
    COMMAND_OPTIONS(options),
    .formats = SMP_BATCH_FORMATS " trace",
    .words = words,
    .examples = "  smemprobe batch --format csv accesses.txt\n"
                "  smemprobe batch accesses.txt -o accesses.smptrace   packed, for later\n"
                "  smemprobe batch accesses.smptrace\n"
                "  generate | smemprobe batch --arch sm_80 --format jsonl -\n\n"
                "a line: OP WIDTH MASK OFF0 ... OFF31 [: GOFF0 ... GOFF31]\n"
                "(- for the offset of an inactive lane)\n",
    .run = run,
};
