/* SPDX-License-Identifier: MIT */
/*
 * host_streams.h: the streams that code was launched into which has patches, or had, and whether
 * all of that has ended.
 */
#pragma once

#include "host_part.h"

#define STREAM_PER_THREAD ((void *)2)

/* This thread launched something into the stream; false: it cannot be known when that ends. */
bool host_streams_mark(host_context *context, void *stream);
/* True once all has ended. Without the lock, while no thread launches or ends a stream. Where that
 * can never be known, context->is_untold becomes true. */
bool host_streams_ended(host_context *context);
/* The stream is about to go: the last moment to ask for it. */
void host_streams_end(const void *stream);
/* It goes, whether that was said before or not. */
void host_streams_gone(host_context *context, const void *stream);
/* All has ended: forgets the streams that are gone. */
void host_streams_clear(host_context *context);
