/* SPDX-License-Identifier: MIT */
/* Tables of facts as text, JSON and CSV. */
#include "write_format.h"

#include <string.h>

#include "put.h"
#include "style.h"
#include "text_buffer.h"

enum { NOTES_MAX = 64, LINE_SIZE = 1024, TABLE_SCHEMA_VERSION = 2 };

static bool is_cell(char show) {
    return show == 'c' || show == '#';
}

/* Texts that many rows share, each printed once below the table. */
typedef struct notes {
    size_t count;
    char text[NOTES_MAX][SMP_CELL_SIZE];
} notes;

/* Returns the number of a note, from 1, adding it if it is new. */
static unsigned note_number(notes *all, const char *text) {
    size_t i = 0;
    while (i < all->count && strcmp(all->text[i], text) != 0)
        i++;
    if (i == all->count && all->count < NOTES_MAX)
        (void)snprintf(all->text[all->count++], SMP_CELL_SIZE, "%s", text);
    return (unsigned)i + 1;
}

static void find_widths(const smp_table *table, int widths[SMP_CELLS_MAX]) {
    smp_cells row;
    for (unsigned c = 0; c < table->column_count; c++)
        widths[c] = (int)strlen(table->columns[c]);
    for (size_t i = 0; i < table->count(); i++) {
        table->fill(i, &row);
        for (unsigned c = 0; c < table->column_count; c++)
            if (is_cell(table->shows[c]) && (int)strlen(row.text[c]) > widths[c])
                widths[c] = (int)strlen(row.text[c]);
    }
}

/* Writes one line; `numbers` is NULL for the column names. A single notes column needs no name. */
static void put_line(FILE *out, const smp_table *table, const int widths[SMP_CELLS_MAX],
                     const smp_cells *row, notes *numbers) {
    char line[LINE_SIZE] = "";
    text_buffer cells = TEXT_BUFFER(line);
    const char *last = NULL;
    const bool is_alone = strchr(table->shows, 'n') == strrchr(table->shows, 'n');
    for (unsigned c = 0; c < table->column_count; c++) {
        const char *text = row->text[c];
        char note[16];
        (void)snprintf(note, sizeof note, "[%u]",
                       table->shows[c] == 'n' && numbers ? note_number(numbers, text) : 0);
        if (table->shows[c] == 'n')
            text = numbers ? note : is_alone ? "note" : text;
        if (table->shows[c] == 'w')
            last = text;
        if (is_cell(table->shows[c]) || table->shows[c] == 'n')
            text_add(&cells, "%-*s  ", widths[c], text);
    }
    while (!last && cells.length > 0 && line[cells.length - 1] == ' ')
        line[--cells.length] = '\0';
    smp_wrapped_print(out, line, last ? last : "");
}

/* Writes the lines below a row: "carve-outs: 0 8 16; chips: GH100". A single text needs no name. */
static void put_below(FILE *out, const smp_table *table, const smp_cells *row) {
    char text[LINE_SIZE];
    text_buffer list = TEXT_BUFFER(text);
    bool is_alone = strchr(table->shows, 'b') == strrchr(table->shows, 'b');
    for (unsigned c = 0; c < table->column_count; c++) {
        if (table->shows[c] == 'b' && row->text[c][0] != '\0')
            text_join(&list, "; ", "%s%s%s", is_alone ? "" : table->columns[c],
                      is_alone ? "" : ": ", row->text[c]);
    }
    if (list.length > 0)
        smp_wrapped_print(out, "    ", text);
}

void smp_table_text(FILE *out, const smp_table *table) {
    int widths[SMP_CELLS_MAX];
    smp_cells row;
    notes numbers = {0};
    find_widths(table, widths);
    fprintf(out, "%s\n\n", table->title ? table->title : table->about);
    for (unsigned c = 0; c < table->column_count; c++)
        SMP_CELL_PUT(&row, c, "%s", table->columns[c]);
    put_line(out, table, widths, &row, NULL);
    for (size_t i = 0; i < table->count(); i++) {
        table->fill(i, &row);
        put_line(out, table, widths, &row, &numbers);
        put_below(out, table, &row);
    }
    if (numbers.count > 0)
        fputc('\n', out);
    for (size_t i = 0; i < numbers.count; i++) {
        char label[32];
        (void)snprintf(label, sizeof label, "[%zu] ", i + 1);
        smp_wrapped_print(out, label, numbers.text[i]);
    }
}

/* "1024 B" is a number with a unit; "host" is not a number. */
static void put_number(FILE *out, const char *text, size_t length) {
    const size_t digits = strspn(text, "0123456789");
    fprintf(out, "%.*s", digits > 0 ? (int)(digits < length ? digits : length) : 4,
            digits > 0 ? text : "null");
}

