/* SPDX-License-Identifier: MIT */
/* The files of a kept launch, for the library inside a program and for the emulator. */
#define _GNU_SOURCE
#include "kept_writer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = KEPT_PATH_BYTES, NAME_BYTES = 48, NUMBERS = 100000 };

void smp_kept_clear(smp_kept_launch *launch) {
    for (uint32_t i = 0; i < launch->array_count; i++) {
        free(launch->arrays[i].name);
        free(launch->arrays[i].before);
        free(launch->arrays[i].after);
    }
    for (uint32_t i = 0; i < launch->variable_count; i++)
        free(launch->variables[i].name);
    free(launch->arrays);
    free(launch->variables);
    free(launch->kernel);
    free(launch->demangled);
    free(launch->code);
    free(launch->code_file);
    free(launch->parameters);
    memset(launch, 0, sizeof(*launch));
}

bool smp_kept_is_zero(const uint8_t *bytes, uint64_t size) {
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

typedef struct folder {
    const char *path;
    int error; /* the first error; 0 if none */
} folder;

static FILE *open_in(folder *in, const char *name) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%.3900s/%.90s", in->path, name);
    const int number =
        in->error == 0 ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    FILE *file = number < 0 ? NULL : fdopen(number, "wb");
    if (!file && in->error == 0)
        in->error = errno;
    return file;
}

static void close_in(folder *in, FILE *file) {
    const bool has_failed = file && ferror(file);
    if (file && (fclose(file) != 0 || has_failed) && in->error == 0)
        in->error = errno ? errno : EIO;
}

static void write_bytes(folder *in, const char *name, const void *bytes, size_t size) {
    FILE *file = open_in(in, name);
    if (file)
        (void)fwrite(bytes, 1, size, file);
    close_in(in, file);
}

/* Writes a JSON string or null; names of kernels and variables need no escapes. */
static void put_text(FILE *to, const char *text) {
    if (!text) {
        fputs("null", to);
        return;
    }
    fputc('"', to);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', to);
        fputc(isprint((unsigned char)*c) ? *c : '?', to);
    }
    fputc('"', to);
}

static void put_shape(FILE *to, const char *name, const uint32_t shape[3]) {
    fprintf(to, "  \"%s\": [%u, %u, %u],\n", name, shape[0], shape[1], shape[2]);
}

static void put_file(folder *in, FILE *to, const char *field, size_t index, const char *ending,
                     const void *bytes, uint64_t size) {
    char name[64];
    (void)snprintf(name, sizeof name, "memory-%zu%s", index, ending);
    if (bytes) {
        write_bytes(in, name, bytes, size);
        fprintf(to, ", \"%s\": \"%s\"", field, name);
    } else {
        fprintf(to, ", \"%s\": null", field);
    }
}

static void put_arrays(folder *in, FILE *to, const smp_kept_launch *launch) {
    fputs("  \"arrays\": [", to);
    for (size_t i = 0; i < launch->array_count; i++) {
        const smp_kept_array *array = &launch->arrays[i];
        const uint64_t size = array->size_bytes;
        fprintf(to, "%s\n    {\"name\": ", i > 0 ? "," : "");
        put_text(to, array->name);
        fprintf(to, ", \"address\": %llu, \"size_bytes\": %llu", (unsigned long long)array->address,
                (unsigned long long)size);
        put_file(in, to, "before", i, ".raw", array->before, size);
        put_file(in, to, "after", i, ".after.raw", array->after, size);
        fputs(array->is_unread ? ", \"unread\": true}" : "}", to);
    }
    fputs("]\n", to);
}

static void put_variables(FILE *to, const smp_kept_launch *launch) {
    fputs("  \"variables\": [", to);
    for (size_t i = 0; i < launch->variable_count; i++) {
        const smp_kept_variable *variable = &launch->variables[i];
        fprintf(to, "%s\n    {\"symbol\": %u, \"name\": ", i > 0 ? "," : "", variable->symbol);
        put_text(to, variable->name);
        fprintf(to, ", \"address\": %llu}", (unsigned long long)variable->address);
    }
    fputs("],\n", to);
}

