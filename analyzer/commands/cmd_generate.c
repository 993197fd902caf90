/* SPDX-License-Identifier: MIT */
/*
 * generate: the man page (as scdoc source) and the shells' completions, from the same rows as the
 * parser and --help. What is installed is made by this command when the program is built.
 */
#include <string.h>

#include "cli.h"
#include "write_format.h"

static const smp_option options[] = {OPTION_OUTPUT, OPTION_FORCE, OPTION_COLOR, OPTION_HELP};

/* ---- Man page -------------------------------------------------------------------------- */

/* Text in which nothing is markup to scdoc. */
static void put_plain(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (strchr("_*\\#~`", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_man_option(FILE *out, smp_option option) {
    const option_row *row = &option_rows[option];
    const char *letter = option == OPTION_OUTPUT ? "*-o*, " : option == OPTION_HELP ? "*-h*, " : "";
    fprintf(out, "%s*--%s*", letter, row->name);
    if (row->argument) {
        fputs(" ", out);
        put_plain(out, row->argument);
    }
    fputs("\n\t", out);
    put_plain(out, row->help);
    fputs("\n\n", out);
}

/* What may come first. */
static void put_man_words(FILE *out, const command_row *command) {
    const char *summary = "", *word;
    for (size_t i = 0; command->word && (word = command->word(i, &summary)); i++) {
        fprintf(out, "*%s*\n\t", word);
        put_plain(out, summary);
        fputs("\n\n", out);
    }
}

static void put_man_option_names(FILE *out, const command_row *command) {
    fputs("Options: ", out);
    for (unsigned i = 0; i < command->option_count; i++)
        fprintf(out, "%s*--%s*", i ? ", " : "", option_rows[command->options[i]].name);
    fputs("\n\n", out);
}

/* Examples as they are; in scdoc a backslash is written twice even there. */
static void put_man_examples(FILE *out, const char *examples) {
    fputs("Examples:\n\n```\n", out);
    for (; *examples != '\0'; examples++)
        fputs(*examples == '\\' ? "\\\\" : (char[]){*examples, '\0'}, out);
    fputs("```\n\n", out);
}

static void put_man_command(FILE *out, const command_row *command) {
    fprintf(out, "## smemprobe %s ", command->name);
    put_plain(out, command->usage);
    fputs("\n\n", out);
    put_plain(out, command->summary);
    fputs(".\n\n", out);
    put_man_words(out, command);
    put_man_option_names(out, command);
    if (command->examples)
        put_man_examples(out, command->examples);
}

static bool has_option(const command_row *const *commands, size_t count, smp_option option) {
    for (size_t i = 0; i < count; i++) {
        for (unsigned o = 0; o < commands[i]->option_count; o++) {
            if (commands[i]->options[o] == option)
                return true;
        }
    }
    return false;
}

static void put_man(FILE *out, const command_row *const *commands, size_t count) {
    fputs(
        "smemprobe(1)\n\n# NAME\n\nsmemprobe - bank conflicts of CUDA memory accesses, predicted "
        "and measured\n\n# SYNOPSIS\n\n*smemprobe* [COMMAND] [OPTIONS]\n\nWithout a COMMAND it is "
        "*predict*.\n\n# COMMANDS\n\n",
        out);
    for (size_t i = 0; i < count; i++)
        put_man_command(out, commands[i]);
    fputs("# OPTIONS\n\nEach command names those that it takes.\n\n", out);
    for (unsigned option = 0; option < OPTION_COUNT; option++) {
        if (has_option(commands, count, (smp_option)option))
            put_man_option(out, (smp_option)option);
    }
#define EXIT_ROW(status, meaning) "*" #status "*\n\t" meaning "\n\n"
    fputs("# EXIT STATUS\n\n" CLI_EXIT_LIST(EXIT_ROW), out);
#undef EXIT_ROW
    fputs(
        "# ENVIRONMENT\n\n*NO\\_COLOR*\n\tno colours\n\n"
        "*SMP\\_CUPTI\\_PATH*\n\twhere libcupti is: the file or its folder\n\n"
        "*CUDA\\_HOME*, *CUDA\\_PATH*, *VIRTUAL\\_ENV*\n\tfolders below which it is looked for, too"
        "\n\n*CUDA\\_VISIBLE\\_DEVICES*\n\t"
        "the GPUs that may be used\n\n*SMEMPROBE\\_CACHE*\n\twhere disassembly is kept, or *off* "
        "(otherwise *XDG\\_CACHE\\_HOME*/smemprobe or ~/.cache/smemprobe)\n\n"
        "*SMEMPROBE\\_CACHE\\_MIB*\n\thow much of it at most (256)\n\n# SEE ALSO\n\n*gnuplot*(1)\n",
        out);
}

/* ---- Completions ----------------------------------------------------------------------- */

/* The words that may follow an option, separated by blanks, or NULL. */
static const char *values_of(const command_row *command, smp_option option) {
    return option == OPTION_FORMAT ? command->formats
           : option == OPTION_EMIT ? SMP_CODE_FORMATS
                                   : NULL;
}

static void put_bash_words(FILE *out, const command_row *command) {
    const char *summary, *word;
    for (size_t i = 0; command->word && (word = command->word(i, &summary)); i++)
        fprintf(out, "%s%s", i ? " " : " words=\"", word);
    if (command->word)
        fputs("\"", out);
}

static void put_bash(FILE *out, const command_row *const *commands, size_t count) {
    fputs("_smemprobe() {\n    local current=${COMP_WORDS[COMP_CWORD]} options words formats "
          "commands=\"",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? " " : "", commands[i]->name);
    fputs("\"\n    case ${COMP_WORDS[1]} in\n", out);
    for (size_t i = count; i-- > 0;) { /* predict, the first row, is the default */
        fprintf(out, "    %s) options=\"", i == 0 ? "*" : commands[i]->name);
        for (unsigned o = 0; o < commands[i]->option_count; o++)
            fprintf(out, "%s--%s", o ? " " : "", option_rows[commands[i]->options[o]].name);
        fputs("\"", out);
        if (commands[i]->formats)
            fprintf(out, " formats=\"%s\"", commands[i]->formats);
        put_bash_words(out, commands[i]);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n"
          "    if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --format ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$formats\" -- \"$current\"))\n"
          "    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --emit ]]; then\n"
          "        COMPREPLY=($(compgen -W \"" SMP_CODE_FORMATS "\" -- \"$current\"))\n"
          "    elif [[ $current == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
          "    elif [[ $COMP_CWORD -eq 1 ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$commands\" -- \"$current\"))\n"
          "    elif [[ $COMP_CWORD -eq 2 && -n $words ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
          "    fi\n"
          "}\ncomplete -F _smemprobe smemprobe\n",
          out);
}

/* Text inside single quotes. */
static void put_quoted(FILE *out, const char *text) {
    for (; *text != '\0'; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
}

static void put_zsh_words(FILE *out, const command_row *command) {
    const char *summary, *word;
    for (size_t i = 0; command->word && (word = command->word(i, &summary)); i++)
        fprintf(out, "%s%s", i ? " " : " \\\n        '2:what:(", word);
    if (command->word)
        fputs(")'", out);
}

static void put_zsh_options(FILE *out, const command_row *command) {
    char help[OPTION_HELP_MAX];
    fputs("_arguments", out);
    for (unsigned o = 0; o < command->option_count; o++) {
        const option_row *row = &option_rows[command->options[o]];
        fprintf(out, " \\\n        '--%s[", row->name);
        for (const char *at = option_help(command, command->options[o], help); *at != '\0'; at++)
            fputs(strchr("[]:'", *at) ? " " : (char[]){*at, '\0'}, out);
        const char *values = values_of(command, command->options[o]);
        fprintf(out, "]%s%s", row->argument ? ":value:" : "",
                row->argument && strcmp(row->argument, "FILE") == 0 ? "_files" : "");
        if (values)
            fprintf(out, "(%s)", values);
        fputc('\'', out);
    }
    put_zsh_words(out, command);
    fputs(" \\\n        '*:file:_files' ;;\n", out);
}

static void put_zsh(FILE *out, const command_row *const *commands, size_t count) {
    fputs("#compdef smemprobe\n"
          "if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n    local -a commands=(\n",
          out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "        '%s:", commands[i]->name);
        put_quoted(out, commands[i]->summary);
        fputs("'\n", out);
    }
    fputs("    )\n    _describe command commands\n    return\nfi\ncase $words[2] in\n", out);
    for (size_t i = count; i-- > 0;) {
        fprintf(out, "    %s) ", i == 0 ? "*" : commands[i]->name);
        put_zsh_options(out, commands[i]);
    }
    fputs("esac\n", out);
}

static void put_fish_words(FILE *out, const command_row *command) {
    const char *summary = "", *word;
    for (size_t i = 0; command->word && (word = command->word(i, &summary)); i++) {
        fprintf(out, "complete -c smemprobe -n '__fish_seen_subcommand_from %s' -a %s -d '",
                command->name, word);
        put_quoted(out, summary);
        fputs("'\n", out);
    }
}

static void put_fish(FILE *out, const command_row *const *commands, size_t count) {
    char help[OPTION_HELP_MAX];
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "complete -c smemprobe -n __fish_use_subcommand -a %s -d '",
                commands[i]->name);
        put_quoted(out, commands[i]->summary);
        fputs("'\n", out);
        put_fish_words(out, commands[i]);
        for (unsigned o = 0; o < commands[i]->option_count; o++) {
            const option_row *row = &option_rows[commands[i]->options[o]];
            const char *values = values_of(commands[i], commands[i]->options[o]);
            fprintf(out, "complete -c smemprobe -n '%s%s' -l %s%s",
                    i == 0 ? "__fish_use_subcommand; or __fish_seen_subcommand_from "
                           : "__fish_seen_subcommand_from ",
                    commands[i]->name, row->name, row->argument ? " -r" : "");
            if (values)
                fprintf(out, " -f -a '%s'", values);
            fputs(" -d '", out);
            put_quoted(out, option_help(commands[i], commands[i]->options[o], help));
            fputs("'\n", out);
        }
    }
}

/* ---- The command ------------------------------------------------------------------------- */

typedef struct kind_row {
    const char *name, *summary;
    void (*put)(FILE *out, const command_row *const *commands, size_t count);
} kind_row;

static const kind_row kinds[] = {
    {"man", "the man page, as source of scdoc", put_man},
    {"bash", "completions for bash", put_bash},
    {"zsh", "completions for zsh", put_zsh},
    {"fish", "completions for fish", put_fish},
};

static const char *word(size_t index, const char **summary) {
    if (index >= sizeof kinds / sizeof kinds[0])
        return NULL;
    *summary = kinds[index].summary;
    return kinds[index].name;
}

static int run(const arguments *args) {
    smp_error error;
    output out;
    size_t count, kind = 0, known = sizeof kinds / sizeof kinds[0];
    const command_row *const *commands = command_rows(&count);
    const char *name = args->positional_count ? args->positional[0] : "";
    while (kind < known && strcmp(name, kinds[kind].name) != 0)
        kind++;
    if (kind == known) {
        (void)smp_error_set(&error, SMP_E_USAGE, -1, "generate what? man, bash, zsh or fish");
        return complain(&error);
    }
    if (output_open_as(args, SMP_FORMAT_TEXT, &out, &error) != SMP_OK) /* whatever its name */
        return complain(&error);
    kinds[kind].put(out.stream, commands, count);
    return output_close(&out, true, &error) == SMP_OK ? 0 : complain(&error);
}

const command_row command_generate = {
    .name = "generate",
    .summary = "the man page, and completions for bash, zsh and fish",
    .usage = "KIND [OPTIONS]",
    COMMAND_OPTIONS(options),
    .examples = "  source <(smemprobe generate bash)\n"
                "  smemprobe generate man | scdoc > smemprobe.1\n",
    .word = word,
    .run = run,
};
