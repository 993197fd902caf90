# The search of this layout takes half a minute: it ends when its time is up, and at once on Ctrl-C,
# with the best found so far.
cat >long.smp <<'END'
shared float a[64][64]
block 16x16
for k = 0:32
ld a[threadIdx.y * 4 % 64][(threadIdx.x*4 + k) % 64]
ld a[threadIdx.x * 4 % 64][(threadIdx.y + k) % 64]
END
smemprobe fix --time 0 long.smp
echo "exit $?"
smemprobe fix --time 0 --format json long.smp 2>&1 | grep -E 'proven|ended_by'
# Seconds of its own are waited for: a busy machine gives it fewer.
has_searched() { # PID HUNDREDTHS
    until awk -v enough="$2" '{ exit !($3 == "Z" || $14 >= enough) }' "/proc/$1/stat"; do sleep 0.02; done
}
env --default-signal=INT smemprobe fix --time 600 --space pad+xor,linear long.smp >out 2>errors &
has_searched $! 80; kill -INT $!; wait $!; echo "exit $?"
grep -E '^  better|CUDA C|interrupted' out | sed 's/ not free .*/ not free/'
sed 's/the [0-9,]* layouts/the N layouts/' errors
# Twice at once is one wish, as when timeout(1) tells a program and its group.
env --default-signal=INT smemprobe fix --time 600 --space pad+xor,linear long.smp >out 2>errors &
has_searched $! 20; for i in 1 2 3 4 5; do kill -INT $! 2>/dev/null; done; wait $!; echo "exit $?"
sed 's/the [0-9,]* layouts/the N layouts/' errors
smemprobe fix --time x long.smp
# Columns stay apart, and what another array's type forbids is said.
cat >wide.smp <<'END'
struct P { float x, y, z, w; };
shared P s[256]
global P g[4096]
block 1024
for k = 0:1024
ld s[threadIdx.x % 256].x
END
smemprobe fix wide.smp
cat >many.smp <<'END'
shared float t[32][32]
block 1024
for k = 0:1024
ld t[threadIdx.x % 32][0]
END
smemprobe fix --space pad many.smp
