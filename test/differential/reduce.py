#!/usr/bin/env python3
# Make the kernel of a difference smaller while it stays one: lines, then pieces within brackets, then tokens.
#
# usage: reduce.py BINARY SEED WORDS [FILE]    WORDS: what the line of the difference holds ("llvmpipe", "interpreter")
#
# Starts from the seed's kernel, or from FILE; prints what is left. VK_DRIVER_FILES says which drivers take part
# (hack/differential.sh).
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r"\s*([A-Za-z_]\w*|[0-9][0-9a-zA-Z_.]*(?:[eEpP][-+][0-9]+)?[a-z]*|<<=|>>=|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|->|.)",
                   re.S)
CLOSE = {"(": ")", "[": "]", "{": "}"}


class Reducer:
    def __init__(self, binary, seed, words):
        self.binary, self.seed, self.words = binary, seed, words
        self.file = tempfile.NamedTemporaryFile("w", suffix=".wgsl")
        self.seen = {}

    def differs(self, text):
        if text not in self.seen:
            self.file.seek(0)
            self.file.truncate()
            self.file.write(text)
            self.file.flush()
            try:
                out = subprocess.run([self.binary, "text", self.file.name, self.seed], capture_output=True,
                                     text=True, timeout=60, check=False).stdout
            except subprocess.TimeoutExpired:
                out = ""
            self.seen[text] = any(line.startswith("seed ") and self.words in line
                                  for line in out.splitlines())
        return self.seen[text]

    def shorten(self, parts, join):
        """Without runs of parts, long runs first."""
        size = max(1, len(parts) // 2)
        while size >= 1:
            at = 0
            while at < len(parts):
                less = parts[:at] + parts[at + size:]
                if self.differs(join(less)):
                    parts = less
                else:
                    at += size
            size //= 2
        return parts

    def unwrap(self, parts):
        """Without what stands in brackets, without the brackets, or without what stands before them."""
        at = 0
        while at < len(parts):
            end = closing(parts, at)
            changed = False
            if end is not None:
                inner = parts[at + 1:end]
                arguments = split(inner)
                for less in ([parts[:at] + parts[end + 1:], parts[:at] + inner + parts[end + 1:],
                              parts[:max(0, at - 1)] + parts[end + 1:]] +
                             [parts[:max(0, at - 1)] + a + parts[end + 1:] for a in arguments] +
                             [parts[:at + 1] + ["1"] + parts[end:]]):
                    if len(less) < len(parts) and self.differs(" ".join(less)):
                        parts, changed = less, True
                        break
            at += not changed
        return parts


def closing(parts, at):
    depth = 0
    if parts[at] not in CLOSE:
        return None
    for i in range(at, len(parts)):
        depth += (parts[i] in CLOSE) - (parts[i] in CLOSE.values())
        if depth == 0:
            return i
    return None


def split(parts):
    ret, depth = [[]], 0
    for p in parts:
        depth += (p in CLOSE) - (p in CLOSE.values())
        if p == "," and depth == 0:
            ret.append([])
        else:
            ret[-1].append(p)
    return ret


def main():
    binary, seed, words = sys.argv[1:4]
    if len(sys.argv) > 4:
        with open(sys.argv[4]) as f:
            text = f.read()
    else:
        text = subprocess.run([binary, "show", seed], capture_output=True, text=True, check=True).stdout
    r = Reducer(binary, seed, words)
    if not r.differs(text):
        sys.exit("no such difference")
    while True:
        before = text
        text = "".join(r.shorten(text.splitlines(True), "".join))
        text = " ".join(r.unwrap(TOKEN.findall(text)))
        text = " ".join(r.shorten(TOKEN.findall(text), " ".join))
        text = re.sub(r"([;{}])\s*", r"\1\n", text)
        print("%d bytes" % len(text), file=sys.stderr)
        if len(text) >= len(before):
            break
    print(text)


main()
