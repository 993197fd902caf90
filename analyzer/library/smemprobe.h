/* SPDX-License-Identifier: MIT */
/*
 * The library, for other programs and languages.
 *
 *   smp_model.h    architectures, operations, the cost of an access (and smp_arch.h, smp_op.h and
 *                  smp_status.h, which it includes)
 *   smp_accesses.h ways to make accesses: strides, lines of the batch format, random ones
 *   smp_layout.h   CUDA source text: expressions, declarations, loops, and their total cost
 *   smp_fix.h      layouts without conflicts
 *
 * Link with `-lsmemprobe` (pkg-config: smemprobe; CMake: smemprobe::smemprobe or
 * smemprobe::static). It needs only the C library, no GPU and no CUDA.
 *
 * A second library, libsmemprobe_machine, also needs zstd and jansson (pkg-config:
 * smemprobe_machine; CMake: smemprobe::machine):
 *
 *   smp_machine.h  machine code from bytes, run on the CPU
 *   smp_profile.h  profiles (.smprof): read, merge, write, check, show
 *   smp_trace.h    accesses in a binary file (.smptrace)
 *
 * Rules for callers
 *   Names    All functions, types and constants begin with smp_ or SMP_; nothing else is exported.
 *   Effects  No function prints, exits, changes the locale or installs a handler. Output goes to
 *            the caller's FILE or buffer. smp_machine.h lists the processes that it starts.
 *   Errors   A function that can fail returns an smp_status and fills an smp_error with one line.
 *   NULL     An smp_error may always be NULL, and so may what _free or _close gets. Other pointers
 *            may be NULL only where a header says so.
 *   Memory   The caller owns every struct and text, and frees the results of _new, _open and _solve
 *            by the matching _free or _close. Out of memory, the status is SMP_E_MEMORY, and a _new
 *            returns NULL.
 *   Threads  Functions of smp_model.h and smp_accesses.h may run concurrently; an object of the
 *            other headers belongs to one thread at a time.
 *
 * Rules for binaries
 *   The shared library's name (soname) contains the major and the minor version while the major
 *   is 0, and only the major afterwards. While it stays, functions keep their parameters, structs
 *   their size and member offsets, and constants their value; functions may be added.
 *   Growing a struct, changing a constant or removing a function changes the
 *   soname. New operations and statuses are such constants: they are counted in SMP_OP_COUNT and
 *   SMP_STATUS_COUNT.
 *   The library never writes beyond the size that a struct had when it was built. A program that
 *   loads it at run time, or from another language, should check that smp_version() begins
 *   with the major and minor number of the SMP_VERSION it was written for, and that
 *   smp_abi_size("smp_access") is the size that it reserves.
 */
#ifndef SMEMPROBE_H
#define SMEMPROBE_H

#include "smp_accesses.h"
#include "smp_fix.h"
#include "smp_layout.h"
#include "smp_model.h"

SMP_API_BEGIN

/* SMP_VERSION of the loaded library, which may differ from the header's. */
const char *smp_version(void);

/* Size of a public struct in the loaded library, by its type name; 0 if there is no such struct. */
size_t smp_abi_size(const char *type);

SMP_API_END
#endif
