/* SPDX-License-Identifier: MIT */
/* The state of one memory instruction: the lanes' addresses, their bytes, and the operation. */
#pragma once

#include "warp.h"

typedef struct access_lanes {
    emu_warp *warp;
    emu_worker *worker;
    const uop *u;
    const uop_memory *m;
    uint32_t width, reserved;
    unsigned slot;
    uint64_t address[SMP_LANES];
    uint8_t *bytes[SMP_LANES];
} access_lanes;
