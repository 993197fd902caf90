smemprobe -h
smemprobe help verify
smemprobe help verfy
smemprobe version
smemprobe -V
smemprobe predict -h | head -n 4
smemprobe plot stride --help | sed '/^exit/,$d'
smemprobe help plot archs | sed '/^exit/,$d'
smemprobe plot all -h
smemprobe plot --help | grep -A1 -e '--stride N' -e '--width'
