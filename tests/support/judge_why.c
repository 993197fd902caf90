/* SPDX-License-Identifier: MIT */
/*
 * One judge a row of why.h. A judge knows the documents and counts (crowd.h); it knows
 * nothing of how the sentence came to be.
 */
#include "judge_why.h"

#include <string.h>

#include "why.h"

#define N(i) slots[i].number

typedef const claim_slot *slots_in;

static bool is_atomic(const crowd *all) {
    smp_op op = all->access->op;
    return op == SMP_ATOM_SHARED || op == SMP_ATOM_SHARED_CAS || op == SMP_RED_SHARED;
}

static bool is_matrix_load(smp_op op) {
    return op >= SMP_LDMATRIX_X1 && op <= SMP_LDMATRIX_X4_TRANS;
}

static bool is_load(const crowd *all) {
    return all->access->op == SMP_LD_SHARED || is_matrix_load(all->access->op);
}

static bool is_store(const crowd *all) {
    smp_op op = all->access->op;
    return op == SMP_ST_SHARED || (op >= SMP_STMATRIX_X1 && op <= SMP_STMATRIX_X4_TRANS);
}

static uint64_t divisor(uint64_t a, uint64_t b) {
    uint64_t common = 0;
    for (uint64_t n = 1; n <= b; n++)
        if (a % n == 0 && b % n == 0)
            common = n;
    return common;
}

/* True if a slot names these lanes, or the first of them and how many there are. */
static bool is_named(const claim_slot *slot, uint32_t lanes) {
    unsigned left = crowd_popcount(slot->lanes);
    uint32_t first = 0;
    for (unsigned lane = 0; lane < SMP_LANES && left > 0; lane++) {
        first |= lanes & 1u << lane;
        left -= lanes >> lane & 1u;
    }
    return slot->count == crowd_popcount(lanes) && first == slot->lanes;
}

/* ---- Groups ---- */

static bool split(const crowd *all, slots_in slots) {
    return all->major == 1 && N(0) == all->access->width_bytes && N(0) > 4 && N(1) == N(0) / 4;
}

static bool half_warps(const crowd *all, slots_in slots) {
    (void)slots;
    return all->major == 1 && all->access->width_bytes <= 4;
}

static bool paired(const crowd *all, slots_in slots) {
    unsigned width = all->access->width_bytes;
    return all->costs.paired && N(0) == width && N(1) == (width == 8 ? 32 : 16) &&
           N(2) == (width == 8 ? 16 : 8);
}

static bool groups(const crowd *all, slots_in slots) {
    unsigned width = all->access->width_bytes;
    unsigned lanes = all->major == 3 ? 16 : width == 8 ? 16 : 8;
    return !all->costs.paired && all->major > 1 && N(0) == width && N(1) == lanes && width >= 8 &&
           (all->major != 3 || width == 16);
}

/* ---- Strides ---- */

/* True if all lanes are active and `bytes` apart, upwards or downwards. */
static bool is_apart(const crowd *all, uint64_t bytes) {
    const uint32_t *offset = all->access->offset_bytes;
    bool up = true, down = true;
    for (unsigned lane = 1; lane < SMP_LANES; lane++) {
        up &= offset[lane] == offset[lane - 1] + bytes;
        down &= offset[lane - 1] == offset[lane] + bytes;
    }
    return all->lanes == SMP_ALL_LANES && (up || down);
}

static bool apart(const crowd *all, slots_in slots) {
    return is_apart(all, 4 * N(0)) && N(1) == N(0) && N(2) == 32 && all->bank_count == 32 &&
           N(3) == divisor(N(0), 32);
}

static bool units_apart(const crowd *all, slots_in slots) {
    uint64_t width = all->access->width_bytes;
    uint64_t unit = width > all->bank_bytes ? width : all->bank_bytes;
    return is_apart(all, N(0) * N(1)) && N(1) == unit && N(2) == N(0) &&
           N(3) == 32 * all->bank_bytes / unit && N(4) == divisor(N(0), N(3));
}

/* The facts that hold for every bank that is used, in every group. */
typedef struct even {
    unsigned lanes, banks, words, segments;
} even;

static bool is_even(const crowd *all, even want) {
    for (unsigned i = 0; i < all->group_count; i++) {
        const crowd_group *group = &all->groups[i];
        unsigned banks = 0;
        for (unsigned b = 0; b < all->bank_count; b++) {
            const crowd_bank *bank = &group->banks[b];
            if (bank->words == 0)
                continue;
            banks++;
            if (bank->words != want.words ||
                (want.segments != 0 && bank->segments != want.segments))
                return false;
        }
        if (crowd_popcount(group->lanes) != want.lanes || banks != want.banks)
            return false;
    }
    return all->group_count > 0;
}

