/* SPDX-License-Identifier: MIT */
/* From a file to machine code. */
#define _GNU_SOURCE /* realpath */
#include "program_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler_call.h"
#include "fat_binary.h"
#include "launch_text.h"
#include "text_file.h"
#include "tool.h"

enum { PATH_BYTES = 4096, MACHINE_CUDA = 190 };

static const char *arch_name(const smp_program_file *file) {
    return file->arch ? file->arch->name : "sm_90";
}

/* ---- Compilers ---- */

/* Runs the compiler and opens the cubin. */
static smp_status compile(compiler_call *call, smp_code **out, smp_error *error) {
    char cubin[PATH_BYTES];
    smp_status status = smp_tool_file("", 0, ".cubin", cubin, sizeof(cubin), error);
    if (status != SMP_OK)
        return status;
    call->to = cubin;
    status = compiler_call_run(call, error);
    if (status == SMP_OK)
        status = smp_code_open_file(cubin, out, error);
    smp_tool_file_remove(cubin);
    return status;
}

/* Whether a word names what only linking needs: another source, an object or a library. */
static bool is_linked(const char *word) {
    static const char *const endings[] = {".cu", ".cpp", ".cc", ".cxx", ".c", ".o", ".a", ".so"};
    bool ends = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        ends |= word[0] != '-' && smp_name_ends(word, endings[i]);
    return ends;
}

/* nvcc with the chip, line information, these two words and the user's flags. */
static void start_nvcc(compiler_call *call, const smp_program_file *file, const char *source,
                       const char *first, const char *second) {
    *call = (compiler_call){.tool = "nvcc",
                            .source = source,
                            .path = file->original ? file->original : file->path,
                            .notes = file->notes};
    call->chips[call->chip_count++] = arch_name(file);
    call->options[call->count++] = "-lineinfo";
    call->options[call->count++] = first;
    if (second)
        call->options[call->count++] = second;
    if (smp_name_ends(source, ".cuh")) /* which nvcc takes for no source */
        call->options[call->count++] = "--x=cu";
    for (uint32_t i = 0; i < file->flag_count && i < COMPILER_OPTIONS_MAX; i++)
        if (strcmp(first, "-cubin") != 0 || !is_linked(file->flags[i]))
            call->options[call->count++] = file->flags[i];
}

static smp_status run_nvcc(const smp_program_file *file, const char *source, smp_code **out,
                           smp_error *error) {
    compiler_call call;
    start_nvcc(&call, file, source, "-cubin", NULL);
    return compile(&call, out, error);
}

/* nvcc passes names to a shell, and the text below puts them in quotes. */
static smp_status check_name(const char *path, smp_error *error) {
    return !strpbrk(path, "\"\\$`\n\r")
               ? SMP_OK
               : smp_error_set(error, SMP_E_USAGE, -1,
                               "%.160s: nvcc would pass part of this name to a shell as a command: "
                               "rename it (without quotes, $, `, \\ and newlines)",
                               path);
}

smp_status smp_program_keep_archs(smp_arch *archs, size_t *count, smp_error *error) {
    char tool[PATH_BYTES], option[] = "--list-gpu-code", *text = NULL;
    char *const argv[] = {tool, option, NULL};
    size_t length, kept = 0;
    smp_status status = smp_tool_find("nvcc", tool, sizeof tool, error);
    if (status == SMP_OK)
        status = smp_tool_run(argv, &text, &length, error);
    for (size_t i = 0; status == SMP_OK && i < *count; i++) {
        char line[24];
        (void)snprintf(line, sizeof line, "%.16s\n", archs[i].name);
        if (10u * archs[i].cc_major + archs[i].cc_minor >= EMULATED_CC_LEAST && strstr(text, line))
            archs[kept++] = archs[i];
    }
    *count = kept;
    free(text);
    return status;
}

smp_status smp_program_link(const smp_program_file *file, const smp_arch *archs, size_t arch_count,
                            char *program, size_t size, smp_error *error) {
    compiler_call call;
    smp_status status = check_name(file->path, error);
    if (status == SMP_OK)
        status = smp_tool_file("", 0, ".out", program, size, error);
    if (status != SMP_OK)
        return status;
    start_nvcc(&call, file, file->path, "-cudart", "shared");
    for (size_t i = 0; i < arch_count && i < COMPILER_CHIPS_MAX; i++)
        call.chips[i] = archs[i].name;
    call.chip_count = arch_count > 0 ? arch_count : call.chip_count;
    call.to = program;
    status = compiler_call_run(&call, error);
    if (status != SMP_OK)
        smp_tool_file_remove(program);
    return status;
}

