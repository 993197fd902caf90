/* SPDX-License-Identifier: MIT */
/*
 * Explains the cost of an access from its addresses.
 *
 * The basis is a count: how many different words each bank delivers to the lanes that are served
 * together. For a constant stride the reason is arithmetic: lanes n apart meet on a bank iff n
 * strides are a multiple of the number of banks, so gcd(stride, banks) lanes share each bank.
 * Otherwise the reason is the worst bank and its lanes.
 */
#include "why.h"

#include "smp_prediction.h"

const char *const smp_why_rows[WHY_COUNT] = {
#define WHY_ROW(id, row) [id] = row,
    SMP_WHY_LIST(WHY_ROW)
#undef WHY_ROW
};

#define SAY(out, id, ...) smp_say(out, smp_why_rows[id], (const smp_slot[]){__VA_ARGS__})
#define SAY_PLAIN(out, id) smp_say(out, smp_why_rows[id], NULL)

/* One column of the banks in one group: a bank, or a run of banks as wide as the access. */
typedef struct column {
    uint32_t lanes;
    uint32_t unit[SMP_LANES]; /* the different units of the column */
    unsigned words;           /* number of units; each bank of the column delivers a word of each */
    unsigned passes;          /* fewer than words if a bank delivers two at once */
} column;

enum { COLUMNS_MAX = 32, SEGMENT_BYTES = 256 };

static const smp_op_row *op_of(const smp_prediction *report) {
    return &smp_ops(NULL)[report->access.op];
}

static bool is_half_warps(const smp_prediction *report) {
    return report->arch.shared_rule->half_warps;
}

/* The unit of a bank conflict: the width of the access or of a bank, whichever is larger. */
static unsigned unit_bytes(const smp_prediction *report) {
    unsigned bank = report->arch.bank_bytes;
    return report->access.width_bytes > bank && !is_half_warps(report) ? report->access.width_bytes
                                                                       : bank;
}

/* Banks of a column. */
static unsigned banks_each(const smp_prediction *report) {
    return unit_bytes(report) / report->arch.bank_bytes;
}

static unsigned column_count(const smp_prediction *report) {
    return report->arch.banks / banks_each(report);
}

/* Groups for the same lanes: one, but several for a wide access of CC 1.x. */
static unsigned parts_of(const smp_prediction *report) {
    uint32_t width = report->access.width_bytes;
    return is_half_warps(report) && width > 4 ? width / 4 : 1;
}

/* Lanes that are served together: 32, or one group. */
static unsigned group_lanes(const smp_prediction *report) {
    return SMP_LANES * parts_of(report) / report->counts.group_count;
}

static void column_add(column *at, uint32_t unit, uint32_t segment, unsigned lane,
                       uint32_t segments[SMP_LANES]) {
    bool is_new = true, is_new_segment = true;
    at->lanes |= 1u << lane;
    for (unsigned i = 0; i < at->words && is_new; i++)
        is_new = at->unit[i] != unit;
    for (unsigned i = 0; i < at->passes && is_new_segment; i++)
        is_new_segment = segments[i] != segment;
    if (is_new)
        at->unit[at->words++] = unit;
    if (is_new_segment)
        segments[at->passes++] = segment;
}

static void columns_fill(const smp_prediction *report, unsigned group,
                         column columns[COLUMNS_MAX]) {
    uint32_t lanes = report->counts.groups[group].lanes, segments[COLUMNS_MAX][SMP_LANES];
    uint32_t skip = group % parts_of(report) * 4;
    for (unsigned i = 0; i < COLUMNS_MAX; i++)
        columns[i].lanes = columns[i].words = columns[i].passes = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if ((lanes >> lane & 1) == 0)
            continue;
        uint32_t offset = report->access.offset_bytes[lane] + skip;
        uint32_t unit = offset / unit_bytes(report), at = unit % column_count(report);
        /* Kepler's 4-byte mode: a bank is 8 bytes wide, and holds two words of a segment. */
        uint32_t segment = smp_bank_pairs_words(&report->arch) ? offset / SEGMENT_BYTES : unit;
        column_add(&columns[at], unit, segment, lane, segments[at]);
    }
}

/* ---- The whole request ---- */

