/* SPDX-License-Identifier: MIT */
/*
 * Judges the requests of an Accel-Sim trace by the model and by the simulator's own rule, per
 * instruction.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "profile_accel.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "memory_opcode.h"

enum { WINDOW_BYTES = 1 << 24, BANKS = 32, WORD_BYTES = 4, PC_STEP = 8 };

/* Kinds of a site, by the memory of its lanes' addresses. */
enum { IN_SHARED, IN_GLOBAL, IN_LOCAL, ELSEWHERE, KINDS };

/* An instruction; an index plus 1 each, 0 for none yet. */
typedef struct pc_place {
    uint32_t sites[KINDS]; /* of the kernel */
    uint32_t rule;         /* in sums->sites */
} pc_place;

typedef struct import {
    const smp_arch *arch;
    smp_accel_kernel head;
    smp_kernel_profile *kernel;
    smp_accel_sums *sums;
    pc_place *places; /* one per PC_STEP */
    uint32_t place_count;
} import;

/* Returns the cycles of a shared-memory request by GPGPU-Sim's rule; 0 for no active lane. */
static uint32_t cycles_of(uint32_t mask, const uint64_t address[SMP_LANES]) {
    uint32_t most = 0, count[BANKS] = {0};
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const uint64_t word = address[lane] / WORD_BYTES;
        bool is_new = mask >> lane & 1;
        for (unsigned other = 0; other < lane && is_new; other++)
            is_new = !(mask >> other & 1 && address[other] / WORD_BYTES == word);
        if (is_new && ++count[word % BANKS] > most)
            most = count[word % BANKS];
    }
    return most;
}

/* ---- Instructions ---- */

static bool is_of(const char *opcode, const char *base) {
    const size_t length = strlen(base);
    return strncmp(opcode, base, length) == 0 && (opcode[length] == '.' || opcode[length] == '\0');
}

/* Bytes per lane: the last modifier that is a size. */
static uint32_t width_of(const char *opcode) {
    static const struct {
        const char *name;
        uint32_t bytes;
    } sizes[] = {{"U8", 1}, {"S8", 1},  {"8", 1},   {"U16", 2}, {"S16", 2}, {"16", 2},
                 {"64", 8}, {"U64", 8}, {"S64", 8}, {"F64", 8}, {"128", 16}};
    uint32_t width = 4;
    if (is_of(opcode, "LDSM") || is_of(opcode, "STSM"))
        return 16;
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.')) {
        const size_t length = strcspn(at + 1, ".");
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            if (strlen(sizes[i].name) == length && strncmp(at + 1, sizes[i].name, length) == 0)
                width = sizes[i].bytes;
    }
    return width;
}

static bool is_any(const char *opcode, const char *const *bases) {
    for (; *bases; bases++)
        if (is_of(opcode, *bases))
            return true;
    return false;
}

static bool is_within(uint64_t address, uint64_t base) {
    return base != 0 && address >= base && address - base < WINDOW_BYTES;
}

/* Masks of the lanes by kind. */
static void split(const import *p, const smp_accel_row *row, uint32_t lanes[KINDS]) {
    static const char *const shared[] = {"LDS", "STS", "ATOMS", "LDSM", "STSM", NULL};
    static const char *const local[] = {"LDL", "STL", NULL};
    static const char *const global[] = {"LDG", "STG", "ATOMG", "REDG", NULL};
    static const char *const generic[] = {"LD", "ST", "ATOM", "RED", NULL};
    memset(lanes, 0, KINDS * sizeof *lanes);
    const bool is_placed = p->head.shared_base != 0 && p->head.local_base != 0;
    const bool is_generic = is_placed && is_any(row->opcode, generic);
    const unsigned kind = is_any(row->opcode, shared)   ? IN_SHARED
                          : is_any(row->opcode, local)  ? IN_LOCAL
                          : is_any(row->opcode, global) ? IN_GLOBAL
                                                        : ELSEWHERE;
    for (unsigned lane = 0; lane < SMP_LANES && is_generic; lane++) {
        const uint64_t at = row->address[lane];
        const unsigned where = is_within(at, p->head.shared_base)  ? IN_SHARED
                               : is_within(at, p->head.local_base) ? IN_LOCAL
                                                                   : IN_GLOBAL;
        lanes[where] |= row->mask & 1u << lane;
    }
    if (!is_generic)
        lanes[kind] = row->mask;
}

