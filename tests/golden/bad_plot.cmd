exec 2>&1
try() {
    smemprobe plot "$@"
    echo "exit status $?"
}
try
try no_such_kind
try heatmpa
try stride -o stride.bmp
try stride --format json
try stride --theme blue
try stride --arch all
try stride --op ld,st
try stride --shared 'float a[1]'
try stride one
try heatmap --op ld.global
try heatmap --stride 0:100
try heatmap --op ldmatrix.x4 --arch 5.0
try archs --access ''
try archs --op red --width 8
try bankmap --shared 'float tile[32]['
try bankmap 'ld tile[0]'
try bankmap --shared 'extern float buf[]'
try bankmap --shared 'float a[8]' 'ld a[threadIdx.x]'
try agreement no_such_file
echo nothing >empty.txt
try agreement empty.txt
try stride -o no_such_folder/stride.png
touch stride.png
try stride -o stride.png
ls
try cluster --op cas
try cluster --width 8
try cluster --arch 7.0
try bankmap --arch all
try bankmap --arch none
try cluster --arch all
try cluster --op none
try cluster --stride x
try heatmap --arch none
try heatmap --op none
try archs --op none
try archs --stride 4000000000 --width 16
try compare transpose reduce
try all one.txt
