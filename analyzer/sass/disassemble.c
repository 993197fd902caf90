/* SPDX-License-Identifier: MIT */
/*
 * Machine code as text: from the cache, else from one run of nvdisasm for all needed functions of a
 * cubin.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code_cache.h"
#include "cubin.h"
#include "list.h"
#include "text_span.h"
#include "tool.h"

enum {
    THREADS_MAX = 16,
    LIST_MAX_BYTES = 100000, /* of one argument; Linux allows 131072 */
    SMALL_BYTES = 96 << 10,  /* cubins up to this size are disassembled whole */
};

/* The functions of one cubin that still need instructions. */
typedef struct order {
    smp_code *code;
    smp_function **wanted;
    size_t count;
    smp_code_cache cache;
} order;

static bool is_wanted(const smp_function *function) {
    return function && function->symbol_index != 0 && !function->instructions;
}

/* Selects the functions of these names, with what they call if `has_called`. */
static bool make_order(smp_code *code, const char *const *names, size_t count, bool has_called,
                       order *out) {
    bool *is_reached = calloc(code->function_count + 1, sizeof(*is_reached));
    *out = (order){.code = code, .wanted = calloc(code->function_count + 1, sizeof(*out->wanted))};
    const bool is_fine = out->wanted && is_reached;
    for (size_t i = 0; is_fine && names && i < count; i++) {
        const smp_function *function = smp_code_find(code, names[i]);
        if (function && has_called)
            smp_cubin_reach(code, function, is_reached);
        else if (function)
            is_reached[function - code->functions] = true;
    }
    for (size_t i = 0; is_fine && i < code->function_count; i++)
        if ((!names || is_reached[i]) && is_wanted(&code->functions[i]))
            out->wanted[out->count++] = &code->functions[i];
    free(is_reached);
    return is_fine;
}

/* Links kernels with what they call, after everything is disassembled. */
static smp_status link_all(smp_code *code, const char *const *names, size_t count,
                           smp_error *error) {
    smp_status status = SMP_OK;
    const size_t most = names ? count : code->function_count;
    for (size_t i = 0; i < most && status == SMP_OK; i++) {
        smp_function *function =
            names ? (smp_function *)smp_code_find(code, names[i]) : &code->functions[i];
        if (function)
            status = smp_cubin_link(code, function, error);
    }
    return status;
}

static void forget(smp_function *function) {
    function->instructions = NULL;
    function->instruction_count = 0;
}

/* ---- From the cache ---- */

/* Removes the functions found in the cache. SMP_E_MEMORY or SMP_OK. */
static smp_status take_kept(order *in, smp_error *error) {
    size_t left = 0;
    smp_status status = SMP_OK;
    for (size_t i = 0; i < in->count; i++) {
        smp_function *function = in->wanted[i];
        char *text = status == SMP_OK ? smp_code_cache_get(&in->cache, function->name) : NULL;
        smp_status read = text ? smp_sass_text_read(in->code, text, error) : SMP_E_READ;
        if (text && (read != SMP_OK || !function->instructions)) {
            smp_code_cache_drop(&in->cache, function->name);
            forget(function);
            status = read == SMP_E_MEMORY ? read : status;
        }
        free(text);
        if (!function->instructions)
            in->wanted[left++] = function;
    }
    in->count = left;
    return status;
}

/* ---- From nvdisasm ---- */

