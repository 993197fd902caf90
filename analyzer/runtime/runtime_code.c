/* SPDX-License-Identifier: MIT */
/*
 * From what compilers leave in a program to machine code for the device that is played: a cubin as
 * it is; of a container, what NVIDIA's cuobjdump takes out of it; where it holds no code that fits,
 * its PTX, assembled by ptxas.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"
#include "scratch_folder.h"
#include "tool.h"

enum { PATH_BYTES = 4096, NEWEST_CC = 90 };
static const uint8_t container_magic[4] = {0x50, 0xed, 0x55, 0xba};
static const uint8_t elf_magic[4] = {0x7f, 'E', 'L', 'F'};

static uint64_t number(const uint8_t *bytes, unsigned count) {
    uint64_t value = 0;
    memcpy(&value, bytes, count);
    return value;
}

/* A container: 4 bytes magic, 2 version, 2 header size, 8 size of the rest. */
static size_t container_size(const uint8_t *bytes) {
    return number(bytes + 6, 2) + number(bytes + 8, 8);
}

/* An ELF file ends with its section or program headers, or with the last section's bytes. */
static size_t elf_size(const uint8_t *bytes) {
    const uint64_t sections = number(bytes + 40, 8), count = number(bytes + 60, 2);
    const uint64_t programs = number(bytes + 32, 8), program_count = number(bytes + 56, 2);
    uint64_t end = sections + 64 * count;
    if (programs + 56 * program_count > end)
        end = programs + 56 * program_count;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *row = bytes + sections + 64 * i;
        const uint64_t last = number(row + 24, 8) + number(row + 32, 8);
        if (number(row + 4, 4) != 8 && last > end)
            end = last;
    }
    return end;
}

size_t rt_code_size(const void *data) {
    if (memcmp(data, container_magic, 4) == 0)
        return container_size(data);
    if (memcmp(data, elf_magic, 4) == 0)
        return elf_size(data);
    const char *text = data;
    text += strspn(text, " \t\r\n");
    return strncmp(text, "//", 2) == 0 || strncmp(text, ".version", 8) == 0 ? strlen(data) : 0;
}

/* ---- Tools that work in a folder ---- */

static bool write_file(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    const bool is_written = file && fwrite(data, 1, size, file) == size;
    return file && fclose(file) == 0 && is_written;
}

static smp_status extract(const char *folder, const char *what, smp_error *error) {
    char tool[PATH_BYTES];
    smp_status status = smp_tool_find("cuobjdump", tool, sizeof tool, error);
    if (status != SMP_OK)
        return status;
    char *argv[] = {tool, (char *)(uintptr_t)what, (char *)(uintptr_t) "all",
                    (char *)(uintptr_t) "code.fatbin", NULL};
    return smp_tool_run_in(folder, argv, error);
}

/* ---- Which of them ---- */

static bool ends_in(const char *text, const char *ending) {
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* Code runs on devices of its own major number that are not older; the newest such is best. While
 * no device has been chosen (`cc` 0), the newest that can be emulated. */
static bool is_better(uint32_t cc, uint32_t than, uint32_t device_cc) {
    const bool fits = device_cc == 0 ? cc <= NEWEST_CC && smp_arch_of_cc((int)cc / 10, (int)cc % 10)
                                     : cc / 10 == device_cc / 10 && cc <= device_cc;
    return fits && cc > than;
}

typedef struct best_code {
    smp_code *code;
    char *bytes;
} best_code;

static void offer(const char *path, uint32_t device_cc, best_code *best) {
    char *bytes;
    size_t size;
    smp_code *code;
    if (smp_tool_read(path, &bytes, &size, NULL) != SMP_OK)
        return;
    if (smp_code_open(bytes, size, &code, NULL) != SMP_OK) {
        free(bytes);
        return;
    }
    if (!is_better(smp_code_cc(code), best->code ? smp_code_cc(best->code) : 0, device_cc)) {
        smp_code_close(code);
        free(bytes);
        return;
    }
    smp_code_close(best->code);
    free(best->bytes);
    *best = (best_code){code, bytes};
}

static void offer_all(const char *folder, uint32_t device_cc, best_code *best) {
    char path[2 * PATH_BYTES];
    DIR *entries = opendir(folder);
    for (const struct dirent *e; entries && (e = readdir(entries));) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (ends_in(e->d_name, ".cubin"))
            offer(path, device_cc, best);
    }
    if (entries)
        (void)closedir(entries);
}

