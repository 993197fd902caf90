for width in 1 2 4 8 16; do
    smemprobe --op ld --width $width --stride 2 --offset 16 --format csv || exit
done
