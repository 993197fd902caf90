# SPDX-License-Identifier: MIT
# Wavefronts by stride (across) and width (down), with a block of rows for equal architectures. Numbers are exact; a
# cell darkens with each doubling above one wavefront.
#
# data: panel, architectures, evidence, width_bytes, stride, wavefronts_min, wavefronts_max
# panels and strides: their numbers

panels = int(panels)
strides = int(strides)
level(x) = log(x) / log(2)
stats data using (column("stride")) name "S" nooutput
most = 'column("wavefronts_max")'
stats data using (@most) name "W" nooutput
# The darkest cell is the largest number, so that 32 and 128 differ.
darkness(x) = level(x) * 5 / (W_max > 32 ? level(W_max) : 5)
is_head = 'column("width_bytes") == 1 && column("stride") == S_min'
is_start = 'column("stride") == S_min'
index = 'int(column(0)) % strides'
# "5.0 - 12.1 Maxwell - Blackwell": the versions, and the rest.
versions(text) = word(text, 2) eq "-" ? word(text, 1)." - ".word(text, 3) : word(text, 1)
names(text) = text[strlen(versions(text)) + 2 : *]
# Two words of "measured / documented / published / assumed", from word i.
two(text, i) = words(text) < i ? "" : word(text, i).(words(text) > i ? " / ".word(text, i + 2) : "").(words(text) > i + 3 ? " /" : "")

cell = strides <= 34 ? 36 : int(1224 / strides)
row = 34
left = 1600 - 30 - cell * strides
top = 150
bottom = top + panels * 6 * row - row
eval canvas(1600, bottom + 130)
eval plane(width, height)
set style fill solid noborder
x(i) = left + cell * (i + 0.5)
y(panel, bytes) = top + row * (panel * 6 + level(bytes) + 0.5)
bytes(b) = sprintf("%d byte%s", b, b == 1 ? "" : "s")
eval x_name("stride between neighbouring lanes, in elements", left + cell * strides / 2, bottom + 62)
plot data using (is_number(@most) ? x(@index) : NaN):(y(column("panel"), column("width_bytes"))):(cell / 2. - 1):(row / 2. - 1): \
         (amount(darkness(@most))) with boxxyerror lc rgb variable, \
     data using (strides <= 34 && is_number(@most) ? x(@index) : NaN):(y(column("panel"), column("width_bytes"))): \
         (sprintf("%d", @most)):(text_on(darkness(@most))) \
         with labels font ",".text(13) tc rgb variable, \
     data using (@is_start ? left - 10 : NaN):(y(column("panel"), column("width_bytes"))): \
         (bytes(column("width_bytes"))) with labels right font ",".text(14) tc rgb soft, \
     data using (@is_head ? 30 : NaN):(y(column("panel"), 1) - 2):(versions(strcol("architectures"))) \
         with labels left font ",".text(17) tc rgb ink, \
     data using (@is_head ? 30 : NaN):(y(column("panel"), 2)):(names(strcol("architectures"))) \
         with labels left font ",".text(14) tc rgb ink, \
     data using (@is_head ? 30 : NaN):(y(column("panel"), 4)):(two(strcol("evidence"), 1)) \
         with labels left font ",".text(12) tc rgb soft, \
     data using (@is_head ? 30 : NaN):(y(column("panel"), 8)):(two(strcol("evidence"), 5)) \
         with labels left font ",".text(12) tc rgb soft, \
     data using (column("panel") == 0 && column("width_bytes") == 1 && (strides <= 34 || int(column("stride")) % 8 == 0) ? x(@index) : NaN): \
         (bottom + 20):(sprintf("%d", column("stride"))) with labels font ",".text(14) tc rgb ink
