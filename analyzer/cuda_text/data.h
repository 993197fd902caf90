/* SPDX-License-Identifier: MIT */
/*
 * What an array holds where that decides addresses: "data NAME = random:0:255". Internal to the
 * analyzer.
 */
#ifndef CT_DATA_H
#define CT_DATA_H

#include "parse.h"

enum { CT_DATA_MAX = 16, CT_DATA_DRAWS = 32 };

typedef struct ct_data {
    const char *name; /* of the array, in the caller's text */
    size_t length;
    unsigned line; /* where it is said */
    int32_t column;
    bool is_drawn; /* random, else those of a file */
    int64_t low;
    uint64_t span;   /* drawn evenly from low to low + span */
    int64_t *values; /* of a file; owned */
    double *shares;  /* of Zipf's law: what falls on 0 to i together; owned */
    size_t count;    /* of values or shares */
} ct_data;

/* "NAME = random:LOW:HIGH", "NAME = zipf:COUNT" or "NAME = @FILE", behind "data". */
bool ct_data_parse(ct_parser *parser);
void ct_data_clear(ct_data *data);
/* Fails for data of a name that no array has, once all of a text was read. */
smp_status ct_data_check(const struct smp_layout *layout, unsigned *line, smp_error *error);
/* The data of that array, or NULL. */
const ct_data *ct_data_find(const struct smp_layout *layout, const char *name, size_t length);
/* True if what is read from that object is given: it is an element as the array declares it, and an
 * integer. */
bool ct_data_is_given(const struct smp_layout *layout, const ct_operand *object);
/* Element `index` in draw number `draw`; false: the file has no such one. */
bool ct_data_value(const ct_data *data, uint32_t draw, uint64_t index, int64_t *value);
/* True if an element of that type can hold it. */
bool ct_data_fits(smp_integer_type type, int64_t value);

#endif
