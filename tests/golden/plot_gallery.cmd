# The gallery in the repository is what script/pictures makes: its index says the same,
# but for the kernels, which take long to predict and are recorded more often. Over files that are there
# only with --force.
gallery=$PWD/gallery
mkdir gallery && echo mine >gallery/stride.png
index() { sed '/by variant, whole launch/,$d' "$1/README.md" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }
cd "$DATA/../.." && smemprobe plot all stride heatmap archs bankmap agreement cluster \
        -o "$gallery" --force probes/recorded/random/sm90.txt probes/recorded/random/fix-sm90.txt &&
    diff <(index plots/gallery) <(index "$gallery") &&
    diff <(ls plots/gallery | grep -v compare-) <(ls "$gallery" | grep -v compare-) && echo "up to date"
head -n 12 "$gallery/README.md"
for file in "$gallery"/*.png; do
    [ "$(head -c 4 "$file" | tail -c 3)" = PNG ] && [ "$(wc -c <"$file")" -lt 61440 ] || echo "$file: no picture, or a large one"
done
