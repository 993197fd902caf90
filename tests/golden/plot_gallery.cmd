# The gallery in the repository is what the command in CONTRIBUTING.md makes: its index says the same.
gallery=$PWD/gallery
cd "$DATA/../.." && smemprobe plot all -o "$gallery" probes/recorded/random/sm90.txt &&
    diff plots/gallery/README.md "$gallery/README.md" && diff <(ls plots/gallery) <(ls "$gallery") && echo "up to date"
