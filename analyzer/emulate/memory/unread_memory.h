/* SPDX-License-Identifier: MIT */
/*
 * Memory of a kept launch that nobody read, because it is too much: as large as it was, filled with
 * zeros or with noise, of which only what is touched takes room. What a kernel does alike with both
 * does not depend on what was there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* NULL: there is no room for the addresses. */
uint8_t *emu_unread_map(uint64_t bytes, bool is_noise);
void emu_unread_unmap(uint8_t *at, uint64_t bytes);
