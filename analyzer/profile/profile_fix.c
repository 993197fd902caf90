/* SPDX-License-Identifier: MIT */
/*
 * Gathers the requests of one array from its sites, and describes repairs. Every instruction on the
 * array counts: those with a rule by their cost, all by the bytes that have to stay together and
 * aligned. If one is not followed, nothing is offered.
 */
#include "profile_fix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_rank.h"
#include "text_buffer.h"

typedef struct gather {
    uint32_t first, end; /* bytes of the array; end 0 if open-ended */
    uint32_t unit_bytes; /* the widest access */
    smp_seen_request *requests;
    size_t count;
} gather;

typedef enum reach { REACH_NONE, REACH_ALL, REACH_PART } reach;

/* Cuts a request to the lanes that lie in the array. */
static reach reach_of(const gather *in, const smp_profile_request *request, uint32_t width) {
    bool some = false, all = true;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const uint64_t at = request->offset_bytes[lane];
        if (!(request->mask >> lane & 1))
            continue;
        const bool is_open = in->end == 0;
        some |= at + width > in->first && (is_open || at < in->end);
        all &= at >= in->first && (is_open || at + width <= in->end);
    }
    return !some ? REACH_NONE : all ? REACH_ALL : REACH_PART;
}

/* True if all its addresses were kept. */
static bool is_known(const smp_profile_site *site) {
    return site->distinct_count > 0 && site->requests_lost == 0 && smp_space_has_banks(site->space);
}

/* How far a site's requests, kept or not, may reach into the array. Unknown requests may reach any
 * part. */
static reach site_reach(const gather *in, const smp_profile_site *site) {
    reach most = is_known(site) ? REACH_NONE : REACH_ALL;
    for (uint32_t i = 0; i < site->distinct_count; i++) {
        const reach now = reach_of(in, &site->distinct[i], site->width_bytes);
        most = now > most ? now : most;
    }
    return most;
}

/* True if it only accesses global or local memory. */
static bool is_elsewhere(const smp_profile_site *site) {
    return site->is_local || (site->space == SMP_SPACE_GLOBAL && site->op < SMP_OP_COUNT);
}

/* True if its requests have a cost in any layout. */
static bool has_price(const smp_profile_site *site, const smp_profile_request *request) {
    return site->op < SMP_OP_COUNT && !site->not_modelled &&
           (site->space == SMP_SPACE_SHARED ||
            (site->space == SMP_SPACE_COPY && request->has_source));
}

/* Matrix instructions whose addresses come from fewer than 32 lanes keep these lanes; all
 * participate. */
static uint32_t lanes_of(const smp_profile_site *site, uint32_t mask) {
    const bool is_matrix = (site->op >= SMP_LDMATRIX_X1 && site->op <= SMP_LDMATRIX_X4_TRANS) ||
                           (site->op >= SMP_STMATRIX_X1 && site->op <= SMP_STMATRIX_X4_TRANS);
    return is_matrix ? SMP_ALL_LANES : mask;
}

static void add_site(gather *in, const smp_profile_site *site) {
    EACH(const smp_profile_request, request, site->distinct, site->distinct_count) {
        if (!has_price(site, request) || reach_of(in, request, site->width_bytes) != REACH_ALL)
            continue;
        smp_seen_request *seen = &in->requests[in->count++];
        seen->count = request->count;
        seen->access.op = site->op;
        seen->access.width_bytes = site->width_bytes;
        seen->access.active_mask = lanes_of(site, request->mask);
        memcpy(seen->access.address_bytes, request->source_bytes,
               sizeof seen->access.address_bytes);
        const unsigned given = (unsigned)__builtin_popcount(request->mask);
        for (unsigned lane = 0; lane < SMP_LANES; lane++) { /* the others repeat those that count */
            const unsigned from = request->mask >> lane & 1 ? lane : lane % given;
            seen->access.offset_bytes[lane] =
                request->mask >> from & 1 ? (uint32_t)request->offset_bytes[from] - in->first : 0;
        }
    }
}

static uint32_t type_bytes(const char *type) {
    static const struct {
        const char *name;
        uint32_t bytes;
    } types[] = {{"double", 8}, {"float", 4}, {"long long", 8}, {"int", 4},
                 {"short", 2},  {"half", 2},  {"bf16", 2},      {"char", 1}};
    for (size_t i = 0; type && i < sizeof types / sizeof types[0]; i++) {
        const size_t length = strlen(type), wanted = strlen(types[i].name);
        if (length >= wanted && strcmp(type + length - wanted, types[i].name) == 0)
            return types[i].bytes;
    }
    return 0;
}

