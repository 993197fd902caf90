# A recorded value that the model does not give is shown as such; what has no rule, and what is no
# access, is left out.
{
    printf '# gpu: one, "made up"\n# cc: 9.0\n# driver: it'"'"'s 1\n# cuda: 2\n# date: 2000-01-01\n'
    printf -- '--op atom --width 4 --stride 32\twavefronts=31\n--op atom --width 4 --stride 1\twavefronts=1\n'
    printf 'ldmatrix.x4 16 00000001 0 - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\twavefronts=1\n'
    printf -- '--op none --width 4 --stride 1\twavefronts=1\n--op ld --width 3 --stride 1\twavefronts=1\n--op ld --size 3\twavefronts=1\n'
    printf -- '--op ld --width 4 --stride 99999999999\twavefronts=1\n--op ld --width 16 --stride 4000000000\twavefronts=1\n'
    printf 'transpose none 1x1 float\ttime_us=3\n# nothing\twavefronts=1\nld.shared 4 zz\twavefronts=2\n'
    printf '# cc: 99.9\n--op atom --width 4 --stride 1\twavefronts=1\n'
} >mine.txt
smemprobe plot agreement mine.txt
smemprobe plot agreement mine.txt --format csv | grep 'atom\|matrix'
smemprobe plot agreement mine.txt -o mine.svg && grep -c 'differ' mine.svg
smemprobe plot stride --op atom --width 4 --stride 0:2 --format csv
