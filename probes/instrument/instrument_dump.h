/* SPDX-License-Identifier: MIT */
/*
 * The results of the library inside another program, and the file in which it
 * leaves them. The program may end in any way, at any time. The file begins with one page that the
 * library keeps mapped and up to date; records follow, each appended by one write and never
 * changed. Nothing is buffered in the process. Figures of memory accesses are kept on the GPU and
 * written as snapshots, each of which replaces the earlier ones of the same epoch and context.
 *
 * The environment of the program steers the library:
 *
 * - CUDA_INJECTION64_PATH: libsmemprobe_instrument.so, which CUDA loads with its driver.
 * - SMP_INSTRUMENT_DUMP: the file to write. An existing file is kept, and .1, .2, ... appended to
 * the name: all processes of a program are given one name. If not set, the library does nothing.
 * - SMP_INSTRUMENT_LAUNCHES: only the first N launches of each kernel are looked at.
 * - SMP_INSTRUMENT_OVERHEAD: a number above 1: the program may take this multiple of its own time;
 * launch_budget.h decides which launches are looked at. Not with SMP_INSTRUMENT_LAUNCHES,
 * SMP_INSTRUMENT_TRACE or SMP_INSTRUMENT_CAPTURE. SMP_INSTRUMENT_OVERHEAD_NOTE: a note at the end
 * says what was spent.
 * - SMP_INSTRUMENT_KNOWN: with SMP_INSTRUMENT_OVERHEAD, a file that keeps the times of looks from
 * run to run.
 * - SMP_INSTRUMENT_SAMPLE: with SMP_INSTRUMENT_OVERHEAD, a folder: a kernel's first launch is kept
 * there if it is not looked at, as far as time allows: as with SMP_INSTRUMENT_CAPTURE, without the
 * memory after it.
 * - SMP_INSTRUMENT_KERNELS: an extended regular expression: only kernels whose name (mangled or
 * not) contains a match.
 * - SMP_INSTRUMENT_NVTX: the same for the path of NVTX ranges ("step/forward") of a launch, if
 * NVTX_INJECTION64_PATH names this library. Other launches are ignored.
 * - SMP_INSTRUMENT_SPACES: the instructions to patch: words of "shared,cluster,matrix,copy,other"
 * (the default is all of these), or "global" or "local" alone. With the patches of several, some
 * programs faulted on GH100 (docs/how/instrumentation.md), so a program runs once for each.
 * - SMP_INSTRUMENT_TRACE: a file for each context, named like SMP_INSTRUMENT_DUMP: every observed
 * request, in the format of instrument_trace.h.
 * - SMP_INSTRUMENT_TIME: 1: kernels are timed, nothing is patched or counted.
 * - SMP_INSTRUMENT_WATCHDOG: seconds without the end of any kernel after which a note names the
 * last kernel (120; 0 for never). The program goes on.
 * - SMP_INSTRUMENT_PATCH: the patch, if it is not beside the library: smemprobe_patch.fatbin, and
 * for traces smemprobe_patch_trace.fatbin.
 * - SMP_INSTRUMENT_SANITIZER: libsanitizer-public.so, if it is not in the toolkit's place.
 *
 * Ownership: a struct smp_instrument_dump owns all it points to; smp_instrument_clear frees it.
 */
#pragma once

#include "smp_model.h"

SMP_C_BEGIN

enum {
    SMP_INSTRUMENT_NONE = -1, /* an index that refers to nothing */
    SMP_INSTRUMENT_DISTINCT_MAX = 256,
    SMP_INSTRUMENT_KINDS_MAX = 32, /* kinds of a kernel's launches: other grids or arguments */
};

/* The kind of instruction: which patch was called, and so which memory was accessed. */
typedef enum smp_instrument_kind {
    SMP_INSTRUMENT_SHARED, /* the block's own shared memory, also through generic addresses */
    SMP_INSTRUMENT_GLOBAL,
    SMP_INSTRUMENT_LOCAL,
    SMP_INSTRUMENT_CLUSTER, /* another block's shared memory */
    SMP_INSTRUMENT_MATRIX,  /* ldmatrix, stmatrix */
    SMP_INSTRUMENT_COPY,    /* cp.async */
    SMP_INSTRUMENT_OTHER, /* counted, but without a rule: bulk copies, st.async, red.async, wgmma */
    SMP_INSTRUMENT_KIND_COUNT
} smp_instrument_kind;

