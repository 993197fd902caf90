# needs: stand-in
smemprobe compare transpose --size 64x96
smemprobe compare transpose --size 64x96 --variants padded --format csv
SMP_STANDIN=spoil=1 smemprobe compare transpose --size 64x96
