"""Tables of words for the claim check, from the sources of the pairs that `claims_pairs.py` writes: how rare a stem is, and which are written small within a sentence.

    claims_words.py PAIRS.jsonl FOLDER
"""
import collections, json, math, os, re, sys

script = open(os.path.join(os.path.dirname(__file__), "claims.py")).read()
names = {"re": re}
exec(script[script.index("def stem(word)") : script.index("def sentences(text)")], names)
stem, stems = names["stem"], names["stems"]
SLOTS, BITS = 16384, 1 << 18


def hashed(stem):
    value = 0xCBF29CE484222325
    for byte in stem.encode():
        value = ((value ^ byte) * 0x100000001B3) & (2**64 - 1)
    return value


sources, count = set(), collections.Counter()
small, large = collections.Counter(), collections.Counter()
for line in open(sys.argv[1]):
    row = json.loads(line)
    if row["kind"] == "made_cut" or row["source"] in sources:
        continue
    sources.add(row["source"])
    count.update(set(stems(row["source"])))
    for found in re.finditer(r"(?<=[a-z,;] )([A-Za-z][a-z']+)\b", row["source"]):
        (large if found.group()[0].isupper() else small)[stem(found.group().lower())] += 1
most = [0] * SLOTS
for word, times in count.items():
    most[hashed(word) % SLOTS] = max(most[hashed(word) % SLOTS], times)
top = math.log(len(sources) + 1)
open(f"{sys.argv[2]}/words.bin", "wb").write(bytes(min(255, int(255 * (1 - math.log(times + 1) / top))) for times in most))
bits = bytearray(BITS // 8)
for word, times in small.items():
    if times >= 3 and times >= 5 * large[word]:
        for place in (hashed(word) % BITS, (hashed(word) >> 40) % BITS):
            bits[place // 8] |= 1 << (place % 8)
open(f"{sys.argv[2]}/ordinary.bin", "wb").write(bits)
