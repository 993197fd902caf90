printf '# gpu: My GPU\n# cc: 8.6\n# driver: 1.2\n# cuda: 12.0\n# date: 2026-01-02\n# counter: c\n--op ld --width 4 --stride 700\twavefronts=4\n' >mine.txt
smemprobe --stride 700 --arch sm_86 --recorded mine.txt | tail -3
echo nothing >bad.txt
smemprobe --stride 700 --recorded bad.txt
echo "exit $?"
smemprobe --stride 700 --recorded none.txt
echo "exit $?"
