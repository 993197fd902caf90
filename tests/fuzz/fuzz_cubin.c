/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a cubin, as the PTX beside one, and as what nvdisasm prints of one. All that is
 * accepted must be readable to its end.
 */
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "fuzz.h"

static volatile size_t sink;

static void read_all(const smp_code *code) {
    size_t count;
    const smp_function *functions = smp_code_functions(code, &count);
    for (size_t i = 0; i < count; i++) {
        const smp_function *f = &functions[i];
        sink += strlen(f->name);
        for (uint32_t j = 0; j < f->code_bytes; j++)
            sink += f->code[j];
        for (uint32_t j = 0; j < f->array_count; j++)
            if (f->arrays[j].offset_bytes > f->shared_bytes + 4096)
                abort();
        for (uint32_t j = 0; j < f->instruction_count; j++)
            sink += strlen(f->instructions[j].opcode) + strlen(f->instructions[j].operands);
    }
}

/* An input that is no cubin is tried as text about the smallest one: one function, no code. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    smp_code *code;
    if (smp_code_open(data, size, &code, NULL) == SMP_OK) {
        smp_code_use_ptx(code, (const char *)data, size);
        read_all(code);
        smp_code_close(code);
        return 0;
    }
    code = calloc(1, sizeof(*code));
    char *text = malloc(size + 1);
    if (!code || !text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    static const uint8_t bytes[64];
    code->functions = calloc(1, sizeof(*code->functions));
    code->function_count = 1;
    code->functions[0] = (smp_function){
        .name = "k", .code = bytes, .code_bytes = sizeof(bytes), .shared_bytes = 4096};
    smp_code_use_ptx(code, text, size);
    if (smp_sass_text_read(code, text, NULL) == SMP_OK)
        read_all(code);
    free(text);
    smp_code_close(code);
    return 0;
}
