/* SPDX-License-Identifier: MIT */
/*
 * Accesses that fail only because of what an assumed launch cannot know: pointers in an argument or
 * array of unknown members, which is all zeros, the size of an array, and what lies before it.
 */
#pragma once

#include "assumed_launch.h"
#include "emulate.h"
#include "note.h"

/* Removes such findings and says in a note what to do instead. Returns why the launch ended early,
 * for the profile; NULL if none was removed. */
const char *unknown_argument_take(const char *name, const smp_assumed_launch *assumed,
                                  const smp_function *function, const smp_emu_memory *memory,
                                  smp_emulation *done, const note_sink *notes);