/* True if every lane uses one aligned run of `each` banks. */
static bool is_in_sets(const crowd *all, uint64_t each) {
    return each * all->bank_bytes == all->access->width_bytes && each > 1;
}

#define EVEN(l, b, w, s)                                           \
    (even) {                                                       \
        (unsigned)(l), (unsigned)(b), (unsigned)(w), (unsigned)(s) \
    }

static bool own_bank(const crowd *all, slots_in slots) {
    return N(0) == N(1) && is_even(all, EVEN(N(0), N(1), 1, 0));
}

static bool own_set(const crowd *all, slots_in slots) {
    return N(0) == N(1) && is_in_sets(all, N(2)) && is_even(all, EVEN(N(0), N(1) * N(2), 1, 0));
}

static bool one_bank(const crowd *all, slots_in slots) {
    return is_even(all, EVEN(N(0), 1, N(0), 0));
}

static bool one_set(const crowd *all, slots_in slots) {
    return is_in_sets(all, N(1)) && is_even(all, EVEN(N(0), N(1), N(0), 0));
}

static bool share_banks(const crowd *all, slots_in slots) {
    return N(1) < N(0) && N(2) > 1 && is_even(all, EVEN(N(0), N(1), N(2), 0));
}

static bool share_sets(const crowd *all, slots_in slots) {
    return N(1) < N(0) && N(3) > 1 && is_in_sets(all, N(2)) &&
           is_even(all, EVEN(N(0), N(1) * N(2), N(3), 0));
}

static bool fold_banks(const crowd *all, slots_in slots) {
    return all->is_folded && N(2) > N(3) && is_even(all, EVEN(N(0), N(1), N(2), N(3)));
}

static bool fold_sets(const crowd *all, slots_in slots) {
    return all->is_folded && is_in_sets(all, N(2)) && N(3) > N(4) &&
           is_even(all, EVEN(N(0), N(1) * N(2), N(3), N(4)));
}

static bool half_apart(const crowd *all, slots_in slots) {
    bool is_so = is_apart(all, 4 * N(2)) && N(0) == 16 && N(1) == 16 && all->major == 1 &&
                 N(3) == 16 / divisor(N(2), 16);
    for (unsigned a = 0; a < 16 && is_so; a++) {
        for (unsigned b = 0; b < a; b++) {
            bool meet =
                all->access->offset_bytes[a] / 4 % 16 == all->access->offset_bytes[b] / 4 % 16;
            is_so &= meet == ((a - b) % N(3) == 0);
        }
    }
    return is_so;
}

static bool half_odd(const crowd *all, slots_in slots) {
    (void)slots;
    uint32_t apart_bytes = all->access->offset_bytes[1] - all->access->offset_bytes[0];
    return all->major == 1 && apart_bytes / 4 % 2 == 1 && crowd_most_words(all) == 1 &&
           all->costs.wavefronts_max == all->group_count;
}

static bool half_all(const crowd *all, slots_in slots) {
    (void)slots;
    return all->major == 1 && is_even(all, EVEN(16, 1, 16, 0));
}

static bool half_even(const crowd *all, slots_in slots) {
    return all->major == 1 && is_even(all, EVEN(16, N(1), N(0), 0)) && N(0) * N(1) == 16;
}

/* ---- Any lanes ---- */

static bool single(const crowd *all, slots_in slots) {
    (void)slots;
    return all->lane_count == 1;
}

static bool same_read(const crowd *all, slots_in slots) {
    uint64_t words = (all->access->width_bytes + all->bank_bytes - 1) / all->bank_bytes;
    return is_load(all) && crowd_is_one_address(all) && N(0) == all->lane_count && N(1) == words &&
           all->group_count == 1 && crowd_most_words(all) == 1;
}

static bool same_read_by_groups(const crowd *all, slots_in slots) {
    uint64_t words = (all->access->width_bytes + all->bank_bytes - 1) / all->bank_bytes;
    return is_load(all) && crowd_is_one_address(all) && N(0) == all->lane_count && N(1) == words &&
           all->group_count > 1 && crowd_most_words(all) == 1;
}

static bool same_read_split(const crowd *all, slots_in slots) {
    return all->major == 1 && is_load(all) && crowd_is_one_address(all) &&
           N(0) == all->lane_count && all->costs.wavefronts_max == all->group_count;
}

