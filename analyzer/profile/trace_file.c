/* SPDX-License-Identifier: MIT */
/* Writes a trace as a file that appears complete or not at all. */
#include "trace_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument_table.h"
#include "instrument_trace.h"

smp_status trace_file_open(const char *path, bool overwrites, const note_sink *notes,
                           trace_file *out, smp_error *error) {
    *out = (trace_file){.notes = notes};
    if (!path)
        return SMP_OK;
    smp_status status = new_file_open(&out->file, path, overwrites, error);
    if (status != SMP_OK)
        return status;
    out->writer = smp_trace_writer_new(out->file.stream);
    if (out->writer)
        return SMP_OK;
    (void)new_file_close(&out->file, false, error);
    return smp_error_memory(error);
}

static void say_loss(const trace_file *file, const smp_trace_loss *loss) {
    if (loss->offset != UINT64_MAX)
        note_add(file->notes,
                 "%s: the program ended before its trace; after access %" PRIu64
                 " something is missing",
                 file->file.path, file->rows);
}

static smp_status copy_rows(trace_file *file, smp_trace_reader *reader, smp_error *error) {
    for (;;) {
        smp_trace_block block;
        smp_trace_loss loss;
        smp_access access;
        smp_status status = smp_trace_next(reader, &block, &loss, error);
        if (status != SMP_OK)
            return status;
        say_loss(file, &loss);
        if (block.rows == 0)
            return SMP_OK;
        for (uint32_t i = 0; i < block.rows && status == SMP_OK; i++, file->rows++) {
            smp_trace_access(&block, i, &access);
            status = smp_trace_put(file->writer, &access, error);
        }
        if (status != SMP_OK)
            return status;
    }
}

smp_status trace_file_take(trace_file *file, const char *path, smp_error *error) {
    smp_trace_reader *reader = NULL;
    FILE *in = fopen(path, "rb");
    if (!in)
        return smp_error_set(error, SMP_E_READ, -1, "%.160s cannot be read", path);
    smp_status status = smp_trace_open(in, &reader, error);
    if (status == SMP_OK)
        status = copy_rows(file, reader, error);
    smp_trace_reader_free(reader);
    (void)fclose(in);
    return status;
}

/* ---- The requests of a process that a GPU ran ---- */

/* Converts the requests of one process to accesses: the program counter tells the operation and the
 * meaning of the addresses. */
typedef struct traced_process {
    uint64_t rows;     /* in the trace */
    uint64_t left_out; /* local memory, and what has no operation */
    uint64_t not_kept; /* requests that the process made but that are missing */
    bool is_cut;       /* it ended before all its requests were written */
} traced_process;

/* Bits of an address within a block's shared memory; the bits above are the block's rank in its
 * cluster. */
#define OWN_BITS UINT32_C(0xffffff)

enum { KNOWN = 4096 /* size of the instruction cache */ };

typedef struct instruction {
    uint64_t pc;
    uint32_t what; /* UINT32_MAX if none */
    smp_op op;     /* SMP_OP_COUNT if its requests are left out */
} instruction;

typedef struct reading {
    const smp_instrument_dump *dump;
    const smp_op *ops;
    smp_trace_writer *writer;
    FILE *file;
    int32_t context;
    uint64_t epoch;
    bool has_end;
    instruction known[KNOWN];
} reading;

static void forget(reading *in) {
    for (size_t i = 0; i < KNOWN; i++)
        in->known[i].what = UINT32_MAX;
}

/* ---- Instructions ---- */

/* Returns the latest function there in this epoch; SMP_INSTRUMENT_NONE if none. */
static int32_t function_at(const reading *in, uint64_t pc) {
    const smp_instrument_dump *dump = in->dump;
    for (size_t i = dump->function_count; i-- > 0;) {
        const smp_instrument_function *one = &dump->functions[i];
        if (dump->modules[one->module].context == in->context && one->epoch <= in->epoch &&
            pc >= one->pc && pc - one->pc < one->code_bytes)
            return (int32_t)i;
    }
    return SMP_INSTRUMENT_NONE;
}

