/* SPDX-License-Identifier: MIT */
/* Random arrays, and forms of them. */
#define _POSIX_C_SOURCE 200809L
#include "fix_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

/* ---- Problems ---- */

static const char *type_of(const fix_problem *p) {
    const uint32_t bytes = p->element;
    return p->members > 0 ? "S"
           : bytes == 1   ? "char"
           : bytes == 2   ? "half"
           : bytes == 4   ? "float"
                          : "double";
}

static const char *vector_of(uint32_t bytes) {
    return bytes == 2 ? "short" : bytes == 4 ? "int" : bytes == 8 ? "float2" : "float4";
}

static problem_index draw_index(smp_random *random, uint32_t extent, uint32_t scale) {
    static const uint32_t factors[] = {0, 0, 1, 1, 1, 1, 2, 3, 4, 8, 16, 32};
    return (problem_index){.x = factors[smp_random_below(random, 12)],
                           .y = factors[smp_random_below(random, 12)],
                           .add = smp_random_below(random, 4),
                           .modulus = extent / scale,
                           .scale = scale};
}

static smp_arch draw_arch(smp_random *random) {
    static const char *const names[] = {"sm_90", "sm_90", "sm_70", "sm_20", "sm_35", "sm_13"};
    return *smp_arch_find(names[smp_random_below(random, 6)]);
}

static void draw_access(smp_random *random, const fix_problem *p, problem_access *a) {
    uint32_t vector = p->members > 0 ? 1 : 1u << smp_random_below(random, 4);
    while (vector > 1 && (vector * p->element > 16 || p->columns % vector != 0))
        vector /= 2;
    bool has_atomics = (p->members > 0 || p->element == 4) && p->arch.cc_major >= 5;
    a->op = smp_random_below(random, 2) == 0 ? SMP_LD_SHARED : SMP_ST_SHARED;
    if (has_atomics && smp_random_below(random, 6) == 0) {
        a->op = SMP_ATOM_SHARED;
        vector = 1;
    }
    a->width = p->members > 0 ? 4 : vector * p->element;
    a->member = p->members > 0 ? smp_random_below(random, p->members) : 0;
    a->row = draw_index(random, p->rows, 1);
    a->column = draw_index(random, p->columns, vector);
    a->is_flat = p->rows > 0 && vector == 1 && smp_random_below(random, 24) == 0;
    if (a->is_flat)
        a->column = (problem_index){
            .x = 1 + smp_random_below(random, 40), .modulus = p->rows * p->columns, .scale = 1};
    a->is_remote = p->arch.cc_major >= 9 && a->width >= 4 && !a->is_flat &&
                   a->op != SMP_ATOM_SHARED && smp_random_below(random, 8) == 0;
    if (a->is_remote)
        a->op = a->op == SMP_LD_SHARED ? SMP_LD_CLUSTER : SMP_ST_CLUSTER;
    a->rank = draw_index(random, 1u << smp_random_below(random, 3), 1);
}

static void put_index(FILE *out, const char *name, const problem_index *i) {
    fprintf(out, "let %s = (threadIdx.x * %u + threadIdx.y * %u + %u) %% %u * %u\n", name, i->x,
            i->y, i->add, i->modulus, i->scale);
}

/* "ld *(float4 *)&t[rt0][ct0]", "st t[ct1].b", "ld.cluster(kt0) t[rt0][ct0]" */
static void put_access(FILE *out, const fix_problem *p, uint32_t number, problem_access *a) {
    const bool is_load = a->op == SMP_LD_SHARED || a->op == SMP_LD_CLUSTER;
    char verb[32], cast[24] = "", row[16] = "", member[8] = "";
    (void)snprintf(verb, sizeof verb, "%s",
                   is_load                    ? "ld"
                   : a->op == SMP_ATOM_SHARED ? "atom"
                                              : "st");
    if (a->is_remote)
        (void)snprintf(verb + 2, sizeof verb - 2, ".cluster(k%c%u)", p->array, number);
    if (p->members > 0)
        (void)snprintf(member, sizeof member, ".%c", 'a' + (int)a->member);
    else if (a->width > p->element)
        (void)snprintf(cast, sizeof cast, "*(%s *)&", vector_of(a->width));
    if (p->rows > 0)
        (void)snprintf(row, sizeof row, "[r%c%u]", p->array, number);
    if (a->is_flat)
        (void)snprintf(a->name, sizeof a->name, "%s (&%c[0][0])[c%c%u]%s", verb, p->array, p->array,
                       number, member);
    else
        (void)snprintf(a->name, sizeof a->name, "%s %s%c%s[c%c%u]%s", verb, cast, p->array, row,
                       p->array, number, member);
    fprintf(out, "%s\n", a->name);
}

