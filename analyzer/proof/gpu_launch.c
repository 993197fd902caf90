/* SPDX-License-Identifier: MIT */
/* Memory and launches on a GPU. */
#include "gpu_launch.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"

enum {
    PIECE = 2 << 20,
    DYNAMIC_SHARED = 8, /* attributes of functions */
    CLUSTER_ANY = 14,
    LAUNCH_CLUSTER = 4, /* of launches */
    LAUNCH_COOPERATIVE = 2,
    CLUSTER_PORTABLE = 8
};

/* ---- Where arrays are ---- */

static const smp_kept_variable *variable_at(const smp_kept_launch *kept, uint64_t address) {
    return FIND(one, kept->variables, kept->variable_count, one->address == address);
}

/* Whether the array is not a variable of the module. */
static bool is_own(const smp_kept_launch *kept, const smp_kept_array *array) {
    return array->address != kept->constants && !variable_at(kept, array->address);
}

static int by_address(const void *a, const void *b) {
    const uint64_t x = ((const gpu_piece *)a)->at, y = ((const gpu_piece *)b)->at;
    return (x > y) - (x < y);
}

/* Divides the launch's arrays, by address, into whole pieces that do not overlap. */
static bool find_pieces(gpu_launch *of) {
    EACH(const smp_kept_array, array, of->kept->arrays, of->kept->array_count) {
        if (!is_own(of->kept, array) || array->size_bytes == 0)
            continue;
        if (!LIST_ROOM(of->pieces, of->piece_count))
            return false;
        const uint64_t at = array->address / PIECE * PIECE;
        const uint64_t end = (array->address + array->size_bytes + PIECE - 1) / PIECE * PIECE;
        of->pieces[of->piece_count++] = (gpu_piece){at, end - at};
    }
    if (of->piece_count == 0)
        return true;
    qsort(of->pieces, of->piece_count, sizeof *of->pieces, by_address);
    uint32_t count = 1;
    for (uint32_t i = 1; i < of->piece_count; i++) {
        gpu_piece *last = &of->pieces[count - 1];
        const gpu_piece *next = &of->pieces[i];
        if (next->at > last->at + last->size_bytes)
            of->pieces[count++] = *next;
        else if (next->at + next->size_bytes > last->at + last->size_bytes)
            last->size_bytes = next->at + next->size_bytes - last->at;
    }
    of->piece_count = count;
    of->first = of->pieces[0].at;
    of->end = of->pieces[count - 1].at + of->pieces[count - 1].size_bytes;
    return true;
}

static smp_status map_piece(const gpu_launch *of, const gpu_piece *piece, smp_error *error) {
    const gpu_driver *gpu = of->driver;
    const gpu_allocation how = {.type = 1, .at = {1, 0}};
    const gpu_rights rights = {{1, 0}, 3};
    const uint64_t at = piece->at + of->moved;
    uint64_t handle = 0;
    smp_status status =
        gpu_status(gpu->create(&handle, piece->size_bytes, &how, 0), "memory of the GPU", error);
    if (status != SMP_OK)
        return status;
    int code = gpu->map(at, piece->size_bytes, 0, handle, 0);
    (void)gpu->forget(handle);
    if (code == 0)
        code = gpu->allow(at, piece->size_bytes, &rights, 1);
    return gpu_status(code, "mapping memory of the GPU", error);
}

static smp_status map_pieces(gpu_launch *of, smp_error *error) {
    uint64_t at = 0;
    if (!find_pieces(of))
        return smp_error_memory(error);
    if (of->piece_count == 0)
        return SMP_OK;
    const uint32_t count = of->piece_count;
    of->piece_count = 0;
    smp_status status =
        gpu_status(of->driver->reserve(&at, of->end - of->first, PIECE, of->first, 0),
                   "addresses of the GPU", error);
    if (status != SMP_OK)
        of->end = of->first;
    of->moved = at - of->first;
    while (status == SMP_OK && of->piece_count < count) {
        status = map_piece(of, &of->pieces[of->piece_count], error);
        of->piece_count += status == SMP_OK;
    }
    return status;
}

static smp_status address_of(const gpu_launch *of, const smp_kept_array *array, uint64_t *out,
                             smp_error *error) {
    const smp_kept_variable *variable = variable_at(of->kept, array->address);
    size_t size;
    *out = array->address + of->moved;
    return variable ? gpu_status(of->driver->variable(out, &size, of->module, variable->name),
                                 variable->name, error)
                    : SMP_OK;
}

/* ---- What is in them ---- */

/* Adds `distance` to words that point into the arrays, which begin at `from`. */
static void move_words(const gpu_launch *of, uint64_t from, uint8_t *bytes, uint64_t size,
                       uint64_t distance) {
    for (uint64_t i = 0; distance != 0 && i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        if (word >= from && word < from + (of->end - of->first)) {
            word += distance;
            memcpy(bytes + i, &word, 8);
        }
    }
}

/* Copies the variables of constant memory. */
static smp_status put_constants(const gpu_launch *of, const smp_kept_array *array,
                                smp_error *error) {
    smp_status status = SMP_OK;
    for (uint32_t i = 0; i < of->kept->variable_count && array->before && status == SMP_OK; i++) {
        const smp_kept_variable *variable = &of->kept->variables[i];
        const uint64_t offset = variable->address - array->address;
        uint64_t address;
        size_t size;
        if (variable->address < array->address || offset >= array->size_bytes)
            continue;
        status = gpu_status(of->driver->variable(&address, &size, of->module, variable->name),
                            variable->name, error);
        if (status == SMP_OK && size <= array->size_bytes - offset)
            status = gpu_status(of->driver->put(address, array->before + offset, size),
                                variable->name, error);
    }
    return status;
}

