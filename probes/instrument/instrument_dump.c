/* SPDX-License-Identifier: MIT */
/*
 * Reads the file of instrument_dump.h. It may end anywhere and contain anything: every count and
 * index is checked before use.
 */
#define _GNU_SOURCE
#include "instrument_dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument_record.h"

/* A record's payload, and how much of it was read. */
typedef struct payload {
    uint8_t *bytes; /* NULL once the record's reader owns them */
    size_t count, at;
} payload;

/* A record's place. */
typedef struct place {
    instrument_record_kind kind;
    uint64_t at, bytes; /* of its payload */
    bool superseded;
    instrument_snapshot snapshot;
} place;

typedef struct reader {
    FILE *file;
    const char *path;
    uint64_t file_bytes;
    place *places;
    size_t place_count;
    smp_instrument_dump *out;
    smp_error *error;
} reader;

static smp_status no_memory(reader *r) {
    return smp_error_set(r->error, SMP_E_MEMORY, -1, "out of memory while reading '%s'", r->path);
}

static smp_status is_damaged(reader *r, const char *what) {
    return smp_error_set(r->error, SMP_E_READ, -1, "'%s' is damaged: %s", r->path, what);
}

/* Appends a zeroed element of `bytes` to a list; NULL if out of memory. */
static void *list_add(void **list, size_t *count, size_t more, size_t bytes) {
    if (more > SIZE_MAX / bytes - *count)
        return NULL;
    /* The capacity is the next power of two. */
    size_t room = 1;
    while (room < *count + more)
        room *= 2;
    bool fits = *count > 0 && room / 2 < *count;
    void *grown = fits ? *list : realloc(*list, room * bytes);
    if (!grown)
        return NULL;
    *list = grown;
    void *added = (char *)grown + *count * bytes;
    memset(added, 0, more * bytes);
    *count += more;
    return added;
}

/* Makes room for `more` elements in LIST of the dump. */
#define ADD(list, count, more) list_add((void **)&(list), &(count), more, sizeof *(list))

static bool take(payload *from, void *to, size_t bytes) {
    if (from->count - from->at < bytes)
        return false;
    memcpy(to, from->bytes + from->at, bytes);
    from->at += bytes;
    return true;
}

/* Returns the rest as a string; NULL if out of memory. */
static char *take_text(payload *from) {
    size_t length = from->count - from->at;
    char *text = malloc(length + 1);
    if (!text)
        return NULL;
    memcpy(text, from->bytes + from->at, length);
    text[length] = '\0';
    from->at = from->count;
    return text;
}

static smp_status read_text(reader *r, payload *from) {
    smp_instrument_dump *out = r->out;
    instrument_text head;
    if (!take(from, &head, sizeof head) || head.kind >= INSTRUMENT_TEXT_KINDS)
        return is_damaged(r, "a text of an unknown kind");
    char *text = take_text(from);
    if (!text)
        return no_memory(r);
    if (head.kind == INSTRUMENT_NOTE || head.kind == INSTRUMENT_TRACE) {
        char **one = head.kind == INSTRUMENT_NOTE ? ADD(out->notes, out->note_count, 1)
                                                  : ADD(out->traces, out->trace_count, 1);
        if (!one) {
            free(text);
            return no_memory(r);
        }
        *one = text;
        return SMP_OK;
    }
    char **places[INSTRUMENT_TEXT_KINDS] = {[INSTRUMENT_COMMAND] = &out->command,
                                            [INSTRUMENT_HOST] = &out->host,
                                            [INSTRUMENT_DATE] = &out->date,
                                            [INSTRUMENT_DRIVER] = &out->driver};
    free(*places[head.kind]);
    *places[head.kind] = text;
    return SMP_OK;
}

static smp_status read_context(reader *r, payload *from) {
    instrument_context_record head;
    if (!take(from, &head, sizeof head))
        return is_damaged(r, "a context is cut off");
    smp_instrument_context *context = ADD(r->out->contexts, r->out->context_count, 1);
    if (!context)
        return no_memory(r);
    *context = (smp_instrument_context){.cc_major = head.cc_major,
                                        .cc_minor = head.cc_minor,
                                        .multiprocessors = head.multiprocessors,
                                        .clock_khz = head.clock_khz,
                                        .reserved_bytes = head.reserved_bytes,
                                        .device = take_text(from)};
    return context->device ? SMP_OK : no_memory(r);
}

static bool is_index(int32_t index, size_t count) {
    return index >= 0 && (size_t)index < count;
}

