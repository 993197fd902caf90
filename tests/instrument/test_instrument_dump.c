/* SPDX-License-Identifier: MIT */
/*
 * What is written into a file of instrument_dump.h is read back; of a file that ends anywhere what
 * stands before is; and any other file is refused or read without harm.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrument_record.h"
#include "suite.h"

enum { FLIPS = 1000 };

static char folder[] = "/tmp/smp-attach-XXXXXX";
static char path[64];

static void make_folder(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/dump", folder);
}

static void remove_folder(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
}

static void write_head(instrument_writer *writer) {
    instrument_context_record context = {9, 0, 132, 1024, 1980000, 0};
    instrument_module_record module = {0};
    instrument_function_record function = {.is_kernel = 1, .pc = 0x7000, .code_bytes = 0x200};
    ck_assert(instrument_writer_open(writer, path));
    ck_assert(instrument_write_text(writer, INSTRUMENT_COMMAND, "./app 1"));
    ck_assert(instrument_write_text(writer, INSTRUMENT_NOTE, "first"));
    ck_assert(instrument_write_text(writer, INSTRUMENT_NOTE, "second"));
    ck_assert(
        instrument_write(writer, INSTRUMENT_CONTEXT,
                         (instrument_piece[]){{&context, sizeof context}, {"NVIDIA H200", 11}}, 2));
    ck_assert(instrument_write(writer, INSTRUMENT_MODULE,
                               (instrument_piece[]){{&module, sizeof module}, {"\177ELF!", 5}}, 2));
    ck_assert(instrument_write(writer, INSTRUMENT_FUNCTION,
                               (instrument_piece[]){{&function, sizeof function}, {"_Z1kPf", 6}},
                               2));
}

/* Two sites with so many requests, and one launch more than `before`. */
static void write_snapshot(instrument_writer *writer, uint32_t epoch, uint64_t requests,
                           uint64_t launches) {
    smp_instrument_site sites[2] = {
        {.pc = 0x7040, .offset_bytes = 0x40, .requests = requests, .width_bytes = 4},
        {.pc = 0x7010,
         .offset_bytes = 0x10,
         .requests = 2 * requests,
         .first_request = 1,
         .request_count = 1}};
    smp_instrument_request kept[2] = {{.count = 7}, {.count = requests, .mask = 3}};
    smp_instrument_state state = {
        .launches = launches, .grid = {2, 3, 4}, .shared_bytes = 4096, .blocks = 31, .rounds = 5};
    instrument_snapshot head = {.epoch = epoch,
                                .launches = launches,
                                .site_count = 2,
                                .request_count = 2,
                                .state_count = 1};
    kept[1].offset_bytes[31] = 124;
    ck_assert(instrument_write_snapshot(writer, &head, sites, kept, &state));
}

static smp_instrument_dump read_back(void) {
    smp_instrument_dump dump;
    smp_error error;
    smp_status status = smp_instrument_read(path, &dump, &error);
    ck_assert_msg(status == SMP_OK, "%s", error.message);
    return dump;
}

START_TEST(what_is_written_is_read) {
    instrument_writer writer;
    write_head(&writer);
    write_snapshot(&writer, 0, 10, 1);
    write_snapshot(&writer, 0, 100, 2);
    writer.head->launches = 3;
    strcpy(writer.head->last_kernel, "_Z1kPf");
    instrument_writer_close(&writer);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.process, (uint64_t)getpid());
    ck_assert_str_eq(dump.command, "./app 1");
    ck_assert_ptr_null(dump.host);
    ck_assert_uint_eq(dump.note_count, 2);
    ck_assert_str_eq(dump.notes[1], "second");
    ck_assert_str_eq(dump.contexts[0].device, "NVIDIA H200");
    ck_assert_uint_eq(dump.contexts[0].reserved_bytes, 1024);
    ck_assert_uint_eq(dump.modules[0].cubin_bytes, 5);
    ck_assert_mem_eq(dump.modules[0].cubin, "\177ELF!", 5);
    ck_assert_str_eq(dump.functions[0].name, "_Z1kPf");
    ck_assert(dump.functions[0].is_kernel);
    ck_assert_uint_eq(dump.functions[0].state.launches, 2);
    ck_assert_uint_eq(dump.functions[0].state.grid[2], 4);
    ck_assert_uint_eq(dump.functions[0].state.blocks, 31);
    ck_assert_uint_eq(dump.functions[0].state.rounds, 5);
    ck_assert_uint_eq(dump.functions[0].state.shared_bytes, 4096);
    ck_assert_uint_eq(dump.site_count, 2);
    ck_assert_uint_eq(dump.sites[0].offset_bytes, 0x10);
    ck_assert_uint_eq(dump.sites[0].requests, 200);
    ck_assert_uint_eq(dump.requests[dump.sites[0].first_request].offset_bytes[31], 124);
    ck_assert_uint_eq(dump.launches, 3);
    ck_assert_uint_eq(dump.launches_covered, 2);
    ck_assert_str_eq(dump.last_kernel, "_Z1kPf");
    ck_assert(!dump.ended && !dump.truncated);
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(epochs_add_up) {
    instrument_writer writer;
    write_head(&writer);
    write_snapshot(&writer, 0, 10, 1);
    write_snapshot(&writer, 1, 20, 2);
    write_snapshot(&writer, 1, 30, 3);
    instrument_writer_close(&writer);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.site_count, 4);
    ck_assert_uint_eq(dump.sites[0].requests + dump.sites[1].requests, 2 * 10 + 2 * 30);
    ck_assert_uint_eq(dump.requests[dump.sites[1].first_request].count +
                          dump.requests[dump.sites[0].first_request].count,
                      10 + 30);
    ck_assert_uint_eq(dump.launches_covered, 3);
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(what_a_killed_process_wrote_is_there) {
    pid_t child = fork();
    if (child == 0) {
        instrument_writer writer;
        write_head(&writer);
        write_snapshot(&writer, 0, 10, 1);
        writer.head->launches = 5;
        kill(getpid(), 9);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.launches, 5);
    ck_assert_uint_eq(dump.launches_covered, 1);
    ck_assert_uint_eq(dump.site_count, 2);
    smp_instrument_clear(&dump);
}
END_TEST

