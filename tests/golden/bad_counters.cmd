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
try unit.csv --format xml
try unit.csv -o no/such/folder.csv
try unit.csv -o out.csv
ls
