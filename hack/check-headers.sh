#!/bin/sh
# Fail if a header does not compile alone. usage: check-headers.sh CPPFLAGS...
set -eu
cd "$(dirname "$0")/.."
bad=0
for h in $(git ls-files --cached --others --exclude-standard 'lib/*.h' 'controller/*.h' 'agent/*.h' 'runner/*.h' 'cli/*.h'); do
	echo "#include \"$h\"" | gcc -std=gnu17 "$@" -Wall -Werror -fsyntax-only -x c - || bad=1
done
exit $bad