static smp_status read_module(reader *r, payload *from) {
    instrument_module_record head;
    if (!take(from, &head, sizeof head) || !is_index(head.context, r->out->context_count))
        return is_damaged(r, "a module of no context");
    smp_instrument_module *module = ADD(r->out->modules, r->out->module_count, 1);
    if (!module)
        return no_memory(r);
    module->context = head.context;
    size_t bytes = from->count - from->at;
    if (bytes == 0)
        return SMP_OK;
    module->cubin = from->bytes; /* not copied: some are tens of MiB */
    module->cubin_bytes = bytes;
    memmove(module->cubin, from->bytes + from->at, bytes);
    from->bytes = NULL;
    return SMP_OK;
}

static smp_status read_function(reader *r, payload *from) {
    instrument_function_record head;
    if (!take(from, &head, sizeof head) || !is_index(head.module, r->out->module_count))
        return is_damaged(r, "a function of no module");
    smp_instrument_function *function = ADD(r->out->functions, r->out->function_count, 1);
    if (!function)
        return no_memory(r);
    *function = (smp_instrument_function){.module = head.module,
                                          .is_kernel = head.is_kernel != 0,
                                          .pc = head.pc,
                                          .code_bytes = head.code_bytes,
                                          .epoch = head.epoch,
                                          .name = take_text(from)};
    return function->name ? SMP_OK : no_memory(r);
}

static bool is_sound_site(const reader *r, const smp_instrument_site *site, size_t requests) {
    bool has_function =
        site->function == SMP_INSTRUMENT_NONE || is_index(site->function, r->out->function_count);
    return has_function && site->kind < SMP_INSTRUMENT_KIND_COUNT &&
           site->launch_kind < SMP_INSTRUMENT_KINDS_MAX &&
           site->request_count <= SMP_INSTRUMENT_DISTINCT_MAX && site->request_count <= requests &&
           site->first_request <= requests - site->request_count;
}

static smp_status read_sites(reader *r, payload *from, const instrument_snapshot *head) {
    smp_instrument_dump *out = r->out;
    size_t first_request = out->request_count;
    size_t left = from->count - from->at;
    if (head->site_count > left / sizeof(smp_instrument_site) ||
        head->request_count > left / sizeof(smp_instrument_request))
        return is_damaged(r, "a snapshot is cut off");
    if (first_request + head->request_count > UINT32_MAX)
        return is_damaged(r, "too many requests");
    smp_instrument_site *sites = ADD(out->sites, out->site_count, head->site_count);
    if (!sites)
        return no_memory(r);
    if (!take(from, sites, head->site_count * sizeof *sites))
        return is_damaged(r, "its sites are cut off");
    for (size_t i = 0; i < head->site_count; i++) {
        if (!is_sound_site(r, &sites[i], head->request_count))
            return is_damaged(r, "a site of no function or request");
        sites[i].first_request += (uint32_t)first_request;
    }
    smp_instrument_request *requests = ADD(out->requests, out->request_count, head->request_count);
    if (!requests)
        return no_memory(r);
    if (!take(from, requests, head->request_count * sizeof *requests))
        return is_damaged(r, "its requests are cut off");
    return SMP_OK;
}

static smp_status read_snapshot(reader *r, payload *from) {
    instrument_snapshot head;
    smp_instrument_state state;
    if (!take(from, &head, sizeof head) || !is_index(head.context, r->out->context_count))
        return is_damaged(r, "a snapshot of no context");
    smp_status status = read_sites(r, from, &head);
    if (status != SMP_OK)
        return status;
    for (uint32_t i = 0; i < head.state_count; i++) {
        if (!take(from, &state, sizeof state) || !is_index(state.function, r->out->function_count))
            return is_damaged(r, "launches of no function");
        smp_instrument_function *function = &r->out->functions[state.function];
        const uint32_t shared_bytes = function->state.shared_bytes;
        function->state = state;
        if (shared_bytes > state.shared_bytes)
            function->state.shared_bytes = shared_bytes;
    }
    smp_instrument_context *context = &r->out->contexts[head.context];
    context->sites_lost += head.sites_lost;
    context->launches = head.launches > context->launches ? head.launches : context->launches;
    return SMP_OK;
}

static smp_status read_time(reader *r, payload *from) {
    instrument_time head;
    if (!take(from, &head, sizeof head))
        return is_damaged(r, "a time is cut off");
    smp_instrument_time *time = ADD(r->out->times, r->out->time_count, 1);
    if (!time)
        return no_memory(r);
    *time = (smp_instrument_time){.launches = head.launches,
                                  .nanoseconds = head.nanoseconds,
                                  .registers = head.registers,
                                  .block = {head.block[0], head.block[1], head.block[2]},
                                  .kernel = take_text(from)};
    return time->kernel ? SMP_OK : no_memory(r);
}

