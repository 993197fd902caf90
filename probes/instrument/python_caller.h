/* SPDX-License-Identifier: MIT */
/*
 * python_caller.h: the line of a Python program that this thread, or for it the main thread, is in.
 *
 * Python may only be asked by who holds its lock, which a library gives away before it launches a
 * kernel, and which nobody may wait for here. What writes a traceback after a fault does without;
 * some versions show it to libraries. The others are asked to call back: they do when the main
 * thread comes back from the launch, in the same line still.
 *
 * A thread without Python works for another: PyTorch's autograd launches the kernels of
 * `loss.backward()`, JAX has a pool. Where the main thread sleeps meanwhile, it waits for that, and
 * its line is the one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The innermost line that is of no package; else the outermost. `is_later`: not within
 * python_caller_ask, but in the main thread, with Python's lock. */
typedef void (*python_caller_fn)(void *user, const char *file, uint32_t line, bool is_later);

/* Calls `take` once, now or later; false: never, as there is no Python, or it says nothing. (That
 * it is called later may come to nothing, too.) */
bool python_caller_ask(python_caller_fn take, void *user);
