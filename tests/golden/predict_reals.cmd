# Cycles have the digits that were recorded, and no more.
smemprobe --stride 33 --format json | grep -cE '"cycles": [0-9]+\.[0-9]{1,5}$'
