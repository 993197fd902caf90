/* SPDX-License-Identifier: MIT */
/*
 * residency.c: how many blocks of a kernel a multiprocessor holds at once. Limits by compute
 * capability: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", of the
 * editions that cover each; what is reserved and rounded: Guide, shared memory sections of 8.x and
 * 9.0 ("1 KB of shared memory is reserved per thread block"), and the occupancy calculator that
 * came with CUDA up to 12.
 */
#include "smp_kernels.h"

typedef struct limits_row {
    uint8_t first_cc; /* 10 x major + minor; holds up to the next row */
    uint16_t threads, blocks;
    uint16_t reserved_bytes; /* of shared memory, by the system, for each block */
    uint16_t unit_bytes;     /* shared memory is given in multiples of it */
    uint32_t registers;      /* of a multiprocessor; given to warps in multiples of 256 from 3.0 */
} limits_row;

static const limits_row rows[] = {
    {10, 768, 8, 0, 512, 8192},       {12, 1024, 8, 0, 512, 16384},
    {20, 1536, 8, 0, 128, 32768},     {30, 2048, 16, 0, 256, 65536},
    {37, 2048, 16, 0, 256, 131072},   {50, 2048, 32, 0, 256, 65536},
    {75, 1024, 16, 0, 256, 65536},    {80, 2048, 32, 1024, 128, 65536},
    {86, 1536, 16, 1024, 128, 65536}, {89, 1536, 24, 1024, 128, 65536},
    {90, 2048, 32, 1024, 128, 65536}, {110, 1536, 24, 1024, 128, 65536},
};

enum { REGISTER_UNIT = 256, PARTITIONS = 4 };

static const limits_row *limits_of(const smp_arch *arch) {
    const unsigned cc = 10u * arch->cc_major + arch->cc_minor;
    const limits_row *row = rows;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].first_cc <= cc)
            row = &rows[i];
    return row;
}

static uint32_t round_up(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* Blocks that the registers allow: each of the four partitions of a multiprocessor holds whole
 * warps. */
static uint32_t by_registers(const limits_row *limits, uint32_t warps, uint32_t registers) {
    const uint32_t a_warp = round_up(registers * SMP_LANES, REGISTER_UNIT);
    return limits->registers / PARTITIONS / a_warp * PARTITIONS / warps;
}

uint32_t smp_resident_blocks(const smp_arch *arch, uint32_t threads, uint32_t shared_bytes,
                             uint32_t registers) {
    const limits_row *limits = limits_of(arch);
    const uint32_t warps = round_up(threads, SMP_LANES) / SMP_LANES;
    const uint32_t a_block = round_up(shared_bytes + limits->reserved_bytes, limits->unit_bytes);
    uint32_t most = limits->blocks;
    if (limits->threads / SMP_LANES / warps < most)
        most = limits->threads / SMP_LANES / warps;
    if (a_block > 0 && arch->shared_sm_kib * 1024u / a_block < most)
        most = arch->shared_sm_kib * 1024u / a_block;
    if (registers > 0 && arch->cc_major >= 3 && by_registers(limits, warps, registers) < most)
        most = by_registers(limits, warps, registers);
    return shared_bytes > arch->shared_block_kib * 1024u ? 0 : most;
}
