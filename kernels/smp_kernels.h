/* SPDX-License-Identifier: MIT */
/*
 * The kernels that smemprobe runs, and what each of them does to memory.
 *
 * There are two kinds: the generic access kernel, which executes any smp_access as exactly the
 * machine instruction that it names, and the families that `smemprobe compare` shows side by side.
 * A variant of a family is given twice: as a CUDA kernel, and as the accesses that its blocks make,
 * in the language of layouts (`script`), or as a list where they depend on data (`trace`). From
 * these the model predicts a whole launch without a GPU.
 *
 * Descriptors, scripts, traces and CPU references are plain C and always built. Launches exist only
 * where the CUDA toolkit was found; elsewhere they return SMP_E_NOT_BUILT. CUDA errors are returned
 * as SMP_E_CUDA with CUDA's own words in *error. All device pointers belong to the caller.
 */
#pragma once

#include "smp_model.h"

SMP_C_BEGIN

/* ---- Cases ---- */

/* Element types: id, name on the command line, bytes, name in a layout. */
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
    const char *layout_name; /* in the language of layouts: "uchar" */
} smp_element_row;

/* The row of an element; static. */
const smp_element_row *smp_element_info(smp_element element);

/* One problem to solve. */
typedef struct smp_kernel_case {
    smp_element element;
    uint64_t rows, columns; /* of the input; families of one dimension have one row */
    uint32_t cluster;       /* blocks per cluster; 0: the variant chooses */
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
    uint64_t work;  /* scratch device memory for all variants and the baseline; may be 0 */
    uint64_t moved; /* the least that must cross the memory bus: the numerator of GB/s */
} smp_kernel_bytes;

/* ---- Traffic ---- */

/* What is predicted and counted for a whole launch: id, name in JSON, CSV and records, and the
 * operation whose counter sees it (smp_counter_of). Operations that share a counter are added. */
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

/* ---- Scripts: a kernel's accesses in the language of layouts ---- */

enum { SMP_SCRIPT_BYTES = 16384, SMP_SCRIPT_BLOCKS = 512 };

/* One block that represents `times` blocks, whose accesses all cost the same. */
typedef struct smp_script_block {
    uint32_t index; /* blockIdx.x: grids are one-dimensional */
    uint64_t times;
} smp_script_block;

/* The grid of a variant's (first) kernel. */
typedef struct smp_kernel_shape {
    uint64_t blocks;
    uint32_t threads;      /* of a block */
    uint32_t shared_bytes; /* of a block, static and dynamic */
} smp_kernel_shape;

/* The statements that `smemprobe check` reads (docs/reference/language.md), for one launch:
 * arrays, block, grid, loops, and each access as the kernel makes it. A comment behind an access
 * names its site: `ld tile[threadIdx.x][threadIdx.y + i]   # tile read`. An access whose guard is
 * false in all of a block costs nothing there. */
typedef struct smp_kernel_script {
    size_t length;
    char text[SMP_SCRIPT_BYTES];
    smp_kernel_shape shape; /* of the launch */
    size_t block_count;
    smp_script_block blocks[SMP_SCRIPT_BLOCKS];
    bool overflows; /* text or blocks did not fit, which is a bug in the kernel's row */
} smp_kernel_script;