static void put_text(fix_problem *p, FILE *out) {
    for (uint32_t i = 0; i < p->access_count; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "r%c%u", p->array, i);
        if (p->rows > 0)
            put_index(out, name, &p->access[i].row);
        name[0] = 'c';
        put_index(out, name, &p->access[i].column);
        name[0] = 'k';
        if (p->access[i].is_remote)
            put_index(out, name, &p->access[i].rank);
    }
    fprintf(out, "shared %s%s %c", p->is_placed ? "" : "alignas(256) ", type_of(p), p->array);
    if (p->rows > 0)
        fprintf(out, "[%u]", p->rows);
    fprintf(out, "[%u]", p->columns);
    if (p->is_placed)
        fprintf(out, " @ %u", (unsigned)p->place_bytes);
    fprintf(out, "\n");
    for (uint32_t i = 0; i < p->access_count; i++)
        put_access(out, p, i, &p->access[i]);
}

static uint32_t numbers_of(const fix_problem *p) {
    return (p->rows > 0 ? p->rows : 1) * p->columns;
}

/* Each member is a float with a name of its own. */
static void put_struct(const fix_problem *p, FILE *out) {
    fprintf(out, "struct S { float ");
    for (uint32_t i = 0; i < p->members; i++)
        fprintf(out, "%s%c", i > 0 ? ", " : "", 'a' + (int)i);
    fprintf(out, "; };\n");
}

/* All but the text; what is given of the struct stays. */
static void draw_array(smp_random *random, fix_problem *out) {
    static const uint32_t columns[] = {8, 16, 32, 32, 64, 24, 33, 18};
    out->element = 1u << smp_random_below(random, 4);
    if (out->members > 0)
        out->element = 4 * out->members;
    out->rows = smp_random_below(random, 4) == 0 ? 0 : 4 + smp_random_below(random, 29);
    out->columns = columns[smp_random_below(random, 8)];
    out->access_count = 1 + smp_random_below(random, FIX_PROBLEM_ACCESSES);
    if (out->rows == 0)
        out->columns = 64u << smp_random_below(random, 4);
    for (uint32_t i = 0; i < out->access_count; i++)
        draw_access(random, out, &out->access[i]);
}

void fix_problem_draw(smp_random *random, fix_problem *out) {
    memset(out, 0, sizeof *out);
    out->array = 't';
    out->warps = 1 + smp_random_below(random, FIX_PROBLEM_WARPS);
    out->arch = draw_arch(random);
    out->members = smp_random_below(random, 6) == 0 ? 2 + smp_random_below(random, 6) : 0;
    out->is_placed = smp_random_below(random, 6) == 0;
    draw_array(random, out);
    FILE *text = fmemopen(out->text, sizeof out->text, "w");
    fprintf(text, "block 32x%u\n", out->warps);
    if (out->members > 0)
        put_struct(out, text);
    put_text(out, text);
    (void)fclose(text);
}