static smp_status read_caller(reader *r, payload *from) {
    instrument_caller head;
    if (!take(from, &head, sizeof head) || !is_index(head.function, r->out->function_count))
        return is_damaged(r, "a caller of no function");
    smp_instrument_function *function = &r->out->functions[head.function];
    smp_instrument_caller caller = {.file = take_text(from), .line = head.line};
    if (!caller.file)
        return no_memory(r);
    bool is_new = function->caller_count < SMP_INSTRUMENT_CALLERS_MAX;
    for (uint32_t i = 0; i < function->caller_count; i++)
        is_new = is_new && (function->callers[i].line != caller.line ||
                            strcmp(function->callers[i].file, caller.file) != 0);
    if (is_new)
        function->callers[function->caller_count++] = caller;
    else
        free(caller.file);
    return SMP_OK;
}

static smp_status read_range(reader *r, payload *from) {
    instrument_range head;
    if (!take(from, &head, sizeof head) || !is_index(head.function, r->out->function_count))
        return is_damaged(r, "a range of no function");
    smp_instrument_function *function = &r->out->functions[head.function];
    char *path = take_text(from);
    if (!path)
        return no_memory(r);
    if (function->range_count < SMP_INSTRUMENT_RANGES_MAX)
        function->ranges[function->range_count++] = path;
    else
        free(path);
    return SMP_OK;
}

static smp_status read_payload(reader *r, const place *at) {
    static smp_status (*const readers[])(reader *, payload *) = {
        [INSTRUMENT_TEXT] = read_text,         [INSTRUMENT_CONTEXT] = read_context,
        [INSTRUMENT_MODULE] = read_module,     [INSTRUMENT_FUNCTION] = read_function,
        [INSTRUMENT_SNAPSHOT] = read_snapshot, [INSTRUMENT_TIME] = read_time,
        [INSTRUMENT_CALLER] = read_caller,     [INSTRUMENT_RANGE] = read_range,
    };
    uint8_t *bytes = malloc(at->bytes + 1);
    if (!bytes)
        return no_memory(r);
    smp_status status = SMP_OK;
    if (fseeko(r->file, (off_t)at->at, SEEK_SET) != 0 ||
        fread(bytes, 1, at->bytes, r->file) != at->bytes)
        status = smp_error_set(r->error, SMP_E_READ, -1, "'%s': %s", r->path, strerror(errno));
    payload all = {bytes, at->bytes, 0};
    if (status == SMP_OK)
        status = readers[at->kind](r, &all);
    free(all.bytes);
    return status;
}

/* Marks all but the last snapshot of each epoch of each context. */
static void supersede(reader *r) {
    for (size_t i = 0; i + 1 < r->place_count; i++) {
        place *old = &r->places[i];
        for (size_t j = i + 1; j < r->place_count && !old->superseded; j++) {
            const place *later = &r->places[j];
            old->superseded = old->kind == INSTRUMENT_SNAPSHOT &&
                              later->kind == INSTRUMENT_SNAPSHOT &&
                              old->snapshot.context == later->snapshot.context &&
                              old->snapshot.epoch == later->snapshot.epoch;
        }
    }
}

/* Returns false at the end of the file, also if it ends within a record. */
static bool next_place(reader *r, uint64_t *at) {
    instrument_record_head head;
    uint64_t left = r->file_bytes - *at;
    if (left == 0)
        return false;
    r->out->truncated = true; /* until the record is known to be complete */
    if (left < sizeof head || fseeko(r->file, (off_t)*at, SEEK_SET) != 0 ||
        fread(&head, sizeof head, 1, r->file) != 1 || head.magic != INSTRUMENT_RECORD_MAGIC ||
        head.kind < INSTRUMENT_TEXT || head.kind >= INSTRUMENT_RECORD_KINDS ||
        head.bytes > left - sizeof head)
        return false;
    place *added = ADD(r->places, r->place_count, 1);
    if (!added)
        return false;
    *added = (place){
        .kind = (instrument_record_kind)head.kind, .at = *at + sizeof head, .bytes = head.bytes};
    if (added->kind == INSTRUMENT_SNAPSHOT &&
        (head.bytes < sizeof added->snapshot ||
         fread(&added->snapshot, sizeof added->snapshot, 1, r->file) != 1)) {
        r->place_count--;
        return false;
    }
    uint64_t padded = (head.bytes + 7) / 8 * 8;
    *at = *at + sizeof head + (padded < left - sizeof head ? padded : left - sizeof head);
    r->out->truncated = false;
    return true;
}

