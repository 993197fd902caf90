cd "$DATA/../../examples"
smemprobe fix transpose-64x64.smp --format json
smemprobe fix transpose-64x64.smp --format csv
smemprobe fix transpose-64x64.smp --emit cute
smemprobe fix transpose-64x64.smp --color always | head -5
smemprobe fix --explain --space rotate 'ld t[threadIdx.x][threadIdx.y]' --shared 'float t[32][32]' --block 32x8
smemprobe fix --arch all transpose-32x32.smp | head -22
