/* SPDX-License-Identifier: MIT */
/*
 * Executes one texture or surface instruction: the object of each lane, the place it reads or
 * stores, and the result.
 */
#include <string.h>

#include "heap.h"
#include "poison.h"
#include "texture.h"

typedef struct texture_lane {
    const emu_texture *texture;
    uint8_t *bytes; /* the texture's */
    uint32_t handle;
} texture_lane;

static bool fail(access_lanes *x, unsigned l, smp_finding_kind kind, const char *what,
                 unsigned long long value) {
    emu_found(x->warp, x->u, l, kind, what, value);
    return false;
}

static bool find_object(access_lanes *x, unsigned l, uint32_t handle, texture_lane *out) {
    const emu_texture_list *all = x->worker->run->launch->textures;
    const uint32_t number = handle - EMU_TEXTURE_HANDLE;
    const bool wants_surface = x->m->act == SURFACE_LOADS || x->m->act == SURFACE_STORES;
    if (!all || number >= all->count || !all->list[number].is_used)
        return fail(x, l, SMP_FINDING_OUT_OF_BOUNDS,
                    "texture or surface object 0x%llx does not exist (programs make them, under "
                    "profile --no-gpu; emulate has none)",
                    handle);
    out->texture = &all->list[number];
    if (out->texture->is_surface != wants_surface)
        return fail(x, l, SMP_FINDING_OUT_OF_BOUNDS,
                    wants_surface ? "object 0x%llx is a texture, not a surface"
                                  : "object 0x%llx is a surface, not a texture",
                    handle);
    out->bytes = out->texture->bytes;
    if (out->bytes)
        return true;
    const uint64_t address = out->texture->address;
    const smp_emu_array *array = smp_emu_memory_find(x->worker->run->memory, address);
    if (!emu_is_inside(array, address, out->texture->size_bytes))
        return fail(x, l, SMP_FINDING_OUT_OF_BOUNDS,
                    "the texture's memory at 0x%llx no longer exists", address);
    out->bytes = array->bytes + (address - array->address);
    return true;
}

/* ---- Textures ---- */

/* The layer precedes the coordinates. */
static void place_of(const access_lanes *x, const uint32_t words[3], emu_texture_place *out) {
    const bool has_layer = x->m->type == SHAPE_LINES || x->m->type == SHAPE_PLANES;
    const unsigned from = has_layer ? 1 : 0;
    *out = (emu_texture_place){.layer = has_layer ? words[0] : 0, .whole = (int32_t)words[0]};
    for (unsigned i = 0; i + from < 3; i++)
        memcpy(&out->at[i], &words[i + from], sizeof(float));
}

static bool act_on(access_lanes *x, unsigned l, const texture_lane *t, const uint32_t words[3],
                   uint32_t out[TEXTURE_CHANNELS]) {
    emu_texture_place place;
    place_of(x, words, &place);
    if ((x->m->type == SHAPE_CUBE) != t->texture->is_cube)
        return fail(x, l, SMP_FINDING_UNKNOWN, "object %llx has another shape than the instruction",
                    (uint64_t)(t->texture - x->worker->run->launch->textures->list));
    if (x->m->act == TEXTURE_FETCHES)
        emu_texture_fetch(t->texture, t->bytes, place.whole, out);
    else if (x->m->act == TEXTURE_GATHERS)
        emu_texture_gather(t->texture, t->bytes, &place, x->u->imm2, out);
    else if (x->m->type == SHAPE_CUBE)
        emu_texture_sample_cube(t->texture, t->bytes, &place, out);
    else
        emu_texture_sample(t->texture, t->bytes, &place, out);
    return true;
}

static void words_of(const access_lanes *x, unsigned l, uint32_t words[3]) {
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    const uint32_t *b = emu_row_of(x->warp, &x->u->b);
    for (unsigned i = 0; i < 3; i++)
        words[i] = i < x->u->a.rows                  ? a[i * ROW + l]
                   : i < x->u->a.rows + x->u->b.rows ? b[(i - x->u->a.rows) * ROW + l]
                                                     : 0;
}

