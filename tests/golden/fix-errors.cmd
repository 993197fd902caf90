cat >tile.smp <<'END'
shared float tile[32][32]
block 32x8
ld tile[threadIdx.x][threadIdx.y]
END
smemprobe fix; echo $?
smemprobe fix --shared 'float tile[32][32]'; echo $?
printf 'shared float tile[4]\n' >none.smp; smemprobe fix none.smp; echo $?
smemprobe fix missing.smp; echo $?
smemprobe fix 'ld tile[threadIdx.x' --shared 'float tile[32]'; echo $?
smemprobe fix 'ld tile[threadIdx.x + 1]' --shared 'float tile[32]'; echo $?
smemprobe fix 'ld tile[threadIdx.x][0]' --shared 'float tile[512][256]'; echo $?
smemprobe fix tile.smp --max-bytes 4000; echo $?
smemprobe fix tile.smp --space pad --max-bytes 4200; echo $?
smemprobe fix tile.smp --space pad,swizzle; echo $?
smemprobe fix tile.smp --keep tiel; echo $?
smemprobe fix tile.smp --keep tile; echo $?
smemprobe fix tile.smp --emit ptx; echo $?
smemprobe fix tile.smp --arch sm_91; echo $?
smemprobe fix tile.smp --arch sm_35,sm_90 --bank-mode 8; echo $?
smemprobe fix tile.smp -o tile.smp; echo $?
smemprobe fix tile.smp none.smp; echo $?
smemprobe fix 'ldmatrix.x4 &t[laneid][0]' --shared 'half t[32][64]' --arch sm_35; echo $?
ls
