# The main job.
smemprobe --stride 33 --width 4
