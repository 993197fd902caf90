/* SPDX-License-Identifier: MIT */
/*
 * From a file to machine code.
 */
#define _GNU_SOURCE /* realpath */
#include "program_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler_said.h"
#include "fat_binary.h"
#include "launch_text.h"
#include "text_buffer.h"
#include "tool.h"

enum { PATH_BYTES = 4096, WORDS_MAX_COMPILER = 1024, MACHINE_CUDA = 190 };

static bool ends_in(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static const char *arch_name(const smp_program_file *file) {
    return file->arch != NULL ? file->arch->name : "sm_90";
}

/* A path that begins with '-' would be an option of the tool. */
static char *as_file(const char *path, char named[PATH_BYTES]) {
    (void)snprintf(named, PATH_BYTES, "%s%.4000s", path[0] == '-' ? "./" : "", path);
    return named;
}

/* ---- Compilers ---- */

typedef struct compiler_call {
    const char *tool; /* "nvcc" */
    const char *options[WORDS_MAX_COMPILER + 8];
    size_t count;
    char arch[64];           /* the option for it, if it is among them */
    const char *source, *to; /* files */
    const char *path;        /* whose project may have headers: source, or what it includes */
    const note_sink *notes;  /* NULL: only the first line of what it says is wanted */
} compiler_call;

/* *said: what it wrote, for the caller to free. */
static smp_status call_once(const compiler_call *call, const compiler_words *words, char **said,
                            smp_error *error) {
    char tool[PATH_BYTES], named[PATH_BYTES], arch[sizeof call->arch + 2], *text;
    const char *argv[WORDS_MAX_COMPILER + 16 + COMPILER_WORDS_MAX] = {tool};
    size_t length, used = 1;
    smp_status status = smp_tool_find(call->tool, tool, sizeof(tool), error);
    *said = NULL;
    if (status != SMP_OK)
        return status;
    for (size_t i = 0; i < call->count; i++)
        argv[used++] = call->options[i];
    argv[used++] = "-o";
    argv[used++] = call->to;
    argv[used++] = as_file(call->source, named);
    for (uint32_t i = 0; i < words->count; i++)
        if (strcmp(words->list[i], "a") != 0) {
            argv[used++] = words->list[i];
        } else if (argv[1] == call->arch) {
            (void)snprintf(arch, sizeof arch, "%sa", call->arch);
            argv[1] = arch;
        }
    status = smp_tool_run_said((char *const *)(uintptr_t)argv, &text, &length, said, error);
    free(text);
    return status;
}

static void note_words(const compiler_call *call, const compiler_words *words) {
    char text[1024];
    text_buffer out = TEXT_BUFFER(text);
    for (uint32_t i = 0; i < words->count; i++)
        if (strcmp(words->list[i], "a") == 0)
            note_add(call->notes, "compiled with %sa, since %s asks for it", call->arch,
                     call->tool);
        else
            text_join(&out, " ", "%s", words->list[i]);
    if (text[0] != '\0')
        note_add(call->notes, "assumed, since %s asks for it: -- %s", call->tool, text);
}

/* Again with what it asks for, as long as it asks for more. */
static smp_status call_compiler(const compiler_call *call, smp_error *error) {
    compiler_words words = {0};
    smp_status status;
    for (bool is_again = true; is_again;) {
        char *said;
        status = call_once(call, &words, &said, error);
        is_again = status == SMP_E_READ && compiler_words_add(&words, said, call->path);
        if (status == SMP_E_READ && !is_again && call->notes)
            compiler_said_show(call->tool, said, call->notes, error);
        free(said);
    }
    if (status == SMP_OK && words.count > 0)
        note_words(call, &words);
    compiler_words_clear(&words);
    return status;
}

/* The same to a cubin, which is opened. */
static smp_status compile(compiler_call *call, smp_code **out, smp_error *error) {
    char cubin[PATH_BYTES];
    smp_status status = smp_tool_file("", 0, ".cubin", cubin, sizeof(cubin), error);
    if (status != SMP_OK)
        return status;
    call->to = cubin;
    status = call_compiler(call, error);
    if (status == SMP_OK)
        status = smp_code_open_file(cubin, out, error);
    smp_tool_file_remove(cubin);
    return status;
}

/* nvcc with the chip, lines, these two words, the user's. */
static void start_nvcc(compiler_call *call, const smp_program_file *file, const char *source,
                       const char *first, const char *second) {
    *call =
        (compiler_call){.tool = "nvcc", .source = source, .path = file->path, .notes = file->notes};
    snprintf(call->arch, sizeof call->arch, "-arch=%s", arch_name(file));
    call->options[call->count++] = call->arch;
    call->options[call->count++] = "-lineinfo";
    call->options[call->count++] = first;
    if (second != NULL)
        call->options[call->count++] = second;
    for (uint32_t i = 0; i < file->flag_count && i < WORDS_MAX_COMPILER; i++)
        call->options[call->count++] = file->flags[i];
}

static smp_status run_nvcc(const smp_program_file *file, const char *source, smp_code **out,
                           smp_error *error) {
    compiler_call call;
    start_nvcc(&call, file, source, "-cubin", NULL);
    return compile(&call, out, error);
}

/* nvcc gives names to a shell, and the text below has them between quotes. */
static smp_status check_name(const char *path, smp_error *error) {
    return strpbrk(path, "\"\\$`\n\r") == NULL
               ? SMP_OK
               : smp_error_set(error, SMP_E_USAGE, -1,
                               "%.160s: nvcc would take a part of this name as a command of a "
                               "shell: rename it (without quotes, $, `, \\ and ends of lines)",
                               path);
}

smp_status smp_program_link(const smp_program_file *file, char *program, size_t size,
                            smp_error *error) {
    compiler_call call;
    smp_status status = check_name(file->path, error);
    if (status == SMP_OK)
        status = smp_tool_file("", 0, ".out", program, size, error);
    if (status != SMP_OK)
        return status;
    start_nvcc(&call, file, file->path, "-cudart", "shared");
    call.to = program;
    status = call_compiler(&call, error);
    if (status != SMP_OK)
        smp_tool_file_remove(program);
    return status;
}

/* A source that includes the file and uses the instance. */
static smp_status instantiate(const smp_program_file *file, smp_code **out, smp_error *error) {
    char text[2 * PATH_BYTES], source[PATH_BYTES], whole[PATH_BYTES];
    if (realpath(file->path, whole) == NULL)
        return smp_error_set(error, SMP_E_READ, -1, "%.180s: cannot be read: %s", file->path,
                             strerror(errno));
    smp_status status = check_name(whole, error);
    if (status != SMP_OK)
        return status;
    int length =
        snprintf(text, sizeof(text),
                 "#include \"%.3500s\"\nvoid *smemprobe_instance() { return (void *)%.500s; }\n",
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
    if (status != SMP_OK || strchr(file->kernel, '<') == NULL ||
        smp_launch_kernel(*out, file->kernel, &found, NULL) == SMP_OK)
        return status;
    smp_code *whole;
    smp_program_file quiet = *file;
    quiet.notes = NULL; /* what it says is not shown */
    status = instantiate(&quiet, &whole, error);
    if (status == SMP_E_USAGE) {
        smp_code_close(*out);
        *out = NULL;
        return status;
    }
    if (status != SMP_OK)
        return SMP_OK; /* the first one says what is there instead */
    smp_code_close(*out);
    *out = whole;
    return SMP_OK;
}

smp_status smp_program_assemble(const char *path, const char *arch, smp_code **out,
                                smp_error *error) {
    compiler_call call = {.tool = "ptxas",
                          .options = {"-arch", arch, "-lineinfo"},
                          .count = 3,
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
    char seen[128]; /* architectures, for the message */
} best_code;

/* Better is: has the kernel, then is of the wanted architecture, or of the newest modelled one. */
static void offer(best_code *best, smp_code *code, const smp_program_file *file) {
    const smp_function *found;
    char name[16];
    uint32_t cc = smp_code_cc(code);
    bool has_kernel = smp_launch_kernel(code, file->kernel, &found, NULL) == SMP_OK;
    snprintf(name, sizeof(name), " sm_%u", cc);
    if (has_kernel && strstr(best->seen, name) == NULL &&
        strlen(best->seen) + strlen(name) < sizeof(best->seen))
        strcat(best->seen, name);
    bool is_wanted = file->arch == NULL
                         ? smp_arch_of_cc((int)cc / 10, (int)cc % 10) != NULL && cc <= 90
                         : cc == 10u * file->arch->cc_major + file->arch->cc_minor;
    bool is_better = best->code == NULL || (has_kernel && is_wanted &&
                                            (!best->has_kernel || cc > smp_code_cc(best->code)));
    if (!is_better) {
        smp_code_close(code);
        return;
    }
    smp_code_close(best->code);
    best->code = code;
    best->has_kernel = has_kernel && is_wanted;
}

/* `why`: what was wrong with code that could not be read. Without the kernel, the launch's own
 * message says what is there. */
static smp_status choose(const best_code *best, const smp_program_file *file, const smp_error *why,
                         smp_code **out, smp_error *error) {
    *out = best->code;
    if (best->code == NULL && why->message[0] != '\0')
        return smp_error_set(error, SMP_E_READ, -1, "%.160s: %.300s", file->path, why->message);
    if (best->code == NULL)
        return smp_error_set(error, SMP_E_READ, -1,
                             "%.160s: no machine code for GPUs inside; kernels may be in a library "
                             "that it loads",
                             file->path);
    if (best->has_kernel || best->seen[0] == '\0')
        return SMP_OK;
    smp_code_close(best->code);
    *out = NULL;
    return smp_error_set(error, SMP_E_READ, -1,
                         "%.80s: no code for %s; there is:%s. Compile it with nvcc -arch=%s, or "
                         "choose with --arch",
                         file->path, arch_name(file), best->seen, arch_name(file));
}

/* What is no better than the code that was found is not unpacked. */
static smp_status open_embedded(const smp_program_file *file, const char *bytes, size_t size,
                                smp_code **out, smp_error *error) {
    smp_fat_list list;
    smp_error why = {.message = ""};
    best_code best = {.code = NULL};
    smp_code *code;
    (void)smp_fat_read(bytes, size, &list, &why);
    for (size_t i = 0; i < list.count; i++)
        if (list.codes[i].kind == SMP_FAT_CUBIN &&
            !(best.has_kernel && list.codes[i].cc <= smp_code_cc(best.code)) &&
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

smp_status smp_program_open(const smp_program_file *file, smp_code **out, smp_error *error) {
    char *bytes;
    size_t size;
    *out = NULL;
    if (ends_in(file->path, ".cu"))
        return open_source(file, out, error);
    if (ends_in(file->path, ".ptx"))
        return smp_program_assemble(file->path, arch_name(file), out, error);
    smp_status status = smp_tool_read(file->path, &bytes, &size, error);
    if (status != SMP_OK)
        return status;
    const bool is_known = smp_fat_known(bytes, size);
    if (is_known && size > 20 && (uint8_t)bytes[18] == MACHINE_CUDA && bytes[19] == 0)
        return open_code(file, bytes, size, out, error);
    if (is_known)
        status = open_embedded(file, bytes, size, out, error);
    free(bytes);
    if (is_known)
        return status;
    return smp_error_set(error, SMP_E_READ, -1,
                         "%.160s: neither CUDA C++ (.cu), PTX (.ptx), a cubin, nor a program",
                         file->path);
}
