# SPDX-License-Identifier: MIT
# Shared by all charts: colours, fonts, the frame with title and provenance. Runs before each script, which calls
# `eval canvas(WIDTH, HEIGHT)`. (analyzer/charts/terminal.c draws in terminals.)
#
# Variables of every chart, all strings: title, subtitle (how to read it), provenance, data (the CSV),
# ending (png, svg, pdf), theme (light, dark, auto).
#
# Colours: Okabe and Ito's for kinds of marks, a scale of darkness for amounts; both work without colour vision.
# `auto` has no background and colours of medium lightness.

set encoding utf8
set datafile separator ","
if (GPVAL_VERSION < 5.4) { exit error "gnuplot 5.4 or newer is needed" }
set datafile columnheaders

if (theme eq "dark") {
    paper = "#0d1117"; ink = "#e6edf3"; soft = "#9198a1"; faint = "#30363d"
    first = "#56b4e9"; second = "#f0a35e"; third = "#2ebd91"; wrong = "#ff6b5e"
    amounts = "#1d2632 #1f3f5c #2a6387 #5290a5 #9dbf9e #f4e38c"
    turn = 3.5
    dark_text = "#0d1117"; light_text = "#e6edf3"
    low_text = light_text; high_text = dark_text
} else {
    paper = "#ffffff"; ink = "#1f2328"; soft = "#59636e"; faint = "#d8dee4"
    first = "#0072b2"; second = "#d55e00"; third = "#009e73"; wrong = "#c4001a"
    amounts = "#f1f4f8 #c9dcea #8dbbd6 #4a90bd #1c5f94 #0b2f5c"
    turn = 2.5
    low_text = "#1f2328"; high_text = "#ffffff"
}
if (theme eq "auto") {
    ink = "#7d858f"; soft = "#7d858f"; faint = "#9aa1a9"; first = "#2f86c6"; second = "#d9691c"; third = "#1f9d78"
}

# The colour of amount x between 0 and 5, as a number for `lc rgb variable`; and of text on it.
part(c, i) = int("0x".substr(c, 2 * i, 2 * i + 1))
mix(a, b, f, i) = int(part(a, i) + f * (part(b, i) - part(a, i)) + 0.5)
between(a, b, f) = 65536 * mix(a, b, f, 1) + 256 * mix(a, b, f, 2) + mix(a, b, f, 3)
is_number(x) = x > -1e300
clip(x) = !is_number(x) || x < 0 ? 0 : x > 5 ? 5 : x
amount(x) = between(word(amounts, int(clip(x) > 4.999 ? 4 : clip(x)) + 1), \
                    word(amounts, int(clip(x) > 4.999 ? 4 : clip(x)) + 2), \
                    clip(x) > 4.999 ? 1 : clip(x) - int(clip(x)))
number(c) = int("0x".substr(c, 2, 7))
text_on(x) = number(x < turn ? low_text : high_text)

# The layout is in pixels of the PNG; other formats have the same proportions. `png` uses a palette, which makes small
# files but no smooth edges on an unknown background.
paint = theme eq "auto" ? "" : sprintf(" background rgb '%s'", paper)
device(w, h) = \
    ending eq "png" && theme eq "auto" ? sprintf("set terminal pngcairo transparent size %d,%d font 'DejaVu Sans,20'", w, h) : \
    ending eq "png" ? sprintf("set terminal png size %d,%d font 'DejaVu Sans,20'%s", w, h, paint) : \
    ending eq "svg" ? sprintf("set terminal svg size %d,%d dynamic font 'sans-serif,22'%s", w, h, paint) : \
    sprintf("set terminal pdfcairo size %gcm,%gcm font 'DejaVu Sans,9' linewidth 0.4 pointscale 0.35%s", \
            w / 100., h / 100., paint)
down(y) = 1 - y / height
across(x) = x / width
text(size) = sprintf("%g", size * (ending eq "svg" ? 1.2 : ending eq "pdf" ? 0.45 : 1))
dots(size) = size * (ending eq "svg" ? 0.5 : 1)

frame(w, h) = sprintf("\
set label 901 title at screen across(30), screen down(44) left font ',%s' tc rgb ink noenhanced;\
set label 902 subtitle at screen across(30), screen down(88) left font ',%s' tc rgb soft noenhanced;\
set label 903 provenance at screen across(30), screen down(%d) left font ',%s' tc rgb soft noenhanced;", \
    text(24), text(18), h - 24, text(15))
style = "\
set border 3 lc rgb ink; set tics nomirror out textcolor rgb ink; set grid noxtics ytics lc rgb faint lw 1 dt 1;\
set key textcolor rgb ink noenhanced; set xlabel textcolor rgb ink noenhanced; set ylabel textcolor rgb ink noenhanced;"
canvas(w, h) = sprintf("width = %d.; height = %d.; ", w, h).device(w, h)."; ".frame(w, h)." ".style
# A plane of pixels with the origin at the top left, for charts that are tables.
plane(w, h) = sprintf("set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0;\
set xrange [0:%d]; set yrange [%d:0]; unset border; unset tics; unset key; unset grid; unset colorbox;", w, h)
# The name of the x axis, centred at pixel (x, y).
x_name(name, x, y) = sprintf("set label 904 \"%s\" at screen across(%d), screen down(%d) center font ',%s' tc rgb ink noenhanced", name, x, y, text(17))
unframe = "unset label 901; unset label 902; unset label 903"

# Strides with a label.
every(low, high) = high - low <= 18 ? 1 : high - low <= 80 ? 8 : 32
ticks(low, high) = sprintf("set xtics %d, %d, %d; set mxtics %d", every(low, high) == 1 ? low : 0, every(low, high), high, every(low, high))