/* The bytes of a whole file. */
static uint8_t *load(size_t *bytes) {
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    uint8_t *content = malloc(*bytes);
    ck_assert_uint_eq(fread(content, 1, *bytes, file), *bytes);
    fclose(file);
    return content;
}

static void store(const uint8_t *content, size_t bytes) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(content, 1, bytes, file), bytes);
    fclose(file);
}

START_TEST(a_file_that_ends_anywhere_keeps_its_beginning) {
    instrument_writer writer;
    write_head(&writer);
    uint64_t before = writer.end;
    write_snapshot(&writer, 0, 10, 1);
    uint64_t after = writer.end;
    write_snapshot(&writer, 0, 100, 2);
    instrument_writer_close(&writer);
    size_t bytes;
    uint8_t *content = load(&bytes);
    for (size_t end = 0; end <= bytes; end += end < INSTRUMENT_HEAD_BYTES ? 512 : 8) {
        smp_instrument_dump dump;
        store(content, end);
        smp_status status = smp_instrument_read(path, &dump, NULL);
        ck_assert_int_eq(status, end < INSTRUMENT_HEAD_BYTES ? SMP_E_READ : SMP_OK);
        if (status != SMP_OK)
            continue;
        uint64_t expected = end < after ? 0 : end < bytes ? 20 : 200;
        ck_assert_uint_eq(dump.site_count > 0 ? dump.sites[0].requests : 0, expected);
        if (end > before)
            ck_assert(dump.truncated == (end != after && end != bytes));
        smp_instrument_clear(&dump);
    }
    free(content);
}
END_TEST

START_TEST(any_other_content_does_no_harm) {
    instrument_writer writer;
    write_head(&writer);
    write_snapshot(&writer, 0, 10, 1);
    instrument_writer_close(&writer);
    size_t bytes;
    uint8_t *content = load(&bytes);
    srand(1);
    for (unsigned i = 0; i < FLIPS; i++) {
        smp_instrument_dump dump;
        size_t tail = bytes - INSTRUMENT_HEAD_BYTES + 64;
        size_t at = (size_t)rand() % tail;
        at = at < 64 ? at : at - 64 + INSTRUMENT_HEAD_BYTES;
        uint8_t kept = content[at];
        content[at] = (uint8_t)rand();
        store(content, bytes);
        if (smp_instrument_read(path, &dump, NULL) == SMP_OK) {
            for (size_t s = 0; s < dump.site_count; s++) {
                const smp_instrument_site *site = &dump.sites[s];
                ck_assert_uint_le((size_t)site->first_request + site->request_count,
                                  dump.request_count);
                ck_assert_int_lt(site->function, (int32_t)dump.function_count);
            }
            smp_instrument_clear(&dump);
        }
        content[at] = kept;
    }
    free(content);
}
END_TEST

START_TEST(a_file_that_is_there_stays) {
    instrument_writer first, second;
    char other[80];
    write_head(&first);
    write_head(&second);
    instrument_writer_close(&first);
    instrument_writer_close(&second);
    snprintf(other, sizeof other, "%s.1", path);
    ck_assert_int_eq(access(other, R_OK), 0);
    smp_instrument_dump dump;
    smp_error error;
    ck_assert_int_eq(smp_instrument_read("/dev/null", &dump, &error), SMP_E_READ);
    ck_assert_ptr_nonnull(strstr(error.message, "libsmemprobe_instrument.so"));
    ck_assert_int_eq(smp_instrument_read("/does/not/exist", &dump, &error), SMP_E_READ);
}
END_TEST

int main(void) {
    return SUITE_IN(make_folder, remove_folder, "instrument_dump", TEST(what_is_written_is_read),
                    TEST(epochs_add_up), TEST(what_a_killed_process_wrote_is_there),
                    TEST(a_file_that_ends_anywhere_keeps_its_beginning),
                    TEST(any_other_content_does_no_harm), TEST(a_file_that_is_there_stays));
}
