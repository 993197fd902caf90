/* SPDX-License-Identifier: MIT */
/*
 * A program that ran kernels on a GPU, as the library inside it would have left
 * it, for tests of the command without a GPU: instrument_app [WORD...]
 *
 *   children=N   N processes more, each with a file of its own
 *   launches=N   of the kernel, with 4 requests of its load each (default 1)
 *   skipped=N    more launches of 8 blocks that ran without patches, where SMP_INSTRUMENT_OVERHEAD
 *                is set; each took 5 us;  untimed: they end too late for that to be known
 *   kinds=A,B    blocks of its launches of two kinds, none of which was observed
 *   spent=N      milliseconds of its time that were spent on being looked at
 *   kept=FOLDER  which is what SMP_INSTRUMENT_SAMPLE gets
 *   ns=N         how long each launch takes where times are asked for (SMP_INSTRUMENT_TIME)
 *   script=FILE  whose line 2 launched the kernel
 *   note=TEXT    something that the library says
 *   cubin=FILE   the module's machine code;  at=N: where in it the load is
 *   cc=N         the GPU's compute capability, 10 x major + minor (default 90)
 *   global       the load is one of global memory, and lane i reads 128 * i bytes before lane 0
 *   lose=N       of the requests, where all are asked for (SMP_INSTRUMENT_TRACE), that are not kept
 *   cut          the file of these ends before its end
 *   bare         no kernel;  none: no driver either;  abrupt: one that was not counted
 *   again        becomes another program that does the same
 *   exit=N       kill=N: how it ends, after its file
 *
 * It prints its words, and copies its input to its output.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrument_record.h"
#include "instrument_table.h"
#include "instrument_trace.h"

#define KERNEL "_Z9transposePfPKfii"

enum { LOAD_AT = 0x200, PATH_BYTES = 4096, CUBIN_MAX = 1 << 20 };

static const char *word_of(int argc, char **argv, const char *name) {
    const size_t length = strlen(name);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], name, length) == 0)
            return argv[i] + length;
    }
    return NULL;
}

static unsigned number_of(int argc, char **argv, const char *name, unsigned otherwise) {
    const char *text = word_of(argc, argv, name);
    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static void make_global(smp_instrument_site *site, smp_instrument_request *request) {
    *request = (smp_instrument_request){.count = request->count, .mask = request->mask};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        request->offset_bytes[lane] = 0 - UINT64_C(128) * lane;
    request->sectors = 32;
    request->ideal_sectors = 4;
    site->kind = SMP_INSTRUMENT_GLOBAL;
    site->wavefronts = site->ideal = site->ways = 0;
    site->sectors = 32 * site->requests;
    site->ideal_sectors = 4 * site->requests;
    site->worst = *request;
}

static void write_kernel(instrument_writer *writer, unsigned launches, unsigned skipped,
                         bool is_timed, unsigned at, bool is_global, const char *kinds) {
    instrument_function_record function = {.is_kernel = 1, .pc = 0x7000, .code_bytes = 0x400};
    smp_instrument_request request = {.count = 4 * launches,
                                      .mask = 0xffffffff,
                                      .wavefronts = 32,
                                      .ideal = 1,
                                      .ways = 32,
                                      .wavefronts_lanes = 32,
                                      .ideal_lanes = 1,
                                      .ways_lanes = 32};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        request.offset_bytes[lane] = 128 * lane;
    smp_instrument_site site = {.pc = 0x7000 + at,
                                .offset_bytes = at,
                                .kind = SMP_INSTRUMENT_SHARED,
                                .flags = SMP_INSTRUMENT_READ,
                                .width_bytes = 4,
                                .requests = 4 * launches,
                                .lanes = 128 * launches,
                                .wavefronts = 128 * launches,
                                .ideal = 4 * launches,
                                .ways = 32,
                                .worst = request,
                                .request_count = 1};
    if (is_global)
        make_global(&site, &request);
    smp_instrument_state state = {
        .launches = launches, .grid = {1, 1, 1}, .block = {32, 8, 1}, .shared_bytes = 4096};
    if (skipped > 0 && (getenv("SMP_INSTRUMENT_OVERHEAD") || getenv("SMP_INSTRUMENT_LAUNCHES"))) {
        state.launches_skipped = skipped;
        state.blocks = 8 * (uint64_t)launches;
        state.blocks_skipped = 8 * (uint64_t)skipped;
    }
    if (state.launches_skipped > 0 && getenv("SMP_APP_KINDS")) { /* half of all make no request */
        const uint64_t half = (state.blocks + state.blocks_skipped) / 2;
        state.kind_blocks[0] = state.kind_seen[0] = state.kind_blocks[2] = half;
        state.kind_seen[2] = state.blocks;
        site.launch_kind = 2;
    }
    if (kinds &&
        sscanf(kinds, "%" SCNu64 ",%" SCNu64, &state.kind_blocks[1], &state.kind_blocks[2]) == 2)
        state.blocks_skipped = state.kind_blocks[1] + state.kind_blocks[2];
    if (state.launches_skipped > 0 && is_timed) {
        state.timed = skipped;
        state.timed_blocks = state.blocks + state.blocks_skipped;
        state.nanoseconds = 5000 * (uint64_t)(launches + skipped);
    }
    instrument_snapshot head = {.epoch = 1,
                                .launches = launches,
                                .site_count = launches > 0,
                                .request_count = launches > 0,
                                .state_count = 1};
    (void)instrument_write(
        writer, INSTRUMENT_FUNCTION,
        (instrument_piece[]){{&function, sizeof function}, {KERNEL, strlen(KERNEL)}}, 2);
    writer->head->launches = launches;
    (void)strcpy(writer->head->last_kernel, KERNEL);
    (void)instrument_write_snapshot(writer, &head, &site, &request, &state);
}

