/* SPDX-License-Identifier: MIT */
/* Writes a kept launch completely or not at all: the folder gets its name last. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host_capture.h"

enum { PATH_BYTES = KEPT_PATH_BYTES, NAME_BYTES = 48, NUMBERS = 100000 };

/* Leaves out what need not be written: arrays of zeros, and variables that the driver does not
 * know.
 */
static bool complete(capture_launch *launch) {
    smp_kept_launch *out = &launch->of;
    for (uint32_t i = 0; i < out->array_count; i++) {
        smp_kept_array *array = &out->arrays[i];
        if (!array->before || !smp_kept_is_zero(array->before, array->size_bytes))
            continue;
        free(array->before);
        array->before = NULL;
    }
    out->variables = calloc(launch->variables.count + 1, sizeof *out->variables);
    for (size_t i = 0; out->variables && i < launch->variables.count; i++) {
        host_variable *variable = &launch->variables.list[i];
        if (variable->address == 0)
            continue;
        out->variables[out->variable_count++] =
            (smp_kept_variable){variable->symbol, variable->name, variable->address};
        variable->name = NULL;
    }
    return out->variables;
}

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

static void remove_files(const char *folder, size_t array_count) {
    char path[PATH_BYTES + 100];
    for (size_t i = 0; i < array_count; i++) {
        (void)snprintf(path, sizeof path, "%s/memory-%zu.raw", folder, i);
        (void)unlink(path);
        (void)snprintf(path, sizeof path, "%s/memory-%zu.after.raw", folder, i);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "%s/code.cubin", folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/launch.json", folder);
    (void)unlink(path);
    (void)rmdir(folder);
}

/* Uses the first free number: several processes may keep launches. rename() does not replace a
 * folder that is not empty. */
static int give_name(const char *folder, const char *kernel, char path[PATH_BYTES]) {
    static unsigned number;
    char name[NAME_BYTES];
    short_name(kernel, name);
    while (__atomic_add_fetch(&number, 1, __ATOMIC_RELAXED) < NUMBERS) {
        struct stat info;
        (void)snprintf(path, PATH_BYTES, "%.3900s/%03u-%s", attach.settings.capture, number, name);
        if (stat(path, &info) == 0)
            continue;
        if (rename(folder, path) == 0)
            return 0;
        if (errno != EEXIST && errno != ENOTEMPTY)
            break;
    }
    return errno;
}

int host_kept_write(capture_launch *launch, char path[PATH_BYTES]) {
    char folder[PATH_BYTES];
    (void)snprintf(folder, sizeof folder, "%.3900s/.launch-XXXXXX", attach.settings.capture);
    if (!mkdtemp(folder))
        return errno;
    int error = complete(launch) ? smp_kept_put(folder, &launch->of) : ENOMEM;
    if (error == 0)
        error = give_name(folder, launch->of.kernel, path);
    if (error != 0)
        remove_files(folder, launch->of.array_count);
    return error;
}
