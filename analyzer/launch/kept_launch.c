/* SPDX-License-Identifier: MIT */
/*
 * Finds and copies the memory that a launch can reach from its parameters, before and after it;
 * writes and reads the launch as a folder (kept_writer.h describes the format).
 */
#include "kept_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linked.h"
#include "list.h"
#include "tool.h"

enum { UNNAMED_GAP = 4096 };

/* An address that no driver uses. */
#define UNNAMED_ADDRESS 0x0f2000000000ull

static uint8_t *copy_bytes(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size + 1);
    if (copy && size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

/* ---- Which arrays ---- */

static bool has_array(const smp_kept_launch *launch, uint64_t address) {
    return ANY(one, launch->arrays, launch->array_count, one->address == address);
}

/* Adds the array that holds `address` unless it is in the list; false if out of memory. */
static bool keep_array(const smp_emu_memory *memory, uint64_t address, bool is_known,
                       smp_kept_launch *out) {
    const smp_emu_array *found = address == 0 ? NULL : smp_emu_memory_find(memory, address);
    if (!found || !found->bytes || has_array(out, found->address))
        return true;
    if (!LIST_ROOM(out->arrays, out->array_count))
        return false;
    smp_kept_array *kept = &out->arrays[out->array_count++];
    kept->address = found->address;
    kept->size_bytes = found->size_bytes;
    kept->name = strdup(found->name);
    kept->is_unread = !is_known;
    if (!is_known || smp_kept_is_zero(found->bytes, found->size_bytes))
        return kept->name;
    kept->before = copy_bytes(found->bytes, found->size_bytes);
    return kept->name && kept->before;
}

static bool keep_pointed_at(const smp_emu_memory *memory, const uint8_t *bytes, uint64_t size,
                            bool is_known, smp_kept_launch *out) {
    for (uint64_t at = 0; at + 8 <= size; at += 8) {
        uint64_t address;
        memcpy(&address, bytes + at, 8);
        if (!keep_array(memory, address, is_known, out))
            return false;
    }
    return true;
}

static bool keep_variables(const smp_code *code, const smp_emu_module *module,
                           const smp_emu_memory *memory, bool is_known, smp_kept_launch *out) {
    for (uint32_t i = 0; module && i < code->symbol_count; i++) {
        if (module->address[i] == 0)
            continue;
        if (!LIST_ROOM(out->variables, out->variable_count))
            return false;
        smp_kept_variable *kept = &out->variables[out->variable_count++];
        *kept = (smp_kept_variable){i, strdup(code->symbols[i].name), module->address[i]};
        const smp_emu_array *array = smp_emu_memory_find(memory, module->address[i]);
        const bool is_constant = array && array->bytes == module->constant;
        if (is_constant)
            out->constants = array->address;
        if (!kept->name || !keep_array(memory, module->address[i], is_known || is_constant, out))
            return false;
    }
    return true;
}

static void copy_shape(const smp_launch *launch, smp_kept_launch *out) {
    memcpy(out->grid, launch->grid, sizeof(out->grid));
    memcpy(out->block, launch->block, sizeof(out->block));
    memcpy(out->cluster, launch->cluster, sizeof(out->cluster));
    out->dynamic_shared_bytes = launch->dynamic_shared_bytes;
    out->is_cooperative = launch->is_cooperative;
}

smp_status smp_kept_take(const smp_code *code, const smp_function *function,
                         const smp_launch *launch, const smp_emu_memory *memory, bool is_known,
                         smp_kept_launch *out, smp_error *error) {
    memset(out, 0, sizeof(*out));
    copy_shape(launch, out);
    out->kernel = strdup(function->name);
    out->demangled = function->demangled ? strdup(function->demangled) : NULL;
    out->code = copy_bytes(code->bytes, code->size);
    out->code_bytes = code->size;
    out->parameters = copy_bytes(launch->parameters, function->parameter_bytes);
    out->parameter_bytes = function->parameter_bytes;
    bool is_fine = out->kernel && out->code && out->parameters &&
                   keep_variables(code, launch->module, memory, is_known, out) &&
                   keep_pointed_at(memory, out->parameters, out->parameter_bytes, is_known, out);
    for (uint32_t i = 0; i < out->array_count && is_fine; i++) /* the list grows beyond i */
        if (out->arrays[i].before)
            is_fine = keep_pointed_at(memory, out->arrays[i].before, out->arrays[i].size_bytes,
                                      is_known, out);
    if (is_fine)
        return SMP_OK;
    smp_kept_clear(out);
    return smp_error_memory(error);
}

static bool is_as_before(const smp_kept_array *kept, const uint8_t *now) {
    return kept->before ? memcmp(kept->before, now, kept->size_bytes) == 0
                        : smp_kept_is_zero(now, kept->size_bytes);
}

smp_status smp_kept_take_after(const smp_emu_memory *memory, smp_kept_launch *launch,
                               smp_error *error) {
    EACH(smp_kept_array, kept, launch->arrays, launch->array_count) {
        const smp_emu_array *now = smp_emu_memory_find(memory, kept->address);
        if (!now || !now->bytes || is_as_before(kept, now->bytes))
            continue;
        kept->after = copy_bytes(now->bytes, kept->size_bytes);
        if (!kept->after)
            return smp_error_memory(error);
    }
    return SMP_OK;
}

/* ---- Back into memory ---- */

/* Memory that was not read: smp_kept_unplace releases it. */
static smp_status place_unread(const smp_kept_array *kept, bool is_noise, smp_emu_memory *memory,
                               smp_error *error) {
    uint8_t *bytes = emu_unread_map(kept->size_bytes, is_noise);
    if (bytes && smp_emu_memory_place(memory, kept->name, kept->address, kept->size_bytes, bytes))
        return SMP_OK;
    emu_unread_unmap(bytes, kept->size_bytes);
    return smp_error_memory(error);
}

void smp_kept_unplace(const smp_kept_launch *launch, smp_emu_memory *memory) {
    EACH(const smp_kept_array, kept, launch->arrays, launch->array_count) {
        const smp_emu_array *made =
            kept->is_unread ? smp_emu_memory_find(memory, kept->address) : NULL;
        if (made)
            emu_unread_unmap(made->bytes, kept->size_bytes);
    }
    smp_emu_memory_clear(memory);
}

static smp_status place_array(const smp_kept_array *kept, smp_emu_memory *memory,
                              smp_error *error) {
    uint8_t *bytes = calloc(1, kept->size_bytes + 16);
    smp_emu_array *made =
        bytes ? smp_emu_memory_place(memory, kept->name, kept->address, kept->size_bytes, bytes)
              : NULL;
    if (!made) {
        free(bytes);
        return smp_error_memory(error);
    }
    made->is_borrowed = false;
    if (kept->before)
        memcpy(bytes, kept->before, kept->size_bytes);
    return SMP_OK;
}

static uint8_t *bytes_of(void *memory, uint64_t address) {
    smp_emu_array *array = smp_emu_memory_find(memory, address);
    return array ? array->bytes + (address - array->address) : NULL;
}

/* Variables without a name in the run (printf formats, for example), as in the code. */
static smp_status place_unnamed(const smp_code *code, bool is_as_code, smp_emu_memory *memory,
                                smp_emu_module *module, smp_error *error) {
    uint64_t next = UNNAMED_ADDRESS;
    for (uint32_t i = 0; i < code->symbol_count; i++) {
        const cubin_symbol *symbol = &code->symbols[i];
        const cubin_section *section = emu_variable_section(code, symbol);
        if (module->address[i] != 0 || !section)
            continue;
        const smp_kept_array array = {
            .name = (char *)(uintptr_t)symbol->name,
            .address = next,
            .size_bytes = symbol->size_bytes,
            .before = section->bytes ? (uint8_t *)(uintptr_t)section->bytes + symbol->value : NULL};
        const smp_status status = place_array(&array, memory, error);
        if (status != SMP_OK)
            return status;
        module->address[i] = next;
        next += (symbol->size_bytes + UNNAMED_GAP) / 256 * 256;
    }
    if (is_as_code)
        smp_emu_relocate(code, module->address, bytes_of, memory);
    return SMP_OK;
}

smp_status smp_kept_place(const smp_kept_launch *launch, const smp_code *code,
                          smp_emu_memory *memory, smp_emu_module *module, smp_error *error) {
    smp_status status = SMP_OK;
    module->address = calloc((size_t)code->symbol_count + 1, sizeof(*module->address));
    if (!module->address)
        return smp_error_memory(error);
    for (uint32_t i = 0; i < launch->array_count && status == SMP_OK; i++)
        status = launch->arrays[i].is_unread
                     ? place_unread(&launch->arrays[i], launch->is_noise, memory, error)
                     : place_array(&launch->arrays[i], memory, error);
    for (uint32_t i = 0; i < launch->variable_count; i++)
        if (launch->variables[i].symbol < code->symbol_count)
            module->address[launch->variables[i].symbol] = launch->variables[i].address;
    const smp_emu_array *constants =
        launch->constants == 0 ? NULL : smp_emu_memory_find(memory, launch->constants);
    if (constants && constants->size_bytes <= UINT32_MAX) {
        module->constant = constants->bytes;
        module->constant_bytes = (uint32_t)constants->size_bytes;
    }
    return status != SMP_OK
               ? status
               : place_unnamed(code, launch->variable_count == 0, memory, module, error);
}

bool smp_kept_differs(const smp_kept_launch *launch, const smp_emu_memory *memory, uint32_t *array,
                      uint64_t *byte) {
    for (*array = 0; *array < launch->array_count; ++*array) {
        const smp_kept_array *kept = &launch->arrays[*array];
        const uint8_t *wanted = kept->after ? kept->after : kept->before;
        const smp_emu_array *now = smp_emu_memory_find(memory, kept->address);
        for (*byte = 0; now && *byte < kept->size_bytes; ++*byte)
            if (now->bytes[*byte] != (wanted ? wanted[*byte] : 0))
                return true;
    }
    return false;
}

/* ---- As a folder of files ---- */

enum {
    PATH_BYTES = 4096,
    SCHEMA_VERSION = 1,
    ARRAYS_MAX = 1 << 20,
    TEXT_BYTES_MAX = 256 << 20,
    CODE_BYTES_MAX = 1 << 30,
};

/* ---- Writing ---- */

smp_status smp_kept_write(const smp_kept_launch *launch, const char *folder, smp_error *error) {
    if (mkdir(folder, 0700) != 0)
        return smp_error_set(error, errno == EEXIST ? SMP_E_EXISTS : SMP_E_WRITE, -1, "%.160s: %s",
                             folder, strerror(errno));
    return smp_kept_put(folder, launch) == 0
               ? SMP_OK
               : smp_error_set(error, SMP_E_WRITE, -1, "%.160s could not be written", folder);
}

/* ---- Reading ---- */

typedef struct reader {
    const char *folder;
    smp_status status;
    smp_error *error;
} reader;

static void wrong(reader *in, const char *field) {
    if (in->status == SMP_OK)
        in->status =
            smp_error_set(in->error, SMP_E_SYNTAX, -1,
                          "%.160s/launch.json: '%s' is missing or wrong", in->folder, field);
}

/* Reads the integer `value` of a field, from `least` to `most`. */
static uint64_t number_of(reader *in, const json_t *value, const char *field, json_int_t least,
                          uint64_t most) {
    const json_int_t number = json_integer_value(value);
    if (json_is_integer(value) && number >= least && (uint64_t)number <= most)
        return (uint64_t)number;
    wrong(in, field);
    return 0;
}

static uint64_t take_number(reader *in, const json_t *from, const char *field, uint64_t most) {
    return number_of(in, json_object_get(from, field), field, 0, most);
}

static char *take_text(reader *in, const json_t *from, const char *field, bool may_be_null) {
    const char *text = json_string_value(json_object_get(from, field));
    char *copy = text ? strdup(text) : NULL;
    if (!copy && !may_be_null)
        wrong(in, field);
    return copy;
}

static void take_shape(reader *in, const json_t *from, const char *field, uint32_t shape[3]) {
    const json_t *list = json_object_get(from, field);
    for (unsigned i = 0; i < 3; i++)
        shape[i] = (uint32_t)number_of(in, json_array_get(list, i), field, 1, INT32_MAX);
}

static int digit(char c) {
    const char *digits = "0123456789abcdef", *at = c == '\0' ? NULL : strchr(digits, c);
    return at ? (int)(at - digits) : -1;
}

static void take_parameters(reader *in, const json_t *root, smp_kept_launch *out) {
    const char *text = json_string_value(json_object_get(root, "parameters"));
    const size_t length = text ? strlen(text) : 1;
    out->parameters = length % 2 != 0 || length > 65536 ? NULL : calloc(1, length / 2 + 16);
    if (!out->parameters) {
        wrong(in, "parameters");
        return;
    }
    out->parameter_bytes = (uint32_t)(length / 2);
    for (size_t i = 0; i < length; i++) {
        const int value = digit(text[i]);
        if (value < 0)
            wrong(in, "parameters");
        else
            out->parameters[i / 2] |= (uint8_t)(value << (i % 2 == 0 ? 4 : 0));
    }
}

static void wrong_file(reader *in, const char *name, const char *why) {
    if (in->status == SMP_OK)
        in->status =
            smp_error_set(in->error, SMP_E_READ, -1, "%.120s/%.60s: %.100s", in->folder, name, why);
}

static uint8_t *take_regular(reader *in, const char *name, int file, size_t most, size_t *size) {
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        wrong_file(in, name, "is not a regular file");
        return NULL;
    }
    if ((uint64_t)about.st_size > most) {
        char why[96];
        (void)snprintf(why, sizeof(why), "has %lld bytes, more than the allowed %zu",
                       (long long)about.st_size, most);
        wrong_file(in, name, why);
        return NULL;
    }
    char *bytes = NULL;
    if (smp_tool_drain(file, &bytes, size) == SMP_OK && *size == (size_t)about.st_size)
        return (uint8_t *)bytes;
    free(bytes);
    wrong_file(in, name, "could not be read completely");
    return NULL;
}

