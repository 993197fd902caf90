/* SPDX-License-Identifier: MIT */
/*
 * Writes the file of instrument_dump.h. One write per record, unbuffered: written records survive
 * the process however it ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "instrument_record.h"

enum { NAMES_MAX = 4096, PATH_BYTES = 4096, PAGE_BYTES = 4096 };

int instrument_create_new(const char *path, char *name, size_t size) {
    int file = -1;
    for (unsigned i = 0; file < 0 && i < NAMES_MAX; i++) {
        int length =
            i == 0 ? snprintf(name, size, "%s", path) : snprintf(name, size, "%s.%u", path, i);
        if (length < 0 || (size_t)length >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    return file;
}

bool instrument_writer_open(instrument_writer *writer, const char *path) {
    char name[PATH_BYTES];
    *writer = (instrument_writer){.file = instrument_create_new(path, name, sizeof name)};
    if (writer->file < 0)
        return false;
    void *page = MAP_FAILED;
    if (ftruncate(writer->file, INSTRUMENT_HEAD_BYTES) == 0)
        page =
            mmap(NULL, INSTRUMENT_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, writer->file, 0);
    if (page == MAP_FAILED) {
        close(writer->file);
        writer->file = -1;
        return false;
    }
    writer->head = page;
    writer->end = INSTRUMENT_HEAD_BYTES;
    *writer->head = (instrument_head){.version = INSTRUMENT_VERSION,
                                      .byte_order = INSTRUMENT_BYTE_ORDER,
                                      .site_bytes = sizeof(smp_instrument_site),
                                      .request_bytes = sizeof(smp_instrument_request),
                                      .process = (uint64_t)getpid()};
    memcpy(writer->head->magic, INSTRUMENT_MAGIC, sizeof writer->head->magic);
    return true;
}

/* Writes everything at `writer->end`; a signal may interrupt a long write. */
static bool write_whole(instrument_writer *writer, struct iovec *parts, int count) {
    while (count > 0) {
        ssize_t written = pwritev(writer->file, parts, count, (off_t)writer->end);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        writer->end += (uint64_t)written;
        size_t left = (size_t)written;
        while (count > 0 && left >= parts->iov_len) {
            left -= parts->iov_len;
            parts++;
            count--;
        }
        if (count > 0) {
            parts->iov_base = (char *)parts->iov_base + left;
            parts->iov_len -= left;
        }
    }
    return true;
}

bool instrument_write(instrument_writer *writer, instrument_record_kind kind,
                      const instrument_piece *pieces, size_t piece_count) {
    static const char zeros[8];
    struct iovec parts[INSTRUMENT_PIECES_MAX + 2];
    instrument_record_head head = {.magic = INSTRUMENT_RECORD_MAGIC, .kind = (uint32_t)kind};
    int count = 1;
    if (writer->file < 0 || writer->failed || piece_count > INSTRUMENT_PIECES_MAX)
        return false;
    parts[0] = (struct iovec){&head, sizeof head};
    for (size_t i = 0; i < piece_count; i++) {
        head.bytes += pieces[i].count;
        if (pieces[i].count > 0)
            parts[count++] = (struct iovec){(void *)(uintptr_t)pieces[i].bytes, pieces[i].count};
    }
    if (head.bytes % 8 != 0)
        parts[count++] = (struct iovec){(void *)(uintptr_t)zeros, 8 - head.bytes % 8};
    uint64_t start = writer->end;
    if (!write_whole(writer, parts, count)) {
        /* Half a record would hide everything after it. */
        bool is_unreadable = errno == EFAULT; /* part of the pieces; the file is as it was before */
        writer->end = start;
        writer->failed = ftruncate(writer->file, (off_t)start) != 0 || !is_unreadable;
        return false;
    }
    return true;
}

bool instrument_write_text(instrument_writer *writer, instrument_text_kind kind, const char *text) {
    instrument_text head = {.kind = (uint32_t)kind};
    return instrument_write(writer, INSTRUMENT_TEXT,
                            (instrument_piece[]){{&head, sizeof head}, {text, strlen(text)}}, 2);
}

/* Frees the whole pages inside an outdated snapshot. Its head stays, so that readers can step over
 * it. Not every file system can do that, and nothing depends on it. */
static void release_pages(instrument_writer *writer, uint64_t at, uint64_t bytes) {
#ifdef FALLOC_FL_PUNCH_HOLE
    uint64_t kept = at + sizeof(instrument_record_head) + sizeof(instrument_snapshot);
    uint64_t from = (kept + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    uint64_t to = (at + bytes) / PAGE_BYTES * PAGE_BYTES;
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    if (to > from && fallocate(writer->file, mode, (off_t)from, (off_t)(to - from)) != 0)
        errno = 0;
#else
    (void)writer, (void)at, (void)bytes;
#endif
}

bool instrument_write_snapshot(instrument_writer *writer, const instrument_snapshot *head,
                               const smp_instrument_site *sites,
                               const smp_instrument_request *requests,
                               const smp_instrument_state *states) {
    uint64_t at = writer->end;
    bool written =
        instrument_write(writer, INSTRUMENT_SNAPSHOT,
                         (instrument_piece[]){{head, sizeof *head},
                                              {sites, head->site_count * sizeof *sites},
                                              {requests, head->request_count * sizeof *requests},
                                              {states, head->state_count * sizeof *states}},
                         4);
    instrument_snapshot_place *last = &writer->last[(uint32_t)head->context % INSTRUMENT_PLACES];
    if (!written)
        return false;
    if (last->bytes > 0 && last->context == head->context && last->epoch == head->epoch)
        release_pages(writer, last->at, last->bytes);
    *last = (instrument_snapshot_place){
        .context = head->context, .epoch = head->epoch, .at = at, .bytes = writer->end - at};
    return true;
}

void instrument_writer_close(instrument_writer *writer) {
    if (writer->file < 0)
        return;
    munmap(writer->head, INSTRUMENT_HEAD_BYTES);
    close(writer->file);
    *writer = (instrument_writer){.file = -1};
}
