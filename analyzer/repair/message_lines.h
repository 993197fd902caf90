/* SPDX-License-Identifier: MIT */
/* Line numbers in messages. */
#pragma once

#include "text_buffer.h"

/* Replaces the number in each "line 12" of the message by what `put` writes for it. */
void message_lines_convert(char *message, size_t size,
                           void (*put)(text_buffer *out, unsigned line, const void *user),
                           const void *user);
