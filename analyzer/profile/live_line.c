/* SPDX-License-Identifier: MIT */
/*
 * The line is in the last row of the terminal, which is excluded from scrolling; the program's
 * output is not touched. It appears after some seconds (SMP_LIVE_AFTER), and only if this program
 * is in the terminal's foreground.
 */
#define _GNU_SOURCE
#include "live_line.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "leftover.h"
#include "live_page.h"
#include "seconds.h"
#include "text_buffer.h"

#define FIRST_SECONDS 3.0
enum { ROWS_LEAST = 6, LINE_BYTES = 400, NAME_BYTES = 64 };
static const char prefix[] = ".live.";

static struct {
    char folder[SCRATCH_PATH_BYTES];
    double began, after;
    unsigned rows; /* rows of the terminal while the line is shown; else 0 */
} line;

/* ---- What the processes tell ---- */

static bool read_page(const char *name, live_page *out) {
    char path[SCRATCH_PATH_BYTES + 300];
    (void)snprintf(path, sizeof path, "%s/%s", line.folder, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool is_read = file >= 0 && read(file, out, sizeof *out) == (ssize_t)sizeof *out;
    if (file >= 0)
        (void)close(file);
    out->kernel[LIVE_TEXT_BYTES - 1] = out->worst[LIVE_TEXT_BYTES - 1] =
        out->worst_kernel[LIVE_TEXT_BYTES - 1] = '\0';
    return is_read;
}

/* Over all processes: the sums, and the texts of the one with the most launches. */
static bool read_pages(live_page *out) {
    DIR *folder = opendir(line.folder);
    uint64_t launches = 0, looked = 0;
    memset(out, 0, sizeof *out);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        live_page one;
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0 ||
            !read_page(entry->d_name, &one))
            continue;
        launches += one.launches;
        looked += one.looked;
        if (one.launches > out->launches)
            *out = one;
    }
    if (folder)
        (void)closedir(folder);
    out->launches = launches;
    out->looked = looked;
    return launches > 0;
}

/* "at::native::scan" for "_ZN2at6native4scanIfEEvPT_"; other names without parameters. */
static const char *short_name(const char *name, char out[NAME_BYTES]) {
    text_buffer text = text_buffer_over(out, NAME_BYTES);
    const char *at = strncmp(name, "_ZN", 3) == 0 ? name + 3 : name + 2;
    unsigned long length;
    char *end;
    if (strncmp(name, "_Z", 2) != 0)
        text_add(&text, "%.*s", (int)strcspn(name, "(<"), name);
    else
        for (; (length = strtoul(at, &end, 10)) > 0 && length <= strlen(end); at = end + length)
            text_join(&text, "::", "%.*s", (int)length, end);
    return out[0] ? out : name;
}

static void put_text(char *text, size_t size) {
    live_page page;
    char a[32], b[32], name[NAME_BYTES];
    text_buffer out = text_buffer_over(text, size);
    text_add(&out, "smemprobe: %.0f s (Ctrl-C: report now)", seconds_now() - line.began);
    if (!read_pages(&page)) {
        text_add(&out, ", no kernel was launched yet");
        return;
    }
    (void)text_grouped(page.launches, a);
    (void)text_grouped(page.looked, b);
    text_add(&out, ", %s launch%s", a, page.launches == 1 ? "" : "es");
    if (page.looked < page.launches)
        text_add(&out, ", %s of them looked at", b);
    text_add(&out, "; now %s", short_name(page.kernel, name));
    if (page.worst[0])
        text_add(&out, "; worst %s%s", short_name(page.worst_kernel, name), page.worst);
}

/* ---- The terminal ---- */

static bool is_foreground(void) {
    return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static void put(const char *text) {
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* Excludes the last row from scrolling: frees one row below the cursor, which stays in its column.
 */
static void take_row(unsigned rows) {
    char text[80];
    (void)snprintf(text, sizeof text, "\033D\033[1A\0337\033[1;%ur\0338", rows - 1);
    put(text);
    line.rows = rows;
}

static void give_row(void) {
    char text[80];
    (void)snprintf(text, sizeof text, "\0337\033[%u;1H\033[2K\033[r\0338", line.rows);
    put(text);
    line.rows = 0;
}

static void show(const struct winsize *size) {
    char text[LINE_BYTES], out[LINE_BYTES + 60];
    const int columns = size->ws_col > 1 ? size->ws_col - 1 : 79;
    put_text(text, sizeof text);
    for (char *c = text; *c; c++)
        *c = *c >= ' ' && *c != 127 ? *c : '?';
    (void)snprintf(out, sizeof out, "\0337\033[%u;1H\033[2K%.*s\0338", line.rows, columns, text);
    put(out);
}

/* Four times a second, by child_run. */
static void tick(void) {
    static unsigned count;
    struct winsize size;
    if (seconds_now() < line.began + line.after || count++ % 4 != 0 || !is_foreground() ||
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < ROWS_LEAST)
        return;
    if (line.rows != size.ws_row)
        take_row(size.ws_row);
    show(&size);
}

void live_line_begin(const char *folder, child_variables *to) {
    const char *terminal = getenv("TERM"), *after = getenv("SMP_LIVE_AFTER");
    if (!isatty(STDERR_FILENO) || !terminal || strcmp(terminal, "dumb") == 0)
        return;
    (void)snprintf(line.folder, sizeof line.folder, "%s", folder);
    line.began = seconds_now();
    line.after = after ? strtod(after, NULL) : FIRST_SECONDS;
    child_set(to, "SMP_LIVE=%s/%s", folder, prefix);
    child_while(tick);
}

void live_line_end(void) {
    child_while(NULL);
    if (line.rows > 0)
        give_row();
}