static uint32_t room_of(const smp_kernel_profile *kernel) {
    const uint32_t most = kernel->arch->shared_block_kib * 1024u;
    return most > kernel->shared_bytes ? most - kernel->shared_bytes : 0;
}

/* ---- What forbids a change ---- */

static void forbid(smp_profile_fix *out, const smp_profile_site *site, const char *what) {
    char place[24] = "";
    if (site->opcode)
        (void)snprintf(place, sizeof place, " at +0x%" PRIx32, site->offset_bytes);
    (void)snprintf(out->obstacle, sizeof out->obstacle, "%.60s%s %s",
                   site->opcode ? site->opcode : "an instruction", place, what);
}

/* Barriers lie in shared memory at unknown places, but not in an array of numbers. */
static void forbid_barriers(const smp_kernel_profile *kernel, smp_profile_fix *out) {
    const smp_shared_array *array = out->array;
    if (!kernel->barriers || (array && array->size_bytes > 0 && type_bytes(array->type) > 0))
        return;
    (void)snprintf(out->obstacle, sizeof out->obstacle,
                   "%.60s uses a barrier, which may lie between the data: move the data by hand",
                   kernel->barriers);
}

static void forbid_calls(const smp_kernel_profile *kernel, smp_profile_fix *out) {
    if (kernel->calls)
        (void)snprintf(out->obstacle, sizeof out->obstacle,
                       "%.120s, which it may call, uses shared memory: which array is not known",
                       kernel->calls);
}

/* Visits every site of the kernel: which bytes stay together, and which site is not followed. */
static void find_obstacle(const smp_kernel_profile *kernel, gather *in, smp_profile_fix *out) {
    forbid_barriers(kernel, out);
    forbid_calls(kernel, out);
    for (uint32_t i = 0; i < kernel->site_count && out->obstacle[0] == '\0'; i++) {
        const smp_profile_site *site = &kernel->sites[i];
        const reach now = is_elsewhere(site) ? REACH_NONE : site_reach(in, site);
        if (now != REACH_NONE && site->width_bytes == 0)
            forbid(out, site, "may use the array, and which bytes it wants together is not known");
        else if (now == REACH_PART)
            forbid(out, site, "uses the array and what lies beside it as one");
        else if (now == REACH_ALL && site->width_bytes > in->unit_bytes)
            in->unit_bytes = site->width_bytes;
    }
}

/* True if nothing was found and most accesses to the array look data-dependent. */
static void tell_data(smp_profile_fix *out) {
    const smp_seen_fix *of = &out->padding;
    if (of->kind != SMP_SEEN_NONE || out->swizzle.kind != SMP_SEEN_NONE ||
        2 * of->by_data <= of->requests)
        return;
    (void)snprintf(out->obstacle, sizeof out->obstacle,
                   "%" PRIu64 " of the %" PRIu64
                   " requests of the array follow no rule, as if data "
                   "decided their addresses; copies of the array, each for some of the lanes, may "
                   "help (smemprobe compare lookup)",
                   of->by_data, of->requests);
}

static smp_status search(const smp_kernel_profile *kernel, gather *in, uint32_t row_bytes,
                         smp_profile_fix *out, smp_error *error) {
    size_t room = 0;
    for (uint32_t i = 0; i < kernel->site_count; i++)
        room += kernel->sites[i].distinct_count;
    in->requests = calloc(room + 1, sizeof *in->requests);
    if (!in->requests)
        return smp_error_memory(error);
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        const size_t before = in->count;
        add_site(in, &kernel->sites[i]);
        out->site_count += in->count > before;
        out->requests_lost += in->count > before ? kernel->sites[i].requests_lost : 0;
    }
    const smp_seen_array array = {in->first, in->end > 0 ? in->end - in->first : 0, room_of(kernel),
                                  in->unit_bytes, row_bytes};
    const smp_status status =
        smp_fix_seen(kernel->arch, in->requests, in->count, &array, &out->padding, &out->swizzle);
    free(in->requests);
    tell_data(out);
    return status == SMP_OK ? SMP_OK : smp_error_memory(error);
}

smp_status smp_profile_fix_array(const smp_kernel_profile *kernel, const smp_shared_array *array,
                                 uint32_t row_bytes, smp_profile_fix *out, smp_error *error) {
    gather in = {0};
    out->array = array;
    in.first = array ? array->offset_bytes : 0;
    in.end = array && array->size_bytes > 0 ? in.first + array->size_bytes : 0;
    find_obstacle(kernel, &in, out);
    return out->obstacle[0] == '\0' ? search(kernel, &in, row_bytes, out, error) : SMP_OK;
}

