/* SPDX-License-Identifier: MIT */
/*
 * Memory. Device memory has addresses that the host cannot access, so a program that mistakes one
 * for the other fails as it would with a GPU. Pinned and managed memory has the same address for
 * both. No address is given out twice, so uses of freed memory are found.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interface.h"
#include "list.h"

/* Between the addresses of programs and libraries and the windows of the emulator. */
#define FIRST_ADDRESS 0x200000000000ull
#define LAST_ADDRESS 0x500000000000ull
enum { STEP = 4096, GAP = 65536, NAME_BYTES = 64, FREED_MAX = 4096, PITCH_STEP = 512 };

/* An allocation; the emulator has an array of the same address. */
typedef struct block {
    uint64_t address;
    size_t bytes;
    uint8_t *host;
    rt_memory_kind kind;
    bool is_freed, is_mapped; /* mapped: driver_virtual.c owns `host` */
} block;

static block *blocks; /* sorted by address */
static size_t block_count, freed_count;
static uint64_t next_address = FIRST_ADDRESS;
static uint64_t used_bytes;

static block *find_block(uint64_t address) {
    for (size_t low = 0, high = block_count; low < high;) {
        const size_t middle = (low + high) / 2;
        if (address < blocks[middle].address)
            high = middle;
        else if (address - blocks[middle].address >= blocks[middle].bytes &&
                 address != blocks[middle].address)
            low = middle + 1;
        else
            return &blocks[middle];
    }
    return NULL;
}

static block *live_block(const void *address) {
    block *found = find_block((uintptr_t)address);
    return found && !found->is_freed ? found : NULL;
}

bool rt_is_device(const void *address) {
    const block *found = live_block(address);
    return found && found->kind == RT_DEVICE;
}

bool rt_was_device(const void *address) {
    const block *found = find_block((uintptr_t)address);
    return found && found->kind == RT_DEVICE && found->address == (uintptr_t)address;
}

bool rt_range_of(const void *address, rt_range *out) {
    const block *found = live_block(address);
    if (found)
        *out = (rt_range){(void *)(uintptr_t)found->address, found->bytes, found->kind};
    return found;
}

/* Bytes up to the end of the block, including adjacent mapped blocks. */
static size_t bytes_from(const block *found, uint64_t at) {
    size_t bytes = found->bytes - (at - found->address);
    for (const block *next = found + 1;
         next < blocks + block_count && next->is_mapped && next[-1].is_mapped &&
         next->address == next[-1].address + next[-1].bytes &&
         next->host == next[-1].host + next[-1].bytes;
         next++)
        bytes += next->bytes;
    return bytes;
}

uint8_t *rt_bytes(const void *address, size_t bytes) {
    const uint64_t at = (uintptr_t)address;
    const block *found = find_block(at);
    if (!found) /* memory that CUDA did not allocate: usable unless it is a device address */
        return at >= FIRST_ADDRESS && at < next_address ? NULL : (uint8_t *)at;
    if (found->is_freed || bytes > bytes_from(found, at))
        return NULL;
    return found->host + (at - found->address);
}

/* ---- Making and freeing ---- */

static bool insert_block(const block *made) {
    if (!LIST_ROOM(blocks, block_count))
        return false;
    size_t at = block_count;
    while (at > 0 && blocks[at - 1].address > made->address)
        at--;
    memmove(&blocks[at + 1], &blocks[at], (block_count - at) * sizeof *blocks);
    blocks[at] = *made;
    block_count++;
    return true;
}

static void remove_block(block *gone) {
    memmove(gone, gone + 1, (size_t)(blocks + block_count - gone - 1) * sizeof *blocks);
    block_count--;
}

static bool add_block(const block *made, const char *name) {
    static unsigned long number;
    char text[NAME_BYTES];
    number++;
    if (name)
        (void)snprintf(text, sizeof text, "%s", name);
    else
        (void)snprintf(text, sizeof text, "allocation %lu", number);
    if (!insert_block(made))
        return false;
    if (smp_emu_memory_place(rt_memory(), text, made->address, made->bytes, made->host))
        return true;
    remove_block(find_block(made->address));
    return false;
}

/* Reserves addresses; `protection` says whether the host can access them. */
static void *take_addresses(size_t bytes, int protection) {
    const size_t whole = (bytes + GAP + STEP - 1) / STEP * STEP;
    while (whole < LAST_ADDRESS - next_address) {
        void *wanted = (void *)(uintptr_t)next_address;
        void *got = mmap(wanted, whole, protection,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        next_address += whole;
        if (got == wanted)
            return got;
        if (got != MAP_FAILED)
            (void)munmap(got, whole);
        else if (protection != PROT_NONE)
            return NULL;
    }
    return NULL;
}

cudaError_t rt_allocate(void **out, size_t bytes, rt_memory_kind kind, const char *name) {
    block made = {.bytes = bytes, .kind = kind};
    *out = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > ((uint64_t)rt_device_played()->memory_mib << 20) - used_bytes)
        return cudaErrorMemoryAllocation;
    void *address = take_addresses(bytes, kind == RT_DEVICE ? PROT_NONE : PROT_READ | PROT_WRITE);
    if (!address)
        return cudaErrorMemoryAllocation;
    made.address = (uintptr_t)address;
    made.host = kind == RT_DEVICE ? zeroed_alloc(bytes + 16) : address;
    if (!made.host || !add_block(&made, name)) {
        if (kind == RT_DEVICE)
            free(made.host);
        return cudaErrorMemoryAllocation;
    }
    used_bytes += bytes;
    *out = address;
    return cudaSuccess;
}

