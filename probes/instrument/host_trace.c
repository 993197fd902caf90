/* SPDX-License-Identifier: MIT */
/*
 * With SMP_INSTRUMENT_TRACE, writes every request from the GPUs' rings to files, one per context
 * (instrument_trace.h). A thread of our own empties the rings, so that kernels with more requests
 * than a ring holds can go on. It never calls the driver, and never takes attach.lock.
 */
#define _GNU_SOURCE
#include "host_part.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument_trace.h"

enum {
    BUFFER_BYTES = 1 << 20,
    TAKEN_AT_ONCE = 4096,
    REST_MICROSECONDS = 100,
    NAME_BYTES = 4200,
};
/* Seconds without a new request after which missing ones are given up. */
#define PATIENCE 3.0

struct host_trace {
    host_trace *next;
    pthread_mutex_t lock; /* guards everything below */
    trace_ring *ring;     /* NULL once closed */
    trace_control *control;
    uint64_t taken; /* slots */
    int file, error;
    size_t used;
    char buffer[BUFFER_BYTES];
};

static host_trace *traces; /* elements are never removed */

/* ---- The file ---- */

static void flush(host_trace *trace) {
    for (size_t at = 0; trace->error == 0 && at < trace->used;) {
        ssize_t written = write(trace->file, trace->buffer + at, trace->used - at);
        if (written > 0)
            at += (size_t)written;
        else if (written == 0 || errno != EINTR)
            trace->error = written == 0 ? ENOSPC : errno;
    }
    trace->used = 0;
}

static void put(host_trace *trace, const void *bytes, size_t count) {
    memcpy(trace->buffer + trace->used, bytes, count);
    trace->used += count;
}

static void put_row(host_trace *trace, const trace_row *row) {
    if (BUFFER_BYTES - trace->used < sizeof *row + sizeof(uint32_t[TRACE_PARTS_MAX * TRACE_LANES]))
        flush(trace);
    put(trace, row, sizeof *row);
}

static void put_words(host_trace *trace, uint32_t lanes, const trace_slot *slot) {
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        put(trace, &slot->word[__builtin_ctz(left)], sizeof slot->word[0]);
}

/* ---- The thread ---- */

/* Returns false if there is none yet. */
static bool take_one(host_trace *trace) {
    const trace_slot *slot = &trace->ring->slots[trace->taken % TRACE_SLOTS];
    const uint32_t turn = (uint32_t)(trace->taken / TRACE_SLOTS) + 1;
    if (__atomic_load_n(&slot->turn, __ATOMIC_ACQUIRE) != turn)
        return false;
    const uint32_t parts = slot->parts < TRACE_PARTS_MAX ? slot->parts : TRACE_PARTS_MAX;
    put_row(trace, &(trace_row){slot->pc, slot->what, slot->lanes, parts, 0});
    for (uint32_t i = 0; i < parts; i++)
        put_words(trace, slot->lanes, &trace->ring->slots[(trace->taken + i) % TRACE_SLOTS]);
    trace->taken += parts;
    return true;
}

static bool take_some(host_trace *trace) {
    bool is_some = false;
    pthread_mutex_lock(&trace->lock);
    for (unsigned i = 0; trace->ring && i < TAKEN_AT_ONCE && take_one(trace); i++)
        is_some = true;
    if (is_some)
        __atomic_store_n(&trace->ring->taken, trace->taken, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&trace->lock);
    return is_some;
}

static void *take_all(void *unused) {
    (void)unused;
    for (;;) {
        bool is_some = false;
        for (host_trace *t = __atomic_load_n(&traces, __ATOMIC_ACQUIRE); t; t = t->next)
            is_some |= take_some(t);
        if (!is_some)
            usleep(REST_MICROSECONDS);
    }
    return NULL;
}

/* Leaves signals to the program. */
static bool start_thread(void) {
    static bool is_started;
    pthread_t thread;
    sigset_t all, before;
    if (is_started)
        return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_started = pthread_create(&thread, NULL, take_all, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started)
        pthread_detach(thread);
    return is_started;
}

/* ---- Beginning and end ---- */

/* Allocates its memory, unless an earlier try did. Called without the lock. Returns a result code
 * of the API. */
static int make(void *context, host_trace *trace) {
    void *ring = trace->ring, *control = trace->control;
    int result = SAN_SUCCESS;
    if (!ring)
        result = attach.san.AllocHost(context, &ring, sizeof(trace_ring));
    if (result == SAN_SUCCESS && !control)
        result = attach.san.Alloc(context, &control, sizeof(trace_control));
    trace->ring = ring;
    trace->control = control;
    if (result != SAN_SUCCESS)
        return result;
    memset(ring, 0, sizeof(trace_ring));
    trace_control begin = {.ring = (uint64_t)(uintptr_t)ring};
    result = attach.san.MemcpyHostToDeviceAsync(control, &begin, sizeof begin, NULL);
    return result == SAN_SUCCESS ? attach.san.StreamSynchronize(NULL) : result;
}

