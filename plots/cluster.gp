# SPDX-License-Identifier: MIT
# An access to the block's own shared memory and to another block's, by stride: cycles above; below what the
# hardware counts, wavefronts in own memory and 32-byte sectors in another block's.
#
# data: memory, op, width_bytes, stride, unit, predicted, measured, cycles, gpu, driver, cuda, date
# first and last stride

low = int(first_stride)
high = int(last_stride)
of(memory, value) = strcol("memory") eq memory ? column(value) : NaN
set xrange [low - 1 : high + 1]
set yrange [0:*]

eval canvas(1600, 1035)
set lmargin at screen across(110)
set rmargin at screen across(1570)
eval ticks(low, high)
set boxwidth 0.36
set style fill solid noborder
set offsets 0, 0, graph 0.05, 0
set key at screen across(1570), screen down(88) right center horizontal samplen 1.5 width 1

set multiplot
do for [panel = 1:2] {
    y = panel == 1 ? 160 : 570
    set tmargin at screen down(y)
    set bmargin at screen down(y + 320)
    set format x panel == 2 ? "%g" : ""
    if (panel == 2) { eval x_name("stride between neighbouring lanes, in elements", 840, y + 400) }
    set label 1 panel == 1 ? "cycles per request, eight warps at once" : "wavefronts in own memory, 32-byte sectors in another block's" \
        at screen across(116), screen down(y - 16) left font ",".text(16) tc rgb ink
    value = panel == 1 ? "cycles" : "predicted"
    if (panel == 1) {
        plot data using (column("stride") - 0.2):(of("own", value)) with boxes lc rgb first title "own memory", \
             data using (column("stride") + 0.2):(of("remote", value)) with boxes lc rgb second title "another block's"
    } else {
        set key at screen across(1570), screen down(y - 16) right center horizontal samplen 1.5 width 1
        plot data using (column("stride") - 0.2):(of("own", value)) with boxes lc rgb first notitle, \
             data using (column("stride") + 0.2):(of("remote", value)) with boxes lc rgb second notitle, \
             data using (column("stride") + (strcol("memory") eq "own" ? -0.2 : 0.2)):"measured" with points pt 7 ps dots(0.9) lc rgb ink title "measured"
    }
    eval unframe
}
unset multiplot
