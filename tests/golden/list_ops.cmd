smemprobe list ops
# Plain values: numbers, words, and a column for each piece of evidence.
for table in ops coverage archs kernels formats; do smemprobe list $table --format csv | head -n 2; done
