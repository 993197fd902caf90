/* SPDX-License-Identifier: MIT */
/*
 * Reads the recorded measurements built into the library, and writes new ones (format:
 * recorded/README.md). All files are parsed once, on first use, into one table sorted by key and
 * field, which lives as long as the process. Malformed lines are ignored.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "embedded.h"
#include "smp_probes.h"

struct entry {
    smp_record record;
    const char *field;
    size_t order; /* of rows with one key, the lowest wins */
};

/* Added rows take precedence over built-in ones. */
#define BUILT_IN ((size_t)1 << 30)

static struct {
    once_flag once;
    bool is_complete; /* everything built in was read */
    bool is_short;    /* some of it was lost for lack of memory */
    struct entry *entries;
    size_t count, room;
} table = {.once = ONCE_FLAG_INIT};

/* `origin` holds the header lines so far; each row is a copy of it with a key and a value. */
static void set_header(smp_record *origin, const char *name, const char *value) {
    const struct {
        const char *name;
        const char **field;
    } rows[] = {
        {"gpu", &origin->gpu},   {"cc", &origin->cc},           {"driver", &origin->driver},
        {"cuda", &origin->cuda}, {"counter", &origin->counter}, {"date", &origin->date},
        {"tool", &origin->tool}, {"command", &origin->command},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *rows[i].field = value;
            return;
        }
}

/* "# name: value"; other comments are ignored. Earlier rows keep their own origin. */
static void read_header(char *line, smp_record *origin) {
    char *colon = strstr(line, ": ");
    if (strncmp(line, "# ", 2) != 0 || !colon)
        return;
    *colon = '\0';
    set_header(origin, line + 2, colon + 2);
}

/* No recorded number is negative or larger; counts must fit 64 bits. */
#define VALUE_MAX 1e19

/* Returns false if the text is not "field=number". */
static bool add_entry(const char *key, char *text, const smp_record *origin) {
    char *equals = strchr(text, '='), *end = NULL;
    if (!equals || equals == text)
        return false;
    double value = strtod(equals + 1, &end);
    if (end == equals + 1 || *end != '\0' || !(value >= 0 && value <= VALUE_MAX))
        return false;
    if (table.count == table.room) {
        size_t room = table.room ? 2 * table.room : 1024;
        struct entry *grown = realloc(table.entries, room * sizeof *grown);
        table.is_short |= !grown;
        if (!grown)
            return true;
        table.entries = grown;
        table.room = room;
    }
    *equals = '\0';
    size_t order = table.count + (table.is_complete ? 0 : BUILT_IN);
    struct entry *made = &table.entries[table.count++];
    *made = (struct entry){*origin, text, order};
    made->record.key = key;
    made->record.value = value;
    return true;
}

/* False if the line is neither a row nor blank. */
static bool read_row(char *line, const smp_record *origin) {
    char *tab = strchr(line, '\t');
    bool is_sound = tab ? tab > line : strspn(line, " ") == strlen(line);
    while (tab) {
        char *text = tab + 1;
        *tab = '\0';
        tab = strchr(text, '\t');
        if (tab)
            *tab = '\0';
        is_sound &= add_entry(line, text, origin);
    }
    return is_sound;
}

/* Terminates the line at `line`, also before a carriage return; returns the next line, or NULL. */
static char *split_line(char *line) {
    char *newline = strchr(line, '\n');
    if (!newline)
        return NULL;
    if (newline > line && newline[-1] == '\r')
        newline[-1] = '\0';
    *newline = '\0';
    return newline + 1;
}

/* Returns the first line that does not fit the format, counted from 1; 0 if all do. */
static unsigned read_file(const struct smp_embedded *file) {
    smp_record origin = {"", 0, "", "", "", "", "", "", "", ""};
    const size_t before = table.count;
    char *text = malloc(file->length + 1);
    unsigned number = 0, bad = 0;
    table.is_short |= !text;
    if (!text)
        return 0;
    memcpy(text, file->text, file->length);
    text[file->length] = '\0';
    for (char *line = text, *next; line; line = next) {
        next = split_line(line);
        number++;
        if (*line == '#')
            read_header(line, &origin);
        else if (!read_row(line, &origin) && bad == 0)
            bad = number;
    }
    if (table.count == before) /* otherwise the rows point into it */
        free(text);
    return bad;
}

static int by_key(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    int order = strcmp(x->record.key, y->record.key);
    return order ? order : strcmp(x->field, y->field);
}

static int by_key_and_order(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    int order = by_key(a, b);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static void sort_table(void) {
    if (table.count > 0)
        qsort(table.entries, table.count, sizeof *table.entries, by_key_and_order);
}

static void read_all(void) {
    for (size_t i = 0; i < smp_recorded_file_count; i++)
        (void)read_file(&smp_recorded_files[i]);
    table.is_complete = true;
    sort_table();
}

size_t smp_recorded_add(const char *text, size_t length, unsigned *bad_line) {
    call_once(&table.once, read_all);
    size_t before = table.count;
    *bad_line = read_file(&(struct smp_embedded){"", text, length});
    sort_table();
    return table.count - before;
}

smp_status smp_recorded_ready(smp_error *error) {
    call_once(&table.once, read_all);
    return table.is_short ? smp_error_memory(error) : SMP_OK;
}

/* Returns the first entry not before (key, field). */
static size_t lower_bound(const struct entry *wanted) {
    size_t low = 0, high = table.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_key(&table.entries[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool smp_recorded_find(const char *key, const char *field, const char *cc, smp_record *out) {
    const struct entry wanted = {.record = {.key = key}, .field = field};
    call_once(&table.once, read_all);
    for (size_t i = lower_bound(&wanted); i < table.count; i++) {
        const struct entry *entry = &table.entries[i];
        if (by_key(entry, &wanted) != 0)
            return false;
        if (cc && strcmp(cc, entry->record.cc) != 0)
            continue;
        *out = entry->record;
        return true;
    }
    return false;
}

void smp_recorded_each(bool (*visit)(void *user, const smp_record *record, const char *field),
                       void *user) {
    call_once(&table.once, read_all);
    for (size_t i = 0; i < table.count; i++)
        if (!visit(user, &table.entries[i].record, table.entries[i].field))
            return;
}

/* ---- Writing ---- */

static smp_status check(FILE *out) {
    return ferror(out) ? SMP_E_WRITE : SMP_OK;
}

smp_status smp_record_write_header(FILE *out, const smp_device *device, const char *command) {
    char date[16] = "unknown";
    time_t now = time(NULL);
    const struct tm *utc = gmtime(&now);
    if (utc)
        strftime(date, sizeof date, "%Y-%m-%d", utc);
    fprintf(out, "# gpu: %s\n# cc: %d.%d\n# driver: %s\n# cuda: %s\n", device->name,
            device->cc_major, device->cc_minor, device->driver, device->cuda);
    fprintf(out, "# date: %s\n# tool: smemprobe %s\n# command: %s\n", date, SMP_VERSION, command);
    return check(out);
}

smp_status smp_record_write_counter(FILE *out, const char *counter) {
    fprintf(out, "# counter: %s\n", counter);
    return check(out);
}

smp_status smp_record_write_row(FILE *out, const char *key, const smp_record_field *fields,
                                size_t count) {
    fputs(key, out);
    for (size_t i = 0; i < count; i++) {
        double value = fields[i].value;
        bool is_whole = value == floor(value) && fabs(value) < 1e15;
        fprintf(out, is_whole ? "\t%s=%.0f" : "\t%s=%.3f", fields[i].name, value);
    }
    fputc('\n', out);
    return check(out);
}
