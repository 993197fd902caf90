#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/cli/completions.sh PROGRAM: bash, zsh and fish offer the same completions for the same beginnings of command
# lines. Missing shells are skipped (script/bootstrap completions installs them), and so is zsh without a terminal.
set -uo pipefail
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home" "$work/here" "$work/functions" && ln -s "$program" "$work/bin/smemprobe"
export PATH=$work/bin:$PATH HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_DATA_HOME=$work/home TERM=dumb
cd "$work/here" || exit 1

"$program" generate bash >"$work/smemprobe.bash"
"$program" generate fish >"$work/smemprobe.fish"
"$program" generate zsh >"$work/functions/_smemprobe"

# The beginning of a line, a bar, and the completions in any order.
cat >"$work/wanted" <<'END'
smemprobe exp|explain-counters
smemprobe list |archs ops coverage kernels counters formats plots
smemprobe compare tr|transpose
smemprobe doctor --format |text json
smemprobe check --format j|json junit
smemprobe fix --emit c|cuda cute
smemprobe predict --arch sm_12|sm_12 sm_120 sm_121
smemprobe plot --theme |light dark auto
smemprobe compare --variants tiled|tiled16 tiled32
smemprobe fix --max-b|--max-bytes
END
mapfile -t lines < <(cut -d '|' -f 1 "$work/wanted")

# Each function prints the lines, each after a bar, and below it the completions.
ask_bash() {
    # shellcheck disable=SC2016 # expanded inside
    bash -c '. "$0"; for line; do
        read -ra COMP_WORDS <<<"$line"; [[ $line == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _smemprobe; printf "%s\n" "|$line" "${COMPREPLY[@]}"
    done' "$work/smemprobe.bash" "${lines[@]}"
}

ask_fish() {
    # shellcheck disable=SC2016
    fish --no-config -c 'source $argv[1]; for line in $argv[2..]; echo "|$line"; complete -C $line; end' \
        "$work/smemprobe.fish" "${lines[@]}" | cut -f 1
}

# zsh runs in a terminal of its own; matches are logged where zsh adds them.
ask_zsh() {
    # shellcheck disable=SC2016
    zsh -f -c '
        work=$1; shift
        zmodload zsh/zselect && zmodload zsh/zpty && zpty shell zsh -f -i || exit 77
        zpty -w shell "PROMPT=; fpath=($work/functions \$fpath); autoload -Uz compinit; compinit -u -D"
        zpty -w shell "compadd() { local -a hits; builtin compadd -O hits \"\$@\"; print -rl -- \$hits >>$work/offered
            builtin compadd \"\$@\"; }"
        for line; do
            zpty -w shell "print -n read\"\"y" && zpty -r shell said "*ready*" || exit 77
            print -r -- "|$line" >>$work/offered
            zpty -w -n shell "$line"$'"'\\t'"'
            zselect -t 15 # hundredths: what is typed before the answer is there may undo it
            zpty -w -n shell $'"'\\x15'"'
        done
        zpty -w shell "print -n don\"\"e" && zpty -r shell said "*done*" || exit 77
        zpty -d shell' - "$work" "${lines[@]}" >/dev/null 2>&1 && cat "$work/offered"
}

# Sorts words for comparison.
sorted() {
    awk '/^\|/ { line = $0; next } NF { print line "|" $0 }' | LC_ALL=C sort -u
}

tr -d '\r' <"$work/wanted" | awk -F '|' '{ n = split($2, word, " "); for (i = 1; i <= n; i++) print "|" $1 "|" word[i] }' |
    LC_ALL=C sort -u >"$work/want"
status=0 tried=()
for shell in bash fish zsh; do
    command -v "$shell" >/dev/null || continue
    # On a busy machine the next input may disturb the previous completion, so one right answer is enough.
    for _ in 1 2 3 4; do
        rm -f "$work/offered"
        "ask_$shell" >"$work/$shell.said"
        code=$?
        sorted <"$work/$shell.said" | diff "$work/want" - >"$work/diff" && break
        [ "$shell" = zsh ] || break
        sleep 1
    done
    if [ $code -ne 0 ]; then
        [ "$shell" = zsh ] && continue # no terminal
        echo "$shell: failed"
        status=1
    fi
    tried+=("$shell")
    [ -s "$work/diff" ] || continue
    echo "$shell offers (>) other words than are wanted (<):"
    cat "$work/diff"
    status=1
done
echo "asked ${#lines[@]} times: ${tried[*]}"
exit "$status"
