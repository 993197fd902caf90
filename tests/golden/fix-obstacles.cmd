cd "$DATA/../../examples"
smemprobe fix soa-aos.smp; echo $?
smemprobe fix histogram.smp; echo $?
smemprobe fix 'ld (&t[0][0])[threadIdx.x * 32]' --shared 'float t[32][33]'; echo $?
smemprobe fix cluster-histogram.smp; echo $?
smemprobe fix 'ld t[threadIdx.x][0]' 'ld *(float4 *)&t[threadIdx.x / 4][threadIdx.x % 4 * 4]' --shared 'float t[32][64]' --space pad; echo $?
smemprobe fix 'ld t[threadIdx.x][0]' 'ld.cluster(1) t[0][threadIdx.x]' 'ld.cluster(1) t[3][threadIdx.x]' --shared 'float t[32][32]' --space pad | sed -n '/^  beware/,/now)/p'
smemprobe fix half-warp.smp --arch all --emit smp >"$HOME/all.smp"; echo $?
smemprobe check "$HOME/all.smp"
