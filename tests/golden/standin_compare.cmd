# needs: stand-in
smemprobe compare transpose --size 64x96
smemprobe compare transpose --size 64x96 --variants padded --format csv
SMP_STANDIN=spoil=1 smemprobe compare transpose --size 64x96
smemprobe compare transpose --size 64,32x48 --type half,byte --variants fastest --record all.txt --format csv | cut -d, -f2-4,12,22
cut -c1-60 all.txt | sed 's/^# date: .*/# date: today/'
smemprobe compare transpose --size 64 --variants fastest --record all.txt
smemprobe compare occupancy sumsq --size 100 --format csv | cut -d, -f1,2,12 | uniq
smemprobe compare all --size 100 --type float --variants nothing
SMP_STANDIN=cuLaunchKernel=700 smemprobe compare transpose --size 64x96 --variants padded
SMP_STANDIN=cudaMalloc=2@2 smemprobe compare transpose --size 64x96 --variants padded
SMP_STANDIN=cudaMalloc=2@3 smemprobe compare transpose --size 64x96 --variants padded
SMP_STANDIN=cudaEventElapsedTime=700 smemprobe compare transpose --size 64x96 --variants padded
SMP_STANDIN=wrong=1 smemprobe compare transpose --size 64x96 --variants padded,tiled32 >wrong.txt
echo "exit status $?"
sed -n '/results/,$p' wrong.txt
SMP_STANDIN=cc=86 smemprobe compare transpose --size 64x96 --variants padded --format csv | cut -d, -f2,12,17
smemprobe compare transpose --size 64x96 --variants padded --arch sm_80 | head -2
smemprobe compare transpose --size 64x96 --variants padded --format json