static void put_launch(folder *in, const smp_kept_launch *launch) {
    FILE *to = open_in(in, "launch.json");
    if (!to)
        return;
    fputs("{\n  \"schema_version\": 1,\n  \"kernel\": ", to);
    put_text(to, launch->kernel);
    fputs(",\n  \"demangled\": ", to);
    put_text(to, launch->demangled);
    fputs(",\n  \"code\": \"code.cubin\",\n", to);
    if (launch->is_cooperative)
        fputs("  \"cooperative\": true,\n", to);
    if (launch->kind > 0)
        fprintf(to, "  \"kind\": %u,\n", launch->kind);
    put_shape(to, "grid", launch->grid);
    put_shape(to, "block", launch->block);
    put_shape(to, "cluster", launch->cluster);
    fprintf(to, "  \"dynamic_shared_bytes\": %u,\n  \"parameters\": \"",
            launch->dynamic_shared_bytes);
    for (uint32_t i = 0; i < launch->parameter_bytes; i++)
        fprintf(to, "%02x", launch->parameters[i]);
    fputs("\",\n  \"constants\": ", to);
    if (launch->constants != 0)
        fprintf(to, "%llu,\n", (unsigned long long)launch->constants);
    else
        fputs("null,\n", to);
    put_variables(to, launch);
    put_arrays(in, to, launch);
    fputs("}\n", to);
    close_in(in, to);
}

static void put_code(folder *in, const smp_kept_launch *launch) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%.3900s/code.cubin", in->path);
    if (!launch->code_file || link(launch->code_file, path) != 0)
        write_bytes(in, "code.cubin", launch->code, launch->code_bytes);
}

int smp_kept_put(const char *path, const smp_kept_launch *launch) {
    folder to = {.path = path};
    put_code(&to, launch);
    put_launch(&to, launch);
    return to.error;
}

/* ---- In a folder of its own, completely or not at all: it gets its name last ---- */

/* Returns "reduce" for "_ZN2ns6reduceIfEEvPT_", in characters that every file system allows. */
static void short_name(const char *kernel, char out[NAME_BYTES]) {
    const char *from = kernel, *end = kernel + strlen(kernel);
    const char *at = strncmp(kernel, "_Z", 2) == 0 ? kernel + 2 : end;
    size_t length = 0;
    while (*at == 'N' || *at == 'L' || *at == 'K' || isdigit((unsigned char)*at)) {
        char *behind;
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        const unsigned long bytes = strtoul(at, &behind, 10);
        if (bytes > strlen(behind))
            break;
        from = behind;
        end = at = behind + bytes;
    }
    for (; from < end && length < NAME_BYTES - 1; from++)
        if (isalnum((unsigned char)*from) || *from == '_')
            out[length++] = *from;
    out[length] = '\0';
}

static void remove_files(const char *made, size_t array_count) {
    char path[PATH_BYTES + 100];
    for (size_t i = 0; i < array_count; i++) {
        (void)snprintf(path, sizeof path, "%s/memory-%zu.raw", made, i);
        (void)unlink(path);
        (void)snprintf(path, sizeof path, "%s/memory-%zu.after.raw", made, i);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "%s/code.cubin", made);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/launch.json", made);
    (void)unlink(path);
    (void)rmdir(made);
}

/* Uses the first free number: several processes may keep launches. rename() does not replace a
 * folder that is not empty. */
static int give_name(const char *made, const char *parent, const char *kernel,
                     char path[KEPT_PATH_BYTES]) {
    static unsigned number;
    char name[NAME_BYTES];
    short_name(kernel, name);
    while (__atomic_add_fetch(&number, 1, __ATOMIC_RELAXED) < NUMBERS) {
        struct stat info;
        (void)snprintf(path, KEPT_PATH_BYTES, "%.3900s/%03u-%s", parent, number, name);
        if (stat(path, &info) == 0)
            continue;
        if (rename(made, path) == 0)
            return 0;
        if (errno != EEXIST && errno != ENOTEMPTY)
            break;
    }
    return errno;
}

int smp_kept_put_new(const char *parent, const smp_kept_launch *launch,
                     char path[KEPT_PATH_BYTES]) {
    char made[PATH_BYTES];
    (void)snprintf(made, sizeof made, "%.3900s/.launch-XXXXXX", parent);
    if (!mkdtemp(made))
        return errno;
    int error = smp_kept_put(made, launch);
    if (error == 0)
        error = give_name(made, parent, launch->kernel, path);
    if (error != 0)
        remove_files(made, launch->array_count);
    return error;
}
