#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The patch of shared memory saves no register before it looks a request up: each would cost each known request a store
# and a load. Usage: patch_registers.sh PATCH.fatbin FOLDER-OF-TOOLS; 77 without NVIDIA's disassemblers.
set -euo pipefail
patch=$(realpath "$1")
PATH=$PATH:$(realpath "$2"):/usr/local/cuda/bin
command -v cuobjdump nvdisasm >/dev/null || { echo "skipped: cuobjdump or nvdisasm not found"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cuobjdump -xelf all "$patch" >/dev/null
looked=0
for chip in 75 80 90; do
    for cubin in *.sm_$chip.cubin; do
        [ -e "$cubin" ] || continue
        nvdisasm -c "$cubin" >code
        # From the beginning to the first vote, which begins the look-up.
        awk '/^\.text\.smp_patch_shared:/ { on = 1 } on { print } on && /VOTE/ { exit }' code >start
        grep -q VOTE start || { echo "sm_$chip: no look-up found"; exit 1; }
        if grep STL start; then
            echo "sm_$chip: the patch saves registers for each request"
            exit 1
        fi
        looked=$((looked + 1))
    done
done
echo "$looked chips: no register is saved"
[ "$looked" -gt 0 ] || exit 77