/* other_id of cp.async lanes that read nothing and write zeros: the API's number of cp.async. */
enum { SMP_INSTRUMENT_FILL = 14 };

/* A site's flags: both of the first two for an atomic. */
enum {
    SMP_INSTRUMENT_READ = 1,
    SMP_INSTRUMENT_WRITE = 2,
    SMP_INSTRUMENT_SYSTEM = 4,   /* an atomic of system scope */
    SMP_INSTRUMENT_PREFETCH = 8, /* a prefetch into the cache */
};

/* A request. Inactive lanes' offsets are 0. */
typedef struct smp_instrument_request {
    uint64_t count;
    uint32_t mask;                                      /* lanes whose address counts */
    uint32_t wavefronts, ideal, ways;                   /* lanes on one word share a pass */
    uint32_t wavefronts_lanes, ideal_lanes, ways_lanes; /* they do not */
    uint32_t sectors, ideal_sectors;
    uint32_t reserved;
    /* Shared memory: from the start of the program's part, excluding system-reserved memory.
     * Others: from the lowest active lane's address, rounded down to 256, modulo 2^64. Copies: the
     * target in shared memory. */
    uint64_t offset_bytes[SMP_LANES];
} smp_instrument_request;

/* One machine instruction in one kind of memory, in one function. Sums cover every request. */
typedef struct smp_instrument_site {
    uint64_t pc;
    int32_t function;      /* index; SMP_INSTRUMENT_NONE if in no known function */
    uint32_t offset_bytes; /* of the instruction in its function */
    uint8_t kind;          /* smp_instrument_kind */
    uint8_t flags;
    uint8_t width_bytes; /* per lane; 0 for SMP_INSTRUMENT_OTHER */
    uint8_t matrices;    /* for SMP_INSTRUMENT_MATRIX: 1, 2, 4; else 0 */
    uint8_t other_id;    /* for SMP_INSTRUMENT_OTHER: the Sanitizer API's instruction number */
    uint8_t launch_kind; /* index into the function's kind_blocks */
    uint8_t reserved[2];
    uint64_t requests, lanes;
    uint64_t not_judged; /* requests without a rule, excluded from all sums below */
    /* Shared memory. Loads, stores, matrices, copies, and atomics whose lanes on one word are
     * combined (ATOMS.POPC.INC): */
    uint64_t wavefronts, ideal;
    /* other atomics; a compare-and-swap costs twice both: */
    uint64_t wavefronts_lanes, ideal_lanes;
    uint64_t sectors, ideal_sectors; /* global, local, cluster, and the source of copies */
    uint32_t ways, ways_lanes;       /* of the worst request; 0 if not applicable */
    /* The costliest request (wavefronts of either kind; sectors if there are no banks), of several
     * the one with the largest sum of smp_lane_hash; mask 0 if none. */
    smp_instrument_request worst, worst_lanes;
    /* Shared memory: distinct requests, requests[first_request ...], unordered. */
    uint32_t first_request, request_count;
    uint64_t requests_lost; /* requests without room there */
} smp_instrument_site;

enum { SMP_INSTRUMENT_CALLERS_MAX = 4, SMP_INSTRUMENT_RANGES_MAX = 8 };

/* A line of an interpreted program. */
typedef struct smp_instrument_caller {
    char *file; /* as the interpreter names it */
    uint32_t line;
} smp_instrument_caller;

