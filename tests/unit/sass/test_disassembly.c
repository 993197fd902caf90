/* SPDX-License-Identifier: MIT */
/*
 * smp_code of tests/data/sass/two.cubin (its source is beside it), with the
 * text recorded from nvdisasm, and through nvdisasm if it is installed. Then the same file with
 * damaged bytes, and truncated: an error or a valid smp_code.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "suite.h"
#include "tool.h"

#define TRANSPOSE "_Z9transposePfPKfii"
#define REDUCE "_Z6reduceIfEvPT_PKS0_i"

static char *cubin, *text;
static size_t cubin_size, text_size;

static void load(void) {
    smp_error error;
    ck_assert_msg(smp_tool_read(SMP_DATA "/sass/two.cubin", &cubin, &cubin_size, &error) == SMP_OK,
                  "%s", error.message);
    ck_assert_msg(smp_tool_read(SMP_DATA "/sass/two.sass", &text, &text_size, &error) == SMP_OK,
                  "%s", error.message);
}

static void unload(void) {
    free(cubin);
    free(text);
}

static smp_code *opened(void) {
    smp_error error;
    smp_code *code;
    ck_assert_msg(smp_code_open(cubin, cubin_size, &code, &error) == SMP_OK, "%s", error.message);
    return code;
}

START_TEST(functions) {
    smp_code *code = opened();
    size_t count;
    ck_assert_uint_eq(smp_code_cc(code), 90);
    smp_code_functions(code, &count);
    ck_assert_uint_eq(count, 2);
    const smp_function *f = smp_code_find(code, TRANSPOSE);
    ck_assert_ptr_nonnull(f);
    ck_assert(f->is_kernel);
    ck_assert_uint_eq(f->shared_bytes, 4112);
    ck_assert_uint_eq(f->shared_reserved_bytes, 1024);
    ck_assert_uint_eq(f->registers, 26);
    ck_assert_uint_eq(f->parameter_base, 0x210);
    ck_assert_uint_eq(f->parameter_bytes, 24);
    static const smp_parameter parameters[] = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};
    ck_assert_uint_eq(f->parameter_count, 4);
    ck_assert_mem_eq(f->parameters, parameters, sizeof(parameters));
    if (f->demangled)
        ck_assert_str_eq(f->demangled, "transpose(float*, float const*, int, int)");
    const smp_function *other = smp_code_find(code, REDUCE);
    ck_assert_ptr_nonnull(other);
    ck_assert_uint_ne(f->code_hash, other->code_hash);
    ck_assert_uint_eq(other->max_threads[0], 256);
    ck_assert_ptr_null(smp_code_find(code, "transpose"));
    smp_code_close(code);
}
END_TEST

/* "tile", or its mangled name without a C++ runtime. */
static void check_array(const smp_code_array *array, const char *name, uint32_t offset,
                        uint32_t size) {
    ck_assert_msg(strstr(array->name, name), "%s is not %s", array->name, name);
    ck_assert_uint_eq(array->offset_bytes, offset);
    ck_assert_uint_eq(array->size_bytes, size);
}

START_TEST(arrays) {
    smp_code *code = opened();
    const smp_function *f = smp_code_find(code, TRANSPOSE);
    ck_assert_uint_eq(f->array_count, 2);
    check_array(&f->arrays[0], "tile", 0, 4096);
    check_array(&f->arrays[1], "total", 4096, 8);
    ck_assert_str_eq(f->arrays[1].type, "double");
    f = smp_code_find(code, REDUCE);
    ck_assert_uint_eq(f->array_count, 1);
    check_array(&f->arrays[0], "sums", 0, 0);
    smp_code_close(code);
}
END_TEST

static void check_instruction(const smp_function *f, uint32_t offset, const char *predicate,
                              const char *opcode, const char *operands) {
    const smp_instruction *at = &f->instructions[offset / 16];
    ck_assert_uint_eq(at->offset_bytes, offset);
    ck_assert_str_eq(at->predicate, predicate);
    ck_assert_str_eq(at->opcode, opcode);
    ck_assert_str_eq(at->operands, operands);
}

