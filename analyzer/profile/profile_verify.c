/* SPDX-License-Identifier: MIT */
/* Compares a profile with hardware counters. */
#include "profile_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "csv_text.h"
#include "seconds.h"
#include "tool.h"

#define SHARED "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
#define SECTORS "l1tex__t_sectors_pipe_lsu_mem_"

/* A counter: sites of one space with these operations; wavefronts for shared memory, else sectors.
 */
typedef struct counter_row {
    const char *metric, *what;
    smp_space space;
    uint32_t ops; /* bit i: operation i */
    bool is_local;
    const char *part; /* must occur in the machine instruction; NULL for any */
    bool is_without;  /* must not occur */
} counter_row;

#define OP(op) (1u << (op))
#define MATRIX_LOADS                                                                               \
    (OP(SMP_LDMATRIX_X1) | OP(SMP_LDMATRIX_X2) | OP(SMP_LDMATRIX_X4) | OP(SMP_LDMATRIX_X1_TRANS) | \
     OP(SMP_LDMATRIX_X2_TRANS) | OP(SMP_LDMATRIX_X4_TRANS))
#define MATRIX_STORES                                                                              \
    (OP(SMP_STMATRIX_X1) | OP(SMP_STMATRIX_X2) | OP(SMP_STMATRIX_X4) | OP(SMP_STMATRIX_X1_TRANS) | \
     OP(SMP_STMATRIX_X2_TRANS) | OP(SMP_STMATRIX_X4_TRANS))
#define ATOMICS \
    (OP(SMP_ATOM_SHARED) | OP(SMP_ATOM_SHARED_CAS) | OP(SMP_RED_SHARED) | OP(SMP_RED_SHARED_INC))

static const counter_row rows[] = {
    {SHARED "ld.sum", "shared loads", SMP_SPACE_SHARED, .ops = OP(SMP_LD_SHARED) | MATRIX_LOADS},
    {SHARED "st.sum", "shared stores", SMP_SPACE_SHARED, .ops = OP(SMP_ST_SHARED) | MATRIX_STORES},
    {SHARED "atom.sum", "shared atomics", SMP_SPACE_SHARED, .ops = ATOMICS},
    {SECTORS "global_op_ld.sum", "global loads", SMP_SPACE_GLOBAL, .ops = OP(SMP_LD_GLOBAL)},
    {SECTORS "global_op_st.sum", "global stores", SMP_SPACE_GLOBAL, .ops = OP(SMP_ST_GLOBAL)},
    {SECTORS "global_op_red.sum", "global reductions", SMP_SPACE_GLOBAL, .ops = OP(SMP_RED_GLOBAL),
     .part = "ATOM", .is_without = true},
    {SECTORS "global_op_atom.sum", "global atomics", SMP_SPACE_GLOBAL, .ops = OP(SMP_RED_GLOBAL),
     .part = "ATOM"},
    {SECTORS "local_op_ld.sum", "local loads", SMP_SPACE_GLOBAL, .ops = OP(SMP_LD_GLOBAL),
     .is_local = true},
    {SECTORS "local_op_st.sum", "local stores", SMP_SPACE_GLOBAL, .ops = OP(SMP_ST_GLOBAL),
     .is_local = true},
    {SECTORS "dshared_op_ld.sum", "cluster loads", SMP_SPACE_CLUSTER, .ops = OP(SMP_LD_CLUSTER)},
    {SECTORS "dshared_op_st.sum", "cluster stores", SMP_SPACE_CLUSTER, .ops = OP(SMP_ST_CLUSTER)},
};

enum { ROWS = sizeof rows / sizeof rows[0], NONE = -1 };

static const char metrics[] =
    SHARED "ld.sum," SHARED "st.sum," SHARED "atom.sum," SECTORS "global_op_ld.sum," SECTORS
           "global_op_st.sum," SECTORS "global_op_red.sum," SECTORS "global_op_atom.sum," SECTORS
           "local_op_ld.sum," SECTORS "local_op_st.sum," SECTORS "dshared_op_ld.sum," SECTORS
           "dshared_op_st.sum";