static bool same_write(const crowd *all, slots_in slots) {
    return is_store(all) && crowd_is_one_address(all) && N(0) == all->lane_count;
}

static bool same_increment(const crowd *all, slots_in slots) {
    return all->access->op == SMP_RED_SHARED_INC && crowd_is_one_address(all) &&
           N(0) == all->lane_count && all->costs.wavefronts_max == 1;
}

static unsigned all_words(const crowd *all) {
    unsigned words = 0;
    for (unsigned bank = 0; bank < all->bank_count; bank++)
        words += all->groups[0].banks[bank].words;
    return words;
}

static bool one_word(const crowd *all, slots_in slots) {
    return N(0) == all->lane_count && all->group_count == 1 && all_words(all) == 1 &&
           all->costs.wavefronts_max == 1;
}

static bool own_words(const crowd *all, slots_in slots) {
    return N(0) == all->lane_count && all->group_count == 1 && all_words(all) == N(1) && N(1) > 1 &&
           crowd_most_words(all) == 1;
}

static bool no_two(const crowd *all, slots_in slots) {
    (void)slots;
    return crowd_most_words(all) == 1 && !is_atomic(all) &&
           (all->major != 1 || all->costs.wavefronts_max == all->group_count);
}

static bool folded(const crowd *all, slots_in slots) {
    (void)slots;
    return all->is_folded && crowd_most_words(all) > 1 && crowd_most_passes(all) == 1;
}

/* True if in some group each of the banks of slot 0 has these words and passes, for these lanes. */
static bool is_asked(const crowd *all, slots_in slots, uint64_t words, uint64_t passes,
                     const claim_slot *lanes) {
    for (unsigned i = 0; i < all->group_count; i++) {
        bool is_so = N(0) + slots[0].count <= all->bank_count;
        for (uint64_t b = N(0); b < N(0) + slots[0].count && is_so; b++) {
            const crowd_bank *bank = &all->groups[i].banks[b];
            is_so = bank->words == words && bank->passes == passes && is_named(lanes, bank->lanes);
        }
        if (is_so)
            return true;
    }
    return false;
}

static bool worst(const crowd *all, slots_in slots) {
    return N(1) > 1 && is_asked(all, slots, N(1), N(1), &slots[2]) &&
           crowd_most_passes(all) == N(1) && !is_atomic(all);
}

static bool worst_bank(const crowd *all, slots_in slots) {
    return slots[0].count == 1 && worst(all, slots);
}

static bool worst_set(const crowd *all, slots_in slots) {
    return is_in_sets(all, slots[0].count) && N(0) % slots[0].count == 0 && worst(all, slots);
}

static bool worst_folded(const crowd *all, slots_in slots) {
    return all->is_folded && N(1) > N(2) && N(2) > 1 &&
           is_asked(all, slots, N(1), N(2), &slots[3]) && crowd_most_passes(all) == N(2);
}

static bool worst_bank_folded(const crowd *all, slots_in slots) {
    return slots[0].count == 1 && worst_folded(all, slots);
}

static bool worst_set_folded(const crowd *all, slots_in slots) {
    return is_in_sets(all, slots[0].count) && worst_folded(all, slots);
}

static bool broadcast(const crowd *all, slots_in slots) {
    (void)slots;
    return all->major == 1 && is_load(all) && crowd_most_words(all) == 1 &&
           all->costs.wavefronts_max > all->group_count;
}

static bool writes(const crowd *all, slots_in slots) {
    unsigned most = 0;
    bool is_there = false;
    for (unsigned i = 0; i < all->group_count; i++) {
        uint32_t lanes = 0, seen[SMP_LANES];
        unsigned count = 0;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            uint32_t offset = all->access->offset_bytes[lane];
            if ((all->groups[i].lanes >> lane & 1u) == 0 || offset / 4 % 16 != N(0))
                continue;
            lanes |= 1u << lane;
            unsigned at = 0;
            while (at < count && seen[at] != offset)
                at++;
            if (at == count)
                seen[count++] = offset;
        }
        is_there |= count == N(1) && is_named(&slots[2], lanes);
        most = all->costs.groups[i].max > most ? all->costs.groups[i].max : most;
    }
    return all->major == 1 && is_store(all) && is_there && most == N(1) && slots[0].count == 1;
}

/* ---- Atomics ---- */

static unsigned most_lanes(const crowd *all) {
    unsigned most = 0;
    for (unsigned i = 0; i < all->group_count; i++) {
        for (unsigned bank = 0; bank < all->bank_count; bank++) {
            unsigned lanes = crowd_popcount(all->groups[i].banks[bank].lanes);
            most = lanes > most ? lanes : most;
        }
    }
    return most;
}

