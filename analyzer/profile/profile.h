/* SPDX-License-Identifier: MIT */
/*
 * What the memory accesses of a program cost, machine instruction by machine instruction: plain
 * results, whichever engine saw the program run (instrumentation on a GPU, or emulation).
 * Everything behind it (report, file, gate) reads these structs and does not know the engine.
 *
 * Order of everything: a profile's kernels by (name, code hash), a kernel's sites by (offset,
 * space, op), a site's requests by their hash (largest first), findings as profile_finding.h says.
 * So merging is the same in any order.
 *
 * Ownership: a struct smp_profile owns all it points to; smp_profile_clear frees it and leaves it
 * empty. Strings are NUL-terminated UTF-8 or NULL where unknown. No function prints or exits.
 */
#pragma once

#include "profile_finding.h"
#include "smp_model.h"

enum {
    SMP_SITE_REQUESTS_MAX = 256, /* distinct requests that a site keeps */
    SMP_CODE_HASH_BYTES = 8,
    SMP_CALLERS_MAX = 4,    /* lines of a script that a kernel keeps */
    SMP_DESCRIBED_MAX = 64, /* forms of instructions that a kernel keeps */
    SMP_RANGES_MAX = 8,     /* NVTX ranges that a kernel keeps */
};

typedef enum smp_engine {
    SMP_ENGINE_GPU,      /* instrumented on a GPU */
    SMP_ENGINE_EMULATED, /* machine code run on the CPU */
    SMP_ENGINE_SOURCE,   /* read from the source: sites are accesses of the text */
    SMP_ENGINES
} smp_engine;

/* "gpu", "emulated", "source" */
const char *smp_engine_name(smp_engine engine);

/* One process of one program, seen by one engine. */
typedef struct smp_run {
    smp_engine engine;
    char *command; /* as it was started, words separated by blanks */
    char *device;  /* "NVIDIA H200", or the architecture that was emulated: "sm_90" */
    char *driver;  /* "580.159.04"; NULL: none */
    char *date;    /* "2026-11-22T03:00:00Z" */
    char *host;    /* NULL: unknown */
    uint64_t process;
    char *memory; /* looked at: "shared" (all but the others), "global", "local"; NULL: all */
    char *ended;  /* NULL: as it should; else why the rest was not seen: "killed by signal 9" */
} smp_run;

/* One request as it was made: inactive lanes' offsets are 0. */
typedef struct smp_profile_request {
    uint32_t mask;                   /* bit l: lane l is active (and its address counts) */
    uint64_t count;                  /* how often it was made */
    uint32_t wavefronts, ideal;      /* of one such request, in shared memory; else 0 */
    uint32_t sectors, ideal_sectors; /* in global, local and cluster memory; else 0 */
    /* Of shared memory: bytes from the start of the block's memory as the program sees it, without
     * what the system reserves. Of others: from the first active lane's address, rounded down to
     * 256; lanes before that are negative (two's complement). */
    uint64_t offset_bytes[SMP_LANES];
    /* Of copies, where they were seen: the global addresses, without the high bits that all lanes
     * share. Without them a copy's wavefronts cannot be explained. */
    bool has_source;
    uint64_t source_bytes[SMP_LANES];
} smp_profile_request;

/* One function of the source, as inlined into the next. */
typedef struct smp_frame {
    char *file;
    uint32_t line;
} smp_frame;

/* One machine instruction and one operation of it: a generic load that reached shared and global
 * memory is two sites. */
typedef struct smp_profile_site {
    uint32_t offset_bytes; /* of the instruction in its function */
    smp_op op;             /* SMP_OP_COUNT: no row of the model; see not_modelled */
    smp_space space;       /* where its addresses fell */
    bool is_local;         /* space is GLOBAL, but the thread's own (spills, local arrays) */
    uint32_t width_bytes;  /* per lane */
    char *opcode;          /* "LDS.128", "ATOMS.POPC.INC.32"; NULL: not disassembled */
    char *operands;        /* "R4, [R2+0x10]"; NULL */
    smp_frame *frames;     /* innermost first; frames[frame_count - 1] is what the user wrote */
    uint32_t frame_count;  /* 0: no line information */
    char *not_modelled;    /* why no figures (but maybe sectors, below); NULL: modelled */
    uint64_t requests;     /* warp instructions with at least one active lane */
    uint64_t lanes;        /* active lanes, summed */
    uint64_t wavefronts, ideal;      /* shared memory; 0 where they do not apply */
    uint64_t sectors, ideal_sectors; /* global, local, cluster memory; 0 where not */
    bool lacks_sectors;              /* some requests' are not known. Files have none then */
    uint32_t ways;                   /* of the request with the most ways; 0: does not apply */
    /* The request that costs most: most wavefronts (shared, copies) or sectors, and of these the
     * one of the largest smp_request_hash. mask 0: none kept. */
    smp_profile_request worst;
    /* Distinct requests with their counts, by hash; all of them unless `requests_lost`. */
    smp_profile_request *distinct;
    uint32_t distinct_count;
    uint64_t requests_lost; /* requests that found no room among the distinct ones */
} smp_profile_site;

