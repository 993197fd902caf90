# Answers that were wrong once: each a sentence to be read against its figures.
lane() { smemprobe "$@" | sed -n '/^  why/,/^  [ime]/p' | sed '$d'; }
lane --access 'ld.shared 4 000000ff 0 0 0 0 0 28 156 284 - - - - - - - - - - - - - - - - - - - - - - - -'
lane --op ld.global --stride 0
lane --stride 2 --arch sm_35
lane --stride 0 --width 16
lane --width 1 --stride 3
lane --op atom --stride 0 --lanes 8
lane --arch 2.0 --width 16
printf '%s\n' 'struct P { float x, y, z, w; };' 'shared P s[256]' 'global P g[4096]' 'block 256' 'ld s[threadIdx.x].x' 'ld g[threadIdx.x].x' >shared.smp
smemprobe fix shared.smp | sed -n '/^  obstacles/,/^$/p'
smemprobe plot stride -o a.svg && grep -o '<title>[^<]*</title>' a.svg | head -n 1