static bool atomic_free(const crowd *all, slots_in slots) {
    (void)slots;
    return is_atomic(all) && most_lanes(all) == 1;
}

static bool atomic(const crowd *all, slots_in slots) {
    bool is_there = false;
    for (unsigned i = 0; i < all->group_count; i++) {
        uint32_t lanes = all->groups[i].banks[N(1) % 32].lanes;
        is_there |= is_named(&slots[2], lanes) && slots[2].count == N(0);
    }
    return is_atomic(all) && N(0) > 1 && most_lanes(all) == N(0) && is_there &&
           slots[1].count * all->bank_bytes == all->access->width_bytes;
}

static bool cas(const crowd *all, slots_in slots) {
    (void)slots;
    unsigned passes = 0;
    for (unsigned i = 0; i < all->group_count; i++)
        passes += all->costs.groups[i].ways;
    return all->access->op == SMP_ATOM_SHARED_CAS && all->costs.wavefronts_max == 2 * passes;
}

static bool popc(const crowd *all, slots_in slots) {
    smp_op op = all->access->op;
    return (op == SMP_ATOM_SHARED || op == SMP_RED_SHARED) && all->access->width_bytes == 4 &&
           crowd_most_words(all) == N(0) && N(0) < most_lanes(all);
}

static bool fermi(const crowd *all, slots_in slots) {
    (void)slots;
    unsigned passes = 0;
    for (unsigned i = 0; i < all->group_count; i++) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < all->bank_count; bank++)
            most =
                all->groups[i].banks[bank].words > most ? all->groups[i].banks[bank].words : most;
        passes += most + 1;
    }
    return all->major == 2 && all->access->width_bytes == 16 && all->costs.wavefronts_max == passes;
}

static bool range(const crowd *all, slots_in slots) {
    (void)slots;
    return all->major == 1 && is_load(all) && all->costs.wavefronts_min < all->costs.wavefronts_max;
}

/* ---- Copies and global memory ---- */

static bool copy(const crowd *all, slots_in slots) {
    const bool is_copy = all->access->op == SMP_CP_ASYNC || all->access->op == SMP_CP_ASYNC_CA;
    return is_copy && N(0) == all->costs.wavefronts_max && N(1) == all->lane_count;
}

static bool bypass(const crowd *all, slots_in slots) {
    return all->access->op == SMP_CP_ASYNC && all->access->width_bytes == 16 &&
           all->costs.wavefronts_max == 0 && N(0) == all->lane_count &&
           N(1) == all->costs.transactions;
}

/* How many of the neighbours that are both active are `bytes` apart; all of them in *count. */
static unsigned pairs_apart(const crowd *all, uint64_t bytes, unsigned *count) {
    const uint64_t *at = all->access->address_bytes;
    const uint32_t lanes = smp_access_lanes(all->access);
    unsigned found = 0;
    *count = 0;
    for (unsigned lane = 1; lane < SMP_LANES; lane++) {
        if ((lanes >> (lane - 1) & 3) != 3)
            continue;
        ++*count;
        found += at[lane] == at[lane - 1] + bytes || at[lane - 1] == at[lane] + bytes;
    }
    return found;
}

static bool bytes_apart(const crowd *all, slots_in slots) {
    unsigned count;
    return N(0) > all->access->width_bytes && pairs_apart(all, N(0), &count) == count && count > 0;
}

static bool most_apart(const crowd *all, slots_in slots) {
    unsigned count;
    const unsigned found = pairs_apart(all, N(0), &count);
    return N(0) > all->access->width_bytes && found < count && found > count - found;
}

static bool shifted(const crowd *all, slots_in slots) {
    unsigned count, first = 0;
    while (!(smp_access_lanes(all->access) >> first & 1))
        first++;
    return pairs_apart(all, all->access->width_bytes, &count) == count && N(0) > 0 && N(0) < 32 &&
           (all->access->address_bytes[first] - N(0)) % 32 == 0;
}

static bool asked(const crowd *all, slots_in slots) {
    return N(0) == all->lane_count * all->access->width_bytes && crowd_different_bytes(all) == N(0);
}

static bool asked_shared(const crowd *all, slots_in slots) {
    return N(0) == all->lane_count * all->access->width_bytes &&
           crowd_different_bytes(all) == N(1) && N(1) < N(0);
}

static bool moved(const crowd *all, slots_in slots) {
    return all->costs.has_transactions && N(0) == all->costs.transactions &&
           N(1) == all->costs.bytes;
}

