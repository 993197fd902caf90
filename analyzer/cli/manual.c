/* SPDX-License-Identifier: MIT */
/*
 * Writes man pages from the same rows as the parser and --help, and the pages of topics from
 * their Markdown: headings, paragraphs, terms with their meanings, `code`, and the text of links.
 */
#include "help.h"

#include <string.h>

#include "embedded.h"
#include "style.h"
#include "text_buffer.h"

/* ---- Markdown ---- */

typedef enum manual_kind { MANUAL_HEADING, MANUAL_PARAGRAPH, MANUAL_TERM } manual_kind;

enum { MANUAL_TEXT_MAX = 4096 };

typedef struct manual_block {
    manual_kind kind;
    char term[MANUAL_TEXT_MAX]; /* of MANUAL_TERM */
    char text[MANUAL_TEXT_MAX];
} manual_block;

/* Adds one line, without the targets of links. */
static void put_line(text_buffer *to, const char *from, const char *end) {
    bool is_code = false;
    for (; from < end; from++) {
        const char *middle = *from == '[' && !is_code ? strstr(from, "](") : NULL;
        const char *close = middle && middle < end ? strchr(middle, ')') : NULL;
        is_code ^= *from == '`';
        if (close && close < end) {
            put_line(to, from + 1, middle);
            from = close;
        } else {
            text_add(to, "%c", *from);
        }
    }
}

static const char *line_end(const char *at) {
    return at + strcspn(at, "\n");
}

/* Joins the lines up to an empty one. */
static const char *put_paragraph(text_buffer *to, const char *at) {
    const char *end = line_end(at);
    put_line(to, at, end);
    while (*end == '\n' && end[1] != '\0' && !strchr("\n#", end[1])) {
        at = end + 1;
        end = line_end(at);
        text_add(to, " ");
        put_line(to, at, end);
    }
    return end;
}

/* Reads the next block of *at, or returns false. A heading of the third level is a term, the
 * paragraph after it its meaning. Texts keep their `code` marks. */
static bool manual_block_next(const char **at, manual_block *out) {
    text_buffer term = TEXT_BUFFER(out->term), text = TEXT_BUFFER(out->text);
    *at += strspn(*at, "\n");
    if (**at == '\0')
        return false;
    const size_t level = strspn(*at, "#");
    const char *end = line_end(*at);
    if (level == 0) {
        out->kind = MANUAL_PARAGRAPH;
        end = put_paragraph(&text, *at);
    } else if (level < 3) {
        out->kind = MANUAL_HEADING;
        put_line(&text, *at + level + 1, end);
    } else {
        out->kind = MANUAL_TERM;
        put_line(&term, *at + level + 1, end);
        end = put_paragraph(&text, end + strspn(end, "\n"));
    }
    *at = end;
    return true;
}

/* ---- man(7) ---- */

