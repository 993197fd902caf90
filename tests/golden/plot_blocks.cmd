# Each kind in 40 columns of ASCII and in colours and blocks; no line is wider, and gnuplot, which would say so here, is not called.
mkdir bin
printf '#!/bin/sh\necho gnuplot was called\n' >bin/gnuplot
chmod +x bin/gnuplot
export PATH=$PWD/bin:$PATH
asked() {
    case $1 in
    compare) echo "compare gemm-tile --variants float4,ldmatrix,ldmatrix-pad,ldmatrix-xor" ;;
    heatmap) echo "heatmap --stride 0:4" ;;
    *) echo "$1" ;;
    esac
}
for kind in $(smemprobe list plots --format csv | sed '1d; s/^"\([^"]*\)".*/\1/'); do
    COLUMNS=40 smemprobe plot $(asked $kind)
    for columns in 40 60 78 100 200; do
        COLUMNS=$columns smemprobe plot $(asked $kind) | awk -v most=$columns 'length($0) > most { print "wider than " most ": " $0 }'
    done
    LC_ALL=C.UTF-8 smemprobe plot $(asked $kind) --color always
done
# A bar that may end at two places; host variants beside others; few strides, all of them named; far ones.
smemprobe plot archs --access 'ld.shared 4 000090cb 4 68 - 0 - - 128 64 - - - - 68 - - 128 - - - - - - - - - - - - - - - -'
COLUMNS=60 smemprobe plot compare reduce --variants fast,cpu --size 1000 | head -n 5
smemprobe plot stride --width 4 --stride 1,3,1000 | tail -n 5
smemprobe plot cluster --stride 1 | head -n 20