static smp_status read_head(reader *r) {
    instrument_head head;
    smp_instrument_dump *out = r->out;
    if (fseeko(r->file, 0, SEEK_END) != 0 || ftello(r->file) < 0)
        return smp_error_set(r->error, SMP_E_READ, -1, "'%s': %s", r->path, strerror(errno));
    r->file_bytes = (uint64_t)ftello(r->file);
    rewind(r->file);
    if (r->file_bytes < INSTRUMENT_HEAD_BYTES || fread(&head, sizeof head, 1, r->file) != 1 ||
        memcmp(head.magic, INSTRUMENT_MAGIC, sizeof head.magic) != 0)
        return smp_error_set(r->error, SMP_E_READ, -1,
                             "'%s' was not written by libsmemprobe_instrument.so", r->path);
    if (head.version != INSTRUMENT_VERSION || head.byte_order != INSTRUMENT_BYTE_ORDER ||
        head.site_bytes != sizeof(smp_instrument_site) ||
        head.request_bytes != sizeof(smp_instrument_request))
        return smp_error_set(r->error, SMP_E_READ, -1,
                             "'%s' was written by another version of libsmemprobe_instrument.so",
                             r->path);
    head.last_kernel[sizeof head.last_kernel - 1] = '\0';
    out->process = head.process;
    out->launches = head.launches;
    out->ended = head.ended != 0;
    out->spent_ms = head.spent_ms;
    if (head.last_kernel[0] != '\0') {
        out->last_kernel = strdup(head.last_kernel);
        return out->last_kernel ? SMP_OK : no_memory(r);
    }
    return SMP_OK;
}

static int compare_sites(const void *a, const void *b) {
    const smp_instrument_site *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    int by_kind = (x->kind > y->kind) - (x->kind < y->kind);
    int by_flags = (x->flags > y->flags) - (x->flags < y->flags);
    int by_width = (x->width_bytes > y->width_bytes) - (x->width_bytes < y->width_bytes);
    return by_kind != 0 ? by_kind : by_flags != 0 ? by_flags : by_width;
}

static smp_status read_all(reader *r) {
    smp_instrument_dump *out = r->out;
    smp_status status = read_head(r);
    if (status != SMP_OK)
        return status;
    for (uint64_t at = INSTRUMENT_HEAD_BYTES; next_place(r, &at);)
        continue;
    supersede(r);
    for (size_t i = 0; i < r->place_count && status == SMP_OK; i++) {
        if (!r->places[i].superseded)
            status = read_payload(r, &r->places[i]);
    }
    for (size_t i = 0; i < out->context_count; i++)
        out->launches_covered += out->contexts[i].launches;
    if (out->site_count > 0)
        qsort(out->sites, out->site_count, sizeof *out->sites, compare_sites);
    return status;
}

smp_status smp_instrument_read(const char *path, smp_instrument_dump *out, smp_error *error) {
    *out = (smp_instrument_dump){0};
    reader r = {.file = fopen(path, "rb"), .path = path, .out = out, .error = error};
    if (!r.file)
        return smp_error_set(error, SMP_E_READ, -1, "'%s': %s", path, strerror(errno));
    smp_status status = read_all(&r);
    fclose(r.file);
    free(r.places);
    if (status != SMP_OK)
        smp_instrument_clear(out);
    return status;
}

static void clear_function(smp_instrument_function *function) {
    for (uint32_t i = 0; i < function->caller_count; i++)
        free(function->callers[i].file);
    for (uint32_t i = 0; i < function->range_count; i++)
        free(function->ranges[i]);
    free(function->name);
}

void smp_instrument_clear(smp_instrument_dump *dump) {
    for (size_t i = 0; i < dump->trace_count; i++)
        free(dump->traces[i]);
    free(dump->traces);
    for (size_t i = 0; i < dump->note_count; i++)
        free(dump->notes[i]);
    for (size_t i = 0; i < dump->context_count; i++)
        free(dump->contexts[i].device);
    for (size_t i = 0; i < dump->module_count; i++)
        free(dump->modules[i].cubin);
    for (size_t i = 0; i < dump->function_count; i++)
        clear_function(&dump->functions[i]);
    for (size_t i = 0; i < dump->time_count; i++)
        free(dump->times[i].kernel);
    free(dump->command);
    free(dump->host);
    free(dump->date);
    free(dump->driver);
    free(dump->last_kernel);
    free(dump->notes);
    free(dump->contexts);
    free(dump->modules);
    free(dump->functions);
    free(dump->sites);
    free(dump->requests);
    free(dump->times);
    *dump = (smp_instrument_dump){0};
}
