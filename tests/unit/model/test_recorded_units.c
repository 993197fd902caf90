/* SPDX-License-Identifier: MIT */
/*
 * What was counted on a GPU of loads inside L1, of copies past it, of
 * reductions, textures and constants, of atomics that are loops, of operands that the tensor cores
 * read by themselves and of bulk copies, against the model. Every folder of probes/recorded with
 * such files takes part: random is the H200's, the others are what script/evidence left elsewhere.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "past_l1.h"
#include "reference.h"
#include "suite.h"

enum { LINE_BYTES = 8192, FIELDS_MAX = 48 };

typedef struct csv_file {
    FILE *file;
    char line[LINE_BYTES];
    char *names[FIELDS_MAX], *fields[FIELDS_MAX];
    char header[LINE_BYTES];
    size_t count;
    uint64_t base; /* "# base: N", where the addresses begin */
} csv_file;

static size_t split(char *line, char **fields, char separator) {
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && count < FIELDS_MAX; count++) {
        fields[count] = at;
        at = strchr(at, separator);
        if (at)
            *at++ = '\0';
    }
    return count;
}

/* The next row; false at the end. */
static bool next_row(csv_file *csv) {
    while (fgets(csv->line, sizeof csv->line, csv->file)) {
        if (sscanf(csv->line, "# base: %" SCNu64, &csv->base) == 1 || csv->line[0] == '#')
            continue;
        if (csv->count == 0) {
            memcpy(csv->header, csv->line, sizeof csv->header);
            csv->count = split(csv->header, csv->names, ',');
            continue;
        }
        ck_assert_uint_eq(split(csv->line, csv->fields, ','), csv->count);
        return true;
    }
    return false;
}

/* The folders of GPUs; the two that are ours come first. */
enum { FOLDERS_MAX = 16, RANDOM = 1, BOTH = 2 };
static char folders[FOLDERS_MAX][128] = {"h100", "random"};
static int folder_count = BOTH;

static bool is_listed(const char *name) {
    for (int i = 0; i < folder_count; i++)
        if (strcmp(folders[i], name) == 0)
            return true;
    return false;
}

static void find_folders(void) {
    DIR *all = opendir(SMP_RECORDED_FOLDER);
    for (struct dirent *entry; all && (entry = readdir(all)) && folder_count < FOLDERS_MAX;)
        if (!strchr(entry->d_name, '.') && strcmp(entry->d_name, "programs") != 0 &&
            !is_listed(entry->d_name))
            snprintf(folders[folder_count++], sizeof folders[0], "%.127s", entry->d_name);
    if (all)
        (void)closedir(all);
}

/* NULL where another GPU's folder has no such file. */
static csv_file *open_csv(int folder, const char *name) {
    static csv_file csv;
    char path[1024];
    memset(&csv, 0, sizeof csv);
    snprintf(path, sizeof path, "%s/%s/%s", SMP_RECORDED_FOLDER, folders[folder], name);
    csv.file = fopen(path, "r");
    ck_assert_msg(csv.file || folder >= BOTH, "%s: cannot be read", path);
    return csv.file ? &csv : NULL;
}

/* Checks that it had at least this many rows. */
static void close_csv(csv_file *csv, size_t rows, size_t at_least) {
    if (!csv)
        return;
    (void)fclose(csv->file);
    ck_assert_uint_ge(rows, at_least);
}

static const char *field(const csv_file *csv, const char *name) {
    for (size_t i = 0; i < csv->count; i++)
        if (strcmp(csv->names[i], name) == 0)
            return csv->fields[i];
    ck_abort_msg("no column %s", name);
    return NULL;
}

static double number(const csv_file *csv, const char *name) {
    return strtod(field(csv, name), NULL);
}

#define WAVES "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum"
#define READS "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_read.sum"
#define WRITES "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_write.sum"
#define TAGS "l1tex__t_output_wavefronts_pipe_lsu.sum"
#define SECTORS "l1tex__t_sectors_pipe_lsu.sum"

/* One number per lane. */
static void lane_numbers(const csv_file *csv, const char *name, uint64_t numbers[SMP_LANES]) {
    char *lanes[FIELDS_MAX + 1];
    char text[LINE_BYTES];
    snprintf(text, sizeof text, "%s", field(csv, name));
    ck_assert_uint_eq(split(text, lanes, ' '), SMP_LANES);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        numbers[lane] = strtoull(lanes[lane], NULL, 10);
}

