/* SPDX-License-Identifier: MIT */
/*
 * Layouts without conflicts.
 *
 * smp_fix_solve finds the layout of each shared array with the fewest excess wavefronts over all
 * accesses, then the fewest remote sectors, bytes and index instructions. Each kind is searched
 * completely within these bounds, so "there is none" is proven for them:
 *   PAD      every dimension but the first by less than a period of the banks (128 bytes, on
 *            Kepler 256); one dimension, after every 2^k elements or lane stride; structs in
 *            steps of their alignment
 *   XOR      all Swizzle<B,M,S> with |S| >= B that keep the widest vector whole, write bank bits
 *            and read bits that the index has
 *   LINEAR   bank bits ^= row bits on one or two diagonals; all matrices, if every request is
 *            affine over GF(2) and there are 32 banks of 4 bytes
 *   ROTATE   steps of up to 64 vectors per row, or every 2, 4, 8 or 16 rows
 *   PAD_XOR  the paddings of the innermost dimension, each with every swizzle
 * excess_bound holds for every layout that keeps the vectors whole.
 */
#ifndef SMP_FIX_H
#define SMP_FIX_H

#include <stdio.h>

#include "smp_model.h"

SMP_API_BEGIN

typedef enum smp_fix_kind {
    SMP_FIX_KEEP,    /* unchanged */
    SMP_FIX_PAD,     /* unused elements at the end of each row, or after every n elements */
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

/* Positions of an array's elements. All fields except element_bytes and element_extra count
 * elements. */
typedef struct smp_fix_form {
    smp_fix_kind kind;
    uint32_t dim_count;
    uint32_t extent[SMP_FIX_DIMS_MAX]; /* as declared; the first is 0 if unknown */
    uint32_t pad[SMP_FIX_DIMS_MAX];    /* added to the extent */
    uint32_t every, insert; /* one dimension: `insert` unused elements after every `every` */
    uint32_t term_count;    /* all terms read the same index, after padding */
    smp_fix_term term[SMP_FIX_TERMS_MAX];
    uint32_t bits, base;                   /* Swizzle<bits,base,shift> of one term */
    int32_t shift;                         /* its sign is CuTe's */
    uint32_t step, divide;                 /* (column + step x (row / divide)) % columns */
    uint32_t element_bytes, element_extra; /* bytes added to each element, a struct */
} smp_fix_form;

/* New position of byte `offset` of the row-major array. */
uint64_t smp_fix_form_offset(const smp_fix_form *form, uint64_t offset);
/* Writes a short text for tables such as "Swizzle<5,0,5>" or "[32][33]", cut to `size` bytes with
 * its NUL; returns its length. */
size_t smp_fix_form_text(const smp_fix_form *form, char *text, size_t size);

/* Phase of the work. */
typedef enum smp_fix_phase {
    SMP_FIX_READING,
    SMP_FIX_SEARCHING,
    SMP_FIX_CHECKING,
} smp_fix_phase;

/* Decision of the caller. */
typedef enum smp_fix_wish {
    SMP_FIX_GO_ON,
    SMP_FIX_OUT_OF_TIME, /* ends the search with the best form so far; ignored outside the search */
    SMP_FIX_INTERRUPT,   /* the same; outside the search, fails with SMP_E_INTERRUPTED */
} smp_fix_wish;

/* Called every few milliseconds. `done`: requests or layouts so far. */
typedef smp_fix_wish (*smp_fix_progress_fn)(void *user, smp_fix_phase phase, uint64_t done);

typedef struct smp_fix_options {
    const smp_arch *archs; /* copies with the bank modes to use; all have equal weight */
    size_t arch_count;
    bool skips_archs;   /* skip those without an operation or enough memory, instead of failing */
    uint32_t kinds;     /* bit k: search smp_fix_kind k; 0: all */
    uint64_t max_bytes; /* limit of shared memory; 0: that of a block */
    const char *const *keep; /* names of arrays that must not change */
    size_t keep_count;
    bool explains;                /* also find why conflicts remain, by further searches */
    smp_fix_progress_fn progress; /* may be NULL */
    void *user;
    unsigned lines_before; /* lines of the text not counted in messages */
} smp_fix_options;

typedef struct smp_fix smp_fix;

/* Solves for the accesses of a layout file's text, which must outlive *out. On failure *line and
 * error->position give the place and *out is NULL. Statuses: those of smp_layout.h for
 * the text, SMP_E_USAGE (no architecture, a name of `keep` that is no array, a
 * `max_bytes` below that of the unchanged arrays), SMP_E_INTERRUPTED. */
smp_status smp_fix_solve(const char *text, size_t length, const smp_fix_options *options,
                         smp_fix **out, unsigned *line, smp_error *error);
/* `fix` may be NULL. */
void smp_fix_free(smp_fix *fix);

/* Result; sums over all architectures. */
typedef struct smp_fix_result {
    bool is_needed;        /* an access conflicts */
    bool is_free;          /* no access conflicts after the fix */
    bool is_better;        /* an array should change */
    bool is_proven;        /* every space was searched completely */
    smp_fix_wish ended_by; /* SMP_FIX_GO_ON: the search was completed */
    uint64_t excess_before, excess_after, excess_bound;
    uint64_t bytes_before, bytes_after;
    uint64_t candidates; /* layouts evaluated */
} smp_fix_result;

/* The result, by value. */
smp_fix_result smp_fix_result_of(const smp_fix *fix);
/* The form chosen for the shared array `name`; false if there is none. */
bool smp_fix_form_of(const smp_fix *fix, const char *name, smp_fix_form *out);
/* Writes the layout file of the fixed version: the same text with new declarations, indices and
 * expectations. False, here and below, if writing failed. */
bool smp_fix_write_layout(FILE *out, const smp_fix *fix);
/* Write declarations and index expressions in CUDA C, or CuTe layouts. */
bool smp_fix_write_cuda(FILE *out, const smp_fix *fix);
bool smp_fix_write_cute(FILE *out, const smp_fix *fix);

SMP_API_END
#endif
