#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The patch itself, on the CPU: patch_calls.cu says what is compared. Usage: patch_calls.sh SMEMPROBE PATCH_CALLS; 77
# without nvdisasm.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
needs_nvdisasm "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" profile --no-gpu -o "$work/run.smprof" -- "$2" 2>"$work/err" || { cat "$work/err"; exit 1; }