/* What was loaded later to where the kernel was. */
static void write_late(instrument_writer *writer) {
    const instrument_function_record late = {
        .is_kernel = 1, .pc = 0x7000, .code_bytes = 0x400, .epoch = 2};
    (void)instrument_write(writer, INSTRUMENT_FUNCTION,
                           (instrument_piece[]){{&late, sizeof late}, {"late", 4}}, 2);
}

/* As the library does of a GPU with its own 1,024 bytes of shared memory. */
static void write_trace(instrument_writer *writer, unsigned rows, unsigned at, bool is_cut) {
    char name[PATH_BYTES];
    const trace_file_head head = {.magic = TRACE_FILE_MAGIC, .version = TRACE_FILE_VERSION};
    const trace_row row = {.pc = 0x7000 + at,
                           .what = TABLE_WHAT(SMP_INSTRUMENT_SHARED, SMP_INSTRUMENT_READ, 2, 0, 0),
                           .lanes = 0xffffffff,
                           .parts = 1};
    const trace_row mark = {.pc = 1, .parts = TRACE_MARK}, end = {.parts = TRACE_END};
    uint32_t words[TRACE_LANES];
    for (unsigned lane = 0; lane < TRACE_LANES; lane++)
        words[lane] = 1024 + 128 * lane;
    write_late(writer);
    FILE *file =
        fdopen(instrument_create_new(getenv("SMP_INSTRUMENT_TRACE"), name, sizeof name), "wb");
    if (!file)
        exit(99);
    (void)fwrite(&head, sizeof head, 1, file);
    (void)fwrite(&mark, sizeof mark, 1, file);
    for (unsigned i = 0; i < rows; i++) {
        (void)fwrite(&row, sizeof row, 1, file);
        (void)fwrite(words, sizeof words, 1, file);
    }
    (void)fwrite(is_cut ? &row : &end, sizeof row, 1, file);
    (void)fclose(file);
    (void)instrument_write_text(writer, INSTRUMENT_TRACE, name);
}

static void write_caller(instrument_writer *writer, const char *script) {
    const instrument_caller caller = {.function = 0, .line = 2};
    (void)instrument_write(writer, INSTRUMENT_CALLER,
                           (instrument_piece[]){{&caller, sizeof caller}, {script, strlen(script)}},
                           2);
}

static void write_time(instrument_writer *writer, unsigned launches, unsigned nanoseconds) {
    instrument_time time = {.launches = launches, .nanoseconds = (uint64_t)launches * nanoseconds};
    (void)instrument_write(writer, INSTRUMENT_TIME,
                           (instrument_piece[]){{&time, sizeof time}, {KERNEL, strlen(KERNEL)}}, 2);
}

static void copy_kept(const char *from) {
    char command[2 * PATH_BYTES];
    const char *to = getenv("SMP_INSTRUMENT_SAMPLE");
    (void)snprintf(command, sizeof command, "cp -r '%s/.' '%s'", from ? from : "", to ? to : "");
    if (from && to && system(command) != 0)
        exit(99);
}

