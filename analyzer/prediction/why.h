/* SPDX-License-Identifier: MIT */
/*
 * Every sentence that explains the cost of an access. smp_prediction_why uses only these
 * rows (and notes of the model). tests/unit/prediction/test_sentences.c parses each sentence and
 * checks it by counting lanes, banks and words.
 *
 * A word is what one bank delivers in one pass. For a wide access, banks are named in runs of
 * the access's width. In Kepler's 4-byte mode a bank holds words i and i + 32 of each aligned
 * segment of 64, and delivers both at once.
 */
#pragma once

#include "sentence.h"

/* How lanes are served together; precedes the reason. */
#define SMP_WHY_GROUPS(X)                                                                    \
    X(WHY_SPLIT, "{n} bytes are split into {n} requests of 4 bytes, each for a half-warp: ") \
    X(WHY_HALF_WARPS, "each half-warp is a request of its own: ")                            \
    X(WHY_PAIRED,                                                                            \
      "lanes agree in pairs, so the {n}-byte load is served {n} lanes at a time, not {n}: ") \
    X(WHY_GROUPS, "{n}-byte accesses are served {n} lanes at a time: ")

/* The reason for a constant stride. */
#define SMP_WHY_STRIDES(X)                                                                        \
    X(WHY_APART, "neighbours are {n} {word|words} apart and gcd({n}, {n} banks) = {n}, so ")      \
    X(WHY_UNITS_APART, "neighbours are {n} x {n} bytes apart and gcd({n}, {n}) = {n}, so ")       \
    X(WHY_OWN_BANK, "{n} lanes use {n} different {bank|banks}.")                                  \
    X(WHY_OWN_SET, "{n} lanes use {n} different {set|sets} of {n} banks.")                        \
    X(WHY_ONE_BANK, "all {n} lanes use different words of the same bank.")                        \
    X(WHY_ONE_SET, "all {n} lanes use different words of the same set of {n} banks.")             \
    X(WHY_SHARE_BANKS, "{n} lanes share only {n} banks, {n} different words on each.")            \
    X(WHY_SHARE_SETS, "{n} lanes share only {n} sets of {n} banks, {n} different words on each.") \
    X(WHY_FOLD_BANKS,                                                                             \
      "{n} lanes fall on {n} {bank|banks}, {n} different words on each, of {n} "                  \
      "{segment|segments} of 64 words: a bank delivers its words of one segment at once.")        \
    X(WHY_FOLD_SETS,                                                                              \
      "{n} lanes fall on {n} {set|sets} of {n} banks, {n} different words on each, of {n} "       \
      "{segment|segments} of 64 words: a bank delivers its words of one segment at once.")        \
    X(WHY_HALF_APART,                                                                             \
      "lanes n apart meet on a bank iff n is a multiple of m / gcd(m, s) = {n} / gcd({n}, {n}) "  \
      "= {n}; ")                                                                                  \
    X(WHY_HALF_ODD, "an odd stride never conflicts within 16 lanes.")                             \
    X(WHY_HALF_ALL, "the stride is a multiple of 16, so all lanes share one bank.")               \
    X(WHY_HALF_EVEN, "the stride is even, so {n} lanes share each of {n} {bank|banks}.")

