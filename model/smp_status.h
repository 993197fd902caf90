/* SPDX-License-Identifier: MIT */
/* Results of calls: statuses and errors. Part of smp_model.h, which includes it. */
#ifndef SMP_MODEL_STATUS_H
#define SMP_MODEL_STATUS_H

/* One row a status: name, exit status of the command line, message. */
#define SMP_STATUS_LIST(X)                                                      \
    X(SMP_OK, 0, "success")                                                     \
    X(SMP_E_USAGE, 2, "wrong usage")                                            \
    X(SMP_E_UNKNOWN_ARCH, 2, "unknown architecture")                            \
    X(SMP_E_UNKNOWN_OP, 2, "unknown operation")                                 \
    X(SMP_E_WIDTH, 2, "width not available for this operation")                 \
    X(SMP_E_MASK, 2, "no lane is active")                                       \
    X(SMP_E_OP_UNAVAILABLE, 3, "operation does not exist on this architecture") \
    X(SMP_E_BANK_MODE, 2, "bank mode not available on this architecture")       \
    X(SMP_E_MISALIGNED, 3, "address not aligned to the access width")           \
    X(SMP_E_RANGE, 3, "address outside the block's shared memory")              \
    X(SMP_E_OVERFLOW, 2, "number too large")                                    \
    X(SMP_E_EXISTS, 2, "output file exists")                                    \
    X(SMP_E_NO_GNUPLOT, 2, "gnuplot not found")                                 \
    X(SMP_E_SYNTAX, 3, "syntax error")                                          \
    X(SMP_E_READ, 3, "input could not be read")                                 \
    X(SMP_E_WRITE, 3, "output could not be written")                            \
    X(SMP_E_NOT_MODELLED, 0, "not modelled")                                    \
    X(SMP_E_COUNTERS_LOCKED, 4, "GPU performance counters are locked")          \
    X(SMP_E_NOT_BUILT, 77, "built without the CUDA toolkit")                    \
    X(SMP_E_NO_DRIVER, 77, "no NVIDIA driver")                                  \
    X(SMP_E_NO_GPU, 77, "no NVIDIA GPU")                                        \
    X(SMP_E_DRIVER_OLD, 5, "NVIDIA driver older than the CUDA runtime")         \
    X(SMP_E_NO_CUPTI, 5, "libcupti not found")                                  \
    X(SMP_E_PROFILER_BUSY, 5, "another profiler is attached to the GPU")        \
    X(SMP_E_CHIP, 5, "GPU not supported by the profiler library")               \
    X(SMP_E_CUDA, 5, "CUDA error")                                              \
    X(SMP_E_CUPTI, 5, "CUPTI error")                                            \
    X(SMP_E_RESULT, 5, "kernel result differs from the CPU reference")          \
    X(SMP_E_MEMORY, 5, "out of memory")                                         \
    X(SMP_E_INTERRUPTED, 130, "interrupted")                                    \
    X(SMP_E_INTERNAL, 5, "internal error")

typedef enum smp_status {
#define SMP_STATUS_ENUM(name, exit_status, message) name,
    SMP_STATUS_LIST(SMP_STATUS_ENUM)
#undef SMP_STATUS_ENUM
        SMP_STATUS_COUNT
} smp_status;

/* Name, as in "SMP_E_WIDTH"; static string, never NULL. */
const char *smp_status_name(smp_status status);
/* One line without a full stop; static string, never NULL. */
const char *smp_status_message(smp_status status);
/* The exit status of a program that ends with it (docs/reference/exit-statuses.md). */
int smp_status_exit(smp_status status);

/* What went wrong, and where: `position` is a column in a text (0-based) or a lane, -1 if
 * neither applies. `message` is a whole clear line without a full stop. */
typedef struct smp_error {
    smp_status status;
    int position;
    char message[256];
} smp_error;

/* Fills *error (may be NULL) from a printf format and returns `status`. */
smp_status smp_error_set(smp_error *error, smp_status status, int position, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* The same with SMP_E_MEMORY and "out of memory". */
smp_status smp_error_memory(smp_error *error);

/* Called from time to time by functions that take long; returning false stops them. */
typedef bool (*smp_progress_fn)(void *user, size_t done, size_t total);

#endif