/* An array in shared memory, from the code's symbols or its PTX. */
typedef struct smp_shared_array {
    char *name;            /* as in the source, "tile" */
    char *type;            /* "float"; NULL: unknown */
    uint32_t offset_bytes; /* as in smp_profile_request */
    uint32_t size_bytes;   /* 0: sized at the launch */
} smp_shared_array;

typedef struct smp_kernel_profile {
    char *name;         /* mangled */
    char *demangled;    /* NULL: as `name` */
    uint64_t code_hash; /* of its machine code: two modules may hold two kernels of one name */
    const smp_arch *arch;
    uint64_t launches;          /* seen by the engine */
    uint64_t launches_skipped;  /* left untouched, as asked by --launches */
    uint32_t grid[3], block[3]; /* of the last launch; 0: unknown */
    uint32_t shared_bytes; /* static and dynamic, of the last launch, as they are given: in 128 */
    char *not_seen;        /* why figures are incomplete; NULL: whole */
    double time_us;        /* all launches, without instrumentation; 0: not measured */
    double stage_us, gain_us; /* of it, in which shared memory's data stage was busy, and the most
                                 that removing all excess gains: smp_gain_predict; 0: not known */
    uint32_t multiprocessors, clock_khz; /* of the GPU, at most; 0: unknown. Not kept in files */
    uint64_t blocks, blocks_skipped;     /* of the launches that were seen, and of the others; 0:
                                            unknown */
    uint64_t rounds;    /* of those seen, smp_instrument_function; 0: unknown. Not kept in files */
    uint32_t registers; /* a thread; 0: unknown. Not kept in files */
    /* Lines of the Python program that launched it, by file and line, none twice; not all. */
    smp_frame callers[SMP_CALLERS_MAX];
    uint32_t caller_count; /* 0: unknown */
    /* Forms of machine instructions, "FADD.FTZ x,|x|", that were emulated by their description
     * alone: no result of theirs was compared with a GPU's. In order, none twice; not all. */
    char *described[SMP_DESCRIBED_MAX];
    uint32_t described_count;
    /* NVTX ranges in which it was launched, "step/forward", in order, none twice; not all. */
    char *ranges[SMP_RANGES_MAX];
    uint32_t range_count;
    char *barriers; /* opcode of the first instruction of its code on a barrier in shared memory;
                       NULL: there is none, or its code was not seen */
    char *calls;    /* a function that it may call, whose own accesses to shared memory are those of
                       another kernel_profile; NULL: none */
    smp_shared_array *arrays;
    uint32_t array_count;
    smp_profile_site *sites;
    uint32_t site_count;
} smp_kernel_profile;

typedef struct smp_profile {
    smp_run *runs;
    uint32_t run_count;
    smp_kernel_profile *kernels;
    uint32_t kernel_count;
    smp_profile_finding *findings;
    uint32_t finding_count;
    uint32_t findings_hidden; /* taken away by a filter. Not kept in files */
} smp_profile;

/* True of memory whose cost is wavefronts: shared memory, and the shared side of copies. */
static inline bool smp_space_has_banks(smp_space space) {
    return space == SMP_SPACE_SHARED || space == SMP_SPACE_COPY;
}

/* Copies of 16 bytes pass L1 by: what they fetch has a rule, what they do in shared memory has
 * none. Each takes a sector at least, so where there are none they are not known. */
static inline bool smp_site_has_sectors(const smp_profile_site *site) {
    if (site->not_modelled)
        return site->op == SMP_CP_ASYNC && site->sectors > 0 && !site->lacks_sectors;
    return site->space != SMP_SPACE_SHARED;
}

/* A function that kernels call, which has sites of its own and was never launched. */
static inline bool smp_kernel_is_called(const smp_kernel_profile *kernel) {
    return kernel->launches == 0 && kernel->launches_skipped == 0 && kernel->site_count > 0;
}

