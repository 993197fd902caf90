/* SPDX-License-Identifier: MIT */
/*
 * Receives ranges from NVTX. Names are copied, and truncated if long. A domain is a name that the
 * program chose for its own ranges. Ranges nest per domain, so a pop ends the last push of the same
 * domain.
 */
#define _GNU_SOURCE
#include "nvtx_ranges.h"

#include <pthread.h>
#include <regex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { RANGES_MAX = 32, NAME_BYTES = 96 };

typedef struct range {
    const void *domain;
    uint64_t id; /* id of a started range */
    char name[NAME_BYTES];
} range;

/* Ranges nested deeper than RANGES_MAX are only counted. */
typedef struct ranges {
    unsigned count;
    range list[RANGES_MAX];
} ranges;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ranges started;
static ranges *of_main; /* NULL until it pushes a range */
static __thread ranges *of_thread;
static pthread_key_t key; /* frees of_thread at the thread's end */
static uint64_t last_id;
static bool is_used;

/* ---- Names ---- */

/* nvtxEventAttributes_t, version 2 and 3. */
typedef struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
} attributes;

enum { MESSAGE_TEXT = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

static void take_text(const char *text, char name[NAME_BYTES]) {
    (void)snprintf(name, NAME_BYTES, "%s", text && *text != '\0' ? text : "?");
}

static void take_wide(const wchar_t *text, char name[NAME_BYTES]) {
    size_t length = 0;
    for (; text && text[length] != 0 && length < NAME_BYTES - 1; length++)
        name[length] = text[length] < 128 ? (char)text[length] : '?';
    name[length] = '\0';
    if (length == 0)
        take_text(NULL, name);
}

/* A registered string is a copy of it (register_text). */
static void take_message(const attributes *of, char name[NAME_BYTES]) {
    const int type = of ? of->message_type : 0;
    if (type == MESSAGE_WIDE)
        take_wide(of->message, name);
    else
        take_text(type == MESSAGE_TEXT || type == MESSAGE_REGISTERED ? of->message : NULL, name);
}

/* ---- Ranges ---- */

static void end_thread(void *own) {
    pthread_mutex_lock(&lock);
    if (own == of_main)
        of_main = NULL;
    pthread_mutex_unlock(&lock);
    free(own);
}

/* Called with the lock held. Returns NULL if out of memory. */
static ranges *own_ranges(void) {
    if (of_thread)
        return of_thread;
    of_thread = calloc(1, sizeof *of_thread);
    if (of_thread && gettid() == getpid())
        of_main = of_thread;
    (void)pthread_setspecific(key, of_thread);
    return of_thread;
}

static void add(ranges *to, const void *domain, uint64_t id, const attributes *of) {
    if (to->count < RANGES_MAX) {
        range *one = &to->list[to->count];
        one->domain = domain;
        one->id = id;
        take_message(of, one->name);
    }
    to->count++;
}

static void take_out(ranges *from, unsigned at) {
    for (unsigned i = at; i + 1 < from->count && i + 1 < RANGES_MAX; i++)
        from->list[i] = from->list[i + 1];
    from->count--;
}

/* Returns the new depth, from 0, as NVTX requires. */
static int push(const void *domain, const attributes *of) {
    pthread_mutex_lock(&lock);
    ranges *own = own_ranges();
    if (own)
        add(own, domain, 0, of);
    const int depth = own ? (int)own->count - 1 : -1;
    pthread_mutex_unlock(&lock);
    return depth;
}

static int pop(const void *domain) {
    ranges *own = of_thread;
    if (!own || own->count == 0)
        return -1;
    pthread_mutex_lock(&lock);
    unsigned at = own->count - 1;
    while (at > 0 && at < RANGES_MAX && own->list[at].domain != domain)
        at--;
    if (at >= RANGES_MAX || own->list[at].domain == domain)
        take_out(own, at);
    const int depth = (int)own->count;
    pthread_mutex_unlock(&lock);
    return depth;
}

static uint64_t start(const void *domain, const attributes *of) {
    pthread_mutex_lock(&lock);
    const uint64_t id = ++last_id;
    if (started.count < RANGES_MAX)
        add(&started, domain, id, of);
    pthread_mutex_unlock(&lock);
    return id;
}

static void end(uint64_t id) {
    pthread_mutex_lock(&lock);
    for (unsigned i = started.count; i-- > 0;)
        if (started.list[i].id == id)
            take_out(&started, i);
    pthread_mutex_unlock(&lock);
}

/* ---- Where launches are ---- */

static size_t join(const ranges *of, char path[NVTX_PATH_BYTES], size_t length) {
    for (unsigned i = 0; of && i < of->count && i < RANGES_MAX; i++) {
        const int more = snprintf(path + length, NVTX_PATH_BYTES - length, "%s%s",
                                  length > 0 ? "/" : "", of->list[i].name);
        length += more > 0 ? (size_t)more : 0;
        if (length >= NVTX_PATH_BYTES)
            return NVTX_PATH_BYTES - 1;
    }
    return length;
}

bool nvtx_ranges_now(char path[NVTX_PATH_BYTES]) {
    path[0] = '\0';
    if (!__atomic_load_n(&is_used, __ATOMIC_RELAXED))
        return false;
    pthread_mutex_lock(&lock);
    const bool has_own = of_thread && of_thread->count > 0;
    size_t length = join(&started, path, 0);
    length = join(has_own ? of_thread : of_main, path, length);
    pthread_mutex_unlock(&lock);
    return length > 0;
}

static regex_t wanted;
static bool is_wanted_known;
static const char *wanted_text;

static void read_wanted(void) {
    is_wanted_known = regcomp(&wanted, wanted_text, REG_EXTENDED | REG_NOSUB) == 0;
}

bool nvtx_ranges_fit(const char *expression) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char path[NVTX_PATH_BYTES];
    if (!expression)
        return true;
    if (!nvtx_ranges_now(path))
        return false;
    wanted_text = expression;
    (void)pthread_once(&once, read_wanted);
    return is_wanted_known && regexec(&wanted, path, 0, NULL, 0) == 0;
}

