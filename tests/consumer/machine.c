/* SPDX-License-Identifier: MIT */
/*
 * What embedders meet: limits, a caller that wants no more, launches that do not fit, bytes that
 * are no code, files that are damaged. machine CUBIN of tests/data/programs/transpose.cu and a
 * FILE.smprof.
 */
#define _GNU_SOURCE /* fmemopen, setenv */
#include <smp_machine.h>
#include <smp_trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failed;

static void expect(bool holds, const char *what, const smp_error *error) {
    if (holds)
        return;
    failed++;
    printf("not so: %s (%s)\n", what, error ? error->message : "");
}

static char bytes[1 << 20];

static size_t read_whole(const char *path) {
    FILE *in = fopen(path, "rb");
    const size_t size = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    if (in)
        fclose(in);
    return size;
}

static const char text[] = "transpose<<<dim3(4,4), dim3(32,8)>>>(float[16384], "
                           "float[16384] = iota, 128, 128)";

static bool stops(void *user, size_t done, size_t total) {
    unsigned *asked = user;
    (void)done;
    (void)total;
    return ++*asked < 2;
}

static smp_status run(smp_code *code, const char *launch, const smp_machine_options *options,
                      smp_profile *profile, smp_machine_end *end, smp_error *error) {
    const smp_machine_launch asked = {.text = launch};
    return smp_machine_run(code, &asked, options, profile, end, error);
}

/* ---- Ends of a launch ---- */

static void try_limits(smp_code *code) {
    static const char large[] = "transpose<<<dim3(512,512), dim3(32,8)>>>(float[268435456], "
                                "float[268435456], 16384, 16384)";
    smp_machine_end end;
    smp_error error;
    unsigned asked = 0;
    const smp_machine_options instructions = {.instructions = 1000},
                              cancelled = {.progress = stops, .user = &asked},
                              time = {.seconds = 0.05}, none = {.memory_bytes = 1 << 16},
                              arrays = {.memory_bytes = 1 << 17};
    smp_profile *profile = smp_profile_new();
    smp_fault fault;
    expect(run(code, text, &instructions, profile, &end, &error) == SMP_OK &&
               end.by == SMP_MACHINE_INSTRUCTIONS && smp_profile_fault_at(profile, 0, &fault) &&
               strcmp(fault.kind, "endless loop") == 0,
           "a limit of instructions ends the launch with a finding", &error);
    expect(run(code, large, &cancelled, NULL, &end, &error) == SMP_OK &&
               end.by == SMP_MACHINE_CANCELLED && end.blocks_begun < end.blocks,
           "a caller ends the launch", &error);
    expect(run(code, large, &time, NULL, &end, &error) == SMP_OK && end.by == SMP_MACHINE_TIME &&
               end.seconds < 5,
           "a limit of time ends the launch", &error);
    expect(run(code, text, &none, NULL, &end, &error) == SMP_E_MEMORY &&
               strstr(error.message, "argument 2"),
           "a limit of memory is met before an array is filled", &error);
    expect(run(code, text, &arrays, NULL, &end, &error) == SMP_E_MEMORY &&
               strstr(error.message, "131072"),
           "a limit of memory counts the blocks", &error);
    smp_profile_free(profile);
}

/* The upper half of an array is turned into the lower one; a sector of 32 bytes has 8 floats. */
static void try_overlaps(smp_code *code) {
    static float both[2 * 16384 + 1];
    int side = 128;
    smp_machine_value values[] = {{.array = both, .array_bytes = 16385 * sizeof *both},
                                  {.array = both + 16384, .array_bytes = 16384 * sizeof *both},
                                  {.bytes = &side, .size = sizeof side},
                                  {.bytes = &side, .size = sizeof side}};
    const smp_machine_launch launch = {.kernel = "transpose",
                                       .grid = {4, 4, 1},
                                       .block = {32, 8, 1},
                                       .values = values,
                                       .value_count = 4};
    smp_error error;
    for (unsigned order = 0; order < 2; order++) {
        for (unsigned i = 0; i < 32768; i++)
            both[i] = (float)i;
        values[0].array = order ? both : both + 16384;
        values[1].array = order ? both + 16384 : both;
        values[0].array_bytes = (order ? 16385 : 16384) * sizeof *both;
        values[1].array_bytes = (order ? 16384 : 16385) * sizeof *both;
        const float *out = values[0].array, *in = values[1].array;
        const float first = in[128];
        expect(smp_machine_run(code, &launch, NULL, NULL, NULL, &error) == SMP_OK &&
                   out[1] == first && in[128] == first && both[32768] == 0,
               "arrays that overlap are one", &error);
    }
}

