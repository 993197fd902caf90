/* SPDX-License-Identifier: MIT */
/*
 * The patch of profile, called as the Sanitizer API calls it, for addresses that are often new and
 * for parts of warps. What its table then has of each instruction must be what the rule says, which
 * the host computes for the same addresses: run by smemprobe profile --no-gpu (one block at a time,
 * so that lanes that read one word of the table read the same). Ends with 1 if a figure differs.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#define KEEP(kind, parts, what, lanes, first, second) (void)0
#include "device_calls.cuh"

/* With so many repetitions, an instruction makes more requests than it may have entries. */
enum { THREADS = 128, ROUNDS = 20, LAUNCHES = 4, REPEATS = 32, RESERVED = 1024 };

/* What a thread does in a round. */
struct call {
    uint32_t width, flags, offset, relative, matrices, copied, to;
    uint64_t from;
    bool is_active;
};

static __host__ __device__ uint32_t scramble(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static __host__ __device__ uint32_t repeats(uint32_t round) {
    return round % 4 == 3 ? REPEATS : 1;
}

/* Strides, or in rounds that are repeated places that are new each time. */
static __host__ __device__ call make_call(uint32_t time, uint32_t round, uint32_t thread) {
    const bool is_new = repeats(round) > 1;
    const uint32_t r = scramble(round * 131 + (is_new ? thread + time * THREADS : time % 2));
    call c;
    c.width = 1u << round % 5;
    c.flags = round % 3 == 0 ? FLAGS_OF_ACCESS : 1 + round % 2;
    c.relative = (is_new ? r : thread * (1 + r % 40)) * c.width % 200000 / c.width * c.width;
    c.offset = RESERVED + c.relative;
    c.matrices = 1u << round / 2 % 3;
    c.is_active = round % 7 != 5 || (thread * 5 + round) % 3 != 0;
    c.copied = 4u << round % 3;
    c.from = 0x7f0000000000ull + ((uint64_t)(round / 2 == 4 ? thread % 2 : 0) << 32) +
             time / 2 % 8 * 4096 + c.relative * (1 + round % 2 * 8) / c.copied * c.copied;
    c.to = RESERVED +
           (c.relative * (1 + round % 5) + time / 2 % 2 * 128) % 65536 / c.copied * c.copied;
    return c;
}

#define PC(round, kind) (0x7fffd9000000ull + (round)*16 + ((kind) << 16))

__device__ void make_calls(void *data, uint32_t round, const call &c) {
    char *const global = (char *)0x7f0000000000ull + c.relative;
    if (c.is_active)
        smp_patch_shared(data, PC(round, 0), (void *)(uint64_t)c.offset, c.width, c.flags, nullptr);
    smp_patch_matrix(data, PC(round, 1), c.offset / 16 * 16, 16, 1, c.matrices, nullptr);
    smp_patch_global(data, PC(round, 2), global, c.width, 1, nullptr);
    smp_patch_local(data, PC(round, 3), (void *)(uint64_t)(c.relative % 512), c.width, 1, nullptr);
    smp_patch_warpgroup_mma(data, PC(round, 4), 0, 0, 0, 0, 0, 0);
    if (c.is_active)
        smp_patch_copy(data, PC(round, 5), (void *)c.from, c.to, c.copied);
}

__global__ void calls(char *table, uint32_t launch) {
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < repeats(round); i++)
            make_calls(table + 1, round, make_call(launch * REPEATS + i, round, threadIdx.x));
}

/* Requests, lanes, and the summed figures of table_price; then the ways. */
struct figures {
    unsigned long long sums[2 + SUMMED], ways[2];
};
typedef std::map<uint64_t, figures> by_place;

/* The costliest copies of an instruction: their cost, and the targets of each. */
struct costliest {
    uint32_t cost;
    std::set<std::vector<uint64_t>> targets;
};
typedef std::map<uint64_t, costliest> copies;

