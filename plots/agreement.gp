# SPDX-License-Identifier: MIT
# Predicted against measured. On the left every pair of values, larger the more often it occurs; on the right the
# number of accesses of each operation. A pair that differs is a red cross.
#
# data: op, width_bytes, predicted, measured, accesses
# names: the operations that occur, in order

ops = words(names)
# The index of a name.
slot(op) = words((" ".names)[1 : strstrt(" ".names." ", " ".op." ")])
agrees = 'column("predicted") == column("measured")'
differs = '(column("predicted") > 0 && column("predicted") != column("measured"))'
read_csv = 'set datafile separator ","; set datafile columnheaders'
read_table = 'unset datafile columnheaders; set datafile separator whitespace'

# Sums by value and by operation, and those that differ.
set table $pairs
plot data using "predicted":(@agrees ? column("accesses") : 0) smooth frequency
set table $counts
plot data using (slot(strcol("op"))):"accesses" smooth frequency
set table $wrong
plot data using (slot(strcol("op"))):(@differs ? column("accesses") : 0) smooth frequency
unset table
@read_table
stats $counts using 2 name "C" nooutput
stats $pairs using 1 name "V" nooutput
most = 1.25 * (V_max < 64 ? 64 : V_max)
group(n) = n < 1000 ? sprintf("%d", n) : sprintf("%d,%03d", int(n) / 1000, int(n) % 1000)

set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256)
set ytics (1, 2, 4, 8, 16, 32, 64, 128, 256)
top = 150
side = 700
row = 29
right = 1080
bottom = top + (side > ops * row ? side : ops * row)
eval canvas(1600, bottom + 150)
size(n) = n > 0 ? 0.9 + 0.55 * log10(n) : NaN

set multiplot
set lmargin at screen across(130)
set rmargin at screen across(130 + side)
set tmargin at screen down(top)
set bmargin at screen down(top + side)
set logscale xy 2
set xrange [0.8:most]
set yrange [0.8:most]
set grid xtics ytics lc rgb faint lw 1 dt 1
eval x_name("predicted", 130 + side / 2, top + side + 82)
set label 1 "measured" at screen across(45), screen down(top + side / 2) center rotate by 90 font ",".text(17) tc rgb ink
unset key
@read_csv
plot x with lines lw 1.5 lc rgb faint, \
     data using (@differs ? column("predicted") : NaN):"measured" with points pt 2 ps 2.5 lw 3 lc rgb wrong
eval unframe
@read_table
unset tics
unset border
unset grid
unset label 1
unset label 904
plot $pairs using ($2 > 0 ? $1 : NaN):1:(dots(size($2))) with points pt 7 ps variable lc rgb first

unset logscale
eval plane(width, height)
set style fill solid noborder
y(i) = top + row * (i + 0.5)
set label 1 "recorded accesses of each operation" at right, top - 16 left font ",".text(16) tc rgb soft
plot $counts using (right - 10):(y($1)):(word(names, int($1) + 1)) with labels right font ",".text(15) tc rgb ink noenhanced, \
     $counts using (right):(y($1)):(right):(right + $2 * 380. / C_max):(y($1) - 9):(y($1) + 9) with boxxyerror lc rgb first, \
     $counts using (right + 10 + $2 * 380. / C_max):(y($1)):(group($2)) with labels left font ",".text(15) tc rgb ink, \
     $wrong using (1570):(y($1)):($2 > 0 ? sprintf("%d differ", $2) : "") with labels right font ",".text(15) tc rgb wrong
unset multiplot