/* Compiles a source that includes the file and uses the instance. */
smp_status smp_program_instantiate(const smp_program_file *file, smp_code **out, smp_error *error) {
    char text[3 * PATH_BYTES], source[PATH_BYTES], whole[PATH_BYTES];
    if (!realpath(file->path, whole))
        return smp_error_set(error, SMP_E_READ, -1, "%.180s: cannot be read: %s", file->path,
                             strerror(errno));
    smp_status status = check_name(whole, error);
    if (status != SMP_OK)
        return status;
    int length =
        snprintf(text, sizeof(text),
                 "#include \"%.3500s\"\nvoid *smemprobe_instance() { return (void *)%.3000s; }\n",
                 whole, file->kernel);
    status = smp_tool_file(text, (size_t)length, ".cu", source, sizeof(source), error);
    if (status != SMP_OK)
        return status;
    status = run_nvcc(file, source, out, error);
    smp_tool_file_remove(source);
    return status;
}

static smp_status open_source(const smp_program_file *file, smp_code **out, smp_error *error) {
    const smp_function *found;
    if (access(file->path, R_OK) != 0)
        return smp_error_set(error, SMP_E_READ, -1, "%.180s: cannot be read: %s", file->path,
                             strerror(errno));
    smp_status status = check_name(file->path, error);
    if (status == SMP_OK)
        status = run_nvcc(file, file->path, out, error);
    if (status != SMP_OK || !strchr(file->kernel, '<') ||
        smp_launch_kernel(*out, file->kernel, &found, NULL) == SMP_OK)
        return status;
    smp_code *whole;
    smp_program_file quiet = *file;
    quiet.notes = NULL; /* its messages are not shown */
    status = smp_program_instantiate(&quiet, &whole, error);
    if (status == SMP_E_USAGE) {
        smp_code_close(*out);
        *out = NULL;
        return status;
    }
    if (status != SMP_OK)
        return SMP_OK; /* the caller's message lists what exists */
    smp_code_close(*out);
    *out = whole;
    return SMP_OK;
}

smp_status smp_program_assemble(const char *path, const char *arch, smp_code **out,
                                smp_error *error) {
    compiler_call call = {.tool = "ptxas",
                          .options = {"-lineinfo"},
                          .count = 1,
                          .chips = {arch},
                          .chip_count = 1,
                          .source = path,
                          .path = path};
    char *ptx;
    size_t size;
    const smp_status status = compile(&call, out, error);
    if (status == SMP_OK && smp_tool_read(path, &ptx, &size, NULL) == SMP_OK) {
        smp_code_use_ptx(*out, ptx, size);
        free(ptx);
    }
    return status;
}

/* ---- Code inside a program ---- */

typedef struct best_code {
    smp_code *code;
    bool has_kernel;
    char seen[128]; /* for the message */
} best_code;

/* Prefers code near 9.0, whose instructions were recorded: the newest up to it, then the oldest
 * after it. */
static uint32_t nearness(uint32_t cc) {
    return cc < EMULATED_CC_LEAST ? cc : cc <= 90 ? 1000 + cc : 1000 - cc;
}

/* Prefers code that has the kernel, then of the wanted architecture, or of the nearest modelled
 * one. */
static void offer(best_code *best, smp_code *code, const smp_program_file *file) {
    const smp_function *found;
    char name[16];
    uint32_t cc = smp_code_cc(code);
    bool has_kernel = smp_launch_kernel(code, file->kernel, &found, NULL) == SMP_OK;
    snprintf(name, sizeof(name), " sm_%u", cc);
    if (has_kernel && !strstr(best->seen, name) &&
        strlen(best->seen) + strlen(name) < sizeof(best->seen))
        strcat(best->seen, name);
    bool is_wanted = file->arch ? cc == 10u * file->arch->cc_major + file->arch->cc_minor
                                : !!smp_arch_of_cc((int)cc / 10, (int)cc % 10);
    bool is_better =
        !best->code || (has_kernel && is_wanted &&
                        (!best->has_kernel || nearness(cc) > nearness(smp_code_cc(best->code))));
    if (!is_better) {
        smp_code_close(code);
        return;
    }
    smp_code_close(best->code);
    best->code = code;
    best->has_kernel = has_kernel && is_wanted;
}

/* `why`: the error of code that could not be read. If the kernel is missing, the launch's own
 * message lists what exists. */
