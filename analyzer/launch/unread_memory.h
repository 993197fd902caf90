/* SPDX-License-Identifier: MIT */
/*
 * Memory of a kept launch that was too large to read: as large as it was, filled with zeros or
 * noise; only touched pages take memory. What a kernel does in the same way with both does not
 * depend on the contents.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* NULL if there is not enough address space. */
uint8_t *emu_unread_map(uint64_t bytes, bool is_noise);
void emu_unread_unmap(uint8_t *at, uint64_t bytes);
