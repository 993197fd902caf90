cd "$DATA/../../examples"
smemprobe fix transpose-32x32.smp
smemprobe fix --emit smp transpose-32x32.smp
smemprobe fix --emit cuda --space pad transpose-32x32.smp
