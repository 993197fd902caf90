/* SPDX-License-Identifier: MIT */
/*
 * The types in which integers are computed.
 */
#ifndef CT_KIND_H
#define CT_KIND_H

/* In C's order of conversion rank. An integer is kept in an int64_t, sign- or zero-extended; data
 * is whatever is no integer, and never known. */
typedef enum ct_kind { CT_I32, CT_U32, CT_I64, CT_U64, CT_DATA } ct_kind;

#endif
