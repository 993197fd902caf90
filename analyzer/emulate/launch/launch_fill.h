/* SPDX-License-Identifier: MIT */
/*
 * What an array of a launch holds: zero, iota, random:LOW:HIGH[:SEED] or the bytes of a file.
 */
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
    bool is_check;     /* there is no kernel yet: the text is read, the array stays as it is */
    smp_error *error;
} launch_fill;

smp_status smp_launch_fill(const launch_fill *fill);

/* The number as an element has it: `number` of floating-point types, else `integer`. */
void smp_launch_put_number(uint8_t *at, const smp_element_type *type, double number,
                           uint64_t integer);
