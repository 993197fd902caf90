/* SPDX-License-Identifier: MIT */
/*
 * The command line: commands and options are rows, and everything else (parsing, help, "did you
 * mean") is derived from them. To add a command, write cmd_<name>.c and add its row in main.c.
 */
#ifndef SMP_CLI_H
#define SMP_CLI_H

#include "format.h"
#include "new_file.h"
#include "note.h"
#include "smp_layout.h"
#include "smp_source.h"
#include "style.h"

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
    X(DATA, "data", "NAME=VALUES", "what it holds: random:0:255, zipf:256 or @FILE")           \
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
    X(BUDGET, "budget", "SECONDS", "stop the program then, and report what ran until then")    \
    X(VERIFY, "verify", NULL, "run it once more under hardware counters, and compare")         \
    X(TIMED, "time", NULL, "run it once more without patches: what a repair is worth")         \
    X(AGAINST, "against", "FILE", "an earlier profile: which lines got better or worse")       \
    X(TIMES_FROM, "profile", "FILE", "its kernel's times: what the fix is worth at most")      \
    X(MEMORY, "memory", "WHICH", "shared (default), global, local or all")                     \
    X(NO_GPU, "no-gpu", NULL, "run its kernels on the CPU (linked with nvcc -cudart shared)")  \
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

enum { VALUES_MAX = 16, POSITIONALS_MAX = 1024 };

/* What the command line said. All strings are those of argv. */
typedef struct arguments {
    const struct command_row *command;
    unsigned count[OPTION_COUNT]; /* how often */
    const char *value[OPTION_COUNT][VALUES_MAX];
    const char **positional; /* in argv's own place */
    unsigned positional_count;
    bool short_help;
} arguments;

/* What an option means to one command. */
typedef struct option_words {
    smp_option option;
    const char *help; /* NULL ends a list */
} option_words;

/* What a command's help says behind one of its words. */
typedef struct word_help {
    const char *summary;
    char usage[80];            /* what follows the command's name */
    const bool *options;       /* an option_set: those that count there */
    const option_words *words; /* where the command's help of an option does not fit; NULL: none */
} word_help;

typedef struct command_row {
    const char *name, *summary;
    const char *usage; /* what follows the name: "[OPTIONS] [FILE|-]" */
    const smp_option *options;
    unsigned option_count;
    bool many_words;           /* more than POSITIONALS_MAX of them, after the options */
    const char *formats;       /* of --format, separated by blanks; the first if nothing is said */
    const option_words *words; /* where the help of the option's row does not fit; NULL: none */
    const char *examples;      /* whole lines, or NULL */
    /* Word `index` of those that may come first, and what it does; NULL after the last. NULL: any.
     */
    const char *(*word)(size_t index, const char **summary);
    /* Help of its own behind a word; false: the command's. NULL: no word has any. */
    bool (*help)(const char *word, word_help *out);
    int (*run)(const arguments *args); /* returns the exit status */
} command_row;

#define COMMAND_OPTIONS(rows) .options = rows, .option_count = sizeof(rows) / sizeof((rows)[0])

/* One row a command, in the order of the help; the first is the default. */
#define SMP_COMMAND_LIST(X) \
    X(predict)              \
    X(batch)                \
    X(check)                \
    X(fix)                  \
    X(probe)                \
    X(verify)               \
    X(compare)              \
    X(profile)              \
    X(emulate)              \
    X(import)               \
    X(report)               \
    X(annotate)             \
    X(plot)                 \
    X(explain_counters)     \
    X(list)                 \
    X(doctor)               \
    X(generate)

#define SMP_COMMAND_DECLARE(name) extern const command_row command_##name;
SMP_COMMAND_LIST(SMP_COMMAND_DECLARE)
#undef SMP_COMMAND_DECLARE

/* option.c */
smp_status arguments_parse(const command_row *command, int argc, char **argv, arguments *out,
                           smp_error *error);
static inline bool has(const arguments *args, smp_option option) {
    return args->count[option] > 0;
}
/* What `option` means to `command`; `text` is room for it. */
#define OPTION_HELP_MAX 96
const char *option_help(const command_row *command, smp_option option, char text[OPTION_HELP_MAX]);
/* What one of such a list says of it, or NULL. */
const char *option_words_find(const option_words *words, smp_option option);
/* The last value given, or NULL. */
const char *last_value(const arguments *args, smp_option option);

/* number.c: strict decimal numbers and lists of them; the name of the option goes into messages. */
smp_status number_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                        smp_error *error);
/* "0:64", "0:64:2", "1,2,4" or "33": the numbers, both ends included. */
smp_status numbers_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                         size_t capacity, size_t *count, smp_error *error);
smp_status lanes_parse(const char *text, uint32_t *mask, smp_error *error);

/* output.c: where the answer goes. */
typedef struct output {
    FILE *stream;
    FILE *under;      /* of a text whose lines are broken for a terminal: what it goes to */
    const char *path; /* NULL: standard output */
    new_file file;
    smp_format format;
    smp_style style;
} output;

