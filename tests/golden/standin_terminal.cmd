# needs: stand-in
# needs: terminal
# On a terminal: what is drawn while it lasts is gone in the end, and the answer has colours.
export TERM=xterm LC_ALL=C.UTF-8
on_terminal() {
    script -qec "$1" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b\[K//g; s/\x1b/^[/g'
}
on_terminal 'smemprobe doctor' | grep -E 'clocks|terminal'
on_terminal 'NO_COLOR=1 smemprobe doctor' | grep -E 'clocks|terminal'
on_terminal 'TERM=dumb smemprobe doctor' | grep -E 'terminal'
on_terminal 'LC_ALL=C smemprobe doctor' | grep -E 'terminal'
on_terminal 'smemprobe probe --stride 0:1500 | tail -n 1' | grep -o '1501 measured.*'
on_terminal 'smemprobe compare transpose --size 32x32 --variants padded | tail -n 2' | tail -n 1
on_terminal 'smemprobe verify --count 3000 --seed 1 --op ld --width 4 | tail -n 1' | grep -o 'none differs'
on_terminal 'smemprobe --stride 2' | head -n 3
# ... and never wider than it: what goes on in the next line could not be taken back.
script -qec 'stty cols 40; smemprobe compare transpose --size 32x32 --type double --variants padded >/dev/null' /dev/null </dev/null |
    tr '\r' '\n' | sed 's/\x1b\[K//g' | grep .