/* What the figures are to be multiplied by to be of all launches: by blocks, else by launches. 1:
 * all were seen; 0: none was. */
double smp_kernel_scale(const smp_kernel_profile *kernel);

void smp_profile_clear(smp_profile *profile);
void smp_kernel_clear(smp_kernel_profile *kernel);
void smp_site_clear(smp_profile_site *site);

void smp_run_clear(smp_run *run);
/* Says of the run of `process`, which a signal ended (0: none did), how it ended; with `keeps`
 * before what it said itself, else in its place. */
void smp_profile_note_end(smp_profile *profile, uint64_t process, int signal, bool keeps);

/* Appends a zeroed element and returns it; NULL: out of memory (nothing changed). The pointer holds
 * until the next call for the same list. */
smp_run *smp_profile_add_run(smp_profile *profile);
/* A run of now by `engine`; `device` may be NULL. NULL: out of memory. */
smp_run *smp_profile_begin_run(smp_profile *profile, smp_engine engine, const char *command,
                               const char *device);
smp_kernel_profile *smp_profile_add_kernel(smp_profile *profile);
smp_profile_finding *smp_profile_add_finding(smp_profile *profile);
smp_profile_site *smp_kernel_add_site(smp_kernel_profile *kernel);
smp_shared_array *smp_kernel_add_array(smp_kernel_profile *kernel);
smp_frame *smp_site_add_frame(smp_profile_site *site);

/* Adds a caller, or the lines that come last have no room. SMP_E_MEMORY or SMP_OK. */
smp_status smp_kernel_add_caller(smp_kernel_profile *kernel, const char *file, uint32_t line);

/* Adds a form, or the forms that come last have no room. SMP_E_MEMORY or SMP_OK. */
smp_status smp_kernel_add_described(smp_kernel_profile *kernel, const char *form);
/* The same of a range. */
smp_status smp_kernel_add_range(smp_kernel_profile *kernel, const char *path);

/* Adds `request->count` of one request to a site: its sums, its worst, its distinct ones. `ways`:
 * as in smp_counts. SMP_E_MEMORY or SMP_OK. */
smp_status smp_site_add(smp_profile_site *site, const smp_profile_request *request, uint32_t ways);
/* Parts of it, for figures that come summed up already: only the worst, only the distinct ones. */
void smp_site_offer_worst(smp_profile_site *site, const smp_profile_request *request);
smp_status smp_site_add_distinct(smp_profile_site *site, const smp_profile_request *request);

/* Figures of a site whose requests cost the same whatever their addresses are (by its opcode and
 * operands: operands of wgmma, bulk copies); false: it is none of these, or `arch` has no rule. */
bool smp_site_set_fixed(smp_profile_site *site, const smp_arch *arch);

/* What stands behind the results of an emulated run: `text`; NULL: it ran on a GPU, or on what is
 * not known here. */
enum { SMP_EVIDENCE_BYTES = 192 };
const char *smp_run_evidence(const smp_run *run, char text[SMP_EVIDENCE_BYTES]);

/* The name without parameters: "transpose<float>" of "void transpose<float>(float*, int)". */
void smp_kernel_short_name(const smp_kernel_profile *kernel, char *text, size_t size);
/* ... and with them. */
static inline const char *smp_kernel_full_name(const smp_kernel_profile *kernel) {
    return kernel->demangled ? kernel->demangled : kernel->name;
}

/* Of all instructions. */
uint64_t smp_profile_requests(const smp_profile *profile);

/* "shared", "global", "local", "cluster", "copy". */
const char *smp_site_space_name(const smp_profile_site *site);

/* The sum of smp_lane_hash (request_hash.h) over the active lanes. */
uint32_t smp_request_hash(const smp_profile_request *request);
/* By hash, then mask, then offsets, then sources: <0, 0, >0. */
int smp_request_compare(const smp_profile_request *a, const smp_profile_request *b);

/* profile_merge.c: brings everything into the order above, and folds what has one key into one. */
smp_status smp_profile_sort(smp_profile *profile, smp_error *error);

/* profile_merge.c: moves all of `from` into `into`, and folds; `from` is empty then. In any order
 * of merging the result is the same. */
smp_status smp_profile_merge(smp_profile *into, smp_profile *from, smp_error *error);

/* profile_merge.c: as if `profile`, which has no findings, were merged with itself `times` times.
 */
void smp_profile_multiply(smp_profile *profile, uint64_t times);