/* Values shared by the columns of all groups; 0 if they differ. */
typedef struct census {
    unsigned groups;  /* groups with lanes */
    unsigned columns; /* used columns per group */
    unsigned words;   /* words per column */
    unsigned passes;  /* passes per column */
    unsigned worst;   /* maximum of the passes */
    unsigned worst_group, worst_column;
    unsigned all_words; /* sum over all columns and groups */
    bool shares_pass;   /* some bank delivers two words at once */
} census;

static void keep_common(unsigned *common, unsigned value, bool is_first) {
    *common = is_first || *common == value ? value : 0;
}

static void census_add(census *out, const column columns[COLUMNS_MAX], unsigned group) {
    unsigned used = 0;
    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        const column *at = &columns[i];
        if (at->lanes == 0)
            continue;
        keep_common(&out->words, at->words, out->all_words == 0);
        keep_common(&out->passes, at->passes, out->all_words == 0);
        out->all_words += at->words;
        out->shares_pass |= at->words > at->passes;
        used++;
        if (at->passes <= out->worst)
            continue;
        out->worst = at->passes;
        out->worst_group = group;
        out->worst_column = i;
    }
    keep_common(&out->columns, used, out->groups == 0);
    out->groups++;
}

static census census_take(const smp_prediction *report) {
    census out = {0};
    for (unsigned group = 0; group < report->counts.group_count; group++) {
        column columns[COLUMNS_MAX];
        if (report->counts.groups[group].lanes == 0)
            continue;
        columns_fill(report, group, columns);
        census_add(&out, columns, group);
    }
    return out;
}

/* ---- Groups ---- */

static void say_groups(text_buffer *out, const smp_prediction *report) {
    unsigned lanes = group_lanes(report);
    uint32_t width = report->access.width_bytes;
    if (is_half_warps(report) && width > 4)
        SAY(out, WHY_SPLIT, SMP_NUMBER(width), SMP_NUMBER(width / 4));
    else if (is_half_warps(report))
        SAY_PLAIN(out, WHY_HALF_WARPS);
    else if (report->counts.paired)
        SAY(out, WHY_PAIRED, SMP_NUMBER(width), SMP_NUMBER(lanes), SMP_NUMBER(lanes / 2));
    else if (lanes < SMP_LANES)
        SAY(out, WHY_GROUPS, SMP_NUMBER(width), SMP_NUMBER(lanes));
}

/* ---- Strides ---- */

/* CC 1.x: conflict-free iff the stride is odd. */
static void say_half_stride(text_buffer *out, uint64_t stride, unsigned banks) {
    uint32_t common = smp_gcd((uint32_t)(stride % banks), banks);
    SAY(out, WHY_HALF_APART, SMP_NUMBER(banks), SMP_NUMBER(banks), SMP_NUMBER(stride),
        SMP_NUMBER(banks / common));
    if (common == 1)
        SAY_PLAIN(out, WHY_HALF_ODD);
    else if (common == banks)
        SAY_PLAIN(out, WHY_HALF_ALL);
    else
        SAY(out, WHY_HALF_EVEN, SMP_NUMBER(common), SMP_NUMBER(banks / common));
}

/* How many lanes meet on how many banks. */
static void say_meeting(text_buffer *out, const smp_prediction *report, const census *all) {
    smp_slot lanes = SMP_NUMBER(group_lanes(report)), used = SMP_NUMBER(all->columns);
    smp_slot each = SMP_NUMBER(banks_each(report)), words = SMP_NUMBER(all->words);
    bool is_bank = each.number == 1;
    if (all->shares_pass && is_bank)
        SAY(out, WHY_FOLD_BANKS, lanes, used, words, SMP_NUMBER(all->passes));
    else if (all->shares_pass)
        SAY(out, WHY_FOLD_SETS, lanes, used, each, words, SMP_NUMBER(all->passes));
    else if (all->words == 1 && is_bank)
        SAY(out, WHY_OWN_BANK, lanes, used);
    else if (all->words == 1)
        SAY(out, WHY_OWN_SET, lanes, used, each);
    else if (all->columns == 1 && is_bank)
        SAY(out, WHY_ONE_BANK, lanes);
    else if (all->columns == 1)
        SAY(out, WHY_ONE_SET, lanes, each);
    else if (is_bank)
        SAY(out, WHY_SHARE_BANKS, lanes, used, words);
    else
        SAY(out, WHY_SHARE_SETS, lanes, used, each, words);
}

