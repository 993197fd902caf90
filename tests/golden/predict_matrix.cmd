# Every operation: on every architecture in CSV, and in words on those whose rules stand alone.
# What was measured depends on the build and the machine.
without_measured() {
    awk '/^  measured/ { skip = 1; next } skip && /^        / { next } { skip = 0; print }'
}
for op in $(smemprobe list ops --format csv | tail -n +2 | cut -d, -f1 | tr -d '"'); do
    smemprobe --op $op --stride 3 --arch all --format csv 2>&1 | tail -n +2 | awk -F, -v OFS=, '{ print $11, $13, $2, $4, $5, $6, $7, $16, $8, $9, $10, $17 }' | sort -t, -k2 -u -s
    smemprobe --op $op --stride 2 --arch all 2>&1 | tail -n +3
    for arch in 1.0 1.3 2.0 3.5 7.0 9.0; do
        echo "-- $op $arch"
        smemprobe --op $op --stride 2 --arch $arch 2>&1 | without_measured | grep -A 3 -E '^  (why|conflict|coalesced|not coalesced|[0-9])|smemprobe:'
    done
done
smemprobe --stride 2 --arch all --format json | grep -c '"groups"'
smemprobe --op ld.global --stride 9 --format json | sed -n '/"counts\|"wavefronts"/,/"pattern"/p' | head -n 40
smemprobe --op ld.shared::cluster --stride 9 --width 8 --format json | tail -n 20
smemprobe --width 16 --arch 1.3 --format json | grep -A 4 '"wavefronts"'
