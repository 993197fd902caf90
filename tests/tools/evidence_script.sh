#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/tools/evidence_script.sh: script/evidence and script/record with a stand-in for the program: one file with everything in it,
# also if a step fails, time runs out or somebody stops it; and script/record has a command for each file.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/script"
cp "$root/script/evidence" "$root/script/record" "$work/script/"
failed=0

# expect WHAT COMMAND...: the command must succeed.
expect() {
    local what=$1
    shift
    "$@" >/dev/null 2>&1 && return
    echo "evidence: $what"
    failed=1
}

cat >"$work/program" <<'EOF'
#!/usr/bin/env bash
[ "$1" != "${FAIL-}" ] && [ "${2-}" != "${FAIL-}" ] || { echo "refused" >&2; exit 3; }
case $1 in
doctor) echo "doctor" && exit ;;
verify) trap 'echo "5 random accesses: none differs"; exit 0' INT ;;
esac
for word in "$@"; do [ "${last-}" != --record ] || printf '# gpu: NVIDIA Test 1\n# cc: %s\n' "${CC:-8.0}" >"$word"; last=$word; done
if [ "${2-}" = "${HANG-}" ] || [ "$1" = "${HANG-}" ]; then for _ in $(seq 200); do sleep 0.1; done; fi
[ "$1" != verify ] || echo "1,000,000 random accesses: none differs"
EOF
chmod +x "$work/program"
file=smemprobe-evidence-nvidia-test-1.tar.gz

# run SECONDS: leaves the unpacked file in $work/got.
run() {
    rm -rf "$work/got" "$work/${file:?}"
    (cd "$work" && EVIDENCE_SECONDS=$1 script/evidence ./program >"$work/out" 2>"$work/err")
    status=$?
    mkdir "$work/got"
    tar -xzf "$work/$file" -C "$work/got" --strip-components 1 2>/dev/null
}

(cd "$root" && find probes/recorded -maxdepth 1 -name 'sm90-*.txt' | sed 's/.*sm90-//; s/\.txt$//' | sort) >"$work/have"
"$root/script/record" --list | sort >"$work/can"
expect "script/record does not make the files of probes/recorded" cmp "$work/have" "$work/can"

run 20
expect "no file, status $status: $(tail -n 1 "$work/err")" test -f "$work/$file"
while read -r name; do
    expect "$name is not in the file" test -s "$work/got/sm80-$name.txt"
done < <(grep -v cluster "$work/can")
expect "an 8.0 has no clusters" test ! -e "$work/got/sm80-cluster.txt"
expect "verify is not in the file" grep -q 'none differs' "$work/got/verify-sm80.txt"
expect "something failed" test ! -e "$work/got/failed.txt"
expect "no progress" grep -q '^evidence: *[0-9]* s of 20: script/record' "$work/err"

FAIL=scan run 20
expect "a failure is not told" grep -q 'exit status 1' "$work/got/failed.txt"
expect "a failure stops the rest" test -s "$work/got/sm80-lookup.txt"

HANG=verify run 3
expect "out of time: no file" grep -q '5 random accesses' "$work/got/verify-sm80.txt"
expect "a verify that ends in time has failed" bash -c '! grep verify "$1/failed.txt"' _ "$work/got"

rm -f "$work/$file" "$work/err" "$work/pid"
(
    for _ in $(seq 300); do # until it hangs
        sleep 0.1
        ! grep -q ' scan$' "$work/err" 2>/dev/null || break
    done
    sleep 0.3
    kill -TERM "$(cat "$work/pid")"
) &
(cd "$work" && export HANG=scan EVIDENCE_SECONDS=60 && exec bash -c 'echo $$ >pid; exec script/evidence ./program' >out 2>err)
expect "stopped: no file" tar -tzf "$work/$file" nvidia-test-1/sm80-histogram.txt
expect "stopped: nothing says so" grep -q 'stopped' "$work/err"

FAIL=probe run 5
expect "nothing counted: status $status" test "$status" -eq 77
exit $failed
