cat >bad.smp <<'END'
shared float tile[32][32]
block 32x8
ld tile[threadIdx.x][threadIdx.y]
expect ways <= 1
expect excess == 0 on sm_90
END
cat >broken.smp <<'END'
shared float tile[32][32]
ld tile[threadIdx.x][threadIdx.y
END
cat >outside.smp <<'END'
shared float tile[32]
for j = 0:2
ld tile[threadIdx.x + j]
END
printf 'shared int a[32]\r\nld a[laneid]\r\nexpect ways == 1' >crlf.smp
smemprobe check bad.smp; echo $?
smemprobe check bad.smp broken.smp outside.smp missing.smp crlf.smp; echo $?
smemprobe check --format github bad.smp broken.smp; echo $?
smemprobe check --format junit bad.smp broken.smp crlf.smp; echo $?
smemprobe check --format json crlf.smp broken.smp; echo $?
smemprobe check --max-ways 32 --max-excess 248 crlf.smp <bad.smp; echo $?
smemprobe check --max-excess 10 - <crlf.smp; echo $?
smemprobe check --arch sm_70 bad.smp; echo $?
smemprobe check; echo $?
smemprobe check --format yaml crlf.smp; echo $?
smemprobe check --max-ways -1 crlf.smp; echo $?
smemprobe check bad.smp -o report.json; echo $?; grep violated report.json
smemprobe check bad.smp -o report.xml; echo $?; grep -c '<testcase' report.xml
smemprobe check bad.smp -o report.txt; echo $?; tail -n 1 report.txt
smemprobe check bad.smp -o report.csv; echo $?; ls report.*
