/* SPDX-License-Identifier: MIT */
/*
 * Reads the one large object in an archive: its code, the places that the linker fills in, and its
 * symbols. The object is found in a program where 99 of 100 of its other bytes are equal; the rest
 * are instructions that the linker shortened. If it is not found, as in cuDNN and NPP, its
 * functions are searched one by one around a part of it that is.
 */
#define _GNU_SOURCE /* memmem */
#include "inner_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAGIC_BYTES = 8,
    HEADER_BYTES = 60, /* of a member of an archive */
    SIZE_AT = 48,      /* its size, as digits */
    SIZE_DIGITS = 10,
    CODE_LEAST = 65536,
    PROBE_BYTES = 48, /* without an address: long enough to be rare */
    PROBES = 8,
    RUN_LEAST = 8, /* of a function; its other bytes are all compared */
};

bool inner_runtime_next(const char **list, char path[INNER_PATH_BYTES]) {
    if (!*list || **list == '\0')
        return false;
    const size_t length = strcspn(*list, ":");
    (void)snprintf(path, INNER_PATH_BYTES, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ':');
    return true;
}

/* ---- The archive ---- */

/* Reads the first bytes of a file smaller than INT32_MAX; NULL if there is none, or out of memory.
 */
static uint8_t *read_whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    uint8_t *bytes = length > MAGIC_BYTES && length < INT32_MAX ? malloc((size_t)length) : NULL;
    *size = bytes ? (size_t)length : 0;
    if (bytes && (fseek(file, 0, SEEK_SET) != 0 || fread(bytes, 1, *size, file) != *size)) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        (void)fclose(file);
    return bytes;
}

const Elf64_Shdr *inner_runtime_section(const uint8_t *file, size_t size, unsigned i) {
    const Elf64_Ehdr *header = (const void *)file;
    const size_t at = header->e_shoff;
    if (i >= header->e_shnum || at % 8 != 0 || at > size || (size - at) / sizeof(Elf64_Shdr) <= i)
        return NULL;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(const void *)(file + at) + i;
    return section->sh_offset <= size && section->sh_size <= size - section->sh_offset ? section
                                                                                       : NULL;
}

static const Elf64_Shdr *section_at(const inner_runtime *in, unsigned i) {
    return inner_runtime_section(in->object, in->object_bytes, i);
}

/* Returns the rows of a section of `type`; NULL if it has another type, or they are not aligned. */
static const void *rows_of(const inner_runtime *in, const Elf64_Shdr *section, uint32_t type) {
    return section->sh_type == type && section->sh_offset % 8 == 0 ? in->object + section->sh_offset
                                                                   : NULL;
}

static void open_places(inner_runtime *out, const Elf64_Rela *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t type = ELF64_R_TYPE(rows[i].r_info);
        const bool is_shorter = type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
        const size_t before = is_shorter && rows[i].r_offset >= 2
                                  ? 2
                                  : 0; /* a load that the linker made an addition */
        const size_t at = rows[i].r_offset - before;
        const size_t bytes = before + (type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4);
        for (size_t k = 0; k < bytes && at < out->code_bytes - k; k++)
            out->is_open[at + k] = 1;
    }
}

/* Returns the first large section of code. */
static bool find_code(inner_runtime *out) {
    const Elf64_Shdr *section;
    for (unsigned i = 0; (section = section_at(out, i)); i++)
        if (section->sh_type == SHT_PROGBITS && (section->sh_flags & SHF_EXECINSTR) &&
            section->sh_size >= CODE_LEAST) {
            out->code = out->object + section->sh_offset;
            out->code_bytes = section->sh_size;
            out->code_section = i;
            out->is_open = calloc(1, section->sh_size);
            return out->is_open;
        }
    return false;
}

static void take_section(inner_runtime *out, const Elf64_Shdr *section) {
    const Elf64_Shdr *texts = section_at(out, section->sh_link);
    const Elf64_Rela *places = rows_of(out, section, SHT_RELA);
    const Elf64_Sym *symbols = rows_of(out, section, SHT_SYMTAB);
    if (places && section->sh_info == out->code_section)
        open_places(out, places, section->sh_size / sizeof *places);
    if (!symbols || !texts || texts->sh_size == 0 ||
        out->object[texts->sh_offset + texts->sh_size - 1] != '\0')
        return;
    out->symbols = symbols;
    out->symbol_count = section->sh_size / sizeof *symbols;
    out->names = (const char *)out->object + texts->sh_offset;
    out->name_bytes = texts->sh_size;
}