static const char *why_not(const import *p, const char *opcode, unsigned kind) {
    static const char *const generic[] = {"LD", "ST", "ATOM", "RED", NULL};
    if (kind == IN_LOCAL)
        return "local memory of an imported trace";
    if (kind == ELSEWHERE && is_any(opcode, generic) && p->head.shared_base == 0)
        return "a generic address: the trace does not say where shared memory begins";
    if (is_of(opcode, "LDGSTS"))
        return "a copy: the trace has one of its two lists of addresses";
    const char *why = smp_opcode_not_modelled(opcode, NULL);
    return why ? why : "no rule for this instruction";
}

/* ---- Sites ---- */

/* Returns the place of an instruction; NULL if out of memory. */
static pc_place *place_of(import *p, uint32_t pc) {
    for (; p->place_count <= pc / PC_STEP; p->place_count++) {
        if (!LIST_ROOM(p->places, p->place_count))
            return NULL;
        p->places[p->place_count] = (pc_place){.rule = 0};
    }
    return &p->places[pc / PC_STEP];
}

static smp_profile_site *new_site(import *p, const smp_accel_row *row, unsigned kind) {
    smp_profile_site *site = smp_kernel_add_site(p->kernel);
    if (!site)
        return NULL;
    site->offset_bytes = row->pc;
    site->space = kind == IN_SHARED ? SMP_SPACE_SHARED : SMP_SPACE_GLOBAL;
    site->op = kind == ELSEWHERE ? SMP_OP_COUNT : smp_opcode_op(row->opcode, site->space);
    site->is_local = kind == IN_LOCAL;
    site->width_bytes = width_of(row->opcode);
    site->opcode = strdup(row->opcode);
    return site->opcode ? site : NULL;
}

/* Returns NULL if out of memory. */
static smp_profile_site *site_of(import *p, const smp_accel_row *row, unsigned kind) {
    pc_place *place = place_of(p, row->pc);
    if (!place)
        return NULL;
    if (place->sites[kind] == 0) {
        if (!new_site(p, row, kind))
            return NULL;
        place->sites[kind] = p->kernel->site_count;
    }
    return &p->kernel->sites[place->sites[kind] - 1];
}

/* ---- Requests ---- */

static smp_access access_of(const import *p, const smp_accel_row *row, const smp_profile_site *site,
                            uint32_t lanes) {
    smp_access access = {.op = site->op, .width_bytes = site->width_bytes, .active_mask = lanes};
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint64_t at = lanes >> lane & 1 ? row->address[lane] : 0;
        if (site->space == SMP_SPACE_SHARED && is_within(at, p->head.shared_base))
            at -= p->head.shared_base;
        access.offset_bytes[lane] = (uint32_t)at;
        access.address_bytes[lane] = site->space == SMP_SPACE_GLOBAL ? at : 0;
    }
    return access;
}

static void fill_request(const smp_access *access, bool is_shared, smp_profile_request *out) {
    const uint64_t start =
        is_shared ? 0 : access->address_bytes[__builtin_ctz(access->active_mask)] & ~(uint64_t)255;
    *out = (smp_profile_request){.mask = access->active_mask, .count = 1};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (access->active_mask >> lane & 1)
            out->offset_bytes[lane] =
                is_shared ? access->offset_bytes[lane] : access->address_bytes[lane] - start;
}

/* Returns NULL, or why there are no figures. */
static const char *judge(const import *p, const smp_access *access, smp_profile_request *request,
                         uint32_t *ways) {
    smp_counts counts;
    const smp_status status = smp_predict(p->arch, access, &counts);
    const uint32_t wanted = smp_ops(NULL)[access->op].space == SMP_SPACE_SHARED
                                ? SMP_HAS_WAVEFRONTS
                                : SMP_HAS_TRANSACTIONS;
    if (status != SMP_OK || !(counts.valid & wanted))
        return status == SMP_E_NOT_MODELLED && counts.note ? counts.note
                                                           : smp_status_message(status);
    if (wanted == SMP_HAS_WAVEFRONTS) {
        request->wavefronts = counts.wavefronts_max;
        request->ideal = counts.ideal;
        *ways = counts.ways;
        return NULL;
    }
    const uint32_t least =
        ((uint32_t)__builtin_popcount(request->mask) * access->width_bytes + 31) / 32;
    request->sectors = counts.transactions;
    request->ideal_sectors = least < counts.transactions ? least : counts.transactions;
    return NULL;
}

