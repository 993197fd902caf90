/* SPDX-License-Identifier: MIT */
/*
 * Traces: what is written is read; what is damaged or cut is said, row by row, and the rest is
 * there.
 */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_accesses.h"
#include "smp_trace.h"
#include "suite.h"

enum { ROWS = 3 * SMP_TRACE_BLOCK_ROWS + 77 };

static smp_access *accesses;
static char *file;
static size_t file_bytes;

static uint64_t value_of(const smp_access *access, unsigned lane) {
    const smp_space space = smp_ops(NULL)[access->op].space;
    return space == SMP_SPACE_GLOBAL ? access->address_bytes[lane] : access->offset_bytes[lane];
}

static void make_accesses(void) {
    smp_random random = {11};
    size_t count;
    const smp_op_row *ops = smp_ops(&count);
    accesses = calloc(ROWS, sizeof *accesses);
    for (unsigned i = 0; i < ROWS; i++) {
        /* Blocks of their own: loads of strides, anything, copies and global ones, far ones, and
         * some that begin below 4 GiB and end above. */
        const unsigned block = i / SMP_TRACE_BLOCK_ROWS;
        const smp_op op = block == 0   ? SMP_LD_SHARED
                          : block == 3 ? SMP_LD_GLOBAL
                                       : (smp_op)(i % count);
        const unsigned width = ops[op].widths & 4 ? 4 : 1u << __builtin_ctz(ops[op].widths);
        smp_random_access(&random, op, width, 16384, &accesses[i]);
        for (unsigned lane = 0; block == 0 && lane < SMP_LANES; lane++)
            accesses[i].offset_bytes[lane] = lane * (i % 9) * 4;
        for (unsigned lane = 0; block == 2 && lane < SMP_LANES; lane++)
            accesses[i].address_bytes[lane] += (uint64_t)smp_random_below(&random, 1000) << 40;
        accesses[i].active_mask |= block == 3 ? SMP_ALL_LANES : 0;
        for (unsigned lane = 0; block == 3 && lane < SMP_LANES; lane++)
            accesses[i].address_bytes[lane] = UINT64_C(0xfffff000) + lane * 256;
    }
}

static void write_file(void) {
    smp_error error;
    FILE *out = open_memstream(&file, &file_bytes);
    smp_trace_writer *writer = smp_trace_writer_new(out);
    for (unsigned i = 0; i < ROWS; i++)
        if (smp_trace_put(writer, &accesses[i], &error) != SMP_OK)
            exit(EXIT_FAILURE);
    if (smp_trace_finish(writer, &error) != SMP_OK)
        exit(EXIT_FAILURE);
    smp_trace_writer_free(writer);
    fclose(out);
}

/* An assertion that holds costs as much as a row. */
static bool is_same(const smp_access *got, const smp_access *want) {
    const bool is_copy = smp_ops(NULL)[want->op].space == SMP_SPACE_COPY;
    bool same = got->op == want->op && got->width_bytes == want->width_bytes &&
                got->active_mask == want->active_mask;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (!(want->active_mask >> lane & 1))
            continue;
        same &= value_of(got, lane) == value_of(want, lane);
        same &= !is_copy || got->address_bytes[lane] == want->address_bytes[lane];
    }
    return same;
}

typedef struct sums {
    uint64_t read, missing, losses;
    bool is_cut;
} sums;

/* Every row that comes is the one that was written there; those that do not come are said. */
static sums read_bytes(char *bytes, size_t size) {
    sums of = {0};
    smp_trace_reader *reader;
    smp_error error;
    FILE *in = fmemopen(bytes, size, "rb");
    ck_assert_int_eq(smp_trace_open(in, &reader, &error), SMP_OK);
    for (uint64_t next = 0;;) {
        smp_trace_block block;
        smp_trace_loss loss;
        smp_access access;
        ck_assert_int_eq(smp_trace_next(reader, &block, &loss, &error), SMP_OK);
        of.losses += loss.offset != UINT64_MAX;
        of.missing += loss.rows;
        of.is_cut |= loss.is_cut;
        if (loss.rows > 0)
            ck_assert_uint_eq(loss.first_row, next);
        if (block.rows == 0)
            break;
        ck_assert_uint_eq(block.first_row, next + loss.rows);
        for (uint32_t i = 0; i < block.rows; i++) {
            smp_trace_access(&block, i, &access);
            if (!is_same(&access, &accesses[block.first_row + i]))
                ck_abort_msg("row %llu", (unsigned long long)block.first_row + i);
        }
        next = block.first_row + block.rows;
        of.read += block.rows;
    }
    smp_trace_reader_free(reader);
    fclose(in);
    return of;
}

START_TEST(what_is_written_is_read) {
    const sums of = read_bytes(file, file_bytes);
    ck_assert_uint_eq(of.read, ROWS);
    ck_assert_uint_eq(of.missing + of.losses + of.is_cut, 0);
    /* Strides repeat: their block is a hundredth of its rows. */
    ck_assert_uint_lt(file_bytes, ROWS * 150);
}
END_TEST