static void say_stride(text_buffer *out, const smp_prediction *report, uint64_t stride,
                       const census *all) {
    unsigned unit = unit_bytes(report), columns = column_count(report);
    uint32_t common = smp_gcd((uint32_t)(stride % columns), columns);
    smp_slot apart = SMP_NUMBER(stride), of = SMP_NUMBER(columns), gcd = SMP_NUMBER(common);
    if (unit == 4)
        SAY(out, WHY_APART, apart, apart, of, gcd);
    else
        SAY(out, WHY_UNITS_APART, apart, SMP_NUMBER(unit), apart, of, gcd);
    say_meeting(out, report, all);
}

/* ---- Any lanes ---- */

static bool is_one_address(const smp_access *access) {
    uint32_t lanes = smp_access_lanes(access);
    unsigned first = (unsigned)__builtin_ctz(lanes);
    for (unsigned lane = first; lane < SMP_LANES; lane++)
        if ((lanes >> lane & 1) && access->offset_bytes[lane] != access->offset_bytes[first])
            return false;
    return true;
}

static void say_one_address(text_buffer *out, const smp_prediction *report, const census *all) {
    smp_slot lanes = SMP_NUMBER(report->counts.active_lanes);
    uint32_t width = report->access.width_bytes, bank = report->arch.bank_bytes;
    smp_slot words = SMP_NUMBER(width > bank ? width / bank : 1);
    if (lanes.number == 1)
        SAY_PLAIN(out, WHY_SINGLE);
    else if (report->access.op == SMP_RED_SHARED_INC)
        SAY(out, WHY_SAME_INCREMENT, lanes);
    else if (!op_of(report)->is_load)
        SAY(out, WHY_SAME_WRITE, lanes);
    else if (is_half_warps(report))
        SAY(out, WHY_SAME_READ_SPLIT, lanes);
    else if (all->groups == 1)
        SAY(out, WHY_SAME_READ, lanes, words);
    else
        SAY(out, WHY_SAME_READ_BY_GROUPS, lanes, words);
}

static void say_free(text_buffer *out, const smp_prediction *report, const census *all) {
    smp_slot lanes = SMP_NUMBER(report->counts.active_lanes);
    unsigned words = all->all_words * banks_each(report);
    if (all->shares_pass)
        SAY_PLAIN(out, WHY_FOLDED);
    else if (all->groups > 1)
        SAY_PLAIN(out, WHY_NO_TWO);
    else if (words == 1)
        SAY(out, WHY_ONE_WORD, lanes);
    else
        SAY(out, WHY_OWN_WORDS, lanes, SMP_NUMBER(words));
}

/* The bank with the most words, and its lanes. */
static void say_worst_bank(text_buffer *out, const smp_prediction *report, const census *all) {
    column columns[COLUMNS_MAX];
    columns_fill(report, all->worst_group, columns);
    const column *worst = &columns[all->worst_column];
    unsigned each = banks_each(report);
    smp_slot banks = SMP_BANKS(all->worst_column * each, each), lanes = SMP_LANE_MASK(worst->lanes);
    smp_slot words = SMP_NUMBER(worst->words), segments = SMP_NUMBER(worst->passes);
    if (worst->words == worst->passes)
        SAY(out, each == 1 ? WHY_WORST_BANK : WHY_WORST_SET, banks, words, lanes);
    else
        SAY(out, each == 1 ? WHY_WORST_BANK_FOLDED : WHY_WORST_SET_FOLDED, banks, words, segments,
            lanes);
}

