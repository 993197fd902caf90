/* SPDX-License-Identifier: MIT */
/*
 * Requests by program counter become accesses: which instruction it was tells the operation, and
 * what the GPU's addresses mean.
 */
#include "profile_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument_table.h"
#include "instrument_trace.h"

/* Of an address in shared memory of a block of a cluster; above, which block of the cluster it is.
 */
#define OWN_BITS UINT32_C(0xffffff)

enum { KNOWN = 4096 /* instructions that are found at once */ };

typedef struct instruction {
    uint64_t pc;
    uint32_t what; /* UINT32_MAX: none */
    smp_op op;     /* SMP_OP_COUNT: its requests are left out */
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

/* The latest that is there in this epoch; SMP_INSTRUMENT_NONE: none. */
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

/* The warp that gives these addresses; for a matrix instruction only its first lanes give any. */
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
                               smp_traced *out, smp_error *error) {
    const smp_op op = op_at(in, row->pc, row->what);
    if (op == SMP_OP_COUNT || row->parts != parts_of(row->what))
        return SMP_OK;
    const smp_access access = access_of(in, row, op, words);
    out->rows++;
    return smp_trace_put(in->writer, &access, error);
}

static smp_status take_rows(reading *in, smp_traced *out, smp_error *error) {
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

static smp_status take_file(reading *in, const char *path, smp_traced *out, smp_error *error) {
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

/* What the GPU's own counts say beside what came. */
static void count_missing(const smp_instrument_dump *dump, const smp_op *ops, smp_traced *out) {
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

smp_status smp_profile_trace(const smp_instrument_dump *dump, const smp_op *ops,
                             smp_trace_writer *writer, smp_traced *out, smp_error *error) {
    reading *in = calloc(1, sizeof *in);
    *out = (smp_traced){0};
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
