/* SPDX-License-Identifier: MIT */
/*
 * Runs in a file: stretches, each sorted. As soon as there are FAN of one level, they become one of
 * the next, so there are never more than FAN - 1 of each; to be shown, they are merged once more.
 */
#define _POSIX_C_SOURCE 200809L
#include "profile_runs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"

enum { FAN = 8, LEVELS = 20, TEXTS = 7, READ_BYTES = 4096, WRITE_BYTES = 65536 };

#define NO_TEXT UINT32_MAX

typedef struct stretch {
    off_t at;
    uint64_t runs;
    unsigned level;
} stretch;

struct smp_run_store {
    int file;
    off_t end;
    uint64_t runs;
    stretch stretches[FAN * LEVELS];
    unsigned count;
    pthread_mutex_t lock;
};

/* The file that is not there is the one that TMPDIR cannot take. */
static smp_status no_room(smp_error *error) {
    return smp_error_set(error, SMP_E_WRITE, -1,
                         "TMPDIR: the runs of so many files could not be kept there: %s",
                         strerror(errno));
}

smp_status smp_run_store_make(smp_run_store **out, smp_error *error) {
    char path[4096];
    const char *folder = getenv("TMPDIR");
    smp_run_store *store = calloc(1, sizeof *store);
    *out = NULL;
    if (!store)
        return smp_error_memory(error);
    (void)snprintf(path, sizeof path, "%s/smemprobe-runs-XXXXXX",
                   folder && *folder ? folder : "/tmp");
    store->file = mkstemp(path);
    if (store->file < 0) {
        free(store);
        return no_room(error);
    }
    (void)unlink(path);
    (void)pthread_mutex_init(&store->lock, NULL);
    *out = store;
    return SMP_OK;
}

void smp_run_store_free(smp_run_store *store) {
    if (!store)
        return;
    (void)close(store->file);
    (void)pthread_mutex_destroy(&store->lock);
    free(store);
}

/* ---- Writing -----------------------------------------------------------------------------------
 */

typedef struct writer {
    smp_run_store *store;
    size_t used;
    bool failed;
    char bytes[WRITE_BYTES];
} writer;

static void flush(writer *to) {
    for (size_t done = 0; done < to->used && !to->failed;) {
        const ssize_t wrote =
            pwrite(to->store->file, to->bytes + done, to->used - done, to->store->end);
        to->failed = wrote <= 0 && errno != EINTR;
        if (wrote > 0) {
            done += (size_t)wrote;
            to->store->end += wrote;
        }
    }
    to->used = 0;
}

static void put(writer *to, const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        const size_t room = sizeof to->bytes - to->used,
                     now = count - done < room ? count - done : room;
        memcpy(to->bytes + to->used, (const char *)bytes + done, now);
        to->used += now;
        done += now;
        if (to->used == sizeof to->bytes)
            flush(to);
    }
}

/* A run's texts, as they are written one behind the other. */
static char **text_at(smp_run *run, unsigned index) {
    char **const texts[TEXTS] = {&run->command, &run->device, &run->driver, &run->date,
                                 &run->host,    &run->memory, &run->ended};
    return texts[index];
}

static void put_run(writer *to, const smp_run *run) {
    smp_run copy = *run;
    const uint32_t engine = (uint32_t)run->engine;
    put(to, &run->process, sizeof run->process);
    put(to, &engine, sizeof engine);
    for (unsigned i = 0; i < TEXTS; i++) {
        const char *text = *text_at(&copy, i);
        const uint32_t length = text ? (uint32_t)strlen(text) : NO_TEXT;
        put(to, &length, sizeof length);
        if (text)
            put(to, text, length + 1);
    }
}

/* ---- Reading -----------------------------------------------------------------------------------
 */

typedef struct reader {
    int file;
    off_t at;
    uint64_t left; /* runs behind the one that is here */
    bool has_run, failed;
    smp_run run; /* its texts are in `text` */
    char *text[TEXTS];
    uint32_t room[TEXTS];
    size_t next, held;
    char bytes[READ_BYTES];
} reader;

static bool get(reader *from, void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        if (from->next == from->held) {
            const ssize_t got = pread(from->file, from->bytes, sizeof from->bytes, from->at);
            if (got <= 0)
                return false;
            from->at += got;
            from->held = (size_t)got;
            from->next = 0;
        }
        const size_t here = from->held - from->next,
                     now = count - done < here ? count - done : here;
        memcpy((char *)bytes + done, from->bytes + from->next, now);
        from->next += now;
        done += now;
    }
    return true;
}

static bool get_text(reader *from, unsigned index) {
    uint32_t length;
    *text_at(&from->run, index) = NULL;
    if (!get(from, &length, sizeof length))
        return false;
    if (length == NO_TEXT)
        return true;
    if (length >= from->room[index]) {
        free(from->text[index]);
        from->text[index] = malloc((size_t)length + 1);
        from->room[index] = 0;
        if (!from->text[index])
            return false;
        from->room[index] = length + 1;
    }
    *text_at(&from->run, index) = from->text[index];
    return get(from, from->text[index], (size_t)length + 1);
}

