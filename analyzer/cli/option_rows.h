/* SPDX-License-Identifier: MIT */
/*
 * The options of all commands, a row each: name, argument, help. Parsing, help, the man page and
 * completion follow from them.
 */
#ifndef SMP_OPTION_ROWS_H
#define SMP_OPTION_ROWS_H

#include <stdbool.h>

/* One row an option: name, argument (NULL: none), help. */
#define SMP_OPTION_LIST(X)                                                                     \
    X(STRIDE, "stride", "N", "distance between neighbouring lanes, in elements (default 1)")   \
    X(WIDTH, "width", "BYTES", "bytes per lane: 1, 2, 4, 8 or 16 (default 4)")                 \
    X(OFFSET, "offset", "BYTES", "offset of lane 0 (default 0)")                               \
    X(LANES, "lanes", "LANES", "active lanes: a count, a list 0-7,16 or a mask 0x0000ffff")    \
    X(OP, "op", "OP", "operation: ld, st, atom, ... (smemprobe list ops; default ld)")         \
    X(ACCESS, "access", "LINE", "any access, as a line of the batch format")                   \
    X(ARCH, "arch", "NAME", "sm_90, 9.0, hopper, GH100 ... or all")                            \
    X(BANK_MODE, "bank-mode", "4|8", "bank width that Kepler is set to (default 4)")           \
    X(FORMAT, "format", "FORMAT", "text, json, csv or others (smemprobe list formats)")        \
    X(OUTPUT, "output", "FILE", "write to FILE; the format follows from its ending")           \
    X(FORCE, "force", NULL, "overwrite an existing FILE")                                      \
    X(COLOR, "color", "WHEN", "auto, always or never")                                         \
    X(THEME, "theme", "THEME", "colours of a chart: light, dark or auto (readable on both)")   \
    X(WITNESS, "witness", "WHO",                                                               \
      "counters, clocks, both or auto: clocks where counters are locked")                      \
    X(DEVICE, "device", "N", "GPU to use (default 0)")                                         \
    X(DEVICES, "devices", "LIST", "GPUs that share the work: all, or 0,1 or 0:3")              \
    X(RECORD, "record", "FILE", "also write the measurements to FILE, as recorded ones")       \
    X(RECORDED, "recorded", "FILE", "recorded measurements to look things up in, too")         \
    X(SIZE, "size", "RxC|N", "rows and columns, or elements, that a kernel works on")          \
    X(TYPE, "type", "TYPE", "of elements: float, double, half, byte, int or unsigned")         \
    X(CLUSTER, "cluster", "N", "blocks of a thread block cluster")                             \
    X(VARIANTS, "variants", "LIST", "only these variants, separated by commas")                \
    X(SHARED, "shared", "DECL", "an array in shared memory: 'float tile[32][33]'")             \
    X(GLOBAL, "global", "DECL", "an array in global memory: 'float a[4096][4096]'")            \
    X(BLOCK, "block", "XxYxZ", "threads of a block (default 32)")                              \
    X(GRID, "grid", "XxYxZ", "blocks of the grid (default 1)")                                 \
    X(DEFINE, "define", "NAME=VALUE", "a named constant")                                      \
    X(DATA, "data", "NAME=VALUES", "holds random:LOW:HIGH[:SEED], zipf:COUNT or @FILE")        \
    X(FOR, "for", "VAR=FROM:TO[:STEP]", "a loop around the accesses; TO is not reached")       \
    X(EXPLAIN, "explain", NULL, "the long form: the map of every group")                       \
    X(MAX_WAYS, "max-ways", "N", "fail where an access conflicts more than N-way")             \
    X(MAX_EXCESS, "max-excess", "N", "fail where an access has more than N excess wavefronts") \
    X(BASELINE, "baseline", "FILE", "violations that FILE lists are known, and do not fail")   \
    X(UPDATE_BASELINE, "update-baseline", NULL,                                                \
      "write the baseline: all there is if it is new, else without what was paid")             \
    X(GATE, "gate", "FILE", "a file of rules: what kernels and lines may cost")                \
    X(ACCESSES, "count", "N", "stop after N accesses (default 100000; 0: no end)")             \
    X(SECONDS, "time", "SECONDS", "stop after this time")                                      \
    X(SEED, "seed", "N", "of the random accesses (default 1)")                                 \
    X(SPACE, "space", "LIST", "search only these: pad, xor, linear, rotate, pad+xor")          \
    X(KEEP, "keep", "ARRAY", "an array that must stay as it is")                               \
    X(MAX_BYTES, "max-bytes", "N", "shared memory that a block may take at most")              \
    X(PROBE, "probe", NULL, "also run the candidates on the GPU, under its counters")          \
    X(EMIT, "emit", "WHAT", "only smp (a layout file), cuda or cute (code)")                   \
    X(KERNEL, "kernel", "REGEX", "only kernels whose name has a match")                        \
    X(KERNEL_NAME, "kernel", "NAME", "which kernel of a file that has several")                \
    X(SOURCE_FILE, "file", "NAME", "only instructions of this source file")                    \
    X(SOURCE_LINE, "line", "N[:M]", "only instructions of these source lines")                 \
    X(SOURCE_ROOT, "source-root", "DIR", "show sources below DIR, too, not only here")         \
    X(LINES, "lines", "N|all", "lines to show a kernel (default 8)")                           \
    X(WORST, "worst", "N", "lines to show with source, map and reason (default 3)")            \
    X(INSTRUCTIONS, "instructions", NULL, "below each line its machine instructions")          \
    X(LAUNCH, "launch", "LAUNCH", "the launch, as in CUDA: 'k<<<grid, block>>>(arguments)'")   \
    X(COMPARE, "compare", "N=@FILE", "argument N must be the file's: raw, .npy; ~1e-6: about") \
    X(LIMIT, "limit", "N", "warp instructions that a block may run (default 1000000000)")      \
    X(STACK, "stack", "BYTES", "a thread's stack for deep calls (default 2048, most 524288)")  \
    X(BUDGET, "budget", "SECONDS", "stop the program then, and report what ran until then")    \
    X(VERIFY, "verify", NULL, "run it once more under hardware counters, and compare")         \
    X(TIMED, "time", NULL, "run it once more without patches: what a repair is worth")         \
    X(AGAINST, "against", "FILE", "an earlier profile: which lines got better or worse")       \
    X(TIMES_FROM, "profile", "FILE", "its kernel's times: what the fix is worth at most")      \
    X(MEMORY, "memory", "WHICH", "shared (default), global, local or all")                     \
    X(NO_GPU, "no-gpu", NULL, "run its kernels on the CPU")                                    \
    X(COOPERATIVE, "cooperative", NULL, "blocks may wait for all others (grid.sync())")        \
    X(CAPTURE, "capture", "DIR", "keep a launch of each kernel in DIR, for emulate DIR")       \
    X(TRACE, "trace", "FILE", "every access into a new FILE (.smptrace), for batch")           \
    X(LAUNCHES, "launches", "N", "only the first N launches of each kernel")                   \
    X(CHILDREN, "children", "WHICH", "all (default): what the program starts, too; or none")   \
    X(HELP, "help", NULL, "this help, with examples")                                          \
    X(VERSION, "version", NULL, "print the version")

typedef enum smp_option {
#define OPTION_ENUM(id, name, argument, help) OPTION_##id,
    SMP_OPTION_LIST(OPTION_ENUM)
#undef OPTION_ENUM
        OPTION_COUNT
} smp_option;

/* Which of the options: {[OPTION_ARCH] = true}. */
typedef bool option_set[OPTION_COUNT];

typedef struct option_row {
    const char *name, *argument, *help;
} option_row;

extern const option_row option_rows[OPTION_COUNT];

#endif
