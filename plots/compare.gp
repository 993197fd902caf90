# SPDX-License-Identifier: MIT
# The variants of one kernel, a row each: time, wavefronts of shared memory, sectors of global memory and,
# where blocks access each other, sectors of remote shared memory. A mark shows the ideal.
#
# data: the columns of `compare FAMILY --format csv`
# variants: their number; timed, remote ("1"): there are times, remote traffic; yardstick ("1"): a mark shows the
# baseline's time

variants = int(variants)
timed = int(timed)
remote = int(remote)
yardstick = timed && int(yardstick)
index = 'column(0)'
wavefronts = '(column("wavefronts_ld") + column("wavefronts_st") + column("wavefronts_atom"))'
counted_wavefronts = '(column("counted_wavefronts_ld") + column("counted_wavefronts_st") + column("counted_wavefronts_atom"))'
sectors = '(column("sectors_ld") + column("sectors_st") + column("sectors_red"))'
counted_sectors = '(column("counted_sectors_ld") + column("counted_sectors_st") + column("counted_sectors_red"))'
is_counted = '(strcol("counted_wavefronts_ld") ne "")'
far = '(column("cluster_ld") + column("cluster_st") + column("cluster_atom"))'
# The longest of each panel's bars and marks.
longer(a, b) = a > b ? a : b # b, where a is missing
stats data using (longer(@wavefronts, column("ideal"))) name "W" nooutput
stats data using (longer(@sectors, column("ideal_sectors"))) name "S" nooutput
T_max = 1
R_max = 1
# A variant on the host accesses no GPU memory, and does not set the scale of the times.
on_host = '(@wavefronts + @sectors == 0)'
later(us, baseline) = baseline > us ? baseline : us # us, where there is no baseline
if (timed) { stats data using (@on_host ? 0 : yardstick ? later(column("time_us"), column("baseline_us")) : column("time_us")) name "T" nooutput }
# Widely different times are dots on a logarithmic axis, as bars could not show them all.
wide_times = 0
if (timed) {
    stats data using (column("time_us") > 0 ? column("time_us") : 1/0) name "U" nooutput
    if (yardstick) { stats data using (column("baseline_us") > 0 ? column("baseline_us") : 1/0) name "B" nooutput } else { B_min = U_min; B_max = U_max }
    wide_times = U_max > 20 * U_min
    low_us = (B_min < U_min ? B_min : U_min) / 1.5
    high_us = B_max > U_max ? B_max : U_max
}
if (remote) { stats data using (@far) name "R" nooutput }
# gnuplot 5.4 fails if no point of the labels is defined, so a hidden label is an empty text.
group(n) = n < 1000 ? sprintf("%d", n) : n < 1e6 ? sprintf("%d,%03d", int(n) / 1000, int(n) % 1000) : \
           n < 1e9 ? sprintf("%d,%03d,%03d", int(n) / 1000000, int(n) / 1000 % 1000, int(n) % 1000) : sprintf("%.4g", n)
tenths(n) = group(n / 10).sprintf(".%d", n % 10)
micro(us) = us < 10 ? sprintf("%.2f", us) : us < 1e4 ? tenths(int(us * 10 + 0.5)) : group(int(us + 0.5))
share(n, most) = most > 0 ? 1. * n / most : 0
has_time = '(strcol("time_us") ne "")'
share_us(us) = wide_times ? (us > low_us ? log(us / low_us) / log(high_us / low_us) : 0) : share(bar_us(us), T_max)
# A longer time of the host gets no bar.
bar_us(us) = us > T_max ? 0 : us
named_us(us, host) = micro(us).(host ? (wide_times ? " (host)" : " on the host") : "")
heads = (timed ? "time,us " : "")."shared,wavefronts global,sectors".(remote ? " remote,sectors" : "")
panels = words(heads)

top = 170
row = 50
left = 255
step = (1600. - left - 10) / panels
wide = step - 165
eval canvas(1600, top + variants * row + 75)
eval plane(width, height)
set style fill solid noborder
x(panel) = left + step * (panel - 1)
y(i) = top + row * (i + 0.5)
w = timed + 1
# The place of a time's number: after its bar or dot, and after the mark if it is in the way. After the longest dot
# there is room for a note on the host.
span = wide - (wide_times ? 45 : 0)
dot(us) = span * share_us(us)
is_in_way(us, mark) = yardstick && mark > 0 && dot(mark) > dot(us) - 4 && dot(mark) < dot(us) + 90
behind(us, mark) = wide_times ? longer(is_in_way(us, mark) ? dot(mark) + 10 : 0, dot(us) + 16) : \
                   wide * share(bar_us(yardstick ? later(us, mark) : us), T_max) + 8
