# What does not change with every new option: the shape, and one command's rows.
smemprobe generate bash | grep -vE '^ {4}[a-z*-]+\) options|commands='
smemprobe generate bash | grep -E '^ {4}check\)'
smemprobe generate bash | bash -n && echo sound
smemprobe generate man | sed -n '1,20p'
smemprobe generate fish | grep -E -- '-l max-ways'
smemprobe generate zsh | head -n 5
smemprobe generate tcsh