/* Appends a formatted text, newlines included. */
void smp_script_add(smp_kernel_script *script, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Appends a class of blocks; nothing if `times` is 0. */
void smp_script_add_block(smp_kernel_script *script, uint64_t index, uint64_t times);
/* Appends classes for `count` blocks in a row whose addresses repeat every `period` blocks modulo
 * 128 bytes, on which costs depend. The last block is a class of its own, since it may be partial.
 */
void smp_script_add_row(smp_kernel_script *script, uint64_t count, uint32_t period);
/* The same for tiles, numbered row by row. */
void smp_script_add_tiles(smp_kernel_script *script, uint64_t down, uint64_t across,
                          uint32_t period);

/* The same for tiles that overlap their neighbours: the first and the last two tiles of a row or
 * column are classes of their own; the rows between repeat every `period` (32 at most), and the
 * columns between are equal. */
void smp_script_add_edges(smp_kernel_script *script, uint64_t down, uint32_t period,
                          uint64_t across);

/* ---- Families ---- */

/* How many blocks of a kernel fit on one multiprocessor, according to the CUDA runtime. */
typedef struct smp_residency {
    int blocks, registers; /* per multiprocessor; per thread */
    uint32_t threads;      /* of a block */
    uint32_t shared_bytes; /* of a block, static and dynamic */
} smp_residency;

/* One run of a variant. Device pointers: `in` as family->fill made it; `out` and `work` of the
 * sizes that family->bytes gives. */
typedef struct smp_kernel_launch {
    const smp_kernel_case *problem;
    const void *in;
    void *out, *work;
    /* Each block requests all the shared memory of a multiprocessor, so that no two share one.
     * That is slower, but the counters of shared memory then see no arbitration between blocks. */
    bool alone;
    /* If not NULL, nothing is launched; only the first kernel's residency is stored here. */
    smp_residency *residency;
} smp_kernel_launch;

/* Launches on the current device and the default stream; does not wait. SMP_E_NOT_BUILT without
 * the toolkit. */
typedef smp_status (*smp_launch_kernel_fn)(const smp_kernel_launch *launch, smp_error *error);

/* Instructions that the counters of a script's accesses do not see. */
typedef enum smp_kernel_need {
    SMP_NEEDS_NOTHING,
    SMP_NEEDS_ASYNC_COPIES, /* cp.async */
    SMP_NEEDS_WGMMA,        /* smp_wgmma_wavefronts */
} smp_kernel_need;

/* Receives the accesses of a trace, which ends at the first status other than SMP_OK. */
typedef struct smp_kernel_trace {
    smp_visit_fn visit;
    void *user;
    smp_error *error;
    smp_status status;
} smp_kernel_trace;

typedef struct smp_kernel_variant {
    const char *name;    /* "padded" */
    const char *summary; /* one line */
    uint32_t elements;   /* bit e: element e is supported; 0: all elements of the family */
    smp_kernel_need needs;
    /* Refuses cases of the family that the variant cannot run; may be NULL. */
    smp_status (*check)(const smp_kernel_case *problem, smp_error *error);
    smp_kernel_shape (*shape)(const smp_kernel_case *problem); /* NULL: the script gives it */
    /* The accesses of kernel `index` (0, 1, ...) of a run; false if there is no such kernel. */
    bool (*script)(const smp_kernel_case *problem, uint32_t index, smp_kernel_script *out);
    /* Replaces the script where accesses depend on data. Shows every access of shared and global
     * memory for the host's input `in`; equal accesses of one place are shown once with a count.
     * `site` is a static name ("tile read"). */
    void (*trace)(const smp_kernel_case *problem, const void *in, smp_kernel_trace *to);
    /* Returns why counts may differ from run to run (static text), or NULL where they are exact.
     * The function itself may be NULL. */
    const char *(*not_predicted)(const smp_kernel_case *problem);
    smp_launch_kernel_fn
        prepare; /* called before each run, neither timed nor counted; may be NULL */
    smp_launch_kernel_fn launch; /* NULL: runs on the host */
    /* The same on the CPU, where `launch` is NULL. */
    void (*host)(const smp_kernel_case *problem, const void *in, void *out);
    /* For a host variant that shows a failure: why its result is wrong; else NULL. */
    const char *wrong;
} smp_kernel_variant;

/* One comparison that a family makes: what `better` gains over `base`. */
typedef struct smp_kernel_claim {
    const char *base, *better; /* names of variants */
    const char *what;          /* subject of the sentence: "padding", "XOR instead of padding" */
} smp_kernel_claim;

typedef struct smp_kernel_family {
    const char *name;         /* "transpose" */
    const char *summary;      /* one line */
    uint32_t elements;        /* bit e: element e is supported */
    smp_kernel_case standard; /* the default case */
    bool is_matrix;           /* cases have rows and columns; else `rows` is 1 */
    bool has_clusters;        /* smp_kernel_case.cluster means something */
    bool times_copies;        /* also time a run with its copies to and from the host */
    /* The largest cases; 0: no limit. What a matrix's rows and columns are; NULL: just that. */
    uint64_t most_rows, most_columns, most_elements;
    const char *row_name, *column_name;
    /* Other limits, or NULL. SMP_E_USAGE or SMP_E_OVERFLOW with the limit in words. */
    smp_status (*check)(const smp_kernel_case *problem, smp_error *error);
    smp_kernel_bytes (*bytes)(const smp_kernel_case *problem);
    void (*fill)(const smp_kernel_case *problem, void *in);
    /* Computes the expected result in host memory. */
    void (*solve)(const smp_kernel_case *problem, const void *in, void *out);
    /* Compares a result with the CPU's: SMP_E_RESULT names the first wrong element, its value and
     * the expected one. Each family's source states its tolerance. */
    smp_status (*verify)(const smp_kernel_case *problem, const void *in, const void *out,
                         smp_error *error);
    const char *baseline_name;     /* what times are compared with: "CUB DeviceReduce" */
    smp_launch_kernel_fn baseline; /* NULL: the baseline is a device-to-device copy of the input */
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
/* SMP_OK if the family and the variant (which may be NULL) can run the case; else *error gives the
 * reason. */
smp_status smp_kernel_check(const smp_kernel_family *family, const smp_kernel_variant *variant,
                            const smp_kernel_case *problem, smp_error *error);

/* The grid of the variant's first kernel; zeros for a host variant. */
smp_kernel_shape smp_kernel_shape_of(const smp_kernel_variant *variant,
                                     const smp_kernel_case *problem);

/* The reason from variant->not_predicted for this case, or NULL. */
const char *smp_kernel_not_predicted(const smp_kernel_variant *variant,
                                     const smp_kernel_case *problem);

/* ---- The generic access kernel ---- */

/* True where launches exist in this build. */
bool smp_kernels_built(void);

/* Runs accesses[0 .. count-1], all of one operation and width, on the current device and the
 * default stream. One warp in one block executes each exactly once, in order, eight per launch;
 * for cluster operations, a cluster of two blocks runs, and the second block owns the memory. With
 * `dry` the kernel does everything except the accesses. Tables are passed as kernel parameters, so
 * the counters of shared and global memory do not see them. Global addresses are moved by a whole
 * multiple of 64 MiB, on which no count depends, into the data area of `scratch`:
 * smp_access_scratch_bytes() of device memory. Does not wait. Operations without a machine
 * instruction of their own (red.shared of 8 bytes) are refused with SMP_E_WIDTH, lanes outside one
 * aligned block of 64 MiB with SMP_E_RANGE. */
smp_status smp_access_launch(const smp_access *accesses, size_t count, bool dry, void *scratch,
                             smp_error *error);
size_t smp_access_scratch_bytes(void);

/* Times `access` with the multiprocessor's clock, for GPUs whose counters are locked or in doubt:
 * *cycles is what one execution adds when eight warps repeat it side by side, the best of five
 * runs. Waits for the result. */
smp_status smp_access_clock(const smp_access *access, void *scratch, double *cycles,
                            smp_error *error);

SMP_C_END
