"""Reads a `cargo build --timings` page and prints the crates that took longest, in seconds: dearest-crates.py PAGE."""

import json
import re
import sys
from collections import Counter

SHOWN = 12

page = open(sys.argv[1], encoding="utf-8").read()
units = json.loads(re.search(r"const UNIT_DATA = (\[.*?\]);\n", page, re.DOTALL).group(1))
seconds = Counter()
for unit in units:
    seconds[f"{unit['name']} {unit['version']}"] += unit["duration"]

print(f"{len(units)} units, {sum(seconds.values()):.0f} s in all")
print(", ".join(f"{crate} {spent:.0f}" for crate, spent in seconds.most_common(SHOWN)))
