/* SPDX-License-Identifier: MIT */
/* Completions for shells, from the same rows as the parser and --help. */
#include "help.h"

#include <string.h>

#include "ask.h"

/* Writes the words that may come first between `begin` and `end`; nothing if any may. */
static void put_words(FILE *out, const command_row *command, const char *begin, const char *end) {
    const char *summary, *word;
    for (size_t i = 0; command->word && (word = command->word(i, &summary)); i++)
        fprintf(out, "%s%s", i ? " " : begin, word);
    fputs(command->word ? end : "", out);
}

/* Completes an option that takes the same words in every command. */
static void put_bash_values(FILE *out, smp_option option) {
    char room[OPTION_VALUES_MAX];
    const char *values = option_values(NULL, option, room);
    if (values[0] != '\0')
        fprintf(out, "    --%s) values=\"%s\" ;;\n", option_rows[option].name, values);
}

void completion_put_bash(FILE *out, const command_row *const *commands, size_t count) {
    fputs(
        "_smemprobe() {\n    local current=${COMP_WORDS[COMP_CWORD]} options words formats values "
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
        put_words(out, commands[i], " words=\"", "\"");
        fputs(" ;;\n", out);
    }
    fputs("    esac\n    case ${COMP_WORDS[COMP_CWORD - 1]} in\n"
          "    --format) values=$formats ;;\n",
          out);
    for (unsigned option = 0; option < OPTION_COUNT; option++)
        put_bash_values(out, (smp_option)option);
    fputs("    esac\n"
          "    if [[ -n $values ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
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

static void put_zsh_options(FILE *out, const command_row *command) {
    char help[OPTION_HELP_MAX], room[OPTION_VALUES_MAX];
    fputs("_arguments", out);
    for (unsigned o = 0; o < command->option_count; o++) {
        const option_row *row = &option_rows[command->options[o]];
        fprintf(out, " \\\n        '--%s[", row->name);
        for (const char *at = option_help(command, command->options[o], help); *at != '\0'; at++)
            fputs(strchr("[]:'", *at) ? " " : (char[]){*at, '\0'}, out);
        const char *values = option_values(command, command->options[o], room);
        fprintf(out, "]%s%s", row->argument ? ":value:" : "",
                row->argument && strcmp(row->argument, "FILE") == 0 ? "_files" : "");
        if (values[0] != '\0')
            fprintf(out, "(%s)", values);
        fputc('\'', out);
    }
    put_words(out, command, " \\\n        '2:what:(", ")'");
    fputs(" \\\n        '*:file:_files' ;;\n", out);
}

void completion_put_zsh(FILE *out, const command_row *const *commands, size_t count) {
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

void completion_put_fish(FILE *out, const command_row *const *commands, size_t count) {
    char help[OPTION_HELP_MAX], room[OPTION_VALUES_MAX];
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "complete -c smemprobe -n __fish_use_subcommand -a %s -d '",
                commands[i]->name);
        put_quoted(out, commands[i]->summary);
        fputs("'\n", out);
        put_fish_words(out, commands[i]);
        for (unsigned o = 0; o < commands[i]->option_count; o++) {
            const option_row *row = &option_rows[commands[i]->options[o]];
            const char *values = option_values(commands[i], commands[i]->options[o], room);
            fprintf(out, "complete -c smemprobe -n '%s%s' -l %s%s",
                    i == 0 ? "__fish_use_subcommand; or __fish_seen_subcommand_from "
                           : "__fish_seen_subcommand_from ",
                    commands[i]->name, row->name, row->argument ? " -r" : "");
            if (values[0] != '\0')
                fprintf(out, " -f -a '%s'", values);
            fputs(" -d '", out);
            put_quoted(out, option_help(commands[i], commands[i]->options[o], help));
            fputs("'\n", out);
        }
    }
}