static bool open_file(host_trace *trace, int32_t context) {
    char name[NAME_BYTES];
    trace_file_head head = {.version = TRACE_FILE_VERSION, .context = context};
    memcpy(head.magic, TRACE_FILE_MAGIC, sizeof head.magic);
    trace->file = instrument_create_new(attach.settings.trace, name, sizeof name);
    if (trace->file < 0)
        return false;
    put(trace, &head, sizeof head);
    (void)instrument_write_text(&attach.writer, INSTRUMENT_TRACE, name);
    return true;
}

/* The ring, in host memory, stays with its context. */
static bool give_up(host_context *context, const char *why) {
    host_trace *trace = context->trace;
    context->is_untraced = true;
    context->trace = NULL;
    if (trace && trace->control) {
        host_outside();
        (void)attach.san.Free(context->handle, trace->control);
        host_inside();
    }
    free(trace);
    host_note("there is no trace: %s", why);
    return true;
}

bool host_trace_begin(host_context *context, bool is_last_try) {
    if (attach.settings.trace[0] == '\0' || context->trace_address != 0 || context->is_untraced)
        return true;
    if (!context->trace)
        context->trace = calloc(1, sizeof *context->trace);
    host_trace *trace = context->trace;
    if (!trace)
        return give_up(context, strerror(ENOMEM));
    host_outside();
    int result = make(context->handle, trace);
    host_inside();
    if (result != SAN_SUCCESS)
        return is_last_try && give_up(context, host_result(result));
    if (!start_thread())
        return give_up(context, "its thread could not be started");
    if (!open_file(trace, context->index))
        return give_up(context, strerror(errno));
    pthread_mutex_init(&trace->lock, NULL);
    context->trace_address = (uint64_t)(uintptr_t)trace->control;
    trace->next = traces;
    __atomic_store_n(&traces, trace, __ATOMIC_RELEASE);
    return true;
}

static uint64_t taken_of(host_trace *trace) {
    pthread_mutex_lock(&trace->lock);
    const uint64_t taken = trace->taken;
    pthread_mutex_unlock(&trace->lock);
    return taken;
}

/* Waits for the requests of finished kernels. False if their number is unknown. Releases the lock
 * meanwhile. */
static bool catch_up(host_context *context, uint64_t *claimed) {
    host_trace *trace = context->trace;
    host_outside();
    const bool is_entered = host_enter(context->handle);
    const bool is_known = attach.san.MemcpyDeviceToHost(
                              claimed, (char *)trace->control + offsetof(trace_control, claimed),
                              sizeof *claimed, NULL) == SAN_SUCCESS;
    if (is_entered)
        host_leave();
    uint64_t taken = taken_of(trace);
    const double patience = is_known ? PATIENCE : 0.1;
    double end = host_now() + patience;
    while ((!is_known || taken < *claimed) && host_now() < end) {
        usleep(REST_MICROSECONDS);
        const uint64_t now = taken_of(trace);
        if (now != taken)
            end = host_now() + patience;
        taken = now;
    }
    host_inside();
    return is_known;
}

void host_trace_mark(host_context *context) {
    uint64_t claimed;
    if (!context->trace || context->trace_address == 0)
        return;
    (void)catch_up(context, &claimed);
    pthread_mutex_lock(&context->trace->lock);
    put_row(context->trace, &(trace_row){.pc = context->epoch, .parts = TRACE_MARK});
    pthread_mutex_unlock(&context->trace->lock);
}

void host_trace_end(host_context *context) {
    uint64_t claimed = 0;
    host_trace *trace = context->trace;
    if (!trace || context->trace_address == 0)
        return;
    const bool is_known = catch_up(context, &claimed);
    context->trace = NULL;
    pthread_mutex_lock(&trace->lock);
    const uint64_t lost = claimed - trace->taken;
    if (is_known)
        put_row(trace, &(trace_row){.pc = lost, .parts = TRACE_END});
    flush(trace);
    __atomic_store_n(&trace->ring->is_closed, 1, __ATOMIC_RELEASE);
    trace->ring = NULL;
    (void)close(trace->file);
    const int error = trace->error;
    pthread_mutex_unlock(&trace->lock);
    if (error != 0)
        host_note("the trace could not be written: %s", strerror(error));
}