/* CC 1.x, stores narrower than a word: the bank with the most different addresses. */
static void say_writes(text_buffer *out, const smp_prediction *report) {
    unsigned most = 0, most_bank = 0;
    uint32_t most_lanes = 0;
    for (unsigned half = 0; half < report->counts.group_count; half++) {
        unsigned addresses[COLUMNS_MAX] = {0};
        uint32_t on_bank[COLUMNS_MAX] = {0}, lanes = report->counts.groups[half].lanes;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            uint32_t offset = report->access.offset_bytes[lane], bank = offset / 4 % 16;
            bool is_new = lanes >> lane & 1;
            on_bank[bank] |= lanes & 1u << lane;
            for (unsigned other = 0; other < lane && is_new; other++)
                is_new = !(lanes >> other & 1 && report->access.offset_bytes[other] == offset);
            addresses[bank] += is_new;
        }
        for (unsigned bank = 0; bank < 16; bank++) {
            if (addresses[bank] <= most)
                continue;
            most = addresses[bank];
            most_bank = bank;
            most_lanes = on_bank[bank];
        }
    }
    SAY(out, WHY_WRITES, SMP_BANKS(most_bank, 1), SMP_NUMBER(most), SMP_LANE_MASK(most_lanes));
}

/* Lanes of an atomic do not combine, so the bank with most lanes decides. */
static void say_atomic(text_buffer *out, const smp_prediction *report) {
    unsigned most = 1, each = banks_each(report), most_column = 0;
    uint32_t most_lanes = 0;
    for (unsigned group = 0; group < report->counts.group_count; group++) {
        column columns[COLUMNS_MAX];
        columns_fill(report, group, columns);
        for (unsigned i = 0; i < column_count(report); i++) {
            unsigned lanes = (unsigned)__builtin_popcount(columns[i].lanes);
            if (lanes <= most)
                continue;
            most = lanes;
            most_column = i;
            most_lanes = columns[i].lanes;
        }
    }
    if (report->counts.active_lanes == 1)
        SAY_PLAIN(out, WHY_SINGLE);
    else if (most == 1)
        SAY_PLAIN(out, WHY_ATOMIC_FREE);
    else
        SAY(out, WHY_ATOMIC, SMP_NUMBER(most), SMP_BANKS(most_column * each, each),
            SMP_LANE_MASK(most_lanes));
}

/* ---- Additions ---- */

static void say_more(text_buffer *out, const smp_prediction *report, const census *all) {
    const smp_op_row *op = op_of(report);
    bool adds =
        (op->op == SMP_ATOM_SHARED || op->op == SMP_RED_SHARED) && report->access.width_bytes == 4;
    if (op->passes > 1)
        SAY_PLAIN(out, WHY_CAS);
    if (adds && all->worst < report->counts.ways)
        SAY(out, WHY_POPC, SMP_NUMBER(all->worst));
    if (op->lanes_merge && report->counts.ways > all->worst)
        SAY_PLAIN(out, WHY_FERMI);
    if (is_half_warps(report) && report->counts.wavefronts_min != report->counts.wavefronts_max)
        SAY_PLAIN(out, WHY_RANGE);
}

static void say_shared(text_buffer *out, const smp_prediction *report) {
    int64_t step = smp_access_stride(&report->access);
    unsigned unit = unit_bytes(report);
    const smp_counts *counts = &report->counts;
    census all = census_take(report);
    bool is_even = all.columns > 0 && all.words > 0 && all.passes > 0;
    bool is_stride = step > 0 && step % unit == 0 && op_of(report)->fixed_group == 0;
    bool takes_steps = is_half_warps(report) && counts->wavefronts_max > all.groups;
    say_groups(out, report);
    if (!op_of(report)->lanes_merge)
        say_atomic(out, report);
    else if (is_one_address(&report->access))
        say_one_address(out, report, &all);
    else if (is_stride && is_half_warps(report))
        say_half_stride(out, (uint64_t)step / unit, report->arch.banks);
    else if (is_stride && is_even)
        say_stride(out, report, (uint64_t)step / unit, &all);
    else if (all.worst > 1)
        say_worst_bank(out, report, &all);
    else if (takes_steps && op_of(report)->is_load)
        SAY_PLAIN(out, WHY_BROADCAST);
    else if (takes_steps)
        say_writes(out, report);
    else
        say_free(out, report, &all);
    say_more(out, report, &all);
}

/* ---- Copies and global memory ---- */

static void say_copy(text_buffer *out, const smp_prediction *report) {
    if (smp_op_bypasses_l1(report->access.op, report->access.width_bytes)) {
        SAY(out, WHY_BYPASS, SMP_NUMBER(report->counts.active_lanes),
            SMP_NUMBER(report->counts.transactions));
        return;
    }
    SAY(out, WHY_COPY, SMP_NUMBER(report->counts.wavefronts_max),
        SMP_NUMBER(report->counts.active_lanes));
}

