# A recorded value that the model does not give is shown as such.
printf '# gpu: made up\n# cc: 9.0\n# driver: 1\n# cuda: 2\n# date: 2000-01-01\n--op atom --width 4 --stride 32\twavefronts=31\n--op atom --width 4 --stride 1\twavefronts=1\n' >mine.txt
smemprobe plot agreement mine.txt
smemprobe plot agreement mine.txt --format csv | grep atom
