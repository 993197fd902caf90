/* SPDX-License-Identifier: MIT */
/*
 * How many blocks of a kernel a multiprocessor holds at once, from the limits in the
 * architecture's row. How registers are shared out: the occupancy calculator that came with CUDA up
 * to 12.
 */
#include "smp_model.h"

enum { PARTITIONS = 4 };

static uint32_t round_up(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* Blocks that the registers allow: each of the four partitions of a multiprocessor holds whole
 * warps. */
static uint32_t by_registers(const smp_arch *arch, uint32_t warps, uint32_t registers) {
    const uint32_t a_warp = round_up(registers * SMP_LANES, arch->register_unit);
    return arch->sm_registers / PARTITIONS / a_warp * PARTITIONS / warps;
}

uint32_t smp_resident_blocks(const smp_arch *arch, uint32_t threads, uint32_t shared_bytes,
                             uint32_t registers) {
    if (threads == 0 || threads > arch->sm_threads ||
        shared_bytes > arch->shared_block_kib * 1024u || registers > arch->sm_registers)
        return 0;
    const uint32_t warps = round_up(threads, SMP_LANES) / SMP_LANES;
    const uint32_t a_block =
        round_up(shared_bytes + arch->shared_reserved_bytes, arch->shared_unit_bytes);
    uint32_t most = arch->sm_blocks;
    if (arch->sm_threads / SMP_LANES / warps < most)
        most = arch->sm_threads / SMP_LANES / warps;
    if (a_block > 0 && arch->shared_sm_kib * 1024u / a_block < most)
        most = arch->shared_sm_kib * 1024u / a_block;
    if (registers > 0 && arch->register_unit > 0 && by_registers(arch, warps, registers) < most)
        most = by_registers(arch, warps, registers);
    return most;
}
