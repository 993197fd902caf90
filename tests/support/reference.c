/* SPDX-License-Identifier: MIT */
/*
 * Shared memory by the letter of the documents. Each lane's request is cut into the words that it
 * touches; a group's wavefronts are counted by serving one word per bank until none remains.
 */
#include "reference.h"

#include <string.h>

enum { MAX_ITEMS = SMP_LANES * 4, MAX_BANKS = 32 };

/* Something that one bank must deliver: two items of one bank with the same key share a pass. */
typedef struct item {
    unsigned bank;
    uint32_t key;
    bool served;
} item;

typedef struct item_list {
    unsigned count;
    item items[MAX_ITEMS];
} item_list;

typedef struct machine {
    int major;
    unsigned banks, bank_bytes;
} machine;

static bool is_matrix(smp_op op) {
    return op >= SMP_LDMATRIX_X1 && op <= SMP_STMATRIX_X4_TRANS;
}

static bool is_atomic(smp_op op) {
    return op == SMP_ATOM_SHARED || op == SMP_ATOM_SHARED_CAS || op == SMP_RED_SHARED;
}

/* Operations on the block's own shared memory. */
static bool is_shared(smp_op op) {
    return op == SMP_LD_SHARED || op == SMP_ST_SHARED || op == SMP_RED_SHARED_INC ||
           is_atomic(op) || is_matrix(op);
}

static unsigned matrix_rows(smp_op op) {
    switch (op) {
    case SMP_LDMATRIX_X1:
    case SMP_LDMATRIX_X1_TRANS:
    case SMP_STMATRIX_X1:
    case SMP_STMATRIX_X1_TRANS:
        return 8;
    case SMP_LDMATRIX_X2:
    case SMP_LDMATRIX_X2_TRANS:
    case SMP_STMATRIX_X2:
    case SMP_STMATRIX_X2_TRANS:
        return 16;
    default:
        return 32;
    }
}

uint32_t reference_lanes(const smp_access *access) {
    uint32_t lanes = 0;
    unsigned limit = is_matrix(access->op) ? matrix_rows(access->op) : SMP_LANES;
    for (unsigned lane = 0; lane < limit; lane++)
        lanes |= access->active_mask & (1u << lane);
    return lanes;
}

static unsigned count_lanes(uint32_t lanes) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        count += lanes >> lane & 1u;
    return count;
}

/* ---- The pair rule of CC 5.0 and later ---- */

static bool all_pairs_agree(const smp_access *access, unsigned distance) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        unsigned partner = lane ^ distance;
        bool both = (access->active_mask >> lane & 1u) && (access->active_mask >> partner & 1u);
        if (both && access->offset_bytes[lane] != access->offset_bytes[partner])
            return false;
    }
    return true;
}

static bool is_paired(const machine *gpu, const smp_access *access) {
    if (gpu->major < 5 || access->op != SMP_LD_SHARED || access->width_bytes < 8)
        return false;
    return all_pairs_agree(access, 1) || all_pairs_agree(access, 2);
}

/* ---- Groups ---- */

static unsigned wide_group(unsigned width_bytes, unsigned of_8_bytes, unsigned of_16_bytes) {
    if (width_bytes == 16)
        return of_16_bytes;
    return width_bytes == 8 ? of_8_bytes : 32;
}

static unsigned group_size(const machine *gpu, const smp_access *access, bool paired) {
    unsigned width = access->width_bytes;
    if (is_matrix(access->op))
        return 8;
    if (gpu->major == 1)
        return REFERENCE_HALF_WARP;
    if (is_atomic(access->op))
        return wide_group(width, 16, 8);
    if (gpu->major == 3)
        return wide_group(width, 32, 16);
    return paired ? wide_group(width, 32, 16) : wide_group(width, 16, 8);
}

/* ---- Items of a group ---- */

/* The key that two requests for one bank share if one pass serves both. */
static uint32_t key_of(const machine *gpu, const smp_access *access, unsigned lane,
                       uint32_t address) {
    uint32_t word = address / gpu->bank_bytes;
    if (is_atomic(access->op))
        return lane;
    if (gpu->major == 1 && access->op == SMP_ST_SHARED)
        return address;
    if (gpu->major == 3 && gpu->bank_bytes == 4)
        return word / 64;
    return word;
}

