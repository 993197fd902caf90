D=$DATA/../data
smemprobe explain-counters $D/ncu-transposes-4096.csv
smemprobe explain-counters $D/ncu-accesses.csv
smemprobe explain-counters - <$D/ncu-transposes-256-mixed.csv | tail -n 19
smemprobe explain-counters $D/ncu-details.csv
