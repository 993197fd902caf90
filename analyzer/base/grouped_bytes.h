/* SPDX-License-Identifier: MIT */
/* Arrays of structs stored in groups: GROUPED_STRUCTS values of one member, then of the next. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROUPED_STRUCTS = 32 };

/* Unpacks the structs, one after the other. `sizes` are those of the members, such as "4,4,8",
 * without padding. False if the bytes are not whole groups. */
bool grouped_bytes_order(const char *sizes, const uint8_t *from, uint8_t *to, size_t bytes);