static void add_item(item_list *list, unsigned bank, uint32_t key) {
    list->items[list->count].bank = bank;
    list->items[list->count].key = key;
    list->items[list->count].served = false;
    list->count++;
}

/* Adds what `lane` wants between its bytes `from` and `to`. */
static void add_lane(const machine *gpu, const smp_access *access, unsigned lane, uint32_t from,
                     uint32_t to, item_list *list) {
    uint32_t first = access->offset_bytes[lane] + from;
    uint32_t last = access->offset_bytes[lane] + to - 1;
    for (uint32_t word = first / gpu->bank_bytes; word <= last / gpu->bank_bytes; word++) {
        uint32_t address = word * gpu->bank_bytes > first ? word * gpu->bank_bytes : first;
        add_item(list, word % gpu->banks, key_of(gpu, access, lane, address));
    }
}

/* ---- Counting ---- */

/* One pass: the first item left on each bank, and all items that are the same. */
static unsigned serve_once(item_list *list) {
    bool taken[MAX_BANKS] = {false};
    uint32_t key[MAX_BANKS] = {0};
    unsigned served = 0;
    for (unsigned i = 0; i < list->count; i++) {
        item *wish = &list->items[i];
        if (wish->served || (taken[wish->bank] && key[wish->bank] != wish->key))
            continue;
        taken[wish->bank] = true;
        key[wish->bank] = wish->key;
        wish->served = true;
        served++;
    }
    return served;
}

static unsigned count_passes(item_list *list) {
    unsigned passes = 0;
    for (unsigned left = list->count; left > 0; passes++)
        left -= serve_once(list);
    return passes;
}

static bool seen_before(const item_list *list, unsigned index) {
    for (unsigned i = 0; i < index; i++)
        if (list->items[i].bank == list->items[index].bank &&
            list->items[i].key == list->items[index].key)
            return true;
    return false;
}

static unsigned count_ways(const item_list *list) {
    unsigned distinct[MAX_BANKS] = {0};
    unsigned worst = 0;
    for (unsigned i = 0; i < list->count; i++) {
        if (seen_before(list, i))
            continue;
        unsigned ways = ++distinct[list->items[i].bank];
        worst = ways > worst ? ways : worst;
    }
    return worst;
}

/* ---- CC 1.x reads ---- */

static reference_range broadcast_steps(const smp_access *access, uint32_t lanes, uint32_t from) {
    reference_wish wishes[REFERENCE_HALF_WARP];
    unsigned count = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (!(lanes >> lane & 1u))
            continue;
        uint32_t word = (access->offset_bytes[lane] + from) / 4;
        wishes[count].bank = word % 16;
        wishes[count].word = word;
        count++;
    }
    return reference_broadcast(wishes, count);
}

/* Distinct words on one bank, whatever the operation's passes are made of. */
static unsigned count_word_ways(const machine *gpu, const smp_access *access, uint32_t lanes,
                                uint32_t from, uint32_t to) {
    item_list words = {0};
    smp_access as_load = *access;
    as_load.op = is_atomic(access->op) ? access->op : SMP_LD_SHARED;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (lanes >> lane & 1u)
            add_lane(gpu, &as_load, lane, from, to, &words);
    return count_ways(&words);
}

/* ---- Copies ---- */

/* True if no lane before `lane` that is left wants the same part of a row, on the side given. */
static bool is_first(const smp_access *access, uint32_t left, unsigned lane, bool source_side) {
    for (unsigned before = 0; before < lane; before++) {
        uint64_t ours = access->offset_bytes[lane], theirs = access->offset_bytes[before];
        if (source_side) {
            ours = access->address_bytes[lane];
            theirs = access->address_bytes[before];
        }
        bool same = ours % 128 / access->width_bytes == theirs % 128 / access->width_bytes;
        if ((left >> before & 1u) && same)
            return false;
    }
    return true;
}

/* Each pass serves the lanes that are first both at their source and at their target. */
static unsigned count_copy_passes(const smp_access *access, uint32_t left) {
    unsigned passes = 0;
    for (; left != 0; passes++) {
        uint32_t served = 0;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            if ((left >> lane & 1u) && is_first(access, left, lane, true) &&
                is_first(access, left, lane, false))
                served |= 1u << lane;
        left &= ~served;
    }
    return passes;
}