static void leave(const access_lanes *x, unsigned l, const uint32_t channels[TEXTURE_CHANNELS]) {
    uint32_t *low = emu_result(x->warp, x->u);
    uint32_t *high = (uint32_t *)(void *)(x->warp->files[0] + x->u->imm);
    unsigned count = 0;
    for (unsigned c = 0; c < TEXTURE_CHANNELS; c++) {
        if (!(x->m->flags >> c & 1))
            continue;
        if (count < 2)
            low[count * ROW + l] = channels[c];
        else
            high[(count - 2) * ROW + l] = channels[c];
        count++;
    }
}

/* Looks up a lane's object only if its handle differs from the previous lane's. */
static bool next_object(access_lanes *x, unsigned l, const uint32_t *handles, texture_lane *t) {
    if (t->texture && t->handle == handles[l])
        return true;
    t->handle = handles[l];
    return find_object(x, l, handles[l], t);
}

/* Destinations may overlap the coordinates, so all lanes are read first. */
static void read_textures(access_lanes *x, uint32_t exec, const uint32_t *handles) {
    uint32_t results[SMP_LANES][TEXTURE_CHANNELS], words[3];
    texture_lane t = {NULL, NULL, 0};
    EACH_LANE_OF(l, exec) {
        words_of(x, l, words);
        if (!next_object(x, l, handles, &t) || !act_on(x, l, &t, words, results[l]))
            return;
    }
    EACH_LANE_OF(l, exec)
        leave(x, l, results[l]);
}

/* ---- Surfaces ---- */

static bool reach_surface(access_lanes *x, unsigned l, const texture_lane *t, bool *is_outside) {
    uint32_t words[3];
    uint64_t offset;
    words_of(x, l, words);
    int32_t at[TEXTURE_AXES] = {(int32_t)words[0], (int32_t)words[1], (int32_t)words[2]};
    if (x->m->type == SHAPE_LINES) { /* the layer takes the place of the row */
        at[2] = at[1];
        at[1] = 0;
    }
    for (unsigned i = x->m->depth; i < TEXTURE_AXES && x->m->type != SHAPE_LINES; i++)
        at[i] = 0;
    if (at[0] % (int32_t)x->m->width_bytes != 0)
        return fail(x, l, SMP_FINDING_MISALIGNED,
                    "byte %llu of a surface's row is not a multiple of the access's width",
                    (unsigned long long)at[0]);
    *is_outside = !emu_surface_place(t->texture, at, x->m->width_bytes,
                                     (emu_surface_mode)x->m->bulk, &offset);
    if (*is_outside && x->m->bulk == SURFACE_TRAP)
        return fail(x, l, SMP_FINDING_OUT_OF_BOUNDS,
                    "byte %llu of a surface's row, or the row or layer itself, is out of bounds",
                    (unsigned long long)at[0]);
    x->bytes[l] = t->bytes + (*is_outside ? 0 : offset);
    return true;
}

static void access_surface(access_lanes *x, uint32_t exec, const uint32_t *handles) {
    static const uint8_t zeros[16];
    uint32_t outside = 0;
    texture_lane t = {NULL, NULL, 0};
    EACH_LANE_OF(l, exec) {
        bool is_outside;
        if (!next_object(x, l, handles, &t) || !reach_surface(x, l, &t, &is_outside))
            return;
        outside |= (uint32_t)is_outside << l;
    }
    if (x->m->act == SURFACE_STORES)
        EACH_LANE_OF(l, exec & ~outside)
            emu_store_lane(emu_row_of(x->warp, &x->u->b), x->m, l, x->bytes[l]);
    else
        EACH_LANE_OF(l, exec)
            emu_load_lane(emu_result(x->warp, x->u), x->u->d_rows, x->m, l,
                          outside >> l & 1 ? zeros : x->bytes[l]);
}

void emu_texture_access(access_lanes *x, uint32_t exec) {
    const uint32_t *handles = emu_row_of(x->warp, &x->u->c);
    const bool is_surface = x->m->act == SURFACE_LOADS || x->m->act == SURFACE_STORES;
    if (is_surface)
        access_surface(x, exec, handles);
    else
        read_textures(x, exec, handles);
    if (!is_surface && x->warp->tracks_poison)
        emu_poison_set_rows(x->warp, (int32_t)x->u->imm, 2, exec, NULL, 0, 0);
}
