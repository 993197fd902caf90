# Bytes that are no UTF-8, in names and recorded files, never take an object of JSON with them.
name=$(printf 'b\344nk \303\244 \355\240\200 \360\237.smp')
printf 'shared int a[32]\nld a[laneid]\nexpect ways <= 0\n' >"$name"
smemprobe check "$name" --format json | grep -a '"file"\|"message"'
sed 's/naive_read/na\xefve_read/' "$DATA/../data/ncu-transposes-4096.csv" >counters.csv
smemprobe explain-counters counters.csv --format json | grep '"id"\|"kernel"' | head -n 4
printf '# gpu: Caf\351\n# cc: 8.0\n# driver: 1\n# cuda: 13.0\n# date: 2026-01-01\n# tool: x\n# command: y\n# counter: c\n' >mine.txt
printf -- '--op ld --width 4 --stride 33\twavefronts=1\n' >>mine.txt
smemprobe --stride 33 --arch sm_80 --recorded mine.txt --format json | grep -A 3 '"measured"'
