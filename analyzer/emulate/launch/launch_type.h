/* SPDX-License-Identifier: MIT */
/*
 * The types of elements and numbers that a launch knows, by the names of CUDA C++.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum smp_element_kind {
    SMP_ELEMENT_INTEGER,
    SMP_ELEMENT_FLOAT,
    SMP_ELEMENT_HALF,
    SMP_ELEMENT_BF16,
} smp_element_kind;

typedef struct smp_element_type {
    smp_element_kind kind;
    bool is_unsigned, is_bool;
    uint8_t bytes; /* of a component */
    uint8_t components;
    char name[24]; /* one spelling of it, which a launch knows */
} smp_element_type;

/* The type that the first `length` characters spell, blanks around them aside; false: none. */
bool smp_element_type_named(const char *name, size_t length, smp_element_type *out);
