/* SPDX-License-Identifier: MIT */
/*
 * The face of smp_code: opening, finding, and having nvdisasm print the functions asked for.
 */
#include "disassembly.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cubin.h"
#include "tool.h"

smp_status smp_code_open(const void *cubin, size_t size, smp_code **out, smp_error *error) {
    *out = NULL;
    smp_code *code = calloc(1, sizeof(*code));
    if (code == NULL)
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

smp_status smp_code_open_file(const char *path, smp_code **out, smp_error *error) {
    char *bytes;
    size_t size;
    *out = NULL;
    smp_status status = smp_tool_read(path, &bytes, &size, error);
    if (status != SMP_OK)
        return status;
    status = smp_code_open(bytes, size, out, error);
    if (status == SMP_OK)
        (*out)->owned = (uint8_t *)bytes;
    else
        free(bytes);
    return status;
}

void smp_code_use_ptx(smp_code *code, const char *ptx, size_t size) {
    for (size_t i = 0; i < code->function_count; i++)
        smp_cubin_arrays(code, &code->functions[i], ptx, size);
}

uint32_t smp_code_cc(const smp_code *code) {
    return code->cc;
}

const smp_function *smp_code_functions(const smp_code *code, size_t *count) {
    *count = code->function_count;
    return code->functions;
}

const smp_function *smp_code_find(const smp_code *code, const char *name) {
    for (size_t i = 0; i < code->function_count; i++)
        if (strcmp(code->functions[i].name, name) == 0)
            return &code->functions[i];
    return NULL;
}

/* "12,15": the symbols of the functions wanted; NULL: out of memory. *some: whether there are any.
 */
static char *symbol_list(const smp_code *code, const char *const *names, size_t count, bool *some) {
    char *list = malloc(12 * count + 1);
    size_t length = 0;
    *some = false;
    for (size_t i = 0; list != NULL && i < count; i++) {
        const smp_function *function = smp_code_find(code, names[i]);
        if (function == NULL || function->symbol_index == 0 || function->instructions != NULL)
            continue;
        length += (size_t)sprintf(list + length, "%s%u", *some ? "," : "", function->symbol_index);
        *some = true;
    }
    return list;
}

static smp_status run_nvdisasm(smp_code *code, const char *path, char *list, smp_error *error) {
    char tool[4096];
    smp_status status = smp_tool_find("nvdisasm", tool, sizeof(tool), error);
    if (status != SMP_OK)
        return status;
    char *argv[] = {tool, "-gi", "-c", (char *)path, list == NULL ? NULL : "-fun", list, NULL};
    char *text;
    size_t length;
    status = smp_tool_run(argv, &text, &length, error);
    if (status == SMP_OK)
        status = smp_sass_text_read(code, text, error);
    free(text);
    return status;
}

smp_status smp_code_disassemble(smp_code *code, const char *const *names, size_t count,
                                smp_error *error) {
    char path[4096];
    char *list = NULL;
    bool some = true;
    if (names != NULL) {
        list = symbol_list(code, names, count, &some);
        if (list == NULL)
            return smp_error_memory(error);
    }
    smp_status status = SMP_OK;
    if (some)
        status = smp_tool_file(code->bytes, code->size, ".cubin", path, sizeof(path), error);
    if (some && status == SMP_OK) {
        status = run_nvdisasm(code, path, list, error);
        unlink(path);
    }
    free(list);
    return status;
}

/* The C++ runtime has it; a C program that loads it where it is there needs no other. */
char *smp_demangle(const char *name) {
    typedef char *(*demangle_fn)(const char *, char *, size_t *, int *);
    static demangle_fn demangle;
    static bool is_asked;
    if (!__atomic_load_n(&is_asked, __ATOMIC_ACQUIRE)) {
        void *runtime = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        void *symbol = runtime == NULL ? NULL : dlsym(runtime, "__cxa_demangle");
        memcpy(&demangle, &symbol, sizeof(demangle));
        __atomic_store_n(&is_asked, true, __ATOMIC_RELEASE);
    }
    int failed = 0;
    if (demangle == NULL || strncmp(name, "_Z", 2) != 0)
        return NULL;
    return demangle(name, NULL, NULL, &failed);
}
