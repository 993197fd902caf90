smemprobe plot bankmap
smemprobe plot bankmap --shared 'float tile[16][16]' 'ld tile[threadIdx.x % 16][0]'
smemprobe plot bankmap --shared 'half a[32][40] : Swizzle<2,3,3>'
smemprobe plot bankmap --shared 'double d[100]'
smemprobe plot bankmap --shared "float t[4][5]" "ld.cluster(1) t[laneid % 4][0]"
smemprobe plot bankmap --arch 1.3 --shared "double d[3][40]"
