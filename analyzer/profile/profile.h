/* SPDX-License-Identifier: MIT */
/*
 * The cost of a program's memory accesses per machine instruction, from either engine
 * (instrumentation on a GPU, or emulation). Reports, files and gates read these structs and do not
 * know the engine.
 *
 * Everything is ordered: a profile's kernels by (name, code hash), a kernel's sites by (offset,
 * space, op), a site's requests by hash (largest first), findings as profile_finding.h says. So
 * merging gives the same result in any order.
 *
 * Ownership: a struct smp_profile owns all it points to; smp_profile_clear frees it and leaves it
 * empty. Strings are NUL-terminated UTF-8, or NULL if unknown. No function prints or exits.
 */
#pragma once

#include <string.h>

#include "list.h"
#include "profile_finding.h"
#include "smp_model.h"

enum {
    SMP_SITE_REQUESTS_MAX = 256, /* distinct requests kept per site */
    SMP_CODE_HASH_BYTES = 8,
    SMP_CALLERS_MAX = 4,    /* script lines kept per kernel */
    SMP_DESCRIBED_MAX = 64, /* instruction forms kept per kernel */
    SMP_RANGES_MAX = 8,     /* NVTX ranges kept per kernel */
};

typedef enum smp_engine {
    SMP_ENGINE_GPU,      /* instrumented on a GPU */
    SMP_ENGINE_EMULATED, /* machine code emulated on the CPU */
    SMP_ENGINE_SOURCE,   /* evaluated from the source: sites are accesses in the text */
    SMP_ENGINES
} smp_engine;

/* "gpu", "emulated", "source" */
const char *smp_engine_name(smp_engine engine);

/* One process of one program, observed by one engine. */
typedef struct smp_run {
    smp_engine engine;
    char *command; /* as started, words separated by blanks */
    char *device;  /* "NVIDIA H200", or the emulated architecture: "sm_90" */
    char *driver;  /* "580.159.04"; NULL if none */
    char *date;    /* "2026-11-22T03:00:00Z" */
    char *host;    /* NULL if unknown */
    uint64_t process;
    char *memory; /* observed memory: "shared" (all but the others), "global", "local"; NULL for all
                   */
    /* NULL if it ended normally; else why the rest was not seen: "killed by signal 9" */
    char *ended;
} smp_run;

/* Estimated sums over launches of which some were not observed. */
typedef struct smp_scaled_sums {
    double blocks; /* of these launches; 0 if there is no estimate */
    double wavefronts, ideal, sectors, ideal_sectors;
} smp_scaled_sums;

/* One request. Inactive lanes' offsets are 0. */
typedef struct smp_profile_request {
    uint32_t mask;                   /* bit l: lane l is active (and its address counts) */
    uint64_t count;                  /* number of times */
    uint32_t wavefronts, ideal;      /* per request, in shared memory; else 0 */
    uint32_t sectors, ideal_sectors; /* per request, in global, local and cluster memory; else 0 */
    /* Shared memory: bytes from the start of the block's memory as the program sees it, excluding
     * system-reserved memory. Other memory: from the first active lane's address, rounded down to
     * 256; lower lanes are negative (two's complement). */
    uint64_t offset_bytes[SMP_LANES];
    /* Copies, if known: the global addresses without the high bits that all lanes share. Without
     * them a copy's wavefronts cannot be explained. */
    bool has_source;
    uint64_t source_bytes[SMP_LANES];
} smp_profile_request;

/* A function of the source, inlined into the next one. */
typedef struct smp_frame {
    char *file;
    uint32_t line;
} smp_frame;

/* One machine instruction and one operation of it: a generic load that reached shared and global
 * memory is two sites. */
typedef struct smp_profile_site {
    uint32_t offset_bytes; /* of the instruction in its function */
    smp_op op;             /* SMP_OP_COUNT if the model has no row for it; see not_modelled */
    smp_space space;       /* memory that its addresses are in */
    bool is_local; /* space is GLOBAL, but it is the thread's own memory (spills, local arrays) */
    uint32_t width_bytes; /* per lane */
    char *opcode;         /* "LDS.128", "ATOMS.POPC.INC.32"; NULL if not disassembled */
    char *operands;       /* "R4, [R2+0x10]"; NULL */
    smp_frame *frames;    /* innermost first; frames[frame_count - 1] is the user's code */
    uint32_t frame_count; /* 0 without line information */
    /* why it has no figures (except perhaps sectors, below); NULL if modelled */
    char *not_modelled;
    uint64_t requests;               /* warp instructions with at least one active lane */
    uint64_t lanes;                  /* sum of active lanes */
    uint64_t wavefronts, ideal;      /* shared memory; 0 if not applicable */
    uint64_t sectors, ideal_sectors; /* global, local, cluster memory; 0 if not applicable */
    bool lacks_sectors;              /* unknown for some requests. Files then leave them out */
    uint32_t ways;                   /* of the request with the most ways; 0 if not applicable */
    /* The costliest request: most wavefronts (shared, copies) or sectors; of several, the one with
     * the largest smp_request_hash. mask 0 if none was kept. */
    smp_profile_request worst;
    /* Distinct requests with their counts, by hash; complete unless `requests_lost`. */
    smp_profile_request *distinct;
    uint32_t distinct_count;
    uint64_t requests_lost; /* requests without room among the distinct ones */
} smp_profile_site;