static bool is_counted(const counter_row *row, const smp_profile_site *site) {
    if (site->op >= SMP_OP_COUNT || site->space != row->space || site->is_local != row->is_local ||
        !(row->ops >> site->op & 1))
        return false;
    const bool has_part = row->part && site->opcode && strstr(site->opcode, row->part);
    return !row->part || has_part != row->is_without;
}

/* Copies also read global memory, and count among its loads. */
static bool is_copy_read(const counter_row *row, const smp_profile_site *site) {
    return row->ops == OP(SMP_LD_GLOBAL) && !row->is_local && site->space == SMP_SPACE_COPY;
}

static uint64_t predict(const counter_row *row, const smp_kernel_profile *kernel) {
    uint64_t sum = 0;
    EACH(const smp_profile_site, site, kernel->sites, kernel->site_count) {
        if (!site->not_modelled && is_counted(row, site))
            sum += smp_space_has_banks(site->space) ? site->wavefronts : site->sectors;
        if (is_copy_read(row, site) && smp_site_has_sectors(site))
            sum += site->sectors;
    }
    return sum;
}

/* A 16-byte copy bypasses L1: the sum of several lies between two bounds, since sectors in flight
 * are not fetched again (model/FINDINGS.md, 1), so only equality is meaningful. */
static bool is_bypassing_copy(const smp_profile_site *site) {
    return site->space == SMP_SPACE_COPY && site->opcode && strstr(site->opcode, "BYPASS");
}

/* A loop that runs until no other warp has interfered, more often with patches. */
static bool is_retried(const smp_profile_site *site) {
    return site->space == SMP_SPACE_SHARED && site->opcode && strstr(site->opcode, ".SPIN");
}

/* Instructions without figures make all counters of their space incomparable, except copies that
 * write zeros and read nothing, and loads of constants. So do atomics from other blocks, which are
 * executed and counted where the memory is, and in shared memory loops that other warps prolong. */
static bool is_whole(const counter_row *row, const smp_kernel_profile *kernel) {
    EACH(const smp_profile_site, site, kernel->sites, kernel->site_count) {
        const bool counts = site->space == row->space && site->is_local == row->is_local;
        const bool is_fill = site->space == SMP_SPACE_COPY && site->op == SMP_OP_COUNT;
        if (site->not_modelled && !is_fill && !smp_site_is_constant(site) &&
            (counts || is_copy_read(row, site)))
            return false;
        if (is_copy_read(row, site) && is_bypassing_copy(site))
            return false;
        if (row->ops == ATOMICS && site->op == SMP_ATOM_CLUSTER)
            return false;
        if (row->space == SMP_SPACE_SHARED && is_retried(site))
            return false;
    }
    return !kernel->not_seen;
}

/* ---- The counted run ---- */

typedef struct tally {
    uint64_t launches;
    double sums[ROWS];
    bool known[ROWS];
} tally;

typedef struct table {
    const smp_profile *profile;
    tally *tallies; /* by kernel of the profile */
    int name;       /* column numbers; NONE before the header */
    int column[ROWS];
    size_t width;
} table;

static bool take_header(table *in, const csv_row *row) {
    if (csv_find(row, "ID") == NONE || csv_find(row, "Kernel Name") == NONE)
        return false;
    in->name = csv_find(row, "Kernel Name");
    in->width = row->count;
    for (int i = 0; i < ROWS; i++)
        in->column[i] = csv_find(row, rows[i].metric);
    return true;
}

static void take_launch(table *in, const csv_row *row) {
    double value;
    const char *name = row->cells[in->name];
    for (uint32_t k = 0; k < in->profile->kernel_count; k++) {
        if (strcmp(in->profile->kernels[k].name, name) != 0)
            continue;
        tally *to = &in->tallies[k];
        to->launches++;
        for (int i = 0; i < ROWS; i++) {
            if (in->column[i] != NONE &&
                csv_count(row->cells[in->column[i]], &value) == CSV_VALUE) {
                to->sums[i] += value;
                to->known[i] = true;
            }
        }
    }
}

