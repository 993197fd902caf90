/* SPDX-License-Identifier: MIT */
/*
 * Types of numbers that conversions know.
 */
#ifndef SMP_CONVERT_H
#define SMP_CONVERT_H

enum {
    CONVERT_U8,
    CONVERT_S8,
    CONVERT_U16,
    CONVERT_S16,
    CONVERT_U32,
    CONVERT_S32,
    CONVERT_U64,
    CONVERT_S64,
    CONVERT_F16,
    CONVERT_BF16,
    CONVERT_F32,
    CONVERT_F64,
};

#endif
