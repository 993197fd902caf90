/* SPDX-License-Identifier: MIT */
/* The rows of registry.c and the code that families share. Internal to kernels/. */
#pragma once

#include "smp_kernels.h"

SMP_C_BEGIN

/* One file per family. */
extern const smp_kernel_family smp_transpose_family, smp_occupancy_family, smp_reduce_family,
    smp_sumsq_family, smp_histogram_family, smp_scan_family, smp_gemm_tile_family,
    smp_convolve_rows_family, smp_convolve_columns_family, smp_lookup_family;

/* The type of a variant's launch function. */
typedef smp_status smp_launch_function(const smp_kernel_launch *launch, smp_error *error);

/* A launch function from a .cu file; without the toolkit, a function that reports that it is not
 * built. */
#ifdef SMP_KERNELS_BUILT
#define SMP_LAUNCH(function) function
#else
#define SMP_LAUNCH(function) smp_launch_not_built
#endif
smp_launch_function smp_launch_not_built;

/* The product or sum of a vendor's library, which times are compared with; it is in benchmarks/. */
#ifdef SMP_BENCHMARKS
#define SMP_BASELINE(function) SMP_LAUNCH(function)
#else
#define SMP_BASELINE(function) smp_baseline_not_built
#endif
smp_launch_function smp_baseline_not_built;

/* ---- Rows ---- */

/* Functions of a row whose body is one expression. The expression uses the parameters of
 * smp_kernel_variant: `problem`, `index`, `script`, `in`, `to`, `error`. SMP_SCRIPT_ONCE is for
 * variants that run one kernel. */
#define SMP_SHAPE(name, ...)                                       \
    static smp_kernel_shape name(const smp_kernel_case *problem) { \
        return __VA_ARGS__;                                        \
    }
#define SMP_TRACE(name, ...)                                                                 \
    static void name(const smp_kernel_case *problem, const void *in, smp_kernel_trace *to) { \
        __VA_ARGS__;                                                                         \
    }
#define SMP_CHECK(name, ...)                                                   \
    static smp_status name(const smp_kernel_case *problem, smp_error *error) { \
        return __VA_ARGS__;                                                    \
    }
/* Also uses `out`. */
#define SMP_VERIFY(name, ...)                                                               \
    static smp_status name(const smp_kernel_case *problem, const void *in, const void *out, \
                           smp_error *error) {                                              \
        return __VA_ARGS__;                                                                 \
    }
#define SMP_SCRIPT(name, ...)                                                                     \
    static bool name(const smp_kernel_case *problem, uint32_t index, smp_kernel_script *script) { \
        return __VA_ARGS__;                                                                       \
    }
#define SMP_SCRIPT_ONCE(name, ...) SMP_SCRIPT(name, index == 0 && (__VA_ARGS__, true))

/* The fields of every variant with a script; more fields may follow. */
#define SMP_VARIANT(id, text, script_fn, launch_fn) \
    .name = id, .summary = text, .script = script_fn, .launch = SMP_LAUNCH(launch_fn)

/* Limits of matrices that are moved. */
#define SMP_MATRIX_LIMITS                                                   \
    .is_matrix = true, .most_rows = 1000000000, .most_columns = 1000000000, \
    .most_elements = 4000000000

/* The fields whose functions have the same name in every family's file. */
#define SMP_FAMILY_PARTS                                            \
    .bytes = bytes, .fill = fill, .solve = solve, .verify = verify, \
    SMP_FAMILY_ROWS(variants, claims)
#define SMP_FAMILY_ROWS(v, c)                                            \
    .variants = v, .variant_count = sizeof v / sizeof v[0], .claims = c, \
    .claim_count = sizeof c / sizeof c[0]

/* Variants that race a vendor's library, and claims about them, are in benchmarks/ and built on
 * request. */
#ifdef SMP_BENCHMARKS
#include "races.h"
#else
#define SMP_TRANSPOSE_RACES
#define SMP_GEMM_RACES
#define SMP_GEMM_RACE_CLAIMS
#define SMP_SCAN_RACES
#define SMP_SCAN_RACE_CLAIMS
#endif

/* script.c: scripts are in families/<name>.smp. #defines in front of a script fill in its
 * parameters: SMP_DEFINE(script, {"ROWS", rows}, {"COLUMNS", columns}). T is the element type of
 * the case. */
typedef struct smp_script_number {
    const char *name;
    uint64_t value;
} smp_script_number;
#define SMP_DEFINE(script, ...) \
    smp_script_define(script, (const smp_script_number[]){__VA_ARGS__, {NULL, 0}})
void smp_script_define(smp_kernel_script *script, const smp_script_number *numbers);
void smp_script_define_text(smp_kernel_script *script, const char *name, const char *text);
void smp_script_define_type(smp_kernel_script *script, const smp_kernel_case *problem);
void smp_script_take(smp_kernel_script *script, const char *name);

/* Shows `access` to a trace with its repetitions, unless no lane is active. */
void smp_trace_show(smp_kernel_trace *trace, const char *site, const smp_access *access,
                    uint64_t times);

/* The mask of the first `count` lanes of a warp; all lanes for 32 and more. */
static inline uint32_t smp_first_lanes(uint64_t count) {
    return count >= SMP_LANES ? SMP_ALL_LANES : (1u << count) - 1u;
}

/* `count` bytes of noise, the same for the same seed. */
void smp_fill_noise(uint64_t seed, void *bytes, size_t count);
/* The next number of the noise whose state is *state. */
uint64_t smp_noise(uint64_t *state);

/* Compares a result with what `solve` computes: as many numbers of a type as `bytes` hold, each of
 * which may differ by `tolerance` of the expected one. `what`: one of them in messages. */
smp_status smp_verify_solved(const smp_kernel_case *problem, const void *in, const void *out,
                             void (*solve)(const smp_kernel_case *, const void *, void *),
                             uint64_t bytes, smp_element element, double tolerance,
                             const char *what, smp_error *error);

/* Bytes of an element of the case. */
static inline uint32_t smp_element_bytes(const smp_kernel_case *problem) {
    return smp_element_info(problem->element)->bytes;
}

/* ceil(a / b). */
static inline uint64_t smp_divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b ? 1 : 0);
}

SMP_C_END