static smp_status choose(const best_code *best, const smp_program_file *file, const smp_error *why,
                         smp_code **out, smp_error *error) {
    *out = best->code;
    if (!best->code && why->message[0] != '\0')
        return smp_error_set(error, SMP_E_READ, -1, "%.160s: %.300s", file->path, why->message);
    if (!best->code)
        return smp_error_set(error, SMP_E_READ, -1,
                             "%.160s: it contains no machine code for GPUs; kernels may be in a "
                             "library that it loads",
                             file->path);
    if (best->has_kernel || best->seen[0] == '\0')
        return SMP_OK;
    smp_code_close(best->code);
    *out = NULL;
    return smp_error_set(
        error, SMP_E_READ, -1,
        "%.80s: no code for %s, only for:%s. Compile it with nvcc -arch=%s, or choose with --arch",
        file->path, arch_name(file), best->seen, arch_name(file));
}

/* Code that is not better than the best so far is not unpacked. */
static smp_status open_embedded(const smp_program_file *file, const char *bytes, size_t size,
                                smp_code **out, smp_error *error) {
    smp_fat_list list;
    smp_error why = {.message = ""};
    best_code best = {.code = NULL};
    smp_code *code;
    (void)smp_fat_read(bytes, size, &list, &why);
    for (size_t i = 0; i < list.count; i++)
        if (list.codes[i].kind == SMP_FAT_CUBIN &&
            !(best.has_kernel && nearness(list.codes[i].cc) <= nearness(smp_code_cc(best.code))) &&
            smp_fat_open(&list.codes[i], &code, &why) == SMP_OK)
            offer(&best, code, file);
    smp_fat_free(&list);
    return choose(&best, file, &why, out, error);
}

static smp_status open_code(const smp_program_file *file, char *bytes, size_t size, smp_code **out,
                            smp_error *error) {
    smp_error bare;
    const smp_status status = smp_code_open_owned(bytes, size, out, &bare);
    return status == SMP_OK
               ? status
               : smp_error_set(error, status, -1, "%.160s: %.300s", file->path, bare.message);
}

static smp_status open_ptx(const smp_program_file *file, smp_code **out, smp_error *error) {
    smp_error why;
    const smp_status status = smp_program_assemble(file->path, arch_name(file), out, &why);
    return status == SMP_OK ? status
                            : smp_error_set(error, status, -1, "%.160s for %s: %.300s", file->path,
                                            arch_name(file), why.message);
}

static bool is_cubin(const char *bytes, size_t size) {
    return size > 20 && memcmp(bytes, "\177ELF", 4) == 0 && (uint8_t)bytes[18] == MACHINE_CUDA &&
           bytes[19] == 0;
}

bool smp_program_is_cubin(const char *path) {
    char head[32];
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    return is_cubin(head, size);
}

smp_status smp_program_split_words(smp_program_file *file, smp_error *error) {
    uint32_t at = 0;
    while (at < file->flag_count && strcmp(file->flags[at], "--") != 0)
        at++;
    if (at < file->flag_count) {
        file->arguments = file->flags + at + 1;
        file->argument_count = file->flag_count - at - 1;
        file->flag_count = at;
    }
    if (at == 0 || file->flags[0][0] == '-' || access(file->flags[0], F_OK) == 0)
        return SMP_OK;
    return smp_error_set(error, SMP_E_USAGE, -1,
                         "flags of nvcc follow --, and '%.60s' is not one; arguments of the "
                         "program follow a second --: smemprobe %.120s -- -- %.60s",
                         file->flags[0], file->path, file->flags[0]);
}

smp_status smp_program_open(const smp_program_file *file, smp_code **out, smp_error *error) {
    char *bytes;
    size_t size;
    *out = NULL;
    if (smp_name_ends(file->path, ".cu") || smp_name_ends(file->path, ".cuh"))
        return open_source(file, out, error);
    if (smp_name_ends(file->path, ".ptx"))
        return open_ptx(file, out, error);
    smp_status status = smp_tool_read(file->path, &bytes, &size, error);
    if (status != SMP_OK)
        return status;
    const bool is_known = smp_fat_known(bytes, size);
    if (is_cubin(bytes, size))
        return open_code(file, bytes, size, out, error);
    if (is_known)
        status = open_embedded(file, bytes, size, out, error);
    free(bytes);
    if (is_known)
        return status;
    return smp_error_set(error, SMP_E_READ, -1,
                         "%.160s: neither CUDA C++ (.cu, .cuh), PTX (.ptx), a cubin, nor a program",
                         file->path);
}
