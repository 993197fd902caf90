# What was recorded, in words: of two things that are saved, the larger part is named.
smemprobe compare reduce --variants sequential,first-add,shuffle,fast | sed -n '/^results/,$p'
