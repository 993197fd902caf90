/* SPDX-License-Identifier: MIT */
/*
 * CUDA source text as input.
 *
 * A layout holds what surrounds an access in a kernel: arrays, block, loops, constants. Each
 * statement comes from a line of a .smp file or an option of the command line. Each access is then
 * evaluated for every warp of the block and every iteration of its loops.
 *
 * The caller owns the texts given to smp_layout_add and _add_lines; they must outlive the layout.
 * Texts that functions return belong to them or to the layout. Indices count from 0 and must be
 * below the count; only smp_layout_evaluate checks (SMP_E_USAGE).
 *
 * Functions that return a status fail with SMP_E_SYNTAX (also for what the language does not have,
 * and for an address that depends on unknown data), SMP_E_RANGE (an index or a size),
 * SMP_E_OVERFLOW, SMP_E_MISALIGNED, SMP_E_WIDTH, SMP_E_UNKNOWN_ARCH, SMP_E_UNKNOWN_OP, SMP_E_MASK
 * (no thread takes part) or SMP_E_MEMORY.
 */
#ifndef SMP_LAYOUT_H
#define SMP_LAYOUT_H

#include "smp_model.h"

SMP_API_BEGIN

typedef struct smp_layout smp_layout;

enum { SMP_LAYOUT_LOOPS_MAX = 64 };

/* Returns an empty layout: no arrays, a block of 32 threads. NULL if out of memory. */
smp_layout *smp_layout_new(void);
/* `layout` may be NULL. */
void smp_layout_free(smp_layout *layout);

/* Adds one statement. `keyword` ("shared", "for", ...) is its first word, or NULL if the text
 * contains it. The text may be blank or a comment. error->position is the column, counted from 0.
 * `line` appears in messages. */
smp_status smp_layout_add(smp_layout *layout, const char *keyword, const char *text, size_t length,
                          unsigned line, smp_error *error);
/* Adds the lines of a whole file. On failure *line is the line of the error. */
smp_status smp_layout_add_lines(smp_layout *layout, const char *text, size_t length, unsigned *line,
                                smp_error *error);
/* Number of accesses in the statements so far. */
size_t smp_layout_access_count(const smp_layout *layout);
/* Number of architectures named by "arch" statements. */
size_t smp_layout_arch_count(const smp_layout *layout);
/* One of them; static. */
const smp_arch *smp_layout_arch(const smp_layout *layout, size_t index);
/* Size of the block in threads: x, y, z. */
void smp_layout_block(const smp_layout *layout, uint32_t block[3]);
/* Bytes of shared memory used by the declared arrays. */
uint64_t smp_layout_shared_bytes(const smp_layout *layout);
/* SMP_E_RANGE if the arrays need more memory than a block can have on `arch`. */
smp_status smp_layout_check_memory(const smp_layout *layout, const smp_arch *arch,
                                   smp_error *error);

typedef struct smp_layout_access {
    const char *text; /* as written; not terminated */
    size_t length;
    bool is_implied; /* made by an assignment: the text does not name the operation */
    unsigned line;
    smp_op op;
    uint32_t width_bytes; /* per lane */
    uint32_t parts;       /* instructions needed for one object (float3: 3) */
} smp_layout_access;

/* Fills *out with access `index`. */
void smp_layout_access_at(const smp_layout *layout, size_t index, smp_layout_access *out);

/* Warp and iteration of one request. */
typedef struct smp_request_place {
    uint32_t warp;
    uint32_t part;
    uint64_t loops;                       /* bit i: the request is inside loop i */
    int64_t values[SMP_LAYOUT_LOOPS_MAX]; /* values of the loop variables */
} smp_request_place;

/* Writes text such as "warp 3, j = 8", cut to `size` bytes with its NUL, and returns its length. */
size_t smp_request_place_format(const smp_layout *layout, const smp_request_place *place,
                                char *text, size_t size);
/* Name of a loop variable, not terminated. */
const char *smp_layout_loop_name(const smp_layout *layout, unsigned loop, size_t *length);