static bool has_function(const void *runtime, const char *name) {
    const inner_runtime *r = runtime;
    return memmem(r->names, r->name_bytes, name, strlen(name) + 1);
}

static bool take_object(inner_runtime *out) {
    const Elf64_Shdr *section;
    if (out->object_bytes < sizeof(Elf64_Ehdr) || memcmp(out->object, ELFMAG, SELFMAG) != 0 ||
        !find_code(out))
        return false;
    for (unsigned i = 0; (section = section_at(out, i)); i++)
        take_section(out, section);
    if (out->symbols)
        out->library = inner_runtime_version(has_function, out);
    return out->library[0] != '\0';
}

bool inner_runtime_open(const char *path, inner_runtime *out) {
    size_t size, at = MAGIC_BYTES, length = 0;
    uint8_t *archive = read_whole(path, &size);
    bool is_found = false;
    *out = (inner_runtime){.library = ""};
    if (archive && memcmp(archive, "!<arch>\n", MAGIC_BYTES) == 0)
        for (; !is_found && size - at > HEADER_BYTES; at += length + (length & 1)) {
            char digits[SIZE_DIGITS + 1] = "";
            memcpy(digits, archive + at + SIZE_AT, SIZE_DIGITS);
            length = strtoul(digits, NULL, 10);
            at += HEADER_BYTES;
            if (length >= size - at) /* padded to an even size, except perhaps the last */
                length = size - at;
            inner_runtime_close(out);
            out->object = malloc(length + 1); /* which is aligned */
            out->object_bytes = out->object ? length : 0;
            if (out->object)
                memcpy(out->object, archive + at, length);
            is_found = out->object && take_object(out);
            if (length == size - at)
                break;
        }
    free(archive);
    if (!is_found)
        inner_runtime_close(out);
    return is_found;
}

void inner_runtime_close(inner_runtime *runtime) {
    free(runtime->object);
    free(runtime->is_open);
    *runtime = (inner_runtime){.library = ""};
}

/* ---- Found again ---- */

static bool is_here(const inner_runtime *r, const uint8_t *at) {
    size_t fixed = 0, other = 0;
    for (size_t i = 0; i < r->code_bytes; i++) {
        fixed += !r->is_open[i];
        other += !r->is_open[i] && at[i] != r->code[i];
    }
    return other <= fixed / 100;
}

/* Returns the beginning of the object in one piece; else NULL, and stores in `near` where it would
 * begin by a part that was found. */
static const uint8_t *find_by(const inner_runtime *r, size_t probe, const uint8_t *bytes,
                              size_t size, const uint8_t **near) {
    const uint8_t *end = bytes + size, *next = bytes, *hit;
    while ((hit = memmem(next, (size_t)(end - next), r->code + probe, PROBE_BYTES))) {
        next = hit + 1;
        if ((size_t)(hit - bytes) < probe)
            continue;
        *near = hit - probe;
        if ((size_t)(end - hit) >= r->code_bytes - probe && is_here(r, hit - probe))
            return hit - probe;
    }
    return NULL;
}

static const uint8_t *find_whole(const inner_runtime *runtime, const uint8_t *bytes, size_t size,
                                 const uint8_t **near) {
    const uint8_t *found = NULL;
    size_t run = 0;
    unsigned probes = 0;
    if (size < runtime->code_bytes)
        return NULL;
    for (size_t i = 0; !found && probes < PROBES && i < runtime->code_bytes; i++) {
        run = runtime->is_open[i] ? 0 : run + 1;
        if (run < PROBE_BYTES)
            continue;
        found = find_by(runtime, i + 1 - PROBE_BYTES, bytes, size, near);
        probes++;
        run = 0;
        i += runtime->code_bytes / PROBES / 2; /* elsewhere */
    }
    return found;
}

/* ---- Function by function ---- */

/* The bytes to search: those around the part that was found. */
typedef struct window {
    const inner_runtime *of;
    const uint8_t *begin, *end;
    ptrdiff_t shift; /* of the function before */
} window;

static bool is_at(const window *w, size_t from, size_t bytes, const uint8_t *at) {
    if (at < w->begin || at > w->end || (size_t)(w->end - at) < bytes)
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (!w->of->is_open[from + i] && at[i] != w->of->code[from + i])
            return false;
    return true;
}

