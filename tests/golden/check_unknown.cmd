# Bounds of the command line name the accesses that they can't judge.
printf 'shared float t[64]\nld t[threadIdx.x]\natomicAdd(&t[threadIdx.x], 1.0f)\n' >k.smp
smemprobe check --max-ways 1 k.smp
smemprobe check --max-excess 0 --arch sm_13 k.smp
smemprobe check k.smp
printf 'global float A[64]\nld A[threadIdx.x]\n' >global.smp
smemprobe check --max-ways 1 global.smp
