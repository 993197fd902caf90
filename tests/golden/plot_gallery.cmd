# The gallery in the repository is what the command in CONTRIBUTING.md makes: its index says the same,
# but for the kernels, whose results are recorded more often.
gallery=$PWD/gallery
index() { sed '/by variant, whole launch/,$d' "$1/README.md"; }
cd "$DATA/../.." && smemprobe plot all -o "$gallery" probes/recorded/random/sm90.txt &&
    diff <(index plots/gallery) <(index "$gallery") &&
    diff <(ls plots/gallery | grep -v compare-) <(ls "$gallery" | grep -v compare-) && echo "up to date"
