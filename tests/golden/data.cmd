# Data that decide addresses: mean and spread, a fix for them, and what is wrong with them.
seq -s ' ' 0 3 93 >steps.txt
smemprobe 'atomicMax(&bin[data[threadIdx.x]], 1);' --shared 'int bin[256]' --global 'int *data' --data data=zipf:256 | sed -n '/atomicMax/,/why/p'
smemprobe 'int v = bin[data[threadIdx.x]];' --shared 'int bin[256]' --global 'int *data' --data data=@steps.txt --format csv
smemprobe fix 'int v = bin[data[threadIdx.x]][0];' --shared 'int bin[256][32]' --global 'int *data' --data data=random:0:255
echo; smemprobe 'int v = bin[data[threadIdx.x]];' --shared 'int bin[256]' --global 'int *data' --data data=random:0:300
smemprobe 'int v = bin[data[threadIdx.x + 1]];' --shared 'int bin[256]' --global 'int *data' --data data=@steps.txt
smemprobe 'int v = bin[data[threadIdx.x]];' --shared 'int bin[256]' --global 'int *data'
smemprobe 'int v = bin[data[threadIdx.x]];' --shared 'int bin[256]' --global 'int *data' --data data=@nowhere.npy
smemprobe --stride 3 --data data=zipf:3
# A whole file, with what surrounds it as options: the fixed one holds them.
smemprobe fix "$DATA/../pasted/pasted_transpose.cu" --block 32x8 --define width=64 --define height=32 -o fixed.smp
smemprobe check fixed.smp
smemprobe fix "$DATA/../pasted/pasted_transpose.cu" --block 32x8 --define width=64 --define height=32 --format json | grep -m1 '"line": 2'
sed -i 's/tile\[threadIdx.x\]\[threadIdx.y + j\]/tile[threadIdx.x][threadIdx.z - 1]/' fixed.smp
smemprobe fix fixed.smp --define unused=1 2>&1 | head -n 1
smemprobe predict 'ld h[threadIdx.x]' --shared 'int h[256]' --data 'hh=random:0:255'
