/* SPDX-License-Identifier: MIT */
/*
 * What an array holds where that decides addresses: "data NAME = random:0:255". Internal to the
 * analyzer.
 */
#ifndef SMP_DATA_H
#define SMP_DATA_H

#include "parse.h"

enum { SMP_DATA_MAX = 16, SMP_DATA_DRAWS = 32 };

typedef struct smp_data {
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
} smp_data;

/* "NAME = random:LOW:HIGH", "NAME = zipf:COUNT" or "NAME = @FILE", behind "data". */
bool smp_data_parse(smp_parser *parser);
void smp_data_clear(smp_data *data);
/* Fails for data of a name that no array has, once all of a text was read. */
smp_status smp_data_check(const struct smp_layout *layout, unsigned *line, smp_error *error);
/* The data of that array, or NULL. */
const smp_data *smp_data_find(const struct smp_layout *layout, const char *name, size_t length);
/* True if what is read from that object is given: it is an element as the array declares it, and an
 * integer. */
bool smp_data_is_given(const struct smp_layout *layout, const smp_operand *object);
/* Element `index` in draw number `draw`; false: the file has no such one. */
bool smp_data_value(const smp_data *data, uint32_t draw, uint64_t index, int64_t *value);
/* True if an element of that type can hold it. */
bool smp_data_fits(smp_integer_type type, int64_t value);

#endif
