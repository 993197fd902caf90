/* SPDX-License-Identifier: MIT */
/*
 * The streams that patched code, or code that had patches, was launched into, and whether that work
 * has ended.
 */
#pragma once

#include "host_part.h"

#define STREAM_PER_THREAD ((void *)2)

/* This thread has launched something into the stream. False if its end can never be determined. */
bool host_streams_mark(host_context *context, void *stream);
/* True once all work has ended. Called without the lock, while no thread launches or destroys a
 * stream. Sets context->is_untold if the end can never be determined. */
bool host_streams_ended(host_context *context);
/* The stream is about to be destroyed: this is the last chance to record an event. */
void host_streams_end(const void *stream);
/* The stream is destroyed, whether host_streams_end was called or not. */
void host_streams_gone(host_context *context, const void *stream);
/* All work has ended: forgets the destroyed streams. */
void host_streams_clear(host_context *context);
