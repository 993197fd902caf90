# needs: stand-in
# Where libcupti is looked for: a copy of the program, with folders of its own around it.
folder=$(dirname "$(readlink -f "$(command -v smemprobe)")")
mkdir -p prog/bin driver other both
cp "$folder/smemprobe_standin" prog/bin/program
ln -s "$folder/lib/libcuda.so.1" driver/
cp driver/libcuda.so.1 both/
cp "$folder/lib/libcupti.so.13" other/libcupti.so.12
cp "$folder/lib/libcupti.so.13" both/
export SMP_SYSTEM_ROOT=/nowhere
look() {
    env LD_LIBRARY_PATH=driver "$@" prog/bin/program doctor | grep -A 1 CUPTI | sed "s|$PWD|.|"
}
for place in lib64 extras/CUPTI/lib64 lib targets/x86_64-linux/lib nvidia/cu13/lib nvidia/cuda_cupti/lib \
    lib/python3.11/site-packages/nvidia/cu13/lib; do
    mkdir -p "prog/.cuda/$place"
    cp "$folder/lib/libcupti.so.13" "prog/.cuda/$place/"
    look
    rm -r prog/.cuda
done
look SMP_CUPTI_PATH= LD_LIBRARY_PATH=both
look SMP_CUPTI_PATH=other
look SMP_CUPTI_PATH="$PWD/other/libcupti.so.12"
look SMP_CUPTI_PATH=driver
look SMP_CUPTI_PATH="$(printf 'x%.0s' $(seq 5000))" | cut -c 1-60
