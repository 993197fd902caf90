# One access, alone, in source text and as a line: the same columns, of which batch has the first ten, and the same figures.
access="ld.shared 4 ffffffff $(seq -s ' ' 0 8 248)"
smemprobe --stride 2 --format csv >single
smemprobe 'ld t[2 * threadIdx.x]' --shared 'float t[64]' --format csv >layout
echo "$access" | smemprobe batch - --format csv >batch
head -n 1 single | cmp - <(head -n 1 layout) && echo 'single accesses and those of source text have the same columns'
cmp <(head -n 1 batch) <(head -n 1 single | cut -d, -f1-10) && echo 'and begin with those of batch'
for file in single layout batch; do tail -n 1 $file | cut -d, -f2-10; done
for file in single layout; do tail -n 1 $file | cut -d, -f11-; done
