/* SPDX-License-Identifier: MIT */
/*
 * Proposes layouts that may remove an array's conflicts, from the requests that the machine code
 * made. The compiler may have joined several accesses of the source into a wide one, so paddings
 * that split it again are proposed too; the run decides.
 */
#include <stdlib.h>
#include <string.h>

#include "launch_found.h"
#include "layout_factor.h"
#include "parameter_type.h"
#include "profile_fix.h"
#include "repair.h"
#include "row_lengths.h"
#include "source_words.h"
#include "struct_members.h"
#include "thread_edit.h"

enum { WORD_BYTES = 4, WIDEST_BYTES = 16, BANK_BYTES = 128, EVERYWHERE_MAX = 2 };

/* Evaluates an array extent; 0 if it is unknown. */
static uint32_t extent_of(host_span text, const host_scope *scope) {
    int64_t value;
    return scope->text && layout_value(scope, text, &value) && value > 0 && value < UINT32_MAX
               ? (uint32_t)value
               : 0;
}

/* Size in bytes of template type parameter `type` in this instance of the kernel; 0 if it is not
 * one. */
static uint32_t instance_bytes(const smp_kernel_profile *kernel, host_span type,
                               const host_scope *scope) {
    host_kernel in;
    host_scope ignored;
    host_span declared, argument;
    const char *name = smp_kernel_full_name(kernel);
    if (!scope->text || !smp_launch_scope(name, scope->text, &in, &ignored))
        return 0;
    const host_span instance = kernel_name_split(name).instance;
    for (unsigned i = 0; host_part(in.templates, i, &declared); i++)
        if (host_same(host_declared_name(declared), type) && host_part(instance, i, &argument))
            return shared_element_bytes(argument);
    return 0;
}

/* Width in bytes of the narrowest access to the array; 0 if there is none. */
static uint32_t narrowest(const smp_kernel_profile *kernel, const smp_shared_array *array) {
    uint32_t bytes = 0;
    EACH(const smp_profile_site, site, kernel->sites, kernel->site_count)
        if (smp_site_array(kernel, site) == array && (bytes == 0 || site->width_bytes < bytes))
            bytes = site->width_bytes;
    return bytes;
}

/* Size of an element in bytes, from its type, the size of the array or, if the text does not have
 * these (a macro's parameters), its accesses; 0 if unknown. */
static uint32_t element_bytes(const smp_kernel_profile *kernel, const smp_shared_array *array,
                              const shared_declaration *of, const host_scope *scope) {
    uint64_t count = 1;
    const uint32_t written = shared_type_bytes(scope->text, of->type),
                   given = written > 0 ? written : instance_bytes(kernel, of->type, scope);
    if (given > 0)
        return given;
    host_span type, body;
    struct_members members;
    char sizes[GROUPED_TEXT];
    if (array->type)
        return shared_element_bytes((host_span){array->type, strlen(array->type)});
    if (scope->text && array->name && shared_struct_of(scope->text, array->name, &type, &body)) {
        if (structure_bytes(scope->text, type) > 0)
            return structure_bytes(scope->text, type);
        if (struct_members_read(body, &members) &&
            struct_members_sizes(&members, sizes, sizeof sizes) > 0)
            return (uint32_t)struct_members_sizes(&members, sizes, sizeof sizes);
    }
    for (unsigned i = 0; i < of->dims; i++)
        count *= extent_of(of->extent[i], scope);
    if (count == 0)
        return narrowest(kernel, array);
    return array->size_bytes % count == 0 ? (uint32_t)(array->size_bytes / count) : 0;
}

