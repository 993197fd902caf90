/* SPDX-License-Identifier: MIT */
/*
 * The smallest change of an array in shared memory that frees the requests that a program was seen
 * to make. Of a running program only addresses are known, not indices, so the candidates are maps
 * of byte offsets: padding behind every row of R bytes, or an XOR of the row's number into the
 * offset. Each candidate is judged by the model on every request.
 */
#pragma once

#include "smp_model.h"

/* A change is offered if it saves this share of the wavefronts of the whole array, counting only
 * the requests that follow a rule: what data decided differs from run to run. */
enum { SMP_SEEN_GAIN_PER_CENT = 5 };

typedef struct smp_seen_request {
    smp_access access; /* offsets from the start of the array */
    uint64_t count;
} smp_seen_request;

typedef enum smp_seen_kind {
    SMP_SEEN_NONE, /* nothing found that costs less */
    SMP_SEEN_PAD,  /* offset + offset / row_bytes * pad_bytes */
    SMP_SEEN_XOR,  /* offset ^ (offset / row_bytes & xor_mask) * unit_bytes */
} smp_seen_kind;

typedef struct smp_seen_fix {
    smp_seen_kind kind;
    uint32_t row_bytes, pad_bytes;
    uint32_t xor_mask, unit_bytes;
    uint32_t more_bytes;           /* that the array takes */
    uint64_t requests;             /* that were judged */
    uint64_t by_data;              /* of these, requests at addresses that follow no rule */
    uint64_t before, after, ideal; /* wavefronts of all of them */
} smp_seen_fix;

typedef struct smp_seen_array {
    uint32_t offset_bytes; /* in the block's shared memory */
    uint32_t size_bytes;   /* 0: unknown; then as far as was seen */
    uint32_t room_bytes;   /* bytes by which it may grow */
    uint32_t unit_bytes;   /* that stay together and aligned; 0: the widest of `requests` */
    uint32_t row_bytes;    /* the only row that is tried; 0: those that the requests suggest */
} smp_seen_array;

/* Looks for a padding and an XOR of `array`: of those that save within a hundredth of the most, the
 * one with the fewest bytes, and of these the XOR with the shortest mask. SMP_SEEN_NONE where none
 * saves enough, where the model has no number for one of the requests, or where copies would move
 * more sectors. Of more than 2,048 requests what saves nothing of a thousand of them, and of all
 * that were made often, is not tried on the others. SMP_E_MEMORY or SMP_OK. */
smp_status smp_fix_seen(const smp_arch *arch, const smp_seen_request *requests, size_t count,
                        const smp_seen_array *array, smp_seen_fix *padding, smp_seen_fix *swizzle);

/* Where `offset_bytes` of the array lies after the fix. */
uint32_t smp_seen_map(const smp_seen_fix *fix, uint32_t offset_bytes);