static void add(figures *to, unsigned long long times, uint32_t lanes, const table_price &price) {
    const uint32_t *figure = &price.wavefronts;
    to->sums[0] += times;
    to->sums[1] += times * (unsigned)__builtin_popcount(lanes);
    for (unsigned i = 0; i < SUMMED; i++)
        to->sums[2 + i] += times * figure[i];
    to->ways[0] = std::max<unsigned long long>(to->ways[0], price.ways);
    to->ways[1] = std::max<unsigned long long>(to->ways[1], price.ways_lanes);
}

#ifndef __CUDA_ARCH__
static void set(table_price *price, warp_cost cost, bool is_by_lanes) {
    (is_by_lanes ? price->wavefronts_lanes : price->wavefronts) = cost.wavefronts;
    (is_by_lanes ? price->ideal_lanes : price->ideal) = cost.ideal;
    (is_by_lanes ? price->ways_lanes : price->ways) = cost.ways;
}

/* The rule's word for one round of a warp; device code cannot read this part. */
static void expect(by_place *all, copies *worst, uint32_t time, uint32_t round, uint32_t warp) {
    uint32_t offset[32], row[32], own[32], lanes = 0;
    uint64_t address[32], from[32];
    uint32_t to[32];
    call c;
    for (uint32_t lane = 0; lane < 32; lane++) {
        c = make_call(time, round, warp * 32 + lane);
        lanes |= (uint32_t)c.is_active << lane;
        offset[lane] = c.offset;
        row[lane] = c.offset / 16 * 16;
        own[lane] = c.relative % 512;
        address[lane] = 0x7f0000000000ull + c.relative;
        from[lane] = c.from;
        to[lane] = c.to - RESERVED;
    }
    table_price shared = {0}, matrix = {0}, global = {0}, local = {0}, copy = {0};
    warp_banks banks;
    warp_find_banks(lanes, offset, c.width, &banks);
    const uint32_t group = warp_group_size(lanes, &banks, c.width, c.flags == SMP_INSTRUMENT_READ);
    set(&shared, warp_cost_words(lanes, &banks, c.width, group), false);
    if (c.flags == FLAGS_OF_ACCESS)
        set(&shared, warp_cost_lanes(lanes, &banks, c.width), true);
    const uint32_t rows = WARP_ALL >> (32 - 8 * c.matrices);
    set(&matrix, warp_cost_matrix(rows, row), false);
    global.sectors = warp_sectors(WARP_ALL, address, 64);
    global.ideal_sectors = warp_ideal_sectors(WARP_ALL, c.width, global.sectors);
    local.sectors = warp_sectors_local(WARP_ALL, own, c.width);
    local.ideal_sectors = warp_ideal_sectors(WARP_ALL, c.width, local.sectors);
    warp_cost cost;
    if (c.copied == 16)
        warp_bypass_sectors(lanes, from, to, &copy.sectors);
    else if (warp_cost_copy(lanes, from, to, c.copied, &cost)) {
        set(&copy, cost, false);
        copy.sectors = warp_sectors(lanes, from, 64);
    }
    copy.ideal_sectors = warp_ideal_sectors(lanes, c.copied, copy.sectors);
    add(&(*all)[PC(round, 5)], 1, lanes, copy);
    costliest *most = &(*worst)[PC(round, 5)];
    const uint32_t price = c.copied == 16 ? copy.sectors : copy.wavefronts;
    if (price > most->cost)
        *most = {price, {}};
    if (price == most->cost)
        most->targets.insert(std::vector<uint64_t>(to, to + 32));
    add(&(*all)[PC(round, 0)], 1, lanes, shared);
    add(&(*all)[PC(round, 1)], 1, rows, matrix);
    add(&(*all)[PC(round, 2)], 1, WARP_ALL, global);
    add(&(*all)[PC(round, 3)], 1, WARP_ALL, local);
    add(&(*all)[PC(round, 4)], 1, WARP_ALL, table_price());
}
#endif