static void add(candidates *out, layout_change change) {
    for (unsigned i = 0; i < out->count; i++)
        if (out->list[i].kind == change.kind && out->list[i].pad == change.pad &&
            out->list[i].mask == change.mask && out->list[i].row == change.row &&
            (change.kind != LAYOUT_XOR || out->list[i].unit == change.unit) &&
            out->list[i].is_inner == change.is_inner && out->list[i].over == change.over &&
            out->list[i].is_outer == change.is_outer &&
            out->list[i].is_aligned == change.is_aligned &&
            out->list[i].is_everywhere == change.is_everywhere)
            return;
    if (out->count < CANDIDATES_MAX)
        out->list[out->count++] = change;
}

/* Adds a padding without a predicted cost. */
static void add_pad(candidates *out, const layout_change *like, uint32_t pad) {
    layout_change change = *like;
    if (pad == 0)
        return;
    change.kind = LAYOUT_PAD;
    change.pad = (int32_t)pad;
    change.predicted = 0;
    add(out, change);
}

static void add_seen(candidates *out, const layout_change *like, const smp_seen_fix *seen,
                     uint32_t element) {
    layout_change change = *like;
    if (seen->kind == SMP_SEEN_NONE || seen->row_bytes % element != 0)
        return;
    change.row = seen->row_bytes / element;
    change.predicted = seen->after;
    if (seen->kind == SMP_SEEN_PAD && seen->pad_bytes % element == 0) {
        change.kind = LAYOUT_PAD;
        change.pad = (int32_t)(seen->pad_bytes / element);
        add(out, change);
    } else if (seen->kind == SMP_SEEN_XOR && seen->unit_bytes % element == 0) {
        change.kind = LAYOUT_XOR;
        change.mask = seen->xor_mask;
        change.unit = seen->unit_bytes / element;
        change.pad = -(int32_t)(seen->cut_bytes / element);
        add(out, change);
    }
}

/* Adds a swizzle of single elements if the best predicted one moves wider units. */
static void add_single_xor(candidates *out, const layout_change *like, const smp_seen_fix *seen,
                           uint32_t element) {
    layout_change change = *like;
    if (seen->kind != SMP_SEEN_XOR || seen->unit_bytes <= element || seen->row_bytes % element != 0)
        return;
    const uint32_t row = (seen->row_bytes - seen->cut_bytes) / element, all = BANK_BYTES / element;
    change.kind = LAYOUT_XOR;
    change.row = seen->row_bytes / element;
    change.pad = -(int32_t)(seen->cut_bytes / element);
    change.unit = 1;
    change.mask = (row < all ? row : all) - 1;
    change.predicted = 0;
    add(out, change);
}

/* Whether the compiler joined accesses of elements into wider ones. */
static bool is_joined(const smp_kernel_profile *kernel, const smp_shared_array *array,
                      uint32_t element) {
    return ANY(one, kernel->sites, kernel->site_count,
               one->width_bytes > element && smp_site_array(kernel, one) == array);
}

/* K of an extent "TILE + K", else 0. */
static uint32_t written_pad(host_span extent) {
    const host_span last = host_word_before(extent.text, extent.text + extent.length),
                    before = host_between(extent.text, last.text);
    const bool is_sum = before.length > 0 && before.text[before.length - 1] == '+';
    return is_sum && text_is_number(last) ? (uint32_t)strtoul(last.text, NULL, 10) : 0;
}

/* Whether the site's requests in the array stay in the first `used` bytes of each row. */
static bool stays_in(const smp_profile_site *site, const smp_shared_array *array,
                     uint64_t row_bytes, uint64_t used) {
    EACH(const smp_profile_request, request, site->distinct, site->distinct_count)
        for (unsigned l = 0; l < SMP_LANES; l++) {
            const uint64_t at = request->offset_bytes[l] - array->offset_bytes;
            if (request->mask >> l & 1 && at < array->size_bytes &&
                at % row_bytes + site->width_bytes > used)
                return false;
        }
    return true;
}

