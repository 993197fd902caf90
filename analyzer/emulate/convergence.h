/* SPDX-License-Identifier: MIT */
/*
 * Convergence barriers of a warp (convergence.c).
 */
#pragma once

#include "warp.h"

/* BSSY: sets up a barrier for `mask`. */
void emu_convergence_begin(emu_warp *warp, uint32_t reg, uint32_t exec, uint32_t mask);
/* BREAK: `lanes` are no longer waited for. */
void emu_convergence_break(emu_warp *warp, uint32_t reg, uint32_t lanes);
/* BMOV. */
void emu_convergence_move(const emu_program *program, emu_warp *warp, const uop *u, uint32_t exec);
/* Called when no group of the warp can continue: releases some lanes that wait at BSYNC in a cycle;
 * true if any. */
bool emu_convergence_release(emu_warp *warp);
void emu_convergence_reset(emu_warp *warp);
