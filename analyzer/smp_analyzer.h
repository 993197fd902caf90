/* SPDX-License-Identifier: MIT */
/*
 * Ways to make accesses, and what they cost: the public headers of all rooms.
 *
 * A pattern is what people say ("stride 33, floats, the first 16 lanes"); it becomes an
 * smp_access, whose prediction and measurement form a report. Functions that parse fill an
 * smp_error with the position; nothing prints.
 */
#ifndef SMP_ANALYZER_H
#define SMP_ANALYZER_H

#include "smp_accesses.h"
#include "smp_fix.h"
#include "smp_forecast.h"
#include "smp_layout.h"
#include "smp_prediction.h"
#include "smp_verify.h"

#endif
