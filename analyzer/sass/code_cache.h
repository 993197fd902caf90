/* SPDX-License-Identifier: MIT */
/*
 * A disassembly cache on disk: nvdisasm takes a third of a second to print its first line, and its
 * output for a function of a cubin never changes. docs/evidence/speed.md, "nvdisasm", says why the
 * key is the cubin rather than the instruction, and why nvdisasm cannot be started earlier.
 *
 * One file for each function in $XDG_CACHE_HOME/smemprobe (else ~/.cache/smemprobe; SMEMPROBE_CACHE
 * names another folder, or is "off"): text packed by zstd with its checksum. Its first line names
 * the cubin by content, nvdisasm by path, size and time, and the function. A file that does not
 * match exactly, is damaged, or belongs to another user is ignored. Files appear whole or not at
 * all, so any number of writers may share the folder. Above SMEMPROBE_CACHE_MIB (256) the least
 * recently used files are removed.
 *
 * The cubin's content is identified by 128 bits that do not protect against somebody who constructs
 * two cubins with equal ones: the folder belongs to its user.
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

/* Finds and makes the folder, for other files that may be lost; false if there is none. */
bool smp_code_cache_folder(char out[SMP_CACHE_PATH_BYTES]);

/* The state of the folder. */
typedef struct smp_code_cache_state {
    char folder[SMP_CACHE_PATH_BYTES]; /* "": off */
    uint64_t entries, bytes, limit_bytes;
} smp_code_cache_state;

/* Opens the cache of `cubin` for the output of `tool` (a path) and makes the folder. If that fails,
 * the cache stays empty. SMP_E_USAGE if SMEMPROBE_CACHE_MIB is no number. */
smp_status smp_code_cache_open(const void *cubin, size_t size, const char *tool,
                               smp_code_cache *out, smp_error *error);
/* The cached text of `function`, malloc'ed and NUL-terminated; NULL if there is none. */
char *smp_code_cache_get(const smp_code_cache *cache, const char *function);
/* Keeps the text; failures are ignored. */
void smp_code_cache_put(smp_code_cache *cache, const char *function, const char *text,
                        size_t length);
/* Removes an entry that proved to be wrong. */
void smp_code_cache_drop(const smp_code_cache *cache, const char *function);
/* Shrinks the folder to its limit if something was added. */
void smp_code_cache_close(smp_code_cache *cache);

/* SMP_E_USAGE as in smp_code_cache_open. */
smp_status smp_code_cache_look(smp_code_cache_state *out, smp_error *error);