/* Cost of one request whose addresses depend on data given by "data" statements, in wavefronts (the
 * maximum of a range), or in transactions for accesses without wavefronts. Random data are drawn
 * several times; sums cover all draws. */
typedef struct smp_request_spread {
    bool is_given;  /* the access depends on given data; otherwise all fields are 0 */
    uint32_t draws; /* number of draws; 1 if the data come from a file or change no address */
    uint32_t least, most;
    uint64_t sum, square_sum; /* over all requests */
} smp_request_spread;

/* Cost of one access over the whole block. `valid` uses the bits of smp_counts. */
typedef struct smp_totals {
    smp_status status; /* SMP_OK or SMP_E_NOT_MODELLED; with the latter only `requests` and `worst`
                          are set */
    smp_evidence evidence;
    const char *note; /* static: why it is not modelled, or a caveat; may be NULL */
    uint32_t valid;
    uint32_t warps, active_warps; /* warps in the block; warps with at least one active lane */
    uint64_t requests;
    uint64_t wavefronts_min, wavefronts_max, ideal, excess;
    uint32_t ways;    /* ways of the worst request */
    bool takes_steps; /* smp_counts_take_steps is true for some request */
    uint64_t transactions, bytes;
    uint64_t ideal_sectors; /* sum of min(transactions, ceil(active lanes x bytes per lane / 32)) */
    bool warps_alike;       /* all active warps cost the same */
    smp_request_place worst_place;
    smp_access worst;
    smp_counts worst_counts;
    smp_request_spread spread;
} smp_totals;

/* Evaluates access `index` on `arch`. On failure *line is the line of the failing statement and
 * error->position the column in it. */
smp_status smp_layout_evaluate(const smp_layout *layout, const smp_arch *arch, size_t index,
                               smp_totals *out, unsigned *line, smp_error *error);

/* Receives one access made by the lanes of `mask`. Offsets are bytes from the start of the array.
 * Any status other than SMP_OK stops the trace. */
typedef smp_status (*smp_layout_trace_fn)(void *user, size_t index, uint32_t mask,
                                          const int64_t offset_bytes[SMP_LANES]);
/* Passes all accesses of one warp to `show` in execution order; *line as above. */
smp_status smp_layout_trace(const smp_layout *layout, uint32_t warp, smp_layout_trace_fn show,
                            void *user, unsigned *line, smp_error *error);
/* Name of the array accessed by access `index`, not terminated. */
const char *smp_layout_access_array(const smp_layout *layout, size_t index, size_t *length);

/* Evaluates an integer expression in each lane of a warp, using the names of the layout; loop
 * variables have their first value. *type is its C type: "int", "unsigned", "long long" or
 * "unsigned long long"; the int64_t holds its bits. */
smp_status smp_layout_value(smp_layout *layout, uint32_t warp, const char *text, size_t length,
                            int64_t values[SMP_LANES], const char **type, smp_error *error);

/* "expect ways <= 1": a promise about each access of the preceding line. */
typedef struct smp_layout_expect {
    size_t first, access; /* range of accesses, both ends included */
    const smp_arch *arch; /* NULL: every architecture */
    const char *text;
    size_t length;
    unsigned line;
} smp_layout_expect;

/* Number of "expect" statements. */
size_t smp_layout_expect_count(const smp_layout *layout);
/* Fills *out with promise `index`. */
void smp_layout_expect_at(const smp_layout *layout, size_t index, smp_layout_expect *out);
/* True if access `access` has the promised count: a load of global memory has no ways. */
bool smp_layout_expect_concerns(const smp_layout *layout, size_t index, size_t access);
/* True if `totals` of one of its accesses keep the promise. Otherwise `reason` (may be NULL) says
 * what was counted, cut to `size` bytes. */
bool smp_layout_expect_holds(const smp_layout *layout, size_t index, const smp_totals *totals,
                             char *reason, size_t size);

SMP_API_END
#endif
