# What is measured depends on where it runs; the chart of what is predicted does not.
smemprobe plot compare transpose --size 96x64 --type double | sed '/^smemprobe/,$d'
smemprobe plot compare transpose --size 96x64 --variants padded,tiled32 --format csv | cut -d, -f1-11
smemprobe plot compare transpose --size 96x64 -o c.png && head -c 4 c.png | tail -c 3 && echo
smemprobe plot compare 2>&1 | cut -d: -f1-2
smemprobe plot compare transpsoe 2>&1 | sed "s/.*did/did/"
# One variant alone, measured and not; variants of the host alone.
smemprobe plot compare transpose --variants padded --size 64 -o one.png && echo 'drawn'
smemprobe plot compare transpose --variants padded -o two.png && echo 'drawn'
smemprobe plot compare transpose --variants naive-read --size 64 -o three.svg && echo 'drawn'
smemprobe plot compare reduce --variants cpu,cpu-loop -o four.png
# Long numbers in groups, all of a title alike.
smemprobe plot compare histogram --variants shared | head -n 1
smemprobe plot compare transpose --variants padded --size 10000 | head -n 1
