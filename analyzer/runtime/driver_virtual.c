/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory management (CUDA Driver API reference, Virtual Memory Management): a program
 * reserves addresses, allocates memory and maps one to the other in separate calls. An allocation
 * is a file in memory (memfd). A reserved range of device addresses has a range of the same size on
 * the host, in which the files are mapped as the program asks: what is adjacent on the device is
 * adjacent on the host, and memory that is mapped twice is shared.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interface.h"
#include "list.h"

enum { GRANULARITY = 2 << 20 /* as on the emulated GPUs */, PINNED = 1, ON_DEVICE = 1 };
enum { ACCESS_NONE, ACCESS_READ, ACCESS_BOTH = 3 };

/* From cuda.h. */
typedef struct CUmemAllocationProp {
    int type, requestedHandleTypes;
    struct cudaMemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;

typedef struct CUmemAccessDesc {
    struct cudaMemLocation location;
    int flags;
} CUmemAccessDesc;

/* An allocation. It is freed once it is released and no longer mapped. */
typedef struct memory {
    CUmemAllocationProp properties;
    size_t bytes;
    unsigned long long handle;
    unsigned handles, maps;
    int file;
} memory;

typedef struct range {
    uint64_t address;
    size_t bytes;
    uint8_t *host;
} range;

typedef struct map {
    uint64_t address;
    size_t bytes;
    memory *of;
    uint8_t *host;
    bool is_accessible;
} map;

static memory **memories;
static range *ranges;
static map *maps;
static size_t memory_count, range_count, map_count;
static unsigned long long next_handle = 1;

static bool is_whole(uint64_t number) {
    return number > 0 && number % GRANULARITY == 0;
}

/* ---- Memory ---- */

static memory **find_memory(unsigned long long handle) {
    return FIND(one, memories, memory_count, (*one)->handle == handle && (*one)->handles > 0);
}

static void drop_unused(memory *one) {
    if (one->handles > 0 || one->maps > 0)
        return;
    for (size_t i = 0; i < memory_count; i++)
        if (memories[i] == one)
            memories[i] = memories[--memory_count];
    rt_take_memory(one->bytes, false);
    (void)close(one->file);
    free(one);
}

static cudaError_t check_properties(const CUmemAllocationProp *properties) {
    if (!properties || properties->type != PINNED)
        return cudaErrorInvalidValue;
    if (properties->location.type != ON_DEVICE)
        return rt_refuse("cuMemCreate", "host memory is not supported without a GPU");
    if (properties->requestedHandleTypes != 0)
        return rt_refuse("cuMemCreate",
                         "memory shared between processes is not supported without a GPU");
    return properties->location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t create(unsigned long long *out, size_t bytes,
                          const CUmemAllocationProp *properties, unsigned long long flags) {
    cudaError_t result = check_properties(properties);
    if (result == cudaSuccess && (!out || flags != 0 || !is_whole(bytes)))
        result = cudaErrorInvalidValue;
    if (result != cudaSuccess)
        return result;
    memory *made = calloc(1, sizeof *made);
    const bool is_taken = made && rt_take_memory(bytes, true);
    const int file = is_taken ? memfd_create("smemprobe", MFD_CLOEXEC) : -1;
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0 || !LIST_ROOM(memories, memory_count)) {
        if (file >= 0)
            (void)close(file);
        if (is_taken)
            rt_take_memory(bytes, false);
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *made = (memory){.properties = *properties,
                     .bytes = bytes,
                     .handle = next_handle++,
                     .handles = 1,
                     .file = file};
    made->properties.allocFlags.compressionType = 0; /* compression may be refused */
    memories[memory_count++] = made;
    *out = made->handle;
    return cudaSuccess;
}

static cudaError_t release(unsigned long long handle) {
    memory **found = find_memory(handle);
    if (!found)
        return cudaErrorInvalidValue;
    (*found)->handles--;
    drop_unused(*found);
    return cudaSuccess;
}

/* ---- Addresses ---- */

static cudaError_t reserve(CUdeviceptr *out, size_t bytes, size_t alignment,
                           unsigned long long flags) {
    const size_t step = alignment > GRANULARITY ? alignment : GRANULARITY;
    if (!out || flags != 0 || !is_whole(bytes) || (alignment & (alignment - 1)) != 0)
        return cudaErrorInvalidValue;
    uint8_t *host = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const uint64_t address = host == MAP_FAILED ? 0 : rt_reserve(bytes, step);
    if (address == 0 || !LIST_ROOM(ranges, range_count)) {
        if (host != MAP_FAILED)
            (void)munmap(host, bytes + 4096);
        return cudaErrorMemoryAllocation;
    }
    ranges[range_count++] = (range){address, bytes, host};
    *out = address;
    return cudaSuccess;
}

static range *range_around(CUdeviceptr address, size_t bytes) {
    return FIND(one, ranges, range_count,
                address >= one->address && bytes <= one->bytes &&
                    address - one->address <= one->bytes - bytes);
}

/* A map that overlaps these bytes. */
static map *map_in(CUdeviceptr address, size_t bytes) {
    return FIND(one, maps, map_count,
                one->address < address + bytes && address < one->address + one->bytes);
}

static cudaError_t give_back(CUdeviceptr address, size_t bytes) {
    range *found = range_around(address, bytes);
    if (!found || found->address != address || found->bytes != bytes || map_in(address, bytes))
        return cudaErrorInvalidValue;
    (void)munmap(found->host, bytes + 4096);
    *found = ranges[--range_count];
    return cudaSuccess;
}

/* ---- Maps ---- */

static cudaError_t make_map(CUdeviceptr address, size_t bytes, size_t offset,
                            unsigned long long handle, unsigned long long flags) {
    memory **of = find_memory(handle);
    const range *around = range_around(address, bytes);
    if (!of || !around || flags != 0 || offset != 0 || !is_whole(bytes) || !is_whole(address) ||
        bytes > (*of)->bytes || map_in(address, bytes))
        return cudaErrorInvalidValue;
    uint8_t *host = around->host + (address - around->address);
    if (!LIST_ROOM(maps, map_count) ||
        mmap(host, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, (*of)->file, 0) != host)
        return cudaErrorMemoryAllocation;
    (*of)->maps++;
    maps[map_count++] = (map){address, bytes, *of, host, false};
    return cudaSuccess;
}

/* Whether complete maps cover these bytes exactly. */
static bool is_filled(CUdeviceptr address, size_t bytes) {
    size_t filled = 0;
    for (size_t i = 0; i < map_count; i++)
        if (maps[i].address >= address && maps[i].address + maps[i].bytes <= address + bytes)
            filled += maps[i].bytes;
    return bytes > 0 && filled == bytes;
}

static bool set_access(map *one, bool is_accessible) {
    bool is_done = true;
    if (is_accessible && !one->is_accessible)
        is_done = rt_map(one->address, one->bytes, one->host);
    else if (!is_accessible && one->is_accessible)
        rt_unmap(one->address);
    one->is_accessible = is_accessible && is_done;
    return is_done;
}

static cudaError_t give_access(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list,
                               size_t count) {
    if (!list || count != 1 || list->location.type != ON_DEVICE || list->location.id != 0 ||
        !is_filled(address, bytes))
        return cudaErrorInvalidValue;
    if (list->flags == ACCESS_READ)
        return rt_refuse("cuMemSetAccess", "read-only memory is not supported without a GPU");
    if (list->flags != ACCESS_NONE && list->flags != ACCESS_BOTH)
        return cudaErrorInvalidValue;
    bool is_done = true;
    for (size_t i = 0; i < map_count; i++)
        if (maps[i].address - address < bytes)
            is_done &= set_access(&maps[i], list->flags == ACCESS_BOTH);
    return is_done ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t unmap(CUdeviceptr address, size_t bytes) {
    if (!is_filled(address, bytes))
        return cudaErrorInvalidValue;
    for (size_t i = map_count; i-- > 0;) {
        map gone = maps[i];
        if (gone.address - address >= bytes)
            continue;
        (void)set_access(&gone, false);
        (void)mmap(gone.host, gone.bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        maps[i] = maps[--map_count];
        gone.of->maps--;
        drop_unused(gone.of);
    }
    return cudaSuccess;
}

/* ---- Questions ---- */

static cudaError_t tell_access(unsigned long long *flags, const struct cudaMemLocation *location,
                               CUdeviceptr address) {
    const map *at = map_in(address, 1);
    if (!flags || !location || location->type != ON_DEVICE || location->id != 0 || !at)
        return cudaErrorInvalidValue;
    *flags = at->is_accessible ? ACCESS_BOTH : ACCESS_NONE;
    return cudaSuccess;
}

static cudaError_t retain(unsigned long long *out, CUdeviceptr address) {
    const map *at = map_in(address, 1);
    if (!out || !at)
        return cudaErrorInvalidValue;
    at->of->handles++;
    *out = at->of->handle;
    return cudaSuccess;
}

/* ---- The interface ---- */

DRV_FORWARD(cuMemCreate, create, unsigned long long *, size_t, const CUmemAllocationProp *,
            unsigned long long);
DRV_FORWARD(cuMemRelease, release, unsigned long long);
DRV_CALL(cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags),
         reserve(address, bytes, alignment, flags)); /* a hint */
DRV_FORWARD(cuMemAddressFree, give_back, CUdeviceptr, size_t);
DRV_FORWARD(cuMemMap, make_map, CUdeviceptr, size_t, size_t, unsigned long long,
            unsigned long long);
DRV_FORWARD(cuMemUnmap, unmap, CUdeviceptr, size_t);
DRV_FORWARD(cuMemSetAccess, give_access, CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
DRV_FORWARD(cuMemGetAccess, tell_access, unsigned long long *, const struct cudaMemLocation *,
            CUdeviceptr);
DRV_CALL(cuMemRetainAllocationHandle(unsigned long long *handle, void *address),
         retain(handle, (uintptr_t)address));
DRV_CALL(cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *out,
                                                unsigned long long handle),
         RT_IF(!!out && find_memory(handle), *out = (*find_memory(handle))->properties));
DRV_CALL(cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *properties,
                                       int option),
         RT_IF(!!out && properties && (option == 0 || option == 1), *out = GRANULARITY));