/* Number of different bytes requested; each lane is aligned to the width. */
static uint32_t different_bytes(const smp_prediction *report) {
    const smp_access *access = &report->access;
    bool is_global = op_of(report)->space == SMP_SPACE_GLOBAL;
    uint32_t lanes = smp_access_lanes(access), different = 0;
    uint64_t seen[SMP_LANES];
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint64_t at = is_global ? access->address_bytes[lane] : access->offset_bytes[lane];
        bool is_new = lanes >> lane & 1;
        for (uint32_t i = 0; i < different && is_new; i++)
            is_new = seen[i] != at;
        if (is_new)
            seen[different++] = at;
    }
    return different * access->width_bytes;
}

/* Says why bytes are moved in vain: the distance that most active lanes have from their neighbours,
 * or where a row of neighbours begins. */
static void say_cause(text_buffer *out, const smp_prediction *report) {
    const smp_access *access = &report->access;
    const uint32_t lanes = smp_access_lanes(access), pairs = lanes & lanes >> 1;
    uint64_t gaps[SMP_LANES], usual = 0;
    uint32_t most = 0;
    for (unsigned l = 0; l + 1 < SMP_LANES; l++) {
        const uint64_t a = access->address_bytes[l], b = access->address_bytes[l + 1];
        gaps[l] = b > a ? b - a : a - b;
        uint32_t like = 0;
        for (unsigned k = 0; k <= l; k++)
            like += (pairs >> k & 1) && gaps[k] == gaps[l];
        if ((pairs >> l & 1) && like > most) {
            most = like;
            usual = gaps[l];
        }
    }
    const uint32_t all = (uint32_t)__builtin_popcount(pairs);
    const uint64_t behind = lanes ? access->address_bytes[__builtin_ctz(lanes)] % 32 : 0;
    if (most > 0 && most == all && usual > access->width_bytes)
        SAY(out, WHY_BYTES_APART, SMP_NUMBER(usual));
    else if (2 * most > all && usual > access->width_bytes)
        SAY(out, WHY_MOST_APART, SMP_NUMBER(usual));
    else if (most == all && usual == access->width_bytes && behind > 0 &&
             report->arch.global_rule == SMP_GLOBAL_SECTORS)
        SAY(out, WHY_SHIFTED, SMP_NUMBER(behind));
}

static void say_moved(text_buffer *out, const smp_prediction *report) {
    const smp_counts *counts = &report->counts;
    uint32_t asked = counts->active_lanes * report->access.width_bytes;
    uint32_t different = different_bytes(report), vain = counts->bytes - different;
    uint32_t percent = (200 * vain + counts->bytes) / (2 * counts->bytes);
    if (vain > 0)
        say_cause(out, report);
    if (different == asked)
        SAY(out, WHY_ASKED, SMP_NUMBER(asked));
    else
        SAY(out, WHY_ASKED_SHARED, SMP_NUMBER(asked), SMP_NUMBER(different));
    SAY(out, report->arch.global_rule == SMP_GLOBAL_SECTORS ? WHY_MOVED_SECTORS : WHY_MOVED,
        SMP_NUMBER(counts->transactions), SMP_NUMBER(counts->bytes));
    if (!op_of(report)->lanes_merge && different != asked)
        SAY_PLAIN(out, WHY_PACKETS);
    else if (vain == 0)
        SAY_PLAIN(out, WHY_NOT_IN_VAIN);
    else
        SAY(out, WHY_IN_VAIN, SMP_NUMBER(vain), SMP_NUMBER(percent > 99 ? 99 : percent));
}

size_t smp_prediction_why(const smp_prediction *report, char *text, size_t size) {
    text_buffer out = text_buffer_over(text, size);
    if (report->status != SMP_OK) {
        const char *note = report->counts.note ? report->counts.note : "no rule is known";
        SAY(&out, WHY_NOTE, SMP_WORDS(note));
    } else if (op_of(report)->space == SMP_SPACE_COPY) {
        say_copy(&out, report);
    } else if (report->counts.valid & SMP_HAS_WAVEFRONTS) {
        say_shared(&out, report);
    } else {
        say_moved(&out, report);
    }
    return out.length;
}
