/* SPDX-License-Identifier: MIT */
/*
 * Disassembly that was printed before, on disk: nvdisasm needs a third of a second before it prints
 * its first line, and what it prints of one function of one cubin never changes. Why it is kept by
 * cubin and not by instruction, and why nvdisasm cannot be started earlier: docs/evidence/speed.md,
 * "nvdisasm".
 *
 * One file a function in $XDG_CACHE_HOME/smemprobe (else ~/.cache/smemprobe; SMEMPROBE_CACHE names
 * another folder, or is "off"): text packed by zstd with its checksum, whose first line names the
 * cubin by content, nvdisasm by path, size and time, and the function. A file that does not say
 * exactly that, is damaged, or is another user's counts as absent. Files appear whole or not at
 * all, so any number of writers may share the folder. Above SMEMPROBE_CACHE_MIB (256) those that
 * were not used for longest go.
 *
 * The cubin's content is known by 128 bits that are no protection against somebody who looks for
 * two cubins that share them: the folder is its user's own.
 */
#pragma once

#include "smp_model.h"

enum { SMP_CACHE_PATH_BYTES = 4096, SMP_CACHE_DEFAULT_MIB = 256 };

typedef struct smp_code_cache {
    char folder[SMP_CACHE_PATH_BYTES]; /* "": off */
    char tool[SMP_CACHE_PATH_BYTES + 64];
    uint64_t content[2], size; /* of the cubin */
    uint64_t limit_bytes;
    bool wrote;
} smp_code_cache;

/* The folder, which is made, for other files that may be lost; false: there is to be none. */
bool smp_code_cache_folder(char out[SMP_CACHE_PATH_BYTES]);

/* What is in the folder. */
typedef struct smp_code_cache_state {
    char folder[SMP_CACHE_PATH_BYTES]; /* "": off */
    uint64_t entries, bytes, limit_bytes;
} smp_code_cache_state;

/* The cache of `cubin` as `tool` (a path) prints it; makes the folder. A folder that cannot be made
 * or used is an empty cache that keeps nothing. SMP_E_USAGE for a SMEMPROBE_CACHE_MIB that is no
 * number. */
smp_status smp_code_cache_open(const void *cubin, size_t size, const char *tool,
                               smp_code_cache *out, smp_error *error);
/* What was printed of `function`, malloc'ed and NUL-terminated; NULL: not there. */
char *smp_code_cache_get(const smp_code_cache *cache, const char *function);
/* Keeps it; that it cannot be kept is nobody's concern. */
void smp_code_cache_put(smp_code_cache *cache, const char *function, const char *text,
                        size_t length);
/* Takes an entry away that turned out to be no good. */
void smp_code_cache_drop(const smp_code_cache *cache, const char *function);
/* Brings the folder back below its bound, if something was put. */
void smp_code_cache_close(smp_code_cache *cache);

/* SMP_E_USAGE as above. */
smp_status smp_code_cache_look(smp_code_cache_state *out, smp_error *error);
