# The source is what scdoc takes, and nothing of an example is lost on the way.
smemprobe generate man | scdoc | sed -n 's/^\.SH //p; /block 32x8 .*[\\]$/p'
