/* SPDX-License-Identifier: MIT */
/* The disassembly cache on disk. */
#define _GNU_SOURCE /* mkostemp, asprintf */
#include "code_cache.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "list.h"
#include "tool.h"

enum {
    HEX_DIGITS = 32,
    LEVEL = 3,
    PACKED_MAX = 64 << 20,
    TEXT_MAX = 512 << 20,
    STALE_SECONDS = 3600, /* a temporary file older than this belongs to no running process */
};

static const char ending[] = ".sass.zst", beginning[] = ".smemprobe-";

/* ---- Keys ---- */

/* Two sums over words of eight bytes, each word multiplied and shifted. */
static void content_of(const uint8_t *bytes, size_t size, uint64_t out[2]) {
    uint64_t a = 0xcbf29ce484222325u ^ size, b = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        a = (a ^ word) * 0x100000001b3u;
        a ^= a >> 32;
        b = (b + word) * 0xd6e8feb86659fd93u;
        b ^= b >> 29;
    }
    out[0] = a;
    out[1] = b;
}

/* Builds the first line of an entry and the entry's path; NULL if out of memory. */
static char *new_head(const smp_code_cache *cache, const char *function, size_t *length,
                      char path[SMP_CACHE_PATH_BYTES]) {
    uint64_t name[2];
    char *text;
    if (cache->folder[0] == '\0' ||
        asprintf(&text, "smemprobe 2 %016" PRIx64 "%016" PRIx64 " %" PRIu64 " %s %s\n",
                 cache->content[0], cache->content[1], cache->size, cache->tool, function) < 0)
        return NULL;
    *length = strlen(text);
    content_of((const uint8_t *)text, *length, name);
    const int written = snprintf(path, SMP_CACHE_PATH_BYTES, "%s/%016" PRIx64 "%016" PRIx64 "%s",
                                 cache->folder, name[0], name[1], ending);
    if (written > 0 && written < SMP_CACHE_PATH_BYTES)
        return text;
    free(text);
    return NULL;
}

/* ---- The folder ---- */

static bool find_folder(char *out) {
    const char *wanted = getenv("SMEMPROBE_CACHE"), *home = getenv("HOME");
    const char *base = getenv("XDG_CACHE_HOME");
    int length = 0;
    out[0] = '\0';
    if (wanted && strcmp(wanted, "off") == 0)
        return false;
    if (wanted && wanted[0] != '\0')
        length = snprintf(out, SMP_CACHE_PATH_BYTES, "%s", wanted);
    else if (base && base[0] == '/')
        length = snprintf(out, SMP_CACHE_PATH_BYTES, "%s/smemprobe", base);
    else if (home && home[0] == '/')
        length = snprintf(out, SMP_CACHE_PATH_BYTES, "%s/.cache/smemprobe", home);
    if (length > 0 && length < SMP_CACHE_PATH_BYTES - 64)
        return true;
    out[0] = '\0';
    return false;
}

static smp_status find_limit(uint64_t *bytes, smp_error *error) {
    const char *text = getenv("SMEMPROBE_CACHE_MIB");
    uint64_t mib = SMP_CACHE_DEFAULT_MIB;
    if (text && text[0] != '\0') {
        char *end = NULL;
        mib = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
        if (!end || *end != '\0' || mib > 1 << 24)
            return smp_error_set(error, SMP_E_USAGE, -1,
                                 "SMEMPROBE_CACHE_MIB=%.40s: is not a number of MiB", text);
    }
    *bytes = mib << 20;
    return SMP_OK;
}

/* Makes a folder and its parents. */
static bool make_folder(char *path) {
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool smp_code_cache_folder(char out[SMP_CACHE_PATH_BYTES]) {
    return find_folder(out) && make_folder(out);
}

smp_status smp_code_cache_open(const void *cubin, size_t size, const char *tool,
                               smp_code_cache *out, smp_error *error) {
    struct stat info;
    memset(out, 0, sizeof(*out));
    smp_status status = find_limit(&out->limit_bytes, error);
    if (status != SMP_OK)
        return status;
    if (!find_folder(out->folder) || out->limit_bytes == 0 || !make_folder(out->folder) ||
        stat(tool, &info) != 0 || strchr(tool, '\n')) {
        out->folder[0] = '\0';
        return SMP_OK;
    }
    (void)snprintf(out->tool, sizeof(out->tool), "%.4000s:%lld:%lld.%09ld", tool,
                   (long long)info.st_size, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    content_of(cubin, size, out->content);
    out->size = size;
    return SMP_OK;
}

/* ---- Entries ---- */

/* Reads a regular file of this user, malloc'ed, and marks it as used; NULL if there is none. */
static void *read_entry(const char *path, size_t *size) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    void *bytes = NULL;
    if (file < 0)
        return NULL;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        info.st_size > 0 && info.st_size <= PACKED_MAX)
        bytes = malloc((size_t)info.st_size);
    *size = bytes ? (size_t)info.st_size : 0;
    if (bytes && read(file, bytes, *size) != (ssize_t)*size) {
        free(bytes);
        bytes = NULL;
    }
    if (bytes)
        (void)futimens(file, NULL);
    (void)close(file);
    return bytes;
}

/* Unpacks the text after `head`, NUL-terminated; NULL if the entry is for something else. */
static char *unpack(const void *packed, size_t size, const char *head, size_t length) {
    unsigned long long room = ZSTD_getFrameContentSize(packed, size);
    if (room == ZSTD_CONTENTSIZE_UNKNOWN || room == ZSTD_CONTENTSIZE_ERROR || room < length ||
        room > TEXT_MAX)
        return NULL;
    char *text = malloc((size_t)room + 1);
    if (!text)
        return NULL;
    size_t got = ZSTD_decompress(text, (size_t)room, packed, size);
    if (ZSTD_isError(got) || got != room || memcmp(text, head, length) != 0) {
        free(text);
        return NULL;
    }
    memmove(text, text + length, got - length);
    text[got - length] = '\0';
    return text;
}

