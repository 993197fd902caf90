/* SPDX-License-Identifier: MIT */
/* Which headers are joined with a source, and that the parts come out as they were. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "joined.h"
#include "suite.h"

#define SHARED "__shared__ int tile[32];\n"
enum { FILES_MOST = 4, FLAGS_MOST = 2 };

typedef struct join_row {
    const char *name;
    const char *source;
    const char *files[FILES_MOST][2];
    const char *flags[FLAGS_MOST];
    unsigned count; /* files of the joined text; 0: it is not joined */
} join_row;

/* The source is w/src/a.cu, and w the current folder. */
static const join_row rows[] = {
    {"beside", "#include \"b.h\"\n", {{"w/src/b.h", SHARED}}, {NULL}, 2},
    {"not beside", "#include <b.h>\n", {{"w/src/b.h", SHARED}}, {NULL}, 0},
    {"a relative -I", "#include <b.h>\n", {{"w/inc/b.h", SHARED}}, {"-Iinc"}, 2},
    {"in two words", "#include \"b.h\"\n", {{"w/inc/b.h", SHARED}}, {"-I", "inc"}, 2},
    {"elsewhere in the project",
     "#include \"b.h\"\n",
     {{"w/.git/HEAD", ""}, {"w/inc/b.h", SHARED}},
     {NULL},
     2},
    {"elsewhere without a project", "#include \"b.h\"\n", {{"w/inc/b.h", SHARED}}, {NULL}, 0},
    {"above", "#include <b.h>\n", {{"other/b.h", SHARED}}, {"-I../other"}, 2},
    {"an absolute -I", "#include <b.h>\n", {{"w/inc/b.h", SHARED}}, {"-I/w/inc"}, 2},
    {"of another project", "#include <b.h>\n", {{"other/b.h", SHARED}}, {"-I/other"}, 0},
    {"of the system", "#include <b.h>\n", {{"w/usr/include/b.h", SHARED}}, {"-Iusr/include"}, 0},
    {"the first -I counts",
     "#include <b.h>\n",
     {{"other/b.h", "int b;\n"}, {"w/inc/b.h", SHARED}},
     {"-I/other", "-Iinc"},
     0},
    {"of a header",
     "#include \"b.h\"\n",
     {{"w/src/b.h", "#pragma once\n#include <c.h>\n"}, {"w/inc/c.h", SHARED}},
     {"-Iinc"},
     3},
    {"in a last line without an end",
     "#include \"b.h\"\n#include <c.h>",
     {{"w/src/b.h", SHARED}, {"w/inc/c.h", SHARED}},
     {"-Iinc"},
     2},
    {"under a condition",
     "#ifdef A\n#include \"b.h\"\n#endif\n",
     {{"w/src/b.h", SHARED}},
     {NULL},
     2},
    {"then again",
     "#ifdef A\n#include \"b.h\"\n#endif\n#include \"b.h\"\n",
     {{"w/src/b.h", "#pragma once\n" SHARED}},
     {NULL},
     0},
    {"then without one, first",
     "#include \"b.h\"\n#ifdef A\n#include \"b.h\"\n#endif\n",
     {{"w/src/b.h", "#pragma once\n" SHARED}},
     {NULL},
     2},
    {"through one under a condition",
     "#ifdef A\n#include \"b.h\"\n#endif\n#include \"c.h\"\n",
     {{"w/src/b.h", "#pragma once\n#include \"c.h\"\n"}, {"w/src/c.h", "#pragma once\n" SHARED}},
     {NULL},
     0},
};

static char folder[] = "/tmp/smemprobe-joined-XXXXXX";

static void write_file(const char *name, const char *text) {
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at) {
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

/* Each part is the file that it came from. */
static void check_parts(const join_row *row, const joined *of) {
    for (unsigned i = 0; i < of->count; i++) {
        size_t length;
        const char *wanted = row->source;
        char *part = joined_part(of->text, of->length, i, &length);
        ck_assert_ptr_nonnull(part);
        for (unsigned k = 0; k < FILES_MOST && row->files[k][0]; k++)
            if (i > 0 && strcmp(of->paths[i] + strlen(folder) + 1, row->files[k][0]) == 0)
                wanted = row->files[k][1];
        ck_assert_msg(length == strlen(wanted) && memcmp(part, wanted, length) == 0,
                      "%s: %s became %.*s", row->name, of->paths[i], (int)length, part);
        free(part);
    }
}

START_TEST(joins_headers) {
    const join_row *row = &rows[_i];
    char flags[FLAGS_MOST][256], here[256];
    const char *words[FLAGS_MOST];
    unsigned count = 0;
    joined out;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_file("w/src/a.cu", row->source);
    for (unsigned i = 0; i < FILES_MOST && row->files[i][0]; i++)
        write_file(row->files[i][0], row->files[i][1]);
    for (; count < FLAGS_MOST && row->flags[count]; count++) {
        const bool is_whole = strncmp(row->flags[count], "-I/", 3) == 0;
        (void)snprintf(flags[count], sizeof flags[count], "%s%s%s", is_whole ? "-I" : "",
                       is_whole ? folder : "", row->flags[count] + 2 * is_whole);
        words[count] = flags[count];
    }
    (void)snprintf(here, sizeof here, "%s/w", folder);
    ck_assert_int_eq(chdir(here), 0);
    joined_make("src/a.cu", row->source, strlen(row->source), words, count, "__shared__", &out);
    ck_assert_msg(out.count == row->count, "%s: %u files, expected %u", row->name, out.count,
                  row->count);
    check_parts(row, &out);
    joined_clear(&out);
    ck_assert_int_eq(chdir("/"), 0);
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
END_TEST

int main(void) {
    return SUITE("joined", TEST_EACH(joins_headers, COUNT_OF(rows)));
}
