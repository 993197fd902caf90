# A reason that variants have in common stands there once.
smemprobe compare histogram --variants shared,cluster-2,cluster-4 --size 1024x16777216 | sed -n '/^results/,/^$/p'
