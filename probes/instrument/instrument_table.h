/* SPDX-License-Identifier: MIT */
/*
 * The table that the patch writes in GPU memory and the library reads.
 *
 * The patch recognizes requests: an entry holds one request of one instruction, its cost, and how
 * often it was made. A known request takes a lookup and one addition. A request without an entry
 * (its site has used its share, the table is full, or its lanes are too far apart) is
 * judged each time and summed up in its site.
 *
 * Entries and sites are dense, numbered from 1 in order of arrival, with an index each: open
 * addressing, where a word is 0 (free), a tag and a number, or a tag and TABLE_PENDING while the
 * element is being written. Nothing is ever removed. The index of entries has all of a request but
 * its offsets beside the word, so that one load tells another request.
 */
#pragma once

#include <stdint.h>

enum {
    TABLE_SITES = 32768,
    TABLE_SITE_INDEX = 4 * TABLE_SITES,
    TABLE_ENTRIES = 131070,
    TABLE_ENTRY_INDEX = 1 << 20,
    TABLE_ENTRIES_OF_SITE = 320,
    /* From this many entries on, a site gets fewer, so that later code has room too. Sites that
     * need so many rarely repeat a request. */
    TABLE_HALF_FULL = 65536,
    TABLE_ENTRIES_LATER = 64,
    TABLE_WORST = 16384,
    TABLE_COPIES = 8,       /* copies of a site's sums and an entry's count, by multiprocessor */
    TABLE_PROBES = 16,      /* words of an index that are probed */
    TABLE_WAITS = 1000,     /* reads while another warp writes an element */
    TABLE_NUMBER_BITS = 17, /* bits of an index word for the number; the tag is above */
    TABLE_PENDING = (1 << TABLE_NUMBER_BITS) - 1,
    TABLE_LANES = 32,
    /* The low byte of the table's address as the patch receives it: the kind of the launch, from 1
     * to TABLE_KINDS. Each kind has sites and entries of its own, so that the host can tell what
     * launches of different arguments cost. */
    TABLE_TAG = 1,
    TABLE_KINDS = 31,
    TABLE_ALIGNMENT = 256,
};

/* The kind of instruction in one word: kind, flags, log2 of the width, matrices, other_id; the
 * launch's kind is above. */
#define TABLE_WHAT(kind, flags, width_log2, matrices, id)                      \
    ((uint32_t)(kind) | (uint32_t)(flags) << 4 | (uint32_t)(width_log2) << 8 | \
     (uint32_t)(matrices) << 12 | (uint32_t)(id) << 16)
#define TABLE_KIND_SHIFT 24

/* Costs that are summed over requests; of the ways, the maximum counts. */
#define TABLE_SUMMED_LIST(X) \
    X(wavefronts) X(ideal) X(wavefronts_lanes) X(ideal_lanes) X(sectors) X(ideal_sectors)

/* The cost of one request; summed figures first, in the order of table_sums. */
typedef struct table_price {
    uint32_t wavefronts, ideal, wavefronts_lanes, ideal_lanes, sectors, ideal_sectors;
    uint32_t ways, ways_lanes;
} table_price;

/* 16 bytes, loaded at once: key_of in device_table.cuh. */
typedef struct table_key {
    uint32_t word, pc, what, lanes;
} table_key;

/* 256 bytes, two lines of L1: a known request reads the first. */
typedef struct table_entry {
    /* As the patch received it; for global memory relative to the lowest lane's address, rounded
     * down to 256; for copies warp_copy_key. */
    uint32_t offset[TABLE_LANES];
    uint64_t pc;
    uint32_t what, lanes;
    unsigned long long count[TABLE_COPIES];
    table_price price;
    uint32_t site, reserved[3];
} table_entry;

/* Sums over requests without an entry: 64 bytes. */
typedef struct table_sums {
    unsigned long long requests, lanes;
    unsigned long long wavefronts, ideal, wavefronts_lanes, ideal_lanes;
    unsigned long long sectors, ideal_sectors;
} table_sums;

typedef struct table_site {
    uint64_t pc;
    uint32_t what;
    uint32_t entries; /* may exceed the entries it has */
    uint32_t shared_bytes;
    uint32_t ways, ways_lanes, reserved;
    unsigned long long not_judged;
    unsigned long long order, order_lanes; /* of the costliest request without an entry */
    table_sums sums[TABLE_COPIES];
} table_site;

/* A request without an entry, or a copy, that cost more than all before it. */
typedef struct table_worst {
    unsigned long long order; /* cost, then hash; written last */
    uint32_t site, is_by_lanes, lanes, reserved;
    table_price price;
    uint64_t offset[TABLE_LANES]; /* as in smp_instrument_request */
} table_worst;

/* 128 bytes. */
typedef struct table_head {
    uint32_t site_count, entry_count, worst_count; /* may exceed the capacity */
    uint32_t reserved_bytes;                       /* shared memory reserved by the system */
    unsigned long long sites_lost;                 /* requests */
    uint64_t trace; /* instrument_trace.h: address of trace_control; 0 if none */
    uint64_t reserved[12];
} table_head;

/* One block of memory: elements are found without loading a pointer. */
typedef struct instrument_table {
    table_head head;
    table_key entry_index[TABLE_ENTRY_INDEX];
    uint32_t site_index[TABLE_SITE_INDEX];
    table_entry entries[TABLE_ENTRIES]; /* number 0 is unused */
    table_site sites[TABLE_SITES];
    table_worst worst[TABLE_WORST];
} instrument_table;
