/* SPDX-License-Identifier: MIT */
/*
 * One child process per GPU. Each takes every n-th block of accesses and writes its measurements to
 * a shared pipe, in messages small enough to be written atomically.
 */
#include "witness.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "progress.h"

/* Accesses per measurement: enough that starting a session does not matter. */
enum { BLOCK = 256 };

typedef struct message {
    enum { MEASURED, FAILED, BY_CLOCKS, DEVICE } kind;
    size_t index; /* of the access or device */
    union {
        smp_measured measured;
        smp_error error;
        smp_device device;
    } what;
} message;

_Static_assert(sizeof(message) <= PIPE_BUF, "a message is written whole");

static bool send_message(int out, const message *what) {
    return write(out, what, sizeof *what) == (ssize_t)sizeof *what;
}

/* The processes of the GPUs. */
typedef struct crew {
    pid_t children[DEVICES_MAX];
    unsigned count;
    bool is_stopped; /* they have been told to stop */
} crew;

/* Ctrl-C reaches the children as well; a signal to this process alone does not. */
static void stop_crew(crew *all) {
    for (unsigned i = 0; i < all->count && !all->is_stopped; i++)
        (void)kill(all->children[i], SIGINT);
    all->is_stopped = true;
}

/* `all` may be NULL. */
static bool receive(int in, message *out, crew *all) {
    size_t got = 0;
    while (got < sizeof *out) {
        if (all && !progress_goes_on())
            stop_crew(all);
        ssize_t now = read(in, (char *)out + got, sizeof *out - got);
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0)
            return false;
        got += (size_t)now;
    }
    return true;
}

static void send_error(int out, const smp_error *error) {
    message failed = {.kind = FAILED};
    failed.what.error = *error;
    (void)send_message(out, &failed);
}

/* Sends why the clocks were used, if they were. */
static void send_witness(int out, const smp_probe *probe) {
    message why = {.kind = BY_CLOCKS};
    if (smp_probe_witness(probe, &why.what.error) == SMP_CLOCKS && why.what.error.status != SMP_OK)
        (void)send_message(out, &why);
}

/* ---- Listing ---- */

static void list_devices(int out) {
    for (size_t i = 0; i < DEVICES_MAX; i++) {
        message found = {.kind = DEVICE, .index = i};
        smp_probe *probe;
        smp_error error;
        if (smp_probe_open_with((int)i, SMP_CLOCKS, &probe, &error) != SMP_OK) {
            if (i == 0)
                send_error(out, &error);
            return;
        }
        found.what.device = *smp_probe_device(probe);
        smp_probe_close(probe);
        if (!send_message(out, &found))
            return;
    }
}

static smp_status fork_failed(smp_error *error) {
    return smp_error_set(error, SMP_E_MEMORY, -1, "cannot start a process for a GPU: %s",
                         strerror(errno));
}

/* Killed, or crashed in the driver. */
static smp_status ended_early(smp_error *error) {
    return smp_error_set(error, SMP_E_CUDA, -1, "the process of a GPU ended early");
}

smp_status devices_find(device_table *out, smp_error *error) {
    int ends[2];
    message next;
    out->count = 0;
    if (pipe(ends) != 0)
        return fork_failed(error);
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        list_devices(ends[1]);
        _exit(0);
    }
    (void)close(ends[1]);
    smp_status status = child < 0 ? fork_failed(error) : SMP_OK;
    while (status == SMP_OK && receive(ends[0], &next, NULL)) {
        if (next.kind == FAILED) {
            *error = next.what.error;
            status = error->status;
        } else {
            out->device[out->count++] = next.what.device;
        }
    }
    (void)close(ends[0]);
    if (child > 0)
        (void)waitpid(child, NULL, 0);
    if (status == SMP_OK && out->count == 0)
        return ended_early(error);
    return status;
}

static smp_status check_device(const device_table *found, const device_list *chosen, uint64_t index,
                               smp_error *error) {
    if (index >= found->count)
        return smp_error_set(error, SMP_E_NO_GPU, -1, "no GPU %u; there %s %u", (unsigned)index,
                             found->count == 1 ? "is" : "are", found->count);
    for (unsigned k = 0; k < chosen->count; k++)
        if (chosen->index[k] == (int)index)
            return smp_error_set(error, SMP_E_USAGE, -1, "GPU %u is listed twice", (unsigned)index);
    const int first = chosen->count > 0 ? chosen->index[0] : (int)index;
    const smp_device *a = &found->device[first], *b = &found->device[index];
    if (a->cc_major != b->cc_major || a->cc_minor != b->cc_minor)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "GPU %u (%.40s) has another compute capability than GPU %d (%.40s); "
                             "choose GPUs of one kind",
                             (unsigned)index, b->name, first, a->name);
    return SMP_OK;
}