/* Reads a file of at most `most` bytes in the folder itself. Links, pipes and devices are refused,
 * as anybody may have made the folder. */
static uint8_t *take_file(reader *in, const char *name, size_t most, size_t *size) {
    char path[PATH_BYTES];
    if (strchr(name, '/') || strcmp(name, "..") == 0)
        wrong(in, name);
    if (in->status != SMP_OK)
        return NULL;
    (void)snprintf(path, sizeof path, "%.3900s/%.100s", in->folder, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        wrong_file(in, name, errno == ELOOP ? "is a symbolic link" : strerror(errno));
        return NULL;
    }
    uint8_t *bytes = take_regular(in, name, file, most, size);
    (void)close(file);
    return bytes;
}

static uint8_t *take_bytes(reader *in, const json_t *row, const char *field, uint64_t wanted) {
    const char *name = json_string_value(json_object_get(row, field));
    size_t size = 0;
    uint8_t *bytes = name ? take_file(in, name, wanted, &size) : NULL;
    if (bytes && size != wanted && in->status == SMP_OK)
        in->status = smp_error_set(in->error, SMP_E_SYNTAX, -1,
                                   "%.120s/%.60s has %zu bytes, but the array has %llu", in->folder,
                                   name, size, (unsigned long long)wanted);
    return bytes;
}