/* Writes text with requests and escapes quoted; `code` is bold. */
static void put_text(FILE *out, const char *text) {
    bool is_code = false, is_start = true;
    for (; *text != '\0'; text++) {
        if (is_start && strchr(".'", *text))
            fputs("\\&", out);
        is_start = *text == '\n';
        if (*text == '`')
            fputs((is_code = !is_code) ? "\\fB" : "\\fR", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (strncmp(text, "\xe2\x80\xa6", 3) == 0)
            fputs("...", out), text += 2;
        else
            fputc(*text, out);
    }
}

static void put_head(FILE *out, const char *name, const char *section, const char *summary) {
    fprintf(out, ".TH \"%s\" \"%s\" \"\" \"smemprobe " SMP_VERSION "\"\n.nh\n.ad l\n.SH NAME\n",
            name, section);
    put_text(out, name);
    fputs(" \\- ", out);
    put_text(out, summary);
    fputc('\n', out);
}

static void put_section(FILE *out, const char *name) {
    fprintf(out, ".SH %s\n", name);
}

/* Writes a term and its meaning. */
static void put_term(FILE *out, const char *term, const char *meaning) {
    fputs(".TP\n", out);
    put_text(out, term);
    fputc('\n', out);
    put_text(out, meaning);
    fputc('\n', out);
}

/* Writes lines without filling them. */
static void put_lines(FILE *out, const char *text) {
    fputs(".nf\n", out);
    put_text(out, text);
    fputs(".fi\n", out);
}

static void put_statuses(FILE *out) {
    put_section(out, "EXIT STATUS");
#define EXIT_ROW(status, meaning) put_term(out, "`" #status "`", meaning);
    CLI_EXIT_LIST(EXIT_ROW)
#undef EXIT_ROW
}

/* ---- The pages ---- */

static void put_option(FILE *out, const command_row *command, smp_option option) {
    char term[128], help[OPTION_HELP_MAX];
    const option_row *row = &option_rows[option];
    const char *letter = option == OPTION_OUTPUT ? "`-o`, " : option == OPTION_HELP ? "`-h`, " : "";
    (void)snprintf(term, sizeof term, "%s`--%s`%s%s", letter, row->name, row->argument ? " " : "",
                   row->argument ? row->argument : "");
    put_term(out, term, option_help(command, option, help));
}

void manual_put_command(FILE *out, const command_row *command) {
    char name[64], line[256], description[2000];
    const char *summary = "", *word;
    (void)snprintf(name, sizeof name, "smemprobe-%s", command->name);
    put_head(out, name, "1", command->summary);
    put_section(out, "SYNOPSIS");
    (void)snprintf(line, sizeof line, "`smemprobe %s` %s\n", command->name, command->usage);
    put_text(out, line);
    put_section(out, "DESCRIPTION");
    help_description(command, description, sizeof description);
    put_text(out, description);
    fputc('\n', out);
    if (command->word)
        put_section(out, "WORDS");
    for (size_t i = 0; command->word && (word = command->word(i, &summary)); i++) {
        (void)snprintf(line, sizeof line, "`%s`", word);
        put_term(out, line, summary);
    }
    put_section(out, "OPTIONS");
    for (unsigned i = 0; i < command->option_count; i++)
        put_option(out, command, command->options[i]);
    put_section(out, "EXAMPLES");
    put_lines(out, help_examples(command));
    put_statuses(out);
    put_section(out, "SEE ALSO");
    put_text(out, "`smemprobe`(1), `smemprobe-language`(7), `smemprobe-launch`(7)\n");
}

static void put_environment(FILE *out) {
    static const char *const rows[][2] = {
        {"`NO_COLOR`", "no colours"},
        {"`CLICOLOR_FORCE`", "colours even if the output is not a terminal"},
        {"`COLUMNS`", "the width of lines"},
        {"`PAGER`", "the pager of annotate"},
        {"`SMP_CUPTI_PATH`", "libcupti, as a file or its folder"},
        {"`CUDA_HOME`, `CUDA_PATH`, `VIRTUAL_ENV`", "more folders to search for it"},
        {"`CUDA_VISIBLE_DEVICES`", "the GPUs to use"},
        {"`SMEMPROBE_CACHE`", "the cache of disassembly, or off (default "
                              "XDG_CACHE_HOME/smemprobe or ~/.cache/smemprobe)"},
        {"`SMEMPROBE_CACHE_MIB`", "its size limit (256)"},
    };
    put_section(out, "ENVIRONMENT");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        put_term(out, rows[i][0], rows[i][1]);
}

void manual_put_program(FILE *out, const command_row *const *commands, size_t count) {
    char name[64];
    put_head(out, "smemprobe", "1", "find, explain and repair bank conflicts in CUDA kernels");
    put_section(out, "SYNOPSIS");
    put_text(out, "`smemprobe` TARGET [OPTIONS]\n");
    fputs(".br\n", out);
    put_text(out, "`smemprobe` COMMAND [OPTIONS]\n");
    put_section(out, "DESCRIPTION");
    put_text(out,
             "Tells you what the memory accesses of a CUDA kernel cost, why, and how to repair "
             "them. It works without a GPU; with one it also measures. Without a COMMAND, the kind "
             "of TARGET decides what happens. Each command has its own man page.\n");
    put_section(out, "TARGETS");
#define TARGET_ROW(target, meaning) put_term(out, "`" target "`", meaning);
    CLI_TARGET_LIST(TARGET_ROW)
#undef TARGET_ROW
    put_section(out, "COMMANDS");
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "`smemprobe-%s`(1)", commands[i]->name);
        put_term(out, name, commands[i]->summary);
    }
    put_section(out, "EXAMPLES");
    put_lines(out, CLI_EXAMPLES);
    put_statuses(out);
    put_environment(out);
    put_section(out, "SEE ALSO");
    put_text(out,
             "`smemprobe-language`(7): accesses and layout files; `smemprobe-launch`(7): launches; "
             "`gnuplot`(1)\n");
}

/* ---- Topics ---- */

struct manual_topic {
    const char *name, *summary, *examples, *related;
};

static const manual_topic topics[] = {
    {"language", "the language of accesses and layout files",
     "smemprobe 'ld tile[threadIdx.x][0]' --shared 'float tile[32][33]'\n"
     "smemprobe predict kernel.cu --kernel sgemm --block 256 --define n=4096\n"
     "smemprobe check examples/transpose-32x32.smp\n",
     "`smemprobe`(1), `smemprobe-check`(1), `smemprobe-fix`(1)\n"},
    {"launch", "launches of kernels, as --launch takes them",
     "smemprobe emulate transpose.cu --launch \\\n"
     "    'transpose<<<dim3(4,4), dim3(32,8)>>>(float[16384], float[16384] = iota, 128, 128)'\n",
     "`smemprobe`(1), `smemprobe-emulate`(1), `smemprobe-judge`(1)\n"},
};

const manual_topic *manual_topic_find(const char *name) {
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
    return NULL;
}

static const char *page_of(const manual_topic *topic) {
    return smp_topic_files[topic - topics].text;
}

void manual_put_topic(FILE *out, const manual_topic *topic) {
    manual_block block;
    char name[64];
    const char *at = line_end(page_of(topic)); /* skip the title */
    (void)snprintf(name, sizeof name, "smemprobe-%s", topic->name);
    put_head(out, name, "7", topic->summary);
    put_section(out, "DESCRIPTION");
    while (manual_block_next(&at, &block)) {
        if (block.kind == MANUAL_TERM) {
            put_term(out, block.term, block.text);
            continue;
        }
        fputs(block.kind == MANUAL_HEADING ? ".SS " : ".PP\n", out);
        put_text(out, block.text);
        fputc('\n', out);
    }
    put_section(out, "EXAMPLES");
    put_lines(out, topic->examples);
    put_section(out, "SEE ALSO");
    put_text(out, topic->related);
}

static void drop_marks(char *text) {
    char *to = text;
    for (; *text != '\0'; text++)
        if (*text != '`')
            *to++ = *text;
    *to = '\0';
}

void manual_print_topic(FILE *out, const manual_topic *topic) {
    manual_block block;
    const char *at = page_of(topic);
    for (bool is_first = true; manual_block_next(&at, &block); is_first = false) {
        drop_marks(block.term);
        drop_marks(block.text);
        if (!is_first && block.kind != MANUAL_TERM)
            fputc('\n', out);
        if (block.kind == MANUAL_TERM) {
            smp_wrapped_print(out, "", block.term);
            smp_wrapped_print(out, "    ", block.text);
        } else {
            smp_wrapped_print(out, "", block.text);
        }
    }
}
