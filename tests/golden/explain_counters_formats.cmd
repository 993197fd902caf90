D=$DATA/../data
smemprobe explain-counters $D/ncu-transposes-4096.csv --format csv
smemprobe explain-counters $D/ncu-transposes-256-mixed.csv -o out.json
sed -n '/"id": "6"/,/^ }/p' out.json
# CRLF, other order, quotes in the name, no quotes at all, a column that is missing.
printf 'Kernel Name,ID,memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal\r\n,,inst,\r\n"a ""quoted"" <x>(int)",7,"1,000",250\r\nshort,8,n/a,\r\n' >small.csv
smemprobe explain-counters small.csv --color always | cat -v
smemprobe explain-counters small.csv --format csv
smemprobe explain-counters small.csv --format json | tail -n 50
