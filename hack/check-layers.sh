#!/bin/sh
# Fail if a file includes a header of a module that its own module may not use
# (hack/layers.txt says which), or another module's private *_int.h.
set -eu
cd "$(dirname "$0")/.."
find lib controller agent runner cli -name "*.[ch]" 2>/dev/null | sort | xargs grep -Hn '^#include "' |
awk -v table=hack/layers.txt '
function module(path)   # the longest listed folder that holds path
{
	sub(/^lib\//, "", path)
	while (sub(/\/[^\/]*$/, "", path))
		if (path in known) return path
	return ""
}
BEGIN {
	while ((getline line < table) > 0) {
		if (line ~ /^#/ || line == "") continue
		n = split(line, f, /[ \t]+/)
		known[f[1]] = 1
		for (i = 1; i <= n; i++) ok[f[1], f[i]] = 1
	}
}
{
	split($0, part, ":"); where = part[1] ":" part[2] ": "
	match($0, /"[^"]*"/); inc = substr($0, RSTART + 1, RLENGTH - 2)
	from = module(part[1]); to = module(inc)
	if (from == "" || to == "") { print where "not in " table ": " inc; bad = 1 }
	else if (!((from, to) in ok)) { print where from " may not include " inc; bad = 1 }
	else if (from != to && inc ~ /_int\.h$/) { print where inc " is private"; bad = 1 }
}
END { exit bad }'
