/* SPDX-License-Identifier: MIT */
/* Finds a build's compile_commands.json and the entry of a source in it. */
#include "compile_flags.h"

#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "project.h"
#include "text_buffer.h"
#include "text_file.h"
#include "visible_text.h"

enum {
    PATH_BYTES = 4096,
    DATABASE_BYTES_MAX = 256 << 20,
    OPTIONS_BYTES_MAX = 1 << 20, /* size of an options file */
    OPTIONS_FILES_MAX = 64       /* options files of one entry, including nested ones */
};

typedef struct search {
    smp_project project; /* of the source */
    const note_sink *notes;
    compile_flags *flags;
    bool is_found;          /* the entry was found, possibly without a flag for us */
    unsigned options_files; /* number of files read */
} search;

/* Reads the file if it may be trusted; else returns NULL with a note. */
static char *read_trusted(const search *in, const char *path, off_t most, size_t *length) {
    struct stat link, info;
    char *text = NULL;
    smp_error why = {.message = ""};
    if (lstat(path, &link) != 0 || stat(path, &info) != 0)
        note_add(in->notes, "%s: %s; no flags are taken from it", smp_path_from_here(path),
                 strerror(errno));
    else if (!smp_project_trusts(&in->project, &link) || !smp_project_trusts(&in->project, &info))
        note_add(in->notes, "%s: belongs to another user; no flags are taken from it",
                 smp_path_from_here(path));
    else if (!S_ISREG(info.st_mode) || info.st_size > most)
        note_add(in->notes, "%s: not a file of at most %d MiB; no flags are taken from it",
                 smp_path_from_here(path), (int)(most >> 20));
    else if (smp_text_read(path, &text, length, &why) != SMP_OK)
        note_add(in->notes, "%s; no flags are taken from it", why.message);
    return text;
}

/* ---- Files of options ---- */

/* Returns the names in "-optf A,B", "--options-file=A" or "@A"; *is_next tells that they are the
 * next word. NULL for any other word. */
static const char *option_files(const char *word, bool *is_next) {
    static const char *const names[] = {"-options-file", "-optf"};
    *is_next = false;
    if (word[0] == '@')
        return word + 1;
    word += word[0] == '-' && word[1] == '-';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(word, names[i], length) != 0)
            continue;
        *is_next = word[length] == '\0';
        if (*is_next || word[length] == '=')
            return word + length + !*is_next;
    }
    return NULL;
}

static void add_words(search *in, compile_flags *to, const compile_flags *words,
                      const char *folder);

static void split_text(compile_flags *to, const char *text, size_t length) {
    char *line = strndup(text, length); /* to terminate it with a NUL */
    if (line)
        compile_flags_split(to, line);
    to->has_failed |= !line;
    free(line);
}

/* Adds the words of each of these files, separated by commas. */
static void add_files(search *in, compile_flags *to, const char *names, const char *folder) {
    while (*names && in->options_files <= OPTIONS_FILES_MAX) {
        char path[2 * PATH_BYTES];
        const int length = (int)strcspn(names, ",");
        size_t size;
        compile_flags words = {0};
        (void)snprintf(path, sizeof path, "%s%s%.*s", names[0] == '/' ? "" : folder,
                       names[0] == '/' ? "" : "/", length, names);
        const bool is_last = in->options_files++ == OPTIONS_FILES_MAX;
        char *text = is_last ? NULL : read_trusted(in, path, OPTIONS_BYTES_MAX, &size);
        if (is_last)
            note_add(in->notes, "%s: more than %d response files; no flags are taken from it",
                     smp_path_from_here(path), OPTIONS_FILES_MAX);
        if (text && memchr(text, '\0', size))
            note_add(in->notes, "%s: not a text file; no flags are taken from it",
                     smp_path_from_here(path));
        else if (text)
            split_text(&words, text, size);
        add_words(in, to, &words, folder);
        compile_flags_clear(&words);
        free(text);
        names += length + (names[length] == ',');
    }
}

/* Adds all words, with options files replaced by their contents. */
static void add_words(search *in, compile_flags *to, const compile_flags *words,
                      const char *folder) {
    for (size_t i = 0; i < words->count; i++) {
        bool is_next;
        const char *names = option_files(words->list[i], &is_next);
        if (names && is_next)
            names = i + 1 < words->count ? words->list[++i] : "";
        if (names)
            add_files(in, to, names, folder);
        else
            compile_flags_push(to, words->list[i]);
    }
    to->has_failed |= words->has_failed;
}

/* ---- One file ---- */

static bool is_entry_of(const search *in, const json_t *entry, const char *folder) {
    char path[2 * PATH_BYTES];
    struct stat info;
    const char *file = json_string_value(json_object_get(entry, "file"));
    if (!file)
        return false;
    const int length = file[0] == '/' ? snprintf(path, sizeof path, "%s", file)
                                      : snprintf(path, sizeof path, "%s/%s", folder, file);
    return length > 0 && (size_t)length < sizeof path && stat(path, &info) == 0 &&
           info.st_dev == in->project.info.st_dev && info.st_ino == in->project.info.st_ino;
}

