/* SPDX-License-Identifier: MIT */
/*
 * Finds machine code for the emulated GPU in what compilers leave in a program. A cubin is taken as
 * it is. Of a container, the code that fits best is taken; if none fits, ptxas assembles its PTX.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat_binary.h"
#include "program_file.h"
#include "runtime.h"
#include "tool.h"

enum { PATH_BYTES = 4096, NEWEST_CC = 90 /* whose instructions were recorded */ };

/* An ELF file ends with its section or program headers, or with the last section's bytes. */
static size_t elf_size(const uint8_t *bytes) {
    Elf64_Ehdr head;
    Elf64_Shdr section;
    memcpy(&head, bytes, sizeof head);
    uint64_t end = head.e_shoff + sizeof section * head.e_shnum;
    if (head.e_phoff + sizeof(Elf64_Phdr) * head.e_phnum > end)
        end = head.e_phoff + sizeof(Elf64_Phdr) * head.e_phnum;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&section, bytes + head.e_shoff + sizeof section * i, sizeof section);
        if (section.sh_type != SHT_NOBITS && section.sh_offset + section.sh_size > end)
            end = section.sh_offset + section.sh_size;
    }
    return end;
}

size_t rt_code_size(const void *data) {
    if (smp_fat_size(data) > 0)
        return smp_fat_size(data);
    if (memcmp(data, ELFMAG, SELFMAG) == 0)
        return elf_size(data);
    const char *text = data;
    text += strspn(text, " \t\r\n");
    return strncmp(text, "//", 2) == 0 || strncmp(text, ".version", 8) == 0 ? strlen(data) : 0;
}

/* ---- The best of several ---- */

/* Code runs on devices with the same major number and at least its minor number; the newest that
 * runs is best. While no device has been chosen (`device_cc` 0), it is the one nearest to what was
 * recorded: the newest up to 9.0, else the oldest behind that. `than`: 0: none. */
static bool is_better(uint32_t cc, uint32_t than, uint32_t device_cc) {
    if (device_cc != 0)
        return cc / 10 == device_cc / 10 && cc <= device_cc && cc > than;
    const bool is_nearer =
        than == 0 || (cc <= NEWEST_CC ? cc > than || than > NEWEST_CC : cc < than);
    return is_nearer && smp_arch_of_cc((int)cc / 10, (int)cc % 10);
}

static smp_code *best_machine_code(const smp_fat_list *list, uint32_t device_cc, smp_error *error) {
    smp_code *best = NULL, *code;
    EACH(const smp_fat_code, row, list->codes, list->count) {
        if (row->kind != SMP_FAT_CUBIN ||
            !is_better(row->cc, best ? smp_code_cc(best) : 0, device_cc) ||
            smp_fat_open(row, &code, error) != SMP_OK)
            continue;
        smp_code_close(best);
        best = code;
    }
    return best;
}

/* The newest PTX that is not newer than the device, or NULL. */
static const smp_fat_code *best_ptx(const smp_fat_list *list, uint32_t device_cc) {
    const smp_fat_code *best = NULL;
    EACH(const smp_fat_code, row, list->codes, list->count)
        if (row->kind == SMP_FAT_PTX && row->cc <= (device_cc ? device_cc : NEWEST_CC) &&
            (!best || row->cc > best->cc))
            best = row;
    return best;
}

static smp_code *assemble(const char *ptx, size_t size, uint32_t device_cc, smp_error *error) {
    char path[PATH_BYTES], arch[16];
    smp_code *code = NULL;
    if (smp_tool_file(ptx, size, ".ptx", path, sizeof path, error) != SMP_OK)
        return NULL;
    (void)snprintf(arch, sizeof arch, "sm_%u", device_cc ? device_cc : NEWEST_CC);
    (void)smp_program_assemble(path, arch, &code, error);
    smp_tool_file_remove(path);
    return code;
}

static cudaError_t open_container(const void *data, size_t size, uint32_t device_cc,
                                  smp_code **code, smp_error *error) {
    smp_fat_list list;
    char *ptx;
    if (smp_fat_read(data, size, &list, error) != SMP_OK)
        return cudaErrorInvalidKernelImage;
    *code = best_machine_code(&list, device_cc, error);
    const smp_fat_code *source = *code ? NULL : best_ptx(&list, device_cc);
    if (source && smp_fat_unpack(source, &ptx, error) == SMP_OK) {
        *code = assemble(ptx, strlen(ptx), device_cc, error);
        free(ptx);
    }
    smp_fat_free(&list);
    return cudaErrorNoKernelImageForDevice;
}

static cudaError_t open_elf(const void *data, size_t size, smp_code **code, smp_error *error) {
    void *copy = malloc(size);
    if (!copy)
        return cudaErrorMemoryAllocation;
    memcpy(copy, data, size);
    (void)smp_code_open_owned(copy, size, code, error);
    return cudaErrorInvalidKernelImage;
}

cudaError_t rt_code_open(const void *data, size_t size, uint32_t device_cc, smp_code **code) {
    smp_error error = {.message = ""};
    cudaError_t without = cudaErrorNoKernelImageForDevice;
    *code = NULL;
    if (size == 0)
        return cudaErrorInvalidKernelImage;
    if (memcmp(data, ELFMAG, SELFMAG) == 0)
        without = open_elf(data, size, code, &error);
    else if (smp_fat_size(data) > 0)
        without = open_container(data, size, device_cc, code, &error);
    else
        *code = assemble(data, size, device_cc, &error);
    if (!*code && error.message[0])
        rt_note("machine code: %s", error.message);
    return *code ? cudaSuccess : without;
}
