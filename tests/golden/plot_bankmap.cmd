smemprobe plot bankmap
smemprobe plot bankmap --shared 'float tile[16][16]' 'ld tile[threadIdx.x % 16][0]'
smemprobe plot bankmap --shared 'half a[32][40] : Swizzle<2,3,3>'
smemprobe plot bankmap --shared 'double d[100]'
smemprobe plot bankmap --shared "float t[4][5]" "ld.cluster(1) t[laneid % 4][0]"
smemprobe plot bankmap --arch 1.3 --shared "double d[3][40]"
# Larger than can be shown; a layout file; what has no banks or no rule.
smemprobe plot bankmap --shared 'char many[100][100]' --format csv | tail -n 1
smemprobe plot bankmap --shared 'char many[100][100]' | tail -n 2
printf 'global float g[64]\nshared half h[16][24]\nblock 32\nld g[threadIdx.x]\nldmatrix.x4 &h[laneid %% 16][laneid / 16 * 8]\n' >tile.smp
smemprobe plot bankmap tile.smp | head -n 6
printf 'global float g[64]\nshared float first[4], second[4]\nld g[threadIdx.x]\n' >two.smp
smemprobe plot bankmap two.smp
smemprobe plot bankmap --shared 'double d[64]' 'atomicAdd(&d[laneid], 1.0)' | head -n 2
smemprobe plot bankmap --shared 'float a_name_that_is_longer_than_anybody_would_ever_write[4]' | head -n 2
smemprobe plot bankmap --shared 'char t[64][100000000]' --format csv | tail -n 1
# The worst access, and the part of the array where it is.
printf 'shared float a[64][64]\nblock 32\nld a[0][laneid]\nld a[laneid][40]\n' >two.smp; smemprobe plot bankmap two.smp | sed -n '2,6p;$p'
smemprobe plot bankmap --shared 'float a[128][128]' 'ld a[127-threadIdx.x][127]' | sed -n '2,5p;37,38p;/^[*]/,$p'
smemprobe plot bankmap --shared 'float a[128][128]' 'ld a[127-threadIdx.x][127]' --format csv | awk -F, '$6 > 0' | sed -n '1p;$p'
