/* SPDX-License-Identifier: MIT */
/*
 * An event in each stream, after all its launches. It is recorded when somebody asks whether these
 * have ended, or before the stream is destroyed: an event per launch would cost as much as
 * everything else done for it.
 */
#define _GNU_SOURCE
#include "host_streams.h"

#include <stdlib.h>

#include "host_clock.h"

enum {
    STREAMS_MAX = 1024,
    EVENT_WITHOUT_TIME = 2,
    FAULT_FIRST = 700, /* faults of a kernel, after which nothing in the context ends */
    FAULT_LAST = 799,
};

struct host_stream {
    void *stream;     /* NULL for the default stream that all threads share */
    pthread_t thread; /* owner, if it is a thread's own default stream */
    void *event;      /* NULL until first needed */
    bool is_taken, is_gone;
    bool is_behind; /* more was launched since the event was recorded */
};

static const host_events *driver;

static bool find_driver(void) {
    driver = host_find_events();
    return driver;
}

/* Returns the stream's place, or a free one; NULL if there is none. */
static host_stream *place_of(host_context *context, const void *stream) {
    host_stream *place = NULL;
    if (!context->streams)
        context->streams = calloc(STREAMS_MAX, sizeof *context->streams);
    for (size_t i = 0; context->streams && i < STREAMS_MAX; i++) {
        host_stream *one = &context->streams[i];
        if (!one->is_taken && !place)
            place = one;
        if (one->is_taken && !one->is_gone && one->stream == stream &&
            (stream != STREAM_PER_THREAD || pthread_equal(one->thread, pthread_self())))
            return one;
    }
    return place;
}

/* Records the place's event after everything in its stream. False if that fails, or while the
 * stream is captured. Called without the lock. */
static bool catch_up(host_context *context, host_stream *one) {
    int state = 0;
    if (!one->is_behind)
        return true;
    if (driver->capturing(one->stream, &state) == 0 && state != 0)
        return false;
    if (!one->event && driver->create(&one->event, EVENT_WITHOUT_TIME) != 0)
        one->event = NULL;
    one->is_behind = !one->event || driver->record(one->event, one->stream) != 0;
    context->is_untold |= one->is_behind;
    return !one->is_behind;
}

static bool catch_up_outside(host_context *context, host_stream *one) {
    int mode = CAPTURE_RELAXED;
    const double begun = host_clock();
    host_outside();
    const bool is_told = driver->exchange(&mode) == 0 && catch_up(context, one);
    (void)driver->exchange(&mode);
    host_inside();
    host_clock_add(WORK_EVENT, begun);
    return is_told;
}

bool host_streams_mark(host_context *context, void *stream) {
    host_stream *place = find_driver() ? place_of(context, stream) : NULL;
    if (!place)
        return false;
    place->is_taken = place->is_behind = true;
    place->stream = stream;
    place->thread = pthread_self();
    /* Another thread that asks later could not name a thread's own stream. */
    return stream != STREAM_PER_THREAD || catch_up_outside(context, place);
}

bool host_streams_ended(host_context *context) {
    int mode = CAPTURE_RELAXED;
    bool is_over = true;
    if (!context->streams)
        return true;
    if (!find_driver() || driver->exchange(&mode) != 0)
        return false;
    for (size_t i = 0; i < STREAMS_MAX && is_over; i++) {
        host_stream *one = &context->streams[i];
        const int result = !one->is_taken           ? 0
                           : catch_up(context, one) ? driver->query(one->event)
                                                    : NOT_READY;
        is_over = result == 0;
        context->is_untold |= result >= FAULT_FIRST && result <= FAULT_LAST;
    }
    (void)driver->exchange(&mode);
    return is_over;
}

/* Returns the stream's next place from *at on, and advances *at; NULL if there are no more. */
static host_stream *next_of(host_context *context, const void *stream, size_t *at) {
    while (context->handle && context->streams && *at < STREAMS_MAX) {
        host_stream *one = &context->streams[(*at)++];
        if (one->is_taken && !one->is_gone && one->stream == stream)
            return one;
    }
    return NULL;
}

void host_streams_end(const void *stream) {
    host_stream *one;
    for (host_context *c = attach.contexts; c; c = c->next)
        for (size_t at = 0; (one = next_of(c, stream, &at));)
            (void)catch_up_outside(c, one);
}

void host_streams_gone(host_context *context, const void *stream) {
    host_stream *one;
    for (size_t at = 0; (one = next_of(context, stream, &at));) {
        one->is_gone = true;
        context->is_untold |= one->is_behind;
    }
}

void host_streams_clear(host_context *context) {
    for (size_t i = 0; context->streams && i < STREAMS_MAX; i++) {
        host_stream *one = &context->streams[i];
        if (one->is_gone)
            *one = (host_stream){.event = one->event};
    }
}
