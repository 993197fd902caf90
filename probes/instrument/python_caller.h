/* SPDX-License-Identifier: MIT */
/*
 * The line of a Python program that this thread, or the main thread for it, is in.
 *
 * Python's functions need its lock, which libraries release before they launch a kernel, and which
 * we must not wait for. The function that writes a traceback after a fault needs no lock; some
 * versions export it. Other versions are asked to call back: they do when the main thread returns
 * from the launch, still on the same line.
 *
 * A thread without Python works for another: PyTorch's autograd launches the kernels of
 * `loss.backward()`, JAX has a pool. If the main thread sleeps meanwhile, it waits for that work,
 * and its line is reported.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Receives the innermost line outside packages, or else the outermost. `is_later`: called not
 * within python_caller_ask, but in the main thread, with Python's lock. */
typedef void (*python_caller_fn)(void *user, const char *file, uint32_t line, bool is_later);

/* Calls `take` once, now or later; false if it will not, because there is no Python or it gives no
 * line. (A later call may not happen either.) */
bool python_caller_ask(python_caller_fn take, void *user);