START_TEST(one_wrong_byte_costs_one_block) {
    char *copy = malloc(file_bytes);
    smp_random random = {5};
    unsigned seen = 0;
    for (unsigned round = 0; round < 60; round++) {
        memcpy(copy, file, file_bytes);
        /* Near the start of the file frames are dense: the first ones fall there. */
        const uint32_t at =
            24 + smp_random_below(&random, round < 20 ? 48 : (uint32_t)file_bytes - 24);
        copy[at] = (char)(copy[at] ^ (1 << smp_random_below(&random, 8)));
        const sums of = read_bytes(copy, file_bytes);
        ck_assert_msg(of.read + of.missing == ROWS || of.is_cut, "byte %u", at);
        ck_assert_msg(of.read + SMP_TRACE_BLOCK_ROWS >= ROWS, "byte %u: %llu rows", at,
                      (unsigned long long)of.read);
        ck_assert_msg(of.read == ROWS || of.losses == 1, "byte %u", at);
        seen += of.losses > 0;
    }
    /* zstd does not look at every bit; what it gives is right all the same. */
    ck_assert_uint_ge(seen, 50);
    free(copy);
}
END_TEST

START_TEST(a_file_that_is_cut_is_read_up_to_there) {
    smp_random random = {6};
    uint64_t last = 0;
    for (unsigned round = 0; round < 40; round++) {
        const size_t size = 24 + (file_bytes - 25) * round / 40 + smp_random_below(&random, 2);
        const sums of = read_bytes(file, size);
        ck_assert_msg(of.is_cut, "%zu bytes", size);
        ck_assert_uint_eq(of.losses, 1);
        ck_assert_uint_ge(of.read, last);
        last = of.read;
    }
    ck_assert_uint_ge(last, 2 * SMP_TRACE_BLOCK_ROWS);
}
END_TEST

START_TEST(a_block_in_the_middle_may_be_missing) {
    char *copy = malloc(file_bytes);
    const char *second = NULL;
    for (const char *at = file + 25; at < file + file_bytes - 8 && !second; at++)
        if (memcmp(at, "smpblock", 8) == 0 && at > file + 60)
            second = at - 8;
    const char *third = second + 1;
    while (memcmp(third + 8, "smpblock", 8) != 0)
        third++;
    const size_t front = (size_t)(second - file), rest = file_bytes - (size_t)(third - file);
    memcpy(copy, file, front);
    memcpy(copy + front, third, rest);
    const sums of = read_bytes(copy, front + rest);
    ck_assert_uint_eq(of.missing, SMP_TRACE_BLOCK_ROWS);
    ck_assert_uint_eq(of.read, ROWS - SMP_TRACE_BLOCK_ROWS);
    ck_assert(!of.is_cut);
    free(copy);
}
END_TEST

START_TEST(other_files_are_refused) {
    smp_trace_reader *reader;
    smp_error error;
    char head[24];
    for (unsigned i = 0; i < 3; i++) {
        memcpy(head, file, sizeof head);
        if (i == 0)
            head[16] = SMP_TRACE_VERSION + 1;
        if (i == 1)
            head[9] = 'x';
        FILE *in = fmemopen(head, i == 2 ? 10 : sizeof head, "rb");
        ck_assert_int_eq(smp_trace_open(in, &reader, &error), SMP_E_SYNTAX);
        ck_assert_str_eq(error.message,
                         i == 0 ? "the trace has version 2, this program reads 1: a newer "
                                  "smemprobe reads it"
                                : "this is not a trace");
        fclose(in);
    }
}
END_TEST

START_TEST(a_full_disk_is_said) {
    FILE *full = fopen("/dev/full", "wb");
    smp_error error = {0};
    if (!full)
        return;
    setvbuf(full, NULL, _IONBF, 0);
    ck_assert_ptr_null(smp_trace_writer_new(full));
    fclose(full);
    full = fopen("/dev/full", "wb");
    smp_trace_writer *writer = smp_trace_writer_new(full);
    smp_status status = SMP_OK;
    for (unsigned i = 0; i < ROWS && status == SMP_OK; i++)
        status = smp_trace_put(writer, &accesses[i], &error);
    ck_assert_int_eq(status, SMP_E_WRITE);
    smp_trace_writer_free(writer);
    fclose(full);
}
END_TEST

int main(void) {
    make_accesses();
    write_file();
    const int status = SUITE_FOR(
        0, "trace", TEST(what_is_written_is_read), TEST(one_wrong_byte_costs_one_block),
        TEST(a_file_that_is_cut_is_read_up_to_there), TEST(a_block_in_the_middle_may_be_missing),
        TEST(other_files_are_refused), TEST(a_full_disk_is_said));
    free(accesses);
    free(file);
    return status;
}