/* Whether no request goes to the last `cut` bytes of a row: many a "TILE + 2" is a halo. */
static bool is_unused(const smp_kernel_profile *kernel, const smp_profile_fix *found, uint64_t row,
                      uint64_t cut) {
    return found->requests_lost == 0 && found->obstacle[0] == '\0' && cut < row &&
           EVERY(site, kernel->sites, kernel->site_count,
                 !smp_space_has_banks(site->space) || stays_in(site, found->array, row, row - cut));
}

/* Adds rows that end in less padding than the declaration has. */
static void add_smaller(const smp_kernel_profile *kernel, const smp_profile_fix *found,
                        const layout_change *like, host_span extent, candidates *out) {
    const uint32_t element = like->element_bytes, pad = found->padding.pad_bytes / element,
                   row = like->row * element, fewer = written_pad(extent) - pad;
    layout_change change = *like;
    if (found->padding.kind != SMP_SEEN_PAD || found->padding.pad_bytes % element != 0 ||
        written_pad(extent) <= pad || !is_unused(kernel, found, row, fewer * element))
        return;
    change.kind = LAYOUT_PAD;
    change.pad = -(int32_t)fewer;
    add(out, change);
}

/* Candidates for an array of several dimensions. Padding changes the declaration only, a swizzle
 * changes every use. */
static void take_rows(const smp_kernel_profile *kernel, const smp_profile_fix *found,
                      const layout_change *like, bool is_joined, candidates *out) {
    const bool is_priced = found->obstacle[0] == '\0';
    const uint32_t element = like->element_bytes, cut = found->swizzle.cut_bytes;
    const uint32_t best = found->padding.kind == SMP_SEEN_PAD ? found->padding.pad_bytes : 0;
    if (best > element || !is_priced)
        add_pad(out, like, 1);
    add_seen(out, like, &found->padding, element);
    if (is_joined && best > 0 && best % WIDEST_BYTES == 0) {
        layout_change aligned = *like; /* of the new rows the compiler may not see that they are */
        aligned.is_aligned = true;
        add_seen(out, &aligned, &found->padding, element);
    }
    if (!is_priced && element < WIDEST_BYTES)
        add_pad(out, like, WIDEST_BYTES / element);
    if (like->row > 0 && (cut == 0 || is_unused(kernel, found, found->swizzle.row_bytes, cut))) {
        add_single_xor(out, like, &found->swizzle, element);
        add_seen(out, like, &found->swizzle, element);
    }
    for (unsigned i = 0; like->row == 0 && i < out->count; i++)
        if (out->list[i].kind ==
            LAYOUT_PAD) /* several rows of the text may be one of the requests' */
            out->list[i].row = 0;
}

/* Padding that puts two successive rows in opposite halves of the banks, for warps of two rows. */
static uint32_t half_rows_pad(uint32_t row, uint32_t element) {
    const uint32_t all = BANK_BYTES / element;
    return (all + all / 2 - row % all) % all;
}

/* Paddings of a flat array at the row length that its indices multiply by: only those factors
 * change. */
static smp_status take_stepped(const smp_kernel_profile *kernel, const smp_shared_array *array,
                               const layout_change *from, const row_length *row, candidates *out,
                               smp_error *error) {
    smp_profile_fix found = {.array = NULL};
    const uint32_t element = from->element_bytes;
    layout_change like = *from;
    like.row = row->bytes / element;
    like.row_text = row->text;
    const smp_status status = smp_profile_fix_array(kernel, array, row->bytes, &found, error);
    if (status != SMP_OK || row->bytes % element != 0)
        return status;
    const bool is_found = found.padding.kind == SMP_SEEN_PAD;
    if (found.obstacle[0] != '\0' ||
        (is_found && (found.padding.pad_bytes > element || found.padding.pad_bytes % element != 0)))
        add_pad(out, &like, WORD_BYTES > element ? WORD_BYTES / element : 1);
    if (found.obstacle[0] != '\0' && element < WIDEST_BYTES)
        add_pad(out, &like, WIDEST_BYTES / element);
    add_seen(out, &like, &found.padding, element);
    return SMP_OK;
}

