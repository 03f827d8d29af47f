#!/usr/bin/env python3
"""Rows for `chimera eval feeds`: what feedparser (PyPI) finds in every file of a folder.

    python3 scripts/lib/feeds-reference.py FOLDER > FOLDER/reference.jsonl
    chimera eval feeds --rows FOLDER/reference.jsonl

Files in which feedparser finds no feed, or no entry, are left out, and so is what is no feed by its name. Beyond 500 entries of a file
Chimera does not read, and they are not compared.
"""

import json
import pathlib
import sys

import feedparser

NO_FEEDS = {".php", ".py", ".rb", ".go", ".rs", ".js", ".ts", ".swift", ".java", ".kt", ".html", ".htm", ".opml", ".md", ".cs", ".phpt"}
ENTRIES_MAX = 500

folder = pathlib.Path(sys.argv[1])
for path in sorted(folder.rglob("*")):
    if not path.is_file() or path.suffix.lower() in NO_FEEDS or path.suffix == ".jsonl":
        continue
    try:
        found = feedparser.parse(path.read_bytes())
    except Exception as error:  # some of its own test files make it fail
        print(f"{path}: {error!r}", file=sys.stderr)
        continue
    if not found.get("version") or not found.entries:
        continue
    entries = [{"title": entry.get("title"), "link": entry.get("link")} for entry in found.entries[:ENTRIES_MAX]]
    print(json.dumps({"file": str(path.relative_to(folder)), "entries": entries}))