static smp_status read_table(table *in, char *csv, size_t length, smp_error *error) {
    csv_text text = {csv, csv + length, 1};
    csv_row row = {0};
    smp_status status = SMP_OK;
    in->name = NONE;
    for (;;) {
        status = csv_next(&text, &row, error);
        if (status != SMP_OK || row.count == 0)
            break;
        if (!take_header(in, &row) && in->name != NONE && row.count == in->width)
            take_launch(in, &row);
    }
    free(row.cells);
    if (status == SMP_OK && in->name == NONE)
        status = smp_error_set(error, SMP_E_SYNTAX, -1, "Nsight Compute wrote no table");
    return status;
}

/* True if a run of the profile observed what the counter counts. */
static bool was_looked_at(const smp_profile *profile, const counter_row *row) {
    const char *needed = row->is_local                    ? "local"
                         : row->space == SMP_SPACE_GLOBAL ? "global"
                                                          : "shared";
    for (uint32_t i = 0; i < profile->run_count; i++) {
        const char *memory = profile->runs[i].memory;
        if (!memory || strcmp(memory, needed) == 0)
            return true;
    }
    return profile->run_count == 0;
}

/* ---- The comparison ---- */

/* A called function's kernel is unknown. */
static bool has_called_functions(const smp_profile *profile) {
    return ANY(one, profile->kernels, profile->kernel_count, smp_kernel_is_called(one));
}

/* Of several kernels with one name, nobody knows which of them were counted. */
static bool has_twin(const smp_profile *profile, const smp_kernel_profile *kernel) {
    return ANY(each, profile->kernels, profile->kernel_count,
               each != kernel && strcmp(each->name, kernel->name) == 0);
}

static smp_agreement judge(const smp_verified *row) {
    if (row->launches_counted != row->kernel->launches)
        return SMP_OTHER_RUN;
    if (row->equal == row->counts)
        return SMP_AGREES;
    if (!row->is_comparable)
        return SMP_INCOMPLETE;
    return row->is_shared && row->counted >= row->predicted &&
                   (double)row->counted_most <= 1.15 * (double)row->predicted
               ? SMP_ABOVE
               : SMP_DIFFERS;
}

static void compare(const table *in, uint32_t k, smp_verification *out) {
    const smp_kernel_profile *kernel = &in->profile->kernels[k];
    const tally *counted = &in->tallies[k];
    if (counted->launches == 0) {
        out->kernels_not_counted++;
        return;
    }
    for (int i = 0; i < ROWS; i++) {
        smp_verified row = {.kernel = kernel,
                            .what = rows[i].what,
                            .predicted = predict(&rows[i], kernel),
                            .counted = (uint64_t)(counted->sums[i] + 0.5),
                            .counts = 1,
                            .launches_counted = counted->launches};
        if (!counted->known[i] || (row.predicted == 0 && row.counted == 0) ||
            !was_looked_at(in->profile, &rows[i]))
            continue;
        row.is_shared = rows[i].space == SMP_SPACE_SHARED;
        row.unit = row.is_shared ? "wavefronts" : "sectors";
        row.counted_most = row.counted;
        row.equal = row.counted == row.predicted;
        row.is_comparable = is_whole(&rows[i], kernel) && !has_called_functions(in->profile) &&
                            !has_twin(in->profile, kernel);
        row.agreement = judge(&row);
        out->count[row.agreement]++;
        out->rows[out->row_count++] = row;
    }
}

smp_status smp_profile_verify(const smp_profile *profile, char *csv, size_t length,
                              smp_verification *out, smp_error *error) {
    table in = {.profile = profile, .tallies = calloc(profile->kernel_count + 1, sizeof(tally))};
    memset(out, 0, sizeof *out);
    out->rows = calloc((size_t)profile->kernel_count * ROWS + 1, sizeof *out->rows);
    smp_status status =
        in.tallies && out->rows ? read_table(&in, csv, length, error) : smp_error_memory(error);
    for (uint32_t k = 0; status == SMP_OK && k < profile->kernel_count; k++)
        compare(&in, k, out);
    free(in.tallies);
    return status;
}

static const smp_verified *find_row(const smp_verification *in, const smp_verified *like) {
    return FIND(one, in->rows, in->row_count,
                one->kernel == like->kernel && one->what == like->what);
}

