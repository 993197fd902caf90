/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
#include "joined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_text.h"
#include "list.h"
#include "profile_rank.h"
#include "project.h"
#include "text_file.h"

/* "#//smemprobe<2 #include "x.h"" begins file 2, "#//smemprobe>" ends it ("#//smemprobe>!": its
 * last line had no end), "#//smemprobe #pragma once" hides a line. These are directives without a
 * name, so that nothing is inserted on the wrong side of them. */
static const char mark[] = "#//smemprobe";
enum { MARK = sizeof mark - 1, PATH_BYTES = 4096, BYTES_MOST = 1 << 20 };

/* ---- Joining ---- */

typedef struct joining {
    joined *to;
    FILE *out;
    size_t bytes;
    const char *const *flags;
    uint32_t flag_count;
    smp_project project;
    const char *needed; /* by some header */
    bool has_needed;
    bool is_once[JOINED_FILES];    /* by file: it may be included again, which does nothing */
    bool is_perhaps[JOINED_FILES]; /* by file: it was included under a condition */
} joining;

static bool is_pragma_once(const char *line) {
    const char *rest = host_directive(line, "pragma");
    return rest && strncmp(rest, "once", 4) == 0;
}

/* Whether a header is read only once: it has #pragma once, or its first directive is a guard.
 * `depth` becomes the number of conditions around all of its text. */
static bool is_read_once(const char *text, unsigned *depth) {
    *depth = 0;
    for (const char *line = text; line; line = strchr(line, '\n'), line += !!line) {
        if (line[strspn(line, " \t")] != '#')
            continue;
        *depth = host_directive(line, "ifndef") ? 1 : 0;
        return *depth > 0 || is_pragma_once(line);
    }
    return false;
}

/* The real path of a header in that folder; NULL if there is none. */
static char *header_in(const char *folder, int length, host_span name) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%.*s/%.*s", length, folder, (int)name.length - 1,
                   name.text + 1);
    return realpath(path, NULL);
}

/* Whether a header that `folder` has is the user's own: the folder is relative, or the header is of
 * the source's project or below the current folder. */
static bool is_own(const joining *j, const char *folder, const char *path) {
    const smp_frame frame = {(char *)(uintptr_t)path, 0};
    const size_t root = j->project.root;
    const bool is_of_project =
        root > 0 && strncmp(path, j->project.folder, root) == 0 && path[root] == '/';
    return !smp_frame_is_of_system(&frame) &&
           (folder[0] != '/' || is_of_project || smp_path_from_here(path) != path);
}

/* The real path of a header that may be joined: beside the including file, found by -I, or where
 * nvcc will be told to look, elsewhere in the project; NULL if there is none. */
static char *find_header(const joining *j, const char *from, host_span name) {
    const char *folder, *slash = strrchr(from, '/');
    char *found = NULL;
    if (*name.text == '"')
        found = name.text[1] == '/' ? header_in("", 0, name)
                                    : header_in(from, (int)(slash - from), name);
    for (uint32_t i = 0; !found && (folder = host_search_folder(j->flags, j->flag_count, &i));) {
        found = header_in(folder, (int)strlen(folder), name);
        if (found && !is_own(j, folder, found)) {
            free(found);
            return NULL;
        }
    }
    char own[PATH_BYTES], in[SMP_PROJECT_PATH];
    (void)snprintf(own, sizeof own, "%.*s", (int)name.length - 1, name.text + 1);
    if (!found && *name.text == '"' && smp_project_header(&j->project, own, in))
        found = header_in(in, (int)strlen(in), name);
    return found;
}

/* The number of a file that has been read; JOINED_FILES if it is new. */
static unsigned find_known(const joined *of, const char *path) {
    char *const *found = LIST_FIND(of->paths, of->count, path);
    return found ? (unsigned)(found - of->paths) : JOINED_FILES;
}

static bool join(joining *j, unsigned index, const char *text, unsigned around);

/* Writes the header for its #include line, or the line if it cannot be read or is too long. It
 * takes over `path`. */
static bool join_header(joining *j, char *path, const char *line, size_t length, bool is_perhaps) {
    joined *to = j->to;
    char *text = NULL;
    size_t size;
    unsigned around;
    smp_error ignored;
    const bool is_fine = to->count < JOINED_FILES &&
                         smp_text_read(path, &text, &size, &ignored) == SMP_OK &&
                         j->bytes + size < BYTES_MOST;
    bool is_joined = true;
    if (!is_fine)
        fprintf(j->out, "%.*s", (int)length, line);
    if (is_fine) {
        j->bytes += size;
        const unsigned index = to->count++;
        const bool is_ended = size == 0 || text[size - 1] == '\n';
        j->is_once[index] = is_read_once(text, &around);
        j->is_perhaps[index] = is_perhaps;
        to->paths[index] = path;
        path = NULL;
        j->has_needed |= !!strstr(text, j->needed);
        fprintf(j->out, "%s<%u %.*s", mark, index, (int)length, line);
        is_joined = join(j, index, text, around);
        fprintf(j->out, "%s%s>%s\n", is_ended ? "" : "\n", mark, is_ended ? "" : "!");
    }
    free(text);
    free(path);
    return is_joined;
}

