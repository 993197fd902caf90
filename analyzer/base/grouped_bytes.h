/* SPDX-License-Identifier: MIT */
/*
 * Arrays of structs whose members lie in groups: of each member GROUPED_STRUCTS at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROUPED_STRUCTS = 32 };

/* The same structs one behind the other. `sizes`: of the members, as "4,4,8"; there is nothing
 * between them. False: the bytes are not a number of whole groups. */
bool grouped_bytes_order(const char *sizes, const uint8_t *from, uint8_t *to, size_t bytes);
