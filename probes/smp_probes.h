/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of one warp-level memory instruction.
 *
 * A probe owns one GPU and its hardware counters (CUPTI Range Profiler). libcuda and libcupti are
 * opened at run time: a program that links this library starts on any machine, and without a GPU
 * every function says why nothing was measured. "Not measured, because ..." is a result, never a 0.
 *
 * Recorded measurements are the same numbers from an earlier run, built into the library with their
 * GPU, driver, CUDA version, counter and date (probes/recorded, format in its README).
 */
#pragma once

#include <stdio.h>

#include "smp_kernels.h"
#include "smp_model.h"

SMP_C_BEGIN

/* ---- Counters ---- */

typedef struct smp_counter {
    smp_op op;             /* one row per operation */
    const char *metric;    /* name in CUPTI's host API, with the roll-up: "..._op_ld.sum" */
    const char *minus;     /* metric to subtract, NULL if none */
    const char *unit;      /* "wavefronts" or "sectors" */
    const char *counts;    /* what it counts */
    const char *pollution; /* what else it counts, "" if nothing */
    uint8_t first_cc;      /* 10 x major + minor */
} smp_counter;

const smp_counter *smp_counters(size_t *count);
/* Returns the row of an operation, or NULL if no counter counts it alone. */
const smp_counter *smp_counter_of(smp_op op);
/* The same for one width: also NULL if it has no machine instruction or counter. */
const smp_counter *smp_counter_sees(smp_op op, uint32_t width_bytes);

/* ---- Live measurement ---- */

typedef struct smp_device {
    char name[64];
    int cc_major, cc_minor;
    int index;
    int multiprocessors;
    char driver[32]; /* "580.159.04" */
    char cuda[16];   /* CUDA runtime, "13.0" */
} smp_device;

typedef struct smp_probe smp_probe;

/* Opens GPU `device` (0 is the first). On failure *out is NULL and *error (may be NULL) gives the
 * cause and the remedy. */
smp_status smp_probe_open(int device, smp_probe **out, smp_error *error);
/* What a probe reads. Clocks need no permission; the third means counters, or clocks if counters
 * are locked, in use, or unavailable for this chip. */
typedef enum smp_witness { SMP_COUNTERS, SMP_CLOCKS, SMP_COUNTERS_OR_CLOCKS } smp_witness;

/* Like smp_probe_open, which uses SMP_COUNTERS. */
smp_status smp_probe_open_with(int device, smp_witness witness, smp_probe **out, smp_error *error);
/* Returns what smp_measure_readings reads now: SMP_COUNTERS or SMP_CLOCKS. For clocks *why (may be
 * NULL) says why not counters; SMP_OK if they were not requested. */
smp_witness smp_probe_witness(const smp_probe *probe, smp_error *why);
/* Closes the profiler and frees the probe; accepts NULL. */
void smp_probe_close(smp_probe *probe);
const smp_device *smp_probe_device(const smp_probe *probe);

#define SMP_NOT_COUNTED UINT64_MAX

/* Measures sums: sums[i] is the counter's value for the accesses i x group to i x group + group-1,
 * which run one after the other in one range; all accesses have one operation and width. Many times
 * faster than one by one. *done is the number of valid sums. */
smp_status smp_measure_sums(smp_probe *probe, const smp_access *accesses, size_t count,
                            size_t group, uint64_t *sums, size_t *done, smp_error *error);

/* Starts the work of range `index` on the default stream; need not wait. Called once per pass, so
 * it must do the same each time. */
typedef smp_status (*smp_launch_fn)(void *user, size_t index, smp_error *error);

/* Measures any metrics of many launches: values[i * metric_count + m] is metric m of launch(user,
 * i). Takes as many passes as the metrics need, each of which launches everything again. `progress`
 * (may be NULL) is called from time to time; returning false stops with SMP_E_INTERRUPTED. *done
 * (may be NULL) is the number of launches with values. */
smp_status smp_probe_ranges(smp_probe *probe, const char *const *metrics, size_t metric_count,
                            smp_launch_fn launch, void *user, size_t launch_count, double *values,
                            smp_progress_fn progress, void *progress_user, size_t *done,
                            smp_error *error);

/* Device memory for smp_access_launch, of smp_access_scratch_bytes(); belongs to the probe. */
void *smp_probe_scratch(smp_probe *probe);

/* ---- Two witnesses ---- */

/* The measured cost of one access. */
typedef struct smp_reading {
    bool is_read;    /* false if the measurement ended before it */
    uint64_t count;  /* in the unit of the access's counter; SMP_NOT_COUNTED if unknown */
    bool is_at_most; /* clocks cannot distinguish `count` from less */
    bool has_cycles;
    double cycles; /* cycles per execution when eight warps repeat it concurrently */
} smp_reading;

/* Derives a reading of `access` from `cycles` on a GPU of this compute capability. Above the
 * operation's floor one wavefront takes one cycle; below it issuing the instruction takes longer
 * than the data stage (model/floor.c, measured on CC 9.0 only; `arch` may be NULL). */
smp_reading smp_clock_reading(const smp_arch *arch, const smp_access *access, double cycles);