static void try_faults(smp_code *code) {
    float out[16] = {0}, in[16] = {0};
    int side = 128;
    const smp_machine_value values[] = {{.array = out, .array_bytes = sizeof out},
                                        {.array = in, .array_bytes = sizeof in},
                                        {.bytes = &side, .size = sizeof side},
                                        {.bytes = &side, .size = sizeof side}};
    smp_machine_launch launch = {.kernel = "transpose",
                                 .grid = {4, 4, 1},
                                 .block = {32, 8, 1},
                                 .values = values,
                                 .value_count = 4};
    smp_profile *profile = smp_profile_new();
    smp_machine_end end;
    smp_fault fault;
    smp_error error;
    expect(smp_machine_run(code, &launch, NULL, profile, &end, &error) == SMP_OK &&
               end.by == SMP_MACHINE_FAULT && smp_profile_fault_at(profile, 0, &fault) &&
               strcmp(fault.kind, "out of bounds") == 0 && fault.line > 0,
           "what leaves an array is a finding", &error);
    launch.value_count = 3;
    expect(smp_machine_run(code, &launch, NULL, profile, NULL, &error) == SMP_E_SYNTAX,
           "an argument is missing", &error);
    launch.value_count = 4;
    launch.block[0] = 2048;
    expect(smp_machine_run(code, &launch, NULL, profile, NULL, NULL) == SMP_E_RANGE,
           "no chip takes such a block, and nobody needs the message", NULL);
    launch.kernel = "nothing";
    expect(smp_machine_run(code, &launch, NULL, profile, NULL, &error) == SMP_E_SYNTAX,
           "there is no such kernel", &error);
    smp_profile_free(profile);
}

/* ---- Traces and profiles ---- */

static void try_trace(smp_code *code) {
    FILE *file = tmpfile();
    smp_trace_writer *writer = smp_trace_writer_new(file);
    const smp_machine_options options = {.trace = writer};
    smp_trace_reader *reader = NULL;
    smp_trace_block block = {.rows = 1};
    smp_trace_loss loss;
    smp_machine_end end = {.trace_rows = 0};
    smp_error error;
    uint64_t rows = 0;
    const bool is_written = run(code, text, &options, NULL, &end, &error) == SMP_OK &&
                            smp_trace_finish(writer, &error) == SMP_OK && fflush(file) == 0;
    rewind(file);
    if (is_written && smp_trace_open(file, &reader, &error) == SMP_OK)
        for (; block.rows > 0 && smp_trace_next(reader, &block, &loss, &error) == SMP_OK;)
            rows += block.rows;
    expect(rows == end.trace_rows && rows == 16 * 8 * 16, "a trace has every access", &error);
    smp_trace_reader_free(reader);
    smp_trace_writer_free(writer);
    fclose(file);
}

static bool is_same(const smp_profile *a, const smp_profile *b) {
    char *texts[2];
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        FILE *out = open_memstream(&texts[i], &sizes[i]);
        const smp_status status = smp_profile_document(i ? b : a, "json", NULL, out, NULL);
        fclose(out);
        if (status != SMP_OK)
            sizes[i] = (size_t)i;
    }
    const bool same = sizes[0] == sizes[1] && memcmp(texts[0], texts[1], sizes[0]) == 0;
    free(texts[0]);
    free(texts[1]);
    return same;
}

