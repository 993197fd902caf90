# SPDX-License-Identifier: MIT
# The cost of one access on every generation: a bar for each row of equal architectures. Where the hardware may
# choose, the bar continues in a lighter tone from minimum to maximum. The mark is the ideal.
#
# data: row, architectures, evidence, unit, min, max, ideal, ways
# rows: their number

rows = int(rows)
stats data using "max" name "M" nooutput
cost(low, high) = low == high ? sprintf("%d", high) : sprintf("%d to %d", low, high)
unit(low, high) = high == 1 ? "wavefront" : "wavefronts"

top = 150
row = 58
left = 470
longest = 800.
eval canvas(1600, top + rows * row + 70)
eval plane(width, height)
set style fill solid noborder
y(i) = top + row * (i + 0.5)
x(n) = left + n * longest / M_max
plot data using (left):(y(column("row"))):(left):(x(column("max"))):(y(column("row")) - 17):(y(column("row")) + 17) \
         with boxxyerror fillstyle solid 0.35 noborder lc rgb first, \
     data using (left):(y(column("row"))):(left):(x(column("min"))):(y(column("row")) - 17):(y(column("row")) + 17) \
         with boxxyerror lc rgb first, \
     data using (x(column("ideal"))):(y(column("row")) - 23):(0):(46) with vectors nohead lw 4 lc rgb second, \
     data using (x(column("max")) + 12):(y(column("row"))):(cost(column("min"), column("max"))) with labels left font ",".text(18) tc rgb ink, \
     data using (30):(y(column("row"))):(strcol("architectures")) with labels left font ",".text(18) tc rgb ink, \
     data using (1570):(y(column("row"))):(strcol("evidence")) with labels right font ",".text(15) tc rgb soft, \
     data using (column("row") == 0 && column("ideal") > 0 ? x(column("ideal")) : NaN):(top - 12):("ideal") with labels font ",".text(15) tc rgb second
