# SPDX-License-Identifier: MIT
# The cost of one operation by stride, with a panel per width: the prediction as a bar, the counter's value as a dot.
# Nothing is drawn between whole strides.
#
# data: arch, op, width_bytes, stride, predicted, measured
# widths ("4 8 16"), first and last stride, measured ("1": there are measurements)

count = words(widths)
set xrange [real(first_stride) - 1 : real(last_stride) + 1]
set logscale y 2
set ytics (1, 2, 4, 8, 16, 32, 64, 128)
stats data using "predicted" name "P" nooutput
# Bars begin at one wavefront, so a conflict-free stride has hardly any bar.
set yrange [0.93 : 1.4 * (P_max < 32 ? 32 : P_max)]
measured = int(measured)
name(bytes) = bytes == 1 ? "char" : bytes == 2 ? "half" : bytes == 4 ? "float" : bytes == 8 ? "double" : "float4"
of(panel, value) = column("width_bytes") == int(word(widths, panel)) ? value : NaN
head(panel) = sprintf("%s byte%s per lane (%s)", word(widths, panel), word(widths, panel) eq "1" ? "" : "s", name(int(word(widths, panel))))

panel_height = 205
gap = 52
top = 160
eval canvas(1600, top + count * (panel_height + gap) + 95)
set lmargin at screen across(100)
set rmargin at screen across(1570)
eval ticks(int(first_stride), int(last_stride))
set boxwidth 0.55
set style fill solid noborder
set key at screen across(1570), screen down(88) right center horizontal samplen 1.5 width 1

set multiplot
do for [panel = 1:count] {
    y = top + (panel - 1) * (panel_height + gap)
    set tmargin at screen down(y)
    set bmargin at screen down(y + panel_height)
    set format x panel == count ? "%g" : ""
    if (panel == count) { eval x_name("stride between neighbouring lanes, in elements", 835, y + panel_height + 80) }
    set label 1 head(panel) at screen across(106), screen down(y - 14) left font ",".text(16) tc rgb ink
    plot data using "stride":(of(panel, column("predicted"))) with boxes lc rgb first title "predicted", \
         data using "stride":(of(panel, column("measured"))) with points pt 7 ps dots(1.3) lc rgb second title (measured ? "measured" : "")
    eval unframe
    unset key
}
unset multiplot
