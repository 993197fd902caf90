/* SPDX-License-Identifier: MIT */
/* Recorded files on disk. */
#include "record_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "new_file.h"
#include "text_file.h"

enum { NAME_MAX_BYTES = 4096 };

static smp_status partial_name(const record_target *to, char text[NAME_MAX_BYTES],
                               smp_error *error) {
    const char *path = to->path;
    if (snprintf(text, NAME_MAX_BYTES, "%s.partial", path) < NAME_MAX_BYTES)
        return SMP_OK;
    return smp_error_set(error, SMP_E_USAGE, -1, "%.80s...: the name is too long", path);
}

smp_status record_write(const record_target *to, bool (*write)(FILE *file, const void *user),
                        const void *user, const char *kept, smp_error *error) {
    char partial[NAME_MAX_BYTES];
    smp_status status = partial_name(to, partial, error);
    if (status != SMP_OK)
        return status;
    (void)unlink(partial);
    if (!kept)
        return new_file_write(to->path, to->overwrites, write, user, error);
    status = new_file_write(partial, true, write, user, error);
    if (status == SMP_OK)
        note_add(to->notes, "%s kept in %s; the same command continues from there", kept, partial);
    return status;
}

smp_status record_read_partial(const record_target *to, bool *found, smp_error *error) {
    char partial[NAME_MAX_BYTES], *text;
    size_t length;
    unsigned bad_line;
    *found = false;
    smp_status status = partial_name(to, partial, error);
    if (status != SMP_OK || access(partial, F_OK) != 0)
        return status;
    status = smp_text_read(partial, &text, &length, error);
    if (status == SMP_OK)
        (void)smp_recorded_add(text, length, &bad_line);
    free(text);
    *found = status == SMP_OK;
    return status;
}

bool record_is_of(const smp_record *record, const smp_device *device, const char *command) {
    return strcmp(record->command, command) == 0 && strcmp(record->gpu, device->name) == 0 &&
           strcmp(record->driver, device->driver) == 0 && strcmp(record->cuda, device->cuda) == 0;
}

smp_status record_say_taken(const record_target *to, size_t taken, size_t count, const char *things,
                            smp_error *error) {
    char partial[NAME_MAX_BYTES];
    smp_status status = partial_name(to, partial, error);
    if (status == SMP_OK && taken == 0)
        status = smp_error_set(
            error, SMP_E_EXISTS, -1,
            "%.120s contains measurements of another command or GPU; move or delete it", partial);
    if (status == SMP_OK)
        note_add(to->notes, "%zu of %zu %s are taken from %s", taken, count, things, partial);
    return status;
}

smp_status recorded_read(const char *prefix, const char *path, smp_error *error) {
    char *text;
    size_t length;
    unsigned bad_line;
    smp_error why;
    smp_status status = smp_text_read(path, &text, &length, &why);
    if (status != SMP_OK)
        (void)smp_error_set(error, status, -1, "%s%.80s: %.150s", prefix, path, why.message);
    else if (smp_recorded_add(text, length, &bad_line) == 0)
        status = smp_error_set(error, SMP_E_SYNTAX, -1,
                               "%s%.80s: it contains no recorded measurement "
                               "(probes/recorded/README.md describes the format)",
                               prefix, path);
    else if (bad_line > 0)
        status = smp_error_set(error, SMP_E_SYNTAX, -1,
                               "%s%.80s:%u: expected a key and field=number, separated by tabs",
                               prefix, path, bad_line);
    free(text);
    return status;
}
