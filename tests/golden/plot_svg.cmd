# What is written in pictures: every text of two of them, and the title, how to read it and the provenance of all.
texts() { sed -n 's/.*<text[^>]*>\(.*\)<\/text>.*/\1/p' "$1" | sed 's/<[^>]*>//g; s/^ *//'; }
for kind in archs cluster; do
    smemprobe plot $kind --format svg >$kind.svg && texts $kind.svg
    echo
done
for kind in stride heatmap bankmap agreement; do
    smemprobe plot $kind --format svg >$kind.svg && texts $kind.svg | grep -n 'sm_90\|generations\|recorded\|lanes\|warp 0\|diagonal\|measured on\|model;\|elements$\|predicted\|framed'
done
