/* SPDX-License-Identifier: MIT */
/*
 * Statements of the layout language: names, block and grid, architectures; promises such as
 * "expect ways <= 1" about each access of the preceding statement (ways is the worst request's,
 * the other counts are sums over all warps and iterations); and data that decide addresses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_file.h"
#include "list.h"
#include "lower.h"
#include "random_form.h"
#include "text_buffer.h"

#define BLOCK_THREADS_MAX 1024u
#define GRID_MAX INT64_C(2147483647)

/* ---- Names ---- */

/* "N = 32", "N 32", or "T = float". */
bool ct_lower_define(ct_lower *l, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    if (ct_call_is_known(name))
        return ct_refuse_name(l, name, "'%.*s' already has a meaning");
    ct_new_name(l, name);
    if (node->child->kind == CT_N_TYPE)
        return ct_lower_alias(l, node);
    ct_kind kind = CT_I32;
    const int64_t value = ct_lower_constant(l, node->child, &kind);
    return ct_constant_add(l, name, value, kind, NULL);
}

/* "enum E { A, B = 4 };" adds constants and a name for int. */
bool ct_lower_enum(ct_lower *l, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    const ct_type_use use = {.type = ct_type_of_kind(CT_I32)};
    int64_t value = 0;
    for (const ct_node *one = node->child; one; one = one->next, value++) {
        const ct_token *word = &l->tokens[one->at];
        if (one->child)
            value = ct_lower_constant_in(l, one->child, "the value", INT32_MIN, INT32_MAX);
        if (value > INT32_MAX)
            return ct_fail(l, SMP_E_OVERFLOW, word->position, "this is too large");
        if (!ct_new_name(l, word) || !ct_constant_add(l, word, value, CT_I32, NULL))
            return false;
    }
    return name->kind != CT_TOKEN_NAME || ct_type_bind(l, name, &use);
}

bool ct_lower_alias(ct_lower *l, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    ct_type_use use = {0};
    const bool sound = node->child->kind == CT_N_STRUCT ? ct_lower_struct(l, node->child, &use.type)
                                                        : ct_lower_type_use(l, node->child, &use);
    if (use.is_auto || use.is_void)
        return ct_refuse(l, name->position, "only plain types can be named here");
    return sound && ct_type_bind(l, name, &use);
}

/* ---- Block and grid ---- */

/* Missing sizes are 1, missing indices 0. */
bool ct_lower_dim_statement(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    smp_layout *kernel = &layout->kernel;
    const bool is_block = node->flags & CT_IS_PLAIN, is_grid = node->flags & CT_IS_CALL;
    const bool is_index = !is_block && !is_grid;
    const int64_t most = is_block ? BLOCK_THREADS_MAX : GRID_MAX;
    uint32_t *to = is_block ? kernel->block : is_grid ? kernel->grid : kernel->block_index;
    bool *has = is_block  ? &layout->has_block
                : is_grid ? &layout->has_grid
                          : &layout->has_block_index;
    const ct_node *one = node->child;
    if (*has)
        return ct_refuse(l, ct_begin(l, node), "this is already given");
    *has = true;
    if (is_index)
        layout->block_index_line =
            ct_unit_line(l->unit, ct_begin(l, node), &layout->block_index_column);
    for (unsigned i = 0; i < 3; i++, one = one ? one->next : NULL)
        to[i] =
            one ? (uint32_t)ct_lower_constant_in(l, one, "the size", !is_index, most) : !is_index;
    const uint64_t threads = (uint64_t)to[0] * to[1] * to[2];
    return !is_block || (threads <= BLOCK_THREADS_MAX && to[2] <= 64) ||
           ct_fail(l, SMP_E_RANGE, ct_begin(l, node), "a block has at most %u threads, and 64 in z",
                   BLOCK_THREADS_MAX);
}

/* ---- Architectures ---- */

static bool lower_arch(ct_lower *l, const ct_node *node, const smp_arch **out) {
    char name[32] = "";
    size_t length = 0;
    if (node->kind == CT_N_FAULT)
        return ct_fail_fault(l, node->fault);
    for (uint32_t at = node->first; at < node->end; at++) {
        const ct_token *token = &l->tokens[at];
        for (size_t i = 0; i < token->length && length + 1 < sizeof name; i++)
            name[length++] = token->text[i];
    }
    *out = length > 0 && length + 1 < sizeof name ? smp_arch_find(name) : NULL;
    return *out || ct_fail(l, SMP_E_UNKNOWN_ARCH, ct_begin(l, node),
                           "unknown architecture (see 'list archs')");
}

