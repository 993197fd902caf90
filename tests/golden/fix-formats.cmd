cd "$DATA/../../examples"
smemprobe fix transpose-64x64.smp --format json
smemprobe fix transpose-64x64.smp --format csv
smemprobe fix transpose-64x64.smp --emit cute
# An element by itself is read.
smemprobe fix 't[threadIdx.x][0]' --shared 'float t[32][32]' --emit cuda
smemprobe fix transpose-64x64.smp --color always | head -5
smemprobe fix --explain --space rotate 'ld t[threadIdx.x][threadIdx.y]' --shared 'float t[32][32]' --block 32x8
smemprobe fix --arch all transpose-32x32.smp | head -22
# An array that is one object has no dimensions.
smemprobe fix --format json --shared 'struct { float x[64]; } soa' --shared 'float t[32][32]' 'ld soa.x[threadIdx.x * 32 % 64]' 'ld t[threadIdx.x][0]' | grep -E '"(name|free|excess_after)"|"text"'