void smp_verification_join(smp_verification *to, const smp_verification *another) {
    EACH(smp_verified, row, to->rows, to->row_count) {
        const smp_verified *more = find_row(another, row);
        if (!more)
            continue;
        row->counts += more->counts;
        row->equal += more->equal;
        row->counted = more->counted < row->counted ? more->counted : row->counted;
        row->counted_most =
            more->counted_most > row->counted_most ? more->counted_most : row->counted_most;
        if (more->launches_counted != row->kernel->launches)
            row->launches_counted = more->launches_counted;
        to->count[row->agreement]--;
        row->agreement = judge(row);
        to->count[row->agreement]++;
    }
}

bool smp_verification_is_open(const smp_verification *verification) {
    return verification->count[SMP_ABOVE] > 0 || verification->count[SMP_DIFFERS] > 0;
}

void smp_verification_clear(smp_verification *verification) {
    free(verification->rows);
    memset(verification, 0, sizeof *verification);
}

static double above(const smp_verified *row, uint64_t counted) {
    return row->predicted > 0
               ? 100.0 * ((double)counted - (double)row->predicted) / (double)row->predicted
               : 100.0;
}

/* For sums above: all counts alike, some equal, or all different. */
static int above_words(const smp_verified *row, char *text, size_t size) {
    static const char why[] = "passes lost in arbitration, by their size";
    const double least = above(row, row->counted), most = above(row, row->counted_most);
    if (row->counted == row->counted_most)
        return snprintf(text, size, "%.2f %% above%s: %s", most,
                        row->counts > 1 ? " in each count" : "", why);
    if (row->equal > 0)
        return snprintf(text, size,
                        "equal in %" PRIu32 " of %" PRIu32 " counts, up to %.2f %% above: %s",
                        row->equal, row->counts, most, why);
    return snprintf(text, size, "%.2f to %.2f %% above in %" PRIu32 " counts: %s", least, most,
                    row->counts, why);
}

size_t smp_verified_words(const smp_verified *row, char *text, size_t size) {
    const double least = above(row, row->counted), most = above(row, row->counted_most);
    int length = 0;
    switch (row->agreement) {
    case SMP_AGREES:
        length = snprintf(text, size, "equal");
        break;
    case SMP_ABOVE:
        length = above_words(row, text, size);
        break;
    case SMP_DIFFERS:
        length = row->counted == row->counted_most
                     ? snprintf(text, size, "differs by %+.2f %%", least)
                     : snprintf(text, size, "differs by %+.2f to %+.2f %% in %" PRIu32 " counts%s",
                                least, most, row->counts,
                                row->is_shared && least > 0
                                    ? ": what varies are passes lost, in arbitration or to lines "
                                      "that arrive in L1"
                                    : "");
        break;
    case SMP_OTHER_RUN:
        length =
            snprintf(text, size, "not compared: %" PRIu64 " launches counted, %" PRIu64 " seen",
                     row->launches_counted, row->kernel->launches);
        break;
    case SMP_INCOMPLETE:
        length = snprintf(text, size,
                          "not compared: parts have no rule, were not seen, are called functions, "
                          "come from other blocks, are copies after others, or loops that other "
                          "warps prolong; or several kernels have this name");
        break;
    }
    return length > 0 ? (size_t)length : 0;
}

/* ---- The program once more, under Nsight Compute ---- */

/* Counted COUNTS times if a sum differs: arbitration varies each time. But no count begins after
 * COUNTED_SECONDS. */
enum { WORDS_MOST = 17, COUNTS = 3, COUNTED_SECONDS = 60, WHICH_BYTES = 512 };

/* Above it, all launches are counted. */
enum { LAUNCHES_MOST = 999999 };

void smp_verify_launches(uint64_t launches, text_buffer *out) {
    char digits[32];
    const int count = snprintf(digits, sizeof digits, "%" PRIu64, launches);
    text_add(out, ":::"); /* any context, stream and name */
    for (int length = 1; length < count; length++)
        text_add(out, "[1-9]%.*s|", (length - 1) * 5, "[0-9][0-9][0-9][0-9][0-9]");
    for (int same = 0; same < count; same++) { /* the digits before are as given, this one lower */
        const char least = same == 0 ? '1' : '0';
        if (digits[same] > least)
            text_add(out, "%.*s[%c-%c]%.*s|", same, digits, least, digits[same] - 1,
                     (count - same - 1) * 5, "[0-9][0-9][0-9][0-9][0-9]");
    }
    text_add(out, "%s", digits);
}