/* Runs each of these accesses, of any operations, and reads what the probe's witness tells
 * (smp_probe_witness): the counter of each operation, with one launch per access, in as few
 * profiler sessions as fit, or clocks. For cp.async only 4 and 8 bytes can be counted: 16 bytes
 * bypass the data stage. `progress` and *done as above. */
smp_status smp_measure_readings(smp_probe *probe, const smp_access *accesses, size_t count,
                                smp_reading *readings, smp_progress_fn progress, void *user,
                                size_t *done, smp_error *error);
/* The same with clocks, whatever the probe's witness: about half a millisecond per access. */
smp_status smp_measure_clocks(smp_probe *probe, const smp_access *accesses, size_t count,
                              smp_reading *readings, smp_progress_fn progress, void *user,
                              size_t *done, smp_error *error);

/* ---- What there is ---- */

enum { SMP_SURVEY_MAX = 16 };

/* What the machine has to measure with. A part works if its status is SMP_OK; else its message
 * gives cause and remedy. Unknown texts are empty. */
typedef struct smp_survey {
    char toolkit[16];    /* CUDA version that the kernels were built with */
    char module[32];     /* version of the system's nvidia module */
    unsigned pci_count;  /* NVIDIA display devices on the bus */
    unsigned card_count; /* that the module lists */
    char cards[SMP_SURVEY_MAX][64];
    smp_error driver;
    char driver_cuda[16];  /* newest CUDA version that the driver runs */
    unsigned device_count; /* that programs may use */
    smp_device devices[SMP_SURVEY_MAX];
    smp_error cupti;
    char cupti_path[256], cupti_version[16];
    smp_error counters, clocks; /* tried on one GPU */
} smp_survey;

/* Tries everything, counters and clocks on GPU `device`. */
void smp_survey_take(int device, smp_survey *out);

/* ---- Whole kernels ---- */

typedef struct smp_kernel_result {
    bool is_timed, is_counted; /* counted; never for variants that run on the host */
    /* One whole run, counted with one block per multiprocessor: if several share one, the counters
     * of shared memory also see passes lost in arbitration between them (transposes on a GH100: 1
     * to 11 %). */
    smp_traffic counted;
    double time_us;        /* median of the timed runs, device events, profiler off */
    double time_spread_us; /* half the distance between the 10th and 90th percentile */
    /* a run with its copies from and to pageable host memory; 0 if not requested */
    double copies_us;
    double copy_us;     /* device-to-device copy of the input in the same run, median */
    double baseline_us; /* the family's baseline in the same run, median */
    uint32_t runs;
    smp_residency residency; /* from the CUDA runtime; zeros for the host */
    char wrong[128];         /* for a variant that may be wrong: what it found; else empty */
} smp_kernel_result;

/* Owns memory, input and timers for the variants of one case. */
typedef struct smp_bench smp_bench;

/* Allocates and fills. On failure *out is NULL; SMP_E_MEMORY names the bytes requested. */
smp_status smp_bench_open(smp_probe *probe, const smp_kernel_family *family,
                          const smp_kernel_case *problem, smp_bench **out, smp_error *error);
/* Runs a variant: compares its result with the CPU's (SMP_E_RESULT), times it and counts. */
smp_status smp_bench_run(smp_bench *bench, const smp_kernel_variant *variant,
                         smp_kernel_result *out, smp_error *error);
/* Accepts NULL. */
void smp_bench_close(smp_bench *bench);

/* ---- Recorded measurements ---- */

/* A recorded number and its origin. Strings are static. */
typedef struct smp_record {
    const char *key; /* canonical pattern, e.g. "--op ld --width 4 --stride 33" */
    double value;
    const char *gpu, *cc, *driver, *cuda, *counter, *date, *tool, *command;
} smp_record;

/* Reads the built-in measurements, as the functions below do on first use. SMP_E_MEMORY if not all
 * of them fit: results of these functions are then unreliable. */
smp_status smp_recorded_ready(smp_error *error);
/* Finds `field` (e.g. "wavefronts") of `key` measured on compute capability `cc` ("9.0", NULL for
 * any). False if there is none. */
bool smp_recorded_find(const char *key, const char *field, const char *cc, smp_record *out);
/* Visits every recorded number; stops early when `visit` returns false. */
void smp_recorded_each(bool (*visit)(void *user, const smp_record *record, const char *field),
                       void *user);

/* Adds the rows of a text in the format of recorded files, which the library copies; returns the
 * number of values. They take precedence over built-in ones. *bad_line is the first malformed line,
 * counted from 1; 0 if there is none. Not while other threads look something up. */
size_t smp_recorded_add(const char *text, size_t length, unsigned *bad_line);

/* ---- Writing recorded measurements ---- */

typedef struct smp_record_field {
    const char *name;
    double value; /* whole numbers are written without a decimal point */
} smp_record_field;

/* Writes the header lines: device, driver, CUDA version, today's date (UTC), tool, and `command`,
 * the command line that made the file. SMP_E_WRITE on failure. */
smp_status smp_record_write_header(FILE *out, const smp_device *device, const char *command);
/* Names the counter of the rows that follow. */
smp_status smp_record_write_counter(FILE *out, const char *counter);
/* One row. */
smp_status smp_record_write_row(FILE *out, const char *key, const smp_record_field *fields,
                                size_t count);

SMP_C_END
