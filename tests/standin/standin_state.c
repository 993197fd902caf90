/* SPDX-License-Identifier: MIT */
/*
 * Reads $SMP_STANDIN: words separated by commas, each the name of a state, a setting, or
 * FUNCTION=CODE or FUNCTION=CODE@N: what (the Nth call of) a function returns; instead of a code,
 * `die` kills the process. Anything else ends the program, so that a test can't play a state that
 * there is not.
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "standin.h"

enum { WORDS_MAX = 32, WORD_SIZE = 96, FUNCTIONS_MAX = 64 };

static const struct {
    const char *name, *means;
} states[] = {
    {"works", ""},
    {"driver-old", "driver=11040"},
    {"driver-stub", "cuInit=34"},
    {"driver-mismatch", "cuInit=803"},
    {"driver-not-ready", "cuInit=802"},
    {"driver-broken", "cuInit=999"},
    {"no-device", "cuInit=100"},
    {"locked", "cuptiRangeProfilerEnable=35"},
    {"locked-vgpu", "cuptiRangeProfilerEnable=40"},
    {"busy", "cuptiRangeProfilerEnable=26"},
    {"attached", "cuptiProfilerInitialize=39"},
    {"mig", "cuptiRangeProfilerEnable=43"},
    {"confidential", "cuptiRangeProfilerEnable=41"},
    {"wsl", "cuptiRangeProfilerEnable=45"},
    {"vgpu", "cuptiRangeProfilerEnable=33"},
    {"chip-unknown", "cuptiProfilerHostInitialize=46"},
    {"chip-old", "cuptiProfilerInitialize=38"},
    {"device-error", "cudaDeviceSynchronize=719"},
};

/* driver: version that libcuda reports; gpus: how many; cc: 10 x major + minor; chip, name: of each
 * GPU; passes: that any metrics need; dropped, lost: ranges that decoding drops, or that reading
 * does not find; wrong=N: adds N to each count; wrong-lanes=N: only where N lanes or more are
 * active; spoil=1: kernels compute a wrong result; times=A/B: of launches of the
 * first module that is loaded, the second, the first again ... */
static const char *const settings[] = {"driver",  "gpus", "cc",    "chip",        "name",  "passes",
                                       "dropped", "lost", "wrong", "wrong-lanes", "spoil", "times"};

static char words[WORDS_MAX][WORD_SIZE];
static int word_count;

static struct {
    const char *function;
    long calls;
} called[FUNCTIONS_MAX];

/* The probe starts CUPTI in a thread. */
static mtx_t lock;
static once_flag once = ONCE_FLAG_INIT;

static void refuse(const char *word) {
    fprintf(stderr, "SMP_STANDIN: unknown: '%s'\n", word);
    exit(70);
}

static bool is_setting(const char *word) {
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strlen(settings[i]) == length && strncmp(settings[i], word, length) == 0)
            return word[length] == '=';
    return strncmp(word, "cu", 2) == 0 && word[length] == '=';
}

static const char *meaning(const char *word) {
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (strcmp(states[i].name, word) == 0)
            return states[i].means;
    if (!is_setting(word))
        refuse(word);
    return word;
}

static void read_words(void) {
    char text[1024];
    (void)mtx_init(&lock, mtx_plain);
    const char *wanted = getenv("SMP_STANDIN");
    char *rest = NULL;
    if (snprintf(text, sizeof text, "%s", wanted ? wanted : "") >= (int)sizeof text)
        refuse(wanted);
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (word_count == WORDS_MAX || strlen(word) >= WORD_SIZE)
            refuse(word);
        (void)snprintf(words[word_count++], WORD_SIZE, "%s", meaning(word));
    }
}

/* The text behind "name=", of the last word that has it. */
static const char *find(const char *name) {
    const size_t length = strlen(name);
    const char *found = NULL;
    call_once(&once, read_words);
    for (int i = 0; i < word_count; i++)
        if (strncmp(words[i], name, length) == 0 && words[i][length] == '=')
            found = words[i] + length + 1;
    return found;
}

const char *standin_text(const char *name, const char *otherwise) {
    const char *found = find(name);
    return found ? found : otherwise;
}

long standin_number(const char *name, long otherwise) {
    const char *found = find(name);
    return found ? strtol(found, NULL, 10) : otherwise;
}

static long count_call(const char *function) {
    size_t i = 0;
    (void)mtx_lock(&lock);
    while (i < FUNCTIONS_MAX - 1 && called[i].function && strcmp(called[i].function, function) != 0)
        i++;
    called[i].function = function;
    const long calls = ++called[i].calls;
    (void)mtx_unlock(&lock);
    return calls;
}

int standin_result(const char *function) {
    const char *found = find(function);
    const long call = count_call(function);
    if (!found)
        return 0;
    const bool dies = strncmp(found, "die", 3) == 0;
    char *end;
    const long code = strtol(dies ? found + 3 : found, &end, 10);
    if (*end == '@' && strtol(end + 1, NULL, 10) != call)
        return 0;
    if (dies)
        (void)raise(SIGKILL);
    return (int)code;
}
