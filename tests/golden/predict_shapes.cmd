# Requests whose picture or sentence is of its own kind; then the same in UTF-8 and colour.
unmeasured() {
    sed '/  measured   /,/  evidence   /{/  evidence   /!d}'
}
ask() {
    echo "-- $*"
    smemprobe "$@" 2>&1 | tail -n +3 | unmeasured
}
ask --stride 0
ask --stride 0 --op st
ask --op atom --stride 0
ask --op cas --stride 1
ask --op cas --width 8 --stride 2
ask --width 1
ask --width 2 --stride 3
ask --lanes 1
ask --lanes 3,9 --stride 32
ask --lanes 0-15 --width 8
ask --lanes 0x0000ff00 --width 16 --stride 2
ask --stride 6 --arch 1.0
ask --stride 3 --arch 1.0 --width 8
ask --stride 2 --width 1 --arch 1.3
ask --stride 16 --arch 3.5
ask --stride 16 --arch 3.5 --bank-mode 8
ask --stride 3 --arch 3.7 --bank-mode 8 --width 8
ask --stride 3 --width 8 --arch 2.0
ask --stride 3 --width 16 --arch 2.0
ask --op ldmatrix.x4 --stride 8
ask --op stmatrix.x2.trans --stride 4
ask --op ld.global --stride 3 --arch 1.0
ask --op ld.global --stride 3 --arch 1.2
ask --op st.global --stride 3 --arch 2.0
ask --op ld.global --offset 4
ask --op red.global --stride 2
ask --op cp.async --width 8 --stride 2
ask --op ld.shared::cluster --stride 33
ask --op atom.shared::cluster --stride 0
ask --access 'ld.shared 4 0000000f 0 128 256 4 - - - - - - - - - - - - - - - - - - - - - - - - - - - -'
ask --access 'ld.shared 8 ffffffff 0 8 0 8 16 24 16 24 32 40 32 40 48 56 48 56 64 72 64 72 80 88 80 88 96 104 96 104 112 120 112 120'
ask --access 'cp.async 4 0000000f 0 128 256 4 - - - - - - - - - - - - - - - - - - - - - - - - - - - - : 0 4 8 12 - - - - - - - - - - - - - - - - - - - - - - - - - - - -'
ask --access 'ld.shared 4 0000000f 0 4 8'
ask --access ''
ask --access 'ld.shared 4 ffffffff 0' --stride 1
for options in '--stride 2' '--stride 0' '--stride 32' '--op atom --stride 0' '--arch 3.5 --stride 2' '--width 16'; do
    LC_ALL=C.UTF-8 smemprobe $options --color always | unmeasured
done
smemprobe --stride 2 --explain | unmeasured
NO_COLOR=1 smemprobe --stride 2 --color auto | head -n 3
smemprobe --stride 2 --color sometimes
