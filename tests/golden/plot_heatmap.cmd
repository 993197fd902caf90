smemprobe plot heatmap
smemprobe plot heatmap --arch 9.0 --op atom --stride 0:3
smemprobe plot heatmap --op atom --stride 0:40 -o wide.png && echo "more strides than numbers fit"
