smemprobe plot heatmap
smemprobe plot heatmap --arch 9.0 --op atom --stride 0:3
