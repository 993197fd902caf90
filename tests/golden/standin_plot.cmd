# needs: stand-in
smemprobe plot compare transpose --size 96x64 | sed '/^smemprobe/,$d'
smemprobe plot compare transpose --size 96x64 -o c.svg && grep -c 'time, us\|device-to-device' c.svg
SMP_STANDIN=wrong=1 smemprobe plot compare transpose --size 96x64 -o w.svg && grep -c 'counted' w.svg
