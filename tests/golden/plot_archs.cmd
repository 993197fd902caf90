smemprobe plot archs
smemprobe plot archs --width 1
smemprobe plot archs --op ld.global --stride 2
smemprobe plot archs --access 'ld.shared 4 000002d8 - - - 20 20 - 20 20 - 20 - - - - - - - - - - - - - - - - - - - - - -' --format csv