void fix_problem_draw_beside(smp_random *random, fix_problem *first, fix_problem *out) {
    memset(out, 0, sizeof *out);
    out->array = 'u';
    out->warps = first->warps;
    out->arch = first->arch;
    out->members = smp_random_below(random, 2) == 0 ? first->members : 0;
    out->is_placed = first->is_placed;
    const uint64_t end = (uint64_t)numbers_of(first) * first->element;
    out->place_bytes = (end + 255) / 256 * 256 + 256 * smp_random_below(random, 3);
    draw_array(random, out);
    size_t length = strlen(first->text);
    FILE *text = fmemopen(first->text + length, sizeof first->text - length, "w");
    put_text(out, text);
    (void)fclose(text);
}

/* ---- Requests ---- */

static uint32_t value_of(const problem_index *i, uint32_t x, uint32_t y) {
    return (i->x * x + i->y * y + i->add) % i->modulus * i->scale;
}

uint32_t fix_problem_place(const fix_problem *p, const smp_fix_form *form, uint32_t row,
                           uint32_t column) {
    const uint32_t pitch = p->columns + form->pad[form->dim_count - 1];
    if (form->step > 0)
        column = (column + form->step * (row / form->divide)) % p->columns;
    uint32_t number = row * pitch + column;
    if (form->every > 0)
        number += number / form->every * form->insert;
    uint32_t out = number;
    for (uint32_t i = 0; i < form->term_count; i++) {
        const uint32_t bits = number & form->term[i].mask;
        out ^= form->term[i].shift < 0 ? bits << -form->term[i].shift : bits >> form->term[i].shift;
    }
    return out;
}

bool fix_problem_request(const fix_problem *p, const problem_access *a, uint32_t warp,
                         const smp_fix_form *form, smp_access *out) {
    *out = (smp_access){.op = a->op, .width_bytes = a->width, .active_mask = SMP_ALL_LANES};
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        uint32_t row = p->rows > 0 ? value_of(&a->row, lane, warp) : 0;
        uint32_t column = value_of(&a->column, lane, warp);
        if (a->is_flat) {
            row = column / p->columns;
            column %= p->columns;
        }
        const uint32_t first = fix_problem_place(p, form, row, column);
        out->offset_bytes[lane] = first * fix_problem_bytes(p, form) + 4 * a->member;
        for (uint32_t i = 1; i < a->width / p->element; i++)
            if (fix_problem_place(p, form, row, column + i) != first + i)
                return false;
    }
    return true;
}

uint32_t fix_problem_bytes(const fix_problem *p, const smp_fix_form *form) {
    return p->element + form->element_extra;
}

/* Lanes that ask different blocks of the cluster make requests of their own. */
static uint64_t count_sectors(const problem_access *a, uint32_t warp, const smp_arch *arch,
                              const smp_access *request) {
    uint64_t sectors = 0;
    for (uint32_t rank = 0; rank < a->rank.modulus; rank++) {
        smp_access part = *request;
        reference_counts counts;
        part.active_mask = 0;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            part.active_mask |= (uint32_t)(value_of(&a->rank, lane, warp) == rank) << lane;
        if (part.active_mask == 0)
            continue;
        reference_predict(arch->cc_major, arch->cc_minor, arch->bank_bytes, &part, &counts);
        sectors += counts.transactions;
    }
    return sectors;
}

problem_cost fix_problem_cost(const fix_problem *p, const problem_access *a,
                              const smp_fix_form *form, const smp_arch *arch) {
    /* Without clusters nothing is known about it. */
    problem_cost cost = {.fits = !a->is_remote || arch->cc_major >= 9};
    for (uint32_t warp = 0; warp < p->warps; warp++) {
        smp_access request;
        reference_counts counts;
        bool is_whole = fix_problem_request(p, a, warp, form, &request), is_aligned = true;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            is_aligned &= request.offset_bytes[lane] % a->width == 0;
        cost.is_misaligned |= !is_aligned;
        cost.fits &= is_whole && is_aligned;
        if (!is_whole || !is_aligned)
            continue;
        if (a->is_remote) {
            cost.sectors += count_sectors(a, warp, arch, &request);
            continue;
        }
        reference_predict(arch->cc_major, arch->cc_minor, arch->bank_bytes, &request, &counts);
        cost.ways = counts.ways > cost.ways ? counts.ways : cost.ways;
        cost.excess += counts.wavefronts_max - counts.ideal;
        if (arch->cc_major == 1)
            cost.floor += 2 * (a->width > 4 ? a->width / 4 : 1) - counts.ideal;
    }
    return cost;
}

