exec 2>&1
try() {
    smemprobe explain-counters "$@"
    echo "exit status $?"
}
try
try a.csv b.csv
try nothing.csv
printf 'hello\n"world"\n' >text.csv
try text.csv
printf '"ID","Kernel Name"\n' >empty.csv
try empty.csv
printf '"ID","Kernel Name"\n"0","k\n' >open.csv
try open.csv
printf '"ID","Kernel Name","x"\n"0","k"\n' >short.csv
try short.csv
printf 'ID,Kernel Name,memory_l1_wavefronts_shared\n,,Kinst\n0,k,1\n' >unit.csv
try unit.csv
printf 'ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k,memory_l1_wavefronts_shared,Mbyte,1\n' >unit.csv
try unit.csv
printf 'ID,Kernel Name,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\n,,\n0,k,1e999\n' >large.csv
try large.csv --format csv
for value in 1.234,5 -5 99999999999999999999 12,34 1,2345 5x 1e 0x10; do
    printf 'ID,Kernel Name,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\n,,\n0,k,"%s"\n' "$value" >value.csv
    try value.csv
done
for value in 1,234 1234.00 3.2e+06 n/a '5 (0.1; 0.2)' ''; do
    printf 'ID,Kernel Name,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\n,,\n0,k,"%s"\n' "$value" >value.csv
    smemprobe explain-counters value.csv --format csv | tail -n 1
done
try unit.csv --format xml
try unit.csv -o no/such/folder.csv
try unit.csv -o out.csv
ls
