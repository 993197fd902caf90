smemprobe --stride 32 --color always
NO_COLOR=1 smemprobe --stride 32 --color auto
CLICOLOR_FORCE=1 smemprobe --stride 2 | sed -n '1,3p'
CLICOLOR_FORCE=1 NO_COLOR=1 smemprobe --stride 2 | sed -n '1,3p'
CLICOLOR_FORCE=0 smemprobe --stride 2 | sed -n '1,3p'
printf 'shared int t[1024]\nld t[laneid * 32]\nexpect ways <= 1\n' >k.smp; smemprobe check --color always k.smp
