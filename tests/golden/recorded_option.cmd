printf '# gpu: My GPU\n# cc: 8.6\n# driver: 1.2\n# cuda: 12.0\n# date: 2026-01-02\n# counter: c\n--op ld --width 4 --stride 700\twavefronts=4\n' >mine.txt
smemprobe --stride 700 --arch sm_86 --recorded mine.txt | tail -3
echo nothing >bad.txt
smemprobe --stride 700 --recorded bad.txt
echo "exit $?"
smemprobe --stride 700 --recorded none.txt
echo "exit $?"
{ cat mine.txt; printf '\n# a comment\n--op ld --width 4 --stride 701\twavefronts=4a\n'; } >typo.txt
smemprobe --stride 700 --recorded typo.txt
echo "exit $?"
sed 's/=4$/=-4/; $a--op ld --width 4 --stride 1\twavefronts=nan' mine.txt >numbers.txt
smemprobe --stride 700 --recorded numbers.txt
echo "exit $?"
{ cat mine.txt; echo 'no tab in this line'; } >line.txt
smemprobe plot agreement line.txt
echo "exit $?"
sed 's/$/\r/' mine.txt >crlf.txt
smemprobe --stride 700 --arch sm_86 --recorded crlf.txt | grep -A 1 measured