static smp_status take_all_stepped(const smp_kernel_profile *kernel, const smp_shared_array *array,
                                   const shared_declaration *of, const layout_change *like,
                                   const host_scope *scope, candidates *out, smp_error *error) {
    row_length rows[ROW_LENGTHS_MAX];
    const unsigned count = row_lengths_find(scope, of, like->element_bytes, rows);
    const uint32_t whole = like->row * like->element_bytes;
    smp_status status = SMP_OK;
    for (unsigned i = 0; status == SMP_OK && i < count; i++)
        if (!like->is_inner || (rows[i].bytes < whole && whole % rows[i].bytes == 0))
            status = take_stepped(kernel, array, like, &rows[i], out, error);
    return status;
}

/* Candidates that make each struct element longer by one or more words. */
static smp_status take_structs(const smp_kernel_profile *kernel, const smp_shared_array *array,
                               layout_change like, candidates *out, smp_error *error) {
    smp_profile_fix found = {.array = NULL};
    const uint32_t element = like.element_bytes;
    const smp_status status = smp_profile_fix_array(kernel, array, element, &found, error);
    like.kind = LAYOUT_STRUCT;
    like.row = 1;
    for (uint32_t words = 1; words <= WIDEST_BYTES / WORD_BYTES && status == SMP_OK; words *= 2) {
        const bool is_found = found.padding.kind == SMP_SEEN_PAD;
        like.pad = (int32_t)words;
        like.predicted =
            is_found && found.padding.pad_bytes == words * WORD_BYTES ? found.padding.after : 0;
        if (words == 1 || !is_found || like.predicted > 0)
            add(out, like);
    }
    return status;
}

/* Candidates for an array of one dimension. */
static smp_status take_flat(const smp_kernel_profile *kernel, const smp_shared_array *array,
                            const shared_declaration *of, layout_change like,
                            const smp_profile_fix *found, const host_scope *scope, candidates *out,
                            smp_error *error) {
    const uint32_t element = like.element_bytes;
    smp_status status = SMP_OK;
    if (!of->is_extern) /* padding a dynamic array changes the launches too */
        status = take_all_stepped(kernel, array, of, &like, scope, out, error);
    add_single_xor(out, &like, &found->swizzle, element);
    add_seen(out, &like, &found->swizzle, element);
    if (of->is_extern && status == SMP_OK)
        status = take_all_stepped(kernel, array, of, &like, scope, out, error);
    const bool is_stepped = out->count > 0 && out->list[0].row_text.length > 0;
    like.row = found->padding.row_bytes / element;
    if (found->padding.kind == SMP_SEEN_PAD && found->padding.pad_bytes > element && !is_stepped)
        add_pad(out, &like, 1);
    add_seen(out, &like, &found->padding, element);
    if (found->padding.kind == SMP_SEEN_PAD && !is_stepped && element <= WIDEST_BYTES) {
        like.row = BANK_BYTES / element; /* for strides that double */
        add_pad(out, &like, 1);
    }
    return status;
}

/* Adds a swizzle for rows shorter than 128 bytes: several rows share one column pattern. */
static void add_shared_xor(candidates *out, const layout_change *like, const smp_seen_fix *seen) {
    const uint32_t element = like->element_bytes, row_bytes = like->row * element;
    layout_change change = *like;
    if (seen->kind != SMP_SEEN_XOR || seen->row_bytes <= row_bytes ||
        seen->row_bytes % row_bytes != 0 || seen->unit_bytes % element != 0)
        return;
    change.kind = LAYOUT_XOR;
    change.over = seen->row_bytes / row_bytes;
    change.unit = seen->unit_bytes / element;
    change.mask = seen->xor_mask;
    while (change.mask > 0 && change.mask * change.unit >= change.row)
        change.mask >>= 1;
    if (change.mask > 0)
        add(out, change);
}

