# A folder is every layout file below it, but nothing hidden, and no link in a circle.
mkdir -p k/deep k/.hidden empty
printf 'shared float t[32][32]\nld t[threadIdx.x][0]\nexpect ways <= 1\n' >k/b.smp
printf 'shared float t[32]\nld t[threadIdx.x]\nexpect ways <= 1\n' | tee k/a.smp k/deep/c.smp >k/.hidden/d.smp
echo no layout >k/note.txt
ln -s .. k/deep/up
for folder in k k/ empty k/deep none; do
    smemprobe check $folder
    echo "exit status $?"
done
