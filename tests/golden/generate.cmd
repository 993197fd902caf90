# What does not change with every new option: the shape, and one command's rows.
smemprobe generate bash | grep -vE '^ {4}[a-z*-]+\) options|^ {4}--.*values=|commands='
smemprobe generate bash | grep -E '^ {4}check\)'
smemprobe generate bash | bash -n && echo sound
smemprobe generate man | sed -n '1,20p'
smemprobe generate fish | grep -E -- '-l max-ways'
smemprobe generate zsh | head -n 5
# What may follow --format and --emit.
complete() { smemprobe generate bash >bash && bash -c '. ./bash; COMP_WORDS=(smemprobe "$@"); COMP_CWORD=$#; _smemprobe; echo "${COMPREPLY[*]}"' - "$@"; }
complete check --format ''
complete plot --format p
complete fix --emit c
complete --format ''
complete --op ldmatrix.x4
complete predict --arch sm_10
complete compare --variants tiled
complete plot --theme ''
complete verify --count ''
smemprobe generate fish | grep -m1 -e 'from plot.* -l theme'
smemprobe generate zsh | grep -A30 '^    batch)' | grep -m1 -e '--format'
smemprobe generate fish | grep -e 'from doctor.* -l format' -e '-l emit'
smemprobe generate tcsh
