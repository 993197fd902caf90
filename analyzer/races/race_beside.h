/* SPDX-License-Identifier: MIT */
/*
 * A launch beside concurrent work: compares each access with that work. Internal to the emulator.
 */
#pragma once

#include "beside.h"
#include "race_state.h"

/* False if out of memory. */
bool race_beside_begin(emu_run *run);
void race_beside_end(emu_run *run);
/* Before an access to global memory, if run->beside is set. */
void race_beside_access(const race_access *x);
/* The lanes waited for the launch in front (griddepcontrol.wait). */
void race_beside_wait(emu_race *race, const emu_warp *warp, uint32_t lanes);
