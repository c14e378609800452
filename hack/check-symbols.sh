#!/bin/sh
# Fail if an object file uses a function reserved for other modules (or for
# nobody, "-"). Run on a build without _FORTIFY_SOURCE.  usage: check-symbols.sh BUILD_DIR
set -eu
table="$(dirname "$0")/symbols.txt"
find "$1" -name '*.o' | sort | while read -r obj; do
	nm --undefined-only --format=just-symbols "$obj" | sed "s|@.*||; s|^|${obj#"$1"/} |"
done | awk -v table="$table" '
BEGIN {
	while ((getline line < table) > 0) {
		if (line ~ /^#/ || line == "") continue
		split(line, f, /[ \t]+/); sym[++n] = "^" f[1] "$"; who[n] = f[2]
	}
}
{
	for (i = 1; i <= n; i++)
		if ($2 ~ sym[i] && (who[i] == "-" || $1 !~ "(^|/)" who[i] "$")) {
			print $1 ": uses " $2 ", allowed only in: " who[i]; bad = 1
		}
}
END { exit bad }'
