/* SPDX-License-Identifier: MIT */
/*
 * smp_kernels.h: the kernels that smemprobe runs, and what each of them does to memory.
 *
 * Two kinds: the generic access kernel, which executes any smp_access as exactly the machine
 * instruction that it names, and the families that `smemprobe compare` shows side by side. A
 * variant of a family says the same thing twice: as a CUDA kernel, and as the accesses that its
 * blocks make, in the front end's own language (`script`), or, where they depend on the data, as a
 * list (`trace`). From these the model predicts a whole launch without a GPU.
 *
 * Descriptors, scripts, traces and CPU references are plain C and always built. Launches exist only
 * where the CUDA toolkit was found; elsewhere they return SMP_E_NOT_BUILT. CUDA errors are returned
 * as SMP_E_CUDA with CUDA's own words in *error. All device pointers belong to the caller.
 */
#pragma once

#include "smp_model.h"

SMP_C_BEGIN

/* ---- Cases ---- */

/* What a kernel works on: id, name on the command line, bytes, name in a layout. */
#define SMP_ELEMENT_LIST(X)              \
    X(SMP_FLOAT, "float", 4, "float")    \
    X(SMP_DOUBLE, "double", 8, "double") \
    X(SMP_HALF, "half", 2, "half")       \
    X(SMP_BYTE, "byte", 1, "uchar")      \
    X(SMP_INT, "int", 4, "int")          \
    X(SMP_UNSIGNED, "unsigned", 4, "uint")

typedef enum smp_element {
#define SMP_ELEMENT_ENUM(id, name, bytes, layout) id,
    SMP_ELEMENT_LIST(SMP_ELEMENT_ENUM)
#undef SMP_ELEMENT_ENUM
        SMP_ELEMENT_COUNT
} smp_element;

typedef struct smp_element_row {
    const char *name;        /* "byte" */
    uint32_t bytes;          /* of one element */
    const char *layout_name; /* as the front end's language calls it: "uchar" */
} smp_element_row;

/* The row of an element; static. */
const smp_element_row *smp_element_info(smp_element element);

/* One problem to solve. */
typedef struct smp_kernel_case {
    smp_element element;
    uint64_t rows, columns; /* of the input; families of one dimension have one row */
    uint32_t cluster;       /* blocks of a cluster; 0: as the variant chooses */
    uint64_t seed;          /* of the input */
} smp_kernel_case;

/* "4096x4096 float", "100000000 double, cluster 8"; families of one dimension name the columns
 * only. Returns `text`. */
#define SMP_CASE_TEXT_MAX 96
const char *smp_kernel_case_format(const smp_kernel_case *problem, bool is_matrix,
                                   char text[SMP_CASE_TEXT_MAX]);

/* Host and device memory that a case takes, in bytes. */
typedef struct smp_kernel_bytes {
    uint64_t in, out;
    uint64_t work;  /* device memory for what all variants and the baseline keep aside; may be 0 */
    uint64_t moved; /* what must cross the memory bus at least: the numerator of GB/s */
} smp_kernel_bytes;

/* ---- Traffic ---- */

/* What is predicted and counted of a whole launch: id, name in JSON, CSV and records, the operation
 * whose counter sees it (smp_counter_of). Operations with the same counter fall together. */
#define SMP_TRAFFIC_LIST(X)                                    \
    X(SMP_WAVEFRONTS_LD, "wavefronts_ld", SMP_LD_SHARED)       \
    X(SMP_WAVEFRONTS_ST, "wavefronts_st", SMP_ST_SHARED)       \
    X(SMP_WAVEFRONTS_ATOM, "wavefronts_atom", SMP_ATOM_SHARED) \
    X(SMP_SECTORS_LD, "sectors_ld", SMP_LD_GLOBAL)             \
    X(SMP_SECTORS_ST, "sectors_st", SMP_ST_GLOBAL)             \
    X(SMP_SECTORS_RED, "sectors_red", SMP_RED_GLOBAL)          \
    X(SMP_CLUSTER_LD, "cluster_ld", SMP_LD_CLUSTER)            \
    X(SMP_CLUSTER_ST, "cluster_st", SMP_ST_CLUSTER)            \
    X(SMP_CLUSTER_ATOM, "cluster_atom", SMP_ATOM_CLUSTER)

typedef enum smp_traffic_kind {
#define SMP_TRAFFIC_ENUM(id, name, op) id,
    SMP_TRAFFIC_LIST(SMP_TRAFFIC_ENUM)
#undef SMP_TRAFFIC_ENUM
        SMP_TRAFFIC_COUNT
} smp_traffic_kind;

typedef struct smp_traffic_row {
    const char *name; /* "wavefronts_ld" */
    smp_op op;
} smp_traffic_row;

/* SMP_TRAFFIC_COUNT rows; static. */
const smp_traffic_row *smp_traffic_rows(void);

