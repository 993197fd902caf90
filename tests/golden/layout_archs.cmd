exec 2>&1
# Architectures that a layout does not fit, and the bank mode of those that the file names.
try() {
    echo "-- $*"
    smemprobe "$@"
    echo "exit status $?"
}
printf 'shared float t[100000]\nld t[threadIdx.x]\nexpect ways <= 1\n' >big.smp
try big.smp
try big.smp --arch all
try check big.smp --arch sm_13
try fix big.smp
try 'ld t[threadIdx.x * 3]' --shared 'float t[10000]' --arch all
printf 'arch sm_35\nshared double t[64]\nld t[threadIdx.x]\n' >kepler.smp
try kepler.smp --bank-mode 8
try kepler.smp --bank-mode 8 --arch sm_90
echo "-- in a table for programs"
smemprobe 'ld t[threadIdx.x * 3]' --shared 'float t[10000]' --arch all --format csv | awk -F, -v OFS=, '{ print $11, $1, $14, $2 }' | tail -n 2
