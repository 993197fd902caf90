/* SPDX-License-Identifier: MIT */
/*
 * Requests that the test puts into the ring as the patch would come out of the library's file, all
 * of them, in order. One process a case: the library lives as long as that.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_case.h"
#include "suite.h"

static trace_control *control;
static uint32_t waits; /* for room */
/* The first request is written last of a full ring: so there is no room however fast the reader is.
 */
static trace_slot *held;

static void publish(trace_slot *slot, uint64_t at) {
    __atomic_store_n(&slot->turn, (uint32_t)(at / TRACE_SLOTS) + 1, __ATOMIC_RELEASE);
}

/* As the patch does: `parts` slots, the words of the first two lanes. */
static void make_request(uint64_t pc, uint32_t parts, uint32_t word) {
    trace_ring *ring = (trace_ring *)(uintptr_t)control->ring;
    const uint64_t at = control->claimed;
    control->claimed += parts;
    while (at + parts - __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE) > TRACE_SLOTS) {
        if (waits++ == 0)
            publish(held, 0);
        usleep(10);
    }
    trace_slot *slot = &ring->slots[at % TRACE_SLOTS];
    for (uint32_t i = 0; i < parts; i++) {
        ring->slots[(at + i) % TRACE_SLOTS].word[0] = word + i;
        ring->slots[(at + i) % TRACE_SLOTS].word[1] = word + i + 100;
    }
    slot->pc = pc;
    slot->parts = parts;
    slot->what = TABLE_WHAT(SMP_INSTRUMENT_SHARED, SMP_INSTRUMENT_READ, 2, 0, 0);
    slot->lanes = 3;
    if (at == 0)
        held = slot;
    else
        publish(slot, at);
}

enum { MANY = TRACE_SLOTS + 1000, SOME = 5 }; /* the ring is used up more than twice */

/* Ends with its last request unwritten, or with all written. */
static void run_traced(uint32_t lost) {
    snprintf(path + strlen(path), 8, ".reqs");
    setenv("SMP_INSTRUMENT_TRACE", path, 1);
    path[strlen(path) - 5] = '\0';
    start();
    make_context();
    launch("kernel");
    control = (trace_control *)(uintptr_t)standin->table->head.trace;
    ck_assert_ptr_nonnull(control);
    ck_assert_uint_eq(control->ring, (uintptr_t)standin->ring);
    ck_assert(!standin->ring->is_closed);
    for (uint32_t i = 0; i < MANY; i++)
        make_request(STANDIN_PC + 0x40, 1 + i % 3, i);
    run_kernel();
    unload_module();
    load_module();
    /* The table is empty again, and knows its ring. */
    ck_assert_uint_eq(standin->table->head.site_count, 0);
    ck_assert_uint_eq(standin->table->head.trace, (uintptr_t)control);
    launch("other");
    for (uint32_t i = 0; i < SOME; i++)
        make_request(STANDIN_PC, 1, i);
    control->claimed += lost;
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    ck_assert(standin->ring->is_closed);
}

static void expect_row(FILE *file, uint64_t pc, uint32_t parts, uint32_t word) {
    trace_row row;
    uint32_t words[2];
    bool is_right = fread(&row, sizeof row, 1, file) == 1 && row.pc == pc && row.parts == parts;
    for (uint32_t i = 0; is_right && parts < TRACE_MARK && i < parts; i++)
        is_right = fread(words, sizeof words, 1, file) == 1 && words[0] == word + i &&
                   words[1] == word + i + 100;
    if (!is_right) /* an assertion that holds costs as much as a row */
        ck_abort_msg("row of word %u: pc %llx, parts %u", word, (unsigned long long)row.pc,
                     row.parts);
}

static void expect_trace(uint64_t lost) {
    trace_file_head head;
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.trace_count, 1);
    FILE *file = fopen(dump.traces[0], "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(&head, sizeof head, 1, file), 1);
    ck_assert_int_eq(memcmp(head.magic, TRACE_FILE_MAGIC, sizeof head.magic), 0);
    ck_assert_int_eq(head.context, 0);
    for (uint32_t i = 0; i < MANY; i++)
        expect_row(file, STANDIN_PC + 0x40, 1 + i % 3, i);
    expect_row(file, 1, TRACE_MARK, 0);
    for (uint32_t i = 0; i < SOME; i++)
        expect_row(file, STANDIN_PC, 1, i);
    expect_row(file, lost, TRACE_END, 0);
    ck_assert_int_eq(fgetc(file), EOF);
    fclose(file);
    ck_assert_uint_eq(dump.functions[0].epoch, 0);
    ck_assert_uint_eq(dump.functions[1].epoch, 1);
    smp_instrument_clear(&dump);
}

START_TEST(every_request_comes_once_and_in_order) {
    run_traced(0);
    ck_assert_uint_gt(waits, 0);
    expect_trace(0);
}
END_TEST

START_TEST(requests_that_do_not_come_are_counted) {
    run_traced(2);
    expect_trace(2);
}
END_TEST

START_TEST(a_ring_that_is_not_ready_is_tried_again) {
    setenv("SMP_INSTRUMENT_TRACE", "/tmp/smp-inject.reqs", 1);
    start();
    standin->not_ready = 2;
    make_context();
    launch("kernel");
    ck_assert_ptr_eq(standin->launch_data, (char *)standin->table + TABLE_TAG);
    control = (trace_control *)(uintptr_t)standin->table->head.trace;
    ck_assert_ptr_nonnull(control);
    make_request(STANDIN_PC, 1, 0);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.note_count, 0);
    ck_assert_uint_eq(dump.trace_count, 1);
    ck_assert_int_eq(unlink(dump.traces[0]), 0);
    smp_instrument_clear(&dump);
}
END_TEST

/* The program goes on, and is counted. */
START_TEST(a_trace_that_cannot_be_written_is_told) {
    setenv("SMP_INSTRUMENT_TRACE", "/does/not/exist", 1);
    start();
    make_context();
    launch("kernel");
    ck_assert_ptr_eq(standin->launch_data, (char *)standin->table + TABLE_TAG);
    ck_assert_uint_eq(standin->table->head.trace, 0);
    smp_instrument_dump dump = read_back();
    ck_assert_str_eq(dump.notes[0], "there is no trace: No such file or directory");
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(without_a_trace_the_table_has_no_ring) {
    start();
    make_context();
    launch("kernel");
    ck_assert_uint_eq(standin->table->head.trace, 0);
    ck_assert_ptr_null(standin->ring);
}
END_TEST

int main(void) {
    return SUITE_IN(
        make_folder, remove_folder, "instrument_trace", TEST(every_request_comes_once_and_in_order),
        TEST(requests_that_do_not_come_are_counted), TEST(a_ring_that_is_not_ready_is_tried_again),
        TEST(a_trace_that_cannot_be_written_is_told), TEST(without_a_trace_the_table_has_no_ring));
}
