# The numbers behind each chart: how many lines, and which.
smemprobe plot stride --stride 31:33 --format csv
smemprobe plot stride --op ld.global --stride 1:3 --width 4 --format csv
smemprobe plot heatmap --stride 32:33 --arch all --format csv
smemprobe plot archs --format csv
smemprobe plot bankmap --shared 'float t[4][5]' 'ld t[laneid % 4][1]' --format csv
smemprobe plot agreement -o a.csv && head -n 5 a.csv && wc -l <a.csv