static void add_copy_groups(const smp_access *access, reference_counts *out) {
    unsigned size = access->width_bytes == 4 ? 32 : access->width_bytes == 8 ? 16 : 8;
    for (unsigned first = 0; first < SMP_LANES; first += size) {
        uint32_t lanes = access->active_mask & (SMP_ALL_LANES >> (SMP_LANES - size)) << first;
        if (lanes == 0)
            continue;
        reference_group *group = &out->groups[out->group_count++];
        group->lanes = lanes;
        for (uint32_t waiting = access->active_mask; waiting != 0;) {
            uint32_t taken = reference_tag_wavefront(access, waiting);
            group->ways += count_copy_passes(access, taken & lanes);
            waiting &= ~taken;
        }
        group->min = group->max = group->ways;
    }
}

/* ---- A whole request ---- */

/* `lanes` are served together for their bytes `from` to `to`. */
static void add_group(const machine *gpu, const smp_access *access, uint32_t lanes, uint32_t from,
                      uint32_t to, reference_counts *out) {
    item_list list = {0};
    if (lanes == 0)
        return;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (lanes >> lane & 1u)
            add_lane(gpu, access, lane, from, to, &list);
    reference_group *group = &out->groups[out->group_count++];
    unsigned twice = access->op == SMP_ATOM_SHARED_CAS ? 2 : 1;
    group->lanes = lanes;
    group->ways = count_word_ways(gpu, access, lanes, from, to);
    group->min = group->max = count_passes(&list) * twice;
    if (gpu->major == 2 && access->width_bytes == 16) { /* Guide 4.2, F.4.3.3 */
        group->ways += 1;
        group->max += 1;
    }
    if (gpu->major == 1 && access->op == SMP_LD_SHARED) {
        reference_range steps = broadcast_steps(access, lanes, from);
        group->min = steps.min;
        group->max = steps.max;
    }
}

static void add_groups(const machine *gpu, const smp_access *access, reference_counts *out) {
    uint32_t lanes = reference_lanes(access);
    unsigned size = group_size(gpu, access, out->paired);
    uint32_t piece = gpu->major == 1 && access->width_bytes > 4 ? 4 : access->width_bytes;
    for (unsigned first = 0; first < SMP_LANES; first += size) {
        uint32_t members = size == 32 ? SMP_ALL_LANES : ((1u << size) - 1) << first;
        for (uint32_t from = 0; from < access->width_bytes; from += piece)
            add_group(gpu, access, lanes & members, from, from + piece, out);
    }
}

static void sum_groups(const smp_access *access, reference_counts *out) {
    for (unsigned i = 0; i < out->group_count; i++) {
        out->wavefronts_min += out->groups[i].min;
        out->wavefronts_max += out->groups[i].max;
        if (out->groups[i].ways > out->ways)
            out->ways = out->groups[i].ways;
    }
    unsigned rows = (out->active_lanes * access->width_bytes + 127) / 128;
    if (access->op == SMP_ATOM_SHARED_CAS)
        rows *= 2;
    out->ideal = out->wavefronts_min < rows ? out->wavefronts_min : rows;
}

void reference_predict(int major, int minor, unsigned bank_bytes, const smp_access *access,
                       reference_counts *out) {
    machine gpu = {.major = major, .banks = major == 1 ? 16 : 32, .bank_bytes = bank_bytes};
    memset(out, 0, sizeof *out);
    out->active_lanes = count_lanes(reference_lanes(access));
    if (is_matrix(access->op) && access->active_mask != SMP_ALL_LANES)
        return;
    if (!is_shared(access->op))
        reference_transactions(major, minor, access, out);
    if ((access->op == SMP_CP_ASYNC_CA ||
         (access->op == SMP_CP_ASYNC && access->width_bytes < 16)) &&
        reference_hash_is_known(access))
        add_copy_groups(access, out);
    const bool is_bypass = access->op == SMP_CP_ASYNC && access->width_bytes == 16;
    if (is_bypass && (major != 9 || !reference_hash_is_known(access))) {
        out->has_transactions = false;
        return;
    }
    if (is_bypass) {
        unsigned rounds;
        reference_bypass(access, &rounds, &out->transactions);
        out->bytes = 32 * out->transactions;
    }
    out->paired = is_paired(&gpu, access);
    if (is_shared(access->op))
        add_groups(&gpu, access, out);
    out->has_wavefronts = out->group_count > 0 || is_bypass;
    sum_groups(access, out);
    if (is_bypass)
        out->ways = 1;
}
