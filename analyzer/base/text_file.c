/* SPDX-License-Identifier: MIT */
/* Reads a whole text file, or standard input, within a limit that no layout needs to exceed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text_file.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

enum { FILE_BYTES_MAX = 16 << 20 };

static smp_status check_read(FILE *in, size_t length, smp_error *error) {
    if (length > FILE_BYTES_MAX)
        return smp_error_set(error, SMP_E_READ, -1, "larger than %d MiB", FILE_BYTES_MAX >> 20);
    return ferror(in) ? smp_error_set(error, SMP_E_READ, -1, "cannot be read: %s", strerror(errno))
                      : SMP_OK;
}

/* The system gives memory only for the part of the room that is used. */
smp_status smp_text_read_stream(FILE *in, char **text, size_t *length, smp_error *error) {
    *text = malloc(FILE_BYTES_MAX + 1);
    *length = *text ? fread(*text, 1, FILE_BYTES_MAX + 1, in) : 0;
    if (!*text)
        return smp_error_memory(error);
    const smp_status status = check_read(in, *length, error);
    char *smaller = status == SMP_OK ? realloc(*text, *length + 1) : NULL;
    if (status != SMP_OK)
        free(*text);
    *text = smaller || status != SMP_OK ? smaller : *text;
    if (status == SMP_OK)
        (*text)[*length] = '\0';
    return status;
}

size_t smp_text_mark(const char *text, size_t length) {
    const size_t mark = strlen(BYTE_ORDER_MARK);
    return length >= mark && memcmp(text, BYTE_ORDER_MARK, mark) == 0 ? mark : 0;
}

smp_status smp_text_read_marked(const char *name, char **text, size_t *length, smp_error *error) {
    bool is_standard = strcmp(name, "-") == 0;
    FILE *in = is_standard ? stdin : fopen(name, "rb");
    *text = NULL;
    if (!in)
        return smp_error_set(error, SMP_E_READ, -1, "cannot be opened: %s", strerror(errno));
    const smp_status status = smp_text_read_stream(in, text, length, error);
    if (!is_standard)
        (void)fclose(in);
    return status;
}

smp_status smp_text_read(const char *name, char **text, size_t *length, smp_error *error) {
    const smp_status status = smp_text_read_marked(name, text, length, error);
    const size_t mark = status == SMP_OK ? smp_text_mark(*text, *length) : 0;
    *length -= mark;
    if (mark > 0)
        memmove(*text, *text + mark, *length + 1);
    return status;
}

FILE *smp_open_to_read(const char *name) {
    struct stat info;
    FILE *in = fopen(name, "rb");
    if (in && fstat(fileno(in), &info) == 0 && S_ISDIR(info.st_mode)) {
        (void)fclose(in);
        errno = EISDIR;
        return NULL;
    }
    return in;
}

char *smp_plain_text(FILE *in, size_t *length) {
    char *text = NULL;
    if (smp_text_read_stream(in, &text, length, NULL) == SMP_OK && !memchr(text, '\0', *length))
        return text;
    free(text);
    return NULL;
}

int smp_is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

bool smp_name_ends(const char *name, const char *ending) {
    const size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

const char *smp_path_from_here(const char *path) {
    char here[4096];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (length > 1 && strncmp(path, here, length) == 0 && path[length] == '/')
        path += length + 1;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return path;
}