/* Compares their rule with ours. */
static bool compare(import *p, const smp_accel_row *row, uint32_t ours) {
    smp_accel_sums *sums = p->sums;
    uint32_t *index = &p->places[row->pc / PC_STEP].rule;
    if (*index == 0) {
        if (!LIST_ROOM(sums->sites, sums->site_count))
            return false;
        smp_accel_site *made = &sums->sites[sums->site_count++];
        *made = (smp_accel_site){.pc = row->pc};
        (void)snprintf(made->kernel, sizeof made->kernel, "%.47s", p->kernel->name);
        memcpy(made->opcode, row->opcode, sizeof made->opcode);
        *index = sums->site_count;
    }
    smp_accel_site *site = &sums->sites[*index - 1];
    const uint32_t theirs = cycles_of(row->mask, row->address);
    site->requests++;
    site->theirs += theirs;
    site->ours += ours;
    site->differ += theirs != ours;
    sums->requests++;
    sums->theirs += theirs;
    sums->ours += ours;
    sums->differ += theirs != ours;
    return true;
}

/* A trace leaves out local memory and instructions without an operation. */
static smp_status keep(smp_accel_sums *sums, const smp_access *access, unsigned kind,
                       smp_error *error) {
    if (!sums->trace)
        return SMP_OK;
    if (kind >= IN_LOCAL || access->op == SMP_OP_COUNT) {
        sums->trace_left_out++;
        return SMP_OK;
    }
    sums->trace_rows++;
    return smp_trace_put(sums->trace, access, error);
}

static smp_status take_part(import *p, const smp_accel_row *row, unsigned kind, uint32_t lanes,
                            smp_error *error) {
    smp_profile_request request;
    uint32_t ways = 0;
    smp_profile_site *site = site_of(p, row, kind);
    if (!site)
        return smp_error_memory(error);
    const smp_access access = access_of(p, row, site, lanes);
    fill_request(&access, kind == IN_SHARED, &request);
    const char *why = kind >= IN_LOCAL || site->op == SMP_OP_COUNT
                          ? why_not(p, row->opcode, kind)
                          : judge(p, &access, &request, &ways);
    if (why && !site->not_modelled && !(site->not_modelled = strdup(why)))
        return smp_error_memory(error);
    if (smp_site_add(site, &request, ways) != SMP_OK)
        return smp_error_memory(error);
    if (kind == IN_SHARED && !why && lanes == row->mask && !compare(p, row, request.wavefronts))
        return smp_error_memory(error);
    return keep(p->sums, &access, kind, error);
}

static smp_status take(import *p, const smp_accel_row *row, smp_error *error) {
    uint32_t lanes[KINDS];
    smp_status status = SMP_OK;
    split(p, row, lanes);
    for (unsigned kind = 0; kind < KINDS && status == SMP_OK; kind++)
        if (lanes[kind] != 0)
            status = take_part(p, row, kind, lanes[kind], error);
    return status;
}

/* ---- The whole ---- */

static smp_status begin(import *p, smp_profile *profile, smp_error *error) {
    const int version = (int)p->head.binary_version;
    if (!p->arch)
        p->arch = smp_arch_of_cc(version / 10, version % 10);
    if (!p->arch)
        return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                             "traced on compute capability %d.%d, which has no rules here; --arch "
                             "names others",
                             version / 10, version % 10);
    p->kernel = smp_profile_add_kernel(profile);
    if (!p->kernel || !(p->kernel->name = strdup(p->head.name)))
        return smp_error_memory(error);
    p->kernel->arch = p->arch;
    p->kernel->launches = 1;
    p->kernel->shared_bytes = p->head.shared_bytes;
    memcpy(p->kernel->grid, p->head.grid, sizeof p->kernel->grid);
    memcpy(p->kernel->block, p->head.block, sizeof p->kernel->block);
    return SMP_OK;
}

static smp_status read_rows(import *p, smp_accel_reader *reader,
                            void (*bad_line)(void *user, uint64_t line, const char *what),
                            void *user, smp_error *error) {
    smp_accel_row row;
    for (bool at_end = false; !at_end;) {
        smp_status status = smp_accel_next(reader, &row, &at_end, error);
        if (status == SMP_E_SYNTAX) {
            p->sums->bad_lines++;
            bad_line(user, (uint64_t)(error->position + 1), error->message);
            continue;
        }
        if (status == SMP_OK && !at_end)
            status = take(p, &row, error);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

smp_status smp_profile_read_accel(FILE *in, const smp_arch *arch, smp_profile *profile,
                                  smp_accel_sums *sums,
                                  void (*bad_line)(void *user, uint64_t line, const char *what),
                                  void *user, smp_error *error) {
import p = {.arch = arch, .sums = sums };
    smp_accel_reader *reader = NULL;
    smp_status status = smp_accel_open(in, &reader, &p.head, error);
    if (status == SMP_OK)
        status = begin(&p, profile, error);
    if (status == SMP_OK)
        status = read_rows(&p, reader, bad_line, user, error);
    smp_accel_free(reader);
    free(p.places);
    return status;
}
