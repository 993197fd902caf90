#!/bin/sh
# SPDX-License-Identifier: MIT
# Disassembles the access kernels of PROGRAM for sm_90 and checks that each contains its machine instruction exactly once,
# besides the store of its results. Needs nvdisasm, no GPU. Usage: check_instructions.sh UNPACK_CODE PROGRAM; 77 without
# nvdisasm or kernels.
set -eu

unpack=$1
program=$2
here=$(dirname "$0")
for candidate in nvdisasm "${CUDA_HOME:-/usr/local/cuda}/bin/nvdisasm" \
    "$here"/../../.cuda/bin/nvdisasm "$here"/../../.disassemblers/bin/nvdisasm; do
    command -v "$candidate" >/dev/null 2>&1 && found=$candidate && break
done
if [ -z "${found:-}" ]; then
    echo "skipped: no nvdisasm"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$unpack" "$program" "$work"

# The fallback of a remote 64-bit exchange (LD, ST) is taken only if the address is not remote.
for cubin in "$work"/*.sm_90.cubin; do
    [ ! -e "$cubin" ] || "$found" -c "$cubin"
done | awk '
BEGIN {
    split("LdShared1 LDS.U8 LdShared2 LDS.U16 LdShared4 LDS LdShared8 LDS.64 LdShared16 LDS.128 " \
          "StShared1 STS.U8 StShared2 STS.U16 StShared4 STS StShared8 STS.64 StShared16 STS.128 " \
          "AtomShared4 ATOMS.ADD AtomShared8 ATOMS.EXCH.64 RedShared4 ATOMS.ADD " \
          "RedSharedInc4 ATOMS.POPC.INC.32 " \
          "CasShared4 ATOMS.CAS CasShared8 ATOMS.CAS.64 " \
          "LdMatrix1 LDSM.16.M88 LdMatrix2 LDSM.16.M88.2 LdMatrix4 LDSM.16.M88.4 " \
          "LdMatrix1Trans LDSM.16.MT88 LdMatrix2Trans LDSM.16.MT88.2 " \
          "LdMatrix4Trans LDSM.16.MT88.4 " \
          "StMatrix1 STSM.16.M88 StMatrix2 STSM.16.M88.2 StMatrix4 STSM.16.M88.4 " \
          "StMatrix1Trans STSM.16.MT88 StMatrix2Trans STSM.16.MT88.2 " \
          "StMatrix4Trans STSM.16.MT88.4 " \
          "CopyCa4 LDGSTS.E CopyCa8 LDGSTS.E.64 CopyCa16 LDGSTS.E.128 " \
          "CopyCg16 LDGSTS.E.BYPASS.128 " \
          "LdGlobal1 LDG.E.U8 LdGlobal2 LDG.E.U16 LdGlobal4 LDG.E LdGlobal8 LDG.E.64 " \
          "LdGlobal16 LDG.E.128 StGlobal1 STG.E.U8 StGlobal2 STG.E.U16 StGlobal4 STG.E " \
          "StGlobal8 STG.E.64 StGlobal16 STG.E.128 RedGlobal4 REDG.E.ADD.STRONG.GPU " \
          "RedGlobal8 REDG.E.ADD.64.STRONG.GPU " \
          "RedGlobal16 REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU " \
          "LdCluster1 LD.E.U8.STRONG.SYS LdCluster2 LD.E.U16.STRONG.SYS " \
          "LdCluster4 LD.E.STRONG.SYS LdCluster8 LD.E.64.STRONG.SYS " \
          "LdCluster16 LD.E.128.STRONG.SYS StCluster1 ST.E.U8.STRONG.SYS " \
          "StCluster2 ST.E.U16.STRONG.SYS StCluster4 ST.E.STRONG.SYS " \
          "StCluster8 ST.E.64.STRONG.SYS StCluster16 ST.E.128.STRONG.SYS " \
          "AtomCluster4 ATOM.E.ADD.STRONG.GPU AtomCluster8 ATOM.E.EXCH.64.STRONG.GPU", words, " ")
    for (i = 1; i in words; i += 2)
        expected[words[i]] = words[i + 1]
}
/^\.text\./ {
    name = ""
    if (match($0, /access_kernelINS_[0-9]+[A-Za-z0-9]+EEEv/)) {
        name = substr($0, RSTART + 17, RLENGTH - 17 - 4)
        sub(/^[0-9]+/, "", name)
        sub(/E$/, "", name)
        if (!(name in seen))
            order[++kernels] = name
        seen[name] = ""
    }
    next
}
name != "" && match($0, /(@!?U?P[0-9T] )?(LDS|STS|LDSM|STSM|LDGSTS|LDG|STG|LD|ST|ATOM|ATOMS|ATOMG|RED|REDG|LDL|STL)[. ][^;]*/) {
    text = substr($0, RSTART, RLENGTH)
    if (text ~ /^@!PT /)
        next
    sub(/^@!?U?P[0-9T] /, "", text)
    split(text, part, " ")
    seen[name] = seen[name] " " part[1]
}
END {
    for (i = 1; i <= kernels; i++) {
        name = order[i]
        wanted = " " expected[name] " STG.E"
        if (name == "AtomCluster8")
            wanted = " " expected[name] " LD.E.64 ST.E.64 STG.E"
        if (seen[name] != wanted) {
            printf "%s: expected%s, found%s\n", name, wanted, seen[name]
            wrong++
        }
    }
    for (name in expected)
        if (!(name in seen))
            missing++
    if (kernels == 0) {
        print "skipped: no kernels for sm_90 in the program"
        exit 77
    }
    printf "%d kernels disassembled, %d wrong, %d missing\n", kernels, wrong, missing
    exit wrong || missing ? 1 : 0
}'
