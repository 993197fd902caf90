exec 2>&1
# What plot_gallery makes is not made again here: nothing below gets further than its first chart.
mkdir gallery
echo mine >gallery/stride.png
smemprobe plot all -o gallery
echo "exit status $?"
rm gallery/stride.png
echo mine >gallery/README.md
smemprobe plot all -o gallery
echo "exit status $?"
echo x >file
smemprobe plot all -o file
echo "exit status $?"
smemprobe plot all -o no/such/folder
echo "exit status $?"
smemprobe plot all
echo "exit status $?"
smemprobe plot all -o more --format csv
echo "exit status $?"
smemprobe plot all -o more --theme blue
echo "exit status $?"
smemprobe plot all -o fewer no_such_file.txt
echo "exit status $?"
ls gallery fewer