/* Candidates for shorter rows inside the last of several dimensions: the row lengths that its
 * indices multiply by, and those that the requests suggest. */
static smp_status take_inner(const smp_kernel_profile *kernel, const smp_shared_array *array,
                             const shared_declaration *of, layout_change like,
                             const host_scope *scope, candidates *out, smp_error *error) {
    smp_profile_fix found = {.array = NULL};
    const uint32_t row_bytes = like.row * like.element_bytes;
    like.is_inner = true;
    smp_status status = take_all_stepped(kernel, array, of, &like, scope, out, error);
    if (status == SMP_OK)
        status = smp_profile_fix_array(kernel, array, 0, &found, error);
    if (status == SMP_OK && found.padding.row_bytes < row_bytes && found.padding.row_bytes > 0 &&
        row_bytes % found.padding.row_bytes == 0)
        add_seen(out, &like, &found.padding, like.element_bytes);
    like.is_inner = false;
    if (status == SMP_OK && row_bytes > 0)
        add_shared_xor(out, &like, &found.swizzle);
    return status;
}

/* ---- What a profile advises ---- */

bool candidates_declaration(const char *text, const smp_kernel_profile *of, const char *name,
                            shared_declaration *out) {
    host_kernel kernel;
    host_scope scope;
    shared_declaration one;
    unsigned count = 0;
    const bool has_body = smp_launch_scope(smp_kernel_full_name(of), text, &kernel, &scope);
    for (size_t at = 0; shared_declaration_next(text, name, &at, &one);) {
        const bool is_inside = has_body && one.name.text >= kernel.body.text &&
                               one.name.text < kernel.body.text + kernel.body.length;
        if (count > 0 && !is_inside && one.is_extern && out->is_extern &&
            host_same(one.type, out->type))
            continue; /* two operators of one struct often declare the same */
        if (count++ == 0 || is_inside)
            *out = one;
        if (is_inside)
            return true;
    }
    return count == 1 && !(has_body && shared_is_variable(kernel.body, name));
}

/* `seen` XORs byte offsets. An XOR of column and row is the same only if columns stay in their row
 * and each matrix has a multiple of the pattern's rows. */
static bool is_whole_xor(const shared_declaration *of, const layout_change *change,
                         const host_scope *scope) {
    const uint32_t over = change->over > 0 ? change->over : 1, rows = (change->mask + 1) * over;
    if ((change->row & (change->row - 1)) != 0 || change->mask * change->unit >= change->row)
        return false;
    return of->dims < 3 || extent_of(of->extent[of->dims - 2], scope) % rows == 0;
}

bool candidates_seen(const smp_kernel_profile *kernel, const smp_shared_array *array,
                     const shared_declaration *of, const host_scope *scope,
                     const smp_seen_fix *seen, layout_change *out) {
    const uint32_t element = element_bytes(kernel, array, of, scope), bytes = seen->row_bytes;
    layout_change like = {.element_bytes = element};
    candidates list = {.count = 0};
    if (element == 0 || bytes == 0)
        return false;
    like.row = of->dims > 1 ? extent_of(of->extent[of->dims - 1], scope) : bytes / element;
    const uint32_t row_bytes = like.row * element;
    like.rows = of->dims > 1 && like.row > 0 ? array->size_bytes / row_bytes : 0;
    like.is_inner = seen->kind == SMP_SEEN_PAD && bytes < row_bytes && row_bytes % bytes == 0;
    if (row_bytes == 0 || (like.row & (like.row - 1) && seen->kind == SMP_SEEN_XOR))
        return false;
    if (row_bytes == bytes || like.is_inner)
        add_seen(&list, &like, seen, element);
    else
        add_shared_xor(&list, &like, seen);
    *out = list.list[0];
    return list.count == 1 &&
           (out->kind == LAYOUT_PAD ||
            (out->mask == seen->xor_mask && (of->dims == 1 || is_whole_xor(of, out, scope))));
}

