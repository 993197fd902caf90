#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Flags from compile_commands.json, and the messages if the compiler fails: compile_commands.sh SMEMPROBE. The compiler
# is a stand-in that prints its arguments, so no toolkit is needed.
set -uo pipefail
program=$1 failed=0
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p bin project/.git project/src/deep project/build-x project/inc alone
cat >bin/nvcc <<'END_OF_NVCC'
#!/bin/sh
printf '%s|' "$@" >"$WORDS"
cat "$SAID" >&2
exit 1
END_OF_NVCC
chmod +x bin/nvcc
export PATH=$work/bin:$PATH WORDS=$work/words SAID=$work/said
echo 'nvcc error   : stand-in' >said
echo '__global__ void k(float *p) { p[0] = 1; }' | tee project/src/deep/k.cu alone/k.cu project/other.cu >/dev/null
{ cat alone/k.cu; echo 'int main() {}'; } >project/src/deep/program.cu

# entries FILE FOLDER SOURCE JSON-OF-THE-CALL
entries() { printf '[{"directory": "/", "file": "none.cu"}, {"directory": "%s", "file": "%s", %s}]\n' "$2" "$3" "$4" >"$1"; }

# gives WORDS LINE COMMAND...: the compiler's arguments contain WORDS (-: it need not be called), and the output has a
# line that matches LINE (grep -E; -: no message about flags). The exit status is always 3.
gives() {
    local words=$1 line=$2 got
    shift 2
    : >"$WORDS"
    "$program" "$@" >out 2>&1
    got=$?
    [ "$words" = - ] || grep -qF -- "$words" "$WORDS" || got="$got, words: $(cat "$WORDS")"
    if [ "$line" = - ]; then
        ! grep -q 'flags' out || got="$got, something is said of flags"
    else
        grep -qE -- "$line" out || got="$got, no line like $line"
    fi
    if [ "$got" != 3 ]; then
        echo "smemprobe $*: $got"
        head -n 6 out
        failed=1
    fi
}

cd project || exit 1
call='"command": "nvcc -ccbin evil -DA=1 -Iinc -std=c++17 -o x.o -c src/deep/k.cu"'
gives '|-cubin|-o|' - src/deep/k.cu
entries build-x/compile_commands.json "$work/project" src/deep/k.cu "$call"
gives "|-cubin|-DA=1|-I$work/project/inc|-std=c++17|-o|" \
    "^smemprobe: flags of build-x/compile_commands.json: -DA=1 -I$work/project/inc -std=c\+\+17$" src/deep/k.cu
gives '|-std=c++17|-DA=2|-o|' 'flags of build-x/' src/deep/k.cu -- -DA=2
gives '|-std=c++17|-DA=2|-o|' 'flags of build-x/' emulate src/deep/k.cu --launch 'k<<<1, 1>>>(float[1])' -- -DA=2
gives '|-cubin|-o|' - other.cu
touch part.o
gives '|-cubin|-DB|-o|' - other.cu -- src/deep/k.cu -DB part.o # only linking needs other files
ln -s src/deep/k.cu link.cu
gives '|-DA=1|' 'flags of build-x/' link.cu
entries src/compile_commands.json .. src/deep/../deep/program.cu '"arguments": ["nvcc", "-DB", 3, "-include", "inc/x y.h", "-D", "C;id"]'
touch 'inc/x y.h'
gives "|shared|-DB|-include=$work/project/src/../inc/x y.h|-o|" 'flags of src/compile_commands.json: -DB' src/deep/program.cu
gives '|-DA=1|' 'flags of build-x/' src/deep/k.cu
entries src/deep/compile_commands.json "$work/project/src/deep" k.cu '"command": "nvcc -c k.cu"'
gives '|-cubin|-o|' 'flags of src/deep/compile_commands.json: none' src/deep/k.cu

