smemprobe plot cluster
smemprobe plot cluster --op atom --stride 0:2 --format csv
# An own recording counts before what is built in.
printf '# gpu: mine\n# cc: 9.0\n# driver: 1\n# cuda: 2\n# date: 2000-01-01\n--op ld.shared::cluster --width 4 --stride 1\ttransactions=4\tcycles=7\n' >mine.txt
smemprobe plot cluster --stride 1 --format csv mine.txt
