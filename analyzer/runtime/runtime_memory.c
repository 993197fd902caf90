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

static size_t freed_count;
static uint64_t next_address = FIRST_ADDRESS;
static uint64_t used_bytes;

/* The program's allocations are arrays of the emulator. Freed ones are kept to name them in
 * findings. */
static smp_emu_array *find_array(const void *address) {
    smp_emu_array *found = smp_emu_memory_known(rt_memory(), (uintptr_t)address);
    return found && found->kind != 0 ? found : NULL;
}

static smp_emu_array *live_array(const void *address) {
    smp_emu_array *found = find_array(address);
    return found && found->freed_bytes == 0 ? found : NULL;
}

static bool is_device(const smp_emu_array *array) {
    return array && (array->kind == RT_DEVICE || array->kind == RT_MAPPED);
}

bool rt_is_device(const void *address) {
    return is_device(live_array(address));
}

bool rt_was_device(const void *address) {
    const smp_emu_array *found = find_array(address);
    return is_device(found) && found->address == (uintptr_t)address;
}

bool rt_range_of(const void *address, rt_range *out) {
    const smp_emu_array *found = live_array(address);
    if (found)
        *out = (rt_range){(void *)(uintptr_t)found->address, found->size_bytes,
                          is_device(found) ? RT_DEVICE : (rt_memory_kind)found->kind};
    return found;
}

/* Bytes up to the end of the array, including adjacent mapped ones. */
static size_t bytes_from(const smp_emu_array *found, uint64_t at) {
    const smp_emu_array *end = rt_memory()->arrays + rt_memory()->count;
    size_t bytes = found->size_bytes - (at - found->address);
    for (const smp_emu_array *next = found + 1;
         next < end && next->kind == RT_MAPPED && next[-1].kind == RT_MAPPED &&
         next->address == next[-1].address + next[-1].size_bytes &&
         next->bytes == next[-1].bytes + next[-1].size_bytes;
         next++)
        bytes += next->size_bytes;
    return bytes;
}

uint8_t *rt_bytes(const void *address, size_t bytes) {
    const uint64_t at = (uintptr_t)address;
    const smp_emu_array *found = find_array(address);
    if (!found) /* memory that CUDA did not allocate: usable unless it is a device address */
        return at >= FIRST_ADDRESS && at < next_address ? NULL : (uint8_t *)at;
    if (found->freed_bytes > 0 || bytes > bytes_from(found, at))
        return NULL;
    return found->bytes + (at - found->address);
}

/* ---- Making and freeing ---- */

/* `name`: NULL for a number. */
static bool add_array(uint64_t address, size_t bytes, uint8_t *host, rt_memory_kind kind,
                      const char *name) {
    static unsigned long number;
    char text[NAME_BYTES];
    number++;
    if (name)
        (void)snprintf(text, sizeof text, "%s", name);
    else
        (void)snprintf(text, sizeof text, "allocation %lu", number);
    smp_emu_array *made = smp_emu_memory_place(rt_memory(), text, address, bytes, host);
    if (made)
        made->kind = (uint8_t)kind;
    return made;
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
    *out = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > ((uint64_t)rt_device_played()->memory_mib << 20) - used_bytes)
        return cudaErrorMemoryAllocation;
    void *address = take_addresses(bytes, kind == RT_DEVICE ? PROT_NONE : PROT_READ | PROT_WRITE);
    if (!address)
        return cudaErrorMemoryAllocation;
    uint8_t *host = kind == RT_DEVICE ? zeroed_alloc(bytes + 16) : address;
    if (!host || !add_array((uintptr_t)address, bytes, host, kind, name)) {
        if (kind == RT_DEVICE)
            free(host);
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
    return add_array(address, bytes, host, RT_MAPPED, NULL);
}

void rt_unmap(uint64_t address) {
    smp_emu_array *gone = find_array((void *)(uintptr_t)address);
    if (gone)
        smp_emu_memory_remove(rt_memory(), gone);
}

/* ---- Freeing ---- */

static void forget(smp_emu_array *freed) {
    smp_emu_memory_remove(rt_memory(), freed);
    freed_count--;
}