/* What --format or the ending of -o's file names, of the command's formats; else the first. */
smp_status output_choose_format(const arguments *args, smp_format *out, smp_error *error);
/* The same of the formats that are `known`. */
smp_status output_choose_format_of(const arguments *args, const char *known, smp_format *out,
                                   smp_error *error);
smp_status output_open(const arguments *args, output *out, smp_error *error);
/* The same in `format`, whatever the options and the file's ending say. */
smp_status output_open_as(const arguments *args, smp_format format, output *out, smp_error *error);
/* Without a file: to `to` in place of standard output. */
void output_to(output *out, FILE *to);
/* Completes the file, or throws it away if `keep` is false. Reports a full disk or a closed pipe.
 */
smp_status output_close(output *out, bool keep, smp_error *error);
/* The same of what went to standard output without an `output`. */
smp_status output_finish(smp_error *error);
enum { FORMAT_FROM_MAX = 64 };
/* What --format names, or else the ending of -o's file without its point; NULL if neither is there.
 * `from` is how a message calls it: "--format csv" or "-o FILE.csv". */
const char *output_format_name(const arguments *args, char from[FORMAT_FROM_MAX]);
/* What --format and --color say, without opening anything: asked before any long work. */
smp_status output_words_check(const arguments *args, smp_error *error);
/* SMP_E_EXISTS if `path` is there and --force is not, SMP_E_WRITE if it can't be made: asked before
 * any long work. */
smp_status output_check(const arguments *args, const char *path, smp_error *error);
/* Says of SMP_E_EXISTS how to overwrite; returns `status`. */
smp_status output_hint(smp_status status, smp_error *error);
/* Whether a text is in colours that goes to a terminal or elsewhere and of which no option says it.
 */
bool output_wants_color(bool is_terminal);

/* output_name.c: a name that says where it comes from: %h is the host, %q{VAR} an environment
 * variable, %p `process`, %% a percent sign. SMP_E_USAGE for another letter, a variable that is not
 * set or holds a '/', and a name that gets too long. */
enum { OUTPUT_NAME_MAX = 4096 };
smp_status output_name_expand(const char *pattern, uint64_t process, char out[OUTPUT_NAME_MAX],
                              smp_error *error);
/* True if there is a %p in it. */
bool output_name_has_process(const char *pattern);

/* cmd_layout.c: predict with accesses as arguments; returns the exit status. */
int run_layout(const arguments *args);

/* layout_source.c: what the command line gave as layout. */
typedef struct layout_source {
    smp_layout *layout;
    const char *file; /* NULL: accesses and options */
    char *text;       /* of the file */
    size_t length;
    const char *const *words; /* the caller's: the file, or the accesses */
    unsigned count;
} layout_source;

/* Reads the layout file that the words name, or the accesses that they are and their options.
 * Complains and returns the exit status; *out must be cleared in any case. */
int layout_source_read(const arguments *args, const char *const *words, unsigned count,
                       layout_source *out);
/* The same of an array and an access that the user did not have to give. */
int layout_source_example(const arguments *args, const char *shared, const char *const *access,
                          layout_source *out);
/* Shows what is wrong in `line` of the file, or in access number `line`, counted from 1. */
int layout_source_complain(const layout_source *from, unsigned line, const smp_error *error);
void layout_source_clear(layout_source *from);
/* True if there is an access in source text, a layout file or an array among the arguments. */
bool layout_source_is_given(const arguments *args);

/* main.c: all command rows; the first is the default. */
const command_row *const *command_rows(size_t *count);
/* Every exit status that there is, for help, man page and tests: number, meaning. */
#define CLI_EXIT_LIST(X)                                                                           \
    X(0, "fine")                                                                                   \
    X(1, "a finding, a line above the gate, or predicted and measured differ")                     \
    X(2, "wrong words on the command line")                                                        \
    X(3, "wrong content, also of an argument; a file that cannot be read or written; a gate that " \
         "could judge nothing")                                                                    \
    X(4, "not permitted: the GPU's counters are locked")                                           \
    X(5, "internal or GPU error")                                                                  \
    X(77, "skipped: no GPU")                                                                       \
    X(130, "interrupted; what was finished stands")
/* say.c: prints "smemprobe: message" on stderr and returns the exit status. */
int complain(const smp_error *error);
/* A line on standard error, without its end; broken where a terminal is narrower. What no terminal
 * should act on, in a file's or a kernel's name, is shown by its number. */
void say_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a text of more lines, to say_close. */
FILE *say_open(void);
void say_close(FILE *out);
/* The exit status of what is wrong in an access, an expression or a file: never that of wrong words
 * on the command line (SMP_E_USAGE), also where the content stands in an argument. */
int content_exit(smp_status status);
/* Prints notes in the same way. */
extern const note_sink say_notes;

#endif