static bool is_site_of(const smp_instrument_site *site, uint32_t what) {
    return TABLE_WHAT(site->kind, site->flags, 0, site->matrices, site->other_id) ==
               (what & ~TABLE_WHAT(0, 0, 15, 0, 0)) &&
           site->width_bytes == 1u << (what >> 8 & 15);
}

static smp_op find_op(const reading *in, uint64_t pc, uint32_t what) {
    const smp_instrument_dump *dump = in->dump;
    const int32_t function = function_at(in, pc);
    for (size_t i = 0; function != SMP_INSTRUMENT_NONE && i < dump->site_count; i++) {
        const smp_instrument_site *site = &dump->sites[i];
        if (site->function == function && site->offset_bytes == pc - dump->functions[function].pc &&
            is_site_of(site, what))
            return in->ops[i];
    }
    return SMP_OP_COUNT;
}

static smp_op op_at(reading *in, uint64_t pc, uint32_t what) {
    instruction *at = &in->known[(pc / 16 + what * 31) % KNOWN];
    if (at->pc != pc || at->what != what)
        *at = (instruction){pc, what, find_op(in, pc, what)};
    return at->op;
}

/* ---- Requests ---- */

/* The lanes that give addresses: only the first ones for a matrix instruction. */
static uint32_t active_mask(smp_op op, uint32_t lanes) {
    const unsigned count = smp_ops(NULL)[op].lanes;
    return count > 0 && count < SMP_LANES ? lanes | SMP_ALL_LANES << count : lanes;
}

static smp_access access_of(const reading *in, const trace_row *row, smp_op op,
                            const uint32_t *words) {
    const unsigned kind = row->what & 15, count = (unsigned)__builtin_popcount(row->lanes);
    const uint32_t reserved = in->dump->contexts[in->context].reserved_bytes;
    const uint32_t *halves = kind == SMP_INSTRUMENT_COPY ? words + count : words;
    smp_access out = {.op = op,
                      .width_bytes = 1u << (row->what >> 8 & 15),
                      .active_mask = active_mask(op, row->lanes)};
    unsigned i = 0;
    for (uint32_t left = row->lanes; left != 0; left &= left - 1, i++) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        out.offset_bytes[lane] = kind == SMP_INSTRUMENT_GLOBAL ? words[i]
                                 : kind == SMP_INSTRUMENT_CLUSTER
                                     ? words[i] - reserved
                                     : (words[i] & OWN_BITS) - reserved;
        if (kind == SMP_INSTRUMENT_GLOBAL || kind == SMP_INSTRUMENT_COPY)
            out.address_bytes[lane] = (uint64_t)halves[i + count] << 32 | halves[i];
    }
    return out;
}

static unsigned parts_of(uint32_t what) {
    const unsigned kind = what & 15;
    return kind == SMP_INSTRUMENT_GLOBAL ? 2 : kind == SMP_INSTRUMENT_COPY ? 3 : 1;
}

static smp_status take_request(reading *in, const trace_row *row, const uint32_t *words,
                               traced_process *out, smp_error *error) {
    const smp_op op = op_at(in, row->pc, row->what);
    if (op == SMP_OP_COUNT || row->parts != parts_of(row->what))
        return SMP_OK;
    const smp_access access = access_of(in, row, op, words);
    out->rows++;
    return smp_trace_put(in->writer, &access, error);
}

static smp_status take_rows(reading *in, traced_process *out, smp_error *error) {
    trace_row row;
    uint32_t words[TRACE_PARTS_MAX * TRACE_LANES];
    smp_status status = SMP_OK;
    while (status == SMP_OK && !in->has_end && fread(&row, sizeof row, 1, in->file) == 1) {
        const size_t count = row.parts * (size_t)__builtin_popcount(row.lanes);
        in->has_end = row.parts == TRACE_END;
        if (row.parts == TRACE_MARK) {
            in->epoch = row.pc;
            forget(in);
        } else if (row.parts > TRACE_PARTS_MAX ||
                   fread(words, sizeof words[0], count, in->file) != count) {
            break;
        } else if (row.parts > 0) {
            status = take_request(in, &row, words, out, error);
        }
    }
    return status;
}

