/* SPDX-License-Identifier: MIT */
/*
 * Transactions of global memory, and of another block's shared memory, by the
 * letter of the documents: which aligned pieces of memory do the lanes of a request touch?
 */
#include "reference.h"

enum { MAX_PIECES = SMP_LANES * 2 };

typedef struct pieces {
    unsigned count;
    uint64_t index[MAX_PIECES];
} pieces;

static bool is_cluster(smp_op op) {
    return op == SMP_LD_CLUSTER || op == SMP_ST_CLUSTER || op == SMP_ATOM_CLUSTER;
}

static uint64_t address_of(const smp_access *access, unsigned lane) {
    return is_cluster(access->op) ? access->offset_bytes[lane] : access->address_bytes[lane];
}

static bool is_active(const smp_access *access, unsigned lane) {
    return access->active_mask >> lane & 1u;
}

static void add_piece(pieces *set, uint64_t index) {
    for (unsigned i = 0; i < set->count; i++)
        if (set->index[i] == index)
            return;
    set->index[set->count++] = index;
}

/* Distinct aligned pieces of `piece_bytes`, counted anew for every `lanes` lanes. */
static void count_pieces(const smp_access *access, unsigned lanes, unsigned piece_bytes,
                         reference_counts *out) {
    for (unsigned first = 0; first < SMP_LANES; first += lanes) {
        pieces set = {0};
        for (unsigned lane = first; lane < first + lanes; lane++) {
            if (!is_active(access, lane))
                continue;
            uint64_t address = address_of(access, lane);
            add_piece(&set, address / piece_bytes);
            add_piece(&set, (address + access->width_bytes - 1) / piece_bytes);
        }
        out->transactions += set.count;
        out->bytes += set.count * piece_bytes;
    }
}

/* ---- CC 1.0 and 1.1 ---- */

/* Lane k of the half-warp reads word k of a segment. Of 16-byte words, eight fill a segment. */
static bool is_coalesced(const smp_access *access, unsigned first_lane) {
    unsigned width = access->width_bytes;
    uint64_t align = width == 4 ? 64 : 128;
    bool any = false;
    uint64_t base = 0;
    for (unsigned k = 0; k < REFERENCE_HALF_WARP; k++) {
        if (!is_active(access, first_lane + k))
            continue;
        uint64_t address = access->address_bytes[first_lane + k];
        if (address < (uint64_t)k * width)
            return false;
        uint64_t start = address - (uint64_t)k * width;
        if (start % align != 0 || (any && start != base))
            return false;
        any = true;
        base = start;
    }
    return width >= 4;
}

static void count_strict(const smp_access *access, unsigned first_lane, reference_counts *out) {
    if ((access->active_mask >> first_lane & 0xffffu) == 0)
        return;
    if (!is_coalesced(access, first_lane)) {
        out->transactions += 16;
        out->bytes += 16 * 32;
        return;
    }
    out->transactions += access->width_bytes == 16 ? 2 : 1;
    out->bytes += 16 * access->width_bytes;
}

/* ---- CC 1.2 and 1.3 ---- */

typedef struct segment {
    uint64_t start, bytes;
} segment;

static bool is_inside(const smp_access *access, unsigned lane, segment where) {
    uint64_t address = access->address_bytes[lane];
    return address >= where.start && address + access->width_bytes <= where.start + where.bytes;
}

/* While one half of the segment is unused, the other half is enough. */
static segment shrink(const smp_access *access, uint32_t lanes, segment whole) {
    while (whole.bytes > 32) {
        segment low = {whole.start, whole.bytes / 2};
        segment high = {whole.start + whole.bytes / 2, whole.bytes / 2};
        bool all_low = true, all_high = true;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            if (!(lanes >> lane & 1u))
                continue;
            all_low = all_low && is_inside(access, lane, low);
            all_high = all_high && is_inside(access, lane, high);
        }
        if (!all_low && !all_high)
            break;
        whole = all_low ? low : high;
    }
    return whole;
}

static void count_segments(const smp_access *access, unsigned first_lane, reference_counts *out) {
    uint32_t left = access->active_mask & (0xffffu << first_lane);
    uint64_t bytes = access->width_bytes == 1 ? 32 : access->width_bytes == 2 ? 64 : 128;
    while (left != 0) {
        unsigned lowest = 0;
        while (!(left >> lowest & 1u))
            lowest++;
        segment where = {access->address_bytes[lowest] / bytes * bytes, bytes};
        uint32_t absorbed = 0;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            if ((left >> lane & 1u) && is_inside(access, lane, where))
                absorbed |= 1u << lane;
        out->transactions++;
        out->bytes += (unsigned)shrink(access, absorbed, where).bytes;
        left &= ~absorbed;
    }
}

/* ---- The tag stage, atomics and copies ---- */

/* The bits of a 128-byte line's address whose parity counts: model/FINDINGS.md, 1. */
static const unsigned low_bits[] = {0,  2,  4,  5,  7,  9,  11, 12, 13, 14,
                                    16, 17, 18, 19, 21, 22, 23, 24, 26};