static void put_json_text(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    for (; length > 0; text++, length--) {
        if (*text == '"')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* The word for a letter of evidence, or NULL. */
static const char *evidence_word(char letter) {
    static const char *const words[] = {"measured", "documented", "published",
                                        "assumed",  "open",       "absent"};
    static const char letters[] = "MDPA?-";
    const char *known = letter != '\0' ? strchr(letters, letter) : NULL;
    return known ? words[known - letters] : NULL;
}

static void put_evidence(FILE *out, const char *letter, size_t length) {
    const char *word = evidence_word(*letter);
    put_json_text(out, word ? word : letter, word ? strlen(word) : length);
}

/* Writes the items between `ends`, without leading blanks, at most `step` characters each. */
static void put_list(FILE *out, const char *text, const char *ends, size_t step,
                     void (*put)(FILE *out, const char *text, size_t length)) {
    const char *before = "";
    fputc('[', out);
    for (size_t length; *text != '\0'; text += length) {
        length = strcspn(text, ends) < step ? strcspn(text, ends) : step;
        if (length > 0) {
            fputs(before, out);
            put(out, text, length);
            before = ", ";
        }
        text += length;
        length = strspn(text, ends);
        length += strspn(text + length, " ");
    }
    fputc(']', out);
}

static void put_value(FILE *out, char kind, const char *text) {
    switch (kind) {
    case '#':
        put_number(out, text, strlen(text));
        break;
    case 'N':
        put_list(out, text, " ,|", SMP_CELL_SIZE, put_number);
        break;
    case 'W':
        put_list(out, text, " ", SMP_CELL_SIZE, put_json_text);
        break;
    case 'L':
        put_list(out, text, ",", SMP_CELL_SIZE, put_json_text);
        break;
    case 'E':
        put_list(out, text, "", 1, put_evidence);
        break;
    default:
        put_json_text(out, text, strlen(text));
    }
}

static void put_csv_heads(FILE *out, const smp_table *table) {
    for (unsigned c = 0; c < table->column_count; c++) {
        const bool is_one = table->values[c] != 'E';
        fputs(c ? "," : "", out);
        if (is_one)
            fputs(table->columns[c], out);
        for (unsigned part = 0; !is_one && table->parts[part]; part++)
            fprintf(out, "%s%s %s", part ? "," : "", table->columns[c], table->parts[part]);
    }
    fputc('\n', out);
}

/* Writes the words of a cell with a common separator: "16 48" for "16,48". */
static void put_csv_words(FILE *out, const char *text, const char *separators,
                          const char *between) {
    char words[SMP_CELL_SIZE];
    size_t length = 0;
    while (*(text += strspn(text, separators)) != '\0' && length + 1 < sizeof words) {
        const size_t found = strcspn(text, separators);
        length += (size_t)snprintf(words + length, sizeof words - length, "%s%.*s",
                                   length > 0 ? between : "", (int)found, text);
        text += found;
        text += *text != '\0' ? strspn(text + 1, " ") : 0;
    }
    put_csv_text(out, words, length < sizeof words ? length : sizeof words - 1);
}

static void put_csv_value(FILE *out, const smp_table *table, char kind, const char *text) {
    switch (kind) {
    case '#':
        fprintf(out, "%.*s", (int)strspn(text, "0123456789"), text);
        break;
    case 'N':
        put_csv_words(out, text, " ,|", " ");
        break;
    case 'L': /* items of several words */
        put_csv_words(out, text, ",", ";");
        break;
    case 'E':
        for (unsigned part = 0; table->parts[part]; part++) {
            const char *word = evidence_word(text[part]);
            fprintf(out, "%s%s", part ? "," : "", word ? word : "");
        }
        break;
    default:
        put_csv_text(out, text, strlen(text));
    }
}

void smp_table_csv(FILE *out, const smp_table *table) {
    smp_cells row;
    put_csv_heads(out, table);
    for (size_t i = 0; i < table->count(); i++) {
        table->fill(i, &row);
        for (unsigned c = 0; c < table->column_count; c++) {
            fputs(c ? "," : "", out);
            put_csv_value(out, table, table->values[c], row.text[c]);
        }
        fputc('\n', out);
    }
}

void smp_table_json(FILE *out, const smp_table *table) {
    smp_cells row;
    fprintf(out, "{\"schema_version\": %d, \"table\": \"%s\", \"rows\": [", TABLE_SCHEMA_VERSION,
            table->name);
    for (size_t i = 0; i < table->count(); i++) {
        table->fill(i, &row);
        fputs(i ? ",\n {" : "\n {", out);
        for (unsigned c = 0; c < table->column_count; c++) {
            fputs(c ? ", " : "", out);
            put_json_text(out, table->columns[c], strlen(table->columns[c]));
            fputs(": ", out);
            put_value(out, table->values[c], row.text[c]);
        }
        fputs("}", out);
    }
    fputs("\n]}\n", out);
}