static smp_status put_array(const gpu_launch *of, const smp_kept_array *array, smp_error *error) {
    uint64_t address;
    if (array->address == of->kept->constants)
        return put_constants(of, array, error);
    smp_status status = address_of(of, array, &address, error);
    if (status != SMP_OK || array->size_bytes == 0)
        return status;
    if (!array->before)
        return gpu_status(of->driver->clear(address, 0, array->size_bytes), array->name, error);
    move_words(of, of->first, array->before, array->size_bytes, of->moved);
    status =
        gpu_status(of->driver->put(address, array->before, array->size_bytes), array->name, error);
    move_words(of, of->first + of->moved, array->before, array->size_bytes, -of->moved);
    return status;
}

smp_status gpu_launch_reset(gpu_launch *of, smp_error *error) {
    smp_status status = SMP_OK;
    for (uint32_t i = 0; i < of->kept->array_count && status == SMP_OK; i++)
        status = put_array(of, &of->kept->arrays[i], error);
    return status;
}

smp_status gpu_launch_get(const gpu_launch *of, uint32_t number, uint8_t *to, smp_error *error) {
    const smp_kept_array *array = &of->kept->arrays[number];
    uint64_t address;
    smp_status status = address_of(of, array, &address, error);
    if (status == SMP_OK && array->size_bytes > 0)
        status = gpu_status(of->driver->get(to, address, array->size_bytes), array->name, error);
    if (status == SMP_OK)
        move_words(of, of->first + of->moved, to, array->size_bytes, -of->moved);
    return status;
}

/* ---- The launch ---- */

const char *gpu_launch_name(const gpu_launch *of) {
    return of->kept->demangled ? of->kept->demangled : of->kept->kernel;
}

static smp_status load(gpu_launch *of, smp_error *error) {
    const smp_kept_launch *kept = of->kept;
    const gpu_driver *gpu = of->driver;
    int code = gpu->load(&of->module, kept->code);
    if (code == 0)
        code = gpu->kernel(&of->kernel, of->module, kept->kernel);
    if (code == 0 && kept->cluster[0] * kept->cluster[1] * kept->cluster[2] > CLUSTER_PORTABLE)
        code = gpu->set(of->kernel, CLUSTER_ANY, 1);
    if (code == 0 && kept->dynamic_shared_bytes > 0)
        code = gpu->set(of->kernel, DYNAMIC_SHARED, (int)kept->dynamic_shared_bytes);
    if (code != 0)
        return gpu_status(code, gpu_launch_name(of), error);
    of->parameters = malloc((size_t)kept->parameter_bytes + 1);
    if (!of->parameters)
        return smp_error_memory(error);
    memcpy(of->parameters, kept->parameters, kept->parameter_bytes);
    return SMP_OK;
}

smp_status gpu_launch_make(gpu_driver *driver, const smp_kept_launch *kept, gpu_launch *out,
                           smp_error *error) {
    *out = (gpu_launch){.driver = driver, .kept = kept, .copies = 1};
    smp_status status = load(out, error);
    if (status == SMP_OK)
        status = map_pieces(out, error);
    if (status == SMP_OK)
        move_words(out, out->first, out->parameters, kept->parameter_bytes, out->moved);
    return status == SMP_OK ? gpu_launch_reset(out, error) : status;
}

smp_status gpu_launch_run(gpu_launch *of, smp_error *error) {
    const smp_kept_launch *kept = of->kept;
    size_t size = kept->parameter_bytes;
    void *extra[] = {(void *)1, of->parameters, (void *)2, &size, NULL};
    gpu_attribute list[2];
    gpu_config config = {.shared_bytes = kept->dynamic_shared_bytes, .attributes = list};
    memcpy(config.grid, kept->grid, sizeof config.grid);
    memcpy(config.block, kept->block, sizeof config.block);
    config.grid[2] *= of->copies;
    memset(list, 0, sizeof list);
    if (kept->cluster[0] * kept->cluster[1] * kept->cluster[2] > 1) {
        gpu_attribute *cluster = &list[config.attribute_count++];
        cluster->id = LAUNCH_CLUSTER;
        memcpy(cluster->value, kept->cluster, sizeof cluster->value);
    }
    if (kept->is_cooperative) {
        gpu_attribute *cooperative = &list[config.attribute_count++];
        cooperative->id = LAUNCH_COOPERATIVE;
        cooperative->value[0] = 1;
    }
    return gpu_status(of->driver->launch(&config, of->kernel, NULL, extra), gpu_launch_name(of),
                      error);
}

void gpu_launch_clear(gpu_launch *of) {
    const bool is_free = of->driver && !of->driver->is_stuck;
    for (uint32_t i = 0; i < of->piece_count && is_free; i++)
        (void)of->driver->unmap(of->pieces[i].at + of->moved, of->pieces[i].size_bytes);
    if (of->end > of->first && is_free)
        (void)of->driver->unreserve(of->first + of->moved, of->end - of->first);
    if (of->module && is_free)
        (void)of->driver->unload(of->module);
    free(of->pieces);
    free(of->parameters);
    *of = (gpu_launch){.module = NULL};
}
