# needs: no cuda
# What a program without kernels says on a machine without a GPU, with one and no driver, with both.
mkdir bin
printf '#!/bin/sh\necho "gnuplot 5.4 patchlevel 4"\n' >bin/gnuplot
chmod +x bin/gnuplot
printf '#!/bin/sh\n' | tee bin/nvdisasm >bin/nvcc
chmod +x bin/nvdisasm bin/nvcc
look() {
    PATH=$PWD/bin:$PATH smemprobe doctor "$@" | sed '/^  . nvcc/,/^  . its cache/d; s/[0-9][0-9,]* measurements/N measurements/; s/; [0-9][0-9]* operations/; N operations/; s/predict, .*/predict .../'
}
SMP_SYSTEM_ROOT=/nowhere look
SMP_SYSTEM_ROOT=$DATA/../standin/root-bare look
SMP_SYSTEM_ROOT=$DATA/../standin/root look
SMP_SYSTEM_ROOT=/nowhere look --color always | sed -n '3p;5p' | cat -v
printf '#!/bin/sh\nexit 3\n' >bin/gnuplot
SMP_SYSTEM_ROOT=/nowhere look --format json -o d.json
SMP_SYSTEM_ROOT=/nowhere look --format json | sed -n '/gnuplot/,$p'
smemprobe doctor --format csv
smemprobe doctor now
smemprobe doctor --device first
ls d.json
