# An array map of a variable that has no dimensions: a struct of arrays.
smemprobe predict --explain --block 64 --shared "struct { float x[64], y[64]; } soa" "ld soa.x[threadIdx.x]"
