/* SPDX-License-Identifier: MIT */
/*
 * smp_layout.h: CUDA source text as input.
 *
 * A layout is what surrounds an access in a kernel: arrays, block, loops, constants. It is filled
 * from statements, one a line of a .smp file or one an option of the command line; each access
 * is then evaluated for every warp of the block and every iteration of its loops.
 *
 * The texts given to smp_layout_add and _add_lines stay the caller's and must live as long as the
 * layout.
 */
#ifndef SMP_LAYOUT_H
#define SMP_LAYOUT_H

#include "smp_model.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

typedef struct smp_layout smp_layout;

enum { SMP_LAYOUT_LOOPS_MAX = 64 };

/* NULL: out of memory. */
smp_layout *smp_layout_new(void);
void smp_layout_free(smp_layout *layout);

/* Adds one statement; `keyword` ("shared", "for", ...) is what the text would begin with, or NULL
 * if it stands there. A blank text or comment is fine. error->position is the column, counted
 * from 0. `line` is remembered for messages. */
smp_status smp_layout_add(smp_layout *layout, const char *keyword, const char *text, size_t length,
                          unsigned line, smp_error *error);
/* Adds the lines of a whole file; *line is the line that an error is in. */
smp_status smp_layout_add_lines(smp_layout *layout, const char *text, size_t length, unsigned *line,
                                smp_error *error);
size_t smp_layout_access_count(const smp_layout *layout);
/* Architectures named by "arch" statements; 0: none. */
size_t smp_layout_arch_count(const smp_layout *layout);
const smp_arch *smp_layout_arch(const smp_layout *layout, size_t index);
/* Threads of the block in x, y, z. */
void smp_layout_block(const smp_layout *layout, uint32_t block[3]);
/* Bytes of shared memory that the declared arrays take. */
uint64_t smp_layout_shared_bytes(const smp_layout *layout);
/* SMP_E_RANGE if the arrays are more than a block can have on `arch`. */
smp_status smp_layout_check_memory(const smp_layout *layout, const smp_arch *arch,
                                   smp_error *error);

typedef struct smp_layout_access {
    const char *text; /* as it was written; not terminated */
    size_t length;
    bool is_implied; /* from an assignment: the text does not name the operation */
    unsigned line;
    smp_op op;
    uint32_t width_bytes; /* per lane and instruction */
    uint32_t parts;       /* instructions that one object takes (float3: 3) */
} smp_layout_access;

void smp_layout_access_at(const smp_layout *layout, size_t index, smp_layout_access *out);

/* One request of many: in which warp, in which iteration. */
typedef struct smp_request_place {
    uint32_t warp;
    uint32_t part;
    uint64_t loops;                       /* bit i: loop i runs around it */
    int64_t values[SMP_LAYOUT_LOOPS_MAX]; /* of the loop variables */
} smp_request_place;

/* Writes "warp 3, j = 8"; returns its length. */
size_t smp_request_place_format(const smp_layout *layout, const smp_request_place *place,
                                char *text, size_t size);
/* Name of a loop variable, not terminated. */
const char *smp_layout_loop_name(const smp_layout *layout, unsigned loop, size_t *length);

/* How much one request costs that given data decide: in wavefronts (the larger number where it is a
 * range), or in transactions where it has none. Of random data several draws are evaluated, and all
 * sums are over all of them. */
typedef struct smp_request_spread {
    bool is_given; /* data decide something; else all is 0 */
    uint32_t
        draws; /* of random data that decide; 1 if the data are a file's, or decide no address */
    uint32_t least, most;
    uint64_t sum, square_sum; /* over the requests */
} smp_request_spread;

/* What one access costs over the whole block. `valid` has the bits of smp_counts. */
typedef struct smp_totals {
    smp_status status; /* SMP_OK, or SMP_E_NOT_MODELLED: then only `requests` and `worst` count */
    smp_evidence evidence;
    const char *note; /* why not modelled, or a caveat; NULL if none; static */
    uint32_t valid;
    uint32_t warps, active_warps; /* of the block; with at least one active lane */
    uint64_t requests;
    uint64_t wavefronts_min, wavefronts_max, ideal, excess;
    uint32_t ways;    /* of the worst request */
    bool takes_steps; /* smp_counts_take_steps of some request */
    uint64_t transactions, bytes;
    uint64_t ideal_sectors; /* sum of min(transactions, ceil(active lanes x bytes a lane / 32)) */
    bool warps_alike;       /* all warps that take part cost the same */
    smp_request_place worst_place;
    smp_access worst;
    smp_counts worst_counts;
    smp_request_spread spread;
} smp_totals;

/* Evaluates access `index` on `arch`. On failure *line is the line of the statement that failed and
 * error->position the column in it. */
smp_status smp_layout_evaluate(const smp_layout *layout, const smp_arch *arch, size_t index,
                               smp_totals *out, unsigned *line, smp_error *error);

/* Shown one access that the lanes of `mask` make; the offsets are in bytes from the array's start.
 * A status other than SMP_OK stops. */
typedef smp_status (*smp_layout_trace_fn)(void *user, size_t index, uint32_t mask,
                                          const int64_t offset_bytes[SMP_LANES]);
/* Shows all accesses of one warp in the order in which the lanes make them; *line as above. */
smp_status smp_layout_trace(const smp_layout *layout, uint32_t warp, smp_layout_trace_fn show,
                            void *user, unsigned *line, smp_error *error);
/* Name of the array that access `index` reaches, not terminated. */
const char *smp_layout_access_array(const smp_layout *layout, size_t index, size_t *length);

/* The value of an integer expression in each lane of a warp of the block, with what the layout
 * defines; loop variables have their first value. *type is C's type of it: "int", "unsigned", "long
 * long" or "unsigned long long", whose bits the int64_t holds. */
smp_status smp_layout_value(smp_layout *layout, uint32_t warp, const char *text, size_t length,
                            int64_t values[SMP_LANES], const char **type, smp_error *error);

/* "expect ways <= 1": a promise about each access of the line before it. */
typedef struct smp_layout_expect {
    size_t first, access; /* the accesses of that line, both ends included */
    const smp_arch *arch; /* NULL: holds on every architecture */
    const char *text;
    size_t length;
    unsigned line;
} smp_layout_expect;

size_t smp_layout_expect_count(const smp_layout *layout);
void smp_layout_expect_at(const smp_layout *layout, size_t index, smp_layout_expect *out);
/* True if access `access` has the count that it is about: a load of global memory has no ways. */
bool smp_layout_expect_concerns(const smp_layout *layout, size_t index, size_t access);
/* True if `totals` (of one of its accesses) keep it; else `reason` (may be NULL) says what they
 * are. */
bool smp_layout_expect_holds(const smp_layout *layout, size_t index, const smp_totals *totals,
                             char *reason, size_t size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
