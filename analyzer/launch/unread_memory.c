/* SPDX-License-Identifier: MIT */
/*
 * Noise is one file in memory, mapped repeatedly: a page is shared until it is written, then
 * copied.
 */
#define _GNU_SOURCE
#include "kept_launch.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOISE_BYTES = 16 << 20, PAD = 4096 };

/* Covers all bit patterns: numbers of either sign, small and large, and NaNs. */
static int make_noise(void) {
    const int file = memfd_create("smemprobe-noise", MFD_CLOEXEC);
    uint64_t state = UINT64_C(88172645463325252), *words = MAP_FAILED;
    if (file >= 0 && ftruncate(file, NOISE_BYTES) == 0)
        words = mmap(NULL, NOISE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (size_t i = 0; words != MAP_FAILED && i < NOISE_BYTES / sizeof *words; i++) {
        state ^= state << 13; /* Marsaglia's xorshift */
        state ^= state >> 7;
        state ^= state << 17;
        words[i] = state;
    }
    if (words != MAP_FAILED) {
        (void)munmap(words, NOISE_BYTES);
        return file;
    }
    if (file >= 0)
        (void)close(file);
    return -1;
}

/* Maps the one noise file; called from one thread. */
static bool put_noise(uint8_t *at, uint64_t bytes) {
    static int file = -1;
    if (file < 0)
        file = make_noise();
    bool is_there = file >= 0;
    for (uint64_t done = 0; is_there && done < bytes; done += NOISE_BYTES) {
        const uint64_t more = bytes - done < NOISE_BYTES ? bytes - done : NOISE_BYTES;
        is_there = mmap(at + done, more, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) != MAP_FAILED;
    }
    return is_there;
}

uint8_t *emu_unread_map(uint64_t bytes, bool is_noise) {
    uint8_t *at = mmap(NULL, bytes + PAD, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (!is_noise || put_noise(at, bytes))
        return at;
    emu_unread_unmap(at, bytes);
    return NULL;
}

void emu_unread_unmap(uint8_t *at, uint64_t bytes) {
    if (at)
        (void)munmap(at, bytes + PAD);
}
