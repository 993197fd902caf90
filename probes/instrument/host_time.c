/* SPDX-License-Identifier: MIT */
/*
 * With SMP_INSTRUMENT_TIME, the time of each kernel from CUPTI's activity records, and
 * nothing is patched.
 */
#define _GNU_SOURCE
#include "host_part.h"

#include <stdlib.h>
#include <string.h>

#include "activity_face.h"

enum { BUFFER_BYTES = 1 << 20, ALIGNMENT = 8, FORCED = 1 };

/* One kernel's launches, as in instrument_time. */
typedef struct timed {
    char *name;
    instrument_time sum;
} timed;

static activity_face cupti;
static timed *list;
static size_t list_count;
static uint64_t dropped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static timed *find_timed(const activity_kernel *record) {
    const char *name = record->name ? record->name : "?";
    instrument_time shape = {.registers = record->registers};
    for (unsigned i = 0; i < 3; i++)
        shape.block[i] = (uint32_t)record->block[i];
    for (size_t i = list_count; i-- > 0;) {
        if (list[i].sum.registers == shape.registers && strcmp(list[i].name, name) == 0 &&
            memcmp(list[i].sum.block, shape.block, sizeof shape.block) == 0)
            return &list[i];
    }
    char *copy = strdup(name);
    timed *added = copy ? host_grow((void **)&list, &list_count, sizeof *list) : NULL;
    if (!added)
        free(copy);
    else
        *added = (timed){.name = copy, .sum = shape};
    return added;
}

static void add_record(const activity_kernel *record) {
    if (record->kind != ACTIVITY_CONCURRENT_KERNEL || record->end <= record->start)
        return;
    timed *one = find_timed(record);
    if (!one)
        return;
    one->sum.launches++;
    one->sum.nanoseconds += record->end - record->start;
}

static void give_buffer(uint8_t **buffer, size_t *size, size_t *records) {
    *buffer = aligned_alloc(ALIGNMENT, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *records = 0;
}

static void take_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                        size_t valid) {
    activity_kernel *record = NULL;
    size_t lost = 0;
    (void)size;
    pthread_mutex_lock(&lock);
    while (buffer && cupti.GetNextRecord(buffer, valid, &record) == 0)
        add_record(record);
    if (cupti.GetNumDroppedRecords(context, stream, &lost) == 0)
        dropped += lost;
    pthread_mutex_unlock(&lock);
    free(buffer);
}

void host_time_end(void) {
    (void)cupti.FlushAll(FORCED);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < list_count; i++)
        (void)instrument_write(&attach.writer, INSTRUMENT_TIME,
                               (instrument_piece[]){{&list[i].sum, sizeof list[i].sum},
                                                    {list[i].name, strlen(list[i].name)}},
                               2);
    if (dropped > 0)
        host_note("the times of %llu launches were lost", (unsigned long long)dropped);
    pthread_mutex_unlock(&lock);
}

bool host_time_begin(void) {
    static const char *const names[] = {"libcupti.so", "libcupti.so.13", "libcupti.so.12"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++)
        library = host_find_library(NULL, names[i]);
    if (!library) {
        host_note("libcupti.so was not found: the CUDA toolkit has it (CUDA_HOME), or pip install "
                  "nvidia-cuda-cupti in a virtual environment; from source: script/bootstrap "
                  "--cuda");
        return false;
    }
#define FIND(name, arguments) host_find(library, "cuptiActivity" #name, &cupti.name) &&
    if (!(ACTIVITY_FUNCTION_LIST(FIND) true))
        return false;
#undef FIND
    int result = cupti.RegisterCallbacks(give_buffer, take_buffer);
    if (result == 0)
        result = cupti.Enable(ACTIVITY_CONCURRENT_KERNEL);
    if (result != 0)
        host_note("kernels cannot be timed: CUPTI says %d (is another profiler attached?)", result);
    return result == 0;
}
