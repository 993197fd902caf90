# needs: no cuda
smemprobe compare transpose --size 1000x777 --type byte --variants tiled32,padded
smemprobe compare transpose --size 0x5
smemprobe compare transpose --record new.txt
smemprobe compare transpose --size 99999999999x99
smemprobe compare transpose --size 12y
smemprobe compare transpose --type flaot
smemprobe compare transpose --type int
smemprobe compare transpose --variants padded,fastst
smemprobe compare transpose --cluster 2
smemprobe compare transpos
smemprobe compare transpose occupancy --size 64 --variants padded --format csv | cut -d, -f1-6
smemprobe compare transpose reduce --size 64 --type half
smemprobe compare transpose --arch all
echo "-- the largest sizes, and variants that do not take a size or a type"
smemprobe compare reduce --size 1073741825
smemprobe compare scan --size 1073741825
smemprobe compare histogram --size 60000x1000 --format csv | cut -d, -f1-6
smemprobe compare gemm-tile --size 64 --type float --format csv | cut -d, -f1-6
smemprobe compare transpose --arch sm_35 --size 64x64 --variants tiled32,padded
