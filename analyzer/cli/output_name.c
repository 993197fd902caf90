/* SPDX-License-Identifier: MIT */
/* File names that differ between processes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "say.h"

enum { VARIABLE_NAME_MAX = 256 };

/* The value of VAR in "%q{VAR}", with *at after "%q"; advances *at past the brace. NULL with *error
 * on failure. */
static const char *variable(const char *pattern, const char **at, smp_error *error) {
    char name[VARIABLE_NAME_MAX];
    const char *end = **at == '{' ? strchr(*at, '}') : NULL;
    const size_t length = end ? (size_t)(end - *at) - 1 : 0;
    if (length == 0 || length >= sizeof name) {
        (void)usage_error(error, "-o %.100s: expected %%q{VARIABLE}", pattern);
        return NULL;
    }
    memcpy(name, *at + 1, length);
    name[length] = '\0';
    *at = end + 1;
    const char *value = getenv(name);
    if (!value || value[0] == '\0')
        (void)usage_error(error, "-o %.100s: the environment variable %.60s is not set", pattern,
                          name);
    else if (strchr(value, '/'))
        (void)usage_error(error, "-o %.100s: the environment variable %.60s holds a '/'", pattern,
                          name);
    else
        return value;
    return NULL;
}

static smp_status add_host(text_buffer *out, smp_error *error) {
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0 || strchr(host, '/'))
        return usage_error(error, "-o: %%h: this host has no name");
    text_add(out, "%s", host);
    return SMP_OK;
}

static smp_status add_one(text_buffer *out, const char *pattern, const char **at, uint64_t process,
                          smp_error *error) {
    const char letter = *(*at)++;
    const char *value;
    switch (letter) {
    case 'p':
        text_add(out, "%" PRIu64, process);
        return SMP_OK;
    case 'h':
        return add_host(out, error);
    case 'q':
        value = variable(pattern, at, error);
        text_add(out, "%s", value ? value : "");
        return value ? SMP_OK : SMP_E_USAGE;
    case '%':
        text_add(out, "%%");
        return SMP_OK;
    default:
        return usage_error(error,
                           "-o %.100s: after %% expected p (process), h (host), q{VARIABLE} or %%",
                           pattern);
    }
}

smp_status output_name_expand(const char *pattern, uint64_t process, char out[OUTPUT_NAME_MAX],
                              smp_error *error) {
    text_buffer text = text_buffer_over(out, OUTPUT_NAME_MAX);
    smp_status status = SMP_OK;
    for (const char *at = pattern; status == SMP_OK && *at != '\0';) {
        if (*at != '%') {
            text_add(&text, "%c", *at++);
            continue;
        }
        at++;
        status = add_one(&text, pattern, &at, process, error);
    }
    if (status == SMP_OK && text.length + 1 >= OUTPUT_NAME_MAX)
        return usage_error(error, "-o %.100s: the name becomes too long", pattern);
    return status;
}

bool output_name_has_process(const char *pattern) {
    for (const char *at = strchr(pattern, '%'); at; at = strchr(at, '%')) {
        if (at[1] == 'p')
            return true;
        at += at[1] != '\0' ? 2 : 1;
    }
    return false;
}