/* Counts the first `launches` launches of each kernel; all of them if 0. ncu's own words, then the
 * program's. */
static smp_status count(char *const argv[], const char *ncu, const char *log, uint64_t launches,
                        smp_error *error) {
    char which[WHICH_BYTES];
    text_buffer text = TEXT_BUFFER(which);
    const bool is_all = launches == 0 || launches > LAUNCHES_MOST;
    if (!is_all)
        smp_verify_launches(launches, &text);
    const char *const words[WORDS_MOST] = {ncu,
                                           "--csv",
                                           "--page",
                                           "raw",
                                           "--print-units",
                                           "base",
                                           "--print-kernel-base",
                                           "mangled",
                                           "--target-processes",
                                           "all",
                                           "--force-overwrite",
                                           "--log-file",
                                           log,
                                           "--metrics",
                                           metrics,
                                           "--kernel-id",
                                           which};
    const size_t before = is_all ? WORDS_MOST - 2 : WORDS_MOST;
    child_end end;
    size_t program = 0;
    while (argv[program])
        program++;
    char **all = calloc(before + program + 1, sizeof *all);
    if (!all)
        return smp_error_memory(error);
    for (size_t i = 0; i < before; i++)
        all[i] = (char *)(uintptr_t)words[i];
    memcpy(all + before, argv, program * sizeof *all);
    smp_status status = child_run(all, NULL, "/dev/null", &end, error);
    free(all);
    return status;
}

/* Finds ncu's error: "==ERROR== ERR_NVGPUCTRPERM - ..." if the counters are locked
 * (developer.nvidia.com/ERR_NVGPUCTRPERM), or why it did not start. */
static smp_status check_log(const char *log, smp_error *error) {
    const char *wrong = strstr(log, "==ERROR==");
    if (strstr(log, "ERR_NVGPUCTRPERM"))
        return smp_error_set(
            error, SMP_E_COUNTERS_LOCKED, -1,
            "--verify: the GPU's counters are locked for this user: be root, give the container "
            "--cap-add SYS_ADMIN, or load the nvidia module with "
            "NVreg_RestrictProfilingToAdminUsers=0; the profile itself needed none of them");
    if (wrong && !strstr(log, "\"ID\"")) {
        wrong += strspn(wrong + strlen("==ERROR=="), " ") + strlen("==ERROR==");
        return smp_error_set(error, SMP_E_READ, -1, "--verify: ncu: %.*s",
                             (int)(strcspn(wrong, "\n") < 160 ? strcspn(wrong, "\n") : 160), wrong);
    }
    return SMP_OK;
}

/* One run under the counters, into `log`. */
static smp_status count_once(char *const argv[], const char *ncu, const char *log,
                             const smp_profile *profile, uint64_t launches, smp_verification *out,
                             smp_error *error) {
    char *csv = NULL;
    size_t length = 0;
    const bool has_failed = count(argv, ncu, log, launches, error) ||
                            smp_tool_read(log, &csv, &length, error) || check_log(csv, error) ||
                            smp_profile_verify(profile, csv, length, out, error);
    free(csv);
    return has_failed ? error->status : SMP_OK;
}

smp_status profile_count(char *const argv[], const smp_profile *profile, uint64_t launches,
                         smp_verification *out, unsigned *counts, smp_error *error) {
    char ncu[4096], log[4096] = "";
    const double start = seconds_now();
    smp_status status = smp_tool_find("ncu", ncu, sizeof ncu, error);
    if (status == SMP_OK)
        status = smp_tool_file("", 0, ".csv", log, sizeof log, error);
    if (status == SMP_OK)
        status = count_once(argv, ncu, log, profile, launches, out, error);
    for (*counts = 1; status == SMP_OK && smp_verification_is_open(out) && *counts < COUNTS &&
                      seconds_now() < start + COUNTED_SECONDS;
         ++*counts) {
        smp_verification again = {0};
        status = count_once(argv, ncu, log, profile, launches, &again, error);
        if (status == SMP_OK)
            smp_verification_join(out, &again);
        smp_verification_clear(&again);
    }
    if (log[0] != '\0')
        smp_tool_file_remove(log);
    return status;
}