/* ---- What is tried where nothing else is proven ---- */

static void add_last(candidates *out, layout_change change) {
    change.predicted = UINT64_MAX;
    add(out, change);
}

/* Whether the kernel reaches global memory column by column, so that exchanging the indices may
 * help both memories. */
static bool is_across(const smp_kernel_profile *kernel) {
    uint64_t sectors = 0, ideal = 0;
    for (uint32_t i = 0; i < kernel->site_count; i++)
        if (kernel->sites[i].space == SMP_SPACE_GLOBAL) {
            sectors += kernel->sites[i].sectors;
            ideal += kernel->sites[i].ideal_sectors;
        }
    return sectors > 2 * ideal;
}

static bool is_square(const smp_kernel_profile *kernel) {
    return kernel->block[0] > 1 && kernel->block[0] == kernel->block[1];
}

/* Whether one lane's accesses are adjacent but the compiler does not know that they are aligned. */
static bool is_narrow(const smp_kernel_profile *kernel, const smp_shared_array *array) {
    smp_wider wider;
    EACH(const smp_profile_site, site, kernel->sites, kernel->site_count) {
        if (smp_site_array(kernel, site) != array || site->wavefronts <= site->ideal)
            continue;
        smp_wider_find(kernel, site, &wider);
        if (wider.site_count > 0)
            return true;
    }
    return false;
}

static void take_first(const smp_kernel_profile *kernel, const smp_shared_array *array,
                       const shared_declaration *of, layout_change like, candidates *out) {
    if (is_square(kernel) && is_across(kernel)) {
        like.kind = LAYOUT_THREADS;
        add(out, like);
    }
    if (of->is_extern && is_narrow(kernel, array)) { /* the compiler aligns static arrays itself */
        like.kind = LAYOUT_ALIGN;
        add(out, like);
    }
}

static void take_last(const smp_kernel_profile *kernel, const shared_declaration *of,
                      layout_change like, bool is_struct, candidates *out) {
    const unsigned count = out->count;
    for (unsigned i = 0; i < count; i++) {
        layout_change change = out->list[i];
        change.is_everywhere = true;
        if (change.kind == LAYOUT_PAD && i < EVERYWHERE_MAX)
            add_last(out, change);
    }
    like.kind = LAYOUT_XOR; /* reverses every other row, for loops that halve their stride */
    if (of->dims == 1 && !is_struct && like.element_bytes <= BANK_BYTES / 4) {
        layout_change flip = like;
        flip.row = BANK_BYTES / like.element_bytes;
        flip.mask = 1;
        flip.unit = flip.row - 1;
        add_last(out, flip);
    }
    like.kind = LAYOUT_APART;
    if (is_struct)
        add_last(out, like);
    like.kind = LAYOUT_TURN;
    if (of->dims > 1 || (like.row > 1 && like.rows > 1))
        add_last(out, like);
    layout_change outer = like;
    outer.is_outer = true;
    for (unsigned i = 0; i < 3 && of->dims == 3; i++) {
        outer.kind = i == 0 ? LAYOUT_PAD : i == 1 ? LAYOUT_TURN : LAYOUT_XOR;
        outer.pad = i == 0;
        outer.unit = 1;
        outer.mask = i < 2 ? 0 : like.row - 1;
        if (i < 2 || (like.row > 1 && (like.row & (like.row - 1)) == 0))
            add_last(out, outer);
    }
    like.kind = LAYOUT_THREADS;
    if (is_square(kernel))
        add_last(out, like);
}

