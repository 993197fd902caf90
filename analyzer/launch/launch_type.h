/* SPDX-License-Identifier: MIT */
/* Element and number types of a launch, by their CUDA C++ names. */
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
    char name[24]; /* one of its spellings */
} smp_element_type;

/* The type spelled by the first `length` characters, ignoring surrounding blanks; false if none. */
bool smp_element_type_named(const char *name, size_t length, smp_element_type *out);