static void assemble(const char *path, uint32_t device_cc, best_code *best, smp_error *error) {
    char tool[PATH_BYTES], cubin[2 * PATH_BYTES + 8], arch[16], *text;
    size_t length;
    if (smp_tool_find("ptxas", tool, sizeof tool, error) != SMP_OK)
        return;
    (void)snprintf(arch, sizeof arch, "sm_%u", device_cc ? device_cc : NEWEST_CC);
    (void)snprintf(cubin, sizeof cubin, "%s.cubin", path);
    char *argv[] = {tool,
                    (char *)(uintptr_t) "-arch",
                    arch,
                    (char *)(uintptr_t) "-lineinfo",
                    (char *)(uintptr_t) "-o",
                    cubin,
                    (char *)(uintptr_t)path,
                    NULL};
    if (smp_tool_run(argv, &text, &length, error) == SMP_OK)
        offer(cubin, device_cc, best);
    free(text);
}

/* The newest PTX that is not newer than the device: names end in .sm_NN.ptx. */
static void assemble_best(const char *folder, uint32_t device_cc, best_code *best,
                          smp_error *error) {
    char path[2 * PATH_BYTES] = "";
    unsigned best_cc = 0, cc;
    DIR *entries = opendir(folder);
    for (const struct dirent *e; entries && (e = readdir(entries));) {
        const char *at = strstr(e->d_name, "sm_");
        if (!ends_in(e->d_name, ".ptx") || (at && sscanf(at, "sm_%u", &cc) != 1))
            continue;
        if (!at)
            cc = 1;
        if (cc <= best_cc || cc > (device_cc ? device_cc : NEWEST_CC))
            continue;
        best_cc = cc;
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    }
    if (entries)
        (void)closedir(entries);
    if (path[0])
        assemble(path, device_cc, best, error);
}

static cudaError_t open_in(const char *folder, const void *data, size_t size, uint32_t device_cc,
                           best_code *best, smp_error *error) {
    char path[2 * PATH_BYTES];
    const bool is_container = memcmp(data, container_magic, 4) == 0;
    (void)snprintf(path, sizeof path, "%s/code.%s", folder, is_container ? "fatbin" : "ptx");
    if (!write_file(path, data, size))
        return cudaErrorUnknown;
    if (is_container && extract(folder, "-xelf", error) != SMP_OK)
        return cudaErrorInvalidKernelImage;
    offer_all(folder, device_cc, best);
    if (!best->code && (!is_container || extract(folder, "-xptx", error) == SMP_OK))
        assemble_best(folder, device_cc, best, error);
    return best->code ? cudaSuccess : cudaErrorNoKernelImageForDevice;
}

static cudaError_t open_elf(const void *data, size_t size, smp_code **code, void **image) {
    *image = malloc(size);
    if (!*image)
        return cudaErrorMemoryAllocation;
    memcpy(*image, data, size);
    smp_error error;
    if (smp_code_open(*image, size, code, &error) == SMP_OK)
        return cudaSuccess;
    rt_note("machine code: %s", error.message);
    free(*image);
    *image = NULL;
    return cudaErrorInvalidKernelImage;
}

cudaError_t rt_code_open(const void *data, size_t size, uint32_t device_cc, smp_code **code,
                         void **image) {
    char folder[PATH_BYTES];
    best_code best = {0};
    smp_error error = {.message = ""};
    *code = NULL;
    *image = NULL;
    if (size == 0)
        return cudaErrorInvalidKernelImage;
    if (memcmp(data, elf_magic, 4) == 0)
        return open_elf(data, size, code, image);
    if (scratch_folder_make(folder, &error) != SMP_OK) {
        rt_note("machine code: %s", error.message);
        return cudaErrorUnknown;
    }
    const cudaError_t result = open_in(folder, data, size, device_cc, &best, &error);
    scratch_folder_remove(folder);
    if (error.message[0] && result != cudaSuccess)
        rt_note("machine code: %s", error.message);
    *code = best.code;
    *image = best.bytes;
    return result;
}
