# needs: stand-in
for state in no-driver not-a-driver no-cupti cupti-old driver-old driver-stub driver-mismatch driver-not-ready \
    driver-broken no-device locked locked-vgpu busy attached mig confidential wsl vgpu chip-unknown chip-old \
    device-error cuptiRangeProfilerStart=35 cuptiProfilerInitialize=35 cuptiRangeProfilerSetConfig=999 \
    dropped=1 lost=1 cudaMalloc=2; do
    echo "== $state"
    SMP_STANDIN=$state smemprobe probe --stride 0:1 --record out.txt 2>&1 | sed 's|=/.*/none |=... |'
    echo "exit status ${PIPESTATUS[0]}"
    ls
done