bool ct_lower_archs(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    for (const ct_node *one = node->child; one; one = one->next) {
        const smp_arch *arch;
        if (!lower_arch(l, one, &arch) ||
            !ct_has_room(l, ct_position(l, one->end), layout->kernel.arch_count,
                         CT_LAYOUT_ARCHS_MAX, "architectures"))
            return false;
        layout->kernel.archs[layout->kernel.arch_count++] = arch;
    }
    return true;
}

/* ---- Promises ---- */

typedef struct field_row {
    const char *name;
    uint32_t needs; /* SMP_HAS_... */
} field_row;

/* In the order of field_value. */
static const field_row fields[] = {{"ways", SMP_HAS_WAVEFRONTS},
                                   {"wavefronts", SMP_HAS_WAVEFRONTS},
                                   {"ideal", SMP_HAS_WAVEFRONTS},
                                   {"excess", SMP_HAS_WAVEFRONTS},
                                   {"transactions", SMP_HAS_TRANSACTIONS},
                                   {"bytes", SMP_HAS_TRANSACTIONS},
                                   {"requests", 0}};

/* The first access of the statement or line of access `last`. */
static uint32_t first_of_line(const smp_layout *layout, uint32_t last) {
    const smp_request *latest = &layout->accesses[last];
    uint32_t first = last;
    while (first > 0 && (layout->accesses[first - 1].statement == latest->statement ||
                         layout->accesses[first - 1].line == latest->line))
        first--;
    return first;
}

bool ct_lower_expect(ct_lower *l, const ct_node *node) {
    smp_layout *layout = &l->layout->kernel;
    const size_t position = ct_begin(l, node);
    const ct_node *bound = node->child;
    if (layout->access_count == 0)
        return ct_refuse(l, position, "'expect' needs an access before it");
    if (!ct_has_room(l, position, layout->expect_count, CT_EXPECTS_MAX, "expectations"))
        return false;
    if (!LIST_ROOM(layout->expects, layout->expect_count))
        return ct_fail_memory(l);
    ct_expectation *expect = &layout->expects[layout->expect_count];
    *expect = (ct_expectation){.shown = {.first = first_of_line(layout, layout->access_count - 1),
                                         .access = layout->access_count - 1,
                                         .text = l->unit->text + position,
                                         .length = ct_end(l, node) - position,
                                         .line = ct_unit_line(l->unit, position, NULL)}};
    while (!ct_token_is(&l->tokens[node->at], fields[expect->field].name))
        expect->field++;
    expect->relation = (uint8_t)ct_operator_op(&l->tokens[node->at + 1]);
    expect->value = ct_lower_constant_in(l, bound, "the bound", 0, INT64_MAX);
    for (const ct_node *part = bound->next; part; part = part->next)
        lower_arch(l, part, &expect->shown.arch);
    layout->expect_count += l->status == SMP_OK;
    return l->status == SMP_OK;
}

size_t smp_layout_expect_count(const smp_layout *layout) {
    return layout->expect_count;
}

void smp_layout_expect_at(const smp_layout *layout, size_t index, smp_layout_expect *out) {
    *out = layout->expects[index].shown;
}

/* The value of a field; `upper`: of the upper end of a range. */
static uint64_t field_value(const smp_totals *totals, uint8_t field, bool upper) {
    const uint64_t values[] = {
        totals->ways,         upper ? totals->wavefronts_max : totals->wavefronts_min,
        totals->ideal,        totals->excess,
        totals->transactions, totals->bytes,
        totals->requests};
    return values[field];
}

bool smp_layout_expect_concerns(const smp_layout *layout, size_t index, size_t access) {
    const smp_space space = smp_ops(NULL)[layout->accesses[access].op].space;
    const uint32_t needs = fields[layout->expects[index].field].needs;
    return needs == SMP_HAS_WAVEFRONTS     ? space == SMP_SPACE_SHARED || space == SMP_SPACE_COPY
           : needs == SMP_HAS_TRANSACTIONS ? space != SMP_SPACE_SHARED
                                           : true;
}

