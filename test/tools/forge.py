#!/usr/bin/env python3
"""Forges the state folder of an agent, for tests: results that it was never asked for.

    forge.py --job UID --chunks N [--value N] --own FOLDER [--other FOLDER]

FOLDER/results of --own becomes a journal (agent/journal.c) with one forged result for each chunk
0 .. N-1 of the job, all with the same value. Each comes with each ticket that colluders can have:
nothing but zeros, every ticket of results found in --own and --other (moved to the chunk), and one
of those for a dispatch that is stretched over all chunks. The number of records is printed.
"""

import argparse
import hashlib
import pathlib
import struct

RESULT = 1  # kinds of records
OK = 1  # wire_outcome


def varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def string(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value if value else b""


def fields(body):
    """{field: last value} of a message."""
    at, found = 0, {}

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = body[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(body):
        tag = read()
        if tag & 7 == 0:
            found[tag >> 3] = read()
        elif tag & 7 == 2:
            size = read()
            found[tag >> 3] = body[at : at + size]
            at += size
        else:
            raise ValueError(f"wire type {tag & 7}")
    return found


def dispatch(uid, slice_, replica, attempt, first, count, epoch):
    return (
        string(1, uid.encode())
        + number(2, slice_)
        + number(3, replica)
        + number(4, attempt)
        + number(5, first)
        + number(6, count)
        + number(7, epoch)
    )


def record(body):
    payload = bytes([RESULT]) + body
    return struct.pack("<I", len(body)) + hashlib.sha256(payload).digest()[:8] + payload


def records(path):
    """Bodies of the results in a journal."""
    data = path.read_bytes() if path.exists() else b""
    at = 0
    while at + 13 <= len(data):
        (size,) = struct.unpack_from("<I", data, at)
        if data[at + 12] == RESULT:
            yield data[at + 13 : at + 13 + size]
        at += 13 + size


def forged(chunk, value):
    """A result with the canonical bytes of one u32: its length, then itself."""
    values = struct.pack("<QI", 4, value)
    return (
        number(1, chunk)
        + number(2, OK)
        + string(3, hashlib.sha256(values).digest())
        + string(4, values)
        + number(7, 1000)
    )


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--job", required=True)
    p.add_argument("--chunks", type=int, required=True)
    p.add_argument("--value", type=int, default=12345)
    p.add_argument("--own", type=pathlib.Path, required=True)
    p.add_argument("--other", type=pathlib.Path)
    args = p.parse_args()

    seen = []
    for folder in filter(None, (args.own, args.other)):
        for body in records(folder / "results"):
            f = fields(body)
            seen.append((fields(f[1]), f[2]))
    epoch = max([d.get(7, 0) for d, _ in seen], default=1)
    out = bytearray()
    count = 0

    def add(d, ticket, chunk):
        nonlocal count
        out.extend(record(string(1, d) + string(2, ticket) + string(3, forged(chunk, args.value))))
        count += 1

    for chunk in range(args.chunks):
        add(dispatch(args.job, chunk, 0, 0, chunk, 1, epoch), b"\1" * 32, chunk)
        for n, (d, ticket) in enumerate(seen[:4]):
            add(dispatch(args.job, chunk, d.get(3, 0), d.get(4, 0), chunk, 1, epoch), ticket, chunk)
            # A slice that nobody was given, so that the same chunk is another result.
            add(dispatch(args.job, 1000 + n, 0, 0, 0, args.chunks, epoch), ticket, chunk)
    args.own.mkdir(parents=True, exist_ok=True)
    (args.own / "results").write_bytes(out)
    print(count, "forged,", len(seen), "tickets")


if __name__ == "__main__":
    main()