/* ---- Memory that the program maps itself (driver_virtual.c) ---- */

bool rt_take_memory(size_t bytes, bool takes) {
    if (takes && bytes > ((uint64_t)rt_device_played()->memory_mib << 20) - used_bytes)
        return false;
    used_bytes = takes ? used_bytes + bytes : used_bytes - bytes;
    return true;
}

uint64_t rt_reserve(size_t bytes, size_t step) {
    void *got = bytes > SIZE_MAX - step ? NULL : take_addresses(bytes + step, PROT_NONE);
    return ((uintptr_t)got + step - 1) / step * step;
}

bool rt_map(uint64_t address, size_t bytes, uint8_t *host) {
    const block made = {
        .address = address, .bytes = bytes, .host = host, .kind = RT_DEVICE, .is_mapped = true};
    return add_block(&made, NULL);
}

void rt_unmap(uint64_t address) {
    block *gone = find_block(address);
    smp_emu_array *array = smp_emu_memory_find(rt_memory(), address);
    if (array)
        smp_emu_memory_remove(rt_memory(), array);
    if (gone)
        remove_block(gone);
}

/* ---- Freeing ---- */

/* Removes a freed block, which was kept to name it in findings. */
static void forget(block *gone) {
    smp_emu_array *array = smp_emu_memory_find(rt_memory(), gone->address);
    if (array)
        smp_emu_memory_remove(rt_memory(), array);
    remove_block(gone);
    freed_count--;
}

/* Removes the oldest freed block. */
static void forget_one(void) {
    for (size_t i = 0; i < block_count; i++) {
        if (!blocks[i].is_freed)
            continue;
        forget(&blocks[i]);
        return;
    }
}

/* Frees a block. Its name stays, for findings about later uses. */
static void release(block *gone) {
    char text[NAME_BYTES + 64];
    smp_emu_array *array = smp_emu_memory_find(rt_memory(), gone->address);
    const uint64_t address = gone->address;
    rt_order_freed(address);
    if (array) {
        (void)snprintf(text, sizeof text, "%.60s (freed; it had %zu bytes)", array->name,
                       gone->bytes);
        smp_emu_memory_remove(rt_memory(), array);
    }
    used_bytes -= gone->kind == RT_REGISTERED ? 0 : gone->bytes;
    if (gone->kind == RT_DEVICE)
        free(gone->host);
    else if (gone->kind != RT_REGISTERED)
        (void)munmap(gone->host, gone->bytes);
    gone->host = NULL;
    gone->is_freed = true;
    smp_emu_array *left = array && gone->kind != RT_REGISTERED
                              ? smp_emu_memory_place(rt_memory(), text, address, 0, NULL)
                              : NULL;
    if (!left) {
        remove_block(gone);
        return;
    }
    left->freed_bytes = gone->bytes;
    if (++freed_count > FREED_MAX)
        forget_one();
}

cudaError_t rt_allocate_again(void *address, size_t bytes) {
    block *before = find_block((uintptr_t)address);
    block made = {.address = (uintptr_t)address, .bytes = bytes, .kind = RT_DEVICE};
    if (before && !before->is_freed)
        return cudaSuccess;
    if (before)
        forget(before);
    made.host = calloc(1, bytes + 16);
    if (!made.host || !add_block(&made, NULL)) {
        free(made.host);
        return cudaErrorMemoryAllocation;
    }
    used_bytes += bytes;
    return cudaSuccess;
}

static cudaError_t free_block(void *address, bool is_host) {
    block *found = live_block(address);
    if (!address)
        return cudaSuccess;
    if (!found || found->address != (uintptr_t)address || found->kind == RT_REGISTERED ||
        found->is_mapped || (found->kind == RT_HOST) != is_host)
        return cudaErrorInvalidValue;
    release(found);
    return cudaSuccess;
}

cudaError_t rt_free(void *address) {
    return free_block(address, false);
}

/* ---- The interface ---- */

RT_CALL(cudaMalloc(void **out, size_t bytes),
        out ? rt_allocate(out, bytes, RT_DEVICE, NULL) : cudaErrorInvalidValue);
DRV_CALL(cuMemAlloc_v2(void **out, size_t bytes),
         bytes > 0 && out ? rt_allocate(out, bytes, RT_DEVICE, NULL) : cudaErrorInvalidValue);
SAME_CALL(cudaMallocManaged, cuMemAllocManaged, (void **out, size_t bytes, unsigned flags),
          bytes > 0 && (flags == 1 || flags == 2) && out ? rt_allocate(out, bytes, RT_MANAGED, NULL)
                                                         : cudaErrorInvalidValue);