static by_place read_table(const instrument_table *table) {
    by_place out;
    for (uint32_t i = 1; i <= table->head.site_count; i++) {
        const table_site *site = &table->sites[i];
        figures *to = &out[site->pc];
        for (const table_sums &sums : site->sums)
            for (unsigned k = 0; k < 2 + SUMMED; k++)
                to->sums[k] += (&sums.requests)[k];
        to->ways[0] = std::max<unsigned long long>(to->ways[0], site->ways);
        to->ways[1] = std::max<unsigned long long>(to->ways[1], site->ways_lanes);
    }
    for (uint32_t i = 1; i <= table->head.entry_count; i++) {
        const table_entry *entry = &table->entries[i];
        unsigned long long times = 0;
        for (unsigned long long count : entry->count)
            times += count;
        add(&out[entry->pc], times, entry->lanes, entry->price);
    }
    return out;
}

/* The worst copies that are not among the costliest ones; an instruction without one counts too. */
static unsigned wrong_targets(const instrument_table *table, copies all) {
    std::map<uint64_t, const table_worst *> found;
    for (uint32_t i = 0; i < table->head.worst_count; i++) {
        const table_worst **one = &found[table->sites[table->worst[i].site].pc];
        if (!*one || table->worst[i].order > (*one)->order)
            *one = &table->worst[i];
    }
    unsigned wrong = 0;
    for (const auto &one : all) {
        const table_worst *worst = found[one.first];
        bool is_there = false;
        for (const std::vector<uint64_t> &targets : one.second.targets) {
            bool is_same = worst && worst->order >> 32 == one.second.cost;
            for (unsigned lane = 0; is_same && lane < 32; lane++)
                is_same = (worst->lanes >> lane & 1) == 0 || worst->offset[lane] == targets[lane];
            is_there |= is_same;
        }
        wrong += !is_there;
    }
    return wrong;
}

#define CHECK(call)                                        \
    if ((call) != cudaSuccess) {                           \
        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
                cudaGetErrorString(cudaGetLastError()));   \
        exit(2);                                           \
    }

int main() {
    static instrument_table table;
    char *memory;
    by_place wanted;
    copies worst;
    CHECK(cudaMalloc(&memory, sizeof table + TABLE_ALIGNMENT));
    char *on_gpu = (char *)(((uintptr_t)memory | (TABLE_ALIGNMENT - 1)) + 1);
    table.head.reserved_bytes = RESERVED;
    CHECK(cudaMemcpy(on_gpu, &table, sizeof table, cudaMemcpyHostToDevice));
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        calls<<<1, THREADS>>>(on_gpu, launch);
        CHECK(cudaDeviceSynchronize());
#ifndef __CUDA_ARCH__
        for (uint32_t round = 0; round < ROUNDS; round++)
            for (uint32_t i = 0; i < repeats(round) * THREADS / 32; i++)
                expect(&wanted, &worst, launch * REPEATS + i / (THREADS / 32), round,
                       i % (THREADS / 32));
#endif
    }
    CHECK(cudaMemcpy(&table, on_gpu, sizeof table, cudaMemcpyDeviceToHost));
    by_place got = read_table(&table);
    unsigned wrong = table.head.sites_lost != 0;
    for (const auto &one : wanted)
        if (memcmp(&one.second, &got[one.first], sizeof(figures)) != 0) {
            wrong++;
            printf("at %llx:", (unsigned long long)one.first);
            for (unsigned i = 0; i < 2 + SUMMED; i++)
                printf(" %llu/%llu", got[one.first].sums[i], one.second.sums[i]);
            printf(", ways %llu/%llu %llu/%llu\n", got[one.first].ways[0], one.second.ways[0],
                   got[one.first].ways[1], one.second.ways[1]);
        }
    const unsigned elsewhere = wrong_targets(&table, worst);
    wrong += elsewhere;
    printf("%u copies with other targets\n", elsewhere);
    printf("%zu instructions, %u entries, %u differ\n", wanted.size(), table.head.entry_count,
           wrong);
    return wrong == 0 && got.size() == wanted.size() ? 0 : 1;
}