/* Finds the longest run of bytes that the linker leaves alone, and returns its length. */
static size_t longest_run(const inner_runtime *r, size_t from, size_t bytes, size_t *begin) {
    size_t best = 0, run = 0;
    for (size_t i = from; i < from + bytes; i++) {
        run = r->is_open[i] ? 0 : run + 1;
        if (run > best) {
            best = run;
            *begin = i + 1 - run;
        }
    }
    return best;
}

/* As far from its place in the archive as the function before, or else where it occurs exactly
 * once. */
static const uint8_t *find_function(window *w, const Elf64_Sym *symbol) {
    const size_t from = symbol->st_value, bytes = symbol->st_size;
    const uint8_t *only = NULL, *next = w->begin, *hit;
    size_t run = 0, length;
    if (bytes == 0 || bytes > w->of->code_bytes - from)
        return NULL;
    if (is_at(w, from, bytes, w->of->code + from + w->shift))
        return w->of->code + from + w->shift;
    length = longest_run(w->of, from, bytes, &run);
    while (length >= RUN_LEAST &&
           (hit = memmem(next, (size_t)(w->end - next), w->of->code + run, length))) {
        next = hit + 1;
        if (!is_at(w, from, bytes, hit - (run - from)))
            continue;
        if (only)
            return NULL;
        only = hit - (run - from);
    }
    if (only)
        w->shift = only - (w->of->code + from);
    return only;
}

typedef struct function_row {
    uint64_t place; /* in the archive */
    size_t symbol;
} function_row;

static int by_place(const void *a, const void *b) {
    const uint64_t one = ((const function_row *)a)->place, other = ((const function_row *)b)->place;
    return (one > other) - (one < other);
}

/* Another build of the same code has its functions in another order. Other versions share some
 * internal functions, but hardly any that programs call. */
static bool find_functions(window *w, const uint8_t **functions) {
    const inner_runtime *r = w->of;
    function_row *rows = calloc(r->symbol_count + 1, sizeof *rows);
    size_t count = 0, found = 0, at;
    const char *name;
    for (size_t i = 0; rows && i < r->symbol_count; i++)
        if ((name = inner_runtime_function(r, i, &at)) &&
            (strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0))
            rows[count++] = (function_row){at, i};
    memset(functions, 0, r->symbol_count * sizeof *functions);
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_place);
    for (size_t i = 0; i < 2 * count;
         i++) { /* and once more relative to the next one: some are alike */
        const function_row *row = &rows[i < count ? i : 2 * count - 1 - i];
        const uint8_t **place = &functions[row->symbol];
        if (*place)
            w->shift = *place - (r->code + row->place);
        else if ((*place = find_function(w, &r->symbols[row->symbol])))
            found++;
    }
    free(rows);
    return count > 0 && found >= count - count / 4;
}

bool inner_runtime_find(const inner_runtime *runtime, const void *bytes, size_t size,
                        const uint8_t **functions) {
    const uint8_t *begin = bytes, *near = NULL, *whole = find_whole(runtime, begin, size, &near);
    const size_t reach = 2 * runtime->code_bytes;
    size_t at;
    for (size_t i = 0; whole && i < runtime->symbol_count; i++)
        functions[i] = inner_runtime_function(runtime, i, &at) ? whole + at : NULL;
    if (whole || !near)
        return whole;
    window around = {
        .of = runtime, .begin = begin, .end = begin + size, .shift = near - runtime->code};
    if ((size_t)(near - begin) > reach)
        around.begin = near - reach;
    if ((size_t)(around.end - near) > reach + runtime->code_bytes)
        around.end = near + reach + runtime->code_bytes;
    return find_functions(&around, functions);
}

const char *inner_runtime_function(const inner_runtime *runtime, size_t i, size_t *at) {
    const Elf64_Sym *symbol = &runtime->symbols[i];
    *at = symbol->st_value;
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
                   symbol->st_shndx == runtime->code_section &&
                   symbol->st_value < runtime->code_bytes && symbol->st_name < runtime->name_bytes
               ? runtime->names + symbol->st_name
               : NULL;
}

const char *inner_runtime_version(bool (*has)(const void *names, const char *name),
                                  const void *names) {
    if (!has(names, "cudaGetDeviceProperties"))
        return "";
    if (has(names, "cudaGetDeviceProperties_v2")) /* renamed in 12 */
        return "libcudart.so.12";
    if (!has(names, "cudaBindTexture")) /* removed after 11 */
        return "libcudart.so.13";
    /* missing in 10 */
    return has(names, "cudaOccupancyAvailableDynamicSMemPerBlock") ? "libcudart.so.11.0" : "";
}
