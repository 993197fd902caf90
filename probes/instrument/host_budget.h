/* SPDX-License-Identifier: MIT */
/*
 * The calls of a thread that launch, as launch_budget.h decides about them. The lock is held in all
 * of these, and released while the driver is asked.
 */
#pragma once

#include "host_part.h"
#include "launch_budget.h"

/* `stop` ends the callbacks that only count launches; it is called in a callback. */
void host_budget_begin(double overhead, void (*stop)(void));
/* Time spent on things that are not decided here: modules, reading the table. */
void host_budget_spend(double seconds);
/* The sum of all time reported as spent or waited. */
double host_budget_accounted(void);
/* Launches were held back for `seconds`, so that patches could change. */
void host_budget_waited(double seconds);
/* Patches changed, which took `seconds`; `more` more modules have some now. */
void host_budget_changed(double seconds, int more);
/* The driver took `seconds` for the call behind that, to bring the changed code to the GPU. */
void host_budget_settled(double seconds);

/* What is known of the kernel that a call launches. */
typedef struct budget_kernel {
    bool is_patched; /* it has patches now */
    bool is_wanted;  /* by its name */
    bool has_none;   /* it executes nothing that is looked at */
    bool is_idle;    /* nothing runs */
} budget_kernel;

/* The shape of the call needs no decision for now, and its module has no patches: the call begins,
 * is counted when it ends, and nothing else is done for it. False: it takes the long way. */
bool host_budget_quiet_begin(host_context *context, const host_call *call);
/* The call has ended, and launched its kernel unless it failed. */
void host_budget_quiet_end(bool is_launched);
/* The callbacks of launches took `seconds`, besides what is spent on looks. If they take longer
 * than the budget allows, launches are counted no more. */
void host_budget_called(double seconds);

/* A call begins: finds its shape. False: nothing is decided about it, as when it is captured into a
 * graph. */
bool host_budget_find(const host_context *context, const host_call *call, const char *kernel,
                      void *stream);
/* True if a kernel of the shape was launched before; *has_shared is what was known of it then. */
bool host_budget_knows(bool *has_shared);
/* True if kernel->is_idle matters. */
bool host_budget_asks_idle(const host_call *call, const budget_kernel *kernel);
/* Decides about the call. */
void host_budget_decide(const host_call *call, const budget_kernel *kernel);
/* True if the thread's call is to be looked at. */
bool host_budget_is_look(void);
/* True if the thread's call is the first of its shape, and no look at it has begun. */
bool host_budget_is_first(void);
/* Returns how many bytes may be read for such a call; 0 if it is to be looked at. */
uint64_t host_budget_sample_bytes(void);
/* True if there is time to keep a launch without reading memory. */
bool host_budget_may_keep(void);
/* It was kept. */
void host_budget_kept(void);
/* Time spent on keeping it, and whether memory was read. */
void host_budget_sampled(double seconds, bool is_read);
/* Just before the launch, in it, and after it. */
void host_budget_start(const host_context *context, void *stream);
void host_budget_launched(const host_context *context, const host_module *module,
                          host_function *function, bool is_seen);
/* The kind of the thread's launch: what the patch receives with the table's address. */
unsigned host_budget_kind(void);
/* The kind of the first look at its shape; 0 if unknown. */
unsigned host_budget_first_kind(void);
void host_budget_exit(void *stream);
/* The thread's call takes longer than its launch: code is loaded, or memory read. */
void host_budget_delayed(void);
/* True if an earlier launch that is looked at may not have ended yet. */
bool host_budget_is_pending(void);

/* The process ends: writes down what was spent, and says so if asked. */
void host_budget_end(void);

/* Takes up to `most` times of launches that have ended. */
void host_budget_collect(unsigned most);

/* Adds the times of the function's launches without patches, the quiet launches, and the weights of
 * its kinds. */
void host_budget_times(int32_t function, smp_instrument_state *state);
