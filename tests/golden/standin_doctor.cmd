# needs: stand-in
# The rows from the kernels down to the clocks, and what works, in each state.
mkdir bin
printf '#!/bin/sh\n' | tee bin/nvdisasm >bin/nvcc
chmod +x bin/nvdisasm bin/nvcc
PATH=$PWD/bin:$PATH
for state in works locked locked-vgpu no-driver not-a-driver no-cupti cupti-old driver-old driver-stub \
    driver-mismatch driver-broken no-device gpus=0 cc=99 attached mig device-error cudaMalloc=2 \
    cuLaunchKernel=1 cudaSetDevice=101 gpus=2,cc=86; do
    echo "== $state"
    SMP_STANDIN=$state smemprobe doctor | sed '/^  . nvcc/,/^  . its cache/d; /^  . model\|recordings\|gnuplot\|terminal\|predict,\|emulate,/d; s|/[^ ]*/lib/|.../|; s|=/.*/none |=... |'
    echo "exit status ${PIPESTATUS[0]}"
done
SMP_STANDIN=gpus=2 smemprobe doctor --device 1 | grep -c 'may be read'
SMP_STANDIN=gpus=1 smemprobe doctor --device 1 | grep -A 1 '! counters'