static bool join_line(joining *j, unsigned index, const char *line, size_t length, bool is_alone) {
    host_span name;
    const bool is_whole = line[length - 1] == '\n'; /* its header could not begin on a new line */
    char *header =
        is_whole && host_included(line, &name) ? find_header(j, j->to->paths[index], name) : NULL;
    const unsigned known = header ? find_known(j->to, header) : 0;
    if (header && known == JOINED_FILES)
        return join_header(j, header, line, length, !is_alone || j->is_perhaps[index]);
    if (header && (!j->is_once[known] || j->is_perhaps[known])) {
        free(header);
        return false;
    }
    const bool is_hidden = header || (index > 0 && is_pragma_once(line));
    free(header);
    fprintf(j->out, "%s%.*s", is_hidden ? "#//smemprobe " : "", (int)length, line);
    return true;
}

/* `around`: conditions around all of the file's text. */
static bool join(joining *j, unsigned index, const char *text, unsigned around) {
    unsigned depth = 0;
    bool is_fine = true;
    for (const char *line = text; *line != '\0' && is_fine;) {
        const size_t length = strcspn(line, "\n") + !!strchr(line, '\n');
        depth += host_directive(line, "if") || host_directive(line, "ifdef") ||
                 host_directive(line, "ifndef");
        depth -= host_directive(line, "endif") && depth > 0;
        is_fine =
            strncmp(line, mark, MARK) != 0 && join_line(j, index, line, length, depth == around);
        line += length;
    }
    return is_fine;
}

bool joined_make(const char *path, const char *text, size_t length, const char *const *flags,
                 uint32_t flag_count, const char *needed, joined *out) {
    *out = (joined){.count = 0};
    joining j = {.to = out,
                 .out = open_memstream(&out->text, &out->length),
                 .bytes = length,
                 .flags = flags,
                 .flag_count = flag_count,
                 .needed = needed};
    char *real = j.out ? realpath(path, NULL) : NULL;
    bool is_fine = real && smp_project_of(path, &j.project), can_join = true;
    if (!is_fine) {
        free(real);
    } else {
        out->paths[out->count++] = real;
        can_join = join(&j, 0, text, 0);
        is_fine = can_join && j.has_needed;
    }
    if (j.out && fclose(j.out) != 0)
        is_fine = false;
    if (!is_fine)
        joined_clear(out);
    return can_join;
}

void joined_clear(joined *of) {
    free(of->text);
    while (of->count > 0)
        free(of->paths[--of->count]);
    *of = (joined){.count = 0};
}

/* ---- Reading it again ---- */

typedef struct walk {
    const char *at, *end;
    unsigned open[JOINED_FILES], depth; /* the file and those that include it */
    unsigned next;                      /* a header that begins with the next line, or 0 */
} walk;

typedef struct walk_line {
    unsigned file;
    const char *text;
    size_t length;
    bool is_last; /* no line: the file's last line has no end */
} walk_line;

static bool walk_next(walk *w, walk_line *out) {
    if (w->next > 0 && w->depth + 1 < JOINED_FILES)
        w->open[++w->depth] = w->next;
    w->next = 0;
    while (w->at < w->end) {
        const char *line = w->at, *end = memchr(line, '\n', (size_t)(w->end - line));
        w->at = end ? end + 1 : w->end;
        *out = (walk_line){w->open[w->depth], line, (size_t)(w->at - line), false};
        if (out->length <= MARK || strncmp(line, mark, MARK) != 0)
            return true;
        if (line[MARK] == '>') {
            out->is_last = line[MARK + 1] == '!';
            w->depth -= w->depth > 0;
            if (out->is_last)
                return true;
            continue;
        }
        if (line[MARK] == '<')
            w->next = (unsigned)strtoul(line + MARK + 1, NULL, 10);
        const size_t hidden = strcspn(line, " ") + 1;
        out->text += hidden;
        out->length -= hidden;
        return true;
    }
    return false;
}

char *joined_part(const char *text, size_t length, unsigned index, size_t *out_length) {
    walk w = {.at = text, .end = text + length};
    walk_line line;
    char *out = NULL;
    FILE *to = open_memstream(&out, out_length);
    bool is_last = false;
    while (to && walk_next(&w, &line))
        if (line.file == index && line.is_last)
            is_last = true;
        else if (line.file == index)
            fwrite(line.text, 1, line.length, to);
    if (!to || fclose(to) != 0) {
        free(out);
        return NULL;
    }
    *out_length -= is_last && *out_length > 0;
    return out;
}

unsigned joined_line(const joined *of, unsigned number, unsigned *index) {
    unsigned lines[JOINED_FILES] = {0}, at = 0;
    walk w = {.at = of->text, .end = of->text + of->length};
    walk_line line = {0};
    *index = 0;
    for (const char *from = w.at; at < number && walk_next(&w, &line);) {
        lines[line.file] += !line.is_last;
        *index = line.file;
        for (; from < w.at; from++) /* also the lines of marks */
            at += *from == '\n';
    }
    return number == 0 ? 0 : lines[*index];
}
