/* SPDX-License-Identifier: MIT */
/* The library inside this process, called back by the stand-in as CUDA would. */
#pragma once

#include "instrument_dump.h"
#include "standin_driver.h"
#include "standin_sanitizer.h"

extern char path[64]; /* of the file that the library writes */
extern standin_sanitizer *standin;
extern standin_driver *driver; /* after load_driver */
extern void (*look)(int more); /* smemprobe_look */

/* Before and after each case: a folder, and the environment. */
void make_folder(void);
void remove_folder(void);

/* A driver that is not there; before start, in tests that ask one. */
void load_driver(void);
/* Loads the library and starts it. */
void start(void);
void start_later(void); /* with an API of 13.1 or later */
void call(int domain, uint32_t id, const void *data);
void make_context(void); /* with a module */
void load_module(void);
void load_module_at(void *module);
void unload_module(void);
void launch(const char *name);
void launch_of(void *module, const char *name); /* of 7 blocks */
void launch_blocks_of(void *module, const char *name, uint32_t blocks);
void synchronize(void);

/* What the patch writes: one load of shared memory, known 5 times on one multiprocessor and 6 on
 * another, and 3 requests more that found no entry. */
void run_kernel(void);

/* What the library has written by now. */
smp_instrument_dump read_back(void);
