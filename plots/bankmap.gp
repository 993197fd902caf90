# SPDX-License-Identifier: MIT
# An array by its indices, rows downwards: an element's number and colour are its bank. Elements that the access
# touches are framed, and counted by bank below.
#
# data: row, column, offset_bytes, bank, bank_row, lanes, lane
# array (its name), rows, cells (columns shown), first_row, first_column, banks, marked ("1": there is an access)

first_row = int(first_row)
first_column = int(first_column)
rows = int(rows)
cells = int(cells)
banks = int(banks)
marked = int(marked)
touched = 'column("lanes") > 0'
if (marked) {
    stats data using (@touched ? 1 : NaN) name "T" nooutput
}

# The bank's place on the colour scale: neighbours differ little, the first and the last most.
shade(bank) = 0.3 + 4.4 * bank / (banks - 1.)
cell = cells <= 34 ? 42 : int(1420 / cells)
row = rows <= 36 ? 27 : int(972 / rows)
row = row < 14 ? 14 : row
font = cell < 26 || row < 20 ? 9 : 13
# Banks that are named; colours suffice between them.
numbered = 'column("row") == first_row || column("row") == first_row + rows - 1 || column("bank") == 0 || column("lanes") > 0'
left = 150
top = 165
bottom = top + rows * row
strip = marked ? 230 : 0
eval canvas(1600, bottom + strip + 80)
eval plane(width, height)
set style fill solid noborder
x(i) = left + cell * (i - first_column + 0.5)
y(i) = top + row * (i - first_row + 0.5)
set label 1 "row  column" at left - 10, top - 14 right font ",".text(14) tc rgb soft
is_tick(i, n) = n <= 36 ? 1 : int(i) % 4 == 0

set multiplot
plot data using (x(column("column"))):(y(column("row"))):(cell / 2. - 1):(row / 2. - 1):(amount(shade(column("bank")))) \
         with boxxyerror lc rgb variable, \
     data using (@touched ? x(column("column")) : NaN):(y(column("row"))):(cell / 2. - 1):(row / 2. - 1) \
         with boxxyerror fillstyle empty lc rgb second lw 4, \
     data using (@numbered ? x(column("column")) : NaN):(y(column("row"))):(sprintf("%d", column("bank"))):(text_on(shade(column("bank")))) \
         with labels font sprintf(",%s", text(font)) tc rgb variable, \
     data using (column("row") == first_row && is_tick(column("column"), cells) ? x(column("column")) : NaN):(top - 14):(sprintf("%d", column("column"))) \
         with labels font sprintf(",%s", text(font)) tc rgb soft, \
     data using (column("column") == first_column && is_tick(column("row"), rows) ? left - 10 : NaN):(y(column("row"))):(sprintf("%d", column("row"))) \
         with labels right font sprintf(",%s", text(font)) tc rgb soft

if (marked) {
    eval unframe
    unset label
    set lmargin at screen across(left)
    set rmargin at screen across(left + cell * cells)
    set tmargin at screen down(bottom + 96)
    set bmargin at screen down(bottom + strip - 20)
    set table $counts
    plot data using "bank":(column("is_new_word")) smooth frequency
    unset table
    unset datafile columnheaders
    set datafile separator whitespace
    set xrange [-0.5 : banks - 0.5]
    set yrange [0 : *]
    set border 1 lc rgb ink
    set xtics 1 nomirror scale 0 font ",".text(14) textcolor rgb soft
    set boxwidth 0.7
    set label 3 "words that the access touches in each bank (framed above)" at screen across(left), screen down(bottom + 48) left font ",".text(16) tc rgb ink
    plot $counts using 1:2 with boxes lc rgb second, \
         $counts using ($2 > 0 ? $1 : NaN):2:(sprintf("%d", $2)) with labels offset 0, 0.5 font ",".text(16) tc rgb ink
}
unset multiplot
