/* SPDX-License-Identifier: MIT */
/*
 * What an array holds where that decides addresses: "data NAME = random:0:255". Internal to the
 * analyzer.
 */
#ifndef CT_DATA_H
#define CT_DATA_H

#include "kernel.h"
#include "parse.h"

/* "NAME = random:LOW:HIGH", "NAME = zipf:COUNT" or "NAME = @FILE", behind "data". */
bool ct_data_parse(ct_parser *parser);
/* Fails for data of a name that no array has, once all of a text was read. */
smp_status ct_data_check(const ct_kernel *kernel, unsigned *line, smp_error *error);
/* True if what is read from that object is given: it is an element as the array declares it, and an
 * integer. */
bool ct_data_is_given(const ct_kernel *kernel, const ct_operand *object);

#endif
