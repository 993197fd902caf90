# needs: stand-in
exec 2>&1
# Verdicts of every family, and what is said of variants that are wrong, open, or not to be had.
plain() { sed -E 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}/DATE/'; }
for family in transpose reduce sumsq scan histogram gemm-tile occupancy convolve-rows convolve-columns lookup; do
    echo "-- $family"
    smemprobe compare $family --size 64 | plain | sed -n '1,3p;/^results/,$p'
done
echo "-- other chips"
SMP_STANDIN=cc=70 smemprobe compare gemm-tile --size 32 | plain | sed -n '/^by site/,$p'
SMP_STANDIN=cc=86 smemprobe compare histogram --size 64x4096 | plain | tail -n 8
SMP_STANDIN=locked smemprobe compare transpose --size 64 --variants padded,naive-read | plain | tail -n 12
SMP_STANDIN=wrong=1 smemprobe compare scan --size 64 --variants plain,offset-32 | plain | sed -n '/^results/,$p'
SMP_STANDIN=spoil=1 smemprobe compare reduce --size 256 --format json | grep -c '"is_right": false'
smemprobe compare histogram --size 4096 --cluster 1,2,16,32
smemprobe compare transpose --size 0x5
smemprobe compare transpose --size 1 --variants tiled32,padded
smemprobe compare transpose --size 1000000x1000000
smemprobe compare transpose --type string
smemprobe compare transpose --variants nothing
smemprobe compare nothing