static void take_entry(search *in, const json_t *entry, const char *folder) {
    compile_flags words = {0}, all = {0};
    const json_t *arguments = json_object_get(entry, "arguments");
    const char *command = json_string_value(json_object_get(entry, "command"));
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const char *word = json_string_value(json_array_get(arguments, i));
        if (word)
            compile_flags_push(&words, word);
    }
    if (command && !json_is_array(arguments))
        compile_flags_split(&words, command);
    add_words(in, &all, &words, folder);
    compile_flags_take(in->flags, &all, folder);
    in->flags->has_failed |= all.has_failed;
    in->is_found = true;
    compile_flags_clear(&words);
    compile_flags_clear(&all);
}

static void note_flags(const search *in, const char *path) {
    char text[4096];
    char visible[400];
    text_buffer out = TEXT_BUFFER(text);
    for (size_t i = 0; i < in->flags->count; i++)
        text_join(&out, " ", "%s", in->flags->list[i]);
    note_add(in->notes, "flags of %s: %s", smp_path_from_here(path),
             in->flags->count > 0 ? text : "none that affects the kernels");
    if (in->flags->left_out > 0)
        note_add(in->notes,
                 "%s: %zu flag%s skipped, because a shell might change it or nvcc does not know "
                 "it; results may differ from the build's; give flags after --: %s",
                 smp_path_from_here(path), in->flags->left_out,
                 in->flags->left_out == 1 ? " is" : "s are",
                 smp_visible_copy(visible, sizeof visible, in->flags->first_left_out));
}

static void look_in(search *in, const char *path, const json_t *root, const char *default_folder) {
    const json_t *entry;
    size_t i;
    if (!json_is_array(root)) {
        note_add(in->notes, "%s: not a list of compiler calls; no flags are taken from it",
                 smp_path_from_here(path));
        return;
    }
    json_array_foreach(root, i, entry) {
        char folder[PATH_BYTES * 2];
        const char *given = json_string_value(json_object_get(entry, "directory"));
        (void)snprintf(folder, sizeof folder, "%s%s%.4000s",
                       given && given[0] == '/' ? "" : default_folder,
                       given && given[0] != '/' ? "/" : "", given ? given : "");
        if (!is_entry_of(in, entry, folder))
            continue;
        take_entry(in, entry, folder);
        note_flags(in, path);
        return;
    }
}

static void parse(search *in, const char *path, const char *text, size_t length) {
    json_error_t why;
    char folder[PATH_BYTES];
    json_t *root = json_loadb(text, length, 0, &why);
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (root)
        look_in(in, path, root, folder);
    else
        note_add(in->notes, "%s: line %d: %s; no flags are taken from it", smp_path_from_here(path),
                 why.line, why.text);
    json_decref(root);
}

/* Reads a database. A missing one is no error. */
static void read_database(search *in, const char *path) {
    struct stat info;
    size_t length;
    if (in->is_found || lstat(path, &info) != 0 || stat(path, &info) != 0)
        return;
    char *text = read_trusted(in, path, DATABASE_BYTES_MAX, &length);
    if (text)
        parse(in, path, text, length);
    free(text);
}

/* ---- Where it may lie ---- */

/* FOLDER/compile_commands.json, then FOLDER/build* by name. */
static void look_at_folder(search *in, const char *folder) {
    char path[2 * PATH_BYTES + 64];
    size_t used = 0;
    glob_t found = {0};
    (void)snprintf(path, sizeof path, "%s/compile_commands.json", folder);
    read_database(in, path);
    for (; *folder && used < 2 * (size_t)PATH_BYTES; folder++) {
        if (strchr("*?[]\\", *folder))
            path[used++] = '\\';
        path[used++] = *folder;
    }
    (void)snprintf(path + used, sizeof path - used, "/build*/compile_commands.json");
    if (!in->is_found && glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            read_database(in, found.gl_pathv[i]);
    globfree(&found);
}

static void search_folders(search *in) {
    char folder[PATH_BYTES];
    (void)strcpy(folder, in->project.folder);
    while (!in->is_found && strlen(folder) >= in->project.root && folder[0]) {
        look_at_folder(in, folder);
        *strrchr(folder, '/') = '\0';
    }
}

smp_status compile_database_use(smp_program_file *file, compile_flags *room, smp_error *error) {
    search in = {.notes = file->notes, .flags = room};
    *room = (compile_flags){0};
    if (!smp_name_ends(file->path, ".cu") || !smp_project_of(file->path, &in.project))
        return SMP_OK; /* the caller of the compiler reports the error */
    search_folders(&in);
    for (size_t i = 0; i < file->flag_count; i++)
        compile_flags_push(room, file->flags[i]);
    if (room->has_failed)
        return smp_error_memory(error);
    file->flags = (const char *const *)room->list;
    file->flag_count = (uint32_t)room->count;
    return SMP_OK;
}
