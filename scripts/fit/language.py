#!/usr/bin/env python3
"""Fits the detector of languages: makes crates/chimera-core/src/perception/language.bin.

    pip install numpy scipy scikit-learn
    language.py pairs.tsv.xz NTREX-128/

`pairs` are lines of `language<TAB>kind<TAB>source<TAB>english<TAB>foreign`, the same as for languages.py; NTREX-128 (Microsoft, CC-BY-SA-4.0) has one file
for each of 128 languages, which show what is none of ours. Letters in runs of one to four, hashed, and one weight for each run and language.
"""

import collections
import glob
import lzma
import os
import pathlib
import random
import struct
import sys
import unicodedata

import numpy as np
import scipy.sparse
from sklearn.linear_model import SGDClassifier

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "crates/chimera-core/src/perception/language.bin"
# In this order in the file, and in src/perception/language.rs.
LANGUAGES = ["en", "es", "fr", "de", "pt", "it", "nl", "am", "sw", "ar", "hi", "ja", "zh", "other"]
CODES = {"eng": "en", "spa": "es", "fra": "fr", "deu": "de", "por": "pt", "ita": "it", "nld": "nl", "amh": "am", "swa": "sw", "arb": "ar", "hin": "hi",
         "jpn": "ja", "zho": "zh"}
BUCKETS = 1 << 15
RUN_MAX = 4
WORD_LETTERS_MAX = 24


def bucket(run):
    number = 0x811C9DC5
    for byte in run.encode():
        number = ((number ^ byte) * 0x01000193) & 0xFFFFFFFF
    return (number ^ (number >> 15)) % BUCKETS


known = {}


def words(text):
    """Runs of letters; marks and digits are none."""
    return "".join(c if LETTERS[c] else " " for c in text.lower()).split()


class Letters(dict):
    def __missing__(self, c):
        self[c] = unicodedata.category(c)[0] == "L"
        return self[c]


LETTERS = Letters()


def runs(text):
    found = []
    for word in words(text):
        word = word[:WORD_LETTERS_MAX]
        if word not in known:
            spaced = f" {word} "
            pieces = [spaced[at : at + size] for size in range(1, RUN_MAX + 1) for at in range(len(spaced) - size + 1)]
            known[word] = [bucket(piece) for piece in pieces if piece != " "]
        found += known[word]
    return found


def matrix(texts):
    ends, places, values = [0], [], []
    for text in texts:
        counts = collections.Counter(runs(text))
        length = sum(count * count for count in counts.values()) ** 0.5 or 1
        places += counts.keys()
        values += [count / length for count in counts.values()]
        ends.append(len(places))
    return scipy.sparse.csr_matrix((values, places, ends), shape=(len(texts), BUCKETS))


def plain(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if not 0x300 <= ord(c) <= 0x36F)


def gathered(pairs, ntrex):
    chance = random.Random(1)
    sentences = collections.defaultdict(list)
    for line in lzma.open(pairs, "rt"):
        language, kind, _, english, foreign = line.rstrip("\n").split("\t")
        if kind[0] == "s" or (kind[0] == "p" and len(foreign) > 15):
            sentences[language].append(foreign)
            if chance.random() < 0.03:
                sentences["en"].append(english)
    texts, labels, weights = [], [], []

    def add(text, language, weight):
        part = cut(text, language, chance)
        for version in (text, part):
            if chance.random() < 0.25:
                version = plain(version)
            texts.append(version)
            labels.append(LANGUAGES.index(language))
            weights.append(weight)

    for language, found in sorted(sentences.items()):
        for text in chance.sample(found, min(len(found), 6_000)):
            add(text, language, 1.0)
    for file in sorted(glob.glob(os.path.join(ntrex, "*ref*.txt"))):
        code = os.path.basename(file).split(".")[-2][:3]
        language = CODES.get(code, "other")
        if code == "yue":
            continue
        lines = [line.strip() for line in open(file, encoding="utf-8") if line.strip()][:1_000]
        for text in chance.sample(lines, min(len(lines), 90 if language == "other" else 500)):
            add(text, language, 0.5 if language == "other" else 1.0)
    return texts, labels, weights


def cut(text, language, chance):
    units, shortest, longest, joint = (list(text), 3, 14, "") if language in ("ja", "zh") else (text.split(), 2, 7, " ")
    size = chance.randint(shortest, longest)
    start = chance.randrange(max(1, len(units) - size))
    return joint.join(units[start : start + size])


def main(pairs, ntrex):
    texts, labels, weights = gathered(pairs, ntrex)
    print(len(texts), "texts")
    model = SGDClassifier(loss="log_loss", alpha=3e-6, max_iter=8, tol=None, random_state=1).fit(matrix(texts), labels, sample_weight=weights)
    scale = float(np.abs(model.coef_).max() / 127)
    steps = np.rint(model.coef_.T / scale).astype(np.int8)
    header = b"CLN1" + struct.pack("<IIf", BUCKETS, len(LANGUAGES), scale) + model.intercept_.astype("<f4").tobytes()
    OUTPUT.write_bytes(header + steps.tobytes())
    print(OUTPUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