static const unsigned high_bits[] = {0,  1,  2,  3,  5,  6,  8,  9,  10, 11,
                                     13, 15, 16, 18, 20, 22, 24, 25, 27};

/* Remote memory: behind the first KiB, which the system keeps; blocks of the cluster are apart. */
static uint64_t place_of(const smp_access *access, unsigned lane) {
    bool is_remote = access->op == SMP_ATOM_CLUSTER;
    return is_remote ? UINT64_C(1024) + access->offset_bytes[lane] : access->address_bytes[lane];
}

static unsigned tag_bank(uint64_t line) {
    unsigned low = 0, high = 0;
    for (size_t i = 0; i < sizeof low_bits / sizeof low_bits[0]; i++)
        low += (unsigned)(line >> low_bits[i] & 1u);
    for (size_t i = 0; i < sizeof high_bits / sizeof high_bits[0]; i++)
        high += (unsigned)(line >> high_bits[i] & 1u);
    return low % 2 + 2 * (high % 2);
}

/* All bits of the block's number count for the low parity, every other bit for the high one. */
static unsigned tag_bank_remote(uint64_t place) {
    unsigned block = (unsigned)(place >> 24);
    unsigned low = block + (block >> 1) + (block >> 2) + (block >> 3), high = block + (block >> 2);
    return tag_bank((place & 0xffffff) / 128) ^ (low % 2 + 2 * (high % 2));
}

static unsigned tag_bank_of(const smp_access *access, unsigned lane) {
    const uint64_t place = place_of(access, lane);
    return access->op == SMP_ATOM_CLUSTER ? tag_bank_remote(place) : tag_bank(place / 128);
}

bool reference_hash_is_known(const smp_access *access) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        for (unsigned other = 0; other < lane; other++)
            if (is_active(access, lane) && is_active(access, other) &&
                place_of(access, lane) >> 35 != place_of(access, other) >> 35)
                return false;
    return true;
}

uint32_t reference_tag_wavefront(const smp_access *access, uint32_t waiting) {
    uint32_t taken = 0;
    for (unsigned bank = 0; bank < 4; bank++) {
        unsigned lowest = 0;
        while (lowest < SMP_LANES &&
               (!(waiting >> lowest & 1u) || tag_bank_of(access, lowest) != bank))
            lowest++;
        for (unsigned lane = lowest; lane < SMP_LANES; lane++)
            if ((waiting >> lane & 1u) &&
                place_of(access, lane) / 128 == place_of(access, lowest) / 128)
                taken |= 1u << lane;
    }
    return taken;
}

/* True if a lower waiting lane is in the same tag bank and at the same place of its line. */
static bool is_kept_waiting(const smp_access *access, uint32_t waiting, unsigned lane) {
    for (unsigned lower = 0; lower < lane; lower++)
        if ((waiting >> lower & 1u) && tag_bank_of(access, lower) == tag_bank_of(access, lane) &&
            place_of(access, lower) % 128 == place_of(access, lane) % 128)
            return true;
    return false;
}

static uint32_t serve_round(const smp_access *access, uint32_t waiting, unsigned *sectors) {
    uint32_t served = reference_tag_wavefront(access, waiting);
    pieces set = {0};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (is_kept_waiting(access, waiting, lane))
            served &= ~(1u << lane);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (served >> lane & 1u)
            add_piece(&set, place_of(access, lane) / 32);
    *sectors += (unsigned)set.count;
    return served;
}

static void count_packets(const smp_access *access, reference_counts *out) {
    pieces set = {0};
    unsigned sectors = 0;
    out->has_transactions = reference_hash_is_known(access);
    out->has_bounds = !out->has_transactions;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (is_active(access, lane))
            add_piece(&set, place_of(access, lane) / 32);
    if (out->has_bounds) {
        out->transactions_min = set.count;
        out->transactions_max = out->active_lanes;
        return;
    }
    for (uint32_t waiting = access->active_mask; waiting != 0;)
        waiting &= ~serve_round(access, waiting, &sectors);
    out->transactions = sectors;
    out->bytes = sectors * 32;
}

/* ---- Transactions ---- */

static unsigned fermi_request_lanes(unsigned width_bytes) {
    if (width_bytes == 16)
        return 8;
    return width_bytes == 8 ? 16 : 32;
}

void reference_transactions(int major, int minor, const smp_access *access, reference_counts *out) {
    if (access->op == SMP_RED_GLOBAL || access->op == SMP_ATOM_CLUSTER) {
        count_packets(access, out);
        return;
    }
    out->has_transactions = true;
    if (major >= 3 || is_cluster(access->op)) {
        count_pieces(access, SMP_LANES, 32, out);
        return;
    }
    if (major == 2) {
        unsigned piece = access->op == SMP_LD_GLOBAL ? 128 : 32;
        count_pieces(access, fermi_request_lanes(access->width_bytes), piece, out);
        return;
    }
    for (unsigned first = 0; first < SMP_LANES; first += REFERENCE_HALF_WARP) {
        if (minor < 2)
            count_strict(access, first, out);
        else
            count_segments(access, first, out);
    }
}