smp_status devices_choose(const device_table *found, const uint64_t *wanted, size_t count,
                          device_list *out, smp_error *error) {
    const unsigned all = (unsigned)(wanted ? count : found->count);
    out->count = 0;
    while (out->count < all) {
        const uint64_t index = wanted ? wanted[out->count] : out->count;
        smp_status status = check_device(found, out, index, error);
        if (status != SMP_OK)
            return status;
        out->index[out->count++] = (int)index;
    }
    out->first = found->device[out->index[0]];
    return SMP_OK;
}

/* ---- The children ---- */

typedef struct share {
    const witness_choice *choice;
    const smp_access *accesses;
    size_t count;
    int device, out;
    unsigned which, of;
    progress_line line;
} share;

static bool go_on(void *user, size_t done, size_t total) {
    share *s = user;
    (void)total;
    return progress_step(&s->line, done);
}

static smp_status measure_block(share *s, smp_probe *probe, size_t first, smp_error *error) {
    size_t count = s->count - first < BLOCK ? s->count - first : BLOCK;
    smp_measured measured[BLOCK], *places[BLOCK] = {NULL};
    memset(measured, 0, sizeof measured);
    for (size_t i = 0; i < count; i++)
        places[i] = &measured[i];
    smp_status status =
        witness_read(probe, s->choice, &s->accesses[first], count, places, go_on, s, error);
    for (size_t i = 0; i < count; i++) {
        message one = {.kind = MEASURED, .index = first + i};
        one.what.measured = measured[i];
        if (measured[i].origin == SMP_LIVE && !send_message(s->out, &one))
            return smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
    }
    return status;
}

static void run_child(share *s) {
    smp_probe *probe = NULL;
    smp_error error;
    progress_begin(&s->line, "", 0);
    s->line.is_shown = false;
    smp_status status = smp_probe_open_with(s->device, s->choice->first, &probe, &error);
    for (size_t first = s->which * (size_t)BLOCK; status == SMP_OK && first < s->count;
         first += s->of * (size_t)BLOCK)
        status = measure_block(s, probe, first, &error);
    if (status == SMP_OK)
        send_witness(s->out, probe);
    else
        send_error(s->out, &error);
    smp_probe_close(probe);
    _exit(0);
}

/* ---- The parent ---- */

/* Receives messages until every child has closed its end. Keeps the first error. */
static smp_status gather(int in, crew *all, smp_measured *const *measured, size_t count,
                         smp_error *why_clocks, smp_progress_fn progress, void *user,
                         smp_error *error) {
    message next;
    size_t done = 0;
    smp_status status = SMP_OK;
    while (receive(in, &next, all)) {
        if (next.kind == MEASURED && next.index < count) {
            *measured[next.index] = next.what.measured;
            done++;
        } else if (next.kind == BY_CLOCKS) {
            *why_clocks = next.what.error;
        } else if (next.kind == FAILED && status == SMP_OK) {
            *error = next.what.error;
            status = error->status;
        }
        bool is_time = done % 64 == 0 || done == count;
        if (progress && is_time && !progress(user, done, count) && status == SMP_OK)
            status = smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
    }
    return status == SMP_OK && done < count ? ended_early(error) : status;
}

smp_status devices_read(device_list *devices, const witness_choice *choice,
                        const smp_access *accesses, size_t count, smp_measured *const *measured,
                        smp_progress_fn progress, void *user, smp_error *error) {
    crew all = {.count = 0};
    int ends[2];
    if (pipe(ends) != 0)
        return fork_failed(error);
    (void)fflush(NULL);
    smp_status status = SMP_OK;
    for (; all.count < devices->count && status == SMP_OK; all.count++) {
        all.children[all.count] = fork();
        if (all.children[all.count] < 0) {
            status = fork_failed(error);
            break;
        }
        if (all.children[all.count] > 0)
            continue;
        (void)close(ends[0]);
        share own = {choice,  accesses,  count,          devices->index[all.count],
                     ends[1], all.count, devices->count, {0}};
        run_child(&own);
    }
    (void)close(ends[1]);
    smp_error failed;
    smp_status gathered =
        gather(ends[0], &all, measured, count, &devices->why_clocks, progress, user, &failed);
    (void)close(ends[0]);
    for (unsigned i = 0; i < all.count; i++)
        (void)waitpid(all.children[i], NULL, 0);
    if (status == SMP_OK && gathered != SMP_OK) {
        *error = failed;
        status = gathered;
    }
    return status;
}
