#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# script/follow on a project with two chapters: what runs, what differs, what is skipped.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/script" "$work/tree/docs/guide"
cd "$work/tree"
cp "$root/script/follow" script/
echo '  - guide/install.md
  - guide/cases.md' >mkdocs.yml
echo 'nothing to run' >README.md
printf '%s\n' '```sh' 'mkdir build' "printf '#!/bin/sh\\necho one\\necho two\\necho three\\n' >build/say && chmod +x build/say" '```' >docs/guide/install.md
cat >docs/guide/cases.md <<'END'
```console
$ say
one
...
three
$ say |
    tail -n 1; cd docs
four
```
<!-- needs no-such-program -->
```sh
false
```
<!-- not run: it is only shown -->
```sh
false
```
```sh
cd guide # the folder that the chapter is in by now
false
```
END
got=$(TMPDIR=$work script/follow --here) && { echo "a chapter with faults is right" && exit 1; }
want='ok: docs/guide/install.md: mkdir build
ok: docs/guide/cases.md: say
FAILED: docs/guide/cases.md: say |
skipped: docs/guide/cases.md: false: no no-such-program
ok: docs/guide/cases.md: cd guide # the folder that the chapter is in by now
FAILED: docs/guide/cases.md: false: exit status 1
4 passed, 2 failed, 1 skipped'
diff <(echo "$want") <(grep -E '^(ok|FAILED|skipped)|passed' <<<"$got" | grep -v printf)