static void check_code(const smp_code *code) {
    const smp_function *f = smp_code_find(code, REDUCE);
    ck_assert_ptr_nonnull(f->instructions);
    check_instruction(f, 0x0, "", "LDC", "R1, c[0x0][0x28]");
    check_instruction(f, 0x180, "@!P1", "LDS", "R3, [R5]");
    check_instruction(f, 0x1d0, "@P1", "BRA", "0x140");
    f = smp_code_find(code, TRANSPOSE);
    unsigned inlined = 0;
    for (uint32_t i = 0; i < f->instruction_count; i++) {
        const smp_instruction *at = &f->instructions[i];
        inlined += at->frame_count == 2 && at->frames[0].line == 6 &&
                   (at->frames[1].line == 16 || at->frames[1].line == 19);
        ck_assert_msg(at->frame_count == 0 || strstr(at->frames[0].file, "two.cu"), "%s",
                      at->opcode);
    }
    ck_assert_uint_gt(inlined, 0);
}

START_TEST(recorded_text) {
    smp_code *code = opened();
    smp_error error;
    char *copy = strdup(text);
    ck_assert_msg(smp_sass_text_read(code, copy, &error) == SMP_OK, "%s", error.message);
    free(copy);
    check_code(code);
    smp_code_close(code);
}
END_TEST

/* Paths as ptxas writes them: UTF-8 in octal, the last backslash a slash. */
START_TEST(foreign_names) {
    static const struct {
        const char *written, *is;
    } rows[] = {
        {"/a/gr\\303\\266\\303/237e.cu", "/a/gr\303\266\303\237e.cu"},
        {"/\\303/266/200.cu", "/\303\266/200.cu"}, /* a folder, and a file of digits */
        {"/a/\\317/200.cu", "/a/\317\200.cu"},
        {"/a/237.cu", "/a/237.cu"},
        {"/a\\b.cu", "/a\\b.cu"},
    };
    char line[400];
    smp_error error;
    smp_code *code = opened();
    (void)snprintf(line, sizeof line,
                   ".section .text." TRANSPOSE "\n//## File \"%s\", line 7\n/*0000*/ NOP ;\n",
                   rows[_i].written);
    (void)smp_sass_text_read(code, line, &error); /* the other instructions are missing */
    ck_assert_str_eq(smp_code_find(code, TRANSPOSE)->instructions[0].frames[0].file, rows[_i].is);
    smp_code_close(code);
}
END_TEST

START_TEST(live_text) {
    char path[4096];
    smp_error error;
    if (smp_tool_find("nvdisasm", path, sizeof(path), &error) != SMP_OK) {
        ck_assert_msg(strstr(error.message, "script/bootstrap --disassemblers"), "%s",
                      error.message);
        return;
    }
    smp_code *code = opened();
    const char *names[] = {REDUCE, "nobody"};
    ck_assert_msg(smp_code_disassemble(code, names, 2, &error) == SMP_OK, "%s", error.message);
    ck_assert_ptr_null(smp_code_find(code, TRANSPOSE)->instructions);
    ck_assert_msg(smp_code_disassemble(code, NULL, 0, &error) == SMP_OK, "%s", error.message);
    check_code(code);
    smp_code_close(code);
}
END_TEST

/* Opens it and, if it is accepted, reads the recorded text. */
static void try_damaged(const char *bytes, size_t size) {
    smp_code *code;
    if (smp_code_open(bytes, size, &code, NULL) != SMP_OK)
        return;
    char *copy = strdup(text);
    (void)smp_sass_text_read(code, copy, NULL);
    free(copy);
    smp_code_close(code);
}

START_TEST(damaged) {
    char *bytes = malloc(cubin_size);
    for (size_t size = 0; size < cubin_size; size += size < 256 ? 1 : 61) {
        char *part = malloc(size + 1);
        memcpy(part, cubin, size);
        try_damaged(part, size);
        free(part);
    }
    for (size_t i = 0; i < cubin_size; i += 23) {
        memcpy(bytes, cubin, cubin_size);
        bytes[i] = (char)(bytes[i] ^ (i % 2 == 0 ? 0x80 : 0xff));
        try_damaged(bytes, cubin_size);
    }
    free(bytes);
}
END_TEST

int main(void) {
    char path[4096];
    int failed =
        SUITE_IN(load, unload, "disassembly", TEST(functions), TEST(arrays), TEST(recorded_text),
                 TEST_EACH(foreign_names, 5), TEST(live_text), TEST(damaged));
    if (failed == 0 && smp_tool_find("nvdisasm", path, sizeof(path), NULL) != SMP_OK) {
        puts("skipped: what needs nvdisasm; the rest passed");
        return 77;
    }
    return failed;
}
