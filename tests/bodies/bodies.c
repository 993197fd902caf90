/* SPDX-License-Identifier: MIT */
/*
 * Random bodies of kernels, and what the library says that each of their threads loads,
 * stores and changes atomically, in order. The same bodies are written as C++ for recorder.h, which
 * prints what a compiler makes of them.
 *   bodies SEED COUNT BODIES.cpp EXPECTED    0 fine; 2 usage; 3 a body is refused without reason
 *   bodies KERNELS.cu BODIES.cpp EXPECTED    the same of kernels that are written down
 *   bodies EXPECTED RECORDED                 0 alike; 1 they differ
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies.h"
#include "smp_layout.h"

enum { FUNCTIONS_MAX = 4096, THREADS = 64, LINE_MAX = 1 << 16, GIVEN_MAX = 1 << 15 };

static const char arrays[] = "shared float t[32][33]\n"
                             "shared int s[1024]\n"
                             "shared float4 v[64]\n"
                             "shared short h[512]\n"
                             "shared unsigned char c[256]\n"
                             "shared double d[128]\n"
                             "struct P { float x; float y; int z[2]; };\n"
                             "shared P p[64]\n"
                             "global float A[4096]\n"
                             "block 32x2\n";
static const char cpp_arrays[] = "static float t[32][33];\n"
                                 "static int s[1024];\n"
                                 "static float4 v[64];\n"
                                 "static short h[512];\n"
                                 "static unsigned char c[256];\n"
                                 "static double d[128];\n"
                                 "struct P { float x; float y; int z[2]; };\n"
                                 "static P p[64];\n"
                                 "static float A[4096];\n";

/* ---- What the library says ---- */

typedef struct lines {
    const smp_layout *layout;
    size_t length[THREADS];
    char (*text)[LINE_MAX];
    uint32_t warp;
    bool is_full;
} lines;

static char letter_of(smp_op op) {
    bool loads = op == SMP_LD_SHARED || op == SMP_LD_GLOBAL;
    bool stores = op == SMP_ST_SHARED || op == SMP_ST_GLOBAL;
    return loads ? 'L' : stores ? 'S' : op == SMP_RED_SHARED ? 'R' : 'A';
}

static smp_status show(void *user, size_t index, uint32_t mask,
                       const int64_t offset_bytes[SMP_LANES]) {
    lines *out = user;
    smp_layout_access access;
    size_t name_length;
    const char *name = smp_layout_access_array(out->layout, index, &name_length);
    smp_layout_access_at(out->layout, index, &access);
    for (unsigned l = 0; l < SMP_LANES; l++) {
        unsigned thread = out->warp * SMP_LANES + l;
        size_t left = LINE_MAX - out->length[thread];
        if (!(mask >> l & 1) || left < 64) {
            out->is_full |= left < 64;
            continue;
        }
        out->length[thread] += (size_t)snprintf(
            out->text[thread] + out->length[thread], left, " %c%.*s+%lld/%u", letter_of(access.op),
            (int)name_length, name, (long long)offset_bytes[l], access.width_bytes * access.parts);
    }
    return SMP_OK;
}

/* The accesses of all threads, or an error. */
static smp_status trace(const char *text, size_t length, lines *out, smp_error *error) {
    unsigned line;
    memset(out->length, 0, sizeof out->length);
    out->is_full = false;
    smp_layout *layout = smp_layout_new();
    if (!layout)
        return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory");
    smp_status status = smp_layout_add_lines(layout, text, length, &line, error);
    out->layout = layout;
    for (out->warp = 0; out->warp < THREADS / SMP_LANES && status == SMP_OK; out->warp++)
        status = smp_layout_trace(layout, out->warp, show, out, &line, error);
    if (status != SMP_OK) {
        char message[sizeof error->message];
        memcpy(message, error->message, sizeof message);
        (void)smp_error_set(error, status, error->position, "%u: %.150s", line, message);
    }
    smp_layout_free(layout);
    return status;
}

/* Errors that a body may have by chance: a result that overflows or an index outside its array. An
 * address that depends on unknown data is not among them, since all data that decide addresses are
 * given. */
static bool is_fair(smp_status status, const char *message) {
    return (status == SMP_E_OVERFLOW || status == SMP_E_RANGE) && !strstr(message, "depends on");
}

/* ---- Both sides ---- */

static void write_expected(FILE *out, unsigned number, const lines *from) {
    for (unsigned thread = 0; thread < THREADS; thread++)
        fprintf(out, "%u.%u:%.*s\n", number, thread, (int)from->length[thread], from->text[thread]);
}

static void write_head(FILE *out) {
    fprintf(out, "#include \"recorder.h\"\n%s", cpp_arrays);
}

/* `form` is how a body is called, of its number. */
static void write_tail(FILE *out, const char *form, const unsigned *numbers, unsigned count) {
    static const char *const names[] = {"t", "s", "v", "h", "c", "d", "p",
                                        "A", "K", "B", "H", "N", "R"};
    fprintf(out, "int main() {\n    blockDim = {32, 2, 1};\n    gridDim = {1, 1, 1};\n");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        fprintf(out, "    know(\"%s\", %s);\n", names[i], names[i]);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "    run_body(%u, %s_%u%s);\n", numbers[i], form, numbers[i],
                strcmp(form, "part") == 0 ? "::k" : "");
    fprintf(out, "}\n");
}

