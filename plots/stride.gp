# SPDX-License-Identifier: MIT
# Wavefronts a request over the stride, a panel for loads of 4, 8 and 16 bytes a lane: the prediction as a
# line, what the hardware counter said as points on it.
#
# Set before: data (file: stride, then predicted and measured for each width), arch, provenance, plain
# (1 on a text terminal).

set encoding utf8
set datafile missing "NaN"
set xrange [-1:65]
set yrange [0.75:44]
set logscale y 2
set xtics 8
set ytics (1, 2, 4, 8, 16, 32)
set border 3
set tics nomirror out

if (plain) {
    set title sprintf("wavefronts of a 4-byte load over the stride on %s", arch)
    set xlabel "stride between lanes, in elements"
    set key below
    plot data using 1:2 with impulses title "predicted", \
         data using 1:3 with points pt "O" title "measured"
    print provenance
    exit
}

set object 1 rectangle from screen 0,0 to screen 1,1 behind fillcolor rgb "#ffffff" fillstyle solid noborder
set mxtics 8
set grid ytics lc rgb "#e2e2e2" lw 1
set lmargin at screen 0.07
set rmargin at screen 0.975
set key at screen 0.975, screen 0.915 right top horizontal samplen 2 spacing 1.2 width 2

set multiplot
set label 1 sprintf("Shared-memory loads by stride on %s", arch) at screen 0.07, screen 0.955 left font ",26" noenhanced
set label 2 provenance at screen 0.07, screen 0.898 left font ",15" textcolor rgb "#606060" noenhanced
set label 4 "wavefronts a request" at screen 0.018, screen 0.5 center rotate by 90

top = 0.84
height = 0.205
gap = 0.055
do for [panel = 0:2] {
    set tmargin at screen top - panel * (height + gap)
    set bmargin at screen top - panel * (height + gap) - height
    if (panel == 2) {
        set format x "%g"
        set xlabel "stride between neighbouring lanes, in elements" offset 0, 0.4
    } else {
        set format x ""
        unset xlabel
    }
    if (panel > 0) { unset label 1; unset label 2; unset label 4; unset object 1; unset key }
    set label 3 word("float double float4", panel + 1).sprintf(", %d bytes a lane", 4 * 2 ** panel) \
        at graph 0.005, graph 1.09 left font ",17" textcolor rgb word("#2f5fa8 #2a7f62 #b8501a", panel + 1)
    colour = word("#2f5fa8 #2a7f62 #b8501a", panel + 1)
    plot data using 1:(column(2 + 2 * panel)) with lines lw 2 lc rgb colour title "predicted", \
         data using 1:(column(3 + 2 * panel)) with points pt 7 ps 1.15 lc rgb colour title "measured"
}
unset multiplot
