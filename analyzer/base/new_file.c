/* SPDX-License-Identifier: MIT */
/*
 * Files that appear whole or not at all. While one is written, a lock on it says that its writer is
 * alive (flock: it belongs to the open file, so it ends with the process, however that ends, and it
 * is visible from other containers, which process numbers are not).
 */
#define _DEFAULT_SOURCE /* flock */
#include "new_file.h"
#include "visible_text.h"

#include "leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 4, NAME_SIZE = 4096, WORDS_SIZE = 320, RETRIES = 16, MOMENTS = 8 };

/* Kept here and not by the caller, so that the signal handler finds it. */
typedef struct slot {
    volatile sig_atomic_t is_used;
    int file; /* holds the lock; -1 if it is not open */
    char name[NAME_SIZE];
    char words[WORDS_SIZE]; /* for Ctrl-C */
} slot;

static slot slots[SLOTS];
static pid_t owner; /* a child process must not remove what its parent writes */

/* ---- Signals ---- */

/* Calls only async-signal-safe functions (POSIX, 2.4.3), then raises the signal again. */
static void on_end(int number) {
    static const char plain[] = "smemprobe: interrupted\n";
    const char *words = plain;
    for (unsigned i = 0; i < SLOTS && getpid() == owner; i++) {
        if (!slots[i].is_used)
            continue;
        (void)unlink(slots[i].name);
        words = slots[i].words;
    }
    if (getpid() == owner)
        leftover_end();
    if (number == SIGINT && getpid() == owner && write(STDERR_FILENO, words, strlen(words)) < 0) {
        /* nobody reads standard error */
    }
    (void)raise(number);
}

/* A child that outlives its parent must not keep the lock: the parent writes the file. */
static void leave_to_parent(void) {
    for (unsigned i = 0; i < SLOTS; i++) {
        if (slots[i].is_used && slots[i].file >= 0)
            (void)close(slots[i].file);
        slots[i].file = -1;
    }
}

/* Only for signals that would end the program; others are ignored or handled already. */
void new_file_guard(void) {
    static const int ending[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGALRM,
                                 SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM,
                                 SIGABRT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL};
    struct sigaction action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND}, before;
    if (owner == 0)
        (void)pthread_atfork(NULL, NULL, leave_to_parent);
    owner = getpid();
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            (void)sigaction(ending[i], &action, NULL);
}

/* ---- Names ---- */

/* "folder/.name.smemprobe-", short enough for what follows. Its length, or 0. */
static size_t put_prefix(char text[NAME_SIZE], const char *path) {
    const char *last = smp_base_name(path);
    const int length =
        snprintf(text, NAME_SIZE, "%.*s.%.200s.smemprobe-", (int)(last - path), path, last);
    return length > 0 && length < NAME_SIZE - 8 ? (size_t)length : 0;
}

/* Removes one file if nobody writes it. A child that a killed run had just started may hold the
 * lock a moment longer, until it runs its program. */
static void remove_dead(int folder, const char *name) {
    const int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    const struct timespec moment = {.tv_nsec = 10000000};
    bool is_dead = flock(file, LOCK_EX | LOCK_NB) == 0;
    for (unsigned i = 0; i < MOMENTS && !is_dead; i++) {
        (void)nanosleep(&moment, NULL);
        is_dead = flock(file, LOCK_EX | LOCK_NB) == 0;
    }
    if (is_dead)
        (void)unlinkat(folder, name, 0);
    (void)close(file);
}

/* Removes what killed runs have left of the same file. */
static void remove_left(char prefix[NAME_SIZE], size_t length) {
    const char *name = smp_base_name(prefix);
    const size_t folder_length = (size_t)(name - prefix), name_length = length - folder_length;
    char folder[NAME_SIZE] = ".";
    if (folder_length > 0)
        (void)snprintf(folder, sizeof folder, "%.*s", (int)folder_length, prefix);
    DIR *list = opendir(folder);
    if (!list)
        return;
    for (const struct dirent *next; (next = readdir(list));)
        if (strncmp(next->d_name, name, name_length) == 0 &&
            strlen(next->d_name) == name_length + 6)
            remove_dead(dirfd(list), next->d_name);
    (void)closedir(list);
}

/* ---- Opening ---- */

static smp_status cannot_write(const char *path, smp_error *error) {
    return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: cannot be written: %s", path,
                         strerror(errno));
}

/* Checks that files can be made in the folder of `path`. */
static smp_status check_folder(const char *path, smp_error *error) {
    char folder[NAME_SIZE] = ".";
    if (smp_base_name(path) > path)
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(smp_base_name(path) - path), path);
    if (access(folder, W_OK | X_OK) == 0)
        return SMP_OK;
    return cannot_write(path, error);
}

/* The new file replaces what has its name, which must not be /dev/null. */
smp_status new_file_check(const char *path, bool overwrites, smp_error *error) {
    struct stat found;
    const bool is_there = stat(path, &found) == 0;
    if (!is_there && errno == ENAMETOOLONG)
        return cannot_write(path, error);
    if (is_there && !S_ISREG(found.st_mode))
        return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: is %s", path,
                             S_ISDIR(found.st_mode)
                                 ? "a folder"
                                 : "not a regular file; redirect standard output to it");
    /* A run that was killed right after naming the file has left both names. */
    char prefix[NAME_SIZE];
    const bool exists = access(path, F_OK) == 0 && !overwrites;
    const size_t length = exists ? put_prefix(prefix, path) : 0;
    if (length > 0)
        remove_left(prefix, length);
    if (exists)
        return smp_error_set(error, SMP_E_EXISTS, -1, "%.180s: exists", path);
    return check_folder(path, error);
}

