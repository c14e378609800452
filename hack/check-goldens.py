#!/usr/bin/env python3
# Fail if the WGSL compiler can say something that no golden test expects.
#
# A golden is a string of test/unit/wgsl/*.c that begins with its place, "line:column: ". The first
# string of a diagnostic's call must be, with anything for its conversions, all the words of one; any
# other string of several words (what was expected, hints, causes) must be a part of one.
import glob
import re
import sys

# The printed IR; what tells a programmer of the compiler that it is not well-formed; verdicts on
# outputs, which test_order.c, test_analysis.c and test_subgroup.c compare.
SKIPPED = ["lib/wgsl/%s.c" % name for name in ("ir_print", "ir_verify", "order", "class")]
UNSAID = {
    "this expression cannot be compiled": "no text leads there; a refusal, as a kernel must not end "
                                          "the controller",
    "%s:%u:%u: %s": "around a diagnostic", "%s:%u:%u: %s: %s\\n": "around a diagnostic",
    "%s: %zu more errors\\n": "has no place; test_diags.c",
    "the kernel has %zu bytes, the limit is %d": "has no place; test_size.c",
    "the kernel is not valid": "no text leads there: what fails says why",
    "fault of the compiler": "no text leads there: the IR is verified",
}
PIECE = r'"((?:[^"\\\n]|\\.)*)"'
STRING = re.compile(r"/\*.*?\*/|^#.*?$|'(?:[^'\\]|\\.)+'|((?:%s\s*)+)" % PIECE, re.S | re.M)
CALL = re.compile(r"\bwgsl_(error|warn|note|syntax|eval_error|lower_fail)\([^;\"]*$")
CONVERSION = re.compile(r"%[-+ #0-9.*]*(?:hh|ll|[hlz])?[a-zA-Z]")
PLACE = re.compile(r"\d+:\d+: ")


def strings(path):
    """Line, is it the first of a diagnostic, and text of each string, its pieces joined."""
    with open(path, encoding="utf-8") as file:
        source = file.read()
    for found in STRING.finditer(source):
        if found.group(1):
            before = source[max(0, found.start() - 400):found.start()]
            text = "".join(re.findall(PIECE, found.group(1))).replace('\\"', '"')
            yield source.count("\n", 0, found.start()) + 1, bool(CALL.search(before)), text


def is_expected(text, is_whole, goldens):
    words = ".*".join(re.escape(part.replace("%%", "%")) for part in CONVERSION.split(text))
    test = re.compile(words).fullmatch if is_whole else re.compile(words).search
    return any(test(golden) for golden in goldens)


def main():
    goldens = [PLACE.sub("", text, count=1) for path in glob.glob("test/unit/wgsl/*.c")
               for _, _, text in strings(path) if PLACE.match(text)]
    missing = 0
    for path in sorted(set(glob.glob("lib/wgsl/*.c")) - set(SKIPPED)):
        for line, is_whole, text in strings(path):
            if text in UNSAID or CONVERSION.sub("", text).strip() == "" or not (is_whole or " " in text.strip()):
                continue
            if not is_expected(text, is_whole, goldens):
                print("%s:%d: no golden test of \"%s\"" % (path, line, text))
                missing += 1
    if "-v" in sys.argv:
        print("%d goldens" % len(goldens))
    return missing > 0


sys.exit(main())