/* The access of a row; addresses count from the file's base, offsets wrap after 48 KiB. */
static smp_access access_of(const csv_file *csv, smp_op op) {
    smp_access access = {.op = op,
                         .width_bytes = (uint32_t)number(csv, "width"),
                         .active_mask = (uint32_t)strtoul(field(csv, "mask"), NULL, 16)};
    uint64_t offsets[SMP_LANES];
    lane_numbers(csv, "addresses", access.address_bytes);
    lane_numbers(csv, "offsets", offsets);
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        access.address_bytes[lane] += csv->base;
        access.offset_bytes[lane] = (uint32_t)offsets[lane] % (48u << 10);
    }
    return access;
}

static smp_op copy_through_l1(const csv_file *csv) {
    return number(csv, "width") == 16 ? SMP_CP_ASYNC_CA : SMP_CP_ASYNC;
}

/* The file may hold other instructions, too. */
START_TEST(loads_inside_l1) {
    csv_file *csv = open_csv(_i, "l1-sm90.csv");
    const smp_arch *arch = smp_arch_find("sm_90");
    size_t rows = 0;
    while (csv && next_row(csv)) {
        if (strcmp(field(csv, "instruction"), "ld.global") != 0)
            continue;
        rows++;
        const smp_access access = access_of(csv, SMP_LD_GLOBAL);
        smp_counts counts;
        smp_l1_counts l1;
        ck_assert_int_eq(smp_predict(arch, &access, &counts), SMP_OK);
        ck_assert_int_eq(smp_l1_predict(arch, &access, &l1), SMP_OK);
        ck_assert_double_eq(number(csv, SECTORS " x1"), counts.transactions);
        ck_assert_double_eq(number(csv, TAGS " x1"), l1.tag_wavefronts);
        ck_assert_double_eq(number(csv, WAVES " x1"), l1.miss_wavefronts);
        ck_assert_double_eq(number(csv, WAVES " x2") - number(csv, WAVES " x1"), l1.hit_wavefronts);
        ck_assert_double_eq(number(csv, WAVES " x3") - number(csv, WAVES " x2"), l1.hit_wavefronts);
    }
    close_csv(csv, rows, 500);
}
END_TEST

/* Lanes in whose 32 bytes one of `warm` has been. */
static uint32_t present_lanes(const smp_access *access, uint32_t warm) {
    uint32_t present = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        for (unsigned other = 0; other < SMP_LANES; other++)
            if (warm >> other & 1 &&
                access->address_bytes[other] / 32 == access->address_bytes[lane] / 32)
                present |= 1u << lane;
    return present;
}

/* The value of counter `name` for execution `n`, from 1. */
static double step(const csv_file *csv, const char *name, unsigned n) {
    char after[128], before[128];
    snprintf(after, sizeof after, "%s x%u", name, n);
    snprintf(before, sizeof before, "%s x%u", name, n - 1);
    return number(csv, after) - number(csv, before);
}

/* Of 3,280 measured rows, six were one or two passes higher (model/FINDINGS.md, 9); a file may
 * have two such rows. */