smp_status candidates_find(const smp_kernel_profile *kernel, const smp_shared_array *array,
                           const shared_declaration *of, host_scope *scope, candidates *out,
                           smp_error *error) {
    smp_profile_fix found = {.array = NULL};
    const uint32_t element = element_bytes(kernel, array, of, scope);
    layout_change like = {.element_bytes = element};
    memset(out, 0, sizeof *out);
    if (element == 0) {
        (void)snprintf(out->why, sizeof out->why, "the size of %.60s's elements is not known here",
                       array->name);
        return SMP_OK;
    }
    if (of->dims > 1)
        like.row = extent_of(of->extent[of->dims - 1], scope);
    smp_status status = smp_profile_fix_array(kernel, array, like.row * element, &found, error);
    if (status != SMP_OK)
        return status;
    if (of->dims > 1 && like.row > 0)
        like.rows = array->size_bytes / element / like.row;
    take_first(kernel, array, of, like, out);
    host_span type, body;
    const bool is_struct = array->name && scope->text && shared_element_bytes(of->type) == 0 &&
                           shared_struct_of(scope->text, array->name, &type, &body);
    if (is_struct && element % WORD_BYTES == 0)
        status = take_structs(kernel, array, like, out, error);
    if (of->dims > 1) {
        add_smaller(kernel, &found, &like, of->extent[of->dims - 1], out);
        take_rows(kernel, &found, &like, !of->is_extern && is_joined(kernel, array, element), out);
        status = take_inner(kernel, array, of, like, scope, out, error);
    } else {
        status = take_flat(kernel, array, of, like, &found, scope, out, error);
    }
    take_last(kernel, of, like, is_struct, out);
    if (out->count == 0)
        (void)snprintf(out->why, sizeof out->why, "%s",
                       found.obstacle[0] ? found.obstacle
                                         : "no padding and no swizzle saves enough");
    return status;
}

static void guess_stepped(const shared_declaration *of, const host_scope *scope,
                          const layout_change *from, candidates *out) {
    row_length rows[ROW_LENGTHS_MAX];
    const uint32_t element = from->element_bytes;
    const unsigned count = row_lengths_find(scope, of, element, rows);
    for (unsigned i = 0; i < count; i++) {
        layout_change like = *from;
        like.row = rows[i].bytes / element;
        like.row_text = rows[i].text;
        if (rows[i].bytes % element != 0)
            continue;
        add_pad(out, &like, 1);
        if (element < WIDEST_BYTES)
            add_pad(out, &like, WIDEST_BYTES / element);
    }
}

/* Size of the type, or of the first template parameter in it. */
static uint32_t type_bytes(const smp_kernel_profile *kernel, host_span type,
                           const host_scope *scope) {
    uint32_t bytes = shared_type_bytes(scope->text, type);
    for (size_t at = 0; bytes == 0 && at < type.length; at++) {
        const host_span word = source_word(type.text, at);
        if (word.length > 0)
            bytes = instance_bytes(kernel, word, scope);
        at += word.length;
    }
    return bytes;
}

void candidates_guess(const smp_kernel_profile *kernel, const shared_declaration *of,
                      host_scope *scope, candidates *out) {
    const uint32_t element = type_bytes(kernel, of->type, scope);
    layout_change like = {.element_bytes = element, .unit = 1};
    memset(out, 0, sizeof *out);
    if (element == 0 || of->is_extern || element > WIDEST_BYTES)
        return;
    const uint32_t all = BANK_BYTES / element;
    if (of->dims > 1) {
        like.row = extent_of(of->extent[of->dims - 1], scope);
        add_pad(out, &like, 1);
        if (element < WIDEST_BYTES)
            add_pad(out, &like, WIDEST_BYTES / element);
        if (like.row > 0)
            add_pad(out, &like, half_rows_pad(like.row, element));
    } else {
        guess_stepped(of, scope, &like, out);
        like.row = all;
    }
    like.kind = LAYOUT_XOR;
    like.mask = (like.row < all ? like.row : all) - 1;
    if (like.row > 1 && (like.row & (like.row - 1)) == 0 && like.mask > 0)
        add(out, like);
}
