/* SPDX-License-Identifier: MIT */
/* Opens a cubin and finds its functions. */
#include "disassembly.h"

#include <stdlib.h>

#include "cubin.h"
#include "list.h"
#include "tool.h"

smp_status smp_code_open(const void *cubin, size_t size, smp_code **out, smp_error *error) {
    *out = NULL;
    smp_code *code = calloc(1, sizeof(*code));
    if (!code)
        return smp_error_memory(error);
    code->bytes = cubin;
    code->size = size;
    smp_status status = smp_cubin_parse(code, error);
    if (status == SMP_OK)
        status = smp_cubin_functions(code, error);
    if (status != SMP_OK) {
        smp_code_close(code);
        return status;
    }
    *out = code;
    return SMP_OK;
}

smp_status smp_code_open_owned(void *cubin, size_t size, smp_code **out, smp_error *error) {
    const smp_status status = smp_code_open(cubin, size, out, error);
    if (status == SMP_OK)
        (*out)->owned = cubin;
    else
        free(cubin);
    return status;
}

smp_status smp_code_open_file(const char *path, smp_code **out, smp_error *error) {
    char *bytes;
    size_t size;
    *out = NULL;
    smp_status status = smp_tool_read(path, &bytes, &size, error);
    if (status != SMP_OK)
        return status;
    return smp_code_open_owned(bytes, size, out, error);
}

uint32_t smp_code_cc(const smp_code *code) {
    return code->cc;
}

const smp_arch *smp_code_arch(const smp_code *code, smp_error *error) {
    const uint32_t cc = code->cc;
    const smp_arch *arch = smp_arch_of_cc((int)cc / 10, (int)cc % 10);
    if (!arch)
        smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                      "code for compute capability %u.%u, for which there are no rules: name "
                      "another architecture (--arch)",
                      cc / 10, cc % 10);
    return arch;
}

const smp_function *smp_code_functions(const smp_code *code, size_t *count) {
    *count = code->function_count;
    return code->functions;
}

const smp_function *smp_code_find(const smp_code *code, const char *name) {
    return LIST_FIND(code->functions, code->function_count, name);
}