START_TEST(lines_partly_in_l1) {
    static const char *const names[] = {"l1-mixed-sm90.csv", "l1-copied-sm90.csv"};
    static const char *const counters[] = {WAVES, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"};
    const bool is_copy = _i % 2 != 0;
    csv_file *csv = open_csv(_i / 2, names[is_copy]);
    const smp_arch *arch = smp_arch_find("sm_90");
    size_t rows = 0, above = 0;
    for (; csv && next_row(csv); rows++) {
        const smp_access access = access_of(csv, is_copy ? copy_through_l1(csv) : SMP_LD_GLOBAL);
        const uint32_t warm = (uint32_t)strtoul(field(csv, "warm"), NULL, 16);
        for (unsigned n = 1; n <= 3; n++) {
            const uint32_t present = n == 1 ? present_lanes(&access, warm) : SMP_ALL_LANES;
            double counted = step(csv, counters[is_copy], n);
            uint32_t wavefronts;
            if (is_copy)
                counted -= step(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum", n);
            ck_assert_int_eq(smp_l1_partly_predict(arch, &access, present, &wavefronts), SMP_OK);
            above += n == 1 && counted > wavefronts && counted <= wavefronts + 2;
            ck_assert_msg(counted == wavefronts || (n == 1 && counted > wavefronts && above <= 2),
                          "row %zu, execution %u: %.0f counted, %u predicted", rows, n, counted,
                          (unsigned)wavefronts);
        }
    }
    close_csv(csv, rows, 180);
}
END_TEST

/* Two wavefronts of the tag stage are those of the wait for the copy. */
START_TEST(copies_past_l1) {
    csv_file *csv = open_csv(_i, "bypass-sm90.csv");
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        const smp_access access = access_of(csv, SMP_CP_ASYNC);
        smp_bypass_counts copy;
        ck_assert_int_eq(smp_copy_bypass_predict(smp_arch_find("sm_90"), &access, &copy), SMP_OK);
        ck_assert_double_eq(step(csv, SECTORS, 2), copy.sectors);
        ck_assert_double_eq(step(csv, TAGS, 2), copy.tag_wavefronts + 2.0);
    }
    close_csv(csv, rows, 60);
}
END_TEST

/* The cost of one copy, from launches of three and of six. */
static double of_one(const csv_file *csv, const char *metric) {
    char three[120], six[120];
    (void)snprintf(three, sizeof three, "%s x3", metric);
    (void)snprintf(six, sizeof six, "%s x6", metric);
    return (number(csv, six) - number(csv, three)) / 3;
}

/* No wavefront, no conflict, and the sectors of the rule. */
START_TEST(copies_past_l1_take_no_wavefront) {
    csv_file *csv = open_csv(RANDOM, "copy-counters-sm90.csv");
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        const smp_access access = access_of(csv, SMP_CP_ASYNC);
        smp_counts counts;
        ck_assert_int_eq(smp_predict(smp_arch_find("sm_90"), &access, &counts), SMP_OK);
        ck_assert_double_eq(
            of_one(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum") -
                of_one(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum"),
            counts.wavefronts_max);
        ck_assert_double_eq(of_one(csv, "l1tex__data_bank_conflicts_pipe_lsu.sum"), counts.excess);
        ck_assert_double_eq(of_one(csv, SECTORS), counts.transactions);
    }
    close_csv(csv, rows, 300);
}
END_TEST

/* Sets of three copies that differ in nothing but the banks that they write take the same time: one
 * and the same place of each line, places turned by the line's number, or drawn. */
START_TEST(banks_of_copies_past_l1_cost_no_time) {
    csv_file *csv = open_csv(RANDOM, "copy-clocks-sm90.csv");
    double least = 0, most = 0;
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        const double cycles = number(csv, "alone");
        least = rows % 3 == 0 || cycles < least ? cycles : least;
        most = rows % 3 == 0 || cycles > most ? cycles : most;
        ck_assert_msg(most - least < 0.1, "row %zu: %.2f to %.2f cycles", rows, least, most);
    }
    close_csv(csv, rows, 180);
}
END_TEST

/* A copy right behind another of the same lines finds them on their way, and costs what the first
 * one did; later both find them in L1. */
START_TEST(copies_behind_others) {
    csv_file *csv = open_csv(RANDOM, "l1-twice-sm90.csv");
    const smp_arch *arch = smp_arch_find("sm_90");
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        const smp_access access = access_of(csv, SMP_CP_ASYNC);
        const uint32_t warm = (uint32_t)strtoul(field(csv, "warm"), NULL, 16);
        for (unsigned n = 1; n <= 3; n++) {
            const uint32_t present = n == 1 ? present_lanes(&access, warm) : SMP_ALL_LANES;
            const double counted =
                step(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", n) -
                step(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum", n);
            uint32_t wavefronts;
            ck_assert_int_eq(smp_l1_partly_predict(arch, &access, present, &wavefronts), SMP_OK);
            ck_assert_double_eq(counted, 2.0 * wavefronts);
        }
    }
    close_csv(csv, rows, 120);
}
END_TEST

/* A warp's local memory begins as many lines behind that of the slot before as it has. */
START_TEST(loads_of_local_memory) {
    enum { THREAD_BYTES = 2624 }; /* of the kernel of l1_more.cu, as compiled for the file */
    csv_file *csv = open_csv(RANDOM, "local-sm90.csv");
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        const smp_access access = access_of(csv, SMP_LD_GLOBAL);
        for (unsigned n = 1; n <= 3; n++) {
            char tags[64], waves[64], place[16];
            (void)snprintf(tags, sizeof tags, TAGS " x%u", n);
            (void)snprintf(waves, sizeof waves, WAVES " x%u", n);
            (void)snprintf(place, sizeof place, "place x%u", n);
            const unsigned slot = (unsigned)number(csv, place) % 256;
            const reference_units local = reference_local(&access, slot * THREAD_BYTES / 4);
            ck_assert_double_eq(step(csv, SECTORS, n), local.sectors);
            ck_assert_double_eq(number(csv, tags) - number(csv, TAGS " x0"), n * local.tag);
            ck_assert_double_eq(number(csv, waves) - number(csv, WAVES " x0"),
                                local.tag + (n - 1.0) * local.data);
        }
    }
    close_csv(csv, rows, 240);
}
END_TEST

START_TEST(reductions_inside_l1) {
    csv_file *csv = open_csv(_i, "red-sm90.csv");
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        const smp_access access = access_of(csv, SMP_RED_GLOBAL);
        const reference_units reduction = reference_reduction(&access);
        smp_counts counts;
        ck_assert_int_eq(smp_predict(smp_arch_find("sm_90"), &access, &counts), SMP_OK);
        ck_assert_double_eq(step(csv, WAVES, 2), reduction.data);
        ck_assert_double_eq(step(csv, TAGS, 2), reduction.tag);
        ck_assert_double_eq(step(csv, SECTORS, 2), counts.transactions);
    }
    close_csv(csv, rows, 60);
}
END_TEST