/* What is known of a function's launches, in one context or in all. */
typedef struct smp_instrument_state {
    int32_t function;      /* index */
    uint32_t shared_bytes; /* static and dynamic, as read by a site; 0 if unknown */
    uint64_t launches, launches_skipped;
    uint32_t grid[3], block[3], cluster[3]; /* of the last launch; 0 if unknown */
    uint32_t has_more_kinds; /* launches of further kinds count as one of the kinds below */
    /* Blocks of all launches; and summed over launches, the most blocks of any multiprocessor if
     * they are spread evenly. */
    uint64_t blocks, rounds;
    uint64_t blocks_skipped; /* of launches that were not looked at */
    /* With SMP_INSTRUMENT_OVERHEAD: timed launches without patches; the time estimated from them
     * for all launches of their shapes, and the blocks of these. */
    uint64_t timed, nanoseconds, timed_blocks;
    /* With SMP_INSTRUMENT_OVERHEAD: the blocks of all its launches and of the observed ones, by
     * kind of launch; 0: launches without requests. Zeros if unknown. */
    uint64_t kind_blocks[SMP_INSTRUMENT_KINDS_MAX], kind_seen[SMP_INSTRUMENT_KINDS_MAX];
    /* Launches that differ only in when they ran may have several kinds: the first of them; 0 if it
     * has no other. */
    uint8_t kind_first[SMP_INSTRUMENT_KINDS_MAX];
} smp_instrument_state;

typedef struct smp_instrument_function {
    char *name; /* mangled */
    int32_t module;
    bool is_kernel; /* it was launched; else it is a function that kernels call */
    uint64_t pc;    /* valid from `epoch` of its context until another function is loaded there */
    uint64_t code_bytes;
    uint32_t epoch;
    smp_instrument_state state;
    /* distinct callers of its first launches */
    smp_instrument_caller callers[SMP_INSTRUMENT_CALLERS_MAX];
    uint32_t caller_count;
    char *ranges[SMP_INSTRUMENT_RANGES_MAX]; /* distinct NVTX ranges in which it was launched */
    uint32_t range_count;
} smp_instrument_function;

typedef struct smp_instrument_module {
    int32_t context;
    uint8_t *cubin; /* ELF; NULL if not kept */
    size_t cubin_bytes;
} smp_instrument_module;

typedef struct smp_instrument_context {
    char *device; /* "NVIDIA H200" */
    uint32_t cc_major, cc_minor, multiprocessors;
    uint32_t clock_khz;      /* maximum; 0 if unknown */
    uint32_t reserved_bytes; /* system-reserved shared memory, subtracted from all offsets */
    uint64_t launches;       /* covered by its last snapshot */
    uint64_t sites_lost;     /* requests of instructions without room in the table */
} smp_instrument_context;

/* With SMP_INSTRUMENT_TIME: all launches of kernels with one name, number of registers per thread
 * and block size. */
typedef struct smp_instrument_time {
    char *kernel; /* mangled */
    uint64_t launches, nanoseconds;
    uint32_t registers, block[3];
} smp_instrument_time;

typedef struct smp_instrument_dump {
    uint64_t process;
    char *command;              /* words separated by blanks */
    char *host, *date, *driver; /* NULL if unknown */
    uint64_t launches;          /* launches looked at, of all kernels */
    uint64_t launches_covered;  /* of these, those before the last snapshot of their context */
    char *last_kernel;          /* the last kernel launched; NULL if none */
    bool ended;                 /* the process ended by exit() or return from main */
    uint32_t spent_ms;          /* the time that SMP_INSTRUMENT_OVERHEAD limits */
    bool truncated;             /* the file ends within a record, which was ignored */
    bool has_local;             /* local memory was observed; set by the reader */
    bool has_unseen; /* set by the reader: launches may have run without patches to save time */
    char **notes;    /* problems inside the library, one line each */
    size_t note_count;
    char **traces; /* files with every request */
    size_t trace_count;
    smp_instrument_context *contexts;
    size_t context_count;
    smp_instrument_module *modules;
    size_t module_count;
    smp_instrument_function *functions;
    size_t function_count;
    /* By function, offset, kind, flags, width. Several have one key if a module was unloaded
     * between them: they add up. */
    smp_instrument_site *sites;
    size_t site_count;
    smp_instrument_request *requests;
    size_t request_count;
    smp_instrument_time *times;
    size_t time_count;
} smp_instrument_dump;

/* Reads a process's dump from `path`. SMP_E_READ: no such file, or not a dump. */
smp_status smp_instrument_read(const char *path, smp_instrument_dump *out, smp_error *error);
void smp_instrument_clear(smp_instrument_dump *dump);

SMP_C_END