/* An array in shared memory, from the code's symbols or PTX. */
typedef struct smp_shared_array {
    char *name;            /* as in the source: "tile" */
    char *type;            /* "float"; NULL if unknown */
    uint32_t offset_bytes; /* as in smp_profile_request */
    uint32_t size_bytes;   /* 0 if its size is set at the launch */
} smp_shared_array;

typedef struct smp_kernel_profile {
    char *name;         /* mangled */
    char *demangled;    /* NULL if equal to `name` */
    uint64_t code_hash; /* hash of its machine code: two modules may have different kernels of one
                           name */
    const smp_arch *arch;
    uint64_t launches;          /* seen by the engine */
    uint64_t launches_skipped;  /* launches that were not observed */
    uint32_t grid[3], block[3]; /* of the last launch; 0 if unknown */
    uint32_t shared_bytes;      /* static and dynamic, of the last launch, in units of 128 */
    char *not_seen;             /* why figures are incomplete; NULL if complete */
    double time_us;             /* all launches, without instrumentation; 0 if not measured */
    /* the part of it in which shared memory's data stage was busy, and the most that
                    removing all excess gains: smp_gain_predict; 0 if unknown */
    double stage_us, gain_us;
    uint32_t multiprocessors, clock_khz; /* of the GPU, at most; 0 if unknown. Not kept in files */
    uint64_t blocks, blocks_skipped; /* of the observed launches, and of the others; 0 if unknown */
    /* Sums of all sites, each kind of launch (grid, arguments) scaled by its own observed ones. */
    smp_scaled_sums scaled;
    /* Of a kernel that was not observed: the blocks of all its launches by kind,
     * SMP_INSTRUMENT_KINDS_MAX numbers; NULL if unknown. Not kept in files. */
    uint64_t *kind_blocks;
    bool has_unlike; /* they are of several kinds. Not kept in files */
    /* of the observed ones, smp_instrument_function; 0 if unknown. Not kept in files */
    uint64_t rounds;
    uint32_t registers; /* per thread; 0 if unknown. Not kept in files */
    /* Some distinct lines of the Python program that launched it, by file and line. */
    smp_frame callers[SMP_CALLERS_MAX];
    uint32_t caller_count; /* 0 if unknown */
    /* Some instruction forms, "FADD.FTZ x,|x|", that were emulated from their description alone:
     * their results were not compared with a GPU's. Ordered and distinct. */
    char *described[SMP_DESCRIBED_MAX];
    uint32_t described_count;
    /* Some NVTX ranges in which it was launched, "step/forward". Ordered and distinct. */
    char *ranges[SMP_RANGES_MAX];
    uint32_t range_count;
    char *barriers; /* opcode of its first instruction on a barrier in shared memory; NULL if there
                       is none, or its code is unknown */
    char *calls;    /* a function that it may call whose accesses to shared memory are in another
                       kernel_profile; NULL if none */
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
    uint32_t findings_hidden; /* removed by a filter. Not kept in files */
} smp_profile;

/* Runs the statement for each `site` of each `kernel`; break ends only the kernel's. */
#define EACH_SITE(kernel, site, profile)                                                \
    EACH(const smp_kernel_profile, kernel, (profile)->kernels, (profile)->kernel_count) \
        EACH(const smp_profile_site, site, kernel->sites, kernel->site_count)

/* True for memory whose cost is wavefronts: shared memory, and the shared side of copies. */
static inline bool smp_space_has_banks(smp_space space) {
    return space == SMP_SPACE_SHARED || space == SMP_SPACE_COPY;
}

/* Copies of 16 bytes bypass L1: their sectors have a rule, their side in shared memory has none.
 * Each takes at least one sector, so 0 means unknown. */
static inline bool smp_site_has_sectors(const smp_profile_site *site) {
    if (site->not_modelled)
        return site->op == SMP_CP_ASYNC && site->sectors > 0 && !site->lacks_sectors;
    return site->space != SMP_SPACE_SHARED;
}

/* True for loads from constant memory, which pass neither banks nor sectors. */
static inline bool smp_site_is_constant(const smp_profile_site *site) {
    return site->opcode && strncmp(site->opcode, "LDC", 3) == 0;
}

/* True for a function that kernels call: it has sites of its own and was never launched. */
static inline bool smp_kernel_is_called(const smp_kernel_profile *kernel) {
    return kernel->launches == 0 && kernel->launches_skipped == 0 && kernel->site_count > 0;
}

/* True for a kernel of which no launch ran as a whole, but some blocks did. */
static inline bool smp_kernel_is_sampled(const smp_kernel_profile *kernel) {
    return kernel->blocks > 0 &&
           (kernel->launches == 0 || (kernel->launches_skipped == 0 && kernel->blocks_skipped > 0));
}

/* Returns the factor that scales figures to all launches, by blocks or else by launches; 1 if all
 * were observed, 0 if none was. */