smp_status smp_profile_fix_site(const smp_kernel_profile *kernel, const smp_profile_site *site,
                                smp_profile_fix *out, smp_error *error) {
    memset(out, 0, sizeof *out);
    if (!kernel->arch || !smp_space_has_banks(site->space) || site->not_modelled)
        return SMP_OK;
    smp_wider_find(kernel, site, &out->wider);
    return smp_profile_fix_array(kernel, smp_site_array(kernel, site), 0, out, error);
}

/* ---- In words ---- */

/* Rows in elements of the array's type, or in 4-byte words if that is unknown. */
static int padding_words(const smp_seen_fix *fix, const char *type, char *text, size_t size) {
    uint32_t bytes = type_bytes(type);
    const bool is_known = bytes > 0 && fix->row_bytes % bytes == 0 && fix->pad_bytes % bytes == 0;
    bytes = is_known ? bytes : 4;
    return snprintf(text, size,
                    "rows of %" PRIu32 " %s instead of %" PRIu32 " (%" PRIu32
                    " bytes after every %" PRIu32 ")",
                    (fix->row_bytes + fix->pad_bytes) / bytes, is_known ? type : "words",
                    fix->row_bytes / bytes, fix->pad_bytes, fix->row_bytes);
}

size_t smp_profile_fix_words(const smp_profile_fix *from, const smp_seen_fix *fix, char *text,
                             size_t size) {
    int length;
    if (fix->kind == SMP_SEEN_PAD)
        length = padding_words(fix, from->array ? from->array->type : NULL, text, size);
    else
        length = snprintf(text, size,
                          "XOR swizzle: byte offset ^ (offset / %" PRIu32 " & %" PRIu32
                          ") * %" PRIu32 ", no extra memory",
                          fix->row_bytes, fix->xor_mask, fix->unit_bytes);
    return length > 0 ? (size_t)length : 0;
}

bool smp_profile_fix_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                            const smp_profile_request *request, const smp_profile_fix *from,
                            const smp_seen_fix *fix, smp_prediction *out) {
    const uint32_t first = from->array ? from->array->offset_bytes : 0;
    if (!smp_request_report(kernel, site, request, out))
        return false;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint32_t *offset = &out->access.offset_bytes[lane];
        if ((out->access.active_mask >> lane & 1) && *offset >= first)
            *offset = first + smp_seen_map(fix, *offset - first);
    }
    out->status = smp_predict(&out->arch, &out->access, &out->counts);
    return out->status == SMP_OK;
}

/* Returns the repair already found for the same array, or NULL. */
static const smp_profile_fix *find_same(const smp_ranking *ranking, const smp_profile_fix *fixes,
                                        uint32_t number) {
    const smp_profile_line *line = smp_ranking_worst(ranking, number);
    const smp_shared_array *array = smp_site_array(line->kernel, line->sites[0]);
    return array ? FIND(one, fixes, number, one->array == array) : NULL;
}

smp_status smp_profile_fixes(const smp_ranking *ranking, uint32_t count, smp_profile_fix **out,
                             smp_error *error) {
    smp_status status = SMP_OK;
    *out = calloc(count + 1, sizeof **out);
    if (!*out)
        return smp_error_memory(error);
    for (uint32_t i = 0; status == SMP_OK && i < count; i++) {
        const smp_profile_line *line = smp_ranking_worst(ranking, i);
        const smp_profile_fix *same = find_same(ranking, *out, i);
        if (same) {
            (*out)[i] = *same;
            smp_wider_find(line->kernel, line->sites[0], &(*out)[i].wider);
        } else {
            status = smp_profile_fix_site(line->kernel, line->sites[0], &(*out)[i], error);
        }
    }
    return status;
}

/* ---- One wider access in the place of several ---- */

enum { WIDEST_BYTES = 16, PLACES_SHOWN = 4 };

static bool takes_part(const smp_profile_site *site) {
    return (site->op == SMP_LD_SHARED || site->op == SMP_ST_SHARED) && !site->not_modelled &&
           site->space == SMP_SPACE_SHARED && site->requests_lost == 0 && site->distinct_count > 0;
}

static bool is_alike(const smp_profile_site *a, const smp_profile_site *b) {
    return a->op == b->op && a->width_bytes == b->width_bytes && a->requests == b->requests &&
           a->distinct_count == b->distinct_count;
}

/* Returns the offset of the lowest active lane. */
static uint64_t first_offset(const smp_profile_request *request) {
    unsigned lane = 0;
    while (lane + 1 < SMP_LANES && !(request->mask >> lane & 1))
        lane++;
    return request->offset_bytes[lane];
}

static uint64_t least_offset(const smp_profile_site *site) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < site->distinct_count; i++) {
        const uint64_t at = first_offset(&site->distinct[i]);
        least = at < least ? at : least;
    }
    return least;
}

