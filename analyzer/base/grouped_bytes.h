/* SPDX-License-Identifier: MIT */
/* Arrays of structs stored in groups: GROUPED_STRUCTS values of one member, then of the next. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROUPED_STRUCTS = 32 };

/* Unpacks the structs, one after the other. `sizes` are those of the members, such as "4,4,8",
 * without padding; ";140000;600" behind them are sizes of arrays before they had whole groups.
 * False if the bytes are not whole groups. */
bool grouped_bytes_order(const char *sizes, const uint8_t *from, uint8_t *to, size_t bytes);
/* Bytes that the array had before its last group was made whole, as far as `sizes` says. */
uint64_t grouped_bytes_before(const char *sizes, uint64_t bytes);
/* Whether an array of so many bytes may hold structs of these sizes, in no whole number of groups.
 */
bool grouped_bytes_is_part(const char *sizes, uint64_t bytes);
