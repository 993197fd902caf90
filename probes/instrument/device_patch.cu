/* SPDX-License-Identifier: MIT */
/* The patch that counts requests in the table. */
#include "device_count.cuh"

#define KEEP(kind, parts, what, lanes, first, second) (void)0

#include "device_calls.cuh"