static bool is_moved(const smp_profile_request *a, const smp_profile_request *b,
                     uint64_t by_bytes) {
    if (a->mask != b->mask || a->count != b->count)
        return false;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if ((a->mask >> lane & 1) && a->offset_bytes[lane] + by_bytes != b->offset_bytes[lane])
            return false;
    }
    return true;
}

/* True if the requests of `b` are those of `a`, `by_bytes` further on. Both have equally many, all
 * distinct. */
static bool is_neighbour(const smp_profile_site *a, const smp_profile_site *b, uint64_t by_bytes) {
    for (uint32_t i = 0; i < a->distinct_count; i++) {
        bool found = false;
        for (uint32_t j = 0; !found && j < b->distinct_count; j++)
            found = is_moved(&a->distinct[i], &b->distinct[j], by_bytes);
        if (!found)
            return false;
    }
    return true;
}

/* Returns the site `by_bytes` after `base`, preferably of the same source line. */
static const smp_profile_site *neighbour(const smp_kernel_profile *kernel,
                                         const smp_profile_site *base, uint64_t by_bytes) {
    const smp_profile_site *found = NULL;
    const uint64_t wanted = least_offset(base) + by_bytes;
    EACH(const smp_profile_site, other, kernel->sites, kernel->site_count) {
        if (!takes_part(other) || !is_alike(base, other) || least_offset(other) != wanted ||
            !is_neighbour(base, other, by_bytes))
            continue;
        const bool same_line = base->frame_count > 0 && other->frame_count > 0 &&
                               base->frames[0].line == other->frames[0].line;
        if (!found || same_line)
            found = other;
        if (same_line)
            break;
    }
    return found;
}

/* Returns false if the model has no figure for one of them, as for misaligned ones. */
static bool price(const smp_arch *arch, const smp_profile_site *site, uint32_t width,
                  uint64_t *wavefronts) {
    *wavefronts = 0;
    EACH(const smp_profile_request, request, site->distinct, site->distinct_count) {
        smp_access access = {.op = site->op, .width_bytes = width, .active_mask = request->mask};
        smp_counts counts;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            access.offset_bytes[lane] = (uint32_t)request->offset_bytes[lane];
        if (smp_predict(arch, &access, &counts) != SMP_OK || !(counts.valid & SMP_HAS_WAVEFRONTS))
            return false;
        *wavefronts += request->count * counts.wavefronts_max;
    }
    return true;
}

/* Finds the sites that together fill `width` bytes, `site` among them. */
static bool join(const smp_kernel_profile *kernel, const smp_profile_site *site, uint32_t width,
                 smp_wider *out) {
    const uint32_t own = (uint32_t)(first_offset(&site->distinct[0]) % width);
    const smp_profile_site *base = site;
    *out = (smp_wider){.width_bytes = width};
    if (own % site->width_bytes != 0)
        return false;
    for (uint32_t at = 0; at < width; at += site->width_bytes) {
        const smp_profile_site *next =
            at == own ? site : neighbour(kernel, site, (uint64_t)at - own);
        if (!next)
            return false;
        base = at == 0 ? next : base;
        out->sites[out->site_count++] = next;
        out->before += next->wavefronts;
    }
    return price(kernel->arch, base, width, &out->after) && out->after < out->before;
}

void smp_wider_find(const smp_kernel_profile *kernel, const smp_profile_site *site,
                    smp_wider *out) {
    *out = (smp_wider){.site_count = 0};
    if (!kernel->arch || !takes_part(site) || site->width_bytes == 0)
        return;
    for (uint32_t width = WIDEST_BYTES; width > site->width_bytes && width >= 4; width /= 2) {
        smp_wider found;
        if (!join(kernel, site, width, &found))
            continue;
        /* The wider of two joins more accesses, so compare the savings. */
        if (out->site_count == 0 || found.before - found.after > out->before - out->after)
            *out = found;
    }
}

size_t smp_wider_words(const smp_wider *wider, char *text, size_t size) {
    text_buffer out = text_buffer_over(text, size);
    const smp_profile_site *first = wider->sites[0];
    text_add(&out,
             "one access of %" PRIu32 " bytes in the place of %" PRIu32 " of %" PRIu32 ", at ",
             wider->width_bytes, wider->site_count, first->width_bytes);
    for (uint32_t i = 0; i < wider->site_count && i < PLACES_SHOWN; i++)
        text_add(&out, "%s+0x%" PRIx32, i > 0 ? ", " : "", wider->sites[i]->offset_bytes);
    if (wider->site_count > PLACES_SHOWN)
        text_add(&out, " ...");
    return out.length;
}
