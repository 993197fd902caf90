/* SPDX-License-Identifier: MIT */
/*
 * reference_global.c: transactions of global memory, and of another block's shared memory, by the
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

/* ---- CC 1.0 and 1.1 ---------------------------------------------------------------------- */

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

/* ---- CC 1.2 and 1.3 ---------------------------------------------------------------------- */

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

/* ---- Atomics of CC 3.x and later ---------------------------------------------------------- */

bool reference_is_one_block(const smp_access *access) {
    bool any = false;
    uint64_t block = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (!is_active(access, lane))
            continue;
        if (any && address_of(access, lane) / 512 != block)
            return false;
        any = true;
        block = address_of(access, lane) / 512;
    }
    return true;
}

/* How many lanes before this one want the same word: it goes with the packet of that number. */
static unsigned packet_of(const smp_access *access, unsigned lane) {
    unsigned packet = 0;
    for (unsigned before = 0; before < lane; before++)
        packet +=
            is_active(access, before) && address_of(access, before) == address_of(access, lane);
    return packet;
}

/* Distinct pairs of a sector and a packet. */
static void count_packets(const smp_access *access, reference_counts *out) {
    pieces set = {0};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (is_active(access, lane))
            add_piece(&set, address_of(access, lane) / 32 * SMP_LANES + packet_of(access, lane));
    out->has_transactions = reference_is_one_block(access);
    out->has_bounds = !out->has_transactions;
    if (out->has_transactions) {
        out->transactions = set.count;
        out->bytes = set.count * 32;
    } else {
        out->transactions_min = set.count;
        out->transactions_max = out->active_lanes;
    }
}

/* ------------------------------------------------------------------------------------------ */

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
