/* SPDX-License-Identifier: MIT */
/* Architectures that an answer for several omits. */
#pragma once

#include "note.h"
#include "smp_model.h"
#include "text_buffer.h"

typedef struct left_out {
    unsigned count;
    text_buffer list; /* over `names` */
    char names[256];
    char reason[256];
} left_out;

/* Returns SMP_OK: the others continue. */
smp_status left_out_add(left_out *left, const smp_arch *arch, const smp_error *why);
/* "left out: sm_52, sm_60. The first: ..."; false if none is. */
enum { LEFT_OUT_BYTES = 600 };
bool left_out_text(const left_out *left, char text[LEFT_OUT_BYTES]);
/* The same as a note, or nothing. */
void left_out_note(const left_out *left, const note_sink *notes);