static void try_files(const char *path) {
    char *text_of = NULL;
    size_t size, length = read_whole(path);
    smp_profile *first = smp_profile_new(), *again = smp_profile_new(), *cut = smp_profile_new();
    smp_profile_damage damage;
    smp_profile_row row;
    smp_error error;
    FILE *in = fmemopen(bytes, length, "rb");
    expect(smp_profile_load(first, in, &damage, &error) == SMP_OK && damage.blocks == 0 &&
               !damage.is_cut && smp_profile_row_at(first, 0, &row) && row.requests > 0,
           "a file is read", &error);
    fclose(in);
    FILE *out = open_memstream(&text_of, &size);
    expect(smp_profile_save(first, out, &error) == SMP_OK, "a profile is written", &error);
    fclose(out);
    in = fmemopen(text_of, size, "rb");
    expect(smp_profile_load(again, in, NULL, &error) == SMP_OK && is_same(first, again),
           "what was written is read as it was", &error);
    fclose(in);
    in = fmemopen(text_of, size - 9, "rb");
    expect(smp_profile_load(cut, in, &damage, NULL) == SMP_OK && damage.is_cut,
           "a file that ends early says so", NULL);
    fclose(in);
    in = fmemopen((char *)"no profile", 10, "rb");
    expect(smp_profile_load(cut, in, NULL, &error) == SMP_E_SYNTAX, "this is none", &error);
    fclose(in);
    const uint64_t once = row.requests;
    expect(smp_profile_add(first, again, &error) == SMP_OK && smp_profile_row_at(first, 0, &row) &&
               row.requests == 2 * once && !smp_profile_row_at(again, 0, &row),
           "two are one", &error);
    expect(smp_profile_document(first, "nothing", NULL, stdout, &error) == SMP_E_USAGE,
           "no such format", &error);
    free(text_of);
    smp_profile_free(first);
    smp_profile_free(again);
    smp_profile_free(cut);
    smp_profile_free(NULL);
}

static void count_lines(void *user, const char *line) {
    (void)line;
    ++*(unsigned *)user;
}

static void try_gate(smp_code *code) {
    const smp_profile_bounds tight = {.max_ways = 2, .max_excess = -1},
                             loose = {.max_ways = 32, .max_excess = -1},
                             wrong = {.max_ways = -1, .max_excess = -1, .rules = "what\n"};
    smp_profile_verdict verdict;
    smp_profile *profile = smp_profile_new();
    smp_error error;
    unsigned said = 0;
    expect(smp_profile_judge(profile, &tight, NULL, NULL, &verdict, &error) == SMP_OK &&
               verdict.is_unseen,
           "a gate that saw nothing says so", &error);
    expect(run(code, text, NULL, profile, NULL, &error) == SMP_OK &&
               smp_profile_judge(profile, &tight, count_lines, &said, &verdict, &error) == SMP_OK &&
               verdict.above == 1 && said == 1 && !verdict.is_unseen,
           "a line above the bound", &error);
    expect(smp_profile_judge(profile, &loose, NULL, NULL, &verdict, &error) == SMP_OK &&
               verdict.above == 0,
           "none is", &error);
    expect(smp_profile_judge(profile, &wrong, NULL, NULL, &verdict, &error) == SMP_E_SYNTAX,
           "rules that are none", &error);
    smp_profile_free(profile);
}

int main(int argc, char **argv) {
    smp_error error;
    smp_code *code = NULL;
    if (argc < 3)
        return 2;
    try_files(argv[2]);
    expect(smp_machine_open("nothing", 7, NULL, &code, &error) == SMP_E_READ && !code,
           "bytes that are no code", &error);
    smp_machine_close(NULL);
    const size_t size = read_whole(argv[1]);
    expect(smp_machine_open(bytes, size / 2, NULL, &code, NULL) == SMP_E_READ, "half a cubin",
           NULL);
    expect(smp_machine_open(bytes, size, NULL, &code, &error) == SMP_OK &&
               smp_machine_cc(code) == 90 && smp_machine_kernel(code, 0, NULL) &&
               !smp_machine_kernel(code, 99, NULL),
           "a cubin", &error);
    if (failed == 0) {
        try_limits(code);
        try_faults(code);
        try_overlaps(code);
        try_trace(code);
        try_gate(code);
    }
    smp_machine_close(code);
    return failed > 0;
}
