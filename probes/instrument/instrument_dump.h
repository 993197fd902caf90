/* SPDX-License-Identifier: MIT */
/*
 * instrument_dump.h: what the library inside another program saw there, and the file in which it
 * leaves that. The program may end in any way, at any time: the file begins with one page that
 * the library keeps mapped and up to date; after it come records, each appended whole by one write
 * and never changed. Nothing waits in a buffer of the process. Figures of memory accesses are kept
 * on the GPU and come in snapshots, each of which replaces the ones before it of the same epoch of
 * the same context.
 *
 * The library is steered by the environment of the program in which it is loaded:
 *
 * - CUDA_INJECTION64_PATH: libsmemprobe_instrument.so, which CUDA loads with its driver.
 * - SMP_INSTRUMENT_DUMP: the file to write; %p is the process, %h the host, %% a percent sign. A
 * file that is there stays, and .1, .2, ... is put behind the name (so do several processes that
 * were given one name). Not set: the library does nothing.
 * - SMP_INSTRUMENT_LAUNCHES: a number N: only the first N launches of each kernel are looked at.
 * - SMP_INSTRUMENT_OVERHEAD: a number above 1: the program may take so many times its own time;
 * launch_budget.h says which launches are looked at. Not with SMP_INSTRUMENT_LAUNCHES,
 * SMP_INSTRUMENT_TRACE and SMP_INSTRUMENT_CAPTURE. SMP_INSTRUMENT_OVERHEAD_NOTE: a note at the end
 * says what was spent.
 * - SMP_INSTRUMENT_KNOWN: with SMP_INSTRUMENT_OVERHEAD, a file in which it is kept from run to run
 * what looks took.
 * - SMP_INSTRUMENT_SAMPLE: with SMP_INSTRUMENT_OVERHEAD, a folder: a kernel's first launch, if it
 * is not looked at, is kept there as SMP_INSTRUMENT_CAPTURE keeps one (without what it wrote), as
 * far as time allows.
 * - SMP_INSTRUMENT_KERNELS: an extended regular expression: only kernels whose name (mangled or
 * not) contains a match.
 * - SMP_INSTRUMENT_NVTX: the same for the path of NVTX ranges ("step/forward") in which a launch is
 * made, if NVTX_INJECTION64_PATH names this library: others are none of the program's.
 * - SMP_INSTRUMENT_SPACES: which instructions are patched: words of
 * "shared,cluster,matrix,copy,other" (all of these if it is not set), or "global" or "local" alone.
 * With the patches of several, some programs faulted on GH100 (docs/how/instrumentation.md), so a
 * program runs once for each.
 * - SMP_INSTRUMENT_TRACE: a file for each context, named as SMP_INSTRUMENT_DUMP is: every request
 * of what is looked at, in the form of instrument_trace.h.
 * - SMP_INSTRUMENT_TIME: 1: nothing is patched and counted; the time of each kernel is kept.
 * - SMP_INSTRUMENT_WATCHDOG: seconds without a kernel's end after which a note names the kernel
 * (120; 0: never). The program goes on.
 * - SMP_INSTRUMENT_PATCH: the patch, if it is not beside the library: smemprobe_patch.fatbin, and
 * for traces smemprobe_patch_trace.fatbin.
 * - SMP_INSTRUMENT_SANITIZER: libsanitizer-public.so, if it is not where the toolkit has it.
 *
 * Ownership: a struct smp_instrument_dump owns all it points to; smp_instrument_clear frees it.
 */
#pragma once

#include "smp_model.h"

SMP_C_BEGIN

enum {
    SMP_INSTRUMENT_NONE = -1, /* of an index: there is none */
    SMP_INSTRUMENT_DISTINCT_MAX = 256,
};

