/* SPDX-License-Identifier: MIT */
/* plot all: draws every kind into one folder, one file each, with an index. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "ask_chart.h"
#include "output.h"
#include "progress.h"
#include "say.h"

enum { CHARTS_MAX = 64, PATH_SIZE = 4096, NAME_SIZE = 80 };

/* One chart of the gallery. */
typedef struct item {
    const plot_kind *kind;
    const char *operand; /* NULL if it has none */
    char file[NAME_SIZE];
    char title[200], provenance[320];
} item;

typedef struct gallery {
    const arguments *args;
    const char *files[POSITIONALS_MAX]; /* recorded measurements */
    unsigned file_count;
    uint32_t named; /* bit i if kind i was named; 0 for all */
    const char *folder;
    plot_target target;
    size_t count;
    item items[CHARTS_MAX];
} gallery;

static void add_item(gallery *all, const plot_kind *kind, const char *operand) {
    if (all->count == CHARTS_MAX)
        return;
    item *next = &all->items[all->count++];
    next->kind = kind;
    next->operand = operand;
    (void)snprintf(next->file, sizeof next->file, "%.30s%s%.30s.%s", kind->name, operand ? "-" : "",
                   operand ? operand : "", all->target.ending);
}

/* Arguments are kinds or files. */
static void take_words(gallery *all, const plot_operands *operands) {
    size_t count;
    const plot_kind *const *kinds = plot_kinds(&count);
    for (unsigned i = 0; i < operands->count; i++) {
        size_t kind = 0;
        while (kind < count && strcmp(operands->words[i], kinds[kind]->name) != 0)
            kind++;
        if (kind < count)
            all->named |= 1u << kind;
        else
            all->files[all->file_count++] = operands->words[i];
    }
}

static void list_items(gallery *all) {
    size_t count;
    const plot_kind *const *kinds = plot_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        if (all->named != 0 && !(all->named >> i & 1))
            continue;
        if (!kinds[i]->operand)
            add_item(all, kinds[i], NULL);
        for (size_t k = 0; kinds[i]->operand && kinds[i]->operand(k); k++)
            add_item(all, kinds[i], kinds[i]->operand(k));
    }
}

static smp_status path_of(const gallery *all, const char *file, char path[PATH_SIZE],
                          smp_error *error) {
    if ((size_t)snprintf(path, PATH_SIZE, "%s/%s", all->folder, file) < PATH_SIZE)
        return SMP_OK;
    return usage_error(error, "-o %.80s...: the name is too long", all->folder);
}

/* Checks before drawing that the folder exists and no file would be overwritten. */
static smp_status check_folder(const gallery *all, smp_error *error) {
    char path[PATH_SIZE];
    struct stat found;
    if (mkdir(all->folder, 0777) != 0 && errno != EEXIST)
        return smp_error_set(error, SMP_E_WRITE, -1, "%.200s: %s", all->folder, strerror(errno));
    if (stat(all->folder, &found) != 0 || !S_ISDIR(found.st_mode))
        return usage_error(error, "%.200s: is not a folder", all->folder);
    for (size_t i = 0; i <= all->count; i++) {
        if (path_of(all, i < all->count ? all->items[i].file : "README.md", path, error) ||
            output_check(all->args, path, error))
            return error->status;
    }
    return SMP_OK;
}

/* Assigns each file to the kind that reads it. */
static plot_operands operands_of(const gallery *all, const item *one) {
    if (one->operand)
        return (plot_operands){&one->operand, 1};
    return (plot_operands){all->files, one->kind->operands_max == PLOT_FILES ? all->file_count : 0};
}

static int draw_item(gallery *all, size_t index) {
    static plot what;
    smp_error error;
    char path[PATH_SIZE];
    item *one = &all->items[index];
    if (path_of(all, one->file, path, &error) != SMP_OK)
        return complain(&error);
    const plot_operands operands = operands_of(all, one);
    int exit_status = plot_one(one->kind, all->args, &operands, &all->target, path, &what);
    (void)snprintf(one->title, sizeof one->title, "%s", what.title);
    (void)snprintf(one->provenance, sizeof one->provenance, "%s", what.provenance);
    return exit_status;
}

/* "`smemprobe plot agreement mine.txt`" */
static void put_command(FILE *out, const gallery *all, const item *one) {
    const plot_operands operands = operands_of(all, one);
    fprintf(out, "`smemprobe plot %s", one->kind->name);
    for (unsigned i = 0; i < operands.count; i++)
        fprintf(out, " %s", operands.words[i]);
    fputs("`\n", out);
}

static bool write_index(FILE *out, const void *user) {
    const gallery *all = user;
    fputs("# Charts\n\nDrawn by `smemprobe plot all`. The numbers behind a chart: its command with "
          "`--format csv`.\n",
          out);
    EACH(const item, one, all->items, all->count) {
        fprintf(out, "\n## %s\n\n![%s](%s)\n\n%s.\n", one->title, one->kind->name, one->file,
                one->provenance);
        put_command(out, all, one);
    }
    return !ferror(out);
}

static smp_status choose(const arguments *args, const plot_operands *operands, gallery *all,
                         smp_error *error) {
    all->args = args;
    take_words(all, operands);
    all->folder = last_value(args, OPTION_OUTPUT);
    if (!all->folder)
        return usage_error(error, "plot all needs a folder: -o DIR");
    smp_format format = SMP_FORMAT_PNG;
    if ((has(args, OPTION_FORMAT) &&
         output_choose_format_of(args, SMP_PICTURE_FORMATS, &format, error)) ||
        plot_choose_target(args, format, &all->target, error))
        return error->status;
    list_items(all);
    return SMP_OK;
}

/* Draws chart by chart; stops at the first failure and at Ctrl-C. */
static int draw_items(gallery *all) {
    progress_line line;
    int exit_status = 0;
    bool goes_on = true;
    progress_begin(&line, "drawn", all->count);
    for (size_t i = 0; exit_status == 0 && goes_on && i < all->count; i++) {
        goes_on = progress_step(&line, i);
        if (goes_on)
            exit_status = draw_item(all, i);
    }
    progress_end(&line);
    if (goes_on)
        return exit_status;
    return complain_of(SMP_E_INTERRUPTED, "interrupted; finished charts are kept");
}

int plot_gallery(const arguments *args, const plot_operands *operands) {
    static gallery all;
    smp_error error;
    char path[PATH_SIZE];
    const int exit_status = choose(args, operands, &all, &error) || check_folder(&all, &error)
                                ? complain(&error)
                                : draw_items(&all);
    return exit_status == 0 &&
                   (path_of(&all, "README.md", path, &error) ||
                    new_file_write(path, has(args, OPTION_FORCE), write_index, &all, &error))
               ? complain(&error)
               : exit_status;
}
