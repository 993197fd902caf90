/* SPDX-License-Identifier: MIT */
/*
 * The smallest change of a shared array that removes the conflicts of the requests observed in a
 * program. Only addresses of a running program are known, not indices, so the candidates map
 * byte offsets: padding after every row of R bytes, or an XOR of the row number into the offset.
 * The model evaluates each candidate on every request.
 */
#pragma once

#include "smp_model.h"

/* A change is offered if it saves this share of the array's wavefronts, counting only the requests
 * that follow a rule: requests decided by data differ from run to run. */
enum { SMP_SEEN_GAIN_PER_CENT = 5 };

typedef struct smp_seen_request {
    smp_access access; /* offsets from the start of the array */
    uint64_t count;
} smp_seen_request;

typedef enum smp_seen_kind {
    SMP_SEEN_NONE, /* nothing cheaper found */
    SMP_SEEN_PAD,  /* offset + offset / row_bytes * pad_bytes */
    SMP_SEEN_XOR,  /* (offset - offset / row_bytes * cut_bytes) ^ (offset / row_bytes & xor_mask) *
                      unit_bytes */
} smp_seen_kind;

typedef struct smp_seen_fix {
    smp_seen_kind kind;
    uint32_t row_bytes, pad_bytes;
    uint32_t xor_mask, unit_bytes;
    uint32_t cut_bytes;            /* XOR: taken from the end of each row, where no request goes */
    uint32_t more_bytes;           /* additional bytes of the array */
    uint64_t requests;             /* requests evaluated */
    uint64_t by_data;              /* of these, requests whose addresses follow no rule */
    uint64_t before, after, ideal; /* wavefronts of all requests */
} smp_seen_fix;

typedef struct smp_seen_array {
    uint32_t offset_bytes; /* in the block's shared memory */
    uint32_t size_bytes;   /* 0: unknown; up to the last byte observed */
    uint32_t room_bytes;   /* bytes available for growth */
    uint32_t unit_bytes;   /* bytes that stay together and aligned; 0: the widest of `requests` */
    uint32_t row_bytes;    /* the only row size to try, of which an XOR may cut an unused end; 0:
                              those suggested by the requests, uncut */
} smp_seen_array;

/* Finds a padding and an XOR of `array`: among those that save at least 99 % of the maximum, the
 * one with the fewest bytes, then the XOR with the shortest mask. SMP_SEEN_NONE if none saves
 * enough, if the model has no number for a request, or if copies would move more sectors. With more
 * than 2,048 requests, a change that saves nothing on a sample of a thousand and all frequent ones
 * is not tried on the rest. SMP_E_MEMORY or SMP_OK. */
smp_status smp_fix_seen(const smp_arch *arch, const smp_seen_request *requests, size_t count,
                        const smp_seen_array *array, smp_seen_fix *padding, smp_seen_fix *swizzle);

/* New position of `offset_bytes` of the array. */
uint32_t smp_seen_map(const smp_seen_fix *fix, uint32_t offset_bytes);
