/* SPDX-License-Identifier: MIT */
/*
 * The options of all commands, one row each: name, argument, help. The parser, help, man pages and
 * completion use them.
 */
#pragma once

#include <stdbool.h>

/* One row per option: name, argument or NULL, help. */
#define SMP_OPTION_LIST(X)                                                                         \
    X(STRIDE, "stride", "N", "distance between neighbouring lanes, in elements (default 1)")       \
    X(WIDTH, "width", "BYTES", "bytes per lane: 1, 2, 4, 8 or 16 (default 4)")                     \
    X(OFFSET, "offset", "BYTES", "offset of lane 0 (default 0)")                                   \
    X(LANES, "lanes", "LANES", "active lanes: a count, a list 0-7,16 or a mask 0x0000ffff")        \
    X(OP, "op", "OP", "operation: ld, st, atom, ... (smemprobe list ops; default ld)")             \
    X(ACCESS, "access", "LINE", "any access, as a line of the batch format")                       \
    X(ARCH, "arch", "NAME", "sm_90, 9.0, hopper, GH100 ... or all")                                \
    X(BANK_MODE, "bank-mode", "4|8", "bytes of a bank on Kepler (default 4)")                      \
    X(FORMAT, "format", "FORMAT", "text, json, csv or others (smemprobe list formats)")            \
    X(OUTPUT, "output", "FILE", "write to FILE; the extension sets the format")                    \
    X(FORCE, "force", NULL, "overwrite an existing FILE")                                          \
    X(COLOR, "color", "WHEN", "auto, always or never")                                             \
    X(THEME, "theme", "THEME", "colours of a chart: light, dark or auto (readable on both)")       \
    X(WITNESS, "witness", "WHO",                                                                   \
      "measure with counters, clocks, both or auto (clocks if counters are locked)")               \
    X(DEVICE, "device", "N", "GPU to use (default 0)")                                             \
    X(DEVICES, "devices", "LIST", "GPUs to share the work: all, 0,1 or 0:3")                       \
    X(RECORD, "record", "FILE", "also write the measurements to FILE")                             \
    X(RECORDED, "recorded", "FILE", "also use the measurements in FILE")                           \
    X(SIZE, "size", "RxC|N", "problem size: rows and columns, or elements")                        \
    X(TYPE, "type", "TYPE", "element type: float, double, half, byte, int or unsigned")            \
    X(CLUSTER, "cluster", "N", "blocks in a thread block cluster")                                 \
    X(VARIANTS, "variants", "LIST", "run only these variants, separated by commas")                \
    X(SHARED, "shared", "DECL", "an array in shared memory: 'float tile[32][33]'")                 \
    X(GLOBAL, "global", "DECL", "an array in global memory: 'float a[4096][4096]'")                \
    X(BLOCK, "block", "XxYxZ", "threads in a block (default 32)")                                  \
    X(GRID, "grid", "XxYxZ", "blocks in the grid (default 1)")                                     \
    X(DEFINE, "define", "NAME=VALUE", "a named constant")                                          \
    X(DATA, "data", "NAME=VALUES", "VALUES: random:LOW:HIGH[:SEED], zipf:COUNT or @FILE")          \
    X(FOR, "for", "VAR=FROM:TO[:STEP]", "a loop around the accesses; TO is excluded")              \
    X(EXPLAIN, "explain", NULL, "show the bank map of every group")                                \
    X(MAX_WAYS, "max-ways", "N", "fail if an access has more than an N-way conflict")              \
    X(MAX_EXCESS, "max-excess", "N", "fail if an access has more than N excess wavefronts")        \
    X(BASELINE, "baseline", "FILE", "do not fail on violations that FILE lists")                   \
    X(UPDATE_BASELINE, "update-baseline", NULL,                                                    \
      "write the baseline; an existing one only loses fixed violations")                           \
    X(GATE, "gate", "FILE", "limits for kernels and lines, from FILE")                             \
    X(ACCESSES, "count", "N", "stop after N accesses (default 100000; 0: no limit)")               \
    X(SECONDS, "time", "SECONDS", "stop after this time")                                          \
    X(SEED, "seed", "N", "seed of the random accesses (default 1)")                                \
    X(SPACE, "space", "LIST", "search only these: pad, xor, linear, rotate, pad+xor")              \
    X(KEEP, "keep", "ARRAY", "do not change this array")                                           \
    X(MAX_BYTES, "max-bytes", "N", "limit on the shared memory of a block")                        \
    X(PROBE, "probe", NULL, "also measure the candidates on the GPU")                              \
    X(EMIT, "emit", "WHAT", "print only smp (a layout file), cuda or cute (code)")                 \
    X(APPLY, "apply", NULL, "also apply the proven patch to the file")                             \
    X(KEEP_ANYWAY, "keep-anyway", NULL, "keep a repair even if the GPU runs it no faster")         \
    X(KERNEL, "kernel", "REGEX", "only kernels whose name matches")                                \
    X(KERNEL_NAME, "kernel", "NAME", "which kernel, if the file has several")                      \
    X(SOURCE_FILE, "file", "NAME", "only instructions of this source file")                        \
    X(SOURCE_LINE, "line", "N[:M]", "only instructions of these source lines")                     \
    X(SOURCE_ROOT, "source-root", "DIR", "also show sources below DIR, with paths from there")     \
    X(LINES, "lines", "N|all", "lines to show per kernel (default 8)")                             \
    X(WORST, "worst", "N", "how many lines to explain, with source and map (default 3)")           \
    X(INSTRUCTIONS, "instructions", NULL, "show the machine instructions of each line")            \
    X(LAUNCH, "launch", "LAUNCH", "the launch, as in CUDA: 'k<<<grid, block>>>(arguments)'")       \
    X(COMPARE, "compare", "N=@FILE", "argument N must equal FILE (raw or .npy); FILE~T: within T") \
    X(LIMIT, "limit", "N", "limit on warp instructions per block (default 1000000000)")            \
    X(STACK, "stack", "BYTES", "stack per thread (default 2048, at most 524288)")                  \
    X(BUDGET, "budget", "SECONDS", "stop after this time, and report what ran so far")             \
    X(VERIFY, "verify", NULL, "run again under hardware counters, and compare")                    \
    X(TIMED, "time", NULL, "run again without patches: what a repair is worth")                    \
    X(AGAINST, "against", "FILE", "compare with an earlier profile, line by line")                 \
    X(TIMES_FROM, "profile", "FILE", "kernel times, to bound what the fix can gain")               \
    X(MEMORY, "memory", "WHICH", "shared (default), global, local or all")                         \
    X(NO_GPU, "no-gpu", NULL, "run the kernels on the CPU")                                        \
    X(RACES, "races", NULL, "also find races: accesses that nothing orders")                       \
    X(NO_NOTES, "no-notes", NULL, "leave out findings that are notes, not errors")                 \
    X(COOPERATIVE, "cooperative", NULL, "cooperative launch, for grid.sync()")                     \
    X(CAPTURE, "capture", "DIR", "keep a launch of each kernel in DIR, for emulate DIR")           \
    X(TRACE, "trace", "FILE", "write every access to a new FILE (.smptrace)")                      \
    X(REFERENCE, "reference", "FILE", "candidates must compute the same as this source")           \
    X(TOLERANCE, "tolerance", "T", "largest allowed difference of floating-point results")         \
    X(MAX_MEMORY, "max-memory", "MIB", "memory limit of each candidate (default 4096)")            \
    X(JOBS, "jobs", "N", "how many to run at once (default: one per core)")                        \
    X(LAUNCHES, "launches", "N", "only the first N launches of each kernel")                       \
    X(OVERHEAD, "overhead", "N", "slow the program down at most N times (default 1.2)")            \
    X(EXACT, "exact", NULL, "observe every launch, however long that takes")                       \
    X(NVTX, "nvtx", "RANGE", "only launches in NVTX ranges that match (regular expression)")       \
    X(CHILDREN, "children", "WHICH", "programs that it starts: all (default) or none")             \
    X(HELP, "help", NULL, "-h: these options; --help: also examples")                              \
    X(VERSION, "version", NULL, "print the version")

typedef enum smp_option {
#define OPTION_ENUM(id, name, argument, help) OPTION_##id,
    SMP_OPTION_LIST(OPTION_ENUM)
#undef OPTION_ENUM
        OPTION_COUNT
} smp_option;

/* A set of options: {[OPTION_ARCH] = true}. */
typedef bool option_set[OPTION_COUNT];

typedef struct option_row {
    const char *name, *argument, *help;
} option_row;

extern const option_row option_rows[OPTION_COUNT];