typedef struct smp_traffic {
    uint64_t count[SMP_TRAFFIC_COUNT];
} smp_traffic;

/* ---- Scripts: a kernel's accesses in the front end's language ---- */

enum { SMP_SCRIPT_BYTES = 16384, SMP_SCRIPT_BLOCKS = 512 };

/* One block that stands for `times` blocks: all of them make accesses of the same cost. */
typedef struct smp_script_block {
    uint32_t index; /* blockIdx.x; grids have one dimension */
    uint64_t times;
} smp_script_block;

/* The grid of a variant's (first) kernel. */
typedef struct smp_kernel_shape {
    uint64_t blocks;
    uint32_t threads;      /* of a block */
    uint32_t shared_bytes; /* of a block, static and dynamic */
} smp_kernel_shape;

/* The statements that `smemprobe check` takes (docs/reference/language.md), for one launch: arrays,
 * block, grid, loops, and each access as the kernel makes it. A comment behind an access names its
 * site: ld tile[threadIdx.x][threadIdx.y + i]   # tile read Where an access takes no part in a
 * block (its guard is false everywhere), it costs nothing. */
typedef struct smp_kernel_script {
    size_t length;
    char text[SMP_SCRIPT_BYTES];
    smp_kernel_shape shape; /* of the launch */
    size_t block_count;
    smp_script_block blocks[SMP_SCRIPT_BLOCKS];
    bool overflows; /* text or blocks did not fit: a bug in the kernel's row */
} smp_kernel_script;