/* ---- Forms ---- */

static bool read_terms(const char *text, smp_fix_form *out) {
    int used = 0, shift;
    unsigned mask;
    while (sscanf(text, " ^ (i>>%d & 0x%x)%n", &shift, &mask, &used) == 2 && used > 0) {
        if (out->term_count == SMP_FIX_TERMS_MAX)
            return false;
        out->term[out->term_count++] = (smp_fix_term){mask << shift, shift};
        text += used;
        used = 0;
    }
    return *text == '\0';
}

static bool read_swizzle(const char *text, smp_fix_form *out) {
    int used = 0;
    if (sscanf(text, "Swizzle<%u,%u,%d>%n", &out->bits, &out->base, &out->shift, &used) != 3 ||
        text[used] != '\0' || used == 0)
        return false;
    const uint32_t low = ((1u << out->bits) - 1) << out->base;
    out->term[out->term_count++] =
        (smp_fix_term){out->shift < 0 ? low : low << out->shift, out->shift};
    return true;
}

/* "i + i / 8 * 2", "i * 3": how much is read, 0 if it is none. */
static int read_spread(const char *text, smp_fix_form *out) {
    int used = 0;
    if (sscanf(text, "i * %u%n", &out->insert, &used) == 1) {
        out->every = 1;
        out->insert--;
        return used;
    }
    if (sscanf(text, "i + i / %u%n", &out->every, &used) != 1)
        return 0;
    int more = 0;
    out->insert = 1;
    if (sscanf(text + used, " * %u%n", &out->insert, &more) == 1)
        used += more;
    return used;
}

static int read_extents(const fix_problem *p, const char *text, smp_fix_form *out) {
    int used = 0;
    uint32_t rows, columns;
    if (p->rows == 0)
        return 0;
    if (sscanf(text, "[%u][%u]%n", &rows, &columns, &used) != 2 || used == 0 || rows < p->rows ||
        columns < p->columns)
        return 0;
    out->pad[0] = rows - p->rows;
    out->pad[1] = columns - p->columns;
    return used;
}

static bool read_rotation(const char *text, smp_fix_form *out) {
    unsigned columns;
    out->step = out->divide = 1;
    return sscanf(text, "(c + r / %u * %u) %% %u", &out->divide, &out->step, &columns) == 3 ||
           (out->step = 1, sscanf(text, "(c + r / %u) %% %u", &out->divide, &columns) == 2) ||
           (out->divide = 1, sscanf(text, "(c + r * %u) %% %u", &out->step, &columns) == 2) ||
           (out->step = 1, sscanf(text, "(c + r) %% %u", &columns) == 1);
}

bool fix_problem_form(const fix_problem *p, const char *words, size_t length, smp_fix_form *out) {
    char text[256];
    (void)snprintf(text, sizeof text, "%.*s", (int)length, words);
    *out = (smp_fix_form){.dim_count = p->rows > 0 ? 2u : 1u,
                          .extent = {p->rows > 0 ? p->rows : p->columns, p->columns},
                          .element_bytes = p->element,
                          .divide = 1};
    if (text[0] == '(')
        return read_rotation(text, out);
    if (strncmp(text, "i ^", 3) == 0)
        return read_terms(text + 1, out);
    unsigned bytes;
    if (strstr(text, " bytes per element")) {
        const bool is_more = sscanf(text, "%u", &bytes) == 1 && bytes > p->element;
        out->element_extra = is_more ? bytes - p->element : 0;
        return is_more && p->members > 0;
    }
    int used = text[0] == '[' ? read_extents(p, text, out) : read_spread(text, out);
    if (used == 0)
        return read_swizzle(text, out);
    return text[used] == '\0' || (text[used] == ' ' && read_swizzle(text + used + 1, out));
}
