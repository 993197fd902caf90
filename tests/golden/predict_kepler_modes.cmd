smemprobe --stride 32 --arch sm_35 --bank-mode 4 --format csv
smemprobe --stride 32 --arch sm_35 --bank-mode 8 --format csv
