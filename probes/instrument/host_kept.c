/* SPDX-License-Identifier: MIT */
/*
 * host_kept.c: writes a launch that is kept, whole or not at all: the folder has its name when
 * all is in it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host_capture.h"

enum { PATH_BYTES = KEPT_PATH_BYTES, NAME_BYTES = 48, NUMBERS = 100000 };

typedef struct folder {
    char path[PATH_BYTES];
    int error; /* the first; 0: none */
} folder;

static FILE *open_in(folder *in, const char *name) {
    char path[PATH_BYTES + 100];
    (void)snprintf(path, sizeof path, "%s/%.90s", in->path, name);
    const int number =
        in->error == 0 ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    FILE *file = number < 0 ? NULL : fdopen(number, "wb");
    if (file == NULL && in->error == 0)
        in->error = errno;
    return file;
}

static void close_in(folder *in, FILE *file) {
    const bool has_failed = file && ferror(file);
    if (file && (fclose(file) != 0 || has_failed) && in->error == 0)
        in->error = errno ? errno : EIO;
}

static void write_bytes(folder *in, const char *name, const char *bytes, size_t size) {
    FILE *file = open_in(in, name);
    if (file)
        (void)fwrite(bytes, 1, size, file);
    close_in(in, file);
}

static bool is_zero(const char *bytes, uint64_t size) {
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* A text of JSON; names of kernels and variables have no other letters. */
static void put_text(FILE *to, const char *text) {
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
                     const char *bytes, uint64_t size) {
    char name[64];
    (void)snprintf(name, sizeof name, "memory-%zu%s", index, ending);
    if (bytes) {
        write_bytes(in, name, bytes, size);
        fprintf(to, ", \"%s\": \"%s\"", field, name);
    } else {
        fprintf(to, ", \"%s\": null", field);
    }
}

static void put_arrays(folder *in, FILE *to, const capture_launch *launch) {
    fputs("  \"arrays\": [", to);
    for (size_t i = 0; i < launch->array_count; i++) {
        const capture_array *array = &launch->arrays[i];
        const uint64_t size = array->range.bytes;
        fprintf(to, "%s\n    {\"name\": ", i > 0 ? "," : "");
        put_text(to, array->name);
        fprintf(to, ", \"address\": %llu, \"size_bytes\": %llu",
                (unsigned long long)array->range.address, (unsigned long long)size);
        put_file(in, to, "before", i, ".raw", is_zero(array->before, size) ? NULL : array->before,
                 size);
        put_file(in, to, "after", i, ".after.raw", array->after, size);
        fputc('}', to);
    }
    fputs("]\n", to);
}

static void put_variables(FILE *to, const capture_launch *launch) {
    const char *between = "";
    fputs("  \"variables\": [", to);
    for (size_t i = 0; i < launch->variables.count; i++) {
        const host_variable *variable = &launch->variables.list[i];
        if (variable->address == 0)
            continue;
        fprintf(to, "%s\n    {\"symbol\": %u, \"name\": ", between, variable->symbol);
        put_text(to, variable->name);
        fprintf(to, ", \"address\": %llu}", (unsigned long long)variable->address);
        between = ",";
    }
    fputs("],\n", to);
}

static void put_launch(folder *in, const capture_launch *launch) {
    FILE *to = open_in(in, "launch.json");
    if (to == NULL)
        return;
    fputs("{\n  \"schema_version\": 1,\n  \"kernel\": ", to);
    put_text(to, launch->kernel);
    fputs(",\n  \"demangled\": null,\n  \"code\": \"code.cubin\",\n", to);
    if (launch->is_cooperative)
        fputs("  \"cooperative\": true,\n", to);
    put_shape(to, "grid", launch->grid);
    put_shape(to, "block", launch->block);
    put_shape(to, "cluster", launch->cluster);
    fprintf(to, "  \"dynamic_shared_bytes\": %u,\n  \"parameters\": \"", launch->shared_bytes);
    for (uint32_t i = 0; i < launch->parameter_bytes; i++)
        fprintf(to, "%02x", (unsigned char)launch->parameters[i]);
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

/* "reduce" of "_ZN2ns6reduceIfEEvPT_": letters that every file system has. */
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

static void remove_files(const folder *in, const capture_launch *launch) {
    char path[PATH_BYTES + 100];
    for (size_t i = 0; i < launch->array_count; i++) {
        (void)snprintf(path, sizeof path, "%s/memory-%zu.raw", in->path, i);
        (void)unlink(path);
        (void)snprintf(path, sizeof path, "%s/memory-%zu.after.raw", in->path, i);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "%s/code.cubin", in->path);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/launch.json", in->path);
    (void)unlink(path);
    (void)rmdir(in->path);
}

/* The first number that is free: several processes may keep launches. rename() takes no folder's
 * place that has something in it. */
static bool give_name(folder *in, const char *kernel, char path[PATH_BYTES]) {
    static unsigned number;
    char name[NAME_BYTES];
    short_name(kernel, name);
    while (__atomic_add_fetch(&number, 1, __ATOMIC_RELAXED) < NUMBERS) {
        struct stat info;
        (void)snprintf(path, PATH_BYTES, "%.3900s/%03u-%s", attach.settings.capture, number, name);
        if (stat(path, &info) == 0)
            continue;
        if (rename(in->path, path) == 0)
            return true;
        if (errno != EEXIST && errno != ENOTEMPTY)
            break;
    }
    in->error = errno;
    return false;
}

int host_kept_write(const capture_launch *launch, char path[PATH_BYTES]) {
    folder to = {.error = 0};
    (void)snprintf(to.path, sizeof to.path, "%.3900s/.launch-XXXXXX", attach.settings.capture);
    if (mkdtemp(to.path) == NULL)
        return errno;
    write_bytes(&to, "code.cubin", launch->cubin, launch->cubin_bytes);
    put_launch(&to, launch);
    if (to.error != 0 || !give_name(&to, launch->kernel, path))
        remove_files(&to, launch);
    return to.error;
}