/* Another run may remove the file between its creation and the lock. */
static int make_locked(slot *to, size_t length) {
    for (unsigned i = 0; i < RETRIES; i++) {
        struct stat made;
        memcpy(to->name + length, "XXXXXX", 7);
        const int file = mkstemp(to->name);
        if (file < 0)
            return -1;
        (void)fcntl(file, F_SETFD, FD_CLOEXEC);
        while (flock(file, LOCK_EX) != 0 && errno == EINTR) {
        }
        if (fstat(file, &made) == 0 && made.st_nlink > 0)
            return file;
        (void)close(file);
    }
    errno = EBUSY;
    return -1;
}

/* The owner and the group, or only the group, of the file whose place it takes; false: neither. */
static bool give_owner(int file, const struct stat *before) {
    return fchown(file, before->st_uid, before->st_gid) == 0 ||
           fchown(file, (uid_t)-1, before->st_gid) == 0;
}

/* Gives the new file the mode of the file that it replaces; else the mode that open() would give,
 * since mkstemp gives less. A group that the old file did not have may do no more than everybody.
 */
static void give_mode(int file, const char *path) {
    struct stat before;
    const mode_t hidden = umask(0);
    mode_t mode = 0666 & ~hidden;
    (void)umask(hidden);
    if (stat(path, &before) == 0) {
        mode = before.st_mode & 0777;
        if (!give_owner(file, &before))
            mode &= (mode_t)(0707 | (mode & 07) << 3);
    }
    (void)fchmod(file, mode);
}

static FILE *open_slot(slot *to, const char *path, size_t length) {
    const int file = make_locked(to, length);
    if (file < 0)
        return NULL;
    give_mode(file, path);
    FILE *stream = fdopen(file, "w");
    if (!stream) {
        (void)close(file);
        (void)unlink(to->name);
    }
    to->file = stream ? file : -1;
    return stream;
}

smp_status new_file_open(new_file *file, const char *path, bool overwrites, smp_error *error) {
    *file = (new_file){.path = path, .overwrites = overwrites};
    smp_status status = new_file_check(path, overwrites, error);
    if (status != SMP_OK)
        return status;
    while (file->slot < SLOTS && slots[file->slot].is_used)
        file->slot++;
    if (file->slot == SLOTS)
        return smp_error_set(error, SMP_E_INTERNAL, -1, "more than %d files at once", SLOTS);
    slot *to = &slots[file->slot];
    const size_t length = put_prefix(to->name, path);
    if (length == 0)
        return smp_error_set(error, SMP_E_USAGE, -1, "%.80s...: the name is too long", path);
    smp_error words; /* without control characters */
    (void)smp_error_set(&words, SMP_E_INTERRUPTED, -1, "%.200s", path);
    (void)snprintf(to->words, sizeof to->words, "smemprobe: interrupted; %s is not written\n",
                   words.message);
    new_file_guard();
    remove_left(to->name, length);
    memcpy(to->name + length, "XXXXXX", 7);
    to->file = -1;
    to->is_used = 1;
    file->stream = open_slot(to, path, length);
    if (file->stream)
        return SMP_OK;
    to->is_used = 0;
    return cannot_write(path, error);
}

/* ---- Closing ---- */

/* Gives the file its name; overwrites a file that appeared meanwhile only if that is allowed. */
static bool give_name(const new_file *file) {
    const char *name = slots[file->slot].name;
    if (file->overwrites)
        return rename(name, file->path) == 0;
    if (link(name, file->path) == 0)
        return unlink(name) == 0;
    return errno != EEXIST && rename(name, file->path) == 0; /* no links on this file system */
}

/* The reason of an earlier failure was not kept, but another write fails for the same reason. */
bool smp_stream_flush(FILE *stream, int *cause) {
    errno = 0;
    bool failed = fflush(stream) != 0 || ferror(stream);
    if (failed && errno == 0) {
        clearerr(stream);
        (void)(fputc('\n', stream) != EOF && fflush(stream));
    }
    *cause = failed ? errno : 0;
    return !failed;
}

smp_status new_file_close(new_file *file, bool keep, smp_error *error) {
    int cause;
    bool failed = !smp_stream_flush(file->stream, &cause);
    const int lock = dup(fileno(file->stream)); /* keeps the lock up to the end */
    slots[file->slot].file = lock;
    if (fclose(file->stream) != 0 && !failed) {
        failed = true;
        cause = errno;
    }
    const bool is_named = keep && !failed && give_name(file);
    if (keep && !failed && !is_named)
        cause = errno;
    if (!is_named)
        (void)unlink(slots[file->slot].name);
    slots[file->slot].is_used = 0;
    if (lock >= 0)
        (void)close(lock);
    if (is_named || (!keep && !failed))
        return SMP_OK;
    return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: %s", file->path,
                         cause ? strerror(cause) : "writing failed");
}

smp_status new_file_write(const char *path, bool overwrites,
                          bool (*write)(FILE *file, const void *user), const void *user,
                          smp_error *error) {
    new_file file;
    smp_status status = new_file_open(&file, path, overwrites, error);
    if (status != SMP_OK)
        return status;
    const bool is_complete = write(file.stream, user);
    status = new_file_close(&file, is_complete, error);
    if (status == SMP_OK && !is_complete)
        return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: could not be written", path);
    return status;
}
