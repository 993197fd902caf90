/* SPDX-License-Identifier: MIT */
/*
 * The runs of a profile that very many files were merged into: beyond SMP_RUNS_IN_MEMORY they lie
 * in a file of TMPDIR without a name, in sorted stretches that are merged as they are read. So
 * memory does not grow with the files.
 *
 * smp_profile.run_store holds all runs of such a profile, and `runs` the first one only; of any
 * other it is NULL.
 */
#ifndef SMP_PROFILE_RUNS_H
#define SMP_PROFILE_RUNS_H

#include "profile.h"

enum { SMP_RUNS_IN_MEMORY = 512 };

typedef struct smp_run_store smp_run_store;

/* Frees it, and with it the file; NULL is no store. SMP_E_WRITE where TMPDIR takes no file. */
smp_status smp_run_store_make(smp_run_store **out, smp_error *error);
void smp_run_store_free(smp_run_store *store);

/* Moves all runs of `profile` into the store; threads may. SMP_E_WRITE, SMP_E_MEMORY. */
smp_status smp_run_store_take(smp_run_store *store, smp_profile *profile, smp_error *error);

uint64_t smp_profile_run_total(const smp_profile *profile);

/* Shows every run in the order of smp_run_compare until `visit` says false; what it is shown holds
 * until it returns. SMP_E_READ, SMP_E_MEMORY. */
typedef bool (*smp_run_visit)(void *user, const smp_run *run);
smp_status smp_profile_each_run(const smp_profile *profile, smp_run_visit visit, void *user,
                                smp_error *error);

#endif