# Option files, expanded in place: nvcc's own, and those of other compilers.
mkdir -p project-files && cd project-files
printf -- '-I"inc" -isystem=/usr/share\n-DIN_FILE "-DWITH=a b"' >one.rsp
printf -- '-DTWO @three.rsp -DTWO_END' >two.rsp
printf -- '-DTHREE --options-file one.rsp' >three.rsp
printf -- '-DLOOP @loop.rsp' >loop.rsp
cp ../other.cu files.cu
files() { entries compile_commands.json "$work/project/project-files" files.cu "\"command\": \"nvcc -DFIRST $1 -DLAST -c files.cu\""; }
inside="-I$work/project/project-files/inc|-isystem=/usr/share|-DIN_FILE"
files '--options-file one.rsp'
gives "|-DFIRST|$inside|-DLAST|" 'flags of compile_commands.json: -DFIRST -I' files.cu
gives - '1 flag is skipped.*-DWITH=a b' files.cu
files '-optf=two.rsp,one.rsp'
gives "|-DFIRST|-DTWO|-DTHREE|$inside|-DTWO_END|$inside|-DLAST|" 'flags of' files.cu
files '@two.rsp'
gives "|-DFIRST|-DTWO|-DTHREE|$inside|-DTWO_END|-DLAST|" 'flags of' files.cu
files '@loop.rsp'
gives '|-DLOOP|-DLOOP|-DLAST|' 'loop.rsp: more than 64 response files; no flags are taken from it' files.cu
files '--options-file none.rsp'
gives '|-DFIRST|-DLAST|' '^smemprobe: none.rsp: No such file or directory; no flags are taken from it' files.cu
printf -- '-DBEFORE\0-DBEHIND' >zero.rsp
files '@zero.rsp'
gives '|-DFIRST|-DLAST|' '^smemprobe: zero.rsp: not a text file; no flags are taken from it' files.cu
files '-optf .'
gives '|-DFIRST|-DLAST|' 'not a file of at most 1 MiB; no flags are taken from it' files.cu
if [ "$(id -u)" -eq 0 ]; then
    files '@one.rsp'
    chown 12345 one.rsp
    gives '|-DFIRST|-DLAST|' 'one.rsp: belongs to another user' files.cu
fi
cd ..

# A damaged file, or one of the wrong kind: a message, and the next file is tried.
damaged() { gives '|-DA=1|' "^smemprobe: src/deep/compile_commands.json: $1.*no flags are taken from it$" src/deep/k.cu; }
printf '[{"directory": "/", "file": ' >src/deep/compile_commands.json
damaged 'line 1: '
: >src/deep/compile_commands.json
damaged 'line '
head -c 4096 /dev/urandom >src/deep/compile_commands.json
damaged 'line '
head -c 100000 /dev/zero | tr '\0' '[' >src/deep/compile_commands.json
damaged 'line 1: '
echo '{"version": 3, "file": "k.cu"}' >src/deep/compile_commands.json
damaged 'not a list of compiler calls'
rm src/deep/compile_commands.json && mkfifo src/deep/compile_commands.json
damaged 'not a file'
rm src/deep/compile_commands.json
echo '[1, null, [], {}, {"file": 3}, {"file": "k.cu", "directory": 4, "arguments": {}, "command": []}]' >src/deep/compile_commands.json
gives '|-cubin|-o|' 'flags of src/deep/compile_commands.json: none' src/deep/k.cu
rm src/deep/compile_commands.json
if [ "$(id -u)" -eq 0 ]; then
    entries src/deep/compile_commands.json "$work/project/src/deep" k.cu '"command": "nvcc -DEVIL"'
    chown 12345 src/deep/compile_commands.json
    damaged 'belongs to another user'
    rm src/deep/compile_commands.json
fi

# The search stops at the root of the repository; without one it covers only the file's own folder.
entries ../compile_commands.json "$work" alone/k.cu "$call"
cd ..
gives '|-cubin|-o|' - alone/k.cu
mv project/build-x/compile_commands.json .
gives '|-cubin|-o|' - project/src/deep/k.cu
entries alone/compile_commands.json "$work" alone/k.cu "$call"
gives '|-DA=1|' 'flags of alone/' alone/k.cu

# The compiler's first errors are shown, and advice if a file is missing.
rm alone/compile_commands.json
cat >said <<'END_OF_SAID'
k.cu(1): warning #177-D: variable "error: z" was declared but never referenced
  int z; a source line with error: in it
k.cu(2): error: identifier "q" is undefined
   p[0] = q;
k.cu(3): error: second
k.cu(4): error: third
k.cu(5): error: fourth
5 errors detected in the compilation of "k.cu".
END_OF_SAID
gives - '^smemprobe: nvcc: k.cu\(4\): error: third$' alone/k.cu
[ "$(sed 's/.*error: //' out | paste -sd ' ')" = 'identifier "q" is undefined second third' ] || { cat out && failed=1; }
echo 'k.cu:1:10: fatal error: foo.h: No such file or directory' >said
gives - '^smemprobe: foo.h is in no folder that nvcc searches: add -- -I FOLDER to the command' alone/k.cu
head -n 1 out | grep -q '^smemprobe: nvcc: k.cu:1:10: fatal error: foo.h' || { cat out && failed=1; }
echo 'k.cu(1): catastrophic error: cannot open source file "foo.h"' >said
gives - '^smemprobe: foo.h is in no folder that nvcc searches' alone/k.cu
: >said
gives - '^smemprobe: nvcc failed$' alone/k.cu
exit $failed