/* ---- What NVTX calls ---- */

static int push_with(const attributes *of) {
    return push(NULL, of);
}

static int push_text(const char *message) {
    return push_with(&(attributes){.message_type = MESSAGE_TEXT, .message = message});
}

static int push_wide(const wchar_t *message) {
    return push_with(&(attributes){.message_type = MESSAGE_WIDE, .message = message});
}

static int pop_any(void) {
    return pop(NULL);
}

static uint64_t start_with(const attributes *of) {
    return start(NULL, of);
}

static uint64_t start_text(const char *message) {
    return start_with(&(attributes){.message_type = MESSAGE_TEXT, .message = message});
}

static uint64_t start_wide(const wchar_t *message) {
    return start_with(&(attributes){.message_type = MESSAGE_WIDE, .message = message});
}

static void end_in(const void *domain, uint64_t id) {
    (void)domain;
    end(id);
}

/* Handles of domains and registered strings are copies of their names, one of each, never freed. */
typedef struct handle {
    struct handle *next;
    char text[];
} handle;
static handle *handles;

static void *make_domain(const char *text) {
    const char *name = text ? text : "";
    pthread_mutex_lock(&lock);
    handle *one = handles;
    while (one && strcmp(one->text, name) != 0)
        one = one->next;
    if (!one && (one = malloc(sizeof *one + strlen(name) + 1))) {
        strcpy(one->text, name);
        one->next = handles;
        handles = one;
    }
    pthread_mutex_unlock(&lock);
    return one ? one->text : NULL;
}

static void *make_domain_wide(const wchar_t *text) {
    char name[NAME_BYTES];
    take_wide(text, name);
    return make_domain(name);
}

static void *register_text(const void *domain, const char *text) {
    (void)domain;
    return make_domain(text);
}

static void *register_wide(const void *domain, const wchar_t *text) {
    (void)domain;
    return make_domain_wide(text);
}

/* ---- The tables that NVTX wants filled ---- */

typedef void (*any_function)(void);

/* Module and number of each function (nvtxDetail/nvtxTypes.h). */
enum { CORE = 1, CORE_2 = 5, CALLBACKS = 1 };
static const struct {
    unsigned module, number;
    any_function function;
} functions[] = {
    {CORE, 4, (any_function)start_with},       {CORE, 5, (any_function)start_text},
    {CORE, 6, (any_function)start_wide},       {CORE, 7, (any_function)end},
    {CORE, 8, (any_function)push_with},        {CORE, 9, (any_function)push_text},
    {CORE, 10, (any_function)push_wide},       {CORE, 11, (any_function)pop_any},
    {CORE_2, 2, (any_function)start},          {CORE_2, 3, (any_function)end_in},
    {CORE_2, 4, (any_function)push},           {CORE_2, 5, (any_function)pop},
    {CORE_2, 10, (any_function)register_text}, {CORE_2, 11, (any_function)register_wide},
    {CORE_2, 12, (any_function)make_domain},   {CORE_2, 13, (any_function)make_domain_wide},
};

/* NvtxExportTableCallbacks. */
typedef struct callbacks {
    size_t size;
    int (*table_of_module)(unsigned module, any_function ***table, unsigned *count);
} callbacks;

int InitializeInjectionNvtx2(const void *(*table_of)(unsigned)) {
    const callbacks *from = table_of ? table_of(CALLBACKS) : NULL;
    static const unsigned modules[] = {CORE, CORE_2};
    if (!from || from->size < sizeof *from)
        return 0;
    if (!is_used && pthread_key_create(&key, end_thread) != 0)
        return 0;
    for (size_t m = 0; m < sizeof modules / sizeof modules[0]; m++) {
        any_function **table = NULL;
        unsigned count = 0;
        if (from->table_of_module(modules[m], &table, &count) == 0 || !table)
            return 0;
        for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
            if (functions[i].module == modules[m] && functions[i].number < count &&
                table[functions[i].number])
                *table[functions[i].number] = functions[i].function;
    }
    __atomic_store_n(&is_used, true, __ATOMIC_RELAXED);
    return 1;
}
