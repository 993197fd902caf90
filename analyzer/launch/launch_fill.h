/* SPDX-License-Identifier: MIT */
/* Fills an array of a launch: zero, iota, random:LOW:HIGH[:SEED] or the bytes of a file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "emulate.h"
#include "launch_type.h"

typedef struct launch_fill {
    const char *how;
    const smp_element_type *type;
    smp_emu_array *array;
    uint32_t argument; /* from 1 */
    int column;        /* of `how` in the launch, for errors */
    bool is_check;     /* no kernel yet: only checks the text */
    smp_error *error;
} launch_fill;

smp_status smp_launch_fill(const launch_fill *fill);

/* Stores a number as an element: `number` for floating-point types, else `integer`. */
void smp_launch_put_number(uint8_t *at, const smp_element_type *type, double number,
                           uint64_t integer);