/* `and`, whose old value is used. */
START_TEST(atomics_inside_l1) {
    csv_file *csv = open_csv(_i, "atom-sm90.csv");
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        const smp_access access = access_of(csv, SMP_RED_GLOBAL);
        const reference_units atomic = reference_reduction(&access);
        ck_assert_double_eq(step(csv, WRITES, 2), atomic.data);
        ck_assert_double_eq(step(csv, READS, 2), atomic.returned);
        ck_assert_double_eq(step(csv, TAGS, 2), atomic.tag);
    }
    close_csv(csv, rows, 60);
}
END_TEST

START_TEST(textures_in_linear_memory) {
    csv_file *csv = open_csv(_i, "texture-sm90.csv");
    size_t rows = 0;
    while (csv && next_row(csv)) {
        const smp_access access = access_of(csv, SMP_LD_GLOBAL);
        rows++;
        smp_texture_counts texture;
        ck_assert_int_eq(smp_texture_predict(smp_arch_find("sm_90"), &access, &texture), SMP_OK);
        for (unsigned n = 1; n <= 3; n++) {
            ck_assert_double_eq(step(csv, "l1tex__t_requests_pipe_tex.sum", n), texture.requests);
            ck_assert_double_eq(step(csv, "l1tex__t_sectors_pipe_tex.sum", n), texture.sectors);
            ck_assert_double_eq(step(csv, "l1tex__t_output_wavefronts_pipe_tex.sum", n),
                                texture.tag_wavefronts);
            const double data = step(csv, "l1tex__data_pipe_tex_wavefronts.sum", n);
            ck_assert(data == texture.data_wavefronts ||
                      (n == 1 && data == texture.data_wavefronts + 1));
        }
    }
    close_csv(csv, rows, 180);
}
END_TEST

/* From the second execution on: the first also fetches what else the code needs. */
START_TEST(constants_by_lane) {
    csv_file *csv = open_csv(_i, "constant-sm90.csv");
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        smp_access access = access_of(csv, SMP_LD_GLOBAL);
        uint32_t requests;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            access.address_bytes[lane] = (access.address_bytes[lane] - csv->base) % (64u << 10);
        ck_assert_int_eq(smp_constant_requests(smp_arch_find("sm_90"), &access, &requests), SMP_OK);
        ck_assert_double_eq(step(csv, "idc__requests.sum", 2), requests);
        ck_assert_double_eq(step(csv, "idc__requests.sum", 3), requests);
    }
    close_csv(csv, rows, 180);
}
END_TEST