/* What kind of instruction: which patch was called, and so where its addresses fell. */
typedef enum smp_instrument_kind {
    SMP_INSTRUMENT_SHARED, /* the block's own shared memory, also through generic addresses */
    SMP_INSTRUMENT_GLOBAL,
    SMP_INSTRUMENT_LOCAL,
    SMP_INSTRUMENT_CLUSTER, /* another block's shared memory */
    SMP_INSTRUMENT_MATRIX,  /* ldmatrix, stmatrix */
    SMP_INSTRUMENT_COPY,    /* cp.async */
    SMP_INSTRUMENT_OTHER,   /* seen, but without a rule: bulk copies, st.async, red.async, wgmma */
    SMP_INSTRUMENT_KIND_COUNT
} smp_instrument_kind;

/* other_id of lanes of cp.async that read nothing and write zeros: the API's number of cp.async. */
enum { SMP_INSTRUMENT_FILL = 14 };

/* A site's flags: both of the first two for an atomic. */
enum {
    SMP_INSTRUMENT_READ = 1,
    SMP_INSTRUMENT_WRITE = 2,
    SMP_INSTRUMENT_SYSTEM = 4,   /* an atomic of system scope */
    SMP_INSTRUMENT_PREFETCH = 8, /* a prefetch into the cache */
};

/* One request. Inactive lanes' offsets are 0. */
typedef struct smp_instrument_request {
    uint64_t count;
    uint32_t mask;                                      /* lanes whose address counts */
    uint32_t wavefronts, ideal, ways;                   /* lanes on one word share */
    uint32_t wavefronts_lanes, ideal_lanes, ways_lanes; /* they don't */
    uint32_t sectors, ideal_sectors;
    uint32_t reserved;
    /* Shared memory: from the start of what the program has, as if there were nothing reserved.
     * Others: from the lowest active lane's address, rounded down to 256, modulo 2^64. Copies:
     * the target in shared memory. */
    uint64_t offset_bytes[SMP_LANES];
} smp_instrument_request;

/* One machine instruction in one kind of memory, in one function. Sums hold every request. */
typedef struct smp_instrument_site {
    uint64_t pc;
    int32_t function;      /* index; SMP_INSTRUMENT_NONE: in no function that is known */
    uint32_t offset_bytes; /* of the instruction in its function */
    uint8_t kind;          /* smp_instrument_kind */
    uint8_t flags;
    uint8_t width_bytes; /* a lane; of SMP_INSTRUMENT_OTHER 0 */
    uint8_t matrices;    /* of SMP_INSTRUMENT_MATRIX: 1, 2, 4; else 0 */
    uint8_t other_id;    /* of SMP_INSTRUMENT_OTHER: the Sanitizer API's instruction number */
    uint8_t reserved[3];
    uint64_t requests, lanes;
    uint64_t not_judged; /* of the requests: no rule, so they are in none of the sums below */
    /* Shared memory. Loads, stores, matrices, copies, and atomics whose lanes on one word are
     * combined (ATOMS.POPC.INC): */
    uint64_t wavefronts, ideal;
    /* other atomics; a compare-and-swap costs twice both: */
    uint64_t wavefronts_lanes, ideal_lanes;
    uint64_t sectors, ideal_sectors; /* global, local, cluster, and the source of copies */
    uint32_t ways, ways_lanes;       /* of the worst request; 0: does not apply */
    /* The request that costs most (wavefronts of the one or the other kind; sectors where there
     * are no banks), of these the one of the largest sum of smp_lane_hash; mask 0: none. */
    smp_instrument_request worst, worst_lanes;
    /* Shared memory: distinct requests, requests[first_request ...], in no order. */
    uint32_t first_request, request_count;
    uint64_t requests_lost; /* requests that found no room there */
} smp_instrument_site;

enum { SMP_INSTRUMENT_CALLERS_MAX = 4, SMP_INSTRUMENT_RANGES_MAX = 8 };

/* A line of a program that an interpreter runs. */
typedef struct smp_instrument_caller {
    char *file; /* as the interpreter names it */
    uint32_t line;
} smp_instrument_caller;

