# SPDX-License-Identifier: MIT
# tools.sh: for tests in bash that need NVIDIA's tools. What is here is asked of the program itself, which looks for
# them in more places than PATH.

# skip_if_lacking FILE: skips the test (77) if FILE, which a command wrote, says that a tool was not found.
skip_if_lacking() {
    local lacking
    if lacking=$(grep -ohE '(nvdisasm|cuobjdump|nvcc|ptxas) not found' "$1"); then
        echo "skipped: ${lacking%%$'\n'*}"
        exit 77
    fi
}

# needs_nvdisasm PROGRAM: skips the test (77) where the program finds no nvdisasm.
needs_nvdisasm() {
    local said data
    said=$(mktemp)
    data=$(dirname "${BASH_SOURCE[0]}")/../data/sass
    SMEMPROBE_CACHE=off "$1" emulate "$data/two.cubin" \
        --launch 'reduce<<<1,32,128>>>(float[1], float[32], 32)' >"$said" 2>&1 || true
    (skip_if_lacking "$said") || { rm -f "$said" && exit 77; }
    rm -f "$said"
}
