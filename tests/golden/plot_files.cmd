exec 2>&1
# Each kind and each format begins as its format does, and holds more than an empty picture would.
for kind in $(smemprobe list plots --format csv | sed '1d; s/^"\([^"]*\)".*/\1/'); do
    case $kind in compare) continue ;; esac
    for ending in png svg pdf; do
        smemprobe plot $kind -o $kind.$ending || continue
        magic=$(head -c 5 $kind.$ending | tr -c '[:print:]' '?')
        [ "$(wc -c <$kind.$ending)" -gt 6000 ] && size=full || size=blank
        [ $ending != png ] || [ "$(wc -c <$kind.$ending)" -lt 61440 ] || size=large
        echo "$kind.$ending $magic $size"
    done
done
# The colours of a theme are in the file.
smemprobe plot archs --theme dark --format svg | grep -c 0d1117
smemprobe plot archs --theme auto --format svg | grep -c '<rect x="0" y="0" width="1600"'
smemprobe plot stride -o stride.svg