static smp_status take_file(reading *in, const char *path, traced_process *out, smp_error *error) {
    trace_file_head head;
    in->file = fopen(path, "rb");
    if (!in->file || fread(&head, sizeof head, 1, in->file) != 1 ||
        memcmp(head.magic, TRACE_FILE_MAGIC, sizeof head.magic) != 0 ||
        head.version != TRACE_FILE_VERSION || head.context < 0 ||
        (size_t)head.context >= in->dump->context_count) {
        if (in->file)
            (void)fclose(in->file);
        return smp_error_set(error, SMP_E_READ, -1, "'%.200s' cannot be read, or holds no requests",
                             path);
    }
    in->context = head.context;
    in->epoch = 0;
    in->has_end = false;
    forget(in);
    smp_status status = take_rows(in, out, error);
    out->is_cut |= !in->has_end;
    (void)fclose(in->file);
    return status;
}

/* Compares the GPU's own counts with the requests received. */
static void count_missing(const smp_instrument_dump *dump, const smp_op *ops, traced_process *out) {
    uint64_t expected = 0;
    for (size_t i = 0; i < dump->site_count; i++) {
        if (ops[i] == SMP_OP_COUNT)
            out->left_out += dump->sites[i].requests;
        else
            expected += dump->sites[i].requests;
    }
    for (size_t i = 0; i < dump->context_count; i++)
        out->not_kept += dump->contexts[i].sites_lost;
    out->not_kept += expected > out->rows ? expected - out->rows : 0;
}

static smp_status take_traces(const smp_instrument_dump *dump, const smp_op *ops,
                              smp_trace_writer *writer, traced_process *out, smp_error *error) {
    reading *in = calloc(1, sizeof *in);
    *out = (traced_process){0};
    if (!in)
        return smp_error_memory(error);
    *in = (reading){.dump = dump, .ops = ops, .writer = writer};
    smp_status status = SMP_OK;
    for (size_t i = 0; status == SMP_OK && i < dump->trace_count; i++)
        status = take_file(in, dump->traces[i], out, error);
    free(in);
    if (status == SMP_OK)
        count_missing(dump, ops, out);
    return status;
}

smp_status trace_file_take_process(trace_file *file, const smp_instrument_dump *dump,
                                   const smp_op *ops, smp_error *error) {
    traced_process traced;
    smp_status status = take_traces(dump, ops, file->writer, &traced, error);
    file->rows += traced.rows;
    file->left_out += traced.left_out;
    if (status == SMP_OK && traced.is_cut)
        say_loss(file, &(smp_trace_loss){.is_cut = true});
    if (status == SMP_OK && traced.not_kept > 0)
        note_add(file->notes, "%s: %" PRIu64 " accesses of process %" PRIu64 " were not kept",
                 file->file.path, traced.not_kept, dump->process);
    return status;
}

smp_status trace_file_close(trace_file *file, bool keep, smp_error *error) {
    smp_error closing;
    smp_status status = SMP_OK;
    if (!file->writer)
        return SMP_OK;
    if (keep && smp_trace_finish(file->writer, &closing) != SMP_OK)
        status = smp_error_set(error, SMP_E_WRITE, -1, "%.150s: %.100s", file->file.path,
                               closing.message);
    smp_trace_writer_free(file->writer);
    file->writer = NULL;
    const smp_status closed = new_file_close(&file->file, keep && status == SMP_OK, &closing);
    if (status == SMP_OK && closed != SMP_OK) {
        *error = closing;
        status = closed;
    }
    if (status != SMP_OK || !keep)
        return status;
    if (file->left_out > 0)
        note_add(file->notes,
                 "%" PRIu64 " accesses in %s; %" PRIu64
                 " are not in it: local memory, or instructions without an operation of a trace",
                 file->rows, file->file.path, file->left_out);
    else
        note_add(file->notes, "%" PRIu64 " accesses in %s", file->rows, file->file.path);
    return SMP_OK;
}