/* `given` is the lines of arrays with data. Writes one body to both; false if it is refused without
 * a reason. */
static bool add_body(unsigned number, const char *given, FILE *cpp, FILE *expected, lines *room,
                     bool *is_used) {
    static body b;
    static char text[TEXT_MAX + sizeof arrays + GIVEN_MAX + FUNCTIONS_MAX];
    smp_error error = {.message = ""};
    body_make(&b);
    int length = snprintf(text, sizeof text, "%s%s%s%s", arrays, given, bodies_functions, b.text);
    smp_status status = trace(text, (size_t)length, room, &error);
    *is_used = status == SMP_OK && !room->is_full;
    if (status != SMP_OK && !is_fair(status, error.message)) {
        fprintf(stderr, "body %u is refused: %s\n%s\n", number, error.message, text);
        return false;
    }
    if (*is_used) {
        fprintf(cpp, "static void body_%u() {\n%s}\n", number, b.text);
        write_expected(expected, number, room);
    }
    return true;
}

/* Kernels that are written down; all are to be taken. */
static int add_cases(const char *text, const char *given, FILE *cpp, FILE *expected, lines *room) {
    static char layout[CASES_MAX + sizeof arrays + GIVEN_MAX];
    static unsigned numbers[CASES_MAX / 64];
    unsigned count = 0, bad = 0, line = 1;
    const char *begin;
    size_t length;
    for (const char *at = text; (at = bodies_case(at, &line, &begin, &length)); count++) {
        smp_error error = {.message = ""};
        int size = snprintf(layout, sizeof layout, "%s%s%.*s", arrays, given, (int)length, begin);
        smp_status status = trace(layout, (size_t)size, room, &error);
        if (status != SMP_OK || room->is_full) {
            fprintf(stderr, "the kernel of line %u is refused: %s\n%.*s", line, error.message,
                    (int)length, begin);
            bad++;
        } else {
            fprintf(cpp, "namespace part_%u {\n%.*s\n}\n", line, (int)length, begin);
            write_expected(expected, line, room);
            numbers[count - bad] = line;
        }
        for (const char *c = begin; c < at; c++)
            line += *c == '\n';
    }
    write_tail(cpp, "part", numbers, count - bad);
    fprintf(stderr, "%u bodies, %u of them compared\n", count, count - bad);
    return bad > 0 || count == 0 ? 3 : 0;
}

static int make_cases(char **names) {
    static char given[GIVEN_MAX];
    lines room = {.text = calloc(THREADS, LINE_MAX)};
    char *text = bodies_read(names[0]);
    FILE *cpp = fopen(names[1], "w"), *expected = fopen(names[2], "w");
    bodies_seed(1);
    if (!text || !room.text || !cpp || !expected)
        return 2;
    write_head(cpp);
    int status = bodies_give(names[1], given, sizeof given, cpp)
                     ? add_cases(text, given, cpp, expected, &room)
                     : 2;
    bool sound = fclose(cpp) == 0 && fclose(expected) == 0;
    free(room.text);
    free(text);
    return sound ? status : 2;
}

int main(int argc, char **argv) {
    if (argc == 3)
        return bodies_compare(argv[1], argv[2]);
    if (argc == 4)
        return make_cases(argv + 1);
    unsigned count = argc == 5 ? (unsigned)strtoul(argv[2], NULL, 0) : 0, used = 0, bad = 0;
    FILE *cpp = count > 0 ? fopen(argv[3], "w") : NULL,
         *expected = cpp ? fopen(argv[4], "w") : NULL;
    unsigned *numbers = calloc(count + 1, sizeof *numbers);
    lines room = {.text = calloc(THREADS, LINE_MAX)};
    if (!expected || !numbers || !room.text) {
        fprintf(stderr, "usage: bodies SEED COUNT BODIES.cpp EXPECTED\n"
                        "       bodies KERNELS.cu BODIES.cpp EXPECTED\n"
                        "       bodies EXPECTED RECORDED\n");
        return 2;
    }
    static char given[GIVEN_MAX];
    bodies_seed(strtoull(argv[1], NULL, 0));
    write_head(cpp);
    if (!bodies_give(argv[3], given, sizeof given, cpp))
        return 2;
    fprintf(cpp, "%s", bodies_functions);
    for (unsigned i = 0; i < count; i++) {
        bool is_used;
        bad += !add_body(i, given, cpp, expected, &room, &is_used);
        if (is_used)
            numbers[used++] = i;
    }
    write_tail(cpp, "body", numbers, used);
    bool sound = fclose(cpp) == 0 && fclose(expected) == 0;
    fprintf(stderr, "%u bodies, %u of them compared\n", count, used);
    free(numbers);
    free(room.text);
    return bad > 0 || !sound ? 3 : 0;
}
