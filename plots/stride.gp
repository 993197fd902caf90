# SPDX-License-Identifier: MIT
# Wavefronts a request over the stride, for 4-, 8- and 16-byte loads: the prediction as a line, what the
# hardware counters said as points on it.
#
# Set before: data (file: stride, then predicted and measured for each width), arch, provenance, plain
# (1 on a text terminal).

set encoding utf8
set datafile missing "NaN"
set xrange [-1:65]
set yrange [0.8:40]
set logscale y 2
set xtics 8
set ytics 2
set mxtics 8
set xlabel "stride between lanes, in elements"
set ylabel "wavefronts a request"
set title sprintf("Bank conflicts by stride on %s", arch) noenhanced
set key outside bottom center horizontal
set border 3
set tics nomirror out

if (!plain) {
    set title font ",26"
    set grid ytics lc rgb "#d0d0d0" lw 1
    set key samplen 3
    set label 1 provenance at graph 1, graph 1.045 right font ",14" textcolor rgb "#606060"
    set object 1 rectangle from screen 0,0 to screen 1,1 behind fillcolor rgb "#ffffff" fillstyle solid noborder
    plot data using 1:6 with steps lw 2 lc rgb "#c2571a" title "float4 (16 bytes)", \
         data using 1:7 with points pt 7 ps 1.3 lc rgb "#c2571a" title "measured", \
         data using 1:4 with lines lw 2 lc rgb "#2a7f62" title "double (8 bytes)", \
         data using 1:5 with points pt 7 ps 1.3 lc rgb "#2a7f62" title "measured", \
         data using 1:2 with lines lw 2 lc rgb "#2f5fa8" title "float (4 bytes)", \
         data using 1:3 with points pt 7 ps 1.3 lc rgb "#2f5fa8" title "measured"
} else {
    unset grid
    plot data using 1:2 with impulses title "predicted, 4 bytes", \
         data using 1:3 with points pt "O" title "measured"
    print provenance
}