static size_t read_cubin(const char *name, char *bytes) {
    FILE *file = name ? fopen(name, "rb") : NULL;
    const size_t size = file ? fread(bytes, 1, CUBIN_MAX, file) : 0;
    if (file)
        (void)fclose(file);
    return size;
}

static bool leave_dump(int argc, char **argv) {
    static char cubin[CUBIN_MAX];
    const char *path = getenv("SMP_INSTRUMENT_DUMP");
    instrument_writer writer;
    const unsigned cc = number_of(argc, argv, "cc=", 90);
    instrument_context_record context = {cc / 10, cc % 10, 132, 1024, 1980000, 0};
    instrument_module_record module = {0};
    const char *note = word_of(argc, argv, "note=");
    const size_t size = read_cubin(word_of(argc, argv, "cubin="), cubin);
    if (!path || !instrument_writer_open(&writer, path))
        return false;
    (void)instrument_write_text(&writer, INSTRUMENT_COMMAND, "instrument_app");
    (void)instrument_write_text(&writer, INSTRUMENT_HOST, "host");
    (void)instrument_write_text(&writer, INSTRUMENT_DATE, "2026-11-22T03:00:00Z");
    if (note)
        (void)instrument_write_text(&writer, INSTRUMENT_NOTE, note);
    const unsigned launches = number_of(argc, argv, "launches=", 1);
    if (getenv("SMP_INSTRUMENT_TIME")) {
        if (word_of(argc, argv, "ns="))
            write_time(&writer, launches, number_of(argc, argv, "ns=", 0));
        writer.head->ended = 1;
        instrument_writer_close(&writer);
        return true;
    }
    (void)instrument_write(&writer, INSTRUMENT_CONTEXT,
                           (instrument_piece[]){{&context, sizeof context}, {"stand-in GPU", 12}},
                           2);
    (void)instrument_write(&writer, INSTRUMENT_MODULE,
                           (instrument_piece[]){{&module, sizeof module}, {cubin, size}}, 2);
    if (word_of(argc, argv, "abrupt")) { /* no count was written of its last kernel */
        const instrument_function_record last = {.is_kernel = 1, .pc = 0x9000, .code_bytes = 0x400};
        (void)instrument_write(&writer, INSTRUMENT_FUNCTION,
                               (instrument_piece[]){{&last, sizeof last}, {"last", 4}}, 2);
        instrument_writer_close(&writer);
        return true;
    }
    if (!word_of(argc, argv, "bare"))
        write_kernel(&writer, launches, number_of(argc, argv, "skipped=", 0),
                     !word_of(argc, argv, "untimed"), number_of(argc, argv, "at=", LOAD_AT),
                     word_of(argc, argv, "global"), word_of(argc, argv, "kinds="));
    if (getenv("SMP_INSTRUMENT_TRACE"))
        write_trace(&writer, 4 * launches - number_of(argc, argv, "lose=", 0),
                    number_of(argc, argv, "at=", LOAD_AT), word_of(argc, argv, "cut"));
    copy_kept(word_of(argc, argv, "kept="));
    if (!word_of(argc, argv, "bare") && word_of(argc, argv, "script="))
        write_caller(&writer, word_of(argc, argv, "script="));
    writer.head->spent_ms = number_of(argc, argv, "spent=", 0);
    writer.head->ended = 1;
    instrument_writer_close(&writer);
    return true;
}

int main(int argc, char **argv) {
    const unsigned children = number_of(argc, argv, "children=", 0);
    const unsigned signal_number = number_of(argc, argv, "kill=", 0);
    for (int i = 1; i < argc; i++)
        printf("%s\n", argv[i]);
    for (int c; (c = getchar()) != EOF;)
        putchar(c);
    (void)fflush(stdout);
    if (!word_of(argc, argv, "none") && !leave_dump(argc, argv))
        return 99;
    for (unsigned i = 0; i < children; i++) {
        if (fork() == 0)
            _exit(leave_dump(argc, argv) ? 0 : 99);
    }
    while (wait(NULL) > 0)
        continue;
    if (word_of(argc, argv, "again"))
        return execv(argv[0], (char *[]){argv[0], NULL});
    if (signal_number > 0)
        (void)raise((int)signal_number);
    return (int)number_of(argc, argv, "exit=", 0);
}
