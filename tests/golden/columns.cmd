# Lines end where COLUMNS says, and sentences before 100; nonsense is as if nothing were said.
for columns in 50 120 nonsense 0; do
    COLUMNS=$columns smemprobe predict --stride 32 | tail -n 8
done
COLUMNS=50 smemprobe compare transpose --variants tiled32 | sed -n '/by site/,/^$/p'
COLUMNS=120 smemprobe compare transpose --variants tiled32 | sed -n '/by site/,/^$/p'
