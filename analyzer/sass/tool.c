/* SPDX-License-Identifier: MIT */
/*
 * Runs NVIDIA's tools. They are separate programs because their formats are not public; nvdisasm's
 * output is.
 */
#define _GNU_SOURCE /* pipe2 */
#include "tool.h"

#include "leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, COMPLAINT_MAX = 180 };

extern char **environ;

bool smp_tool_write_all(int file, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t written = write(file, (const char *)bytes + done, size - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

smp_status smp_tool_file(const void *bytes, size_t size, const char *suffix, char *path,
                         size_t path_size, smp_error *error) {
    char folder[SCRATCH_PATH_BYTES];
    if (scratch_folder_make(folder, error) != SMP_OK)
        return error->status;
    const int length = snprintf(path, path_size, "%s/file%s", folder, suffix);
    const bool has_room = length > 0 && (size_t)length < path_size;
    const int file = has_room ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    const bool is_whole = file >= 0 && smp_tool_write_all(file, bytes, size);
    if (file >= 0 && close(file) == 0 && is_whole)
        return SMP_OK;
    smp_error_set(error, SMP_E_READ, -1, "%.160s could not be written: %s", path,
                  strerror(has_room ? errno : ENAMETOOLONG));
    scratch_folder_remove(folder);
    return SMP_E_READ;
}

void smp_tool_file_remove(const char *path) {
    char folder[PATH_BYTES];
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 0, path);
    (void)unlink(path);
    (void)rmdir(folder);
    leftover_drop(folder);
}

smp_status smp_tool_drain(int file, char **out, size_t *length) {
    size_t size = 0, used = 0;
    char *text = NULL;
    for (;;) {
        if (size - used < 65536) {
            size = size == 0 ? 131072 : 2 * size;
            char *grown = realloc(text, size + 1);
            if (!grown) {
                free(text);
                return SMP_E_MEMORY;
            }
            text = grown;
        }
        ssize_t got = read(file, text + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            text[used] = '\0';
            *out = text;
            *length = used;
            return got == 0 ? SMP_OK : SMP_E_READ;
        }
        used += (size_t)got;
    }
}

smp_status smp_tool_read(const char *path, char **out, size_t *length, smp_error *error) {
    *out = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return smp_error_set(error, SMP_E_READ, -1, "%.160s: %s", path, strerror(errno));
    smp_status status = smp_tool_drain(file, out, length);
    int reason = errno;
    close(file);
    if (status == SMP_OK)
        return SMP_OK;
    free(*out);
    *out = NULL;
    if (status == SMP_E_MEMORY)
        return smp_error_memory(error);
    return smp_error_set(error, status, -1, "%.160s: %s", path, strerror(reason));
}

/* Runs in the child, which shares our memory until it executes another program: stdout goes to the
 * pipe, stderr to a file. Returns the error number. */
static int become(char *const argv[], int channel, const char *complaints, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    leftover_tie(parent, SIGTERM);
    (void)setpgid(0, 0);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    const int input = open("/dev/null", O_RDONLY), errors = open(complaints, O_WRONLY | O_TRUNC);
    if (dup2(input, 0) < 0 || dup2(channel, 1) < 0 || dup2(errors, 2) < 0)
        return errno;
    (void)execve(argv[0], argv, environ);
    return errno;
}

/* Starts the tool in a process group of its own, so that its children end with it; our signal
 * handler ends it on a terminal's signals. */
static int start(char *const argv[], const int channel[2], const char *complaints, pid_t *child) {
    volatile int failed = 0;
    const pid_t parent = getpid();
    *child = vfork();
    if (*child == 0) {
        failed = become(argv, channel[1], complaints, parent);
        _exit(127);
    }
    if (*child < 0)
        return errno;
    if (failed != 0)
        (void)waitpid(*child, NULL, 0);
    else
        leftover_add_group(*child);
    return failed;
}

/* The message without the tool's name and the blanks in "nvdisasm error   : ...". */
static const char *words_of(const char *text, const char *name) {
    const size_t length = strlen(name);
    const char *colon = strstr(text, " : ");
    return strncmp(text, name, length) == 0 && text[length] == ' ' && colon ? colon + 3 : text;
}

static int first_line(const char *text) {
    const size_t length = strcspn(text, "\n");
    return length < COMPLAINT_MAX ? (int)length : COMPLAINT_MAX;
}

static smp_status complain(const char *tool, const char *complaints, smp_error *error) {
    const char *name = strrchr(tool, '/');
    name = name ? name + 1 : tool;
    char *text = NULL;
    size_t length;
    if (smp_tool_read(complaints, &text, &length, NULL) != SMP_OK || length == 0)
        smp_error_set(error, SMP_E_READ, -1, "%s failed", name);
    else
        smp_error_set(error, SMP_E_READ, -1, "%s: %.*s", name, first_line(words_of(text, name)),
                      words_of(text, name));
    free(text);
    return SMP_E_READ;
}

static smp_status run_into(char *const argv[], const char *complaints, char **out, size_t *length,
                           smp_error *error) {
    int channel[2];
    if (pipe2(channel, O_CLOEXEC) != 0)
        return smp_error_set(error, SMP_E_READ, -1, "no pipe to %.100s: %s", argv[0],
                             strerror(errno));
    pid_t child;
    int failed = start(argv, channel, complaints, &child);
    close(channel[1]);
    if (failed != 0) {
        close(channel[0]);
        return smp_error_set(error, SMP_E_READ, -1, "%.100s could not be started: %s", argv[0],
                             strerror(failed));
    }
    smp_status status = smp_tool_drain(channel[0], out, length);
    close(channel[0]);
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    leftover_drop_group(child);
    if (status == SMP_E_MEMORY)
        return smp_error_memory(error);
    if (status != SMP_OK || !WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        return complain(argv[0], complaints, error);
    return SMP_OK;
}

smp_status smp_tool_run_said(char *const argv[], char **out, size_t *length, char **said,
                             smp_error *error) {
    char complaints[PATH_BYTES];
    size_t said_length;
    *out = NULL;
    *said = NULL;
    smp_status status = smp_tool_file("", 0, ".txt", complaints, sizeof(complaints), error);
    if (status != SMP_OK)
        return status;
    status = run_into(argv, complaints, out, length, error);
    if (status != SMP_OK)
        (void)smp_tool_read(complaints, said, &said_length, NULL);
    smp_tool_file_remove(complaints);
    if (status != SMP_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

smp_status smp_tool_run(char *const argv[], char **out, size_t *length, smp_error *error) {
    char *said;
    const smp_status status = smp_tool_run_said(argv, out, length, &said, error);
    free(said);
    return status;
}