static void take_arrays(reader *in, const json_t *list, smp_kept_launch *out) {
    if (!json_is_array(list) || json_array_size(list) > ARRAYS_MAX)
        wrong(in, "arrays");
    for (size_t i = 0; i < json_array_size(list) && in->status == SMP_OK; i++) {
        const json_t *row = json_array_get(list, i);
        if (!LIST_ROOM(out->arrays, out->array_count)) {
            in->status = smp_error_memory(in->error);
            return;
        }
        smp_kept_array *array = &out->arrays[out->array_count++];
        array->name = take_text(in, row, "name", false);
        array->address = take_number(in, row, "address", INT64_MAX);
        array->size_bytes = take_number(in, row, "size_bytes", 1ull << 40);
        array->before = take_bytes(in, row, "before", array->size_bytes);
        array->after = take_bytes(in, row, "after", array->size_bytes);
        array->is_unread = json_is_true(json_object_get(row, "unread"));
    }
}

static void take_variables(reader *in, const json_t *list, smp_kept_launch *out) {
    for (size_t i = 0; i < json_array_size(list) && in->status == SMP_OK; i++) {
        const json_t *row = json_array_get(list, i);
        if (!LIST_ROOM(out->variables, out->variable_count)) {
            in->status = smp_error_memory(in->error);
            return;
        }
        smp_kept_variable *variable = &out->variables[out->variable_count++];
        variable->symbol = (uint32_t)take_number(in, row, "symbol", UINT32_MAX);
        variable->name = take_text(in, row, "name", true);
        variable->address = take_number(in, row, "address", INT64_MAX);
    }
}