double smp_kernel_scale(const smp_kernel_profile *kernel);
/* Estimates the kernel's sums over all launches, by `scaled` or else by smp_kernel_scale. */
smp_scaled_sums smp_kernel_scaled(const smp_kernel_profile *kernel);
smp_scaled_sums smp_scaled_times(const smp_scaled_sums *sums, double times);
/* Adds a site's figures `weight` times. */
void smp_scaled_add(smp_scaled_sums *sums, const smp_profile_site *site, double weight);

void smp_profile_clear(smp_profile *profile);
void smp_kernel_clear(smp_kernel_profile *kernel);
void smp_site_clear(smp_profile_site *site);

void smp_run_clear(smp_run *run);
/* Records how the run of `process` ended: by `signal`, or 0. With `keeps`, this precedes the
 * run's own words; else it replaces them. */
void smp_profile_note_end(smp_profile *profile, uint64_t process, int signal, bool keeps);

/* Appends a zeroed element and returns it; NULL if out of memory, and nothing changed. The pointer
 * is valid until the next call for the same list. */
smp_run *smp_profile_add_run(smp_profile *profile);
/* Adds a run by `engine` that starts now; `device` may be NULL. Returns NULL if out of memory. */
smp_run *smp_profile_begin_run(smp_profile *profile, smp_engine engine, const char *command,
                               const char *device);
smp_kernel_profile *smp_profile_add_kernel(smp_profile *profile);
smp_profile_finding *smp_profile_add_finding(smp_profile *profile);
smp_profile_site *smp_kernel_add_site(smp_kernel_profile *kernel);
smp_shared_array *smp_kernel_add_array(smp_kernel_profile *kernel);
smp_frame *smp_site_add_frame(smp_profile_site *site);

/* Adds a caller; of too many, the last in order are dropped. SMP_E_MEMORY or SMP_OK. */
smp_status smp_kernel_add_caller(smp_kernel_profile *kernel, const char *file, uint32_t line);

/* Adds a form; of too many, the last in order are dropped. SMP_E_MEMORY or SMP_OK. */
smp_status smp_kernel_add_described(smp_kernel_profile *kernel, const char *form);
/* The same for a range. */
smp_status smp_kernel_add_range(smp_kernel_profile *kernel, const char *path);

/* Adds `request->count` of one request to a site's sums, worst and distinct requests. `ways` is as
 * in smp_counts. SMP_E_MEMORY or SMP_OK. */
smp_status smp_site_add(smp_profile_site *site, const smp_profile_request *request, uint32_t ways);
/* Parts of it, for figures that are already summed: only the worst request, only the distinct ones.
 */
void smp_site_offer_worst(smp_profile_site *site, const smp_profile_request *request);
smp_status smp_site_add_distinct(smp_profile_site *site, const smp_profile_request *request);

/* Sets the figures of a site whose cost depends only on its opcode and operands, not on addresses
 * (operands of wgmma, bulk copies); false if it is not such a site, or `arch` has no rule. */
bool smp_site_set_fixed(smp_profile_site *site, const smp_arch *arch);

/* Says how far an emulated run's results were verified: `text`; NULL for a run on a GPU, or if
 * unknown. */
enum { SMP_EVIDENCE_BYTES = 192 };
const char *smp_run_evidence(const smp_run *run, char text[SMP_EVIDENCE_BYTES]);

/* Returns the name without parameters: "transpose<float>" for "void transpose<float>(float*, int)".
 */
void smp_kernel_short_name(const smp_kernel_profile *kernel, char *text, size_t size);
/* The same with parameters. */
static inline const char *smp_kernel_full_name(const smp_kernel_profile *kernel) {
    return kernel->demangled ? kernel->demangled : kernel->name;
}

/* The finding's kernel; NULL if the profile does not have it. */
const smp_kernel_profile *smp_finding_kernel_of(const smp_profile *profile,
                                                const smp_profile_finding *finding);

/* Sums over all instructions. */
uint64_t smp_profile_requests(const smp_profile *profile);
/* Counts the kernels of which no launch was observed. */
uint32_t smp_profile_unobserved(const smp_profile *profile);

/* "shared", "global", "local", "cluster", "copy". */
const char *smp_site_space_name(const smp_profile_site *site);

/* The sum of smp_lane_hash (request_hash.h) over the active lanes. */
uint32_t smp_request_hash(const smp_profile_request *request);
/* Orders by hash, then mask, then offsets, then sources: <0, 0, >0. */
int smp_request_compare(const smp_profile_request *a, const smp_profile_request *b);

/* profile_merge.c: sorts everything as above, and folds elements with the same key. */
smp_status smp_profile_sort(smp_profile *profile, smp_error *error);

/* profile_merge.c: moves all of `from` into `into`, folds, and leaves `from` empty. The result is
 * the same in any order of merging. */
smp_status smp_profile_merge(smp_profile *into, smp_profile *from, smp_error *error);

/* profile_merge.c: as if `profile`, which has no findings, were merged with itself `times` times.
 */
void smp_profile_multiply(smp_profile *profile, uint64_t times);
