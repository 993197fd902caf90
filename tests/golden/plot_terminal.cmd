smemprobe plot stride
smemprobe plot stride --arch 1.3 --width 1,16 --stride 1:12
smemprobe plot stride --op ld.global --width 4 --stride 0:40
smemprobe plot stride --width 4 --stride 0:8 --color always
