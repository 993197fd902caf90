/* SPDX-License-Identifier: MIT */
/* The program's allocations on its GPUs, by address, for kept launches. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host_capture.h"

enum { HUGE_PAGE = 2 << 20 };

static host_range *ranges; /* by address; none overlap */
static size_t range_count;

/* Returns the first one that ends above the address. */
static size_t place_of(uint64_t address) {
    size_t low = 0, high = range_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ranges[middle].address + ranges[middle].bytes <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const host_range *host_memory_find(uint64_t address) {
    const size_t at = address == 0 ? range_count : place_of(address);
    return at < range_count && ranges[at].address <= address ? &ranges[at] : NULL;
}

static void remove_at(size_t at) {
    range_count--;
    memmove(&ranges[at], &ranges[at + 1], (range_count - at) * sizeof *ranges);
}

/* Overlapping allocations have been freed, whether that was reported or not. */
static void add(const san_memory_data *data) {
    const size_t at = place_of(data->address);
    while (at < range_count && ranges[at].address < data->address + data->bytes)
        remove_at(at);
    if (!host_grow((void **)&ranges, &range_count, sizeof *ranges))
        return;
    memmove(&ranges[at + 1], &ranges[at], (range_count - 1 - at) * sizeof *ranges);
    ranges[at] = (host_range){data->address, data->bytes, data->flags};
}

void host_memory_change(uint32_t id, const san_memory_data *data) {
    if (data->bytes == 0 || data->address + data->bytes < data->address)
        return;
    if (id == SAN_DEVICE_ALLOC || id == SAN_HOST_ALLOC || id == SAN_ALLOC_ASYNC) {
        add(data);
        return;
    }
    const size_t at = place_of(data->address);
    if (at < range_count && ranges[at].address == data->address)
        remove_at(at);
}

void *host_memory_room(uint64_t bytes) {
    void *room = bytes < HUGE_PAGE
                     ? malloc(bytes)
                     : aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (room && bytes >= HUGE_PAGE)
        (void)madvise(room, bytes, MADV_HUGEPAGE);
    return room;
}

bool host_memory_read(const host_range *from, void *stream_handle, void *to) {
    void *address = (void *)(uintptr_t)from->address;
    if ((from->flags & (SAN_MEMORY_MANAGED | SAN_MEMORY_PINNED)) == 0)
        return attach.san.MemcpyDeviceToHost(to, address, from->bytes, stream_handle) ==
               SAN_SUCCESS;
    memcpy(to, address, from->bytes);
    return true;
}
