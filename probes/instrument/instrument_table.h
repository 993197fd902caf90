/* SPDX-License-Identifier: MIT */
/*
 * instrument_table.h: what the patch writes in the memory of a GPU and the library reads there.
 *
 * The patch recognizes requests: an entry holds one request of one instruction, what it costs, and
 * how often it was made. A request that is known costs a look at its entry and one addition. What
 * finds no entry (a site that has its share, a full table, requests whose cost depends on whole
 * addresses) is judged each time, and summed up in its site.
 *
 * Entries and sites are dense, in the order of arrival from number 1 on, with an index each: open
 * addressing, where a word is 0 (free), a tag and a number, or the tag and TABLE_PENDING while
 * that element is written. Nothing is ever taken out.
 */
#pragma once

#include <stdint.h>

enum {
    TABLE_SITES = 8192,
    TABLE_SITE_INDEX = 4 * TABLE_SITES,
    TABLE_ENTRIES = 131070,
    TABLE_ENTRY_INDEX = 1 << 20,
    TABLE_ENTRIES_OF_SITE = 320,
    /* Of entries: from here on a site gets fewer, so that what runs later has room, too. What asks
     * for so many mostly never asks twice. */
    TABLE_HALF_FULL = 65536,
    TABLE_ENTRIES_LATER = 64,
    TABLE_WORST = 16384,
    TABLE_COPIES = 8,       /* of a site's sums and an entry's count, by multiprocessor */
    TABLE_PROBES = 16,      /* words of an index that are looked at */
    TABLE_WAITS = 1000,     /* looks at an element that another warp is writing */
    TABLE_NUMBER_BITS = 17, /* of a word of an index, for the number; above: the tag */
    TABLE_PENDING = (1 << TABLE_NUMBER_BITS) - 1,
    TABLE_LANES = 32,
    TABLE_TAG = 1, /* what is added to the table's address, where the patch is told of it */
};

/* Which instruction, in one word: kind, flags, log2 of the width, matrices, other_id. */
#define TABLE_WHAT(kind, flags, width_log2, matrices, id)                      \
    ((uint32_t)(kind) | (uint32_t)(flags) << 4 | (uint32_t)(width_log2) << 8 | \
     (uint32_t)(matrices) << 12 | (uint32_t)(id) << 16)

/* What a request costs that adds up over requests; beside these the ways, of which the most count.
 */
#define TABLE_SUMMED_LIST(X) \
    X(wavefronts) X(ideal) X(wavefronts_lanes) X(ideal_lanes) X(sectors) X(ideal_sectors)

/* One request's price. */
typedef struct table_price {
    uint32_t wavefronts, ideal, ways;
    uint32_t wavefronts_lanes, ideal_lanes, ways_lanes;
    uint32_t sectors, ideal_sectors;
} table_price;

/* 256 bytes. */
typedef struct table_entry {
    uint64_t pc;
    uint32_t what, lanes;
    /* As the patch got it; of global memory from the lowest lane's address, rounded down to 256. */
    uint32_t offset[TABLE_LANES];
    unsigned long long count[TABLE_COPIES];
    table_price price;
    uint32_t site, reserved[3];
} table_entry;

/* Of requests without an entry: 64 bytes. */
typedef struct table_sums {
    unsigned long long requests, lanes;
    unsigned long long wavefronts, ideal, wavefronts_lanes, ideal_lanes;
    unsigned long long sectors, ideal_sectors;
} table_sums;

typedef struct table_site {
    uint64_t pc;
    uint32_t what;
    uint32_t entries; /* may count further than it has */
    uint32_t shared_bytes;
    uint32_t ways, ways_lanes, reserved;
    unsigned long long not_judged;
    unsigned long long order, order_lanes; /* of the costliest without an entry */
    table_sums sums[TABLE_COPIES];
} table_site;

/* What a request without an entry looked like, that cost more than all before it. */
typedef struct table_worst {
    unsigned long long order; /* cost, then hash; written last */
    uint32_t site, is_by_lanes, lanes, reserved;
    table_price price;
    uint64_t offset[TABLE_LANES]; /* as in smp_instrument_request */
} table_worst;

/* 128 bytes. */
typedef struct table_head {
    uint32_t site_count, entry_count, worst_count; /* may count further than there is room */
    uint32_t reserved_bytes;                       /* which the system has of shared memory */
    unsigned long long sites_lost;                 /* requests */
    uint64_t trace;                                /* instrument_trace.h: trace_control; 0: none */
    uint64_t reserved[12];
} table_head;

/* All of it is one piece of memory: an element is found without a look at a pointer. */
typedef struct instrument_table {
    table_head head;
    uint32_t entry_index[TABLE_ENTRY_INDEX];
    uint32_t site_index[TABLE_SITE_INDEX];
    table_entry entries[TABLE_ENTRIES]; /* number 0 is none */
    table_site sites[TABLE_SITES];
    table_worst worst[TABLE_WORST];
} instrument_table;
