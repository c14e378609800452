#!/usr/bin/env python3
"""Writes the rows of a table of wrong inputs as files.

    expand.py TABLE FOLDER

Per row FOLDER/NNN-the-name/ gets
    create.json or create.yaml   the object
    update.json                  the object of a second apply, for rows that have one
    status-N.json                merge patches of the status subresource, likewise, in order
    stage                        apply or Failed: where it is refused; accepted: nowhere
    reason                       for Failed, the condition's reason
    says                         texts that the message must hold, one a line

The table is text. A section starts with `base NAME` or `row NAME`; `key: value` lines follow,
values go on in indented lines, # starts a comment line outside values.
    refused: apply | Failed REASON      accepted: apply
    says: TEXT                          may stand several times
    uses: BASE                          the base that the row changes [the first one]
    kernel:                             replaces spec.kernel.wgsl by the indented lines
    spec: JSON                          merged into the base's spec (RFC 7396: null removes)
    object: JSON                        merged into the whole object
    yaml:                               the indented lines are the object, as they stand
    status: JSON                        a list of merge patches of the status, applied in order
    update: JSON                        merged into the created object and applied at the end
In JSON, "@x*5" stands for "xxxxx" and {"@repeat": [3, V]} for [V, V, V].
"""

import copy
import json
import os
import re
import sys


def merge(old, patch):
    if not isinstance(patch, dict):
        return patch
    new = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        else:
            new[key] = merge(new.get(key), value)
    return new


def unfold(value):
    if isinstance(value, str):
        m = re.fullmatch(r"@(.)\*(\d+)", value, re.S)
        return m.group(1) * int(m.group(2)) if m else value
    if isinstance(value, list):
        return [unfold(v) for v in value]
    if isinstance(value, dict):
        if set(value) == {"@repeat"}:
            times, item = value["@repeat"]
            return [unfold(item)] * times
        return {k: unfold(v) for k, v in value.items()}
    return value


def sections(path):
    """Yields (kind, name, line number, [(key, value)])."""
    current = None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            start = re.fullmatch(r"(base|row) (.+)", line)
            pair = re.fullmatch(r"([a-z]+):(?: (.*))?", line)
            if start:
                if current:
                    yield current
                current = (start.group(1), start.group(2), number, [])
            elif pair and current:
                current[3].append([pair.group(1), pair.group(2) or ""])
            elif line.startswith("  ") and current and current[3]:
                last = current[3][-1]
                last[1] += ("\n" if last[1] else "") + line[2:]
            elif line and not line.startswith("#"):
                sys.exit(f"{path}:{number}: cannot read this line")
            elif current and current[3] and current[3][-1][0] in ("kernel", "yaml") and not line:
                current[3][-1][1] += "\n"
    if current:
        yield current


def parse(path, name, number, pairs):
    row = {"says": []}
    for key, value in pairs:
        if key == "says":
            row["says"].append(value)
        elif key in ("spec", "object", "update", "status"):
            try:
                row[key] = unfold(json.loads(value))
            except ValueError as e:
                sys.exit(f"{path}:{number}: {name}: {key}: {e}")
        elif key in ("refused", "accepted", "uses", "kernel", "yaml"):
            row[key] = value
        else:
            sys.exit(f"{path}:{number}: {name}: unknown key {key}")
    return row


def build(row, base):
    obj = copy.deepcopy(base)
    if "kernel" in row:
        obj = merge(obj, {"spec": {"kernel": {"wgsl": row["kernel"]}}})
    obj = merge(obj, {"spec": row.get("spec", {})})
    return merge(obj, row.get("object", {}))


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)


def write_row(folder, row, obj):
    os.makedirs(folder)
    if "yaml" in row:
        write(folder, "create.yaml", row["yaml"] + "\n")
    else:
        write(folder, "create.json", json.dumps(obj))
    if "update" in row:
        write(folder, "update.json", json.dumps(merge(obj, row["update"])))
    for n, status in enumerate(row.get("status", [])):
        write(folder, f"status-{n}.json", json.dumps({"status": status}))
    words = row.get("refused", "accepted").split()
    write(folder, "stage", words[0] + "\n")
    if len(words) > 1:
        write(folder, "reason", words[1] + "\n")
    write(folder, "says", "".join(s + "\n" for s in row["says"]))


def main():
    table, out = sys.argv[1:]
    bases = {}
    count = 0
    for kind, name, number, pairs in sections(table):
        row = parse(table, name, number, pairs)
        if kind == "base":
            start = {"apiVersion": "kwarp.dev/v1alpha1", "kind": "WarpJob"}
            bases[name] = build(row, start)
            continue
        if "refused" not in row and "accepted" not in row:
            sys.exit(f"{table}:{number}: {name}: neither refused nor accepted")
        count += 1
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        obj = merge(bases[row.get("uses", next(iter(bases)))],
                    {"metadata": {"name": f"wrong-{count:03}"}})
        write_row(os.path.join(out, f"{count:03}-{slug}"), row, build(row, obj))


if __name__ == "__main__":
    main()