/* Lane 0 adds 0 in the program that wrote the file. */
START_TEST(atomics_that_are_loops) {
    csv_file *csv = open_csv(_i, "atomic-loops-sm90.csv");
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        const smp_access access = access_of(csv, SMP_ATOM_SHARED);
        smp_loop_counts loop;
        ck_assert_int_eq(smp_atomic_loop_predict(smp_arch_find("sm_90"), &access, 1, &loop),
                         SMP_OK);
        ck_assert_double_eq(number(csv, "smsp__inst_executed_op_shared_atom.sum"), loop.turns);
        ck_assert_double_eq(number(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"),
                            loop.atomic_wavefronts);
        ck_assert_double_eq(number(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
                            loop.load_wavefronts);
    }
    close_csv(csv, rows, 300);
}
END_TEST

START_TEST(other_chips_and_operations_are_refused) {
    smp_access access = {.op = SMP_ST_GLOBAL, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
    smp_l1_counts l1;
    uint32_t wavefronts;
    ck_assert_int_eq(smp_l1_predict(smp_arch_find("sm_90"), &access, &l1), SMP_E_NOT_MODELLED);
    access.op = SMP_LD_GLOBAL;
    ck_assert_int_eq(smp_l1_predict(smp_arch_find("sm_80"), &access, &l1), SMP_E_NOT_MODELLED);
    uint32_t count;
    smp_loop_counts loop;
    smp_texture_counts texture;
    const smp_arch *older = smp_arch_find("sm_80"), *measured = smp_arch_find("sm_90");
    ck_assert_int_eq(smp_l1_partly_predict(older, &access, 0, &count), SMP_E_NOT_MODELLED);
    ck_assert_int_eq(smp_texture_predict(older, &access, &texture), SMP_E_NOT_MODELLED);
    ck_assert_int_eq(smp_constant_requests(older, &access, &count), SMP_E_NOT_MODELLED);
    ck_assert_int_eq(smp_atomic_loop_predict(measured, &access, 0, &loop), SMP_E_NOT_MODELLED);
    access.op = SMP_RED_SHARED;
    ck_assert_int_eq(smp_atomic_loop_predict(measured, &access, 0, &loop), SMP_OK);
    ck_assert_int_eq(smp_atomic_loop_predict(older, &access, 0, &loop), SMP_E_NOT_MODELLED);
    ck_assert_int_eq(smp_texture_predict(measured, &access, &texture), SMP_E_NOT_MODELLED);
    ck_assert_int_eq(smp_l1_partly_predict(measured, &access, 0, &count), SMP_E_NOT_MODELLED);
    smp_bypass_counts copy;
    ck_assert_int_eq(smp_copy_bypass_predict(measured, &access, &copy), SMP_E_NOT_MODELLED);
    access.op = SMP_CP_ASYNC;
    ck_assert_int_eq(smp_copy_bypass_predict(measured, &access, &copy), SMP_E_NOT_MODELLED);
    access.width_bytes = 16;
    ck_assert_int_eq(smp_copy_bypass_predict(measured, &access, &copy), SMP_OK);
    ck_assert_int_eq(smp_copy_bypass_predict(older, &access, &copy), SMP_E_NOT_MODELLED);
    access.op = SMP_LD_GLOBAL;
    access.width_bytes = 2;
    ck_assert_int_eq(smp_texture_predict(measured, &access, &texture), SMP_OK);
    ck_assert_int_eq(smp_constant_requests(measured, &access, &count), SMP_E_NOT_MODELLED);
    access.width_bytes = 4;
    access.address_bytes[3] = UINT64_C(1) << 36;
    ck_assert_int_eq(smp_l1_predict(smp_arch_find("sm_90"), &access, &l1), SMP_E_NOT_MODELLED);
    access.address_bytes[3] = 2;
    ck_assert_int_eq(smp_l1_predict(smp_arch_find("sm_90"), &access, &l1),
                     smp_access_check(smp_arch_find("sm_90"), &access, NULL));
    ck_assert_int_eq(smp_wgmma_wavefronts(smp_arch_find("sm_80"), 64, true, &wavefronts),
                     SMP_E_OP_UNAVAILABLE);
    const uint32_t not_columns[] = {0, 4, 60, 264};
    for (size_t i = 0; i < sizeof not_columns / sizeof not_columns[0]; i++)
        ck_assert_int_eq(
            smp_wgmma_wavefronts(smp_arch_find("sm_90"), not_columns[i], true, &wavefronts),
            SMP_E_NOT_MODELLED);
}
END_TEST

START_TEST(what_is_no_access_is_refused) {
    smp_access access = {.op = SMP_LD_GLOBAL, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
    const smp_arch *measured = smp_arch_find("sm_90");
    uint32_t count;
    smp_loop_counts loop;
    smp_texture_counts texture;
    access.address_bytes[3] = UINT64_C(1) << 40; /* no tag is known so far away */
    ck_assert_int_eq(smp_l1_partly_predict(measured, &access, 0, &count), SMP_E_NOT_MODELLED);
    access.address_bytes[3] = access.offset_bytes[3] = 2;
    ck_assert_int_eq(smp_l1_partly_predict(measured, &access, 0, &count), SMP_E_MISALIGNED);
    ck_assert_int_eq(smp_texture_predict(measured, &access, &texture), SMP_E_MISALIGNED);
    access.op = SMP_ATOM_SHARED;
    ck_assert_int_eq(smp_atomic_loop_predict(measured, &access, 0, &loop), SMP_E_MISALIGNED);
    ck_assert_uint_eq(loop.turns, 0);
    smp_bypass_counts copy;
    access.op = SMP_CP_ASYNC;
    ck_assert_int_eq(smp_copy_bypass_predict(measured, &access, &copy), SMP_E_MISALIGNED);
    access.op = SMP_ATOM_SHARED;
    access.width_bytes = 2;
    ck_assert_int_eq(smp_atomic_loop_predict(measured, &access, 0, &loop), SMP_E_NOT_MODELLED);
}
END_TEST

START_TEST(operands_of_wgmma) {
    csv_file *csv = open_csv(_i, "wgmma-sm90.csv");
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        uint32_t wavefronts;
        ck_assert_int_eq(smp_wgmma_wavefronts(smp_arch_find("sm_90"),
                                              (uint32_t)number(csv, "columns"),
                                              strcmp(field(csv, "a"), "shared") == 0, &wavefronts),
                         SMP_OK);
        ck_assert_double_eq(number(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum"),
                            wavefronts);
        ck_assert_double_eq(
            number(csv, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma.sum"), 0);
        ck_assert_double_eq(number(csv, "l1tex__data_bank_reads.sum"), 32.0 * wavefronts);
    }
    close_csv(csv, rows, 290);
}
END_TEST

/* Each bank is touched once for 4 bytes, whatever the swizzle. */
START_TEST(copies_in_bulk) {
    static const char *const names[] = {"tensor-copies-sm90.csv", "bulk-copies-sm90.csv"};
    csv_file *csv = open_csv(_i / 2, names[_i % 2]);
    size_t rows = 0;
    for (; csv && next_row(csv); rows++) {
        const bool is_in = strcmp(field(csv, "way"), "in") == 0;
        const double words = number(csv, "bytes") / 4;
        ck_assert_double_eq(number(csv, "l1tex__data_bank_writes.sum"), is_in ? words : 0);
        ck_assert_double_eq(number(csv, "l1tex__data_bank_reads.sum"), is_in ? 0 : words);
        ck_assert_double_eq(number(csv, "l1tex__data_bank_conflicts_pipe_lsu.sum"), 0);
        ck_assert_double_eq(number(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), 0);
    }
    close_csv(csv, rows, 280);
}
END_TEST

int main(void) {
    find_folders();
    return SUITE(
        "recorded_units", TEST_EACH(loads_inside_l1, folder_count),
        TEST_EACH(lines_partly_in_l1, 2 * folder_count), TEST_EACH(copies_past_l1, folder_count),
        TEST(copies_past_l1_take_no_wavefront), TEST(banks_of_copies_past_l1_cost_no_time),
        TEST(copies_behind_others), TEST(loads_of_local_memory),
        TEST_EACH(reductions_inside_l1, folder_count), TEST_EACH(atomics_inside_l1, folder_count),
        TEST_EACH(textures_in_linear_memory, folder_count),
        TEST_EACH(constants_by_lane, folder_count), TEST_EACH(atomics_that_are_loops, folder_count),
        TEST(other_chips_and_operations_are_refused), TEST(what_is_no_access_is_refused),
        TEST_EACH(operands_of_wgmma, folder_count), TEST_EACH(copies_in_bulk, 2 * folder_count));
}
