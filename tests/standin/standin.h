/* SPDX-License-Identifier: MIT */
/*
 * A GPU that is not there, for tests of everything that talks to one. The libraries libcuda.so.1
 * and libcupti.so.13 of this folder, the CUDA runtime and the kernels answer as $SMP_STANDIN says
 * (README.md); the counters they show are those that the model predicts.
 *
 * This part lives in the program under test, which exports it to the two libraries.
 */
#pragma once

#include "smp_model.h"

/* What this call of `function` returns: 0, or the code that $SMP_STANDIN gives it. */
int standin_result(const char *function);
/* The value of "name=value" in $SMP_STANDIN, or `otherwise`. Static. */
const char *standin_text(const char *name, const char *otherwise);
long standin_number(const char *name, long otherwise);

/* Runs an access `times` times: adds what it costs to the counter of its operation. */
void standin_run_access(const smp_access *access, uint64_t times);
/* Adds `count` to the counter of an operation. */
void standin_count(smp_op op, uint64_t count);
/* What a counter, named as CUPTI names it, has reached. */
double standin_counter(const char *metric);
/* What one access costs, by the model of the stand-in's architecture, with the errors that
 * $SMP_STANDIN asks for. */
uint64_t standin_cost(const smp_access *access);
/* Lets time pass; and the time that has passed. */
void standin_spend(double microseconds);
double standin_clock_us(void);