# A counted value is shown below its prediction if it differs.
differs(predicted, counted) = abs(counted - predicted) > 0
counted(predicted, counted) = differs(predicted, counted) ? "counted ".group(counted) : ""
raised(i, predicted, counted) = y(i) - (differs(predicted, counted) ? 10 : 0)
do for [panel = 1:panels] {
    head = word(heads, panel)
    kind = head[1 : strstrt(head, ",") - 1]
    unit = head[strstrt(head, ",") + 1 : *]
    head = kind eq "time" ? "time, us".(wide_times ? ", log scale" : "") : kind.(panels > 3 ? ", " : " memory, ").unit
    set label panel head at x(panel), top - 18 left font ",".text(17) tc rgb soft
}
plot data using (left - 14):(y(@index)):(strcol("variant")) with labels right font ",".text(17) tc rgb ink, \
     data using (timed && !wide_times && bar_us(column("time_us")) > 0 ? x(1) : NaN):(y(@index)):(x(1)):(x(1) + wide * share_us(column("time_us"))):(y(@index) - 15):(y(@index) + 15) with boxxyerror lc rgb third, \
     data using (wide_times && @has_time ? x(1) : NaN):(y(@index)):(dot(column("time_us"))):(0) with vectors nohead lw 3 lc rgb faint, \
     data using (x(1) + (timed && @has_time ? behind(column("time_us"), column("baseline_us")) : 0)):(y(@index)):(timed ? (@has_time ? named_us(column("time_us"), @on_host) : "not timed") : "") with labels left font ",".text(15) tc rgb ink, \
     data using (yardstick && column("baseline_us") > 0 ? x(1) + dot(column("baseline_us")) : NaN):(y(@index) - 20):(0):(40) with vectors nohead lw 4 lc rgb second, \
     data using (wide_times && @has_time ? x(1) + dot(column("time_us")) : NaN):(y(@index)) with points pt 7 ps dots(2) lc rgb third, \
     data using (@wavefronts > 0 ? x(w) : NaN):(y(@index)):(x(w)):(x(w) + wide * share(@wavefronts, W_max)):(y(@index) - 15):(y(@index) + 15) with boxxyerror lc rgb first, \
     data using (x(w) + wide * share(longer(@wavefronts, column("ideal")), W_max) + 8):(raised(@index, @wavefronts, @counted_wavefronts)):(group(@wavefronts)) with labels left font ",".text(15) tc rgb ink, \
     data using (column("ideal") > 0 ? x(w) + wide * share(column("ideal"), W_max) : NaN):(y(@index) - 20):(0):(40) with vectors nohead lw 4 lc rgb second, \
     data using (@sectors > 0 ? x(w + 1) : NaN):(y(@index)):(x(w + 1)):(x(w + 1) + wide * share(@sectors, S_max)):(y(@index) - 15):(y(@index) + 15) with boxxyerror lc rgb first, \
     data using (x(w + 1) + wide * share(longer(@sectors, column("ideal_sectors")), S_max) + 8):(raised(@index, @sectors, @counted_sectors)):(group(@sectors)) with labels left font ",".text(15) tc rgb ink, \
     data using (column("ideal_sectors") > 0 ? x(w + 1) + wide * share(column("ideal_sectors"), S_max) : NaN):(y(@index) - 20):(0):(40) with vectors nohead lw 4 lc rgb second, \
     data using (remote && @far > 0 ? x(w + 2) : NaN):(y(@index)):(x(w + 2)):(x(w + 2) + wide * share(@far, R_max)):(y(@index) - 15):(y(@index) + 15) with boxxyerror lc rgb first, \
     data using (x(w + 1 + remote) + wide * share(@far, R_max) + 8):(y(@index)):(remote ? group(@far) : "") with labels left font ",".text(15) tc rgb ink, \
     data using (x(w) + wide * share(longer(@wavefronts, column("ideal")), W_max) + 8):(y(@index) + 12):(@is_counted ? counted(@wavefronts, @counted_wavefronts) : "") with labels left font ",".text(13) tc rgb wrong, \
     data using (x(w + 1) + wide * share(longer(@sectors, column("ideal_sectors")), S_max) + 8):(y(@index) + 12):(@is_counted ? counted(@sectors, @counted_sectors) : "") with labels left font ",".text(13) tc rgb wrong
