# Layouts of every kind, in words, tables and files.
ask() {
    echo "-- $*"
    smemprobe "$@" 2>&1 | sed '/  measured   /,/^$/{/^$/!d}'
}
ask 'ld v[threadIdx.x]' --shared 'float3 v[64]' --block 64
ask 'ld t[threadIdx.z][threadIdx.y][threadIdx.x]' --shared 'short t[4][4][9]' --block 4x4x4
ask 'ld t[threadIdx.x][threadIdx.y]' --shared 'float t[32][32]' --block 32x8 --arch 1.3
ask 'ld t[threadIdx.x * 2]' --shared 'char t[64]' --arch 1.0
ask 'ld p[threadIdx.x].y' --shared 'struct { float x, y, z; } p[32]' --arch 3.5 --bank-mode 8
ask 'atomicAdd(&h[threadIdx.x % 4], 1)' --shared 'unsigned h[64]' --arch 1.3
ask 'atomicAdd(&h[threadIdx.x % 4], 1)' --shared 'unsigned long long h[64]'
ask 'h[threadIdx.x] += h[threadIdx.x ^ 3];' --shared 'int h[64]'
ask 'cp.async &s[threadIdx.x], &g[threadIdx.x], 16' --shared 'int4 s[64]' --global 'int4 g[64]'
ask 'cp.async &s[threadIdx.x], &g[threadIdx.x * 2], 8' --shared 'int2 s[64]' --global 'int2 g[64]'
ask 'ld g[threadIdx.x * 3]' 'st g[threadIdx.x]' --global 'double g[4096]' --arch 1.0
ask 'ld.cluster(1) s[threadIdx.x * 9]' --shared 'int s[512]'
ask 'ld.cluster(1) s[threadIdx.x]' --shared 'int s[512]' --arch 8.0
ask 'if (threadIdx.x > 99) ld s[threadIdx.x]' --shared 'int s[512]'
ask 'ld s[i * 32 + threadIdx.x]' --shared 'int s[512]' --for i=0:4 --for j=0:3
ask 'ld s[0]' --shared 'int s[4]' --block 32x2x2 --grid 2x3
ask 'ldmatrix.x4 &s[threadIdx.x % 16][threadIdx.x / 16 * 8]' --shared 'half s[16][64]' --explain
ask 'ldmatrix.x4 &s[threadIdx.x % 16][0]' --shared 'half s[16][64]' --arch all
ask 'st a[threadIdx.x * 4]' 'ld g[threadIdx.x]' --shared 'int a[128]' --global 'int g[64]' --arch all
ask 'ld t[threadIdx.x][threadIdx.y]' --shared 'float t[32][32]' --block 32x8 --arch 1.0 --format csv
ask 'ld "quoted"' --shared 'int a[4]'
LC_ALL=C.UTF-8 smemprobe 'ld t[threadIdx.x][0]' 'st t[0][threadIdx.x]' --shared 'float t[32][33]' --color always | sed '/measured/,/^$/{/^$/!d}'
for table in archs ops coverage kernels counters formats plots; do
    smemprobe list $table --format json | head -n 2 | cut -c 1-70
    smemprobe list $table --format csv | head -n 1
done
cat >e.smp <<'END'
shared float t[32][32]
global float g[4096]
block 32x2
ld t[threadIdx.x][threadIdx.y]
expect ways == 1
expect wavefronts < 3
expect ideal != 2
expect excess >= 1000
expect requests > 2
expect ways <= 32 on sm_90
expect transactions <= 1
expect bytes == 0
ld g[threadIdx.x * 8]
expect transactions <= 8
expect bytes < 100 on sm_13
expect wavefronts == 0
END
for arch in 9.0 1.3 1.0 3.5; do smemprobe check e.smp --arch $arch; echo "exit status $?"; done
smemprobe check e.smp --format json | head -n 30
smemprobe check e.smp --format junit | cut -c 1-120
smemprobe check e.smp --format github
smemprobe check e.smp --max-ways 2 --max-excess 0 | tail -n 3
