printf 'struct P { float x, y; };\nglobal P g[4096]\nblock 64\nld g[threadIdx.x].x\n' >members.smp
smemprobe fix members.smp -o fixed.smp && cat fixed.smp