char *smp_code_cache_get(const smp_code_cache *cache, const char *function) {
    char path[SMP_CACHE_PATH_BYTES], *text = NULL;
    size_t length, size;
    char *head = new_head(cache, function, &length, path);
    void *packed = head ? read_entry(path, &size) : NULL;
    if (packed) {
        text = unpack(packed, size, head, length);
        if (!text)
            (void)unlink(path);
    }
    free(packed);
    free(head);
    return text;
}

void smp_code_cache_drop(const smp_code_cache *cache, const char *function) {
    char path[SMP_CACHE_PATH_BYTES];
    size_t length;
    char *head = new_head(cache, function, &length, path);
    if (head)
        (void)unlink(path);
    free(head);
}

static bool write_entry(const smp_code_cache *cache, const char *path, const void *bytes,
                        size_t size) {
    char made[SMP_CACHE_PATH_BYTES + 32];
    (void)snprintf(made, sizeof(made), "%s/%sXXXXXX", cache->folder, beginning);
    int file = mkostemp(made, O_CLOEXEC);
    if (file < 0)
        return false;
    bool ok = smp_tool_write_all(file, bytes, size);
    ok = close(file) == 0 && ok;
    if (ok && rename(made, path) == 0)
        return true;
    (void)unlink(made);
    return false;
}

static void *pack(const char *head, size_t head_length, const char *text, size_t length,
                  size_t *size) {
    const size_t room = ZSTD_compressBound(head_length + length);
    char *plain = malloc(head_length + length);
    void *packed = malloc(room);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    *size = 0;
    if (plain && packed && zstd) {
        memcpy(plain, head, head_length);
        memcpy(plain + head_length, text, length);
        (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
        (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
        *size = ZSTD_compress2(zstd, packed, room, plain, head_length + length);
        *size = ZSTD_isError(*size) ? 0 : *size;
    }
    (void)ZSTD_freeCCtx(zstd);
    free(plain);
    return packed;
}

void smp_code_cache_put(smp_code_cache *cache, const char *function, const char *text,
                        size_t length) {
    char path[SMP_CACHE_PATH_BYTES];
    size_t head_length, size = 0;
    if (length > TEXT_MAX / 2)
        return;
    char *head = new_head(cache, function, &head_length, path);
    void *packed = head ? pack(head, head_length, text, length, &size) : NULL;
    if (size > 0 && size <= PACKED_MAX && size <= cache->limit_bytes &&
        write_entry(cache, path, packed, size))
        cache->wrote = true;
    free(packed);
    free(head);
}

/* ---- The bound ---- */

typedef struct entry {
    struct timespec used;
    uint64_t bytes;
    char name[64];
} entry;

typedef struct listing {
    int folder;
    entry *entries;
    size_t count;
    uint64_t bytes;
} listing;

static bool is_ours(const char *name) {
    return strspn(name, "0123456789abcdef") == HEX_DIGITS && strcmp(name + HEX_DIGITS, ending) == 0;
}

static void list_one(listing *list, const char *name) {
    struct stat info;
    if (fstatat(list->folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
        return;
    if (!is_ours(name)) {
        if (strlen(name) == strlen(beginning) + 6 && info.st_mtime < time(NULL) - STALE_SECONDS)
            (void)unlinkat(list->folder, name, 0);
        return;
    }
    if (!LIST_ROOM(list->entries, list->count))
        return;
    entry *out = &list->entries[list->count++];
    out->used = info.st_mtim;
    out->bytes = (uint64_t)info.st_size;
    memcpy(out->name, name, strlen(name) + 1);
    list->bytes += out->bytes;
}

/* Free with free_list. */
static void make_list(const char *path, listing *list) {
    memset(list, 0, sizeof(*list));
    list->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int copy = list->folder < 0 ? -1 : fcntl(list->folder, F_DUPFD_CLOEXEC, 0);
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *found;
    while (folder && (found = readdir(folder)))
        if (is_ours(found->d_name) || strncmp(found->d_name, beginning, strlen(beginning)) == 0)
            list_one(list, found->d_name);
    if (folder)
        (void)closedir(folder);
}

static void free_list(listing *list) {
    free(list->entries);
    if (list->folder >= 0)
        (void)close(list->folder);
}

static int older_first(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Shrinks to three quarters of the limit, so that not every run has to. */
void smp_code_cache_close(smp_code_cache *cache) {
    listing list;
    if (!cache->wrote)
        return;
    cache->wrote = false;
    make_list(cache->folder, &list);
    if (list.bytes > cache->limit_bytes) {
        qsort(list.entries, list.count, sizeof(*list.entries), older_first);
        for (size_t i = 0; i < list.count && list.bytes > cache->limit_bytes / 4 * 3; i++) {
            (void)unlinkat(list.folder, list.entries[i].name, 0);
            list.bytes -= list.entries[i].bytes;
        }
    }
    free_list(&list);
}

smp_status smp_code_cache_look(smp_code_cache_state *out, smp_error *error) {
    listing list;
    memset(out, 0, sizeof(*out));
    smp_status status = find_limit(&out->limit_bytes, error);
    if (status != SMP_OK || !find_folder(out->folder))
        return status;
    if (out->limit_bytes == 0) {
        out->folder[0] = '\0';
        return SMP_OK;
    }
    make_list(out->folder, &list);
    out->entries = list.count;
    out->bytes = list.bytes;
    free_list(&list);
    return SMP_OK;
}