static void advance(reader *from) {
    uint32_t engine = 0;
    from->has_run = from->left > 0;
    if (!from->has_run)
        return;
    from->left--;
    bool ok = get(from, &from->run.process, sizeof from->run.process) &&
              get(from, &engine, sizeof engine);
    from->run.engine = (smp_engine)engine;
    for (unsigned i = 0; i < TEXTS && ok; i++)
        ok = get_text(from, i);
    from->failed = !ok;
}

static void close_readers(reader *readers, unsigned count) {
    for (unsigned i = 0; readers && i < count; i++)
        for (unsigned t = 0; t < TEXTS; t++)
            free(readers[i].text[t]);
    free(readers);
}

/* Shows the runs of stretches first .. count - 1 in their order. */
static smp_status merge(const smp_run_store *store, unsigned first, smp_run_visit visit, void *user,
                        smp_error *error) {
    const unsigned count = store->count - first;
    reader *readers = calloc(count + 1, sizeof *readers);
    bool failed = false, goes_on = true;
    if (!readers)
        return smp_error_memory(error);
    for (unsigned i = 0; i < count; i++) {
        readers[i].file = store->file;
        readers[i].at = store->stretches[first + i].at;
        readers[i].left = store->stretches[first + i].runs;
        advance(&readers[i]);
        failed |= readers[i].failed;
    }
    while (!failed && goes_on) {
        reader *least = NULL;
        for (unsigned i = 0; i < count; i++)
            if (readers[i].has_run && (!least || smp_run_compare(&readers[i].run, &least->run) < 0))
                least = &readers[i];
        if (!least)
            break;
        goes_on = visit(user, &least->run);
        advance(least);
        failed = least->failed;
    }
    close_readers(readers, count);
    return failed ? smp_error_set(error, SMP_E_READ, -1,
                                  "TMPDIR: the runs that were kept there cannot be read")
                  : SMP_OK;
}

/* ---- The store ---------------------------------------------------------------------------------
 */

static bool write_one(void *user, const smp_run *run) {
    put_run(user, run);
    return !((writer *)user)->failed;
}

/* The last FAN stretches, which are of one level, become one of the next. */
static smp_status join_last(smp_run_store *store, writer *to, smp_error *error) {
    const unsigned first = store->count - FAN;
    stretch joined = {.at = store->end, .level = store->stretches[first].level + 1};
    for (unsigned i = first; i < store->count; i++)
        joined.runs += store->stretches[i].runs;
    const smp_status status = merge(store, first, write_one, to, error);
    flush(to);
    if (status == SMP_OK && to->failed)
        return no_room(error);
    store->count = first;
    store->stretches[store->count++] = joined;
    return status;
}

static bool has_to_join(const smp_run_store *store) {
    const stretch *last = store->stretches + store->count - 1;
    return store->count >= FAN && last->level + 1 < LEVELS && last[1 - FAN].level == last->level;
}

static smp_status add_stretch(smp_run_store *store, const smp_profile *profile, smp_error *error) {
    writer *to = calloc(1, sizeof *to);
    if (!to)
        return smp_error_memory(error);
    to->store = store;
    const stretch added = {.at = store->end, .runs = profile->run_count};
    for (uint32_t i = 0; i < profile->run_count; i++)
        put_run(to, &profile->runs[i]);
    flush(to);
    smp_status status = to->failed ? no_room(error) : SMP_OK;
    if (status == SMP_OK) {
        store->stretches[store->count++] = added;
        store->runs += added.runs;
    }
    while (status == SMP_OK && has_to_join(store))
        status = join_last(store, to, error);
    free(to);
    return status;
}

static int compare(const void *left, const void *right) {
    return smp_run_compare(left, right);
}

smp_status smp_run_store_take(smp_run_store *store, smp_profile *profile, smp_error *error) {
    if (profile->run_count == 0)
        return SMP_OK;
    qsort(profile->runs, profile->run_count, sizeof *profile->runs, compare);
    (void)pthread_mutex_lock(&store->lock);
    const smp_status status = add_stretch(store, profile, error);
    (void)pthread_mutex_unlock(&store->lock);
    while (profile->run_count > 0)
        smp_profile_drop_run(profile);
    return status;
}

uint64_t smp_profile_run_total(const smp_profile *profile) {
    return profile->run_store ? profile->run_store->runs : profile->run_count;
}

smp_status smp_profile_each_run(const smp_profile *profile, smp_run_visit visit, void *user,
                                smp_error *error) {
    if (profile->run_store)
        return merge(profile->run_store, 0, visit, user, error);
    for (uint32_t i = 0; i < profile->run_count; i++)
        if (!visit(user, &profile->runs[i]))
            break;
    return SMP_OK;
}
