smemprobe generate bash
smemprobe generate man | sed -n '1,20p'
smemprobe generate fish | grep -c complete
smemprobe generate zsh | head -n 5
smemprobe generate tcsh