/* The reason for any other lanes. */
#define SMP_WHY_REASONS(X)                                                                      \
    X(WHY_SINGLE, "a single lane shares its bank with no other.")                               \
    X(WHY_SAME_READ,                                                                            \
      "all {n} lanes read one address, whose {n} {word goes|words go} to all of them at once.") \
    X(WHY_SAME_READ_BY_GROUPS,                                                                  \
      "all {n} lanes read one address, whose {n} {word goes|words go} to all lanes of a group " \
      "at once.")                                                                               \
    X(WHY_SAME_READ_SPLIT,                                                                      \
      "all {n} lanes read one address: in each request one word goes to all of them at once.")  \
    X(WHY_SAME_WRITE, "all {n} lanes write to one address, and one of them wins.")              \
    X(WHY_SAME_INCREMENT,                                                                       \
      "all {n} lanes add 1 to one word: they are combined, and take one pass.")                 \
    X(WHY_ONE_WORD, "the {n} lanes fall on one word, which serves them all at once.")           \
    X(WHY_OWN_WORDS, "the {n} lanes fall on {n} different words, no two of them on one bank.")  \
    X(WHY_NO_TWO, "no bank is asked for two different words at once.")                          \
    X(WHY_FOLDED,                                                                               \
      "where a bank is asked for two words, they lie in one segment of 64 and come at once.")   \
    X(WHY_WORST_BANK, "{b} is asked for {n} different words, by {l}.")                          \
    X(WHY_WORST_SET, "{b} are each asked for {n} different words, by {l}.")                     \
    X(WHY_WORST_BANK_FOLDED,                                                                    \
      "{b} is asked for {n} different words in {n} segments of 64, by {l}; words of one "       \
      "segment come at once.")                                                                  \
    X(WHY_WORST_SET_FOLDED,                                                                     \
      "{b} are each asked for {n} different words in {n} segments of 64, by {l}; words of one " \
      "segment come at once.")                                                                  \
    X(WHY_BROADCAST,                                                                            \
      "no bank is asked for two different words; of lanes on one word, only those of the "      \
      "step's broadcast word are served together.")                                             \
    X(WHY_WRITES, "{b} is written at {n} different addresses, by {l}: a step for each.")        \
    X(WHY_ATOMIC_FREE, "no two lanes that are served together fall on one bank.")               \
    X(WHY_ATOMIC, "atomics do not combine lanes: {n} fall on {b}, and each takes a pass: {l}.")

/* Additions to the reason. */
#define SMP_WHY_MORE(X)                                                                         \
    X(WHY_CAS, " Compare-and-swap takes each pass twice.")                                      \
    X(WHY_POPC,                                                                                 \
      " nvcc compiles atomicAdd(p, 1) with an unused result to ATOMS.POPC.INC, which combines " \
      "lanes on one word: {n} {wavefront|wavefronts}, as measured on 9.0.")                     \
    X(WHY_FERMI, " According to NVIDIA's Guide, most 16-byte accesses of this generation take " \
                 "one more pass in each "                                                       \
                 "group than their words need.")                                                \
    X(WHY_RANGE, " The hardware picks the broadcast word of each step, hence the range.")

/* Copies and global memory. */
#define SMP_WHY_MOVES(X)                                                                       \
    X(WHY_COPY,                                                                                \
      "copies use the banks of both sides, L1's and shared memory's, and do not merge lanes: " \
      "{n} {wavefront|wavefronts} for {n} {lane|lanes}.")                                      \
    X(WHY_BYPASS,                                                                              \
      "a copy of 16 bytes bypasses L1, and what it writes to shared memory bypasses the data " \
      "stage: "                                                                                \
      "none of {n} {lane|lanes} waits for a bank; {n} {sector is|sectors are} fetched.")       \
    X(WHY_BYTES_APART, "neighbours are {n} {byte|bytes} apart; ")                              \
    X(WHY_MOST_APART, "most neighbours are {n} {byte|bytes} apart; ")                          \
    X(WHY_SHIFTED, "the first byte is {n} {byte|bytes} past a multiple of 32; ")               \
    X(WHY_ASKED, "the lanes ask for {n} {byte|bytes} and ")                                    \
    X(WHY_ASKED_SHARED, "the lanes ask for {n} bytes, {n} of them different, and ")            \
    X(WHY_MOVED, "{n} {transaction moves|transactions move} {n}: ")                            \
    X(WHY_MOVED_SECTORS, "{n} {sector moves|sectors move} {n}: ")                              \
    X(WHY_NOT_IN_VAIN, "none is wasted.")                                                      \
    X(WHY_IN_VAIN, "{n} {byte is|bytes are} wasted, {n} %.")                                   \
    X(WHY_PACKETS, "lanes that update one word take a packet each.")

/* For an access that is not modelled: the note of the model. */
#define SMP_WHY_OPEN(X) X(WHY_NOTE, "{t}.")

#define SMP_WHY_LIST(X) \
    SMP_WHY_GROUPS(X)   \
    SMP_WHY_STRIDES(X) SMP_WHY_REASONS(X) SMP_WHY_MORE(X) SMP_WHY_MOVES(X) SMP_WHY_OPEN(X)

typedef enum smp_why_id {
#define SMP_WHY_ENUM(id, row) id,
    SMP_WHY_LIST(SMP_WHY_ENUM)
#undef SMP_WHY_ENUM
        WHY_COUNT
} smp_why_id;

extern const char *const smp_why_rows[WHY_COUNT];
