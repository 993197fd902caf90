/* SPDX-License-Identifier: MIT */
/*
 * doctor_profile.h: what profile and emulate need.
 */
#ifndef SMP_DOCTOR_PROFILE_H
#define SMP_DOCTOR_PROFILE_H

#include "doctor.h"

/* The library that runs inside other programs, and all that it needs, tried in a process of its
 * own; `has_card`, `has_driver`: whether anything could come of it. True if profile works. */
bool doctor_add_profile(doctor *out, bool has_card, bool has_driver);
/* nvdisasm, and where its text is kept. */
void doctor_add_disassembly(doctor *out);

#endif