SAME_CALL(cudaMallocHost, cuMemAllocHost_v2, (void **out, size_t bytes),
          out ? rt_allocate(out, bytes, RT_HOST, NULL) : cudaErrorInvalidValue);
SAME_CALL(cudaHostAlloc, cuMemHostAlloc, (void **out, size_t bytes, unsigned flags),
          flags < 8 && out ? rt_allocate(out, bytes, RT_HOST, NULL) : cudaErrorInvalidValue);

static cudaError_t allocate_rows(void **out, size_t *pitch, size_t width, size_t rows) {
    size_t bytes;
    if (!out || !pitch)
        return cudaErrorInvalidValue;
    *pitch = (width + PITCH_STEP - 1) / PITCH_STEP * PITCH_STEP;
    if (__builtin_mul_overflow(*pitch, rows, &bytes))
        return cudaErrorMemoryAllocation;
    return rt_allocate(out, bytes, RT_DEVICE, NULL);
}

RT_FORWARD(cudaMallocPitch, allocate_rows, void **, size_t *, size_t, size_t);
DRV_CALL(cuMemAllocPitch_v2(void **out, size_t *pitch, size_t width, size_t rows,
                            unsigned element_bytes),
         element_bytes == 4 || element_bytes == 8 || element_bytes == 16
             ? allocate_rows(out, pitch, width, rows)
             : cudaErrorInvalidValue);

static cudaError_t allocate_3d(struct cudaPitchedPtr *out, struct cudaExtent extent) {
    size_t rows;
    if (!out || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return cudaErrorInvalidValue;
    out->xsize = extent.width;
    out->ysize = extent.height;
    return allocate_rows(&out->ptr, &out->pitch, extent.width, rows);
}

RT_FORWARD(cudaMalloc3D, allocate_3d, struct cudaPitchedPtr *, struct cudaExtent);
SAME(cudaFree, cuMemFree_v2, rt_free, void *);
SAME_CALL(cudaFreeHost, cuMemFreeHost, (void *address), free_block(address, true));

static cudaError_t register_host(void *address, size_t bytes) {
    const block made = {
        .address = (uintptr_t)address, .bytes = bytes, .host = address, .kind = RT_REGISTERED};
    if (!address || bytes == 0)
        return cudaErrorInvalidValue;
    if (live_block(address))
        return cudaErrorHostMemoryAlreadyRegistered;
    return add_block(&made, "registered memory") ? cudaSuccess : cudaErrorMemoryAllocation;
}

SAME_CALL(cudaHostRegister, cuMemHostRegister_v2, (void *address, size_t bytes, unsigned flags),
          register_host(address, bytes));

static cudaError_t unregister_host(void *address) {
    block *found = live_block(address);
    if (!found || found->kind != RT_REGISTERED || found->address != (uintptr_t)address)
        return cudaErrorHostMemoryNotRegistered;
    release(found);
    return cudaSuccess;
}

SAME(cudaHostUnregister, cuMemHostUnregister, unregister_host, void *);

static bool is_pinned(const void *address) {
    const block *found = live_block(address);
    return found && (found->kind == RT_HOST || found->kind == RT_REGISTERED);
}

SAME_CALL(cudaHostGetDevicePointer, cuMemHostGetDevicePointer_v2,
          (void **out, void *address, unsigned flags),
          RT_IF(flags == 0 && is_pinned(address) && out, *out = address));
SAME_CALL(cudaHostGetFlags, cuMemHostGetFlags, (unsigned *flags, void *address),
          RT_IF(is_pinned(address) && flags, *flags = cudaHostAllocMapped));

/* At most what this machine has, whatever the emulated GPU has. */
static cudaError_t memory_info(size_t *unused, size_t *total) {
    const uint64_t all = (uint64_t)rt_device_played()->memory_mib << 20;
    const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t here = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : all;
    const uint64_t left = all - used_bytes;
    if (unused)
        *unused = left < here ? left : here;
    if (total)
        *total = all;
    return unused && total ? cudaSuccess : cudaErrorInvalidValue;
}

SAME(cudaMemGetInfo, cuMemGetInfo_v2, memory_info, size_t *, size_t *);

static cudaError_t describe(struct cudaPointerAttributes *out, const void *address) {
    static const int types[] = {cudaMemoryTypeDevice, cudaMemoryTypeHost, cudaMemoryTypeManaged,
                                cudaMemoryTypeHost};
    if (!out)
        return cudaErrorInvalidValue;
    const block *found = live_block(address);
    void *same = (void *)(uintptr_t)address;
    out->type = found ? types[found->kind] : cudaMemoryTypeUnregistered;
    out->device = found ? 0 : -2;
    out->devicePointer = found ? same : NULL;
    out->hostPointer = found && found->kind == RT_DEVICE ? NULL : same;
    return cudaSuccess;
}

RT_FORWARD(cudaPointerGetAttributes, describe, struct cudaPointerAttributes *, const void *);