/* Start of the next section, or the end. */
static char *next_section(char *text) {
    while (*text != '\0') {
        const char *word = text + strspn(text, " \t");
        if (strncmp(word, ".section\t", 9) == 0 || strncmp(word, ".section ", 9) == 0)
            return text;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

/* The function of the section `text`; NULL if none. */
static const smp_function *function_of(const order *in, const char *text, size_t length) {
    const smp_code *code = in->code;
    const char *name = memmem(text, strcspn(text, "\n"), ".text.", 6);
    if (!name || length == 0)
        return NULL;
    name += 6;
    const size_t name_length = strcspn(name, ",\"\n");
    return FIND(one, code->functions, code->function_count,
                one->symbol_index != 0 && strlen(one->name) == name_length &&
                    memcmp(one->name, name, name_length) == 0);
}

/* Reads the section at `at`, which belongs to the function. */
static smp_status take_section(order *in, const smp_function *function, const char *at,
                               size_t length, smp_error *error) {
    smp_status status = SMP_OK;
    if (ANY(one, in->wanted, in->count, *one == function)) {
        char *section = malloc(length + 1);
        if (!section)
            return smp_error_memory(error);
        memcpy(section, at, length);
        section[length] = '\0';
        status = smp_sass_text_read(in->code, section, error);
        free(section);
    }
    if (status == SMP_OK)
        smp_code_cache_put(&in->cache, function->name, at, length);
    return status;
}

/* ---- Source lines: nvdisasm prints one only where it changes, even between functions ---- */

static bool has_lines(const smp_code *code, const smp_function *function) {
    const cubin_section *lines = smp_cubin_section(code, ".debug_line");
    cubin_cursor cursor = {0};
    cubin_relocation one;
    while (lines && smp_cubin_relocation(code, (uint32_t)(lines - code->sections), &cursor, &one))
        if (smp_cubin_function_of(code, one.symbol) == function)
            return true;
    return false;
}

static size_t line_bytes(const char *line) {
    const size_t length = strcspn(line, "\n");
    return length + (line[length] == '\n');
}

/* Returns the first instruction of a section. *has_place: a source line is printed before it;
 * *place becomes the last one of the section if there is any, with those it is inlined in. */
static const char *first_instruction(text_span section, bool *has_place, text_span *place) {
    const char *first = NULL;
    bool is_open = false;
    *has_place = false;
    for (const char *line = section.text; line < section.text + section.length;
         line += line_bytes(line)) {
        const char *word = line + strspn(line, " \t");
        const bool is_place = strncmp(word, "//## File", 9) == 0;
        if (is_place)
            *place = (text_span){is_open ? place->text : line,
                                 (is_open ? place->length : 0) + line_bytes(line)};
        is_open = is_place;
        *has_place |= is_place && !first;
        if (!first && strncmp(word, "/*", 2) == 0)
            first = line;
    }
    return first;
}

/* Section by section, so that each can be cached by itself. */
static smp_status take_printed(order *in, char *text, smp_error *error) {
    smp_status status = SMP_OK;
    text_span place = {NULL, 0};
    for (char *at = next_section(text); status == SMP_OK && *at != '\0';) {
        char *end = next_section(at + strcspn(at, "\n")), *whole = NULL;
        text_span section = {at, (size_t)(end - at)};
        const text_span before = place;
        const smp_function *function = function_of(in, section.text, section.length);
        bool has_place;
        const char *first = first_instruction(section, &has_place, &place);
        if (function && first && !has_place && before.text && has_lines(in->code, function)) {
            const int length = asprintf(&whole, "%.*s%.*s%.*s", (int)(first - at), at,
                                        (int)before.length, before.text, (int)(end - first), first);
            if (length < 0)
                return smp_error_memory(error);
            section = (text_span){whole, (size_t)length};
        }
        if (function)
            status = take_section(in, function, section.text, section.length, error);
        free(whole);
        at = end;
    }
    return status;
}

/* "12,15": the symbols of the wanted functions; NULL for all. False if out of memory. */
static bool symbol_list(const order *in, char **list) {
    size_t length = 0;
    *list = NULL;
    if (12 * in->count > LIST_MAX_BYTES)
        return true;
    *list = malloc(12 * in->count + 1);
    for (size_t i = 0; *list && i < in->count; i++)
        length +=
            (size_t)sprintf(*list + length, "%s%u", i > 0 ? "," : "", in->wanted[i]->symbol_index);
    return *list;
}

/* Disassembles the functions of the list, or all functions of a small cubin, which takes no longer:
 * the rest is cached for its first launch. A function that nvdisasm cannot print must not hide the
 * others. */
static smp_status run_tool(const order *in, char *tool, char *path, char *list, char **text,
                           smp_error *error) {
    size_t length;
    char *few[] = {tool, "-gi", "-c", path, list ? "-fun" : NULL, list, NULL};
    char *all[] = {tool, "-gi", "-c", path, NULL};
    const bool is_small = in->code->size <= SMALL_BYTES && in->cache.folder[0] != '\0';
    if (is_small && smp_tool_run(all, text, &length, error) == SMP_OK)
        return SMP_OK;
    return smp_tool_run(few, text, &length, error);
}

static smp_status print(order *in, char *tool, smp_error *error) {
    char path[4096];
    char *list, *text = NULL;
    if (!symbol_list(in, &list))
        return smp_error_memory(error);
    smp_status status =
        smp_tool_file(in->code->bytes, in->code->size, ".cubin", path, sizeof(path), error);
    if (status == SMP_OK) {
        status = run_tool(in, tool, path, list, &text, error);
        smp_tool_file_remove(path);
    }
    if (status == SMP_OK)
        status = take_printed(in, text, error);
    free(text);
    free(list);
    return status;
}

static smp_status disassemble(smp_code *code, const char *const *names, size_t count,
                              bool has_called, smp_error *error) {
    char tool[4096];
    order in;
    if (!make_order(code, names, count, has_called, &in))
        return smp_error_memory(error);
    smp_status status = SMP_OK;
    if (in.count > 0 && (status = smp_tool_find("nvdisasm", tool, sizeof(tool), error)) == SMP_OK &&
        (status = smp_code_cache_open(code->bytes, code->size, tool, &in.cache, error)) == SMP_OK)
        status = take_kept(&in, error);
    if (in.count > 0 && status == SMP_OK)
        status = print(&in, tool, error);
    if (status == SMP_OK && has_called)
        status = link_all(code, names, count, error);
    smp_code_cache_close(&in.cache);
    free(in.wanted);
    return status;
}

smp_status smp_code_disassemble(smp_code *code, const char *const *names, size_t count,
                                smp_error *error) {
    return disassemble(code, names, count, true, error);
}

/* ---- Several ---- */

typedef struct crew {
    smp_disassembly_job *jobs;
    size_t count;
    atomic_size_t next;
} crew;

static void *work(void *user) {
    crew *all = user;
    for (size_t i; (i = atomic_fetch_add(&all->next, 1)) < all->count;) {
        smp_disassembly_job *job = &all->jobs[i];
        job->status = disassemble(job->code, job->names, job->count, false, &job->error);
    }
    return NULL;
}

static size_t processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

void smp_codes_disassemble(smp_disassembly_job *jobs, size_t count) {
    crew all = {.jobs = jobs, .count = count};
    pthread_t threads[THREADS_MAX];
    size_t wanted = processors(), started = 0;
    wanted = wanted > THREADS_MAX ? THREADS_MAX : wanted;
    wanted = wanted > count ? count : wanted;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, &all) == 0)
        started++;
    work(&all);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
}
