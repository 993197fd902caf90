/* SPDX-License-Identifier: MIT */
/* Accesses made to tell rules apart. */
#pragma once

#include "gpu_access.h"

/* Two to eight of the first `lanes` lanes, in few places of few lines, on both sides. */
smp_access gpu_few(gpu_random *random, smp_op op, uint32_t width_bytes, uint32_t lanes);

/* Rows side by side, as a tile is copied: from anywhere to anywhere, all lanes. */
smp_access gpu_rows(gpu_random *random, smp_op op, uint32_t width_bytes);
