/* SPDX-License-Identifier: MIT */
/*
 * test_words.c: machine code without nvdisasm. Recorded words of tests/data/sass/words.90.txt have
 * their text or are not known; our cubins' functions are read whole; and where nvdisasm is
 * installed, predicates, opcodes, operands and source lines of all functions of every fourth of our
 * sm_90 cubins are what it prints. Damaged cubins give an error or a sound smp_code.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "suite.h"
#include "tool.h"
#include "word_text.h"

enum { LINE_BYTES = 512, KNOWN_PER_MILLE = 500 };

static smp_code *opened(const char *path) {
    smp_error error;
    smp_code *code;
    ck_assert_msg(smp_code_open_file(path, &code, &error) == SMP_OK, "%s: %s", path, error.message);
    return code;
}

/* "HIGH LOW OFFSET TEXT", "-" for what is not known. */
START_TEST(recorded) {
    char line[LINE_BYTES], text[LINE_BYTES];
    unsigned rows = 0, refused = 0;
    FILE *file = fopen(SMP_DATA "/sass/words.90.txt", "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        smp_word word;
        uint32_t offset;
        int at = 0;
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        ck_assert_int_eq(sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx32 " %n", &word.high,
                                &word.low, &offset, &at),
                         3);
        const bool is_known = smp_word_text(90, word, offset, text, sizeof(text));
        ck_assert_msg(strcmp(is_known ? text : "-", line + at) == 0, "%s: %s", line, text);
        ck_assert(!smp_word_text(61, word, offset, text, sizeof(text)));
        refused += !is_known;
        rows++;
    }
    (void)fclose(file);
    ck_assert_uint_gt(rows, 1000);
    ck_assert_uint_gt(refused, 10);
}
END_TEST

START_TEST(no_room) {
    static const smp_word nop = {0x7918, 0x000fc00000000000};
    char text[5] = "xxxx";
    ck_assert(!smp_word_text(90, nop, 0, text, 3));
    ck_assert(smp_word_text(90, nop, 0, text, 4));
    ck_assert_str_eq(text, "NOP");
}
END_TEST

/* ---- Against nvdisasm ---- */

static void compare_lines(const char *where, const smp_instruction *a, const smp_instruction *b) {
    ck_assert_msg(a->frame_count == b->frame_count, "%s: %u of %u lines", where, a->frame_count,
                  b->frame_count);
    for (uint32_t i = 0; i < a->frame_count; i++) {
        ck_assert_msg(a->frames[i].line == b->frames[i].line, "%s: line %u, not %u", where,
                      a->frames[i].line, b->frames[i].line);
        ck_assert_msg(strcmp(a->frames[i].file, b->frames[i].file) == 0, "%s: %s, not %s", where,
                      a->frames[i].file, b->frames[i].file);
    }
}

static void compare_function(const char *path, const smp_function *a, const smp_function *b) {
    char where[LINE_BYTES];
    ck_assert_uint_eq(a->instruction_count, b->instruction_count);
    for (uint32_t i = 0; i < a->instruction_count; i++) {
        const smp_instruction *x = &a->instructions[i], *y = &b->instructions[i];
        (void)snprintf(where, sizeof(where), "%.200s %.200s 0x%x", path, a->name, 16 * i);
        ck_assert_msg(strcmp(x->predicate, y->predicate) == 0 &&
                          strcmp(x->opcode, y->opcode) == 0 &&
                          strcmp(x->operands, y->operands) == 0,
                      "%s: '%s %s %s', not '%s %s %s'", where, x->predicate, x->opcode, x->operands,
                      y->predicate, y->opcode, y->operands);
        ck_assert_uint_eq(x->offset_bytes, y->offset_bytes);
        compare_lines(where, x, y);
    }
}

/* How many functions are there, and how many of them are known. */
static void read_words(smp_code *code, unsigned *all, unsigned *known) {
    smp_error error;
    for (size_t i = 0; i < code->function_count; i++) {
        smp_function *function = &code->functions[i];
        ck_assert_int_eq(smp_word_function_read(code, function, &error), SMP_OK);
        ++*all;
        *known += function->instructions != NULL;
    }
}

/* Every `step`-th of ours, and all of $SMP_WORD_CUBINS, a pattern of paths. */
static void each_cubin(size_t step, void (*look)(const char *path, smp_code *code)) {
    glob_t found;
    const char *extra = getenv("SMP_WORD_CUBINS");
    ck_assert_int_eq(glob(SMP_DATA "/*/*.cubin", 0, NULL, &found), 0);
    const size_t ours = found.gl_pathc;
    if (extra != NULL)
        (void)glob(extra, GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        smp_code *code = opened(found.gl_pathv[i]);
        if (smp_word_knows(code->cc) && (i >= ours || i % step == 0))
            look(found.gl_pathv[i], code);
        smp_code_close(code);
    }
    globfree(&found);
}

static unsigned functions, known_functions;

static void count_known(const char *path, smp_code *code) {
    unsigned all = 0, known = 0;
    read_words(code, &all, &known);
    functions += all;
    known_functions += known;
    if (known < all)
        printf("%s: %u of %u functions known\n", path, known, all);
}

START_TEST(whole_functions) {
    functions = known_functions = 0;
    each_cubin(1, count_known);
    printf("%u of %u functions known\n", known_functions, functions);
    ck_assert_uint_ge(known_functions * 1000, functions * KNOWN_PER_MILLE);
}
END_TEST

static void hold_against(const char *path, smp_code *code) {
    smp_error error;
    smp_code *printed = opened(path);
    unsigned all = 0, known = 0;
    read_words(code, &all, &known);
    setenv("SMEMPROBE_DISASSEMBLER", "nvdisasm", 1);
    ck_assert_msg(smp_code_disassemble(printed, NULL, 0, &error) == SMP_OK, "%s", error.message);
    unsetenv("SMEMPROBE_DISASSEMBLER");
    for (size_t i = 0; i < code->function_count; i++)
        if (code->functions[i].instructions != NULL)
            compare_function(path, &code->functions[i], &printed->functions[i]);
    smp_code_close(printed);
}

START_TEST(as_nvdisasm_prints) {
    char path[4096];
    if (smp_tool_find("nvdisasm", path, sizeof(path), NULL) == SMP_OK)
        each_cubin(4, hold_against);
}
END_TEST

START_TEST(damaged) {
    char *cubin, *bytes;
    size_t size;
    ck_assert_int_eq(smp_tool_read(SMP_DATA "/sass/two.cubin", &cubin, &size, NULL), SMP_OK);
    bytes = malloc(size);
    for (size_t i = 0; i < size; i += 7) {
        smp_code *code;
        unsigned all = 0, known = 0;
        memcpy(bytes, cubin, size);
        bytes[i] = (char)(bytes[i] ^ (i % 2 == 0 ? 0x80 : 0xff));
        if (smp_code_open(bytes, size, &code, NULL) != SMP_OK)
            continue;
        read_words(code, &all, &known);
        smp_code_close(code);
    }
    free(bytes);
    free(cubin);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("words");
    TCase *tests = tcase_create("words");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, recorded);
    tcase_add_test(tests, no_room);
    tcase_add_test(tests, whole_functions);
    tcase_add_test(tests, as_nvdisasm_prints);
    tcase_add_test(tests, damaged);
    suite_add_tcase(suite, tests);
    char path[4096];
    int failed = suite_run(suite);
    if (failed == 0 && smp_tool_find("nvdisasm", path, sizeof(path), NULL) != SMP_OK) {
        puts("skipped: what needs nvdisasm; the rest passed");
        return 77;
    }
    return failed;
}