static void take_all(reader *in, const json_t *root, smp_kept_launch *out) {
    if (take_number(in, root, "schema_version", UINT32_MAX) != SCHEMA_VERSION)
        wrong(in, "schema_version");
    out->kernel = take_text(in, root, "kernel", false);
    out->demangled = take_text(in, root, "demangled", true);
    out->dynamic_shared_bytes =
        (uint32_t)take_number(in, root, "dynamic_shared_bytes", UINT32_MAX / 2);
    const json_t *cooperative = json_object_get(root, "cooperative");
    if (cooperative && !json_is_boolean(cooperative))
        wrong(in, "cooperative");
    out->is_cooperative = json_is_true(cooperative);
    if (json_object_get(root, "kind"))
        out->kind = (uint32_t)take_number(in, root, "kind", UINT8_MAX);
    take_shape(in, root, "grid", out->grid);
    take_shape(in, root, "block", out->block);
    take_shape(in, root, "cluster", out->cluster);
    take_parameters(in, root, out);
    if (!json_is_null(json_object_get(root, "constants")))
        out->constants = take_number(in, root, "constants", INT64_MAX);
    take_variables(in, json_object_get(root, "variables"), out);
    take_arrays(in, json_object_get(root, "arrays"), out);
    const char *code = json_string_value(json_object_get(root, "code"));
    if (!code)
        wrong(in, "code");
    else
        out->code = take_file(in, code, CODE_BYTES_MAX, &out->code_bytes);
}

smp_status smp_kept_read(const char *folder, smp_kept_launch *out, smp_error *error) {
    reader in = {.folder = folder, .error = error};
    json_error_t why;
    size_t size = 0;
    memset(out, 0, sizeof(*out));
    char *text = (char *)take_file(&in, "launch.json", TEXT_BYTES_MAX, &size);
    json_t *root = text ? json_loadb(text, size, 0, &why) : NULL;
    free(text);
    if (in.status == SMP_OK && !root)
        in.status = smp_error_set(error, SMP_E_SYNTAX, -1, "%.120s/launch.json:%d:%d: %.60s",
                                  folder, why.line, why.column, why.text);
    if (in.status == SMP_OK)
        take_all(&in, root, out);
    json_decref(root);
    if (in.status != SMP_OK)
        smp_kept_clear(out);
    return in.status;
}