/* Frees an array. Its name stays, for findings about later uses; of too many names, the lowest
 * address goes. */
static void release(smp_emu_array *gone) {
    char text[NAME_BYTES + 64];
    const uint64_t address = gone->address, bytes = gone->size_bytes;
    const uint8_t kind = gone->kind;
    rt_order_freed(address);
    (void)snprintf(text, sizeof text, "%.60s (freed; it had %zu bytes)", gone->name, (size_t)bytes);
    used_bytes -= kind == RT_REGISTERED ? 0 : bytes;
    if (kind == RT_DEVICE)
        free(gone->bytes);
    else if (kind != RT_REGISTERED)
        (void)munmap(gone->bytes, bytes);
    smp_emu_memory_remove(rt_memory(), gone);
    smp_emu_array *left =
        kind == RT_REGISTERED ? NULL : smp_emu_memory_place(rt_memory(), text, address, 0, NULL);
    if (!left)
        return;
    left->kind = kind;
    left->freed_bytes = bytes;
    if (++freed_count > FREED_MAX)
        forget(FIND(one, rt_memory()->arrays, rt_memory()->count, one->freed_bytes > 0));
}

cudaError_t rt_allocate_again(void *address, size_t bytes) {
    smp_emu_array *before = find_array(address);
    if (before && before->freed_bytes == 0)
        return cudaSuccess;
    if (before)
        forget(before);
    uint8_t *host = calloc(1, bytes + 16);
    if (!host || !add_array((uintptr_t)address, bytes, host, RT_DEVICE, NULL)) {
        free(host);
        return cudaErrorMemoryAllocation;
    }
    used_bytes += bytes;
    return cudaSuccess;
}

static cudaError_t free_array(void *address, bool is_host) {
    smp_emu_array *found = live_array(address);
    if (!address)
        return cudaSuccess;
    if (!found || found->address != (uintptr_t)address || found->kind == RT_REGISTERED ||
        found->kind == RT_MAPPED || (found->kind == RT_HOST) != is_host)
        return cudaErrorInvalidValue;
    release(found);
    return cudaSuccess;
}

cudaError_t rt_free(void *address) {
    return free_array(address, false);
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
SAME_CALL(cudaFreeHost, cuMemFreeHost, (void *address), free_array(address, true));

static cudaError_t register_host(void *address, size_t bytes) {
    if (!address || bytes == 0)
        return cudaErrorInvalidValue;
    if (live_array(address))
        return cudaErrorHostMemoryAlreadyRegistered;
    return add_array((uintptr_t)address, bytes, address, RT_REGISTERED, "registered memory")
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

SAME_CALL(cudaHostRegister, cuMemHostRegister_v2, (void *address, size_t bytes, unsigned flags),
          register_host(address, bytes));

static cudaError_t unregister_host(void *address) {
    smp_emu_array *found = live_array(address);
    if (!found || found->kind != RT_REGISTERED || found->address != (uintptr_t)address)
        return cudaErrorHostMemoryNotRegistered;
    release(found);
    return cudaSuccess;
}

SAME(cudaHostUnregister, cuMemHostUnregister, unregister_host, void *);

static bool is_pinned(const void *address) {
    const smp_emu_array *found = live_array(address);
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
    static const int types[] = {[RT_DEVICE] = cudaMemoryTypeDevice,
                                [RT_HOST] = cudaMemoryTypeHost,
                                [RT_MANAGED] = cudaMemoryTypeManaged,
                                [RT_REGISTERED] = cudaMemoryTypeHost,
                                [RT_MAPPED] = cudaMemoryTypeDevice};
    if (!out)
        return cudaErrorInvalidValue;
    const smp_emu_array *found = live_array(address);
    void *same = (void *)(uintptr_t)address;
    out->type = found ? types[found->kind] : cudaMemoryTypeUnregistered;
    out->device = found ? 0 : -2;
    out->devicePointer = found ? same : NULL;
    out->hostPointer = is_device(found) ? NULL : same;
    return cudaSuccess;
}

RT_FORWARD(cudaPointerGetAttributes, describe, struct cudaPointerAttributes *, const void *);
