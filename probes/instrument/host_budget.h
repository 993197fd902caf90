/* SPDX-License-Identifier: MIT */
/*
 * host_budget.h: a thread's calls that launch, as launch_budget.h decides about them. All under the
 * lock, which is left while the driver is asked.
 */
#pragma once

#include "host_part.h"
#include "launch_budget.h"

void host_budget_begin(double overhead);
/* True if SMP_INSTRUMENT_OVERHEAD limits what is looked at. */
bool host_is_budgeted(void);
/* Spent on what is not decided here: modules, reading the table. */
void host_budget_spend(double seconds);
/* All that was told to be spent or waited so far. */
double host_budget_accounted(void);
/* That long nothing was launched, so that patches could be changed. */
void host_budget_waited(double seconds);
/* Patches were changed, which took so long; so many more modules have some now. */
void host_budget_changed(double seconds, int more);
/* Handles of the driver may come to mean others. */
void host_budget_forget(const void *called);

/* What a call launches, as far as is known. */
typedef struct budget_kernel {
    bool is_patched; /* it has patches now */
    bool is_wanted;  /* by its name */
    bool has_none;   /* it executes nothing that is looked at */
    bool is_idle;    /* nothing runs */
} budget_kernel;

/* A call begins: finds its shape. False: it is not decided about, as what is captured into a graph.
 */
bool host_budget_find(const host_context *context, const host_call *call, const char *kernel,
                      void *stream);
/* True if a kernel of the shape was launched before; *has_shared: what was known of it then. */
bool host_budget_knows(bool *has_shared);
/* True if kernel->is_idle matters. */
bool host_budget_asks_idle(const host_call *call, const budget_kernel *kernel);
/* Decides about the call. */
void host_budget_decide(const host_call *call, const budget_kernel *kernel);
/* The thread's call is to be looked at. */
bool host_budget_is_look(void);
/* The thread's call is the first of its shape and runs unseen; how many bytes may be kept of it. */
uint64_t host_budget_sample_bytes(void);
/* That took so long. */
void host_budget_sampled(double seconds);
/* Just before its launch, and in it. */
void host_budget_start(const host_context *context, void *stream);
void host_budget_launched(const host_function *function, bool is_seen);
void host_budget_exit(void *stream);
/* The thread's call takes longer than its launch: code is loaded, or memory read. */
void host_budget_delayed(void);
/* Launches before this one that are looked at have not ended yet, as far as is known. */
bool host_budget_is_pending(void);

/* The process ends: what was spent, if that is asked for. */
void host_budget_end(void);

/* Takes up to `most` times of launches that have ended. */
void host_budget_collect(unsigned most);

/* Fills the times of the function's launches without patches. */
void host_budget_times(int32_t function, instrument_state *state);
