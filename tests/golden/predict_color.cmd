smemprobe --stride 32 --color always
NO_COLOR=1 smemprobe --stride 32 --color auto
