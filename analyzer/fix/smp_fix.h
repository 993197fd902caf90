/* SPDX-License-Identifier: MIT */
/*
 * smp_fix.h: layouts without conflicts.
 *
 * smp_fix_solve looks for the layout of each shared array that costs all given accesses the fewest
 * excess wavefronts, then the fewest remote sectors, bytes and index instructions. Each kind is
 * searched completely within these bounds, so "there is none" is proven for them:
 *   PAD      every dimension but the first by less than a period of the banks (128 bytes, on
 *            Kepler 256); of one dimension, after each 2^k elements or lane stride; structs in
 *            steps of their alignment
 *   XOR      all Swizzle<B,M,S> with |S| >= B that keep the widest vector whole, write bank bits
 *            and read bits that the index has
 *   LINEAR   bank bits ^= row bits on one or two diagonals; where every request is affine over
 *            GF(2), and banks are 32 of 4 bytes, all matrices
 *   ROTATE   steps of up to 64 vectors a row, or every 2, 4, 8 or 16 rows
 *   PAD_XOR  the paddings of the innermost dimension, each with every swizzle
 * excess_bound holds for any layout at all that keeps the vectors whole.
 */
#ifndef SMP_FIX_H
#define SMP_FIX_H

#include <stdio.h>

#include "smp_model.h"

SMP_API_BEGIN

typedef enum smp_fix_kind {
    SMP_FIX_KEEP,    /* as it is */
    SMP_FIX_PAD,     /* unused elements at the end of each row, or after each so many elements */
    SMP_FIX_XOR,     /* Swizzle<B,M,S> in CuTe's sense, on the index of the element */
    SMP_FIX_LINEAR,  /* bank bits exclusive-ored with any sums of row bits */
    SMP_FIX_ROTATE,  /* (column + step x row) % columns */
    SMP_FIX_PAD_XOR, /* padded rows and a swizzle */
    SMP_FIX_KIND_COUNT
} smp_fix_kind;

enum { SMP_FIX_DIMS_MAX = 4, SMP_FIX_TERMS_MAX = 16 };

/* index ^= (index & mask) >> shift, or << -shift. */
typedef struct smp_fix_term {
    uint32_t mask;
    int32_t shift;
} smp_fix_term;

/* Where the elements of one array lie. All but element_bytes counts elements. */
typedef struct smp_fix_form {
    smp_fix_kind kind;
    uint32_t dim_count;
    uint32_t extent[SMP_FIX_DIMS_MAX]; /* as declared; the first is 0 if it is open */
    uint32_t pad[SMP_FIX_DIMS_MAX];    /* added to the extent */
    uint32_t every, insert;            /* of one dimension: `insert` unused after each `every` */
    uint32_t term_count;               /* all terms act on the same index, that after padding */
    smp_fix_term term[SMP_FIX_TERMS_MAX];
    uint32_t bits, base;                   /* Swizzle<bits,base,shift> of one term */
    int32_t shift;                         /* its sign is CuTe's */
    uint32_t step, divide;                 /* (column + step x (row / divide)) % columns */
    uint32_t element_bytes, element_extra; /* bytes added to each element, a struct */
} smp_fix_form;

/* The byte at which byte `offset` of the row-major array lies. */
uint64_t smp_fix_form_offset(const smp_fix_form *form, uint64_t offset);
/* "Swizzle<5,0,5>", "[32][33]": short, for tables. Returns its length. */
size_t smp_fix_form_text(const smp_fix_form *form, char *text, size_t size);

/* What the work is at: reading requests, searching layouts, checking what was found. */
typedef enum smp_fix_phase {
    SMP_FIX_READING,
    SMP_FIX_SEARCHING,
    SMP_FIX_CHECKING,
} smp_fix_phase;

/* What the caller wants of a search. */
typedef enum smp_fix_wish {
    SMP_FIX_GO_ON,
    SMP_FIX_OUT_OF_TIME, /* ends the search with the best found so far; ignored outside of it */
    SMP_FIX_INTERRUPT,   /* the same; outside the search it fails with SMP_E_INTERRUPTED */
} smp_fix_wish;

/* Asked every few milliseconds. `done`: requests or layouts so far. */
typedef smp_fix_wish (*smp_fix_progress_fn)(void *user, smp_fix_phase phase, uint64_t done);

typedef struct smp_fix_options {
    const smp_arch *archs; /* copies in the bank modes to use; all count alike */
    size_t arch_count;
    bool skips_archs;   /* leaves out those that lack an operation or the memory; false: an error */
    uint32_t kinds;     /* bit k: smp_fix_kind k is searched; 0: all */
    uint64_t max_bytes; /* of shared memory; 0: what a block can have */
    const char *const *keep; /* names of arrays that must stay as they are */
    size_t keep_count;
    bool explains;                /* also finds out what stands in the way, by further searches */
    smp_fix_progress_fn progress; /* may be NULL */
    void *user;
    unsigned lines_before; /* of the text that line numbers in messages do not count */
} smp_fix_options;

typedef struct smp_fix smp_fix;

/* Solves for the accesses of a layout file's text, which must live as long as *out. On failure
 * *line and error->position name the place and *out is NULL. */
smp_status smp_fix_solve(const char *text, size_t length, const smp_fix_options *options,
                         smp_fix **out, unsigned *line, smp_error *error);
/* Takes NULL. */
void smp_fix_free(smp_fix *fix);

/* What is wrong, and how much of it can be fixed; sums over all architectures. */
typedef struct smp_fix_result {
    bool is_needed;        /* some access conflicts */
    bool is_free;          /* no access conflicts any more */
    bool is_better;        /* some array should change */
    bool is_proven;        /* every space was searched to its end */
    smp_fix_wish ended_by; /* SMP_FIX_GO_ON: the search came to its own end */
    uint64_t excess_before, excess_after, excess_bound;
    uint64_t bytes_before, bytes_after;
    uint64_t candidates; /* layouts that were weighed */
} smp_fix_result;

smp_fix_result smp_fix_result_of(const smp_fix *fix);
/* The form chosen for the shared array of that name; false if there is none. */
bool smp_fix_form_of(const smp_fix *fix, const char *name, smp_fix_form *out);
/* Writes the layout file of the fixed version: the same text with new declarations, indices and
 * expectations. False, here and below: writing to `out` failed. */
bool smp_fix_write_layout(FILE *out, const smp_fix *fix);
/* Writes declarations and index expressions in CUDA C, or CuTe's layouts. */
bool smp_fix_write_cuda(FILE *out, const smp_fix *fix);
bool smp_fix_write_cute(FILE *out, const smp_fix *fix);

SMP_API_END
#endif
