# A page each; every option of --help is on it; nothing of an example or of the language is lost, nothing is taken for a request.
smemprobe generate man fix | head -n 9
smemprobe generate man predict | grep -F -e 'stride 33' -e 'block 32x8 \e'
pages=0
for command in $(smemprobe -h | sed -n '/^every day/,/^examples/p' | grep -oE '^  [a-z-]+' | grep -v -- '--'); do
    smemprobe generate man "$command" >page || echo "$command: no page"
    smemprobe "$command" --help | grep -oE '^ {2}(-[a-z], )?--[a-z-]+' | sed 's/.*--/--/' | sort >help.txt
    sed -nE 's/^(\\fB\\-[a-z]\\fR, )?\\fB\\-\\-([a-z\\-]+)\\fR.*/--\2/p' page | tr -d '\\' | sort >page.txt
    diff help.txt page.txt || echo "$command: not the options of its help"
    grep -A1 '^\.SH DESCRIPTION$' page | grep -q '\.$' && grep -qE '^\.SH EXIT STATUS$' page && [ "$(grep -cvE "^(\.(TH|SH|SS|TP|PP|nh|nf|fi|ad)( |$)|[^.'])" page)" = "$(grep -c '^$' page)" ] || echo "$command: odd lines"
    pages=$((pages + 1))
done
[ $pages -gt 10 ] || echo "only $pages pages"
for topic in language launch; do
    smemprobe generate man $topic >page
    [ "$(grep -c '^\.TP' page)" = "$(grep -c '^###' "$DATA/../../docs/reference/$topic.md")" ] || echo "the page of $topic lacks terms"
    grep -A2 '^\.SH EXAMPLES' page | tail -n 1
    smemprobe help $topic | head -n 12
done
smemprobe generate man nonsense
smemprobe generate bash fish