typedef struct smp_instrument_function {
    char *name; /* mangled */
    int32_t module;
    bool is_kernel; /* was launched; else a function that kernels call */
    uint64_t pc;    /* from `epoch` of its context on, until another function lies there */
    uint64_t code_bytes;
    uint32_t epoch;
    uint64_t launches, launches_skipped;
    uint32_t grid[3], block[3], cluster[3]; /* of the last launch; 0: unknown */
    /* Blocks of all launches, and how many of them the multiprocessor with the most had, launch by
     * launch, if they are spread evenly. */
    uint64_t blocks, rounds;
    uint64_t blocks_skipped; /* of launches that were left untouched */
    /* With SMP_INSTRUMENT_OVERHEAD: launches whose time was taken, without patches; what all
     * launches of their shapes took by that, and the blocks of these. */
    uint64_t timed, nanoseconds, timed_blocks;
    uint32_t shared_bytes; /* static and dynamic, as a site saw it; 0: unknown */
    smp_instrument_caller
        callers[SMP_INSTRUMENT_CALLERS_MAX]; /* of its first launches, each once */
    uint32_t caller_count;
    char *ranges[SMP_INSTRUMENT_RANGES_MAX]; /* of NVTX, in which it was launched, each once */
    uint32_t range_count;
} smp_instrument_function;

typedef struct smp_instrument_module {
    int32_t context;
    uint8_t *cubin; /* ELF; NULL: not kept */
    size_t cubin_bytes;
} smp_instrument_module;

typedef struct smp_instrument_context {
    char *device; /* "NVIDIA H200" */
    uint32_t cc_major, cc_minor, multiprocessors;
    uint32_t clock_khz;      /* the highest; 0: unknown */
    uint32_t reserved_bytes; /* of shared memory, taken off all offsets */
    uint64_t launches;       /* covered by its last snapshot */
    uint64_t sites_lost;     /* requests of instructions that found no room in the table */
} smp_instrument_context;

/* With SMP_INSTRUMENT_TIME: all launches of the kernels of one name that have so many registers a
 * thread, in such blocks. */
typedef struct smp_instrument_time {
    char *kernel; /* mangled */
    uint64_t launches, nanoseconds;
    uint32_t registers, block[3];
} smp_instrument_time;

typedef struct smp_instrument_dump {
    uint64_t process;
    char *command;              /* words separated by blanks */
    char *host, *date, *driver; /* NULL: unknown */
    uint64_t launches;          /* begun, all kernels, without those left untouched */
    uint64_t launches_covered;  /* of these: before the last snapshot of their context */
    char *last_kernel;          /* the last one launched; NULL: none */
    bool ended;                 /* the process ended by exit() or return from main */
    uint32_t spent_ms;          /* of its time, by what SMP_INSTRUMENT_OVERHEAD limits */
    bool truncated;             /* the file ends within a record, which is left out */
    bool has_local;             /* local memory was looked at; set by who asked for it */
    bool has_unseen;            /* so are launches that ran without patches to save time */
    char **notes;               /* what went wrong in the library, one line each */
    size_t note_count;
    char **traces; /* files with every request */
    size_t trace_count;
    smp_instrument_context *contexts;
    size_t context_count;
    smp_instrument_module *modules;
    size_t module_count;
    smp_instrument_function *functions;
    size_t function_count;
    /* By function, offset, kind, flags, width. Several of one key where a module was unloaded
     * between them: they add up. */
    smp_instrument_site *sites;
    size_t site_count;
    smp_instrument_request *requests;
    size_t request_count;
    smp_instrument_time *times;
    size_t time_count;
} smp_instrument_dump;

/* Reads what a process left in `path`. SMP_E_READ: no such file, or none of these. */
smp_status smp_instrument_read(const char *path, smp_instrument_dump *out, smp_error *error);
void smp_instrument_clear(smp_instrument_dump *dump);

SMP_C_END