/* Appends a formatted text, newlines included. */
void smp_script_add(smp_kernel_script *script, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Appends a class of blocks; nothing if `times` is 0. */
void smp_script_add_block(smp_kernel_script *script, uint64_t index, uint64_t times);
/* Classes of a row of `count` blocks whose addresses repeat every `period` blocks, modulo the 128
 * bytes that a cost can depend on; the last block stands alone, since it may be partial. */
void smp_script_add_row(smp_kernel_script *script, uint64_t count, uint32_t period);
/* The same for tiles, numbered row by row. */
void smp_script_add_tiles(smp_kernel_script *script, uint64_t down, uint64_t across,
                          uint32_t period);

/* For tiles whose neighbours overlap: the first and the last two of a row or column of tiles are
 * classes of their own; rows of tiles between repeat every `period` (32 at most), columns are
 * alike. */
void smp_script_add_edges(smp_kernel_script *script, uint64_t down, uint32_t period,
                          uint64_t across);

/* ---- Families ---- */

/* How many blocks of a kernel fit one multiprocessor, as the CUDA runtime says. */
typedef struct smp_residency {
    int blocks, registers; /* a multiprocessor; a thread */
    uint32_t threads;      /* of a block */
    uint32_t shared_bytes; /* of a block, static and dynamic */
} smp_residency;

/* One run of a variant. Device pointers: `in` as family->fill made it, `out` and `work` of the
 * sizes that family->bytes says. */
typedef struct smp_kernel_launch {
    const smp_kernel_case *problem;
    const void *in;
    void *out, *work;
    /* Each block asks for all the shared memory of a multiprocessor, so that no two of them share
     * one: slower, but the counters of shared memory then see no arbitration between blocks. */
    bool alone;
    /* If not NULL, nothing is launched: the first kernel's residency is filled in. */
    smp_residency *residency;
} smp_kernel_launch;

/* Launches on the current device and the default stream; does not wait. SMP_E_NOT_BUILT without
 * the toolkit. */
typedef smp_status (*smp_launch_kernel_fn)(const smp_kernel_launch *launch, smp_error *error);

/* Instructions of which no counter of a script's accesses tells. */
typedef enum smp_kernel_need {
    SMP_NEEDS_NOTHING,
    SMP_NEEDS_ASYNC_COPIES, /* cp.async */
    SMP_NEEDS_WGMMA,        /* smp_wgmma_wavefronts */
} smp_kernel_need;

/* Who is shown the accesses of a trace, which ends with the first status that is no success. */
typedef struct smp_kernel_trace {
    smp_visit_fn visit;
    void *user;
    smp_error *error;
    smp_status status;
} smp_kernel_trace;

typedef struct smp_kernel_variant {
    const char *name;    /* "padded" */
    const char *summary; /* one line */
    uint32_t elements;   /* bit e: element e can be had; 0: all of the family */
    smp_kernel_need needs;
    /* What the variant can't do of what the family can; may be NULL. */
    smp_status (*check)(const smp_kernel_case *problem, smp_error *error);
    smp_kernel_shape (*shape)(const smp_kernel_case *problem); /* NULL: the script has it */
    /* The accesses of kernel `index` (0, 1, ...) of a run; false if there is no such kernel. */
    bool (*script)(const smp_kernel_case *problem, uint32_t index, smp_kernel_script *out);
    /* Instead of a script where accesses depend on the data: every access of shared and global
     * memory, `in` being the host's input, each distinct one of a place once; `site` of what is
     * shown is a static name ("tile read"). */
    void (*trace)(const smp_kernel_case *problem, const void *in, smp_kernel_trace *to);
    /* Why counts may differ from run to run, a static text, or NULL where they are exact; the
     * function may be NULL, too. */
    const char *(*not_predicted)(const smp_kernel_case *problem);
    smp_launch_kernel_fn prepare; /* before each run, neither timed nor counted; may be NULL */
    smp_launch_kernel_fn launch;  /* NULL: runs on the host */
    /* The same by the CPU, where `launch` is NULL. */
    void (*host)(const smp_kernel_case *problem, const void *in, void *out);
    /* Of one on the host that is there to be seen going wrong: why it does; else NULL. */
    const char *wrong;
} smp_kernel_variant;

/* One step of the story that a family tells: what `better` gains over `base`. */
typedef struct smp_kernel_claim {
    const char *base, *better; /* names of variants */
    const char *what;          /* subject of the sentence: "padding", "XOR instead of padding" */
} smp_kernel_claim;

typedef struct smp_kernel_family {
    const char *name;         /* "transpose" */
    const char *summary;      /* one line */
    uint32_t elements;        /* bit e: element e can be had */
    smp_kernel_case standard; /* what is run if nothing is said */
    bool is_matrix;           /* cases have rows and columns; else `rows` is 1 */
    bool has_clusters;        /* smp_kernel_case.cluster means something */
    bool times_copies;        /* time a run with its copies from and to the host, too */
    /* SMP_E_USAGE or SMP_E_OVERFLOW with the limit in words. */
    smp_status (*check)(const smp_kernel_case *problem, smp_error *error);
    smp_kernel_bytes (*bytes)(const smp_kernel_case *problem);
    void (*fill)(const smp_kernel_case *problem, void *in);
    /* What every variant must compute; host memory. */
    void (*solve)(const smp_kernel_case *problem, const void *in, void *out);
    /* Compares a result with what the CPU computes: SMP_E_RESULT names the first wrong element,
     * what it is and what it should be. Says its tolerance in the source. */
    smp_status (*verify)(const smp_kernel_case *problem, const void *in, const void *out,
                         smp_error *error);
    const char *baseline_name;          /* what times are compared with: "CUB DeviceReduce" */
    smp_launch_kernel_fn baseline;      /* NULL: a device-to-device copy of the input */
    const smp_kernel_variant *variants; /* in display order */
    size_t variant_count;
    const smp_kernel_claim *claims;
    size_t claim_count;
} smp_kernel_family;

/* All families, in display order; *count is set. */
const smp_kernel_family *const *smp_kernel_families(size_t *count);
/* By name; NULL if there is none. */
const smp_kernel_family *smp_kernel_family_find(const char *name);
const smp_kernel_variant *smp_kernel_variant_find(const smp_kernel_family *family,
                                                  const char *name);
/* SMP_OK if the family, and the variant (may be NULL), can run the case; else *error says why. */
smp_status smp_kernel_check(const smp_kernel_family *family, const smp_kernel_variant *variant,
                            const smp_kernel_case *problem, smp_error *error);

/* The grid of the variant's first kernel; zeros of what runs on the host. */
smp_kernel_shape smp_kernel_shape_of(const smp_kernel_variant *variant,
                                     const smp_kernel_case *problem);

/* What variant->not_predicted says of a case, or NULL. */
const char *smp_kernel_not_predicted(const smp_kernel_variant *variant,
                                     const smp_kernel_case *problem);

/* ---- The generic access kernel ---- */

/* True where launches exist in this build. */
bool smp_kernels_built(void);

/* Runs accesses[0 .. count-1], all of one operation and width, on the current device and the
 * default stream: one warp in one block (a cluster of two, whose second block owns the memory, for
 * cluster operations) executes each exactly once, in order, eight of them a launch. With
 * `dry` the kernel does everything but the accesses. Tables come as kernel parameters, so that no
 * counter of shared or global memory sees them. Global addresses are moved, by a whole number of
 * 64 MiB, which changes nothing that a count depends on, into the data area of `scratch`: device
 * memory of smp_access_scratch_bytes() bytes. Waits for nothing. Operations for which no single
 * machine instruction exists (red.shared of 8 bytes) are refused with SMP_E_WIDTH, lanes not in
 * one aligned block of 64 MiB with SMP_E_RANGE. */
smp_status smp_access_launch(const smp_access *accesses, size_t count, bool dry, void *scratch,
                             smp_error *error);
size_t smp_access_scratch_bytes(void);

/* Times `access` with the clocks of the multiprocessor, for where counters are locked or in doubt:
 * *cycles is what one execution adds when eight warps repeat it side by side, the best of
 * five runs. Waits for the result. */
smp_status smp_access_clock(const smp_access *access, void *scratch, double *cycles,
                            smp_error *error);

SMP_C_END
