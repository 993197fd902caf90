/* SPDX-License-Identifier: MIT */
/*
 * smemprobe.h: the library, for other programs and languages.
 *
 *   smp_model.h    architectures, operations, what one access costs (and smp_arch.h, smp_op.h and
 *                  smp_status.h, which it includes)
 *   smp_accesses.h ways to make accesses: strides, lines of the batch format, random ones
 *   smp_layout.h   CUDA source text: expressions, declarations, loops, and what they cost in all
 *   smp_fix.h      layouts without conflicts
 *
 * Link with `-lsmemprobe` (pkg-config: smemprobe; CMake: smemprobe::smemprobe, or
 * smemprobe::static). It needs the C library only, no GPU and no CUDA.
 *
 * Beside it, libsmemprobe_machine, which needs zstd and jansson, too (pkg-config:
 * smemprobe_machine; CMake: smemprobe::machine):
 *
 *   smp_machine.h  machine code from bytes, run on the CPU
 *   smp_profile.h  profiles (.smprof): read, merged, written, judged, shown
 *   smp_trace.h    accesses in a binary file (.smptrace)
 *
 * Rules for callers
 *   Names    All functions, types and constants begin with smp_ or SMP_; nothing else is exported.
 *   Effects  No function prints, exits, changes the locale or installs a handler. Output goes to
 *            the FILE or buffer that the caller gives. What smp_machine.h starts is said there.
 *   Errors   A function that can fail returns an smp_status and fills an smp_error with one line.
 *   NULL     An smp_error may always be NULL, and a _free or _close takes NULL. Other pointers may
 *            be NULL where a header says so, and nowhere else.
 *   Memory   The caller owns every struct and text. What a _new, _open or _solve function makes is
 *            freed by its _free or _close. Where memory is short, the status is SMP_E_MEMORY, or a
 *            _new gives NULL.
 *   Threads  The functions of smp_model.h and smp_accesses.h may run side by side; an object of
 *            the others belongs to one thread at a time.
 *
 * Rules for binaries
 *   The name of the shared library (soname) carries the major and the minor version while the major
 *   is 0, and the major afterwards. As long as it stays, functions keep their parameters, structs
 *   their size and the place of their members, and constants their value; functions may be added.
 *   A struct that must grow, a constant that must change and a function that must go change the
 *   soname. New operations and statuses are such constants: they are counted in SMP_OP_COUNT and
 *   SMP_STATUS_COUNT.
 *   The library never writes beyond the size that a struct had when it was built. A program that
 *   loads it at run time, or from another language, checks first that smp_version() begins
 *   with the same major and minor number as the SMP_VERSION it was made for, and that
 *   smp_abi_size("smp_access") is what it reserves.
 */
#ifndef SMEMPROBE_H
#define SMEMPROBE_H

#include "smp_accesses.h"
#include "smp_fix.h"
#include "smp_layout.h"
#include "smp_model.h"

SMP_API_BEGIN

/* SMP_VERSION of the library that runs, which need not be the one of the header. */
const char *smp_version(void);

/* Bytes of a public struct in the library that runs, by the name of its type; 0: there is none. */
size_t smp_abi_size(const char *type);

SMP_API_END
#endif