static bool keeps(uint8_t relation, uint64_t value, uint64_t bound) {
    return relation == CT_CODE_LE   ? value <= bound
           : relation == CT_CODE_GE ? value >= bound
           : relation == CT_CODE_LT ? value < bound
           : relation == CT_CODE_GT ? value > bound
           : relation == CT_CODE_NE ? value != bound
                                    : value == bound;
}

bool smp_layout_expect_holds(const smp_layout *layout, size_t index, const smp_totals *totals,
                             char *reason, size_t size) {
    const ct_expectation *expect = &layout->expects[index];
    const field_row *field = &fields[expect->field];
    if ((totals->valid & field->needs) != field->needs) {
        const char *why = totals->note ? totals->note : "this operation has no such count";
        if (reason)
            snprintf(reason, size, "%s not known: %s", field->name, why);
        return false;
    }
    const uint64_t high = field_value(totals, expect->field, true);
    const uint64_t low = field_value(totals, expect->field, false);
    const uint64_t bound = (uint64_t)expect->value;
    if (keeps(expect->relation, high, bound) && keeps(expect->relation, low, bound))
        return true;
    if (reason)
        snprintf(reason, size, low == high ? "%s is %llu" : "%s is %llu to %llu", field->name,
                 (unsigned long long)low, (unsigned long long)high);
    return false;
}

/* ---- Data ---- */

enum { NAME_MAX_BYTES = 4096, ZIPF_MAX = 1 << 20 };

/* ---- Parameters ---- */

/* Zipf's law: the k-th most frequent value, counted from 1, has a share proportional to 1/k. */
static bool fill_shares(ct_lower *l, ct_data *data, int64_t count) {
    double sum = 0;
    data->count = (size_t)count;
    data->shares = malloc(data->count * sizeof *data->shares);
    if (!data->shares)
        return ct_fail_memory(l);
    for (size_t i = 0; i < data->count; i++)
        data->shares[i] = sum += 1.0 / (double)(i + 1);
    for (size_t i = 0; i < data->count; i++)
        data->shares[i] /= sum;
    return l->status == SMP_OK;
}

static bool lower_drawn(ct_lower *l, const ct_node *node, ct_data *data) {
    const ct_node *of = node->child;
    data->is_drawn = true;
    data->seed = SMP_RANDOM_SEED;
    if (ct_token_is(&l->tokens[node->mark], "zipf"))
        return fill_shares(l, data,
                           ct_lower_constant_in(l, of, "the number of values", 1, ZIPF_MAX));
    const ct_node *high = of->next, *seed = high->next;
    data->low = ct_lower_constant_in(l, of, "the least value", INT64_MIN, INT64_MAX);
    data->high = ct_lower_constant_in(l, high, "the largest value", data->low, INT64_MAX);
    if (seed)
        data->seed = (uint64_t)ct_lower_constant_in(l, seed, "the seed", 0, INT64_MAX);
    return l->status == SMP_OK;
}

static bool read_file(ct_lower *l, const ct_node *node, ct_data *data) {
    char name[NAME_MAX_BYTES];
    const size_t at = ct_position(l, node->mark), start = at + 1;
    const size_t length = ct_file_name_length(l->unit, start);
    smp_error error = {.message = ""};
    if (length == 0 || length >= sizeof name)
        return ct_refuse(l, at, "expected a file name after '@'");
    (void)snprintf(name, sizeof name, "%.*s", (int)length, l->unit->text + start);
    if (smp_data_file_read(name, &data->values, &data->count, &error) != SMP_OK)
        return ct_fail(l, error.status, start, "%.200s", error.message);
    return true;
}

bool ct_lower_data(ct_lower *l, const ct_node *node) {
    smp_layout *kernel = &l->layout->kernel;
    const ct_token *name = &l->tokens[node->at];
    ct_data data = {.name = name->word};
    data.line = ct_unit_line(l->unit, name->position, &data.column);
    if (ct_data_find(kernel, name->word))
        return ct_refuse_name(l, name, "'%.*s' already has its data");
    if (kernel->data_count == CT_DATA_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, name->position, "data for more than %d arrays",
                       CT_DATA_MAX);
    const bool is_file = l->tokens[node->mark].code == '@';
    const bool sound = is_file ? read_file(l, node, &data) : lower_drawn(l, node, &data);
    if (sound)
        kernel->data[kernel->data_count++] = data;
    else
        ct_data_clear(&data);
    return sound;
}