static bool not_in_vain(const crowd *all, slots_in slots) {
    (void)slots;
    return all->costs.bytes == crowd_different_bytes(all);
}

static bool in_vain(const crowd *all, slots_in slots) {
    double bytes = all->costs.bytes, vain = bytes - crowd_different_bytes(all);
    double off = 100 * vain / bytes - (double)N(1);
    return (double)N(0) == vain && vain > 0 && off > -1 && off < 1 && N(1) > 0 && N(1) < 100;
}

static bool packets(const crowd *all, slots_in slots) {
    (void)slots;
    smp_op op = all->access->op;
    return (op == SMP_RED_GLOBAL || op == SMP_ATOM_CLUSTER) &&
           crowd_different_bytes(all) < all->lane_count * all->access->width_bytes;
}

/* ---- What is not modelled ---- */

/* There is a note where a row of the model, or the reference, has no rule. */
static bool note(const crowd *all, slots_in slots) {
    static const char *const others[] = {"a matrix operation needs all 32 lanes",
                                         "the lanes' addresses are more than 32 GiB apart"};
    const char *own = smp_ops(NULL)[all->access->op].note;
    const smp_arch *arch = smp_arch_of_cc(all->major, all->minor);
    bool is_open = smp_op_evidence(arch, all->access->op, all->access->width_bytes) == SMP_OPEN;
    if (is_open)
        return own && strlen(own) == slots[0].length &&
               strncmp(slots[0].text, own, slots[0].length) == 0;
    bool is_known = false;
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        is_known |= strncmp(slots[0].text, others[i], strlen(others[i])) == 0;
    return is_known && !all->costs.has_transactions && !all->costs.has_wavefronts;
}

const judge_why_fn judges_of_why[WHY_COUNT] = {
    [WHY_SPLIT] = split,
    [WHY_HALF_WARPS] = half_warps,
    [WHY_PAIRED] = paired,
    [WHY_GROUPS] = groups,
    [WHY_APART] = apart,
    [WHY_UNITS_APART] = units_apart,
    [WHY_OWN_BANK] = own_bank,
    [WHY_OWN_SET] = own_set,
    [WHY_ONE_BANK] = one_bank,
    [WHY_ONE_SET] = one_set,
    [WHY_SHARE_BANKS] = share_banks,
    [WHY_SHARE_SETS] = share_sets,
    [WHY_FOLD_BANKS] = fold_banks,
    [WHY_FOLD_SETS] = fold_sets,
    [WHY_HALF_APART] = half_apart,
    [WHY_HALF_ODD] = half_odd,
    [WHY_HALF_ALL] = half_all,
    [WHY_HALF_EVEN] = half_even,
    [WHY_SINGLE] = single,
    [WHY_SAME_READ] = same_read,
    [WHY_SAME_READ_BY_GROUPS] = same_read_by_groups,
    [WHY_SAME_READ_SPLIT] = same_read_split,
    [WHY_SAME_WRITE] = same_write,
    [WHY_SAME_INCREMENT] = same_increment,
    [WHY_ONE_WORD] = one_word,
    [WHY_OWN_WORDS] = own_words,
    [WHY_NO_TWO] = no_two,
    [WHY_FOLDED] = folded,
    [WHY_WORST_BANK] = worst_bank,
    [WHY_WORST_SET] = worst_set,
    [WHY_WORST_BANK_FOLDED] = worst_bank_folded,
    [WHY_WORST_SET_FOLDED] = worst_set_folded,
    [WHY_BROADCAST] = broadcast,
    [WHY_WRITES] = writes,
    [WHY_ATOMIC_FREE] = atomic_free,
    [WHY_ATOMIC] = atomic,
    [WHY_CAS] = cas,
    [WHY_POPC] = popc,
    [WHY_FERMI] = fermi,
    [WHY_RANGE] = range,
    [WHY_COPY] = copy,
    [WHY_BYPASS] = bypass,
    [WHY_BYTES_APART] = bytes_apart,
    [WHY_MOST_APART] = most_apart,
    [WHY_SHIFTED] = shifted,
    [WHY_ASKED] = asked,
    [WHY_ASKED_SHARED] = asked_shared,
    [WHY_MOVED] = moved,
    [WHY_MOVED_SECTORS] = moved,
    [WHY_NOT_IN_VAIN] = not_in_vain,
    [WHY_IN_VAIN] = in_vain,
    [WHY_PACKETS] = packets,
    [WHY_NOTE] = note,
};
