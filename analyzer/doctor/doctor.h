/* SPDX-License-Identifier: MIT */
/* Finds out what works on this machine, and how to fix each gap. */
#pragma once

#include "format.h"
#include "smp_probes.h"
#include "style.h"
#include "write_doctor.h"

/* Examines the machine: counters and clocks on GPU `device`, and which of the `count` commands
 * work. `style` is that of the output. */
void doctor_examine(int device, smp_style style, const char *const *commands, size_t count,
                    doctor *out);

/* Adds a row; the text is cut if too long. */
doctor_part *doctor_add(doctor *out, const char *name, doctor_state state, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void doctor_fix(doctor_part *part, const char *fix);

/* ---- doctor_profile.c: what profile and emulate need ---- */

/* Tries the library that runs inside other programs, and all that it needs, in a process of its
 * own, if there is a card and a driver. True if profile works. */
bool doctor_add_profile(doctor *out, bool has_card, bool has_driver);
/* Which of NVIDIA's tools were found. */
typedef struct doctor_tools {
    bool compiler, disassembler;
} doctor_tools;

/* Looks for nvcc and nvdisasm, and the cache of nvdisasm's output. */
doctor_tools doctor_add_tools(doctor *out);
